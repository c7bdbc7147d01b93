"""Runs of models with a result, the same to the last bit as those of the command `oloid run`."""
import os
import pathlib
import tempfile
import warnings

from ._errors import DriftWarning, InputError, call, create
from ._library import encode, ffi, lib
from ._result import Result
from ._system import RunMonitor, System, settings_of


def describe(model, set, options):
    """The call as a text, which is stored in the result."""
    named = isinstance(model, (str, os.PathLike))
    words = [repr(model) if named else f"<{type(model).__name__}>"]
    words += [f"set={set!r}"] if set else []
    words += [f"{name}={value!r}" for name, value in options.items() if value is not None]
    return f"oloid.run({', '.join(words)})"


class Target:
    """The file of a result: the one that the user names, or a temporary one that is removed with
    the result."""

    def __init__(self, output, name):
        self.folder = None
        if output is None:
            self.folder = tempfile.TemporaryDirectory(prefix="oloid-")
            output = pathlib.Path(self.folder.name) / (name.replace("/", "-") + ".h5")
        self.path = os.fspath(output)

    def result(self, complete):
        """The result, complete or not; None when there is no file."""
        path = self.path if complete else self.path + ".partial"
        return Result(path, self.folder) if os.path.exists(path) else None


def finish(monitor, target, recorder, outcome):
    """Finishes the result file and returns the result; raises the failure of the run."""
    summary, status, error = outcome
    if monitor.stopped and status == lib.OLO_INTERRUPTED and not monitor.guard.exception:
        error.text = b"stopped by the callback"
    call_error = ffi.new("olo_error *", error[0])
    finished = lib.olo_recorder_finish(recorder, summary, status, call_error)
    if finished != lib.OLO_OK and status in (lib.OLO_OK, lib.OLO_INTERRUPTED):
        status, error = finished, call_error
    ffi.release(recorder)
    result = target.result(status == lib.OLO_OK)
    for message in monitor.warnings:
        warnings.warn(message, stacklevel=4)
    monitor.raise_failure(status, error, result)
    for verdict in result.verdict:
        if not verdict.ok:
            warnings.warn(f"{result.model}: {verdict.level}: {verdict.quantity}: {verdict.text}",
                          DriftWarning, stacklevel=4)
    return result


def run(model, set=None, *, output=None, callback=None, progress=None, checkpoint=None, **options):
    """Runs a model and returns its result, the same to the last bit as `oloid run`.

    model       a file, a name of the catalogue, a dict, an oloid.Model, or a System of oloid.load
    set         parameters and options to change: {"l": 0.2, "run.frames": 500}
    output      the result file; default: a temporary one, which is removed with the result
    callback    callback(state, step) at the initial state and after every step; the run stops when
                it returns True
    progress    progress(fraction), ten times per second; the run stops when it returns True
    checkpoint  seconds between two checkpoints
    options     of the run: step=1e-3, end=2, constraints="multipliers", frames=500, ...

    Ctrl-C raises oloid.Interrupted, a failure oloid.Error; both have the result so far as `result`.
    """
    if isinstance(model, System):
        if set or any(value is not None for value in options.values()):
            raise InputError("a system is compiled: give `set` and options of the run to "
                             "oloid.load")
        system = model
    else:
        system = System(model, set, **options)
    state = system.initial_state()
    struct = lib.olo_model_run(system._model)
    target = Target(output, system.name)
    recorder = create("olo_recorder", lib.olo_recorder_create, lib.olo_recorder_free,
                      encode(target.path), system._model, system._system, struct,
                      encode(describe(model, set, options)))
    if checkpoint is not None:
        lib.olo_recorder_set_checkpoint(recorder, checkpoint)
    monitor = RunMonitor(system, state, callback, progress, struct.end)
    outcome = monitor.simulate(struct, [lib.olo_recorder_observer(recorder)])
    return finish(monitor, target, recorder, outcome)


def resume(path, *, callback=None, progress=None, checkpoint=None):
    """Continues an interrupted run from its journal, `heavy-top.h5.partial`. The result has the
    same bits as that of a run without interruption."""
    path = os.fspath(path)
    path = path[:-len(".partial")] if path.endswith(".partial") else path
    none = settings_of(None, {})
    model = create("olo_model", lib.olo_recorder_read_model, lib.olo_model_free, encode(path),
                   none.array, 0)
    system = System._of_model(model)
    state = system.initial_state()
    struct = lib.olo_model_run(model)
    made, summary = ffi.new("olo_recorder **"), ffi.new("olo_run_summary *")
    call(lib.olo_recorder_resume, encode(path), model, system._system, struct, made, state._state,
         summary)
    recorder = ffi.gc(made[0], lib.olo_recorder_free)
    if checkpoint is not None:
        lib.olo_recorder_set_checkpoint(recorder, checkpoint)
    monitor = RunMonitor(system, state, callback, progress, struct.end)
    outcome = monitor.simulate(struct, [lib.olo_recorder_observer(recorder)], summary)
    return finish(monitor, Target(path, ""), recorder, outcome)
