"""Runs of models with a result, as the command `oloid run` makes them: to the last bit the same."""
import os
import pathlib
import tempfile
import warnings

from ._errors import DriftWarning, InputError, call, create
from ._library import encode, ffi, lib
from ._result import Result
from ._system import System, Watch, settings_of


def describe(model, set, options):
    """The call as the result remembers it."""
    words = [repr(model) if isinstance(model, (str, os.PathLike)) else f"<{type(model).__name__}>"]
    words += [f"set={set!r}"] if set else []
    words += [f"{name}={value!r}" for name, value in options.items() if value is not None]
    return f"oloid.run({', '.join(words)})"


class Target:
    """Where a result goes: a file of the user's, or a temporary one that lives as long as the result."""

    def __init__(self, output, name):
        self.folder = None
        if output is None:
            self.folder = tempfile.TemporaryDirectory(prefix="oloid-")
            output = pathlib.Path(self.folder.name) / (name.replace("/", "-") + ".h5")
        self.path = os.fspath(output)

    def result(self, complete):
        """The result, complete or what there is of it; None when there is none."""
        path = self.path if complete else self.path + ".partial"
        return Result(path, self.folder) if os.path.exists(path) else None


def finish(watch, target, recorder, outcome):
    """Writes the end of the result and gives it; raises what happened."""
    summary, status, error = outcome
    if watch.stopped and status == lib.OLO_INTERRUPTED and not watch.guard.exception:
        error.text = b"stopped by the callback"
    call_error = ffi.new("olo_error *", error[0])
    finished = lib.olo_recorder_finish(recorder, summary, status, call_error)
    if finished != lib.OLO_OK and status in (lib.OLO_OK, lib.OLO_INTERRUPTED):
        status, error = finished, call_error
    ffi.release(recorder)
    result = target.result(status == lib.OLO_OK)
    for message in watch.warnings:
        warnings.warn(message, stacklevel=4)
    watch.raise_what_happened(status, error, result)
    for verdict in result.verdict:
        if not verdict.ok:
            warnings.warn(f"{result.model}: {verdict.level}: {verdict.quantity}: {verdict.text}", DriftWarning,
                          stacklevel=4)
    return result


def run(model, set=None, *, output=None, callback=None, progress=None, checkpoint=None, **options):
    """Runs a model and gives its result, the same to the last bit as `oloid run`.

    model     a file, a name of the catalogue, a dict, an oloid.Model, or a System of oloid.load
    set       parameters and options to change: {"l": 0.2, "run.frames": 500}
    output    the result file; default: a temporary one, which is removed with the result
    callback  callback(state, step) after the start and every step; the run stops when it returns True
    progress  progress(fraction), ten times a second; the run stops when it returns True
    checkpoint  seconds between two checkpoints
    options   of the run: step=1e-3, end=2, constraints="multipliers", frames=500, ...

    Ctrl-C raises oloid.Interrupted, a failure oloid.Error; both have what there is in their `result`."""
    if isinstance(model, System):
        if set or any(value is not None for value in options.values()):
            raise InputError("a system is compiled: give `set` and options of the run to oloid.load")
        system = model
    else:
        system = System(model, set, **options)
    state = system.initial_state()
    struct = lib.olo_model_run(system._model)
    target = Target(output, system.name)
    recorder = create("olo_recorder", lib.olo_recorder_create, lib.olo_recorder_free, encode(target.path),
                      system._model, system._system, struct, encode(describe(model, set, options)))
    if checkpoint is not None:
        lib.olo_recorder_set_checkpoint(recorder, checkpoint)
    watch = Watch(system, state, callback, progress, struct.end)
    outcome = watch.simulate(struct, [lib.olo_recorder_observer(recorder)])
    return finish(watch, target, recorder, outcome)


def resume(path, *, callback=None, progress=None, checkpoint=None):
    """Goes on with a run that was broken off, `heavy-top.h5.partial`, to the same bits as if it had not been."""
    path = os.fspath(path)
    path = path[:-len(".partial")] if path.endswith(".partial") else path
    none = settings_of(None, {})
    model = create("olo_model", lib.olo_recorder_read_model, lib.olo_model_free, encode(path), none.array, 0)
    system = System._of_model(model)
    state = system.initial_state()
    struct = lib.olo_model_run(model)
    made, summary = ffi.new("olo_recorder **"), ffi.new("olo_run_summary *")
    call(lib.olo_recorder_resume, encode(path), model, system._system, struct, made, state._state, summary)
    recorder = ffi.gc(made[0], lib.olo_recorder_free)
    if checkpoint is not None:
        lib.olo_recorder_set_checkpoint(recorder, checkpoint)
    watch = Watch(system, state, callback, progress, struct.end)
    outcome = watch.simulate(struct, [lib.olo_recorder_observer(recorder)], summary)
    return finish(watch, Target(path, ""), recorder, outcome)
