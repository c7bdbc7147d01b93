"""Results: the recorded columns of a run as NumPy arrays, its ledger and its verdict."""
import builtins
import html
import os
import pathlib
import shutil
import tempfile
import threading
from collections import namedtuple
from collections.abc import Mapping

import numpy

from ._errors import Error, InputError, NotFoundError, call, create
from ._library import encode, ffi, filled, lib, text
from ._rotation import quaternions

AXES = ("x", "y", "z")


VERDICT = "quantity level text why start drift relative_drift tolerance"


class Verdict(namedtuple("Verdict", VERDICT)):
    """The verdict on a conserved quantity; level: "ok", "warn" or "broken" (docs/verdict.md)."""

    __slots__ = ()

    @property
    def ok(self):
        return self.level == "ok"


class Verdicts(tuple):
    """The verdicts of a run, one line each; `ok` if all laws were satisfied."""

    @property
    def ok(self):
        return all(verdict.ok for verdict in self)

    def __str__(self):
        width = max((len(verdict.quantity) for verdict in self), default=0)
        return "\n".join(f"{verdict.quantity:{width}}  {verdict.text}  {verdict.level}"
                         for verdict in self)


class Columns(Mapping):
    """Some columns of a result under other names: {name: array}."""

    def __init__(self, result, columns):
        self._result = result
        self._columns = columns

    def __getitem__(self, name):
        if name not in self._columns:
            raise NotFoundError(f"the ledger has no column '{name}'; it has {', '.join(self)}",
                                "NOT_FOUND")
        return self._result[self._columns[name]]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)


class Ledger(Columns):
    """The ledger: energies, momenta, errors and iterations at the recorded states; `min` and `max`
    have the extremes over all steps since the previous row."""

    def __init__(self, result, names):
        super().__init__(result, {name: name for name in names})
        self.min = Columns(result, {name: f"{name}.min" for name in names})
        self.max = Columns(result, {name: f"{name}.max" for name in names})


