"""Statics: equilibria, modes and linear systems, like the commands `oloid equilibrium`, `modes` and
`linearize`."""
import os
import warnings
from collections import namedtuple

import numpy

from ._errors import ComputationError, InputError, call, create, from_status
from ._library import encode, ffi, filled, lib, text
from ._run import Target
from ._system import RunMonitor, State, System, as_tuple

CriticalPoint = namedtuple("CriticalPoint", "load limit unstable")
CriticalPoint.__doc__ = """A point of the path where stability changes; at a limit point the load
has an extremum. `unstable` is the number of unstable directions after it, None if a load has no
potential."""

# Descriptions of results, as those of the command.
PATH_TEXT = b"Equilibria under increasing loads: the time is the load factor."
RELAXED_TEXT = (b"An equilibrium under the full load, found by decreasing the potential energy: "
                b"without load the model is a mechanism, and there is no path of equilibria.")
DIRECT_TEXT = b"An equilibrium under the full load, found at once from the initial state."
UNMOVED_TEXT = (b"The initial state is an equilibrium under the full load, and nothing moves: "
                b"without load the model is a mechanism, and there is no path of equilibria.")
SUMMARY = ("load", "steps", "iterations", "cutbacks", "relaxed", "descended", "stayed", "judged", "unstable",
           "neutral", "residual", "wall_seconds", "beam_rotation")


class Equilibrium:
    """An equilibrium and the summary of the search for it.

    state          the equilibrium
    load           load factor that was reached
    steps, iterations, cutbacks
                   equilibria of the path, Newton iterations, reductions of a step
    relaxed        found by descent under the full load, not along a path of equilibria
    descended      the initial state is no equilibrium without load, and the path begins at a stable
                   one that was found by descent
    stayed         relaxed, and the initial state is the equilibrium
    judged         whether the stiffness determines stability: all loads have a potential
    unstable, neutral
                   numbers of unstable directions and of those without stiffness
    residual       largest unbalanced force, relative to the largest stiffness times the model's length
    critical       critical points of the path
    beam_rotation  largest angle between neighbouring nodes of a beam; beyond 0.5 the beam needs
                   more elements
    result         the path as a result, if `output` was given"""

    def __init__(self, state, summary, spin, result):
        self.state = state
        self.spin = spin
        self.result = result
        for name in SUMMARY:
            setattr(self, name, getattr(summary, name))
        count = min(summary.critical_count, len(summary.critical))
        points = [as_tuple(CriticalPoint, summary.critical[i]) for i in range(count)]
        self.critical = [point if point.unstable >= 0 else point._replace(unstable=None)
                         for point in points]

    @property
    def stable(self):
        """True or False; None if the stiffness does not determine stability."""
        return self.unstable == 0 and self.neutral == 0 if self.judged else None

    @property
    def reactions(self):
        """Force and moment of the outputs with a `reaction`: {name: (force, moment)}."""
        system, found = self.state.system._system, {}
        for i in range(lib.olo_system_reaction_count(system)):
            force, moment = numpy.empty(3), numpy.empty(3)
            lib.olo_system_reaction(system, self.state._state, i,
                                    ffi.from_buffer("double[3]", force),
                                    ffi.from_buffer("double[3]", moment))
            found[text(lib.olo_system_reaction_name(system, i))] = force, moment
        return found

    def __repr__(self):
        judged = {True: "stable", False: "not stable", None: "stability not judged"}[self.stable]
        origin = "" if not self.relaxed else \
            ", the initial state" if self.stayed else ", found by descent"
        return (f"<oloid.Equilibrium of {self.state.system.name!r} at load {self.load:g}, "
                f"{judged}{origin}>")


def set_spin(struct, spin, point):
    """Sets the members of an olo_rotating_frame."""
    if spin is None and point is not None:
        raise InputError("spin_point needs a spin")
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


