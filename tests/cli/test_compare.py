"""The treatments side by side: tables 4.1 and 4.2 of the thesis, table II of part II, P2 and P4 to
P8, T4 to T8."""
import json
import re
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import environment, executable, one_message


def compare(oloid, model, *arguments):
    """The rows by treatment and penalty: rows["reduced"], rows["penalty", 1e5]."""
    done = oloid("compare", model, *arguments, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["name"] == model and report["status"] == "OK"
    return {(row["treatment"], row["penalty"]) if row["penalty"] else row["treatment"]: row
            for row in report["rows"]}


def no_failure(rows):
    assert all(row["failure"] is None and row["condition_failure"] is None for row in rows.values())


# -- the double spherical pendulum, table 4.1 ------------------------------------------------------

@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    done = subprocess.run(
        [executable(), "compare", "double-spherical-pendulum", "--count", "1000", "--no-cpu",
         "--penalty", "1e5,1e6,1e7,1e10", "--steps", "1e-2,1e-3,1e-4", "--json", "--quiet"],
        cwd=tmp_path_factory.mktemp("pendulum"), env=environment(), text=True, check=True,
        stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    assert report["base"] == "reduced" and report["step"] == 0.01 and report["end"] == 10
    rows = {(row["treatment"], row["penalty"]) if row["penalty"] else row["treatment"]: row
            for row in report["rows"]}
    no_failure(rows)
    assert all(row["steps"] == 1000 for row in rows.values())
    return rows


def test_P2_unknowns_of_the_pendulum(pendulum):
    assert pendulum["multipliers"]["unknowns"] == 8
    assert pendulum["penalty", 1e5]["unknowns"] == pendulum["augmented", 1e5]["unknowns"] == 6
    assert pendulum["projected"]["unknowns"] == 6
    assert pendulum["reduced"]["unknowns"] == 4


def test_P4_exact_treatments_of_the_pendulum_are_one_trajectory(pendulum):
    for name in ("multipliers", "projected"):
        assert 0 < pendulum[name]["difference"]["z"] < 1e-10
        assert pendulum[name]["constraint_error"]["max"] < 1e-15
        assert pendulum[name]["energy_drift"] < 1e-12
    assert pendulum["reduced"]["constraint_error"]["max"] < 1e-15


def test_P5_penalty_of_the_pendulum(pendulum):
    for penalty, end, largest in [(1e5, 1.9e-3, 2.8e-3), (1e6, 1.1e-4, 2.9e-4),
                                  (1e7, 1.0e-5, 2.9e-5), (1e10, 1.5e-8, 2.8e-8)]:
        row = pendulum["penalty", penalty]
        assert row["constraint_error"]["end"] == pytest.approx(end, rel=0.05)
        assert row["constraint_error"]["max"] == pytest.approx(largest, rel=0.05)
        assert row["energy_drift"] < 1e-9  # of H + mu |g|^2
        assert row["momentum_drift"] < 1e-9
    for penalty, difference in [(1e5, 3.7e-2), (1e6, 5.6e-3), (1e7, 3.7e-4), (1e10, 4.1e-5)]:
        assert pendulum["penalty", penalty]["difference"]["z"] == pytest.approx(difference,
                                                                                rel=0.03)


def test_P6_augmented_reaches_its_tolerance_in_every_step_of_the_pendulum(pendulum):
    row = pendulum["augmented", 1e5]
    assert row["constraint_error"]["max"] <= 1e-10
    assert row["passes"] == pytest.approx(42.9, rel=0.01)
    assert row["difference"]["z"] < 1e-6
    assert pendulum["augmented", 1e6]["passes"] == pytest.approx(8.6, rel=0.02)
    assert pendulum["augmented", 1e7]["passes"] == pytest.approx(3.9, rel=0.02)


def test_P7_P8_table_4_1_condition_numbers(pendulum):
    multipliers = pendulum["multipliers"]["condition"]
    assert multipliers == pytest.approx([1.17e9, 1.17e12, 1.17e15], rel=0.01)
    assert multipliers[1] / multipliers[0] == pytest.approx(1000, rel=0.05)
    assert multipliers[2] / multipliers[1] == pytest.approx(1000, rel=0.05)
    assert pendulum["reduced"]["condition"] == pytest.approx([5.83] * 3, rel=0.01)
    assert pendulum["penalty", 1e5]["condition"] == pytest.approx([7.5, 5.8, 5.8], rel=0.01)
    assert pendulum["augmented", 1e5]["condition"] == pytest.approx([7.5, 5.9, 5.8], rel=0.01)
    stiff = pendulum["penalty", 1e10]["condition"]
    assert stiff == pytest.approx([1.7e5, 1.7e3, 23], rel=0.02)
    assert stiff[0] / stiff[1] == pytest.approx(100, rel=0.01)


# -- the heavy top, table 4.2 ----------------------------------------------------------------------

@pytest.fixture(scope="module")
def top(tmp_path_factory):
    done = subprocess.run(
        [executable(), "compare", "heavy-top", "--step", "0.01", "--end", "3", "--no-cpu",
         "--penalty", "1e5,1e6,1e10", "--steps", "1e-2,1e-3,1e-4", "--json", "--quiet",
         "--set", "run.augmented_tolerance=1e-9"],
        cwd=tmp_path_factory.mktemp("top"), env=environment(), text=True, check=True,
        stdout=subprocess.PIPE)
    rows = {(row["treatment"], row["penalty"]) if row["penalty"] else row["treatment"]: row
            for row in json.loads(done.stdout)["rows"]}
    no_failure(rows)
    return rows


def test_T4_unknowns_of_the_top_and_one_trajectory(top):
    assert top["multipliers"]["unknowns"] == 21
    assert top["penalty", 1e5]["unknowns"] == top["augmented", 1e5]["unknowns"] == 12
    assert top["reduced"]["unknowns"] == 3
    for name in ("multipliers", "projected"):
        assert 0 < top[name]["difference"]["z"] < 1e-10


@pytest.mark.parametrize("penalty, largest, difference", [
    (1e5, 9.7e-5, 1.5e-2), (1e6, 1.9e-5, 2.9e-3), (1e10, 1.9e-9, None)])
def test_T5_penalty_of_the_top(top, penalty, largest, difference):
    row = top["penalty", penalty]
    assert row["constraint_error"]["max"] == pytest.approx(largest, rel=0.05)
    assert row["energy_drift"] < 1e-9
    if difference:
        assert row["difference"]["z"] == pytest.approx(difference, rel=0.05)


def test_T6_augmented_of_the_top_takes_five_solutions_a_step(top):
    row = top["augmented", 1e5]
    assert row["passes"] == pytest.approx(4.9, rel=0.02)
    assert row["constraint_error"]["max"] <= 1e-9
    assert row["difference"]["z"] < 1e-5


def test_T7_table_4_2_condition_numbers(top):
    assert top["multipliers"]["condition"] == pytest.approx([2.0e6, 2.0e9, 2.0e12], rel=0.01)
    assert top["penalty", 1e5]["condition"] == pytest.approx([2.8e4, 2.9e3, 2.7e3], rel=0.03)
    assert top["augmented", 1e5]["condition"] == pytest.approx([2.8e4, 2.9e3, 2.7e3], rel=0.03)
    assert top["penalty", 1e10]["condition"] == pytest.approx([2.8e9, 3.8e7, 3.8e5], rel=0.03)
    assert top["reduced"]["condition"] == pytest.approx([8.5, 8.5, 8.5], rel=0.01)


@pytest.mark.parametrize("null_space", ["explicit", "implicit"])
def test_T8_both_null_space_matrices_give_the_constrained_trajectory(oloid, null_space):
    rows = compare(oloid, "heavy-top", "--treatments", "multipliers,projected", "--step", "1e-3",
                   "--end", "1", "--no-cpu", "--steps", "1e-3", "--set",
                   f"run.null_space={null_space}")
    assert rows["multipliers"]["difference"]["z"] == 0  # no reduced here: the first is the base
    assert 0 < rows["projected"]["difference"]["z"] < 1e-10
    assert rows["projected"]["iterations"] == pytest.approx(3, abs=0.1)


def test_table_II_of_part_II(oloid):
    rows = compare(oloid, "heavy-top", "--treatments", "reduced,multipliers", "--count", "1",
                   "--no-cpu", "--steps", "5e-2,5e-3,5e-4")
    assert rows["multipliers"]["condition"] == pytest.approx([1.647e4, 1.608e7, 1.608e10], rel=1e-3)
    assert rows["reduced"]["condition"] == pytest.approx([8.61, 8.50, 8.50], rel=1e-3)


def pendulum_tangent(steps, h=0.01):
    """The tangent of (3.2.7) in the last of `steps` steps of the double spherical pendulum,
    computed here."""
    mass = np.kron([[15.0, 5.0], [5.0, 5.0]], np.eye(3))
    weight = np.array([0, 0, 15 * 9.81, 0, 0, 5 * 9.81])
    q = np.array([1.0, 0, 0, 1, 0, 0])
    p = mass @ [0, -2.0, 0, 0, -3, 0]

    def jacobian(x):
        return np.array([[*x[:3], 0, 0, 0], [0, 0, 0, *x[3:]]])

    for _ in range(steps):
        new, multiplier = q.copy(), np.zeros(2)
        for _ in range(20):
            middle = jacobian((q + new) / 2)
            force = 2 / h * mass @ (new - q) - 2 * p + h * weight + h * middle.T @ multiplier
            gap = (np.array([new[:3] @ new[:3], new[3:] @ new[3:]]) - 1) / 2
            tangent = np.block([[2 / h * mass + h / 2 * np.kron(np.diag(multiplier), np.eye(3)),
                                 h * middle.T], [jacobian(new), np.zeros((2, 2))]])
            change = np.linalg.solve(tangent, -np.concatenate([force, gap]))
            new, multiplier = new + change[:6], multiplier + change[6:]
        p = 2 / h * mass @ (new - q) - p
        q = new
    return tangent


@pytest.mark.parametrize("steps", [1, 20, 50])
def test_condition_numbers_along_the_run(oloid, steps):
    rows = compare(oloid, "double-spherical-pendulum", "--treatments", "multipliers", "--count",
                   "1", "--no-cpu", "--steps", "1e-2", "--at", f"{0.01 * steps}")
    expected = np.linalg.cond(pendulum_tangent(steps))
    assert rows["multipliers"]["condition"] == pytest.approx([expected], rel=1e-6)


# -- cost ------------------------------------------------------------------------------------------

@pytest.mark.slow
def test_processor_time_of_the_pendulum_and_the_top(oloid):
    # sheet, 4: qualitative only. Pendulum: augmented far beyond the others. Top: reduced first,
    # augmented last; how multipliers and penalty stand to each other is a matter of the
    # implementation
    rows = compare(oloid, "double-spherical-pendulum", "--count", "1000", "--steps", "1e-2")
    assert rows["reduced"]["cpu_ratio"] == 1
    for name, row in rows.items():
        assert row["cpu_seconds"] > 0
        if name != ("augmented", 1e5):
            assert row["cpu_ratio"] < 0.5 * rows["augmented", 1e5]["cpu_ratio"]
    rows = compare(oloid, "heavy-top", "--step", "0.01", "--count", "1000", "--steps", "1e-2",
                   "--treatments", "reduced,multipliers,penalty,augmented")
    ratios = [row["cpu_ratio"] for row in rows.values()]
    assert ratios[0] == 1 == min(ratios) and ratios[3] == max(ratios)


# -- how it is shown -------------------------------------------------------------------------------

def test_tables_for_people(oloid):
    done = oloid("compare", "heavy-top", "--treatments", "reduced,multipliers,penalty", "--penalty",
                 "1e5,1e6", "--step", "1e-3", "--count", "50", "--steps", "1e-3,1e-4", "--quiet")
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == ("heavy-top: steps of 0.001 to t = 0.05 (energy-momentum-2006); "
                        "12 coordinates, 9 constraints")
    assert lines[1].split() == ["treatment", "unknowns", "CPU", "iterations", "passes", "|g|",
                                "end", "|g|", "max", "energy", "momentum", "difference"]
    assert [line.split()[0] for line in lines[2:6]] == ["reduced", "multipliers", "penalty",
                                                        "penalty"]
    assert lines[2].split()[1:3] == ["3", "1"]
    assert lines[4].startswith("  penalty 1e+05 ") and lines[5].startswith("  penalty 1e+06 ")
    assert "relative to reduced" in done.stdout
    table = lines[lines.index("  condition numbers of the iteration matrix in the first step") + 1:]
    assert table[0].split() == ["treatment", "h", "=", "0.001", "h", "=", "0.0001"]
    assert re.fullmatch(r"  multipliers +2\.01e\+09 +2\.01e\+12", table[2])
    assert max(map(len, lines)) <= 100


def test_without_processor_time_there_is_no_column(oloid):
    done = oloid("compare", "heavy-top", "--count", "5", "--no-cpu", "--quiet")
    assert done.returncode == 0 and "CPU " not in done.stdout.splitlines()[1]


def test_a_model_without_constraints_can_be_compared(oloid):
    rows = compare(oloid, "spring-chain", "--count", "20", "--no-cpu", "--steps", "1e-2")
    no_failure(rows)
    for row in rows.values():
        assert row["unknowns"] == 12 and row["constraint_error"]["max"] == 0
        assert row["difference"]["z"] < 1e-10


def test_a_treatment_that_fails_is_a_row_with_its_reason(oloid):
    # with a penalty of 1 a pass takes 5e-6 of the constraint error away: no number of passes is
    # enough
    arguments = ["compare", "double-spherical-pendulum", "--treatments", "reduced,augmented",
                 "--penalty", "1", "--count", "10", "--no-cpu", "--steps", "1e-2", "--quiet",
                 "--set", "run.halvings=0"]
    done = oloid(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    reduced, augmented = json.loads(done.stdout)["rows"]
    assert reduced["failure"] is None and reduced["steps"] == 10
    assert "t = 0" in augmented["failure"]
    assert augmented["steps"] == 0 and augmented["difference"]["z"] is None
    # the matrix of the inner problem is known; with so small a penalty it is the mass matrix
    assert augmented["condition_failure"] is None
    assert augmented["condition"] == pytest.approx([np.linalg.cond([[15, 5], [5, 5]])], rel=1e-3)
    text = oloid(*arguments)
    assert text.returncode == 0 and "\n  augmented 1: the step at t = 0" in text.stdout
    # it is an error if no treatment succeeds
    done = oloid(*arguments[:3], "augmented", *arguments[4:])
    assert done.returncode == 3 and "t = 0" in one_message(done)


def test_a_missing_condition_number_has_its_reason(oloid):
    # more than half a turn per step
    rows = compare(oloid, "heavy-top", "--treatments", "reduced", "--count", "1", "--no-cpu",
                   "--steps", "1e-3,10", "--set", "run.iterations=3")
    condition = rows["reduced"]["condition"]
    assert condition[0] == pytest.approx(8.5, rel=0.01) and condition[1] is None
    assert "h = 10" in rows["reduced"]["condition_failure"]


@pytest.mark.parametrize("arguments, expected", [
    (["--treatments", "reduced,penalt"], "did you mean 'penalty'?"),
    (["--treatments", "reduced,"], "no treatment ''"),
    (["--penalty", "x"], "--penalty"),
    (["--penalty", "-1"], "--penalty"),
    (["--steps", "0"], "--steps"),
    (["--at", "1,2"], "--at"),
    (["--count", "1.5"], "whole number"),
    (["--count", "10", "--end", "1"], "exclude each other"),
    (["--step", "abc"], "abc"),
    (["--set", "nonsense=1"], "nonsense"),
])
def test_wrong_use(oloid, arguments, expected):
    done = oloid("compare", "heavy-top", "--quiet", *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert expected in one_message(done)


def test_interrupt_prints_what_is_there(tmp_path):
    process = subprocess.Popen(
        [executable(), "compare", "heavy-top", "--treatments", "reduced,multipliers", "--count",
         "1000000000", "--json", "--quiet"], cwd=tmp_path, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130 and "interrupted" in stderr
    report = json.loads(stdout)
    assert report["status"] == "INTERRUPTED"
    reduced, multipliers = report["rows"]
    assert reduced["steps"] > 0 and reduced["unknowns"] == 3
    assert multipliers["steps"] == 0 and multipliers["failure"] is None
