"""Systems, states and steppers: a compiled model, and stepping it by hand."""
import os
from collections import namedtuple

import numpy

from ._errors import InputError, Interrupted, aside, call, create, from_status
from ._guard import SETTERS, Guard, vector
from ._library import encode, ffi, filled, lib, text
from ._model import Model, number_text

Node = namedtuple("Node", "name kind offset")
Invariant = namedtuple("Invariant", "name why")
Projection = namedtuple("Projection", "position velocity constraint_error worst")
Summary = namedtuple("Summary", "steps iterations halvings cpu_seconds wall_seconds largest_rotation start "
                     "rejections smallest_step largest_step")
StepReport = namedtuple("StepReport", "size rejections iterations halvings passes residual rotation")

# The signature of olo_observer.step.
STEP = "olo_status(void *, const olo_system *, const olo_state *, long, const olo_step_report *, olo_error *)"
# Seconds between two looks whether Ctrl-C was pressed.
LOOK_SECONDS = 0.1


def as_tuple(kind, struct):
    """A C struct as a named tuple: numbers, texts, small arrays."""
    values = []
    for name in kind._fields:
        value = getattr(struct, name)
        if isinstance(value, ffi.CData):
            value = text(value) if ffi.typeof(value).item.cname == "char" else numpy.array(list(value))
        values.append(value)
    return kind(*values)


Ledger = namedtuple("Ledger", [name for name, _ in ffi.typeof("olo_ledger").fields])
Ledger.__doc__ = "Energies, momenta and errors of a state; total - work + dissipation = balance is constant."


class Settings:
    """Overrides {name: value} as an array of olo_setting."""

    def __init__(self, settings):
        self._texts = [(ffi.new("char[]", encode(name)), ffi.new("char[]", encode(value)))
                       for name, value in settings.items()]
        self.array = ffi.new("olo_setting[]", [{"name": name, "value": value} for name, value in self._texts])
        self.count = len(self._texts)


def settings_of(set, options):
    """All overrides: parameters and run options by name, options without their `run.` last."""
    settings = dict(set or {})
    settings.update({f"run.{name}": value for name, value in options.items() if value is not None})
    return Settings({name: value if isinstance(value, str) else number_text(value) for name, value in settings.items()})


def read_model(source, settings):
    """The C model of a Model, a dict, a file or a name of the catalogue."""
    source = Model(**source) if isinstance(source, dict) else source
    if isinstance(source, Model):
        data = source.text.encode()
        return aside(create, "olo_model", lib.olo_model_read_text, lib.olo_model_free, data, len(data),
                     encode(str(source.name)), settings.array, settings.count), source.functions
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"a model is a name, a file, a dict or an oloid.Model, not a {type(source).__name__}")
    return aside(create, "olo_model", lib.olo_model_read, lib.olo_model_free, encode(source), settings.array,
                 settings.count), {}


class Values:
    """Values {name: number} of parameters as two arrays."""

    def __init__(self, values):
        self.values = {str(name): float(value) for name, value in values.items()}
        self._names = [ffi.new("char[]", encode(name)) for name in self.values]
        self.names = ffi.new("const char *[]", self._names or [ffi.NULL])
        self.numbers = ffi.new("double[]", list(self.values.values()) or [0.0])
        self.count = len(self.values)


