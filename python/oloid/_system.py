"""Systems (compiled models), states and steppers."""
import math
import os
from collections import namedtuple
from collections.abc import Mapping

import numpy

from ._errors import InputError, Interrupted, interruptible, call, create, from_status
from ._guard import SETTERS, Guard, vector
from ._library import encode, ffi, filled, lib, text
from ._model import Model, number_text
from ._rotation import quaternions

Node = namedtuple("Node", "name kind offset")
Invariant = namedtuple("Invariant", "name why")
Projection = namedtuple("Projection", "position velocity constraint_error worst rate_error "
                        "worst_rate warning")
Summary = namedtuple("Summary", "steps iterations halvings cpu_seconds wall_seconds "
                     "largest_rotation start rejections smallest_step largest_step")
StepReport = namedtuple("StepReport",
                        "size rejections iterations halvings passes residual rotation")

# The signature of olo_observer.step.
STEP = ("olo_status(void *, const olo_system *, const olo_state *, long, const olo_step_report *, "
        "olo_error *)")
# Seconds between two checks whether Ctrl-C was pressed.
POLL_SECONDS = 0.1


def as_tuple(kind, struct):
    """A C struct as a named tuple: numbers, texts, small arrays."""
    values = []
    for name in kind._fields:
        value = getattr(struct, name)
        if isinstance(value, ffi.CData):
            is_text = ffi.typeof(value).item.cname == "char"
            value = text(value) if is_text else numpy.array(list(value))
        values.append(value)
    return kind(*values)


Ledger = namedtuple("Ledger", [name for name, _ in ffi.typeof("olo_ledger").fields])
Ledger.__doc__ = """Energies, momenta and errors of a state; balance = total - work + dissipation
is constant."""

Contact = namedtuple("Contact", [name for name, _ in ffi.typeof("olo_contact_state").fields])
Contact.__doc__ = """A contact after a step: gap, mean force over the step, closed, sticking."""


class Settings:
    """Settings {name: value} as an array of olo_setting."""

    def __init__(self, settings):
        self._texts = [(ffi.new("char[]", encode(name)), ffi.new("char[]", encode(value)))
                       for name, value in settings.items()]
        self.array = ffi.new("olo_setting[]", [{"name": name, "value": value}
                                               for name, value in self._texts])
        self.count = len(self._texts)


def settings_of(set, options):
    """All settings: `set` by full names, then the options of the run, which override `set`."""
    settings = dict(set or {})
    settings.update({f"run.{name}": value for name, value in options.items() if value is not None})
    if not isinstance(settings.get("run.steps", ""), str):
        raise InputError("run.steps: a list of steps is no setting: write it in the section `run`, "
                         "`set_run(steps=...)` of an oloid.Model, or give it to `simulate`")
    return Settings({name: value if isinstance(value, str) else number_text(value)
                     for name, value in settings.items()})


def read_model(source, settings):
    """The C model of a Model, a dict, a file or a name of the catalogue; and its functions."""
    source = Model(**source) if isinstance(source, dict) else source
    if isinstance(source, Model):
        data = source.text.encode()
        name = encode(str(source.name))
        model = interruptible(create, "olo_model", lib.olo_model_read_text, lib.olo_model_free,
                              data, len(data), name, settings.array, settings.count)
        return model, source.functions
    if not isinstance(source, (str, os.PathLike)):
        raise InputError("a model is a name, a file, a dict or an oloid.Model, not a "
                         f"{type(source).__name__}")
    return interruptible(create, "olo_model", lib.olo_model_read, lib.olo_model_free,
                         encode(source), settings.array, settings.count), {}


class Values:
    """Values {name: number} of parameters as two arrays."""

    def __init__(self, values):
        self.values = {str(name): float(value) for name, value in values.items()}
        self._names = [ffi.new("char[]", encode(name)) for name in self.values]
        self.names = ffi.new("const char *[]", self._names or [ffi.NULL])
        self.numbers = ffi.new("double[]", list(self.values.values()) or [0.0])
        self.count = len(self.values)