def equilibrium(model, set=None, *, load=None, step=None, arc_length=False, branch=0, method="path",
                spin=None, spin_point=None, callback=None, output=None):
    """Finds the equilibrium of a model under its loads, like `oloid equilibrium`.

    model       a file, a name of the catalogue, a dict, an oloid.Model, a System of oloid.load, or
                a State from which the search begins
    set         parameters to change: {"F": 300}
    load, step  the load factor to reach (1), and its first step
    arc_length  continue the path through limit points, where the load decreases. Without it the
                path ends there with a ComputationError, whose `equilibrium` is the last one, with
                the limit point in `critical`
    branch      leave the path at this bifurcation, 1 for the first one; -1 for the same one in the
                opposite direction. The branch is followed through its limit points
    method      "path"; or at once under the full load, which may be zero or negative: "newton", to a
                near equilibrium, stable or not, or "descent", to a stable one
    spin        angular velocity of a frame that rotates together with the ground and all loads;
                spin_point is a point of its axis
    callback    callback(state, step) at every equilibrium of the path, with the load factor as its
                time; the search ends when it returns True
    output      a result file for the path, with the load factor as time"""
    state = model.copy() if isinstance(model, State) else system_of(model, set).initial_state()
    system = state.system
    options = filled("equilibrium_options")
    options.end = options.end if load is None else load
    options.step = options.step if step is None else step
    options.arc, options.branch = arc_length, branch
    name = ffi.new("char[]", encode(method))
    options.method = name
    set_spin(options.spin, spin, spin_point)
    others, recorder, target = [], None, None
    if output is not None:
        target = Target(output, system.name)
        run = ffi.new("olo_run *", lib.olo_model_run(system._model)[0])
        run.step_count = 0
        run.end, run.step = options.end, options.end / run.frames
        recorder = create("olo_recorder", lib.olo_recorder_create, lib.olo_recorder_free,
                          encode(target.path), system._model, system._system, run,
                          b"oloid.equilibrium")
        lib.olo_recorder_set_independent_states(
            recorder, PATH_TEXT if method == "path" else DIRECT_TEXT, True)
        others = [lib.olo_recorder_observer(recorder)]
    summary = ffi.new("olo_equilibrium_summary *")
    monitor = RunMonitor(system, state, callback, end=options.end)
    try:
        search(system, state, options, monitor, others, summary)
    except ComputationError as failure:
        failure.equilibrium = Equilibrium(state, summary, (spin, spin_point), None)
        raise
    finally:
        for message in monitor.warnings:
            warnings.warn(message, stacklevel=2)
    if recorder is not None:
        if summary.relaxed:
            lib.olo_recorder_set_independent_states(
                recorder, UNMOVED_TEXT if summary.stayed else RELAXED_TEXT, True)
        lib.olo_recorder_add_equilibrium(recorder, summary)
        done = ffi.new("olo_run_summary *", {"steps": summary.steps - 1})
        call(lib.olo_recorder_finish, recorder, done, lib.OLO_OK)
        ffi.release(recorder)
    return Equilibrium(state, summary, (spin, spin_point), target.result(True) if target else None)


def search(system, state, options, monitor, others, summary):
    """Searches the equilibrium; raises failures and the exceptions of callbacks."""
    error = ffi.new("olo_error *")
    array, references = monitor.observers(others)
    try:
        status = lib.olo_find_equilibrium(system._system, options, state._state, array, len(array),
                                          summary, error)
    except KeyboardInterrupt as interrupt:
        monitor.guard.interrupt = interrupt
        status = error.status
    del references
    monitor.raise_failure(status, error)


FoundEquilibrium = namedtuple("FoundEquilibrium",
                              "state strain potential judged unstable neutral hits residual")
FoundEquilibrium.__doc__ = """One of several equilibria at the same load: its state, the energies of
springs and beams and of gravity, whether the stiffness determines stability (`judged`), the numbers of
unstable directions and of those without stiffness, the number of guesses that led to it, and its
residual as in Equilibrium."""


class Collector(RunMonitor):
    """Observes a search from many guesses: copies the state of every distinct equilibrium."""

    def __init__(self, system, state):
        super().__init__(system, state, callback=lambda state, number: None, end=1.0)
        self.states = []

    def _call(self, _context, _system, state, _step, _report, _error):
        copy = create("olo_state", lib.olo_state_clone, lib.olo_state_free, state)
        self.states.append(State(self.system, copy))
        return lib.OLO_OK


def equilibria(model, set=None, *, load=None, starts=None, seed=None, spread=None, method=None):
    """Finds several equilibria at one load from random guesses, like `oloid equilibria`: a list of
    FoundEquilibrium, in the order in which they were found. It need not be complete.

    model   as for oloid.equilibrium
    set     parameters to change
    load    the load factor (1); zero and negative factors are possible
    starts  the number of guesses (50); the first one is the initial state
    seed    of the random numbers: the same seed gives the same list
    spread  how far guesses are pushed, in model lengths and radians (1)
    method  "newton" (default), also to unstable equilibria, or "descent", to stable ones"""
    state = model.copy() if isinstance(model, State) else system_of(model, set).initial_state()
    system = state.system
    options = filled("multistart_options")
    given = {"load": load, "starts": starts, "seed": seed, "spread": spread}
    for key, value in given.items():
        if value is not None:
            setattr(options, key, value)
    name = ffi.new("char[]", encode(method or "newton"))
    options.method = name
    found, error = ffi.new("olo_equilibria *"), ffi.new("olo_error *")
    monitor = Collector(system, state)
    array, references = monitor.observers([])
    status = lib.olo_find_equilibria(system._system, options, state._state, array, len(array), found,
                                     error)
    del references
    monitor.raise_failure(status, error)
    return [FoundEquilibrium(monitor.states[i], *(getattr(found.found[i], field)
                                                  for field in FoundEquilibrium._fields[1:]))
            for i in range(found.count)]


