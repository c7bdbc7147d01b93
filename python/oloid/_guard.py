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

    def keep(self, exception):
        if isinstance(exception, KeyboardInterrupt):
            self.interrupt = self.interrupt or exception
        else:
            self.exception = self.exception or exception

    def guarded(self, signature, function, error, again=False):
        """A C function pointer; `error` is what C gets after an exception. With `again` a function that Ctrl-C cut
        short, wherever that was, is called once more with its arguments, so that what is under way stays whole."""
        def failed(kind, exception, trace):
            exception = exception if exception is not None else kind()
            self.keep(exception)
            if again and trace is not None and isinstance(exception, KeyboardInterrupt):
                names = function.__code__.co_varnames[:function.__code__.co_argcount]
                found = trace.tb_frame.f_locals
                return function(*(found[name] for name in names))
            return None
        return ffi.callback(signature, function, error=error, onerror=failed)

    def take(self):
        """The exception that is to be raised now, or None; forgets it."""
        exception = self.exception or self.interrupt
        self.exception = self.interrupt = None
        return exception


def load_function(guard, function):
    """force(t, position, velocity) as olo_load.function; NaN from the first exception on, so that the step fails."""
    def called(_context, t, position, velocity, force):
        force[0:3] = [NAN, NAN, NAN]
        if guard.exception is None:
            value = function(t, vector(position), vector(velocity))
            force[0:3] = [float(x) for x in numpy.broadcast_to(value, 3)]
    return guard.guarded("void(void *, double, const double[3], const double[3], double[3])", called, None, again=True)


def joint_function(guard, function):
    """torque(t, coordinate, rate) as olo_joint.function."""
    def called(_context, t, coordinate, rate):
        return NAN if guard.exception is not None else float(function(t, coordinate, rate))
    return guard.guarded("double(void *, double, double, double)", called, NAN, again=True)


def load_slopes(guard, function):
    """The two matrices of slopes(t, position, velocity) as olo_load.slopes."""
    def called(_context, t, position, velocity, by_position, by_velocity):
        by_position[0:9] = by_velocity[0:9] = [NAN] * 9
        if guard.exception is None:
            for target, value in zip((by_position, by_velocity), function(t, vector(position), vector(velocity))):
                target[0:9] = [float(x) for x in numpy.broadcast_to(value, (3, 3)).ravel()]
    return guard.guarded("void(void *, double, const double[3], const double[3], double[9], double[9])", called, None,
                         again=True)


def joint_slopes(guard, function):
    """slopes(t, coordinate, rate) as olo_joint.slopes."""
    def called(_context, t, coordinate, rate, by):
        by[0:2] = [NAN, NAN]
        if guard.exception is None:
            by[0:2] = [float(x) for x in function(t, coordinate, rate)]
    return guard.guarded("void(void *, double, double, double, double[2])", called, None, again=True)


SETTERS = {"load": (load_function, lib.olo_model_set_load_function, load_slopes, lib.olo_model_set_load_derivatives),
           "joint": (joint_function, lib.olo_model_set_joint_function, joint_slopes, lib.olo_model_set_joint_derivatives)}


def vector(pointer):
    return numpy.array([pointer[0], pointer[1], pointer[2]])