class System:
    """A compiled model. It is constant and may be shared between threads. Created by
    `oloid.load`."""

    def __init__(self, source, set=None, **options):
        settings = settings_of(set, options)
        self._model, functions = read_model(source, settings)
        self._finish(functions)

    @classmethod
    def _of_model(cls, model):
        """A system of a C model."""
        self = cls.__new__(cls)
        self._model = model
        self._finish({})
        return self

    def _finish(self, functions):
        self._values = Values({})
        self._guard = Guard()
        self._callbacks = []
        for name, (noun, function, derivatives) in functions.items():
            wrap, set_function, wrap_derivatives, set_derivatives = SETTERS[noun]
            pointer = wrap(self._guard, function)
            call(set_function, self._model, encode(name), pointer, ffi.NULL)
            self._callbacks.append(pointer)
            if derivatives is not None:
                self._callbacks.append(wrap_derivatives(self._guard, derivatives))
                call(set_derivatives, self._model, encode(name), self._callbacks[-1])
        self._system = interruptible(create, "olo_system", lib.olo_model_compile,
                                     lib.olo_system_free, self._model)

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
        """The system with other values of some parameters, {name: value}, at the cost of a few
        steps. It shares names and structure with this system and has the same bits as `oloid.load`
        with these values. Parameters that are expressions of others are updated; options of the
        run are unchanged. A value that changes the structure of the model (the number of copies, a
        mass that becomes zero) raises an InputError: load the model with that value instead."""
        other = System.__new__(System)
        other._model, other._guard, other._callbacks = self._model, self._guard, self._callbacks
        other._values = Values({**self._values.values, **values})
        other._system = interruptible(create, "olo_system", lib.olo_system_with_parameters,
                                      lib.olo_system_free, self._model, self._system,
                                      other._values.count, other._values.names,
                                      other._values.numbers)
        return other

    def parameter(self, name):
        """Value of a parameter."""
        values = self._values
        value = lib.olo_model_parameter_with(self._model, values.count, values.names,
                                             values.numbers, encode(name))
        if value != value:
            raise InputError(f"model '{self.name}' has no parameter '{name}'", "NOT_FOUND")
        return value

    @property
    def options(self):
        """Options of the run, a dict: step, end, constraints, ...; `steps` if it is a list of
        steps."""
        run = lib.olo_model_run(self._model)
        values = {name: getattr(run, name) for name, _ in ffi.typeof("olo_run").fields
                  if name not in ("steps", "step_count")}
        if run.step_count > 0:
            values["steps"] = list(run.steps[0:run.step_count])
        return {name: text(value) if isinstance(value, ffi.CData) else value
                for name, value in values.items()}

    def _run(self, options):
        """An olo_run with some options changed, and the texts and numbers to which it refers."""
        run = ffi.new("olo_run *", lib.olo_model_run(self._model)[0])
        known = dict(ffi.typeof("olo_run").fields)
        del known["step_count"]
        texts = []
        options = {name: value for name, value in options.items() if value is not None}
        steps = options.pop("steps", None)
        if {"step", "end"} & options.keys():
            if steps is not None:
                raise InputError("`step` and `end` follow from `steps`")
            run.step_count = 0
        if steps is not None:
            lengths = numpy.array(steps, dtype=float)
            if lengths.ndim != 1 or not lengths.size or not (lengths > 0).all():
                raise InputError("steps: a list of positive lengths is needed")
            texts.append(ffi.new("double[]", lengths.tolist()))
            run.steps, run.step_count = texts[-1], lengths.size
            run.step, run.end = lengths.min(), lengths.cumsum()[-1]
        for name, value in options.items():
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
        interruptible(call, lib.olo_system_counts, self._system, counts)
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
                     lib.olo_system_node_offset(self._system, i))
                for i in range(lib.olo_system_node_count(self._system))]

    @property
    def groups(self):
        """Names of the constraint groups: bodies, supports, joints, rods."""
        return [text(lib.olo_system_group_name(self._system, i))
                for i in range(lib.olo_system_group_count(self._system))]

    @property
    def joint_coordinates(self):
        """Names of the joint coordinates."""
        return [text(lib.olo_system_joint_coordinate_name(self._system, i))
                for i in range(lib.olo_system_joint_coordinate_count(self._system))]

    @property
    def invariants(self):
        """The conserved quantities of the model, and why they are conserved."""
        return [as_tuple(Invariant, lib.olo_system_invariant(self._system, i))
                for i in range(lib.olo_system_invariant_count(self._system))]

    def __repr__(self):
        counts = self.counts
        return (f"<oloid.System {self.name!r}: {counts['bodies']} bodies, {counts['points']} points, "
                f"{counts['degrees_of_freedom']} degrees of freedom>")

    def initial_state(self):
        """The initial state, as `run.start` of the model requires; `state.projection` is the change
        of the given values that the constraints required."""
        return self._initial_state(lib.olo_model_run(self._model))

    def _warnings(self, state):
        """Warnings about the model and its initial state."""
        found = []
        while (warning := lib.olo_model_warning(self._model, len(found))) != ffi.NULL:
            found.append(text(warning))
        moved = state.projection.warning if state.projection is not None else ""
        return found + ([moved] if moved else [])

    def _initial_state(self, run):
        """The initial state for the options of an olo_run."""
        start, projection = interruptible(self._start, run)
        return State(self, start, as_tuple(Projection, projection))

    def _start(self, run):
        projection = ffi.new("olo_projection *")
        state = ffi.new("olo_state **")
        call(lib.olo_system_create_initial_state, self._system, state, projection)
        start = ffi.gc(state[0], lib.olo_state_free)
        call(lib.olo_prepare_initial_state, self._system, run, start)
        return start, projection

    def stepper(self, **options):
        """A stepper; options override those of the model: constraints="multipliers"."""
        return Stepper(self, options)

    def derivatives(self, parameters=(), controls=(), **options):
        """Derivatives of the runs of this system, an `oloid.Derivatives`: with respect to the
        initial state, to `parameters` of the model, and to `controls` of every step (loads,
        joints with a torque, force or controller, joint coordinates with one)."""
        from ._derivatives import Derivatives  # which imports this module
        if parameters and self._values.count:
            raise InputError("derivatives by parameters are taken at the values of the model: load "
                             f"it with set={self._values.values!r}")
        return Derivatives(self, parameters, controls, **options)

    def simulate(self, state, callback=None, **options):
        """Runs from `state` without recording, and returns a summary; `state` becomes the final
        state. `callback(state, step)` is called at the initial state and after every step; the run
        stops when it returns True. Options of the run may be given: step, end, constraints, ..."""
        run, texts = self._run(options)
        monitor = RunMonitor(self, state, callback)
        summary, status, error = monitor.simulate(run, [])
        monitor.raise_failure(status, error)
        del texts
        return as_tuple(Summary, summary)


