"""Python functions that C calls. An exception cannot pass through C: it is stored here, the
computation is stopped, and the exception is raised when C has returned."""
from typing import NamedTuple

import numpy

from ._library import ffi, lib

NAN = float("nan")


class Guard:
    """Stores the first exception of the callbacks of a system or a run."""

    def __init__(self):
        self.exception = None  # the computation has failed
        self.interrupt = None  # Ctrl-C: the current step is completed

    def record(self, exception):
        if isinstance(exception, KeyboardInterrupt):
            self.interrupt = self.interrupt or exception
        else:
            self.exception = self.exception or exception

    def guarded(self, signature, function, error, retry=False):
        """A C function pointer; `error` is the value that C receives after an exception. With
        `retry` a function that Ctrl-C interrupted is called once more with the same arguments, so
        that the current step is completed correctly."""
        def failed(kind, exception, trace):
            exception = exception if exception is not None else kind()
            self.record(exception)
            if retry and trace is not None and isinstance(exception, KeyboardInterrupt):
                names = function.__code__.co_varnames[:function.__code__.co_argcount]
                found = trace.tb_frame.f_locals
                return function(*(found[name] for name in names))
            return None
        return ffi.callback(signature, function, error=error, onerror=failed)

    def take(self):
        """Returns the exception to be raised, or None, and clears it."""
        exception = self.exception or self.interrupt
        self.exception = self.interrupt = None
        return exception


class BodyMotion(NamedTuple):
    """The motion of a body at the midpoint of a step, in space axes, as `wrench=` functions of loads
    receive it. The columns of `rotation` are the axes of the body."""
    t: float
    position: numpy.ndarray  # of the point on which the load acts
    velocity: numpy.ndarray
    rotation: numpy.ndarray
    angular_velocity: numpy.ndarray


def load_function(guard, function):
    """force(t, position, velocity) as a C function of a load; NaN after an exception, so that the
    step fails."""
    def called(_context, t, position, velocity, force):
        force[0:3] = [NAN, NAN, NAN]
        if guard.exception is None:
            value = function(t, vector(position), vector(velocity))
            force[0:3] = [float(x) for x in numpy.broadcast_to(value, 3)]
    return guard.guarded("void(void *, double, const double[3], const double[3], double[3])",
                         called, None, retry=True)


def load_wrench(guard, function):
    """wrench(motion), which returns a force, or a force and a moment, as a C function of a load."""
    def called(_context, motion, force, moment):
        force[0:3] = moment[0:3] = [NAN, NAN, NAN]
        if guard.exception is not None:
            return
        value = function(BodyMotion(motion.t, vector(motion.position), vector(motion.velocity),
                                    numpy.array(list(motion.rotation)).reshape(3, 3),
                                    vector(motion.angular_velocity)))
        if not isinstance(value, tuple):
            value = (value, numpy.zeros(3))
        if len(value) != 2:
            raise ValueError("a wrench is a force, or a tuple of a force and a moment, not "
                             f"{len(value)} values")
        for target, part in zip((force, moment), value):
            target[0:3] = [float(x) for x in numpy.broadcast_to(part, 3)]
    return guard.guarded("void(void *, const olo_body_motion *, double[3], double[3])", called,
                         None, retry=True)


def joint_function(guard, function):
    """torque(t, coordinate, rate) as a C function of a joint."""
    def called(_context, t, coordinate, rate):
        return NAN if guard.exception is not None else float(function(t, coordinate, rate))
    return guard.guarded("double(void *, double, double, double)", called, NAN, retry=True)


def load_derivatives(guard, function):
    """The `derivatives=` of a load, two matrices of (t, position, velocity), as C derivatives."""
    def called(_context, t, position, velocity, by_position, by_velocity):
        by_position[0:9] = by_velocity[0:9] = [NAN] * 9
        if guard.exception is None:
            values = function(t, vector(position), vector(velocity))
            for target, value in zip((by_position, by_velocity), values):
                target[0:9] = [float(x) for x in numpy.broadcast_to(value, (3, 3)).ravel()]
    return guard.guarded(
        "void(void *, double, const double[3], const double[3], double[9], double[9])", called,
        None, retry=True)


def joint_derivatives(guard, function):
    """The `derivatives=` of a joint, two numbers of (t, coordinate, rate), as C derivatives."""
    def called(_context, t, coordinate, rate, by):
        by[0:2] = [NAN, NAN]
        if guard.exception is None:
            by[0:2] = [float(x) for x in function(t, coordinate, rate)]
    return guard.guarded("void(void *, double, double, double, double[2])", called, None,
                         retry=True)


def contact_function(guard, function):
    """The gap of a contact with gradient and Hessian, of the position of one point or of two, as a
    C function. `function` is a pair: the Python function and the number of coordinates."""
    gap_of, size = function

    def called(_context, x, gap, gradient, hessian):
        gap[0] = NAN
        gradient[0:size] = [NAN] * size
        hessian[0:size * size] = [NAN] * (size * size)
        if guard.exception is None:
            value, first, second = gap_of(numpy.array([x[i] for i in range(size)]))
            gap[0] = float(value)
            gradient[0:size] = [float(y) for y in numpy.broadcast_to(first, size)]
            hessian[0:size * size] = [
                float(y) for y in numpy.broadcast_to(second, (size, size)).ravel()]
    return guard.guarded("void(void *, const double *, double *, double *, double *)", called, None,
                         retry=True)


SETTERS = {"load": (load_function, lib.olo_model_set_load_function,
                    load_derivatives, lib.olo_model_set_load_derivatives),
           "wrench": (load_wrench, lib.olo_model_set_load_wrench, None, None),
           "joint": (joint_function, lib.olo_model_set_joint_function,
                     joint_derivatives, lib.olo_model_set_joint_derivatives),
           "contact": (contact_function, lib.olo_model_set_contact_function, None, None)}


def vector(pointer):
    return numpy.array([pointer[0], pointer[1], pointer[2]])
