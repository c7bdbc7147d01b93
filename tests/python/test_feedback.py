"""After an optimum: feedback, sensitivity, refinement, homotopy, starts, receding horizons."""
import concurrent.futures
import ctypes.util
import multiprocessing
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import time

import numpy
import pytest

import oloid
from oloid._library import lib

if not lib.olo_optimize_available():
    pytest.skip("Oloid was built without Ipopt", allow_module_level=True)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLIDER = """parameters: {m: 2}
bodies: {name: a, mass: m, inertia: [1, 1, 1]}
joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}
outputs: {name: front, on: a}
run: {scheme: variational, step: 0.05, end: 1}
optimize:
  intervals: 20
  controls: {name: rail}
  costs: {type: effort}
  feedback: {position: 100, velocity: 100, end_position: 100, end_velocity: 100, control: 0.01}
  conditions: {quantity: rail.position, value: 1}
"""
COST = 12 * 400 / 399  # of a unit mass


@pytest.fixture
def slider(tmp_path):
    (tmp_path / "slider.yaml").write_text(SLIDER)
    return str(tmp_path / "slider.yaml")


def test_sensitivity_and_homotopy_have_the_closed_form(slider):
    """The cost is proportional to the square of the mass, the force to the mass."""
    best = oloid.optimize(slider)
    by_mass = best.sensitivity("m")
    assert by_mass.cost == pytest.approx(2 * best.cost / 2, rel=1e-8)
    assert by_mass.controls["rail"] == pytest.approx(best.controls["rail"] / 2, abs=1e-7)
    assert abs(by_mass.q).max() < 1e-7
    found = oloid.homotopy(slider, "m", [1, 3, 9])
    assert [x.cost for x in found] == pytest.approx([COST, 9 * COST, 81 * COST], rel=1e-9)


def test_refinement_has_levels():
    found = oloid.optimize("cart-pole", intervals=50, refine={"tolerance": 1e-2})
    assert [x.intervals for x in found.levels] == [50, 100]
    assert found.intervals == 100 and found.levels[-1].position < 1e-2


def test_feedback_works_against_a_heavier_mass(slider):
    """A tenth more mass: the plan alone ends at 1/1.1, with feedback near 1."""
    best = oloid.optimize(slider)
    gains = best.feedback(position=100, velocity=100, end_position=100, end_velocity=100,
                          control=0.01)
    assert gains.names == ["rail"] and gains.gains.shape == (20, 1, 24)
    ends = []
    for closed in False, True:
        heavy = oloid.load(slider, {"m": 2.2})
        state, stepper = heavy.initial_state(), heavy.stepper(scheme="variational")
        for k in range(20):
            plan = {"rail": best.controls["rail"][k]}
            stepper.step(state, 0.05, gains.controls(state) if closed else plan)
        ends.append(state.q[0])
    assert ends[0] == pytest.approx(1 / 1.1, rel=1e-9)
    assert abs(ends[1] - 1) < 0.01


def test_the_command_writes_gains_and_runs_with_them(slider, tmp_path):
    def command(*words):
        done = subprocess.run([os.environ["OLOID"], *words], cwd=tmp_path, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
    command("optimize", slider, "--gains", "gains.csv", "-o", "plan.h5", "-q")
    head, first = (tmp_path / "gains.csv").read_text().splitlines()[:2]
    assert head.split(",")[:4] == ["start", "end", "input", "a.q1"]
    system = oloid.load(slider)
    gains = oloid.feedback(tmp_path / "plan.h5", system)
    assert float(first.split(",")[3]) == gains.gains[0, 0, 0]
    command("run", slider, "--set", "m=2.2", "--feedback", "plan.h5", "-o", "run.h5", "--no-report")
    end = oloid.open(tmp_path / "run.h5")["front.position.x"][-1]
    assert abs(end - 1) < 0.01


def test_many_starts_are_the_same_for_any_number_of_processes(tmp_path):
    def starts(jobs):
        done = subprocess.run(
            [os.environ["OLOID"], "optimize", "two-link-pendulum", "--starts", "6",
             "--seed", "1", "--jobs", str(jobs), "--no-result", "-q", "--alternatives", "a.html"],
            cwd=tmp_path, capture_output=True, text=True, check=True)
        return [line.split() for line in done.stdout.splitlines()[2:4]]
    one, two = starts(1), starts(2)
    assert one == two and [row[2] for row in one] == ["minimum", "minimum"]
    assert float(one[0][1]) < float(one[1][1])
    page = (tmp_path / "a.html").read_text()
    assert all(words in page for words in ("Distinct optima", '"elbow"', '"elbow.angle"'))


@pytest.mark.parametrize("name", ["nonsense", "ma27", "ma57", "ma77", "ma86", "ma97", "pardiso",
                                  "pardisomkl", "spral", "wsmp"])
def test_a_linear_solver_that_is_missing_is_named(slider, name):
    """Or it is there and finds the optimum."""
    try:
        found = oloid.optimize(slider, linear_solver=name)
    except oloid.Error as error:
        assert f"linear_solver: this Ipopt has no '{name}'" in str(error)
    else:
        assert name != "nonsense" and found.cost == pytest.approx(4 * COST, rel=1e-8)


def test_threads_of_openblas_are_restored(slider):
    """They belong to the process; the solution itself has one."""
    blas = ctypes.util.find_library("openblas")
    if not blas:
        pytest.skip("another linear algebra")
    library = ctypes.CDLL(blas)
    before = library.openblas_get_num_threads()
    library.openblas_set_num_threads(2)
    try:
        inside = []
        oloid.optimize(slider, callback=lambda now: inside.append(
            library.openblas_get_num_threads()))
        assert library.openblas_get_num_threads() == 2 and set(inside) == {1}
    finally:
        library.openblas_set_num_threads(before)


def children(process):
    path = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(word) for word in path.read_text().split()]


def kill_running(child):
    """Kills a process; false if it had ended before."""
    try:
        state = pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        ended = state in "ZX"
        os.kill(child, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return not ended


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_crash_and_ctrl_c_leave_the_other_starts(tmp_path, sent):
    """A process that is killed loses its start; Ctrl-C ends all, and the optima so far remain."""
    process = subprocess.Popen(
        [os.environ["OLOID"], "optimize", "two-link-pendulum", "--starts", "200", "--jobs", "2",
         "-o", "plan.h5", "-q", "--no-report"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    killed = 0  # several, since one may have written its optimum already
    while sent == signal.SIGKILL and killed < 5 and process.poll() is None:
        for child in children(process):
            if kill_running(child):
                killed += 1
                break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "distinct optim" in out, err
    assert ("the process was ended by signal 9" in out) == (killed > 0)
    assert "not started" in out
    assert (tmp_path / "plan.h5").exists()


def cost_of_start(seed):
    return oloid.optimize("two-link-pendulum", spread=0.5, seed=seed).cost


def test_starts_in_processes_of_python():
    with concurrent.futures.ProcessPoolExecutor(
            2, multiprocessing.get_context("spawn")) as pool:
        costs = list(pool.map(cost_of_start, range(2, 5)))
    assert costs == [cost_of_start(seed) for seed in range(2, 5)]
    assert len({round(cost, 4) for cost in costs}) > 1


def test_a_receding_horizon_brings_a_pole_to_rest():
    """The example: the pole that moves is a fifth heavier than that of the plan."""
    example = runpy.run_path(str(ROOT / "examples" / "receding_horizon.py"))
    position, pole, log = example["run"]()
    assert abs(position) < 1e-4 and numpy.abs(pole).max() < 1e-4
    assert max(iterations for _, iterations in log[1:]) <= log[0][1]