class System:
    """A compiled model: constant, may be shared between threads. Made by `oloid.load`."""

    def __init__(self, source, set=None, **options):
        settings = settings_of(set, options)
        self._model, functions = read_model(source, settings)
        self._finish(functions)

    @classmethod
    def _of_model(cls, model):
        """Of a C model."""
        self = cls.__new__(cls)
        self._model = model
        self._finish({})
        return self

    def _finish(self, functions):
        self._values = Values({})
        self._guard = Guard()
        self._callbacks = []
        for name, (noun, function, slopes) in functions.items():
            wrap, set_function, wrap_slopes, set_slopes = SETTERS[noun]
            pointer = wrap(self._guard, function)
            call(set_function, self._model, encode(name), pointer, ffi.NULL)
            self._callbacks.append(pointer)
            if slopes is not None:
                self._callbacks.append(wrap_slopes(self._guard, slopes))
                call(set_slopes, self._model, encode(name), self._callbacks[-1])
        self._system = aside(create, "olo_system", lib.olo_model_compile, lib.olo_system_free, self._model)

    @property
    def name(self):
        return text(lib.olo_model_name(self._model))

    @property
    def description(self):
        return text(lib.olo_model_description(self._model))

    @property
    def units(self):
        return text(lib.olo_model_units(self._model))

    @property
    def text(self):
        """The text of the model file; "" when the model has Python functions."""
        return text(lib.olo_model_text(self._model))

    @property
    def has_functions(self):
        return bool(self._callbacks)

    def with_parameters(self, values):
        """The system with other values of some parameters, {name: value}, for the price of a few steps: it shares names and
        structure with this one, and has the bits of `oloid.load` with these values. Parameters that are expressions of
        others follow them; options of the run stay as they are. A value that changes what the model consists of (the
        number of copies, a mass that vanishes) raises an InputError: load the model with it."""
        other = System.__new__(System)
        other._model, other._guard, other._callbacks = self._model, self._guard, self._callbacks
        other._values = Values({**self._values.values, **values})
        other._system = aside(create, "olo_system", lib.olo_system_with_parameters, lib.olo_system_free, self._model,
                              self._system, other._values.count, other._values.names, other._values.numbers)
        return other

    def parameter(self, name):
        """Value of a parameter."""
        value = lib.olo_model_parameter_with(self._model, self._values.count, self._values.names, self._values.numbers,
                                             encode(name))
        if value != value:
            raise InputError(f"model '{self.name}' has no parameter '{name}'", "NOT_FOUND")
        return value

    @property
    def options(self):
        """How to run, a dict: step, end, constraints, ..."""
        run = lib.olo_model_run(self._model)
        return {name: text(value) if isinstance(value, ffi.CData) else value
                for name, value in ((field, getattr(run, field)) for field, _ in ffi.typeof("olo_run").fields)}

    def _run(self, options):
        """The C struct olo_run with some options changed, and the texts it refers to."""
        run = ffi.new("olo_run *", lib.olo_model_run(self._model)[0])
        known = dict(ffi.typeof("olo_run").fields)
        texts = []
        for name, value in options.items():
            if value is None:
                continue
            if name not in known:
                raise InputError(f"run.{name} is not known; known are {', '.join(known)}")
            if isinstance(value, str):
                texts.append(ffi.new("char[]", encode(value)))
                value = texts[-1]
            setattr(run, name, value)
        return run, texts

    @property
    def counts(self):
        """Numbers of points, bodies, coordinates, constraints, degrees of freedom, ..., a dict."""
        counts = ffi.new("olo_counts *")
        aside(call, lib.olo_system_counts, self._system, counts)
        return {name: getattr(counts, name) for name, _ in ffi.typeof("olo_counts").fields}

    @property
    def coordinates(self):
        """Number of coordinates, the length of q and v."""
        return lib.olo_system_coordinate_count(self._system)

    @property
    def nodes(self):
        """Points and bodies in the order of q."""
        return [Node(text(lib.olo_system_node_name(self._system, i)),
                     "body" if lib.olo_system_node_is_body(self._system, i) else "point",
                     lib.olo_system_node_offset(self._system, i)) for i in range(lib.olo_system_node_count(self._system))]

    @property
    def groups(self):
        """Names of the constraint groups: bodies, supports, joints, rods."""
        return [text(lib.olo_system_group_name(self._system, i)) for i in range(lib.olo_system_group_count(self._system))]

    @property
    def joint_coordinates(self):
        """Names of the joint coordinates."""
        return [text(lib.olo_system_joint_coordinate_name(self._system, i))
                for i in range(lib.olo_system_joint_coordinate_count(self._system))]

    @property
    def invariants(self):
        """What the model conserves, and why."""
        return [as_tuple(Invariant, lib.olo_system_invariant(self._system, i))
                for i in range(lib.olo_system_invariant_count(self._system))]

    def initial_state(self):
        """The state at the start, as `run.start` of the model says; `state.projection` tells how far the constraints
        have moved what the model gives."""
        return self._initial_state(lib.olo_model_run(self._model))

    def _initial_state(self, run):
        """The start as the C struct olo_run says."""
        start, projection = aside(self._start, run)
        return State(self, start, as_tuple(Projection, projection))

    def _start(self, run):
        projection = ffi.new("olo_projection *")
        state = ffi.new("olo_state **")
        call(lib.olo_system_create_initial_state, self._system, state, projection)
        start = ffi.gc(state[0], lib.olo_state_free)
        call(lib.olo_prepare_initial_state, self._system, run, start)
        return start, projection

    def stepper(self, **options):
        """A stepper; options of the run may be given instead of the model's: constraints="multipliers"."""
        return Stepper(self, options)

    def derivatives(self, parameters=(), controls=(), **options):
        """Derivatives of the runs of this system, an `oloid.Derivatives`: with respect to the start, to `parameters` of the
        model, and to `controls` of every step (loads, and joints with a torque, force or controller)."""
        from ._derivatives import Derivatives  # which needs this module
        if parameters and self._values.count:
            raise InputError("derivatives by parameters are taken at the values of the model: load it with "
                             f"set={self._values.values!r}")
        return Derivatives(self, parameters, controls, **options)

    def simulate(self, state, callback=None, **options):
        """Runs `state` to its end without recording: `callback(state, step)` after the start and every step; when it
        returns True the run stops. Options of the run may be given: step, end, constraints, ... Gives a summary."""
        run, texts = self._run(options)
        watch = Watch(self, state, callback)
        summary, status, error = watch.simulate(run, [])
        watch.raise_what_happened(status, error)
        del texts
        return as_tuple(Summary, summary)

    def __repr__(self):
        return f"<oloid.System {self.name!r}: {len(self.nodes)} nodes, {self.coordinates} coordinates>"


