"""Derivatives of runs by the adjoint method: the gradient of a functional J with respect to the
initial state, parameters and controls, exact to round-off."""
from collections import namedtuple

import numpy

from ._errors import InputError, Interrupted, call, create, from_status
from ._guard import Guard
from ._library import encode, ffi, filled, lib, text
from ._system import POLL_SECONDS, State, System

Gradient = namedtuple("Gradient", "value q v parameters controls steps again")
Gradient.__doc__ = """The value J and its derivatives with respect to configuration q and velocity
v of the initial state, to the parameters (a dict) and to the controls (steps x controls; None
without controls); `steps` of the run, and the number of steps made `again` from checkpoints."""
StepMap = namedtuple("StepMap", "matrix defect volume largest smallest")
StepMap.__doc__ = """The linearised step in canonical coordinates: its `matrix` A, its symplectic
`defect` |A^T J A - J| / |A|^2, its change of `volume` |det A| - 1, and the moduli of the `largest`
and `smallest` eigenvalue of A."""

FUNCTION = "double(void *, const olo_system *, const olo_state *, double *, double *)"
EFFORT = "double(void *, double, const double *, double *)"


def goal(quantity, *, direction=(0, 0, 0), target=None, end=0.0, running=0.0, factor=None):
    """A term of J: `end` times the quantity at the end of the run plus `running` times its integral
    over time, which has the order of the scheme.

    quantity   "tip.position" or "tip.velocity" of an output, along `direction`; a joint coordinate,
               "hinge.angle", or its rate, "hinge.angle.rate"; "kinetic", "potential" or "energy"
    target     1/2 (quantity - target)^2 is used instead of the quantity; a number, or an expression
               of t: "sin(2*t)"
    factor     of `running` over time, an expression of t: "if(t < 1, 0, 1)" """
    moves = isinstance(target, str)
    return {"quantity": quantity, "direction": [float(x) for x in direction],
            "squared": target is not None, "target": 0.0 if moves else float(target or 0.0),
            "end": float(end), "running": float(running), "factor_over_time": factor,
            "target_over_time": target if moves else None}


TEXTS = ("quantity", "factor_over_time", "target_over_time")


def pointer(array):
    return ffi.NULL if array is None else ffi.cast("double *", ffi.from_buffer(array))


class Functional:
    """An olo_functional and everything that it refers to."""

    def __init__(self, derivatives, goals, end, running, effort):
        goals = [goals] if isinstance(goals, dict) else list(goals or [])
        system = derivatives.system
        self.guard = system._guard if system.has_functions else Guard()
        self._derivatives = derivatives
        self._texts = [{name: ffi.NULL if one.get(name) is None
                        else ffi.new("char[]", encode(one[name])) for name in TEXTS}
                       for one in goals]
        self._goals = ffi.new("olo_goal[]", len(goals))
        for i, (one, texts) in enumerate(zip(goals, self._texts)):
            self._goals[i] = filled("goal", **{**one, **texts})[0]
        self._callbacks = [self._of_state(end), self._of_state(running),
                           self._of_controls(effort)]
        self.struct = filled("functional", goals=self._goals, goal_count=len(goals))
        for name, function in zip(("end", "running", "effort"), self._callbacks):
            if function is not None:
                setattr(self.struct, name, function)

    def _poll(self, _context):
        """Called several times per second, so that Python can handle Ctrl-C."""
        return self.guard.exception is not None or self.guard.interrupt is not None

    def solve(self, function, *arguments):
        """Calls a function of the library, whose last argument is an error. Raises its failure, or
        the exception of a callback."""
        error = ffi.new("olo_error *")
        derivatives = self._derivatives._derivatives
        poll = self.guard.guarded("bool(void *)", self._poll, True)
        throttle = create("olo_throttle", lib.olo_throttle_create, lib.olo_throttle_free,
                          filled("observer", stop=poll), POLL_SECONDS)
        call(lib.olo_derivatives_set_observer, derivatives,
             ffi.new("olo_observer *", lib.olo_throttle_observer(throttle)))
        try:
            status = function(derivatives, *arguments, error)
        except KeyboardInterrupt as interrupt:  # after the return from C
            self.guard.interrupt = interrupt
            status = error.status
        finally:
            call(lib.olo_derivatives_set_observer, derivatives, ffi.NULL)
        exception = self.guard.take()
        if isinstance(exception, KeyboardInterrupt):
            raise Interrupted(text(error.text) or "interrupted") from None
        if exception is not None:
            raise exception
        if status != lib.OLO_OK:
            raise from_status(status, error)

    def _of_state(self, function):
        if function is None:
            return None
        system = self._derivatives.system
        n = system.coordinates

        def evaluate(_context, _system, state, gq, gv):
            value, by_q, by_v = function(State(system, ffi.cast("olo_state *", state)))
            if gq != ffi.NULL:
                for target, by in ((gq, by_q), (gv, by_v)):
                    if by is not None:
                        numpy.frombuffer(ffi.buffer(target, n * 8))[:] += by
            return value
        return self.guard.guarded(FUNCTION, evaluate, float("nan"))

    def _of_controls(self, function):
        if function is None:
            return None
        count = len(self._derivatives.controls)

        def evaluate(_context, t, u, gu):
            value, by_u = function(t, numpy.frombuffer(ffi.buffer(u, count * 8)).copy())
            if gu != ffi.NULL:
                numpy.frombuffer(ffi.buffer(gu, count * 8))[:] += by_u
            return value
        return self.guard.guarded(EFFORT, evaluate, float("nan"))


