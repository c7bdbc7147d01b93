"""Statics: equilibria, modes and linear systems, as the commands `oloid equilibrium`, `modes` and `linearize` find them."""
import os
import warnings
from collections import namedtuple

import numpy

from ._errors import ComputationError, InputError, call, create, from_status
from ._library import encode, ffi, filled, lib, text
from ._run import Target
from ._system import State, System, Watch, as_tuple

CriticalPoint = namedtuple("CriticalPoint", "load limit unstable")
CriticalPoint.__doc__ = ("A point of the path where stability changes; at a limit point the load turns back. `unstable` directions "
                         "after it: None where a load has no potential.")

WHAT = b"Equilibria under loads that grow: the time is the load factor."
SLID = (b"An equilibrium under the full load, found by sliding down: without load nothing holds the model, and there is no "
        b"path of equilibria.")
STAYED = (b"The initial state is an equilibrium under the full load, and nothing moves: without load nothing holds the model, and "
          b"there is no path of equilibria.")
SUMMARY = ("load", "steps", "iterations", "cutbacks", "relaxed", "stayed", "judged", "unstable", "neutral", "wall_seconds", "beam_rotation")


class Equilibrium:
    """An equilibrium: `state`, and what the search for it says: `load` reached, `steps`, `iterations`, `relaxed` (not reached
    along a path of equilibria: it slid down under the full load), `stayed` (so, and nothing moved), `judged` (the stiffness tells stability), `unstable` and `neutral` directions, `critical` points of the path,
    `beam_rotation` (largest angle between neighbouring nodes of a beam; beyond 0.5 it needs more elements), and `result`, the path as a result, if it was asked for."""

    def __init__(self, state, summary, spin, result):
        self.state = state
        self.spin = spin
        self.result = result
        for name in SUMMARY:
            setattr(self, name, getattr(summary, name))
        told = min(summary.critical_count, len(summary.critical))
        points = [as_tuple(CriticalPoint, summary.critical[i]) for i in range(told)]
        self.critical = [point if point.unstable >= 0 else point._replace(unstable=None) for point in points]

    @property
    def stable(self):
        """True or False; None where the stiffness does not tell."""
        return self.unstable == 0 and self.neutral == 0 if self.judged else None

    @property
    def reactions(self):
        """Force and moment of the outputs with a `reaction`, by name."""
        system, found = self.state.system._system, {}
        for i in range(lib.olo_system_reaction_count(system)):
            force, moment = numpy.empty(3), numpy.empty(3)
            lib.olo_system_reaction(system, self.state._state, i, ffi.from_buffer("double[3]", force),
                                    ffi.from_buffer("double[3]", moment))
            found[text(lib.olo_system_reaction_name(system, i))] = force, moment
        return found

    def __repr__(self):
        judged = {True: "stable", False: "not stable", None: "stability not judged"}[self.stable]
        slid = "" if not self.relaxed else ", where it starts" if self.stayed else ", slid down"
        return f"<oloid.Equilibrium of {self.state.system.name!r} at load {self.load:g}, {judged}{slid}>"


def set_spin(struct, spin, point):
    """A frame that turns, into a C struct."""
    if spin is None and point is not None:
        raise InputError("spin_point is the axis of a spin, and there is none")
    for field, values in (("rate", spin), ("point", point)):
        if values is None:
            continue
        values = [float(x) for x in values]
        if len(values) != 3:
            raise InputError(f"a spin and its point have three numbers, not {len(values)}")
        setattr(struct, field, values)


def system_of(model, set):
    if isinstance(model, System):
        if set:
            raise InputError("a system is compiled: give `set` to oloid.load")
        return model
    return System(model, set)


