"""Python functions that C calls. An exception cannot pass through C: it is kept here, the computation is brought to
an end, and the exception is raised again when C has returned."""
import numpy

from ._library import ffi, lib

NAN = float("nan")


class Guard:
    """Keeps the first exception of the callbacks of a system or a run."""

    def __init__(self):
        self.exception = None  # the computation is broken
        self.interrupt = None  # Ctrl-C: what is under way is finished

    def keep(self, kind, exception, trace):
        """For cffi: an exception that a callback let through. Newton tries again what Ctrl-C has spoiled."""
        exception = exception if exception is not None else kind()
        if isinstance(exception, KeyboardInterrupt):
            self.interrupt = self.interrupt or exception
        else:
            self.exception = self.exception or exception

    def guarded(self, signature, function, error):
        """A C function pointer; `error` is what C gets after an exception."""
        return ffi.callback(signature, function, error=error, onerror=self.keep)

    def whole(self, function, *arguments):
        """Calls a force function. After Ctrl-C it is called again, for it is pure, so that the step is whole."""
        try:
            return function(*arguments)
        except KeyboardInterrupt as interrupt:
            self.interrupt = self.interrupt or interrupt
            return function(*arguments)

    def take(self):
        """The exception that is to be raised now, or None; forgets it."""
        exception = self.exception or self.interrupt
        self.exception = self.interrupt = None
        return exception


def load_function(guard, function):
    """force(t, position, velocity) as olo_load.function; NaN from the first exception on, so that the step fails."""
    def value(t, position, velocity, force):
        result = function(t, vector(position), vector(velocity))
        force[0:3] = [float(x) for x in numpy.broadcast_to(result, 3)]

    def called(_context, t, position, velocity, force):
        force[0:3] = [NAN, NAN, NAN]
        if guard.exception is None:
            guard.whole(value, t, position, velocity, force)
    return guard.guarded("void(void *, double, const double[3], const double[3], double[3])", called, None)


def joint_function(guard, function):
    """torque(t, coordinate, rate) as olo_joint.function."""
    def called(_context, t, coordinate, rate):
        return NAN if guard.exception is not None else float(guard.whole(function, t, coordinate, rate))
    return guard.guarded("double(void *, double, double, double)", called, NAN)


SETTERS = {"load": (load_function, lib.olo_model_set_load_function),
           "joint": (joint_function, lib.olo_model_set_joint_function)}


def vector(pointer):
    return numpy.array([pointer[0], pointer[1], pointer[2]])
