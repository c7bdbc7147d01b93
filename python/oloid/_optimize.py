"""Optimal control: the controls that solve the problem of a model at least cost, like the command
`oloid optimize`."""
import difflib
import os
from collections import namedtuple

import numpy

from ._errors import ComputationError, InputError, Interrupted, call, create, from_status
from ._feedback import make_feedback, make_sensitivity
from ._guard import Guard
from ._library import encode, ffi, filled, lib, text
from ._rotation import matrix
from ._run import Target
from ._statics import system_of
from ._system import System, as_tuple

PREFIX = "olo_problem_"
PROGRESS = "bool(void *, const olo_optimize_progress *)"
Progress = namedtuple("Progress", [name for name, _ in ffi.typeof("olo_optimize_progress").fields])
Progress.__doc__ = """An iteration of the solver: its number, the cost, the largest violation of a
constraint, the residual of the conditions of optimality, and whether the solver is restoring
feasibility."""
Saddle = namedtuple("Saddle", [name for name, _ in ffi.typeof("olo_saddle").fields])
Saddle.__doc__ = """A saddle point at which the solver ended: its cost, the number of negative
eigenvalues of the reduced Hessian, the lowest one, and whether the solver found a lower cost from
beside it."""
Certificate = namedtuple("Certificate", [name for name, _ in ffi.typeof("olo_certificate").fields])
Certificate.__doc__ = """What is checked of an optimum after the solution, without the solver; the
members are those of olo_certificate in oloid/optimize.h; second_order is "minimum", "saddle",
"degenerate" or "unknown"."""
Level = namedtuple("Level", [name for name, _ in ffi.typeof("olo_refinement_level").fields])
Level.__doc__ = """A level of a refinement: intervals, iterations, cost, seconds, and how far a motion
with small steps is, largest distance and angle."""
Resimulation = namedtuple("Resimulation",
                          [name for name, _ in ffi.typeof("olo_resimulation").fields])
Resimulation.__doc__ = """How far the motion with small steps and the same controls is from that of
an optimum: largest distance and angle of a body at any node, and at the end; `substeps` per
interval."""


def check_key(key, known, where):
    if key not in known:
        near = difflib.get_close_matches(key, known, 1)
        hint = f", did you mean '{near[0]}'?" if near else f"; known are {', '.join(known)}"
        raise InputError(f"{where}: unknown key '{key}'{hint}")


