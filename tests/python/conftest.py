"""The Python package against the library of this build: PYTHONPATH and OLOID_LIBRARY lead to them,
OLOID to the command."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("OLOID_MODELS", str(ROOT / "models"))
os.environ.setdefault("OLOID", str(ROOT / "build" / "release" / "oloid"))
os.environ.setdefault("MPLBACKEND", "Agg")
if str(ROOT / "python") not in os.environ.get("PYTHONPATH", ""):
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture
def command(tmp_path):
    """Runs the command in an empty folder; gives what it did."""
    def run(*arguments, timeout=120):
        return subprocess.run([os.environ["OLOID"], *map(str, arguments)], cwd=tmp_path, text=True,
                              timeout=timeout, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.folder = tmp_path
    return run


def pendulum(**keys):
    """A point mass on a rod."""
    import oloid
    model = oloid.Model("pendulum", gravity=[0, 0, -9.81], run={"step": 0.01, "end": 1}, **keys)
    model.add_point(name="bob", mass=2, position=[1, 0, 0])
    model.add_rod(name="rod", between=[[0, 0, 0], "bob"])
    return model
