"""Orders of convergence by the command: P3 and T3 of the sheet, tables, JSON, and what goes
wrong."""
import json
import math
import os
import pty
import re
import signal
import subprocess
import time

import pytest
from conftest import environment, executable, one_message

PENDULUM = ["converge", "double-spherical-pendulum", "--time", "1", "--reference", "1e-5",
            "--steps", "0.02,0.01,0.005,0.002,0.001"]


def study(oloid, *arguments):
    done = oloid(*arguments, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_P3_pendulum_has_order_2_in_z_and_1_in_lambda(oloid):
    report = study(oloid, *PENDULUM, "--constraints", "multipliers")
    assert report["slope"]["z"] == pytest.approx(2.0, abs=0.05)
    assert report["slope"]["lambda_step"] == pytest.approx(1.0, abs=0.1)
    assert report["rows"][1]["step"] == 0.01 and report["rows"][1]["steps"] == 100
    assert report["rows"][1]["error"]["z"] == pytest.approx(3.87e-4, rel=0.01)
    assert report["against"] == "reference" and report["reference"] == 1e-5


def test_P3_reduced_has_the_same_errors_and_no_multipliers(oloid):
    report = study(oloid, *PENDULUM)
    assert report["constraints"] == "reduced"
    expected = [1.55e-3, 3.87e-4, 9.68e-5, 1.55e-5, 3.87e-6]
    assert [row["error"]["z"] for row in report["rows"]] == pytest.approx(expected, rel=0.01)
    assert report["slope"]["z"] == pytest.approx(2.0, abs=0.05)
    assert report["slope"]["lambda"] is None
    assert all(row["error"]["lambda"] is None for row in report["rows"])


def test_T3_top_against_its_exact_solution(oloid):
    report = study(oloid, "converge", "heavy-top", "--time", "0.1", "--exact",
                   "--steps", "2e-3,1e-3,5e-4,1e-4")
    expected = [7.25e-2, 1.83e-2, 4.58e-3, 1.83e-4]
    assert [row["error"]["z"] for row in report["rows"]] == pytest.approx(expected, rel=0.02)
    assert report["rows"][-1]["order"]["z"] == pytest.approx(2.0, abs=0.02)
    assert report["against"] == "exact" and report["reference"] is None
    assert report["start_error"] < 1e-14


def test_T3_top_against_a_run_with_a_small_step(oloid):
    report = study(oloid, "converge", "heavy-top", "--time", "0.1", "--reference", "1e-6",
                   "--constraints", "multipliers", "--steps", "1e-3,5e-4")
    assert report["rows"][0]["error"]["z"] == pytest.approx(1.83e-2, rel=0.02)
    assert report["rows"][0]["error"]["lambda_step"] == pytest.approx(2.2e-2, rel=0.05)


def test_multipliers_at_the_end_have_order_2(oloid):
    for scheme in "energy-momentum-2006", "variational":
        report = study(oloid, "converge", "double-spherical-pendulum", "--constraints",
                       "multipliers", "--scheme", scheme, "--time", "1", "--steps",
                       "0.02,0.01,0.005", "--reference", "2e-4")
        assert report["slope"]["lambda"] == pytest.approx(2.0, abs=0.05)


def test_orders_4_and_6(oloid):
    pendulum = ["converge", "double-spherical-pendulum", "--time", "1", "--reference", "1e-3"]
    report = study(oloid, *pendulum, "--order", "6", "--scheme", "variational", "--steps",
                   "0.04,0.02")
    assert report["order"] == 6
    assert report["slope"]["z"] == pytest.approx(6.0, abs=0.1)
    done = oloid(*pendulum, "--order", "4", "--steps", "0.02,0.01", "--quiet")
    lines = done.stdout.splitlines()
    assert lines[0].endswith("(energy-momentum-2006 of order 4, reduced)")
    assert lines[1].split() == ["h", "q", "tangent", "p", "p", "z", "order", "q", "order", "t",
                                "order", "p", "order", "z"]
    assert [float(order) for order in lines[-1].split()[1:]] == pytest.approx([4, 4, 2, 2], abs=0.1)
    done = oloid(*pendulum, "--order", "6", "--steps", "0.02,0.01", "--quiet")
    assert done.returncode != 0
    assert "take order 4, or the scheme energy-momentum or variational" in done.stderr


def test_consistent_velocities_have_orders_2_4_and_6(oloid):
    """The path is that of `multipliers` and `reduced` alike: q, p, z and lambda, which is that of
    the accelerations at the end."""
    steps = {"2": "0.02,0.01,0.005", "4": "0.02,0.01,0.005", "6": "0.04,0.02"}
    for order, sizes in steps.items():
        report = study(oloid, "converge", "double-spherical-pendulum", "--scheme",
                       "energy-momentum", "--order", order, "--time", "1", "--steps", sizes,
                       "--reference", "1e-3")
        for key in "q", "p", "z", "lambda":
            assert report["slope"][key] == pytest.approx(float(order), abs=0.1)


def test_order_and_slope_belong_to_the_errors(oloid):
    report = study(oloid, "converge", "heavy-top", "--time", "0.1", "--steps", "2e-3,1e-3,5e-4")
    first, second, third = report["rows"]
    for key in "qpz":
        assert first["order"][key] is None
        order = math.log(first["error"][key] / second["error"][key]) / math.log(2)
        assert second["order"][key] == pytest.approx(order, abs=1e-12)
        slope = math.log(first["error"][key] / third["error"][key]) / math.log(4)
        assert report["slope"][key] == pytest.approx(slope, abs=1e-12)  # equal distances


def test_defaults_are_steps_of_the_model_and_its_exact_solution(oloid):
    report = study(oloid, "converge", "heavy-top", "--time", "0.16")
    assert [row["step"] for row in report["rows"]] == pytest.approx([8e-3, 4e-3, 2e-3, 1e-3])
    assert report["against"] == "exact"
    report = study(oloid, "converge", "planar-pendulum", "--time", "0.16")
    assert report["against"] == "reference"
    assert report["reference"] == pytest.approx(1e-3 / 20)
    assert report["slope"]["z"] == pytest.approx(2.0, abs=0.05)


def test_table_for_people(oloid):
    done = oloid("converge", "heavy-top", "--time", "0.1", "--steps", "2e-3,1e-3", "--quiet")
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == ("heavy-top: relative errors at t = 0.1 against the exact solution "
                        "(energy-momentum-2006, reduced)")
    assert lines[1].split() == ["h", "q", "p", "z", "order", "q", "order", "p", "order", "z"]
    assert lines[2].split()[0] == "0.002" and lines[2].split()[3] == "7.250e-02"
    assert re.fullmatch(r"  0\.001 +\S+ +\S+ +1\.829e-02 +1\.99 +1\.99 +1\.99", lines[3])
    assert lines[4].split() == ["fitted", "1.99", "1.99", "1.99"]
    assert len({len(line) for line in lines[1:]}) == 1
    assert max(map(len, lines)) <= 100


def test_a_model_file_may_give_an_exact_solution(oloid):
    (oloid.folder / "throw.yaml").write_text(
        "parameters: {g: 10}\n"
        "gravity: [0, -g]\n"
        "plane: xy\n"
        "points: {name: a, mass: 2, position: [0, 0], velocity: [3, 4]}\n"
        "exact: {on: a, position: [3*t, 4*t - g*t^2/2]}\n"
        "run: {step: 0.1, end: 1}\n")
    report = study(oloid, "converge", "throw.yaml", "--steps", "0.5,0.25")
    # a scheme of second order is exact for a parabola
    assert all(row["error"]["z"] < 1e-14 for row in report["rows"])
    # another initial state gives another motion
    text = (oloid.folder / "throw.yaml").read_text().replace("velocity: [3, 4]", "velocity: [3, 5]")
    (oloid.folder / "other.yaml").write_text(text)
    done = oloid("converge", "other.yaml", "--steps", "0.5")
    assert done.returncode == 0
    warning = "warning: the initial state differs from the exact solution by 2.0e-01"
    assert warning in one_message(done)


@pytest.mark.parametrize("arguments, expected", [
    (["--steps", "0.1,"], "0.1,"),
    (["--steps", "0.1;0.2"], "0.1;0.2"),
    (["--steps", "-1"], "above zero"),
    (["--steps", "nan"], "above zero"),
    (["--steps", ",".join(["1"] * 13)], "at most 12"),
    (["--reference", "1e-3,1e-4"], "at most 1"),
    (["--reference", "0"], "a number above zero"),
    (["--exact", "--reference", "1e-3"], "exclude each other"),
    (["--time", "0"], "time"),
    (["--constraints", "reduce"], "reduced"),
])
def test_wrong_use(oloid, arguments, expected):
    done = oloid("converge", "heavy-top", *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert expected in one_message(done)


def test_a_model_without_exact_solution(oloid):
    done = oloid("converge", "spring-chain", "--exact", "--steps", "0.01", "--time", "0.1")
    assert done.returncode == 2 and done.stdout == ""
    assert "no exact solution" in one_message(done)


def test_a_run_that_fails_is_a_row_with_its_reason(oloid):
    arguments = ["converge", "heavy-top", "--time", "0.1", "--quiet", "--set", "run.iterations=5",
                 "--set", "run.halvings=0", "--steps"]
    done = oloid(*arguments, "0.1,1e-3", "--json")
    assert done.returncode == 0, done.stderr
    failed, fine = json.loads(done.stdout)["rows"]
    assert "0.1" in failed["failure"] and failed["error"]["z"] is None
    assert fine["failure"] is None and fine["error"]["z"] == pytest.approx(1.83e-2, rel=0.02)
    text = oloid(*arguments, "0.1,1e-3")
    assert text.returncode == 0 and "\n  h = 0.1 failed: " in text.stdout
    # it is an error if no run succeeds
    done = oloid(*arguments, "0.1")
    assert done.returncode == 3 and "0.1" in one_message(done)


@pytest.fixture
def long_study(tmp_path):
    """Starts a study that never ends after its first row; it is ended after the test in any
    case."""
    processes = []

    def begin(*arguments, **options):
        process = subprocess.Popen(
            [executable(), "converge", "heavy-top", "--exact", "--time", "1", "--steps",
             "1e-2,1e-9", *arguments], cwd=tmp_path, text=True, env=environment(TERM="xterm"),
            **options)
        processes.append(process)
        return process
    yield begin
    for process in processes:
        process.kill()
        process.wait()


def test_interrupt_prints_what_is_there(long_study):
    process = long_study("--json", "--quiet", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.startswith("oloid: interrupted at t = ")
    report = json.loads(stdout)
    assert report["status"] == "INTERRUPTED"
    assert [row["step"] for row in report["rows"]] == [1e-2]
    assert report["rows"][0]["error"]["z"] > 0


def test_progress_names_the_run(long_study):
    ours, theirs = pty.openpty()
    process = long_study(stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    text, end = "", time.monotonic() + 20
    while "steps/s" not in text and time.monotonic() < end:
        text += os.read(ours, 65536).decode()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    os.close(ours)
    assert "heavy-top, h = 1e-09" in text


def test_action_and_largest_velocity(oloid):
    """A point that falls from rest: q = -g t^2/2 at the nodes, exactly, so that the last step has
    the velocity g (1 - h/2)."""
    fall = ("converge", "fall.yaml", "--scheme", "variational", "--steps", "0.2,0.1", "--time", "1",
            "--reference", "0.01", "--action")
    (oloid.folder / "fall.yaml").write_text(
        "name: fall\ngravity: [0, 0, -2]\n"
        "points: {name: a, mass: 1, position: [0, 0, 0]}\nrun: {step: 0.1, end: 1}\n")
    report = json.loads(oloid(*fall, "--json").stdout)
    for row in report["rows"]:
        h = row["step"]
        assert row["fastest"] == pytest.approx(2 * (1 - h / 2), rel=1e-12)
        assert row["action"] == pytest.approx(falling_action(h), rel=1e-12)
    assert report["action"] == pytest.approx(falling_action(0.01), rel=1e-11)
    assert report["rows"][1]["order"]["action"] == pytest.approx(2, abs=0.02)
    assert "largest |dq|/h" in oloid(*fall).stdout
    plain = json.loads(oloid(*fall[:-1], "--json").stdout)
    assert plain["action"] is None and plain["rows"][0]["fastest"] is None


def falling_action(h, g=2.0):
    """Sum of h [1/2 v^2 - g q_m] over the nodes of q = -g t^2/2."""
    nodes = [-0.5 * g * (i * h) ** 2 for i in range(round(1 / h) + 1)]
    return sum(h * (0.5 * ((b - a) / h) ** 2 - g * 0.5 * (a + b)) for a, b in zip(nodes, nodes[1:]))
