"""Errors of the library as exceptions, with its text and status."""
import threading

from ._library import ffi, lib, text


class Error(Exception):
    """A call failed; `str(error)` is the text of the library, `status` the name of the status, for
    example "BAD_INPUT".

    If a run failed, `result` is its result so far."""

    def __init__(self, message, status="BAD_INPUT"):
        super().__init__(message)
        self.status = status
        self.result = None

    def __str__(self):
        return str(self.args[0])


class InputError(Error, ValueError):
    """The model, an option or an argument is not valid."""


class NotFoundError(InputError, LookupError):
    """A name is not known."""


class ComputationError(Error, ArithmeticError):
    """An iteration did not converge, a matrix is singular, or a number is not finite. If a search
    for an equilibrium failed, `equilibrium` is the last one that was found, for instance a limit
    point; if no optimum was found, `optimum` is the point at which the solver ended."""

    equilibrium = None
    optimum = None


class FileError(Error, OSError):
    """A file could not be read or written."""


class OutOfMemory(Error, MemoryError):
    """Out of memory."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `result` is the result so far, and can be resumed if the run had an
    `output`. Ctrl-C during an optimisation: `optimum` is the best point so far."""

    optimum = None

    def __init__(self, message, result=None):
        super().__init__(message)
        self.status = "INTERRUPTED"
        self.result = result


class DriftWarning(UserWarning):
    """A conserved quantity drifted by more than its tolerance."""


KINDS = {
    "BAD_INPUT": InputError,
    "UNSUPPORTED": InputError,
    "INCONSISTENT": InputError,
    "NOT_FOUND": NotFoundError,
    "NOT_CONVERGED": ComputationError,
    "SINGULAR": ComputationError,
    "NOT_FINITE": ComputationError,
    "IO": FileError,
    "NO_MEMORY": OutOfMemory,
}


def from_status(status, error):
    """The exception for a status and the text of an olo_error."""
    name = text(lib.olo_status_name(status))
    message = text(error.text) or text(lib.olo_status_text(status))
    return KINDS.get(name, Error)(message, name)


def call(function, *arguments):
    """Calls a function that returns a status and takes an error as its last argument."""
    error = ffi.new("olo_error *")
    status = function(*arguments, error)
    if status != lib.OLO_OK:
        raise from_status(status, error)


def create(kind, function, free, *arguments):
    """Calls a function that creates an object through its last but one argument. The object is
    freed with its last reference."""
    made = ffi.new(f"{kind} **")
    call(function, *arguments, made)
    return ffi.gc(made[0], free)


def interruptible(work, *arguments):
    """Runs work(*arguments) in a thread, so that Ctrl-C in the main thread raises
    KeyboardInterrupt at once, however long the library takes. The thread then finishes in the
    background, and its value is dropped; therefore `work` may only read objects that others use.
    The exit of the process waits for the thread, because the library must not run during the
    shutdown."""
    if threading.current_thread() is not threading.main_thread():
        return work(*arguments)
    outcome = []
    done = threading.Event()

    def run():
        try:
            outcome.append((work(*arguments), None))
        except BaseException as exception:  # raised below, in the calling thread
            outcome.append((None, exception))
        done.set()
    threading.Thread(target=run).start()
    # not join: a join that Ctrl-C interrupts marks the thread as ended (CPython 3.9 to 3.12)
    done.wait()
    value, exception = outcome[0]
    if exception is not None:
        raise exception
    return value
