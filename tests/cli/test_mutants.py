"""A hundred damaged models: no crash, no hang, no message without file or option. The requirements
are in tests/mutate/models.py; `make study` has three thousand of them."""
import sys

import pytest
from conftest import ROOT, environment, executable

sys.path.insert(0, str(ROOT / "tests" / "mutate"))
import models  # noqa: E402


@pytest.mark.parametrize("index", range(100))
def test_a_damaged_model_is_run_or_refused(monkeypatch, index):
    monkeypatch.setenv("OLOID_MODELS", environment()["OLOID_MODELS"])
    found, _ = models.defects(executable(), "tests", index)
    assert found == [], f"tests/mutate/models.py --seed tests --only {index}"


def test_mutants_are_functions_of_seed_and_number():
    assert models.mutant("tests", 7) == models.mutant("tests", 7) != models.mutant("tests", 8)


@pytest.mark.parametrize("code, message, expected", [
    (-11, "", "ended by SIGSEGV"), (5, "oloid: something", "exit code 5"), (2, "", "0 messages"),
    (2, "oloid: it is not valid", "names neither the file nor an option"),
    (2, "oloid: mutant.yaml:1:1: it is wrong", None),
    (3, "oloid: energy is nan at t = 0", "reports NaN or infinity"),
    (3, "oloid: 'nan' is at fault at t = 0", None), (0, "", None),
    (0, "oloid: warning: it is slow", None)])
def test_what_counts_as_a_defect(code, message, expected):
    done = models.subprocess.CompletedProcess([], code, "", message)
    assert models.judge(done) == expected
