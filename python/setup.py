"""Puts the shared library into the package where the source tree has a build of it (build/release), so that an
installed package needs nothing else. Without one the package looks for a library of the system."""
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

BUILT = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "lib"


def built_library():
    found = [path for ending in ("so", "dylib") for path in BUILT.glob(f"liboloid.{ending}")]
    return found[0] if found else None


class Build(build_py):
    def run(self):
        super().run()
        library = built_library()
        if library:
            shutil.copy(library.resolve(), pathlib.Path(self.build_lib) / "oloid" / library.name)


class Platform(Distribution):
    def has_ext_modules(self):
        return built_library() is not None  # with a library inside, a wheel is for one platform


setup(distclass=Platform, cmdclass={"build_py": Build})
