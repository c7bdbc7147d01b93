"""The same input gives the same bits: run after run, whatever the number of threads and, at equal flags,
whichever compiler. CSV has 17 digits, so equal texts are equal numbers."""
import os
import subprocess

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


@pytest.mark.skipif("OLOID_OTHER" not in os.environ, reason="OLOID_OTHER is no command of another compiler")
@pytest.mark.parametrize("model", MODELS)
def test_same_bits_with_two_compilers(tmp_path, model):
    assert table(executable(), tmp_path, model) == table(os.environ["OLOID_OTHER"], tmp_path, model)
