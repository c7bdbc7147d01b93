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
    for tool in ("pip", "venv"):
        if run(["-c", f"import {tool}"]).returncode != 0:
            pytest.skip(f"{tool} is not installed: pip install ./python is not tried")
    # a source tree of its own, with a build in it
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "python", tree / "python",
                    ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    shutil.copytree(ROOT / "models", tree / "models")
    (tree / "build" / "release" / "lib").mkdir(parents=True)
    shutil.copy(oloid._library.path, tree / "build" / "release" / "lib" / "liboloid.so")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "OLOID_LIBRARY", "OLOID_MODELS")}
    # a virtual environment without setuptools, wheel and network; cffi and NumPy are those of here
    if run(["-m", "venv", "--system-site-packages", str(tmp_path / "venv")]).returncode != 0:
        pytest.skip("this Python makes no virtual environments")
    python = str(tmp_path / "venv" / "bin" / "python")
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet",
                           str(tree / "python")], text=True, capture_output=True, env=environment,
                          timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(tree)
    program = ("import oloid, oloid._library as l; "
               "from oloid._errors import create; print(l.path); "
               "c = create('olo_catalogue', l.lib.olo_catalogue_open, l.lib.olo_catalogue_free); "
               "print({l.text(l.lib.olo_catalogue_file(c, i)).rpartition('/')[0] "
               "for i in range(l.lib.olo_catalogue_count(c))}); "
               "print(oloid.run('heavy-top', end=0.01).ok, oloid.__version__)")
    done = subprocess.run([python, "-c", program], cwd=tmp_path, text=True, capture_output=True,
                          env=environment, timeout=300)
    library, folders, result = done.stdout.splitlines()
    assert library.startswith(str(tmp_path / "venv")) and library.endswith("/oloid/liboloid.so")
    assert folders == str({library.rpartition("/")[0] + "/models"})
    assert result.split()[0] == "True"
