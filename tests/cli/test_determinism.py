"""The same input gives the same bits: in each run, with any number of threads and, with equal
flags, with any compiler. CSV has 17 digits, so equal texts are equal numbers."""
import hashlib
import os
import subprocess

import h5py
import pytest
from conftest import MODELS, environment, executable


def table(command, folder, model, **env):
    """The CSV table of a run of 300 steps of a model."""
    def run(*arguments):
        done = subprocess.run([command, *arguments], cwd=folder, env=environment(**env), text=True,
                              capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("run", model, "--quiet", "--step", "1/1024", "--end", "300/1024", "--output", "run.h5")
    return run("export", "run.h5", "--csv", "-")


@pytest.mark.parametrize("model", MODELS)
def test_same_bits_with_one_and_two_threads(tmp_path, model):
    one = table(executable(), tmp_path, model, OPENBLAS_NUM_THREADS="1")
    two = table(executable(), tmp_path, model, OPENBLAS_NUM_THREADS="2")
    assert one.count("\n") == 302
    assert one == two


THREADS = ["1", "2", "4"]  # of BLAS, which takes no more than there are processors
# so large that BLAS would use several threads: matrices of more than some hundred rows
LARGE = {"chain": ["--set", "n=40"], "four-bar-spatial": ["--set", "n=8"], "six-body-linkage": [],
         "flexible-robot-arm": []}
TREATMENTS = {"energy-momentum-2006": ["reduced", "minimal", "multipliers", "projected", "penalty",
                                  "augmented"],
              "variational": ["reduced", "minimal", "multipliers", "projected"]}


def fingerprint(path):
    """A hash of all data of a result about the motion."""
    digest = hashlib.sha256()
    with h5py.File(path, "r") as result:
        for name in ("frames", "ledger", "verdict"):
            result[name].visititems(lambda key, item: digest.update(key.encode()
                                                                    + item[()].tobytes())
                                    if isinstance(item, h5py.Dataset) and item.dtype.kind == "f"
                                    else None)
    return digest.hexdigest()


def fingerprints(folder, *arguments):
    """The hashes of the result of a command with one, two and four threads."""
    found = []
    for threads in THREADS:
        done = subprocess.run([executable(), *arguments, "--no-report", "--output", "run.h5"],
                              cwd=folder, text=True, env=environment(OPENBLAS_NUM_THREADS=threads),
                              capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found.append(fingerprint(folder / "run.h5"))
        os.remove(folder / "run.h5")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("scheme, treatment",
                         [(s, t) for s, all in TREATMENTS.items() for t in all])
@pytest.mark.parametrize("model", LARGE)
def test_same_bits_of_all_treatments_with_any_number_of_threads(tmp_path, model, scheme, treatment):
    given = ["--set", "run.penalty=1e6"] if treatment in ("penalty", "augmented") else []
    found = fingerprints(tmp_path, "run", model, *LARGE[model], *given, "--scheme", scheme,
                         "--constraints", treatment, "--step", "1e-3", "--end", "2e-3", "--quiet")
    assert len(set(found)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hanging-chain", "bend-45", "roll-up"])
def test_same_bits_of_equilibria_with_any_number_of_threads(tmp_path, model):
    assert len(set(fingerprints(tmp_path, "equilibrium", model))) == 1


@pytest.mark.slow
def test_same_bits_of_linear_systems_with_any_number_of_threads(tmp_path):
    found = set()
    for threads in THREADS:
        done = subprocess.run([executable(), "linearize", "chain", "--set", "n=150", "--hold",
                               "--json"], cwd=tmp_path,
                              text=True, env=environment(OPENBLAS_NUM_THREADS=threads),
                              capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.skipif("OLOID_OTHER" not in os.environ,
                    reason="OLOID_OTHER is no command of another compiler")
@pytest.mark.parametrize("model", MODELS)
def test_same_bits_with_two_compilers(tmp_path, model):
    assert table(executable(), tmp_path, model) == table(os.environ["OLOID_OTHER"], tmp_path, model)