class State:
    """Time, configuration, velocity and all other data that the next step reads. Owned by one
    thread."""

    def __init__(self, system, state, projection=None):
        self.system = system
        self.projection = projection
        self._state = state

    def copy(self):
        """An independent copy."""
        copy = create("olo_state", lib.olo_state_clone, lib.olo_state_free, self._state)
        return State(self.system, copy, self.projection)

    @property
    def time(self):
        return lib.olo_state_time(self._state)

    @time.setter
    def time(self, t):
        lib.olo_state_set_time(self._state, t)

    def _view(self, pointer, count):
        """A read-only view of numbers of the state; the view holds a reference to the state."""
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
        """Configuration, a read-only view that shows the current state; assign to change it."""
        return self._view(lib.olo_state_configuration(self._state), self.system.coordinates)

    @q.setter
    def q(self, values):
        values = self._numbers(values, self.system.coordinates)
        lib.olo_state_set_configuration(self.system._system, self._state,
                                        ffi.from_buffer("double[]", values))

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
        """M v, a copy; `stepper.set_momenta(state, p)` sets the velocity from momenta."""
        p = numpy.empty(self.system.coordinates)
        lib.olo_system_momenta(self.system._system, self._state, ffi.from_buffer("double[]", p))
        return p

    def constraint_forces(self, multipliers):
        """G(q)^T lambda; `multipliers` has one number per constraint row."""
        values = self._numbers(multipliers, self.system.counts["constraints"])
        force = numpy.empty(self.system.coordinates)
        lib.olo_system_constraint_forces(self.system._system, self._state,
                                         ffi.from_buffer("double[]", values),
                                         ffi.from_buffer("double[]", force))
        return force

    @property
    def ledger(self):
        """Energies, momenta and constraint errors."""
        ledger = ffi.new("olo_ledger *")
        lib.olo_system_ledger(self.system._system, self._state, ledger)
        return as_tuple(Ledger, ledger)

    @property
    def contacts(self):
        """The contacts by name, with their forces over the last step: {name: Contact}."""
        found, system = {}, self.system._system
        for i in range(lib.olo_system_contact_count(system)):
            contact = ffi.new("olo_contact_state *")
            lib.olo_system_contact(system, self._state, i, contact)
            found[text(lib.olo_system_contact_name(system, i))] = as_tuple(Contact, contact)
        return found

    def point(self, on=None, at=(0, 0, 0)):
        """Position and velocity of a point mass, of a body, or of a point on a body: `body.point`,
        or `at` in the frame of the body."""
        name = ffi.new("char[]", encode(on)) if on is not None else ffi.NULL
        point = ffi.new("olo_point_on_body *", {"on": name, "at": [float(x) for x in at]})
        position, velocity = ffi.new("double[3]"), ffi.new("double[3]")
        call(lib.olo_system_point_on_body, self.system._system, self._state, point,
             position, velocity)
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

    def _bodies(self, name):
        """Offsets in q of one body, or of all."""
        found = [node.offset for node in self.system.nodes
                 if node.kind == "body" and name in (None, node.name)]
        if name is not None and not found:
            raise InputError(f"there is no body '{name}'", "NOT_FOUND")
        return found

    def _directors(self, numbers, name):
        """The directors as columns of matrices, or their rates."""
        found = numpy.array([numbers[i + 3:i + 12].reshape(3, 3).T for i in self._bodies(name)])
        return found.reshape(-1, 3, 3) if name is None else found[0]

    def rotation(self, name=None):
        """Rotation matrix of a body, whose columns are the axes of the body in space; without a
        name, those of all bodies in the order of `system.nodes`, an array (bodies, 3, 3)."""
        return self._directors(self.q, name)

    def quaternion(self, name=None):
        """Unit quaternion w, x, y, z with w >= 0 of a body, or of all bodies."""
        return quaternions(self.rotation(name))

    def angular_velocity(self, name=None, in_body=False):
        """Angular velocity of a body, or of all bodies, in space or along the axes of the body."""
        R, rate = self.rotation(name), self._directors(self.v, name)
        spin = rate @ numpy.swapaxes(R, -1, -2)
        omega = 0.5 * numpy.stack([spin[..., 2, 1] - spin[..., 1, 2],
                                   spin[..., 0, 2] - spin[..., 2, 0],
                                   spin[..., 1, 0] - spin[..., 0, 1]], axis=-1)
        return numpy.einsum("...ji,...j->...i", R, omega) if in_body else omega

    def reverse(self):
        """Reverses time: the velocity is negated."""
        lib.olo_state_reverse(self._state)

    def __repr__(self):
        return f"<oloid.State of {self.system.name!r} at t = {self.time:g}>"


