"""The shared library and its declarations.

The library returns its own declarations (`olo_declarations`), so that the package and the headers
cannot differ. It is searched in this order:

1. the file that the environment variable OLOID_LIBRARY names;
2. the folder of this package;
3. the release build of the source tree that contains this package;
4. the library folders of the system, and /usr/local/lib.
"""
import ctypes.util
import os
import pathlib

import cffi

from ._version import VERSION

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("liboloid.so", "liboloid.dylib")
PACKAGE_FOLDERS = (HERE, HERE.parents[1] / "build" / "release" / "lib")
SYSTEM_FOLDERS = (pathlib.Path("/usr/local/lib"), pathlib.Path("/usr/local/lib64"))


def find():
    """Path, or name for the dynamic loader, of the library."""
    chosen = os.environ.get("OLOID_LIBRARY")
    if chosen:
        if not os.path.isfile(chosen):
            raise ImportError(f"OLOID_LIBRARY: there is no file '{chosen}'")
        return chosen
    files = [folder / name for folder in PACKAGE_FOLDERS for name in NAMES]
    system = ctypes.util.find_library("oloid")
    for path in files:
        if path.is_file():
            return str(path)
    if system:
        return system
    for path in (folder / name for folder in SYSTEM_FOLDERS for name in NAMES):
        if path.is_file():
            return str(path)
    raise ImportError("the library liboloid is not found: build and install it (make, make "
                      "install), or name the file in the environment variable OLOID_LIBRARY")


def same_series(one, other):
    """Whether major and minor version agree: before 1.0 every minor version may change the
    interface."""
    return one.split(".")[:2] == other.split(".")[:2]


def load(path):
    first = cffi.FFI()
    first.cdef("const char *olo_version(void); const char *olo_declarations(void);")
    try:
        library = first.dlopen(path)
        version = first.string(library.olo_version()).decode()
        declarations = first.string(library.olo_declarations()).decode()
    except (OSError, AttributeError) as problem:
        raise ImportError(f"'{path}' is not a library of Oloid {VERSION}: {problem}") from None
    if not same_series(version, VERSION):
        raise ImportError(f"'{path}' has version {version}, this package needs {VERSION}")
    everything = cffi.FFI()
    everything.cdef(declarations)
    return everything, everything.dlopen(path), version


path = find()
ffi, lib, version = load(path)


def text(pointer):
    """A C text as str; NULL as None."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def encode(value):
    """A str as a C text."""
    data = os.fspath(value)
    data = data if isinstance(data, bytes) else data.encode()
    if b"\0" in data:
        raise ValueError(f"a text must not contain a zero byte: {value!r}")
    return data


def filled(name, **members):
    """A new olo_<name> with the values of its default function, of which `members` are changed."""
    struct = ffi.new(f"olo_{name} *", getattr(lib, f"olo_{name}_default")())
    for member, value in members.items():
        setattr(struct, member, value)
    return struct
