"""`oloid run`: the summary, JSON, exit codes, results."""
import json
import os
import re
import resource

import h5py
import pytest
from conftest import MODELS, one_message

KEYS = {"name", "status", "steps", "unknowns", "newton_iterations", "wall_seconds", "cpu_seconds",
        "halvings", "step", "end", "scheme", "constraints", "degrees_of_freedom", "result",
        "verdict", "warnings", "energy"}
VERDICT_KEYS = {"quantity", "drift", "relative_drift", "tolerance", "level", "text"}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_runs_and_satisfies_its_laws(oloid, model):
    done = oloid("run", model, "--json", "--quiet", timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert KEYS <= set(report)
    assert report["name"] == model and report["status"] == "OK"
    assert report["steps"] > 0 and report["newton_iterations"] >= report["steps"]
    assert report["result"] == f"{model}.h5"
    assert report["verdict"]
    for verdict in report["verdict"]:
        assert VERDICT_KEYS <= set(verdict)
        assert verdict["level"] == "ok" and verdict["relative_drift"] <= verdict["tolerance"]
    with h5py.File(oloid.folder / report["result"], "r") as result:
        assert len(result) > 0
    assert report["report"] == f"{model}.report.html"
    assert sorted(os.listdir(oloid.folder)) == [f"{model}.h5", f"{model}.report.html"]


def test_summary_for_people(oloid):
    done = oloid("run", "heavy-top", "--step", "1e-3", "--end", "0.1", "--quiet")
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert re.match(r"heavy-top: 100 steps of 0\.001 to t = 0\.1 in .* s \(.* steps/s\), "
                    r"3 unknowns, \d\.\d iterations per step$", lines[0])
    assert re.search(r"^  energy +constant to \S+ +ok$", done.stdout, re.M)
    assert re.search(r"^  angular momentum z +constant to \S+ +ok$", done.stdout, re.M)
    assert re.search(r"^  constraints +satisfied to \S+ +ok$", done.stdout, re.M)
    assert lines[-2:] == ["  result: heavy-top.h5", "  report: heavy-top.report.html"]
    assert "\033" not in done.stdout


@pytest.mark.parametrize("extra, name", [
    ("loads: {name: wind, on: a, force: [1, 0, 0], time: sqrt(0.5 - t)}", "wind"),
    ("loads: [{on: a, force: [1, 0, 0]}, {name: gust, on: a, moment: [1, 0, 0], "
     "time: log(0.5 - t)}]", "gust"),
    ("joints: {name: motor, between: [ground, a], axis: [0, 0, 1], torque: 1, "
     "time: sqrt(0.5 - t)}", "motor"),
    ("joints: {name: crank, between: [ground, a], axis: [0, 0, 1], motion: sqrt(0.5 - t)}",
     "crank.motion")])
def test_function_that_is_not_a_number_is_named(oloid, extra, name):
    (oloid.folder / "m.yaml").write_text(
        "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n" + extra + "\n")
    done = oloid("run", "m.yaml", "--no-result", "-q")
    assert done.returncode == 3
    message = one_message(done)
    assert f"the step at t = 0.5 failed: '{name}' is not a finite number before" in message


def test_results_of_other_parameters_are_beside_each_other(oloid):
    names = {}
    for settings in ((), ("spin=60",), ("spin=60", "run.frames=5"), ("spin=1/3", "H=0.2"),
                     ("spin=" + "+".join(["1"] * 100),), ("spin=" + "+".join(["2"] * 100),)):
        words = [word for setting in settings for word in ("--set", setting)]
        done = oloid("run", "heavy-top", "--end", "0.01", "--json", "-q", *words)
        assert done.returncode == 0, done.stderr
        names[settings] = json.loads(done.stdout)["result"]
        assert (oloid.folder / names[settings]).exists()
    *short, long, other = names.values()
    assert short == ["heavy-top.h5", "heavy-top-spin=60.h5", "heavy-top-spin=60.h5",
                     "heavy-top-spin=1_3-H=0.2.h5"]
    assert long != other and len(long) < 160


WHEELS = """
name: wheels
bodies:
  - {name: hull, mass: 2, inertia: [1, 1, 1], position: [0, 0, 1], points: {left: [0, 0.5, 0]}}
  - {name: wheel, mass: 1, inertia: [1, 1, 1], position: [0, 0.8, 1], points: {hub: [0, 0, 0]}}
joints:
  - {name: axle, between: [hull.left, END], axis: [0, 1, 0], rate: 1}
run: {end: 0.1}
"""


def test_moved_start_is_a_warning_with_its_joint(oloid):
    (oloid.folder / "wheels.yaml").write_text(WHEELS.replace("END", "wheel.hub"))
    done = oloid("run", "wheels.yaml", "--json", "-q")
    report = json.loads(done.stdout)
    assert done.returncode == 6 and report["level"] == "warn"
    [warning] = report["warnings"]
    assert "'axle' was off by 0.3" in warning and "moved by" in warning
    assert report["projection"]["worst"] == "axle"
    page = (oloid.folder / "wheels.report.html").read_text()
    assert warning[:40] in page
    checked = json.loads(oloid("check", "wheels.yaml", "--json").stdout)
    assert checked["warnings"] == [warning]
    assert f"  warning: {warning}" in oloid("check", "wheels.yaml").stdout
    assert f"  warning: {warning}" in oloid("run", "wheels.yaml", "-q").stdout


def test_bodies_named_without_a_point_are_not_moved(oloid):
    (oloid.folder / "wheels.yaml").write_text(WHEELS.replace("END", "wheel"))
    done = oloid("run", "wheels.yaml", "--json", "-q")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["warnings"] == []
    assert report["projection"]["position"] == 0


def test_options_override_the_model(oloid):
    report = {}
    for kind in ("reduced", "multipliers"):
        done = oloid("run", "heavy-top", "--step=2e-3", "--end", "0.1", "--constraints", kind,
                     "--no-result", "--json", "-q")
        assert done.returncode == 0, done.stderr
        report[kind] = json.loads(done.stdout)
        assert report[kind]["steps"] == 50 and report[kind]["step"] == 2e-3
        assert report[kind]["end"] == 0.1 and report[kind]["constraints"] == kind
        assert report[kind]["result"] is None
    assert report["reduced"]["unknowns"] == 3 == report["reduced"]["degrees_of_freedom"]
    assert report["multipliers"]["unknowns"] > 3
    assert os.listdir(oloid.folder) == []


def test_settings_take_expressions_and_options_win(oloid):
    done = oloid("run", "--set", "run.step=1/500", "--set=run.end=0.2", "heavy-top", "--end", "0.1",
                 "--no-result", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["steps"] == 50


@pytest.mark.parametrize("arguments, expected", [
    (["--constraints", "reduce"], "reduced"),
    (["--step", "0"], "step"),
    (["--step", "-1"], "step"),
    (["--step", "abc"], "abc"),
    (["--end", "nan"], "end"),
    (["--set", "nonsense=1"], "nonsense"),
    (["--set", "run.stp=1"], "stp"),
])
def test_bad_values_are_bad_input(oloid, arguments, expected):
    done = oloid("run", "heavy-top", "--quiet", *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert expected in one_message(done)
    assert os.listdir(oloid.folder) == []


def test_output_may_be_anywhere_and_is_overwritten(oloid):
    path = oloid.folder / "a folder" / "top's result.h5"
    path.parent.mkdir()
    path.write_text("old")
    for _ in range(2):
        done = oloid("run", "heavy-top", "--end", "0.01", "--quiet", "--json", "-o", path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["result"] == str(path)
        with h5py.File(path, "r") as result:
            assert len(result) > 0
    assert sorted(os.listdir(path.parent)) == [path.name, "top's result.report.html"]


@pytest.mark.parametrize("output", ["missing/x.h5", "/proc/x.h5"])
def test_unwritable_output_is_an_io_error(oloid, output):
    done = oloid("run", "heavy-top", "--end", "0.01", "--quiet", "--output", output)
    assert done.returncode == 4, done.stderr
    assert output in one_message(done)


@pytest.mark.parametrize("model", ["missing.yaml", "missing/heavy-top.yaml"])
def test_a_missing_model_file(oloid, model):
    done = oloid("run", model)
    assert done.returncode in (2, 4) and done.stdout == ""
    assert model in one_message(done)


def test_a_broken_law_is_an_error_and_the_result_is_there(oloid):
    # if Newton's iteration stops early, the energy is not conserved
    done = oloid("run", "heavy-top", "--step", "0.01", "--end", "0.5", "--quiet", "--json",
                 "--set", "run.newton_tolerance=0.5")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "tolerance" in one_message(done)
    report = json.loads(done.stdout)
    assert report["ok"] is False and any(v["level"] == "broken" for v in report["verdict"])
    with h5py.File(oloid.folder / report["result"], "r") as result:
        assert len(result) > 0


def test_a_run_that_does_not_converge_says_where(oloid):
    done = oloid("run", "heavy-top", "--quiet", "--json", "--set", "run.iterations=1",
                 "--set", "run.halvings=0")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert report["status"] == "NOT_CONVERGED" and report["error"] in one_message(done)


@pytest.mark.slow
def test_start_and_first_step_of_a_small_model_take_less_than_20_ms(oloid):
    """Of processor time, which other work on the machine does not change; `make bench` has the time
    that passes."""
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    arguments = ["run", "planar-pendulum", "--step", "1e-3", "--end", "1e-3", "--quiet",
                 "--no-result"]
    best = float("inf")
    for _ in range(10):
        begin = used()
        done = oloid(*arguments)
        best = min(best, used() - begin)
        assert done.returncode == 0, done.stderr
    assert best < 0.020, f"{best * 1e3:.1f} ms"


def test_a_variational_run_bounds_its_energy(oloid):
    arguments = ("run", "heavy-top", "--scheme", "variational", "--step", "1e-3", "--end", "0.1",
                 "-q")
    done = oloid(*arguments)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^  energy +bounded: within \S+ of its start +ok$", done.stdout, re.M)
    assert re.search(r"^  angular momentum z +constant to \S+ +ok$", done.stdout, re.M)
    with h5py.File(oloid.folder / "heavy-top.h5", "r") as result:
        interval, total = result["/ledger/interval"][:], result["/ledger/total"][:]
        assert interval[0] == total[0] and abs(interval[1:] - total[1:]).max() > 0
    report = json.loads(oloid(*arguments, "--json", "--no-result").stdout)
    energy = report["verdict"][0]
    assert report["ok"] and report["scheme"] == "variational"
    assert energy["quantity"] == "energy" and energy["tolerance"] in (0.1, pytest.approx(0.01))
    assert 0 < energy["relative_drift"] < 1e-4
    done = oloid("run", "heavy-top", "--scheme", "variational", "--constraints", "penalty")
    assert done.returncode == 2
    assert "the scheme variational has no constraints by penalty" in done.stderr


def test_velocities_far_off_the_constraints_are_warned_of(oloid):
    """Velocities have a component of second order normal to the constraints, which has most of the
    energy if steps are large."""
    def level(model, step, end):
        done = oloid("run", model, "--step", step, "--end", end, "--json", "--quiet", "--no-result")
        return json.loads(done.stdout)["verdict"][-1]["level"]

    assert level("double-spherical-pendulum", "0.2", "10") == "warn"
    assert level("double-spherical-pendulum", "0.01", "10") == "ok"


def test_orders_and_tolerances(oloid):
    done = oloid("run", "double-spherical-pendulum", "--tolerance", "1e-6", "--no-result")
    assert done.returncode == 0
    assert re.search(r"\d+ steps of \S+ to \S+ to t = 10 in .*, \d+ rejected\n", done.stdout)
    assert "energy              constant to" in done.stdout
    report = json.loads(oloid("run", "double-spherical-pendulum", "--tolerance", "1e-6", "--json",
                              "--no-result", "-q").stdout)
    assert report["order"] == 4 and report["tolerance"] == 1e-6  # the default with a tolerance
    coarse = json.loads(oloid("run", "double-spherical-pendulum", "--order", "2", "--tolerance",
                              "1e-3", "--json", "--no-result", "-q").stdout)
    assert coarse["order"] == 2
    assert 0 < report["smallest_step"] < report["largest_step"]
    assert report["rejections"] >= 0 and report["ok"]


@pytest.mark.parametrize("arguments, words", [
    (["--order", "6"], "take order 4, or the scheme energy-momentum or variational"),
    (["--order", "3"], "must be 2, 4 or 6, got 3"),
    (["--scheme", "variational", "--tolerance", "1e-3"], "needs constant steps"),
    (["--order", "2", "--tolerance", "1e-12"], "take run.order: 4"),
    (["--tolerance", "1e-4", "--set", "run.smallest_step=0.1", "--set", "run.largest_step=0.01"],
     "smallest_step below"),
])
def test_orders_and_tolerances_that_are_not_there(oloid, arguments, words):
    done = oloid("run", "heavy-top", *arguments, "--no-result")
    assert done.returncode == 2 and words in done.stderr


def test_an_update_that_is_not_finite_is_reported_in_words(oloid):
    # a width near zero: the first update is infinite
    done = oloid("run", "cantilever", "--set", "width=1e-300", "--scheme", "variational",
                 "--constraints", "projected", "--step", "0.1", "--end", "0.4", "--no-result", "-q")
    assert done.returncode == 3
    assert "last updates not finite" in one_message(done)
    assert not re.search(r"\b(nan|inf)\b", done.stdout + done.stderr)
