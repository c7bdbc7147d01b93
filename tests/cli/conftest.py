"""Runs the command as a person would: the executable is in the environment variable OLOID."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["double-spherical-pendulum", "free-body", "heavy-top", "planar-pendulum",
          "sliding-top", "spring-chain"]
COMMANDS = ["run", "equilibrium", "equilibria", "modes", "linearize", "optimize", "check", "models",
            "report", "export", "compare", "converge", "help"]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long, or measures time")


def executable():
    return os.environ.get("OLOID", str(ROOT / "build" / "release" / "oloid"))


def environment(**more):
    env = dict(os.environ)
    env.setdefault("OLOID_MODELS", str(ROOT / "models"))
    env.setdefault("OPENBLAS_NUM_THREADS", "1")
    env.update(more)
    return env


@pytest.fixture(scope="session")
def has_ipopt():
    done = subprocess.run([executable(), "optimize", "double-integrator", "--no-result", "-q", "-n",
                           "4"], text=True, capture_output=True, env=environment(), check=False)
    return "built without Ipopt" not in done.stderr


@pytest.fixture
def needs_ipopt(has_ipopt):
    if not has_ipopt:
        pytest.skip("Oloid was built without Ipopt")


@pytest.fixture
def oloid(tmp_path):
    """Runs `oloid` in an empty folder; gives returncode, stdout and stderr."""
    def run(*arguments, timeout=120, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run([executable(), *map(str, arguments)], cwd=tmp_path, text=True,
                              timeout=timeout, env=environment(**(env or {})), **options)
    run.folder = tmp_path
    return run


def one_message(done):
    """The one line of stderr, which begins with `oloid: `."""
    # an instrumented program cannot write its counts where it may write nothing
    lines = [line for line in done.stderr.splitlines()
             if not line.startswith(("libgcov", "profiling:"))]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("oloid: "), done.stderr
    return lines[0]