class Derivatives:
    """Derivatives of the runs of a system. Owned by one thread; created by `system.derivatives`."""

    def __init__(self, system, parameters=(), controls=(), **options):
        self.system = system
        self.parameters = [parameters] if isinstance(parameters, str) else list(parameters)
        self.controls = [controls] if isinstance(controls, str) else list(controls)
        self._run, self._texts = system._run(options)
        self._derivatives = create("olo_derivatives", lib.olo_derivatives_create,
                                   lib.olo_derivatives_free, system._system, self._run)
        self._changes = [create("olo_parameter_derivative", lib.olo_parameter_derivative_create,
                                lib.olo_parameter_derivative_free, system._model, encode(name))
                         for name in self.parameters]
        self._change_list = ffi.new("olo_parameter_derivative *[]", self._changes)
        self._differentiate_equilibrium()
        call(lib.olo_derivatives_set_parameters, self._derivatives,
             ffi.cast("const olo_parameter_derivative **", self._change_list), len(self._changes))
        self._names = [ffi.new("char[]", encode(name)) for name in self.controls]
        self._name_list = ffi.new("const char *[]", self._names)
        self._values = self._given = None

    def _differentiate_equilibrium(self):
        """If runs begin at an equilibrium: its derivatives with respect to the parameters."""
        if self._changes and ffi.string(self._run.start) == b"equilibrium":
            start = self.system._initial_state(self._run)
            call(lib.olo_differentiate_equilibrium, self.system._system, self._run, start._state,
                 self._change_list, len(self._changes))

    @property
    def steps(self):
        """Number of steps of a run from time 0. With `sizes` that were assigned their number, with
        `tolerance` that of the last run."""
        if self._given is not None:
            return len(self._given)
        if self._run.tolerance > 0:
            return lib.olo_derivatives_step_sizes(self._derivatives, ffi.NULL)
        if self._run.step_count > 0:
            return self._run.step_count
        return int(numpy.ceil(self._run.end / self._run.step * (1 - 1e-12)))

    @property
    def sizes(self):
        """The sizes of the steps of the last run. If assigned, all following runs use these sizes
        instead of `step`, `end` and `tolerance`; None restores the options."""
        sizes = numpy.zeros(lib.olo_derivatives_step_sizes(self._derivatives, ffi.NULL))
        lib.olo_derivatives_step_sizes(self._derivatives, pointer(sizes))
        return sizes

    @sizes.setter
    def sizes(self, values):
        sizes = numpy.ascontiguousarray([] if values is None else values, dtype=float).ravel()
        call(lib.olo_derivatives_set_step_sizes, self._derivatives, pointer(sizes), sizes.size)
        self._given = sizes if sizes.size else None

    def set_memory(self, size):
        """Sets the number of bytes that a gradient may use to store steps; longer runs use
        checkpoints."""
        lib.olo_derivatives_set_memory(self._derivatives, size)

    def _numbers(self, values, what):
        n = self.system.coordinates
        array = numpy.zeros(n) if values is None else numpy.array(values, dtype=float)
        if array.shape != (n,):
            raise InputError(f"{what}: {n} numbers are needed, the shape is {array.shape}")
        return array

    def _control(self, values):
        """Sets the values of the controls of all steps."""
        if not self.controls:
            if values is not None:
                raise InputError("nothing is controlled: name the controls when the derivatives "
                                 "are created")
            return
        array = numpy.ascontiguousarray(values, dtype=float)
        if array.ndim != 2 or array.shape[1] != len(self.controls):
            raise InputError(f"controls have the shape (steps, {len(self.controls)}), not "
                             f"{array.shape}")
        self._values = array
        call(lib.olo_derivatives_set_controls, self._derivatives, self._name_list,
             len(self.controls), pointer(array), array.shape[0])

    def gradient(self, goals=None, start=None, *, controls=None, end=None, running=None,
                 effort=None):
        """J of the run from `start` (default: the initial state of the model) and its gradient, at
        the cost of two to four runs.

        goals      one `oloid.goal(...)` or a list of them
        controls   values of the controls, an array (steps, controls)
        end        end(state) -> term of J at the end, its derivatives by q and by v; in addition to
                   the goals
        running    the same for the integrand of an integral over time
        effort     effort(t, u) -> cost of the controls of a step, and its derivative; it is
                   multiplied by the step size and added to J

        With the option `tolerance` the derivative is that of the run with the steps that were
        chosen, see `sizes`. Ctrl-C raises oloid.Interrupted."""
        functional = Functional(self, goals, end, running, effort)
        start = self.system._initial_state(self._run) if start is None else start
        self._control(controls)
        n = self.system.coordinates
        q, v, parameters = numpy.zeros(n), numpy.zeros(n), numpy.zeros(len(self.parameters) + 1)
        by_controls = numpy.zeros_like(self._values) if self.controls else None
        struct = filled("gradient", q=pointer(q), v=pointer(v), parameters=pointer(parameters),
                        controls=pointer(by_controls))
        functional.solve(lib.olo_derivatives_compute_gradient, start._state, functional.struct,
                         struct)
        return Gradient(struct.value, q, v, dict(zip(self.parameters, parameters)), by_controls,
                        struct.steps, struct.again)

    def forward(self, goals=None, start=None, *, q=None, v=None, parameters=None, controls=None,
                along=None, end=None, running=None, effort=None):
        """J, its derivative along one direction, and the corresponding variation (q, v) of the
        final state. The direction consists of an admissible variation q, v of the initial state, of
        parameters {name: change}, and of `along` for the controls."""
        functional = Functional(self, goals, end, running, effort)
        start = self.system._initial_state(self._run) if start is None else start
        self._control(controls)
        dq, dv = self._numbers(q, "q"), self._numbers(v, "v")
        given = parameters or {}
        changes = numpy.array([given.get(name, 0.0) for name in self.parameters] + [0.0])
        direction = filled("direction", q=pointer(dq), v=pointer(dv), parameters=pointer(changes))
        if along is not None:
            along = numpy.ascontiguousarray(along, dtype=float)
            if self._values is None or along.shape != self._values.shape:
                raise InputError("`along` needs the shape of the controls")
            direction.controls = pointer(along)
        value, derivative = ffi.new("double *"), ffi.new("double *")
        functional.solve(lib.olo_derivatives_compute_forward, start._state, functional.struct,
                         direction, value, derivative)
        return value[0], derivative[0], dq, dv

    def admit(self, state, q=None, v=None):
        """Projects given numbers to the nearest variation (dq, dv) of a state that satisfies the
        constraints to first order."""
        dq, dv = self._numbers(q, "q"), self._numbers(v, "v")
        call(lib.olo_derivatives_project, self._derivatives, state._state, pointer(dq), pointer(dv))
        return dq, dv

    def step(self, state, h=None):
        """Advances the state by h (default: the step of the run) and stores the linearised step."""
        call(lib.olo_derivatives_step, self._derivatives, state._state,
             self._run.step if h is None else h)

    def step_forward(self, q, v):
        """Maps a variation of the state before the last step to that of the state after it."""
        dq, dv = self._numbers(q, "q"), self._numbers(v, "v")
        call(lib.olo_derivatives_apply_step, self._derivatives, pointer(dq), pointer(dv))
        return dq, dv

    def step_adjoint(self, q, v):
        """Maps derivatives with respect to the state after the last step to those with respect to
        the state before it."""
        gq, gv = self._numbers(q, "q"), self._numbers(v, "v")
        call(lib.olo_derivatives_apply_step_transposed, self._derivatives, pointer(gq), pointer(gv))
        return gq, gv

    def step_map(self, state, h=None):
        """Advances the state by a step and returns its linearisation in canonical coordinates."""
        size = 2 * self.system.counts["degrees_of_freedom"]
        matrix = numpy.zeros((size, size))
        struct = filled("step_map", matrix=pointer(matrix))
        call(lib.olo_derivatives_compute_step_map, self._derivatives, state._state,
             self._run.step if h is None else h, struct)
        return StepMap(matrix, struct.defect, struct.volume, struct.largest, struct.smallest)


def gradient(model, goals, *, parameters=(), set=None, **options):
    """J of a run and its gradient with respect to parameters of the model and to its initial state.

        g = oloid.gradient("chain", oloid.goal("kinetic", end=1), parameters=["mass"],
                           set={"mass": 2})
        g.value, g.parameters["mass"]

    Options are those of the run: step=1e-3, end=2, scheme="variational", ..."""
    return System(model, set, **options).derivatives(parameters).gradient(goals)