class Stepper:
    """Advances states by single steps. Owned by one thread."""

    def __init__(self, system, options):
        self.system = system
        self._run, self._texts = system._run(options)
        self._error = ffi.new("olo_error *")
        self._stepper = create("olo_stepper", lib.olo_stepper_create, lib.olo_stepper_free,
                               system._system, self._run)

    @property
    def unknowns(self):
        """Number of unknowns of the Newton iteration."""
        return lib.olo_stepper_unknown_count(self._stepper)

    def step(self, state, h=None, controls=None):
        """Advances the state by h (default: the step of the run); on failure it is unchanged.

        `controls` = {name: value} replaces, in this and the following steps, the factor over time
        of the load of this name, or of the torque or force of the joint or along the joint
        coordinate (`slide.angle`), or the target of its controller; None instead of a value: the function of the model acts again. The controls may
        be the second argument: step(state, {"motor": 0.3})."""
        if isinstance(h, Mapping):
            h, controls = None, h
        for name, value in (controls or {}).items():
            call(lib.olo_stepper_set_control, self._stepper, encode(name),
                 math.nan if value is None else float(value))
        self._advance(lib.olo_stepper_step, state, self._run.step if h is None else h)

    def adapt(self, state, longest=None):
        """With the option `tolerance`: advances the state by one step whose error is within it, at
        most by `longest` (default: to the end of the run). `report.size` is the step."""
        longest = self._run.end - state.time if longest is None else longest
        self._advance(lib.olo_stepper_step_adaptive, state, longest)

    def _advance(self, function, state, h):
        status = function(self._stepper, state._state, h, self._error)
        exception = self.system._guard.take() if self.system.has_functions else None
        if exception is not None:
            raise exception
        if status != lib.OLO_OK:
            raise from_status(status, self._error)

    def set_momenta(self, state, p):
        """Sets the velocities of the state from momenta p, by projection to the constraints:
        M v + G^T mu = p, G v = 0 (scheme "variational")."""
        p = state._numbers(p, self.system.coordinates)
        call(lib.olo_stepper_set_momenta, self._stepper, state._state,
             ffi.from_buffer("double[]", p))

    def legendre(self, before, after):
        """The discrete Legendre transforms of one step between two states (scheme "variational"):
        -D1 L_d - f^- before the step and D2 L_d + f^+ after it."""
        minus, plus = numpy.empty(self.system.coordinates), numpy.empty(self.system.coordinates)
        call(lib.olo_stepper_compute_legendre, self._stepper, before._state, after._state,
             ffi.from_buffer("double[]", minus), ffi.from_buffer("double[]", plus))
        return minus, plus

    @property
    def report(self):
        """Report of the last step."""
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
            raise InputError(f"there is no constraint group '{group}'; known are "
                             f"{', '.join(groups)}", "NOT_FOUND")
        force, moment = ffi.new("double[3]"), ffi.new("double[3]")
        call(lib.olo_stepper_compute_reaction, self._stepper, state._state, groups.index(group),
             force, moment)
        return vector(force), vector(moment)