class Problem:
    """An olo_problem and everything that it refers to: that of the model with some keys changed.
    The keys are the members of the structs of oloid/optimize.h, which are those of model files."""

    def __init__(self, system, changes):
        own = lib.olo_model_problem(system._model)
        given = own[0] if own != ffi.NULL else lib.olo_problem_default()
        self.struct = ffi.new("olo_problem *", given)
        self.struct.variants = lib.olo_model_variants(system._model)
        self._references = []
        self.changed = bool(changes)
        fields = dict(ffi.typeof("olo_problem").fields)
        known = [name for name in fields
                 if name not in ("initialised", "start", "initial", "variants") and not name.startswith("motion")
                 and not name.endswith("_count")]
        for key, value in changes.items():
            check_key(key, known, "optimize")
            kind = fields[key].type
            if kind.kind == "pointer" and kind.item.kind == "struct":
                self._set_list(key, kind.item.cname.rpartition(PREFIX)[2], value)
            elif kind.kind == "pointer" and kind.item.cname == "double":
                self._set_numbers(key, value)
            else:
                self._set(self.struct, key, kind, value, f"optimize.{key}")
        self._read_guess(system, changes.get("guess_file"))
        if self.struct.parameter_count and system._values.count:
            raise InputError("parameters: load the model with the other values of parameters "
                             "instead of with_parameters")

    def _read_guess(self, system, path):
        """The result that is the initial guess: `path`, otherwise that of the model."""
        arguments = (system._system, self.struct)
        if path is not None:
            guess = create("olo_guess", lib.olo_result_read_guess, lib.olo_guess_free,
                           encode(os.fspath(path)), *arguments)
        elif self.struct.guess_file != ffi.NULL:
            guess = create("olo_guess", lib.olo_model_read_guess, lib.olo_guess_free,
                           system._model, *arguments)
        else:
            return
        self._references.append(guess)

    def _set_list(self, key, noun, entries):
        """A list of structs, olo_problem_<noun>; one of them may be given as a dict."""
        entries = [entries] if isinstance(entries, dict) else list(entries)
        fields = dict(ffi.typeof(PREFIX + noun).fields)
        known = [name for name in fields if name != "initialised"]
        array = ffi.new(f"{PREFIX}{noun}[]", max(len(entries), 1))
        for i, entry in enumerate(entries):
            where = f"optimize.{key}[{i}]"
            if not isinstance(entry, dict):
                raise InputError(f"{where}: a {noun} is a dict of keys and values")
            one = filled(f"problem_{noun}")
            for name, value in entry.items():
                check_key(name, known, where)
                self._set(one, name, fields[name].type, value, f"{where}.{name}")
            array[i] = one[0]
        self._references.append(array)
        setattr(self.struct, key, array)
        setattr(self.struct, f"{noun}_count", len(entries))

    def _set_numbers(self, key, value):
        """A list of numbers with their count."""
        try:
            numbers = [float(x) for x in value]
        except (TypeError, ValueError) as problem:
            raise InputError(f"optimize.{key}: {problem}") from None
        array = ffi.new("double[]", numbers)
        self._references.append(array)
        setattr(self.struct, key, array)
        setattr(self.struct, f"{key}_count", len(numbers))

    def _set(self, struct, key, kind, value, where):
        if value is None:
            return
        try:
            if key == "rotation":
                value = matrix(value)
            if kind.kind == "pointer":
                value = ffi.new("char[]", encode(value))
                self._references.append(value)
            elif kind.kind == "array":
                value = [float(x) for x in numpy.ravel(value)]
                if len(value) != kind.length:
                    raise InputError(f"{kind.length} numbers are needed")
            setattr(struct, key, value)
        except (TypeError, ValueError, OverflowError) as problem:
            raise InputError(f"{where}: {problem}") from None