def about(model, set, start, load, spin, spin_point, hold=False):
    """The state about which to linearise, and the olo_vibration_options."""
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
    """Creates an object of the library; raises exceptions of the model's Python functions first."""
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
    """Small vibrations exp(lambda t): arrays `omega` and `growth`, the imaginary and real parts of
    lambda; `square` is omega**2 - growth**2, negative in an unstable direction of a system without
    damping; `neutral` is True for modes without stiffness."""

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
        """Oscillations per unit of time."""
        return self.omega / (2 * numpy.pi)

    @property
    def eigenvalues(self):
        return self.growth + 1j * self.omega

    def shape(self, index, amplitude=0.1, phase=0.0):
        """The state displaced along a mode at `phase` of its oscillation; the largest displacement
        of a node is `amplitude`, in lengths of the model or radians."""
        state = self.state.copy()
        call(lib.olo_modes_displace, self._modes, index, amplitude, phase, state._state)
        return state

    def __len__(self):
        return len(self.omega)

    def __repr__(self):
        return f"<oloid.Modes of {self.state.system.name!r}: {len(self)}>"


def modes(model, set=None, *, count=10, damped=False, start=False, load=None, spin=None,
          spin_point=None, solver=None):
    """Natural frequencies and modes, like `oloid modes`.

    model    as for oloid.equilibrium: about its equilibrium, with start=True about its initial
             state; or an Equilibrium or State
    count    maximum number of modes, beginning with the lowest, including those without stiffness
    damped   with dampers and controllers
    spin     about equilibrium in a rotating frame, as for oloid.equilibrium
    solver   "dense", "sparse" or "auto" """
    state, options = about(model, set, start, load, spin, spin_point)
    name = ffi.new("char[]", encode(solver or "auto"))
    options.count, options.damped, options.solver = count, damped, name
    found = guarded(state.system, lib.olo_modes_create, lib.olo_modes_free, "olo_modes",
                    state.system._system, state._state, options)
    return Modes(state, found)


class Linear:
    """x' = A x + B u, y = C x + D u: NumPy arrays A, B, C, D, and the names of `states`, `inputs`
    and `outputs`."""

    def __init__(self, state, linear):
        self.state = state
        self._linear = linear
        self.states, self.inputs, self.outputs = (
            [text(name(linear, i)) for i in range(count(linear))] for count, name in (
                (lib.olo_linear_state_count, lib.olo_linear_state_name),
                (lib.olo_linear_input_count, lib.olo_linear_input_name),
                (lib.olo_linear_output_count, lib.olo_linear_output_name)))
        n, m, p = len(self.states), len(self.inputs), len(self.outputs)
        for key, shape in (("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m))):
            size = shape[0] * shape[1]
            matrix = lib.olo_linear_matrix(linear, key.encode())
            numbers = ffi.buffer(matrix, 8 * size) if size else b""
            setattr(self, key, numpy.frombuffer(numbers, dtype=float).reshape(shape).copy())

    def write(self, path):
        """Writes matrices and names: .h5, .json or .csv."""
        call(lib.olo_linear_write, self._linear, encode(os.fspath(path)))

    def __iter__(self):
        """A, B, C, D = oloid.linearize(...), the arguments of control packages."""
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self):
        return (f"<oloid.Linear of {self.state.system.name!r}: {len(self.states)} states, "
                f"{len(self.inputs)} inputs, {len(self.outputs)} outputs>")


def linearize(model, set=None, *, start=False, hold=False, load=None, spin=None, spin_point=None):
    """Linearises a model about its equilibrium, x' = A x + B u, y = C x + D u, like
    `oloid linearize`.

    model   as for oloid.equilibrium; or an Equilibrium or State
    start   about the initial state of the model, which must be an equilibrium
    hold    about the initial state, or a State, with constant joint forces that hold it there
    spin    about equilibrium in a rotating frame, as for oloid.equilibrium"""
    state, options = about(model, set, start, load, spin, spin_point, hold)
    found = guarded(state.system, lib.olo_linear_create, lib.olo_linear_free, "olo_linear",
                    state.system._system, state._state, options)
    return Linear(state, found)