def equilibrium(model, set=None, *, load=None, step=None, arc_length=False, spin=None, spin_point=None, callback=None,
                output=None):
    """Finds where a model comes to rest under its loads, as `oloid equilibrium` does.

    model       a file, a name of the catalogue, a dict, an oloid.Model, a System of oloid.load, or a State to start from
    set         parameters to change: {"F": 300}
    load, step  the load factor to reach (1), and its first step
    arc_length  follow the path through limit points, where the load falls; without it the path ends there with a
                ComputationError, whose `equilibrium` is the last one, with the limit point in `critical`
    spin        angular velocity of a frame that turns, with the ground and all loads; spin_point a point of its axis
    callback    callback(state, step) at every equilibrium of the path, the load factor as its time; when it returns True the
                search ends there
    output      a result file for the path, with the load factor in the place of time"""
    state = model.copy() if isinstance(model, State) else system_of(model, set).initial_state()
    system = state.system
    options = filled("equilibrium_options")
    options.end = options.end if load is None else load
    options.step = options.step if step is None else step
    options.arc = arc_length
    set_spin(options.spin, spin, spin_point)
    others, recorder, target = [], None, None
    if output is not None:
        target = Target(output, system.name)
        run = ffi.new("olo_run *", lib.olo_model_run(system._model)[0])
        run.end, run.step = options.end, options.end / run.frames
        recorder = create("olo_recorder", lib.olo_recorder_create, lib.olo_recorder_free, encode(target.path),
                          system._model, system._system, run, b"oloid.equilibrium")
        lib.olo_recorder_set_independent_states(recorder, WHAT, True)
        others = [lib.olo_recorder_observer(recorder)]
    summary = ffi.new("olo_equilibrium_summary *")
    watch = Watch(system, state, callback, end=options.end)
    try:
        search(system, state, options, watch, others, summary)
    except ComputationError as failure:
        failure.equilibrium = Equilibrium(state, summary, (spin, spin_point), None)
        raise
    finally:
        for message in watch.warnings:
            warnings.warn(message, stacklevel=2)
    if recorder is not None:
        if summary.relaxed:
            lib.olo_recorder_set_independent_states(recorder, STAYED if summary.stayed else SLID, True)
        done = ffi.new("olo_run_summary *", {"steps": summary.steps - 1})
        call(lib.olo_recorder_finish, recorder, done, lib.OLO_OK)
        ffi.release(recorder)
    return Equilibrium(state, summary, (spin, spin_point), target.result(True) if target else None)


def search(system, state, options, watch, others, summary):
    """The search itself; raises what happened in Python, and failures."""
    error = ffi.new("olo_error *")
    array, keep = watch.observers(others)
    try:
        status = lib.olo_find_equilibrium(system._system, options, state._state, array, len(array), summary, error)
    except KeyboardInterrupt as interrupt:
        watch.guard.interrupt = interrupt
        status = error.status
    del keep
    watch.raise_what_happened(status, error)


def about(model, set, start, load, spin, spin_point, hold=False):
    """The state that is meant, and the options olo_vibration_options about it."""
    options = filled("vibration_options")
    if isinstance(model, Equilibrium):
        state, options.load = model.state, model.load
        spin, spin_point = model.spin
    elif isinstance(model, State):
        state = model
    elif start or hold:
        state = system_of(model, set).initial_state()
    else:
        state = equilibrium(model, set, load=load, spin=spin, spin_point=spin_point).state
    options.load = options.load if load is None else load
    options.hold = hold
    set_spin(options.spin, spin, spin_point)
    return state, options


def guarded(system, function, free, kind, *arguments):
    """Creates something; exceptions of the model's Python functions come first."""
    made, error = ffi.new(f"{kind} **"), ffi.new("olo_error *")
    status = function(*arguments, made, error)
    exception = system._guard.take() if system.has_functions else None
    if exception is not None:
        if status == lib.OLO_OK:
            free(made[0])
        raise exception
    if status != lib.OLO_OK:
        raise from_status(status, error)
    return ffi.gc(made[0], free)


