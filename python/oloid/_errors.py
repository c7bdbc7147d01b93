"""Errors of the library as exceptions: its text, its status, and the kind of exception that fits."""
import threading

from ._library import ffi, lib, text


class Error(Exception):
    """Something failed; `str(error)` is the library's text, `status` its name, for example "BAD_INPUT".

    Where a run failed, `result` is what there is of it."""

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
    """An iteration did not converge, a matrix is singular, a number is not finite. Of a search for an equilibrium that failed,
    `equilibrium` is the last one it found, a limit point for instance."""

    equilibrium = None


class FileError(Error, OSError):
    """A file could not be read or written."""


class OutOfMemory(Error, MemoryError):
    """Out of memory."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `result` is what there is of it, and can be resumed if it has a file of its own."""

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
    """Calls a function that creates something through its last but one argument; frees it when nobody has it any more."""
    made = ffi.new(f"{kind} **")
    call(function, *arguments, made)
    return ffi.gc(made[0], free)


def aside(work, *arguments):
    """work(*arguments) in a thread of its own where Ctrl-C is heard, so that it raises KeyboardInterrupt at once, however long
    the library takes. The thread then comes to its end in the background, and what it makes is dropped: `work` may only read
    what others have. A process that exits waits for it: the library must not run while its process is taken down."""
    if threading.current_thread() is not threading.main_thread():
        return work(*arguments)
    outcome = []
    done = threading.Event()

    def run():
        try:
            outcome.append((work(*arguments), None))
        except BaseException as exception:  # is raised where the work was asked for
            outcome.append((None, exception))
        done.set()
    threading.Thread(target=run).start()
    done.wait()  # not join: a join that Ctrl-C interrupts marks the thread as ended (CPython 3.9 to 3.12)
    value, exception = outcome[0]
    if exception is not None:
        raise exception
    return value