class Result(Mapping):
    """A result file, complete or not.

    result["top.position.x"] is a column, result["top.position"] its three components as an array of
    rows x 3, result["top.rotation"] the rotation matrices, rows x 3 x 3, result["top.quaternion"]
    the unit quaternions w, x, y, z, rows x 4, result["top.angular_velocity"] rows x 3."""

    def __init__(self, path, folder=None):
        self.path = os.fspath(path)
        self._folder = folder  # a temporary folder is removed with its result
        self._lock = threading.RLock()
        self._result = create("olo_result", lib.olo_result_open, lib.olo_result_free,
                              encode(self.path))
        self._cache = {}
        count = lib.olo_result_column_count(self._result)
        self._units = {text(lib.olo_result_column_name(self._result, i)):
                       text(lib.olo_result_column_units(self._result, i)) for i in range(count)}

    # -- columns

    @property
    def names(self):
        """Names of all columns."""
        return list(self._units)

    @property
    def rows(self):
        """Number of recorded states."""
        return lib.olo_result_row_count(self._result)

    def units(self, name):
        """Units of a column."""
        if name not in self._units and f"{name}.x" in self._units:
            name = f"{name}.x"
        self[name]  # raises NotFoundError if the name is unknown
        return self._units[name]

    def _read(self, name):
        values = numpy.empty(self.rows)
        call(lib.olo_result_read_column, self._result, encode(name),
             ffi.from_buffer("double[]", values))
        return values

    def __getitem__(self, name):
        with self._lock:
            if name not in self._cache:
                parts = [f"{name}.{axis}" for axis in AXES]
                body, _, quantity = name.rpartition(".")
                if quantity in ("rotation", "quaternion") and f"{body}.d1.x" in self._units:
                    R = numpy.stack([self[f"{body}.d{i}"] for i in (1, 2, 3)], axis=-1)
                    values = R if quantity == "rotation" else quaternions(R)
                elif name not in self._units and all(part in self._units for part in parts):
                    values = numpy.column_stack([self._read(part) for part in parts])
                else:
                    values = self._read(name)
                values.flags.writeable = False
                self._cache[name] = values
            return self._cache[name]

    def __iter__(self):
        return iter(self._units)

    def __len__(self):
        return len(self._units)

    def __contains__(self, name):
        return name in self._units or f"{name}.x" in self._units

    @property
    def time(self):
        return self["time"]

    @property
    def ledger(self):
        """Energies, momenta, errors and iterations."""
        return Ledger(self, [name for name in self._units if f"{name}.min" in self._units])

    # -- the run

    @property
    def verdict(self):
        """The verdict on each quantity that the model conserves."""
        verdicts, count = ffi.new("olo_verdict[]", lib.OLO_VERDICTS_MAX), ffi.new("int *")
        with self._lock:
            call(lib.olo_result_verdicts, self._result, verdicts, count)
        return Verdicts(Verdict(text(v.quantity), text(lib.olo_verdict_level_name(v.level)),
                                text(v.text), text(v.why), v.start, v.drift, v.relative_drift,
                                v.tolerance) for v in verdicts[0:count[0]])

    def attribute(self, name, object="/"):
        """An attribute of the file (docs/result-format.md): attribute("steps", "/run")."""
        found_text, found_number = ffi.new("const char **"), ffi.new("double *")
        with self._lock:
            try:
                call(lib.olo_result_attribute_number, self._result, encode(object), encode(name),
                     found_number)
                return found_number[0]
            except Error:
                call(lib.olo_result_attribute_text, self._result, encode(object), encode(name),
                     found_text)
                return text(found_text[0])

    @property
    def status(self):
        """"OK" for a complete run."""
        return self.attribute("status")

    @property
    def error(self):
        """Why the run failed, or ""."""
        return self.attribute("error")

    @property
    def warnings(self):
        """Warnings of the run."""
        return self.attribute("warnings").splitlines()

    @property
    def ok(self):
        """Whether the run was completed, all laws were satisfied and there was no warning."""
        return self.status == "OK" and self.attribute("level", "/verdict") == "ok"

    @property
    def model(self):
        """Name of the model."""
        return self.attribute("model")

    @property
    def model_text(self):
        """The text of the model that was run."""
        found = ffi.new("const char **")
        with self._lock:
            call(lib.olo_result_model_text, self._result, found)
        return text(found[0])

    @property
    def steps(self):
        """Number of steps of the run."""
        return int(self.attribute("steps", "/run"))

    # -- output

    def save(self, path):
        """Copies the result file."""
        shutil.copyfile(self.path, path)

    def export(self, path, frames=0):
        """Writes the result in the format of the ending of `path`: .csv, .json, or .pvd for
        ParaView (at most `frames` animation frames; 0: all)."""
        path = os.fspath(path)
        writers = {".csv": lib.olo_result_write_csv, ".json": lib.olo_result_write_json}
        ending = os.path.splitext(path)[1]
        if ending == ".pvd":
            call(lib.olo_result_write_vtk, encode(self.path), encode(path),
                 filled("vtk_options", frames=frames), ffi.NULL)
        elif ending in writers:
            write_complete(path, lambda file: call(writers[ending], encode(self.path), file))
        else:
            raise InputError(f"'{path}': a result is exported to .csv, .json or .pvd")

    def report(self, path=None, plain=False):
        """Writes the report, one page with motion, ledger and verdict, and returns its path.
        Default: beside the result, or in the current folder when the result is temporary. `plain`:
        without animation."""
        if path is None:
            path_beside = self.path if self._folder is None else os.path.basename(self.path)
            path = path_beside.removesuffix(".partial").removesuffix(".h5") + ".report.html"
        call(lib.olo_report_write, encode(self.path), encode(path),
             filled("report_options", plain=plain))
        return os.fspath(path)

    def plot(self, *names):
        """Plots columns over time with matplotlib; without names, energies, drifts and constraint
        errors. Returns the figure."""
        from ._plot import plot
        return plot(self, names)

    def _repr_html_(self):
        """The report, in a notebook."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(self.report(os.path.join(folder, "page.html"))).read_text("utf-8")
        return (f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 640px; '
                'border: 0"></iframe>')

    def __str__(self):
        lines = [repr(self), str(self.verdict), *(f"warning: {one}" for one in self.warnings)]
        return "\n".join(line for line in lines if line)

    def __repr__(self):
        return f"<oloid.Result of {self.model!r}: {self.rows} rows, {self.status}>"


def write_complete(path, write):
    """Writes a temporary file beside `path` and renames it, so that `path` is complete or
    absent."""
    partial = path + ".partial"
    try:
        with builtins.open(partial, "wb") as file:
            write(file)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise


def open(path):
    """Opens a result file, complete or not (`.partial`)."""
    return Result(path)