class State:
    """Time, configuration, velocity, and what else the next step reads. Owned by one thread."""

    def __init__(self, system, state, projection=None):
        self.system = system
        self.projection = projection
        self._state = state

    def copy(self):
        """A state of its own."""
        return State(self.system, create("olo_state", lib.olo_state_clone, lib.olo_state_free, self._state),
                     self.projection)

    @property
    def time(self):
        return lib.olo_state_time(self._state)

    @time.setter
    def time(self, t):
        lib.olo_state_set_time(self._state, t)

    def _view(self, pointer, count):
        """Read-only numbers of the state, which lives as long as they do."""
        owned = ffi.gc(pointer, lambda _pointer, _owner=self._state: None)
        view = numpy.frombuffer(ffi.buffer(owned, count * 8), dtype=float)
        view.flags.writeable = False
        return view

    def _numbers(self, values, count):
        values = numpy.ascontiguousarray(values, dtype=float)
        if values.shape != (count,):
            raise InputError(f"{count} numbers are needed, the shape is {values.shape}")
        return values


    @property
    def q(self):
        """Configuration, a read-only view that follows the state; assign to change it."""
        return self._view(lib.olo_state_configuration(self._state), self.system.coordinates)

    @q.setter
    def q(self, values):
        values = self._numbers(values, self.system.coordinates)
        lib.olo_state_set_configuration(self.system._system, self._state, ffi.from_buffer("double[]", values))

    @property
    def v(self):
        """Velocity, the rates of q, a read-only view; assign to change it."""
        return self._view(lib.olo_state_velocity(self._state), self.system.coordinates)

    @v.setter
    def v(self, values):
        values = self._numbers(values, self.system.coordinates)
        lib.olo_state_set_velocity(self._state, ffi.from_buffer("double[]", values))

    @property
    def multipliers(self):
        """Constraint multipliers of the last step, a copy."""
        pointer = lib.olo_state_multipliers(self._state)
        return numpy.array([pointer[i] for i in range(self.system.counts["constraints"])])

    @property
    def momenta(self):
        """M v, a copy; `stepper.set_momenta(state, p)` starts from momenta."""
        p = numpy.empty(self.system.coordinates)
        lib.olo_system_momenta(self.system._system, self._state, ffi.from_buffer("double[]", p))
        return p

    def constraint_forces(self, multipliers):
        """G(q)^T lambda of multipliers, one a row of the constraints."""
        values = self._numbers(multipliers, self.system.counts["constraints"])
        force = numpy.empty(self.system.coordinates)
        lib.olo_system_constraint_forces(self.system._system, self._state, ffi.from_buffer("double[]", values),
                                         ffi.from_buffer("double[]", force))
        return force

    @property
    def ledger(self):
        """Energies, momenta and constraint errors."""
        ledger = ffi.new("olo_ledger *")
        lib.olo_system_ledger(self.system._system, self._state, ledger)
        return as_tuple(Ledger, ledger)

    def point(self, on=None, at=(0, 0, 0)):
        """Position and velocity of a point mass, a body, or a point on it: `body.point`, or `at` in the body's frame."""
        name = ffi.new("char[]", encode(on)) if on is not None else ffi.NULL
        point = ffi.new("olo_point_on_body *", {"on": name, "at": [float(x) for x in at]})
        position, velocity = ffi.new("double[3]"), ffi.new("double[3]")
        call(lib.olo_system_point_on_body, self.system._system, self._state, point, position, velocity)
        return vector(position), vector(velocity)

    place = point  # the older name

    def joint(self, name):
        """Value and rate of a joint coordinate such as "hinge.angle"."""
        system = self.system._system
        index = lib.olo_system_find_joint_coordinate(system, encode(name))
        if index < 0:
            raise InputError(f"there is no joint coordinate '{name}'; known are "
                             f"{', '.join(self.system.joint_coordinates) or 'none'}", "NOT_FOUND")
        return (lib.olo_system_joint_coordinate_value(system, self._state, index),
                lib.olo_system_joint_coordinate_rate(system, self._state, index))

    def reverse(self):
        """Turns time around: the velocity is negated."""
        lib.olo_state_reverse(self._state)

    def __repr__(self):
        return f"<oloid.State of {self.system.name!r} at t = {self.time:g}>"


