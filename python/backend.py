"""Builds the wheel of the package (PEP 517) with the standard library alone, so that `pip install
./python` needs no network for build tools. The wheel contains the shared library of build/release
and the catalogue of models, so that an installed package needs nothing else. Without a build it
has the Python files only and looks for a library of the system."""
import ast
import base64
import hashlib
import pathlib
import re
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent
PROJECT = (HERE / "pyproject.toml").read_text()
VERSION = re.search(r'VERSION = "(.*)"', (HERE / "oloid" / "_version.py").read_text()).group(1)
INFO = f"oloid-{VERSION}.dist-info"


def value(key):
    """A value of pyproject.toml: a text, or a list in one line."""
    return ast.literal_eval(re.search(rf"^{key} = (.*)$", PROJECT, re.MULTILINE).group(1))


def library():
    """The shared library of the release build, or None."""
    folder = TREE / "build" / "release" / "lib"
    found = [folder / f"liboloid.{ending}" for ending in ("so", "dylib")]
    return next((path for path in found if path.exists()), None)


def metadata():
    lines = ["Metadata-Version: 2.1", "Name: oloid", f"Version: {VERSION}",
             f"Summary: {value('description')}", f"Requires-Python: {value('requires-python')}"]
    lines += [f"Requires-Dist: {one}" for one in value("dependencies")]
    lines += ["Provides-Extra: plot"]
    lines += [f'Requires-Dist: {one}; extra == "plot"' for one in value("plot")]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()


def tag():
    """With a library inside, a wheel is for one platform."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform()) if library() else "any"
    return f"py3-none-{platform}"


def contents():
    """Names in the wheel, and their files."""
    for path in sorted((HERE / "oloid").glob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"oloid/{path.name}", path.read_bytes()
    if library():
        yield f"oloid/{library().name}", library().resolve().read_bytes()
    for path in sorted((TREE / "models").glob("*.yaml")):
        yield f"oloid/models/{path.name}", path.read_bytes()


def write_wheel(folder, files):
    name = f"oloid-{VERSION}-{tag()}.whl"
    wheel = f"Wheel-Version: 1.0\nGenerator: oloid\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    files = [*files, (f"{INFO}/METADATA", metadata().encode()), (f"{INFO}/WHEEL", wheel.encode())]
    record = ""
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            archive.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        archive.writestr(f"{INFO}/RECORD", record + f"{INFO}/RECORD,,\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, contents())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip install -e ./python`: a path to this folder instead of copies."""
    return write_wheel(wheel_directory, [("oloid.pth", f"{HERE}\n".encode())])


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package is built in the source tree: pip install ./python")