class Optimum:
    """The point at which a solution ended.

    solved          whether it is an optimum, to the tolerance or as far as rounding permits
    explanation     how the solution ended, a sentence
    cost, duration  of the motion
    intervals       of time, each with constant controls
    iterations, seconds, cpu_seconds, own_seconds
                    of the solver; seconds of the clock, of the processor, and those of the
                    processor in the functions of the library
    time            of the nodes, the ends of the intervals
    q               configurations, an array (nodes, coordinates)
    multipliers     of the constraints, an array (nodes, constraints)
    controls        values over the intervals of each driven load and joint: {name: array}
    bounds          of the controls: {name: (lower, upper)}
    parameters      of the model that were variables: {name: value}
    costs           parts of the cost: {name: value}
    progress        iterations of the solver, a list of Progress
    saddles         saddle points at which the solver ended, a list of Saddle
    system          the System; with the parameters that were found
    result          the motion as a Result, if `output` was given"""

    def __init__(self, system, optimum):
        self.system = system
        self._optimum = optimum
        self.explanation = text(lib.olo_optimum_explanation(optimum))
        self.solved = lib.olo_optimum_ended(optimum) in (lib.OLO_OPTIMUM_SOLVED,
                                                         lib.OLO_OPTIMUM_NEARLY)
        for name in ("cost", "duration", "intervals", "iterations", "seconds", "cpu_seconds",
                     "own_seconds"):
            setattr(self, name, getattr(lib, f"olo_optimum_{name}")(optimum))
        self.time = numpy.array([lib.olo_optimum_time(optimum, k)
                                 for k in range(self.intervals + 1)])
        self.q = self._rows(lib.olo_optimum_configuration, system.coordinates)
        self.multipliers = self._rows(lib.olo_optimum_multipliers,
                                      system.counts["constraints"])
        self.controls = {
            text(lib.olo_optimum_input_name(optimum, i)):
                numpy.array([lib.olo_optimum_input(optimum, i, k) for k in range(self.intervals)])
            for i in range(lib.olo_optimum_input_count(optimum))}
        lower, upper = ffi.new("double *"), ffi.new("double *")
        self.bounds = {}
        for i, name in enumerate(self.controls):
            lib.olo_optimum_input_bounds(optimum, i, lower, upper)
            self.bounds[name] = lower[0], upper[0]
        self.parameters = {text(lib.olo_optimum_parameter_name(optimum, i)):
                           lib.olo_optimum_parameter(optimum, i)
                           for i in range(lib.olo_optimum_parameter_count(optimum))}
        self.costs = {text(lib.olo_optimum_cost_part_name(optimum, i)):
                      lib.olo_optimum_cost_part(optimum, i)
                      for i in range(lib.olo_optimum_cost_part_count(optimum))}
        self.progress = [as_tuple(Progress, lib.olo_optimum_progress(optimum, i))
                         for i in range(lib.olo_optimum_progress_count(optimum))]
        self.saddles = [as_tuple(Saddle, lib.olo_optimum_saddle(optimum, i))
                        for i in range(lib.olo_optimum_saddle_count(optimum))]
        self.result = None

    def _rows(self, function, width):
        """The numbers of all nodes."""
        rows = numpy.zeros((self.intervals + 1, width))
        for k in range(self.intervals + 1 if width else 0):
            rows[k] = numpy.frombuffer(ffi.buffer(function(self._optimum, k), 8 * width))
        return rows

    @property
    def certificate(self):
        """What is checked after the solution, without the solver."""
        found = ffi.new("olo_certificate *")
        call(lib.olo_optimum_certify, self._optimum, found)
        kind = text(lib.olo_second_order_name(found.second_order))
        return as_tuple(Certificate, found)._replace(second_order=kind)

    def state(self, node):
        """The state at a node, with the velocities of its momentum; node -1 is the end."""
        state = self.system.initial_state()
        node = node + self.intervals + 1 if node < 0 else node
        call(lib.olo_optimum_get_state, self._optimum, node, state._state)
        return state

    def resimulate(self, substeps=32):
        """Simulates the motion with the found controls and small steps: how far it is from that of
        the optimum, whose error is of order 2 in the length of the intervals."""
        found = ffi.new("olo_resimulation *")
        call(lib.olo_optimum_resimulate, self._optimum, substeps, found)
        return as_tuple(Resimulation, found)

    def _record(self, output):
        """Writes the motion as a result file."""
        target = Target(output, self.system.name)
        run = ffi.new("olo_run *", lib.olo_model_run(self.system._model)[0])
        run.step_count = 0
        run.end, run.step = self.duration, self.duration / run.frames
        recorder = create("olo_recorder", lib.olo_recorder_create, lib.olo_recorder_free,
                          encode(target.path), self.system._model, self.system._system, run,
                          b"oloid.optimize")
        checked, simulated = ffi.new("olo_certificate *"), ffi.new("olo_resimulation *")
        call(lib.olo_optimum_certify, self._optimum, checked)
        status = lib.olo_optimum_resimulate(self._optimum, 32, simulated, ffi.new("olo_error *"))
        call(lib.olo_recorder_add_optimum, recorder, self._optimum, checked,
             simulated if status == lib.OLO_OK else ffi.NULL)
        done = ffi.new("olo_run_summary *", {"steps": self.intervals})
        call(lib.olo_recorder_finish, recorder, done, lib.OLO_OK)
        ffi.release(recorder)
        self.result = target.result(True)

    @property
    def levels(self):
        """The levels of its refinement, a list of Level."""
        return [as_tuple(Level, lib.olo_optimum_level(self._optimum, i))
                for i in range(lib.olo_optimum_level_count(self._optimum))]

    def feedback(self, **weights):
        """Gains that lead a disturbed motion back to this one, a Feedback. Weights of squares, all
        1 by default: position, velocity, end_position, end_velocity, control."""
        return make_feedback(self, weights)

    def sensitivity(self, parameter):
        """Derivatives with respect to a parameter of the model, a Sensitivity."""
        return make_sensitivity(self, parameter)

    def write_controls(self, path):
        """Writes the controls as CSV."""
        call(lib.olo_optimum_write_csv, self._optimum, encode(os.fspath(path)))

    def write_model(self, path):
        """Writes the model with the controls as tables over time: oloid.run goes through the same
        configurations."""
        call(lib.olo_optimum_write_model, self._optimum, self.system._model,
             encode(os.fspath(path)))

    def __repr__(self):
        return f"<oloid.Optimum of {self.system.name!r}: {self.explanation}, cost {self.cost:.9g}>"