class Stepper:
    """Takes steps. Owned by one thread."""

    def __init__(self, system, options):
        self.system = system
        self._run, self._texts = system._run(options)
        self._error = ffi.new("olo_error *")
        self._stepper = create("olo_stepper", lib.olo_stepper_create, lib.olo_stepper_free, system._system,
                               self._run)

    @property
    def unknowns(self):
        """Number of unknowns that Newton solves for."""
        return lib.olo_stepper_unknown_count(self._stepper)

    def step(self, state, h=None):
        """Advances the state by h (default: the step of the run); on failure it stays as it was."""
        self._advance(lib.olo_stepper_step, state, self._run.step if h is None else h)

    def adapt(self, state, longest=None):
        """With the option `tolerance`: advances the state by one step that keeps to it, at most by `longest` (default: to
        the end of the run). `report.size` is the step."""
        self._advance(lib.olo_stepper_step_adaptive, state, self._run.end - state.time if longest is None else longest)

    def _advance(self, function, state, h):
        status = function(self._stepper, state._state, h, self._error)
        exception = self.system._guard.take() if self.system.has_functions else None
        if exception is not None:
            raise exception
        if status != lib.OLO_OK:
            raise from_status(status, self._error)

    def set_momenta(self, state, p):
        """Gives the state the velocities of momenta p, without what the constraints take: M v + G^T mu = p, G v = 0 (scheme
        "variational")."""
        p = state._numbers(p, self.system.coordinates)
        call(lib.olo_stepper_set_momenta, self._stepper, state._state, ffi.from_buffer("double[]", p))

    def legendre(self, before, after):
        """The discrete Legendre transforms of one step between two states (scheme "variational"): -D1 L_d - f^- at its start
        and D2 L_d + f^+ at its end."""
        minus, plus = numpy.empty(self.system.coordinates), numpy.empty(self.system.coordinates)
        call(lib.olo_stepper_compute_legendre, self._stepper, before._state, after._state, ffi.from_buffer("double[]", minus),
             ffi.from_buffer("double[]", plus))
        return minus, plus

    @property
    def report(self):
        """What the last step did."""
        return as_tuple(StepReport, lib.olo_stepper_report(self._stepper))

    @property
    def condition(self):
        """2-norm condition number of the iteration matrix of the last step."""
        condition = ffi.new("double *")
        call(lib.olo_stepper_compute_condition, self._stepper, condition)
        return condition[0]

    def reaction(self, state, group):
        """Force and moment that a support, joint or rod exerted in the last step."""
        groups = self.system.groups
        if group not in groups:
            raise InputError(f"there is no constraint group '{group}'; known are {', '.join(groups)}", "NOT_FOUND")
        force, moment = ffi.new("double[3]"), ffi.new("double[3]")
        call(lib.olo_stepper_compute_reaction, self._stepper, state._state, groups.index(group), force, moment)
        return vector(force), vector(moment)