class RunMonitor:
    """Observes a run from Python: Ctrl-C, callbacks, warnings, progress."""

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

    def _failed(self):
        return self.guard.exception is not None

    def _check(self):
        """A C function that is called after every step, before all other observers: whether the
        step may be recorded."""
        def check(_context, _system, _state, _step, _report, _error):
            return lib.OLO_INTERRUPTED if self._failed() else lib.OLO_OK
        return self.guard.guarded(STEP, check, lib.OLO_INTERRUPTED, retry=True)

    def _ask(self):
        """A C function that is called after every step: whether it is the last one."""
        def ask(_context):
            return self._ends()
        return self.guard.guarded("bool(void *)", ask, True, retry=True)

    def _call(self, _context, _system, _state, step, _report, _error):
        """Called after every step, when it is recorded."""
        self.stopped = bool(self.callback(self.state, step)) or self.stopped
        return lib.OLO_OK

    def _ends(self):
        return self.stopped or self._failed() or self.guard.interrupt is not None

    def _poll(self, _context):
        """Called several times per second, so that Python can handle Ctrl-C."""
        if self.progress is not None:
            span = self._end - self._start
            done = (self.state.time - self._start) / span if span > 0 else 1.0
            self.stopped = bool(self.progress(done)) or self.stopped
        return self._ends()

    def _warn(self, _context, message):
        self.warnings.append(text(message))

    def observers(self, others):
        """The observers for olo_simulate including `others`, and the objects they refer to."""
        guarded = self.guard.guarded
        poll = guarded("bool(void *)", self._poll, True)
        warn = guarded("void(void *, const char *)", self._warn, None)
        throttle = create("olo_throttle", lib.olo_throttle_create, lib.olo_throttle_free,
                          filled("observer", stop=poll, warn=warn), POLL_SECONDS)
        references = [poll, warn, throttle]
        first, last = [], [lib.olo_throttle_observer(throttle)]
        if self.system.has_functions:
            references.append(self._check())
            first.append(filled("observer", step=references[-1])[0])
        if self.system.has_functions or self.callback is not None:
            references.append(self._ask())
            last.append(filled("observer", stop=references[-1])[0])
        if self.callback is not None:
            references.append(guarded(STEP, self._call, lib.OLO_INTERRUPTED))
            last.append(filled("observer", step=references[-1])[0])
        observers = [*first, *others, *last]
        array = ffi.new("olo_observer[]", len(observers))
        for i, observer in enumerate(observers):
            array[i] = observer
        return array, references

    @staticmethod
    def _pass_warning(observers, warning):
        for observer in observers:
            if observer.warn != ffi.NULL:
                observer.warn(observer.context, ffi.new("char[]", encode(warning)))

    def simulate(self, run, others, summary=None):
        """Runs the simulation; returns the summary, the status and the error."""
        error = ffi.new("olo_error *")
        array, references = self.observers(others)
        if summary is None:
            for warning in self.system._warnings(self.state):
                self._pass_warning(array, warning)
        function = lib.olo_simulate if summary is None else lib.olo_simulate_resume
        summary = ffi.new("olo_run_summary *") if summary is None else summary
        try:
            status = function(self.system._system, run, self.state._state, array, len(array),
                              summary, error)
        except KeyboardInterrupt as interrupt:  # after the return from C
            self.guard.interrupt = interrupt
            status = error.status
        del references
        return summary, status, error

    def raise_failure(self, status, error, result=None):
        """Raises the failure of a run, or the exception of a callback, if there is one."""
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

    `set` changes parameters ({"l": 0.2}) and options of the run ({"run.step": 1e-3}), which may
    also be given by their names: step=1e-3, end=2, constraints="multipliers"."""
    return System(model, set, **options)


def models():
    """Names of the models of the catalogue."""
    catalogue = create("olo_catalogue", lib.olo_catalogue_open, lib.olo_catalogue_free)
    return [text(lib.olo_catalogue_name(catalogue, i))
            for i in range(lib.olo_catalogue_count(catalogue))]