class Monitor:
    """Observes a solution: the callback, and Ctrl-C."""

    def __init__(self, system, callback):
        self.callback = callback
        self.guard = system._guard if system.has_functions else Guard()
        self._iteration = self.guard.guarded(PROGRESS, self._observe, False)
        self.struct = ffi.new("olo_optimize_observer *", {"iteration": self._iteration})

    def _observe(self, _context, progress):
        """After every iteration; Python handles Ctrl-C here, too."""
        ends = self.callback is not None and self.callback(as_tuple(Progress, progress))
        return not ends and self.guard.exception is None and self.guard.interrupt is None


def found_system(model, set, parameters):
    """The model with the parameters of an optimum."""
    if isinstance(model, System):
        return model.with_parameters(parameters)
    return system_of(model, {**(set or {}), **parameters})


def homotopy(model, parameter, values, set=None, **problem):
    """Solves with several values of a parameter in turn, each from the optimum and the multipliers
    of the one before; returns all optima. Other arguments are those of optimize."""
    found = []
    for value in values:
        given = {**(set or {}), parameter: value}
        found.append(optimize(model, given, **problem,
                              **({"start": found[-1], "warm": True} if found else {})))
    return found


def optimize(model, set=None, *, start=None, initial=None, callback=None, output=None, **problem):
    """Finds the controls that solve the problem of a model at least cost, like `oloid optimize`.

    model     a file, a name of the catalogue, a dict, an oloid.Model, or a System of oloid.load
    set       parameters to change: {"m": 2}
    start     another Optimum of the same model, with any number of intervals: the initial guess
    initial   a State at which the motion begins, instead of that of the model. With warm=True and
              shift=h the motion and multipliers of `start`, from its time h on, are the guess
    callback  callback(progress) after every iteration of the solver; the solution ends when it
              returns True
    output    a result file for the motion, with controls, multipliers and iterations
    problem   keys of the section `optimize`, instead of those of the model: intervals=100,
              controls=[{"name": "hinge", "lower": -1, "upper": 1}], ...

    Returns an Optimum. If none is found, a ComputationError says why, and which constraint is
    violated most; its `optimum` is the last point. Ctrl-C raises oloid.Interrupted with the best
    point as `optimum`."""
    system = system_of(model, set)
    given, monitor = Problem(system, problem), Monitor(system, callback)
    if start is not None:
        given.struct.start = start._optimum
    if initial is not None:
        given.struct.initial = initial._state
    made, error = ffi.new("olo_optimum **"), ffi.new("olo_error *")
    try:
        status = lib.olo_optimize(system._system, given.struct, monitor.struct, made, error)
    except KeyboardInterrupt as interrupt:  # after the return from C
        monitor.guard.interrupt = interrupt
        status = lib.OLO_OK if made[0] != ffi.NULL else error.status
    exception = monitor.guard.take()
    optimum = None
    if made[0] != ffi.NULL:
        optimum = Optimum(system, ffi.gc(made[0], lib.olo_optimum_free))
        optimum._given = given, system  # names and numbers that the optimum refers to
        if optimum.parameters:
            optimum.system = found_system(model, set, optimum.parameters)
        if output is not None:
            optimum._record(output)
    if isinstance(exception, KeyboardInterrupt):
        interrupted = Interrupted("the solution was interrupted")
        interrupted.optimum = optimum
        raise interrupted from None
    if exception is not None:
        raise exception
    if status != lib.OLO_OK:
        raise from_status(status, error)
    ended = lib.olo_optimum_ended(optimum._optimum)
    if not optimum.solved and ended != lib.OLO_OPTIMUM_STOPPED:
        failure = ComputationError(f"{system.name}: {optimum.explanation}", "NOT_CONVERGED")
        failure.optimum = optimum
        raise failure
    return optimum