class Watch:
    """Watches a run from Python: Ctrl-C, callbacks, warnings, progress."""

    def __init__(self, system, state, callback=None, progress=None, end=None):
        self.system = system
        self.state = state
        self.callback = callback
        self.progress = progress
        self.guard = system._guard if system.has_functions else Guard()
        self.stopped = False  # by the callback
        self.warnings = []
        self._start = state.time
        self._end = end

    def _broken(self):
        return self.guard.exception is not None

    def _check(self):
        """A C function that is called after every step, before anybody else: is it to be recorded?"""
        def check(_context, _system, _state, _step, _report, _error):
            return lib.OLO_INTERRUPTED if self._broken() else lib.OLO_OK
        return self.guard.guarded(STEP, check, lib.OLO_INTERRUPTED, again=True)

    def _ask(self):
        """A C function that is called after every step: is it the last?"""
        def ask(_context):
            return self._ends()
        return self.guard.guarded("bool(void *)", ask, True, again=True)

    def _call(self, _context, _system, _state, step, _report, _error):
        """After every step, when it is recorded."""
        self.stopped = bool(self.callback(self.state, step)) or self.stopped
        return lib.OLO_OK

    def _ends(self):
        return self.stopped or self._broken() or self.guard.interrupt is not None

    def _look(self, _context):
        """Now and then. That this runs is enough for Python to notice Ctrl-C."""
        if self.progress is not None:
            span = self._end - self._start
            done = (self.state.time - self._start) / span if span > 0 else 1.0
            self.stopped = bool(self.progress(done)) or self.stopped
        return self._ends()

    def _warn(self, _context, message):
        self.warnings.append(text(message))

    def observers(self, others):
        """The observers for olo_simulate around `others`, and what must live as long."""
        guarded = self.guard.guarded
        look = guarded("bool(void *)", self._look, True)
        warn = guarded("void(void *, const char *)", self._warn, None)
        throttle = create("olo_throttle", lib.olo_throttle_create, lib.olo_throttle_free,
                          filled("observer", stop=look, warn=warn), LOOK_SECONDS)
        keep = [look, warn, throttle]
        first, last = [], [lib.olo_throttle_observer(throttle)]
        if self.system.has_functions:
            keep.append(self._check())
            first.append(filled("observer", step=keep[-1])[0])
        if self.system.has_functions or self.callback is not None:
            keep.append(self._ask())
            last.append(filled("observer", stop=keep[-1])[0])
        if self.callback is not None:
            keep.append(guarded(STEP, self._call, lib.OLO_INTERRUPTED))
            last.append(filled("observer", step=keep[-1])[0])
        everybody = [*first, *others, *last]
        array = ffi.new("olo_observer[]", len(everybody))
        for i, observer in enumerate(everybody):
            array[i] = observer
        return array, keep

    def simulate(self, run, others, summary=None):
        """Runs; gives the summary, the status and the error."""
        error = ffi.new("olo_error *")
        array, keep = self.observers(others)
        function = lib.olo_simulate if summary is None else lib.olo_simulate_resume
        summary = ffi.new("olo_run_summary *") if summary is None else summary
        try:
            status = function(self.system._system, run, self.state._state, array, len(array), summary, error)
        except KeyboardInterrupt as interrupt:  # between C and Python: the run itself is over
            self.guard.interrupt = interrupt
            status = error.status
        del keep
        return summary, status, error

    def raise_what_happened(self, status, error, result=None):
        """Raises what the run has left, if it did not come to its end."""
        exception = self.guard.take()
        if isinstance(exception, KeyboardInterrupt):
            raise Interrupted(text(error.text) or "interrupted", result) from None
        if exception is not None:
            raise exception
        if status != lib.OLO_OK and not self.stopped:
            failure = from_status(status, error)
            failure.result = result
            raise failure


def load(model, set=None, **options):
    """Reads and compiles a model: a file, a name of the catalogue, a dict, or an oloid.Model.

    `set` changes parameters ({"l": 0.2}) and options of the run ({"run.step": 1e-3}), which may also be given by their
    names: step=1e-3, end=2, constraints="multipliers"."""
    return System(model, set, **options)


def models():
    """Names of the models of the catalogue."""
    catalogue = create("olo_catalogue", lib.olo_catalogue_open, lib.olo_catalogue_free)
    return [text(lib.olo_catalogue_name(catalogue, i)) for i in range(lib.olo_catalogue_count(catalogue))]