class Modes:
    """Small vibrations exp(lambda t): arrays `omega` and `growth`, the imaginary and real parts of lambda; `square` is
    omega**2 - growth**2, negative in an unstable direction of a system without damping; `neutral` tells modes without stiffness."""

    def __init__(self, state, modes):
        self.state = state
        self._modes = modes
        every = range(lib.olo_modes_count(modes))
        self.omega = numpy.array([lib.olo_modes_omega(modes, i) for i in every])
        self.growth = numpy.array([lib.olo_modes_growth(modes, i) for i in every])
        self.square = numpy.array([lib.olo_modes_omega_squared(modes, i) for i in every])
        self.neutral = self.omega**2 + self.growth**2 <= lib.olo_modes_rounding(modes)

    @property
    def frequency(self):
        """Oscillations in a unit of time."""
        return self.omega / (2 * numpy.pi)

    @property
    def eigenvalues(self):
        return self.growth + 1j * self.omega

    def shape(self, index, amplitude=0.1, phase=0.0):
        """The state displaced along a mode; the part that moves most by `amplitude` lengths of the model or radians."""
        state = self.state.copy()
        call(lib.olo_modes_displace, self._modes, index, amplitude, phase, state._state)
        return state

    def __len__(self):
        return len(self.omega)

    def __repr__(self):
        return f"<oloid.Modes of {self.state.system.name!r}: {len(self)}>"


def modes(model, set=None, *, count=10, damped=False, start=False, load=None, spin=None, spin_point=None, solver=None):
    """Natural frequencies and modes, as `oloid modes` finds them.

    model    as for oloid.equilibrium: about its equilibrium, with start=True about its start; or an Equilibrium or State
    count    at most so many, the lowest, among them those that nothing holds
    damped   with dampers and controllers
    spin     about rest in a frame that turns
    solver   "dense", "sparse" or "auto" """
    state, options = about(model, set, start, load, spin, spin_point)
    name = ffi.new("char[]", encode(solver or "auto"))
    options.count, options.damped, options.solver = count, damped, name
    found = guarded(state.system, lib.olo_modes_create, lib.olo_modes_free, "olo_modes", state.system._system,
                    state._state, options)
    return Modes(state, found)


class Linear:
    """x' = A x + B u, y = C x + D u: NumPy arrays, and the names of `states`, `inputs` and `outputs`."""

    def __init__(self, state, linear):
        self.state = state
        self._linear = linear
        self.states, self.inputs, self.outputs = (
            [text(name(linear, i)) for i in range(count(linear))] for count, name in (
                (lib.olo_linear_state_count, lib.olo_linear_state_name), (lib.olo_linear_input_count, lib.olo_linear_input_name),
                (lib.olo_linear_output_count, lib.olo_linear_output_name)))
        n, m, p = len(self.states), len(self.inputs), len(self.outputs)
        for key, shape in (("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m))):
            size = shape[0] * shape[1]
            numbers = ffi.buffer(lib.olo_linear_matrix(linear, key.encode()), 8 * size) if size else b""
            setattr(self, key, numpy.frombuffer(numbers, dtype=float).reshape(shape).copy())

    def write(self, path):
        """Writes matrices and names: .h5, .json or .csv."""
        call(lib.olo_linear_write, self._linear, encode(os.fspath(path)))

    def __iter__(self):
        """A, B, C, D = oloid.linearize(...), as control packages take them."""
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self):
        return (f"<oloid.Linear of {self.state.system.name!r}: {len(self.states)} states, {len(self.inputs)} inputs, "
                f"{len(self.outputs)} outputs>")


def linearize(model, set=None, *, start=False, hold=False, load=None, spin=None, spin_point=None):
    """The model about its equilibrium as x' = A x + B u, y = C x + D u, as `oloid linearize` finds it.

    model   as for oloid.equilibrium; or an Equilibrium or State
    start   about the start of the model, which has to be an equilibrium
    hold    about the start, or a State, as if constant forces along the joints held it
    spin    about rest in a frame that turns"""
    state, options = about(model, set, start, load, spin, spin_point, hold)
    found = guarded(state.system, lib.olo_linear_create, lib.olo_linear_free, "olo_linear", state.system._system,
                    state._state, options)
    return Linear(state, found)
