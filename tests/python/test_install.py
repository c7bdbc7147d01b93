"""`pip install ./python`: the package with the library inside, without a compiler and without a
network."""
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT


def run(words, **options):
    return subprocess.run([sys.executable, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300, **options)


def test_an_installed_package_needs_nothing_of_the_source_tree(tmp_path):
    import oloid._library
    for tool in ("pip", "setuptools", "wheel"):
        if run(["-c", f"import {tool}"]).returncode != 0:
            pytest.skip(f"{tool} is not installed: pip install ./python is not tried")
    # a source tree of its own, with a build in it
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "python", tree / "python",
                    ignore=shutil.ignore_patterns("build", "*.egg-info"))
    (tree / "build" / "release" / "lib").mkdir(parents=True)
    shutil.copy(oloid._library.path, tree / "build" / "release" / "lib" / "liboloid.so")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "OLOID_LIBRARY")}
    done = run(["-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
                "--quiet", "--target", str(tmp_path / "site"), str(tree / "python")],
               env=environment)
    assert done.returncode == 0, done.stdout
    shutil.rmtree(tree)
    program = ("import oloid, oloid._library as l; print(l.path); "
               "print(oloid.run('heavy-top', end=0.01).ok)")
    done = run(["-c", program], cwd=tmp_path,
               env={**environment, "PYTHONPATH": str(tmp_path / "site")})
    assert done.stdout.splitlines() == [str(tmp_path / "site" / "oloid" / "liboloid.so"), "True"]
