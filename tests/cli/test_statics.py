"""`oloid equilibrium` and `oloid modes`."""
import csv
import io
import json
import math
import resource

import h5py
import numpy
import pytest
from conftest import one_message

COLUMN = """
name: column
parameters: {P: 5}
beams:
  - {name: b, elements: 16, interpolation: quadratic, to: [1, 0, 0],
     stiffness: [1e6, 1e6, 1e6, 1, 3, 1], inertia: [1, 1e-4, 1e-4]}
supports: {on: b.start, type: fixed}
loads: {on: b.end, force: [-P, 0, 0]}
"""
PENDULUM = """
name: swing
gravity: [0, 0, -10]
points: {name: bob, mass: 1, position: [2.5, 0, 0]}
rods: {between: [[0, 0, 0], bob]}
run: {start: equilibrium, step: 0.01, end: 0.1}
"""


def write(oloid, text, name="model.yaml"):
    (oloid.folder / name).write_text(text)
    return name


def table(oloid, result):
    done = oloid("export", result, "--csv", "-")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_roll_up_is_recorded_with_the_load_factor_as_time(oloid):
    done = oloid("equilibrium", "roll-up", "--set", "n=104")
    assert done.returncode == 0, done.stderr
    assert "equilibrium at load factor 1" in done.stdout
    assert "not judged" in done.stdout  # a moment about a fixed axis has no potential
    assert (oloid.folder / "roll-up-n=104.equilibrium.report.html").exists()
    rows = table(oloid, "roll-up-n=104.equilibrium.h5")
    loads = [float(row["time"]) for row in rows]
    assert loads[0] == 0 and loads[-1] == 1 and loads == sorted(loads)
    # tip back at the root, but for the polygon: order two in 1/n
    assert math.hypot(float(rows[-1]["tip.position.x"]), float(rows[-1]["tip.position.y"])) < 0.02


def test_bend_moves_as_published(oloid):
    assert oloid("equilibrium", "bend-45", "--no-report", "-o", "b.h5").returncode == 0
    row = table(oloid, "b.h5")[-1]
    start = 100 * math.sin(math.pi / 4), 100 * (1 - math.cos(math.pi / 4)), 0
    moved = [float(row["tip.position." + axis]) - x for axis, x in zip("xyz", start)]
    assert moved == pytest.approx([-23.56023955, -13.60452135, 53.47485879], rel=1e-5)


def test_reactions_grow_with_the_load(oloid):
    model = write(oloid, COLUMN.replace("[-P, 0, 0]", "[0, P, 0]").replace(
        "{on: b.start", "{name: clamp, on: b.start") + "outputs: {name: root, reaction: clamp}\n")
    assert oloid("equilibrium", model, "--no-report", "-o", "r.h5").returncode == 0
    for row in table(oloid, "r.h5"):
        assert float(row["root.force.y"]) == pytest.approx(-5 * float(row["time"]), abs=1e-7)


def test_column_buckles_at_the_load_of_euler(oloid):
    done = oloid("equilibrium", write(oloid, COLUMN), "--json", "--no-result")
    summary = json.loads(done.stdout)
    assert summary["unstable"] == 1 and summary["judged"]
    assert summary["status"] == "OK" and summary["error"] is None
    (point,) = summary["critical"]
    assert point["kind"] == "bifurcation"
    assert 5 * point["load"] == pytest.approx(math.pi**2 / 4, rel=1e-5)
    assert summary["result"] is None
    assert not list(oloid.folder.glob("*.h5"))


def test_a_column_leaves_its_path_at_a_bifurcation(oloid):
    sides = []
    model = write(oloid, COLUMN + "outputs: {name: tip, on: b.end}\n")
    for branch in ("1", "-1"):
        done = oloid("equilibrium", model, "--branch", branch, "--no-report", "-o", "b.h5",
                     "--json")
        summary = json.loads(done.stdout)
        assert summary["status"] == "OK" and summary["unstable"] == 0 and summary["load"] == 1
        assert summary["residual"] < 1e-12
        row = table(oloid, "b.h5")[-1]
        sides.append([float(row["tip.position." + axis]) for axis in "xyz"])
    (x, y, z), (x_other, y_other, z_other) = sides
    assert (x, y, z) == pytest.approx((x_other, -y_other, -z_other), abs=1e-9)
    # the elastica with P L^2/EI = 5 = K(k)^2, k = 0.88908: height 2 E/K - 1, deflection 2 k/K
    assert x == pytest.approx(0.0597845, abs=1e-4)
    assert math.hypot(y, z) == pytest.approx(0.7952172, abs=1e-4)
    done = oloid("equilibrium", "model.yaml", "--branch", "3", "--no-result")
    assert done.returncode == 3 and "no branch at number 3" in one_message(done)


def test_methods_go_to_an_equilibrium_at_once(oloid):
    for method in ("newton", "descent"):
        done = oloid("equilibrium", "clamped-rod", "--method", method, "--load", "0", "--json",
                     "--no-result")
        summary = json.loads(done.stdout)
        assert summary["steps"] == 1 and summary["unstable"] == 0 and summary["residual"] < 1e-12
        # the energy of the rod sheet with the number of edges of the model
        assert summary["strain"] == pytest.approx(5.266096642, abs=1e-8)
    done = oloid("equilibrium", "clamped-rod", "--method", "walk", "--no-result")
    assert done.returncode == 2 and "'path', 'newton' or 'descent'" in one_message(done)


def test_less_load_leaves_it_stable(oloid):
    done = oloid("equilibrium", write(oloid, COLUMN), "--load", "0.4", "--step", "0.2",
                 "--no-result")
    assert done.returncode == 0
    assert "stable\n" in done.stdout and "bifurcation" not in done.stdout


MISES = """
name: mises
parameters: {P: 6, h: 0.1}
plane: xy
beams:
  - {name: a, elements: 4, interpolation: quadratic, from: [-1, 0, 0], to: [0, h, 0], d1: [0, 0, 1],
     stiffness: [1e4, 1e4, 1e4, 50, 50, 50], inertia: [1, 0.01, 0.01]}
  - {name: b, elements: 4, interpolation: quadratic, from: [0, h, 0], to: [1, 0, 0], d1: [0, 0, 1],
     stiffness: [1e4, 1e4, 1e4, 50, 50, 50], inertia: [1, 0.01, 0.01]}
joints: {name: top, type: revolute, between: [a.end, b.start]}
supports:
  - {name: l, type: point, on: a.start}
  - {name: r, type: point, on: b.end}
loads: {name: push, on: a.end, force: [0, -P, 0]}
run: {step: 1e-3, end: 0.01}
"""


def mises_limit(h=0.1):
    """Two bars under EA (1 - l/L): the load turns where l^3 = L, with a span of 2."""
    L = math.hypot(1, h)
    length = L ** (1 / 3)
    return 2e4 * (1 - length / L) * math.sqrt(length**2 - 1) / length


@pytest.mark.parametrize("P", [4.5, 6, 10])
def test_a_truss_that_snaps_through_ends_at_its_limit_point(oloid, P):
    done = oloid("equilibrium", write(oloid, MISES), "--set", f"P={P}", "-o", "m.h5", "--json")
    assert done.returncode == 3
    summary = json.loads(done.stdout)
    message = one_message(done)
    assert summary["status"] == "NOT_CONVERGED" and summary["error"] in message
    assert "limit point at load factor" in message and "--arc-length" in message
    (point,) = summary["critical"]
    assert point["kind"] == "limit point" and point["unstable"] == 1
    assert P * point["load"] == pytest.approx(mises_limit(), rel=1e-8)
    assert summary["load"] == point["load"] and summary["result"] is None
    assert not (oloid.folder / "m.h5").exists()
    rows = table(oloid, "m.h5.partial")  # up to the limit point
    assert float(rows[-1]["time"]) == pytest.approx(point["load"], rel=1e-12)


def test_a_limit_point_is_reported_in_words(oloid):
    done = oloid("equilibrium", write(oloid, MISES), "--no-result")
    assert done.returncode == 3
    assert ("equilibrium at load factor 0.6351453" in done.stdout
            and "not reached: load factor 1\n" in done.stdout)
    assert "limit point at load factor 0.6351453" in done.stdout
    done = oloid("equilibrium", "model.yaml", "--no-result", "--arc-length")
    assert done.returncode == 0 and done.stdout.count("limit point at load factor") == 2
    assert "stability   stable\n" in done.stdout and "not reached" not in done.stdout
    done = oloid("equilibrium", "model.yaml", "--no-result", "--set", "P=3.8")
    assert (done.returncode == 0 and "stability   stable\n" in done.stdout
            and "limit" not in done.stdout)


ROLLED = """
name: rolled
parameters: {n: 20, M: 80*pi}
beams: {name: b, elements: n, to: [1, 0, 0], stiffness: [1e6, 1e6, 1e6, 10, 10, 10],
        inertia: [1, 1e-3, 1e-3]}
supports: {on: b.start, type: fixed}
loads: {on: b.end, moment: [0, 0, M]}
"""


def test_without_a_potential_nothing_is_said_of_stability(oloid):
    done = oloid("equilibrium", write(oloid, ROLLED), "--no-result")
    assert done.returncode == 3
    assert "stability   not judged" in done.stdout and "limit point at load factor" in done.stdout
    assert "unstable" not in done.stdout
    (point,) = json.loads(oloid("equilibrium", "model.yaml", "--no-result",
                                "--json").stdout)["critical"]
    assert point.keys() == {"kind", "load"}


CANTILEVER = """
name: cantilever
parameters: {n: 10}
beams: {name: b, elements: n, to: [1, 0, 0], stiffness: [1e6, 1e6, 1e6, 10, 10, 10],
        inertia: [1, 1e-3, 1e-3]}
supports: {on: b.start, type: fixed}
loads: {on: b.end, force: [0, 1e3, 0]}
"""


def test_too_few_elements_of_a_beam_are_reported(oloid):
    # a cantilever under a transverse load has no limit point
    done = oloid("equilibrium", write(oloid, CANTILEVER), "-o", "c.h5")
    expected = "neighbouring nodes of beam 'b' are rotated by "
    assert done.returncode == 3 and f"  warning: {expected}" in done.stdout
    message = one_message(done)
    assert (expected in message and "take more elements" in message
            and message.rstrip().endswith("(--arc-length)"))
    with h5py.File(oloid.folder / "c.h5.partial") as file:
        assert expected in file.attrs["warnings"].decode()
    summary = json.loads(oloid("equilibrium", "model.yaml", "--no-result", "--json").stdout)
    (warning,) = summary["warnings"]
    assert (warning.startswith(expected)
            and warning.endswith(" degrees relative to each other: take more elements"))
    done = oloid("equilibrium", "model.yaml", "--no-result", "--set", "n=80")
    assert (done.returncode == 0 and "warning" not in done.stdout
            and "stability   stable\n" in done.stdout)


@pytest.mark.parametrize("command", ["modes", "linearize", "run"])
def test_other_commands_do_not_begin_beyond_a_limit_point(oloid, command):
    model = write(oloid, MISES.replace("run: {", "run: {start: equilibrium, "))
    done = oloid(command, model)
    assert done.returncode == 3
    assert "limit point at load factor 0.6351453" in one_message(done)
    if command == "run":
        assert "start at equilibrium" in one_message(done)
        assert oloid("run", model, "--set", "P=3.8", "--no-report").returncode == 0


def test_sliding_down_is_no_path(oloid):
    done = oloid("equilibrium", write(oloid, PENDULUM), "-o", "p.h5", "--no-report")
    text = "a mechanism without load: equilibrium found by descent under the full load"
    assert text in done.stdout
    with h5py.File(oloid.folder / "p.h5") as file:
        assert b"found by decreasing the potential energy" in file.attrs["shows"]
    assert json.loads(oloid("equilibrium", "model.yaml", "--no-result", "--json").stdout)["relaxed"]


def test_what_starts_in_an_equilibrium_did_not_slide(oloid):
    # a bob exactly above or below its pivot: the rod alone carries its weight
    for height, stability in [(2.5, "unstable in 2 directions"), (-2.5, "stable")]:
        model = write(oloid, PENDULUM.replace("[2.5, 0, 0]", f"[0, 0, {height}]"))
        done = oloid("equilibrium", model, "-o", "p.h5", "--no-report")
        assert "the initial state is an equilibrium under the full load\n" in done.stdout
        assert "slid" not in done.stdout and f"stability   {stability}\n" in done.stdout
        assert " 1 iterations" not in done.stdout
        with h5py.File(oloid.folder / "p.h5") as file:
            assert b"The initial state is an equilibrium" in file.attrs["shows"]
        assert json.loads(oloid("equilibrium", model, "--no-result", "--json").stdout)["stayed"]
    model = write(oloid, PENDULUM.replace("[2.5, 0, 0]", "[1e-6, 0, 2.5]"))
    done = oloid("equilibrium", model, "--no-result")
    assert "found by descent" in done.stdout and "stability   stable\n" in done.stdout


def test_a_result_at_rest_has_no_verdict_on_energy(oloid):
    assert oloid("equilibrium", write(oloid, COLUMN), "-o", "c.h5").returncode == 0
    with h5py.File(oloid.folder / "c.h5") as file:
        assert file.attrs["status"] == b"OK"
        assert b"the time is the load factor" in file.attrs["shows"]
        assert [q.decode() for q in file["verdict/quantity"]] == ["constraints"]
        assert not any(file["verdict/level"])
    assert oloid("report", "c.h5").returncode == 0


def test_frequencies_are_shown(oloid):
    done = oloid("modes", write(oloid, PENDULUM), "--json")
    modes = json.loads(done.stdout)["modes"]
    assert [m["omega_squared"] for m in modes] == pytest.approx([4, 4], rel=1e-9)
    assert modes[0]["frequency"] == pytest.approx(2 / (2 * math.pi), rel=1e-9)
    text = oloid("modes", "model.yaml", "--count", "1").stdout
    assert "frequency" in text and "0.318309886" in text


def test_a_mode_swings_in_a_result(oloid):
    done = oloid("modes", write(oloid, PENDULUM), "-o", "m.h5", "--mode", "2", "--amplitude", "0.2")
    assert done.returncode == 0, done.stderr
    rows = table(oloid, "m.h5")
    assert float(rows[-1]["time"]) == pytest.approx(math.pi)
    reach = [math.hypot(float(r["bob.position.x"]), float(r["bob.position.y"])) for r in rows]
    assert max(reach) > 0.1 and reach[0] < 1e-9
    page = (oloid.folder / "m.report.html").read_text()
    assert "One period of mode 2: frequency 0.31831 Hz, omega 2." in page


def test_free_bodies_are_counted(oloid):
    done = oloid("modes", "free-body")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "6 modes without stiffness\n"


def test_a_run_can_start_from_the_equilibrium(oloid):
    done = oloid("run", write(oloid, PENDULUM), "-o", "r.h5", "--no-report")
    assert done.returncode == 0, done.stderr
    for row in table(oloid, "r.h5"):
        assert float(row["bob.position.z"]) == pytest.approx(-2.5, abs=1e-9)
        assert abs(float(row["bob.position.x"])) < 1e-6


def test_start_has_two_words(oloid):
    done = oloid("check", write(oloid, PENDULUM.replace("start: equilibrium", "start: rest")))
    assert done.returncode == 2 and "start" in one_message(done)


def test_what_falls_has_no_equilibrium(oloid):
    model = write(oloid,
                  "gravity: [0, 0, -9.81]\npoints: {name: stone, mass: 1, position: [0, 0, 0]}\n")
    done = oloid("equilibrium", model)
    message = one_message(done)
    assert done.returncode != 0
    assert "no equilibrium near the initial state" in message and "'stone'" in message
    assert not (oloid.folder / "model.equilibrium.h5").exists()


@pytest.mark.parametrize("arguments", [["--load", "0"], ["--load", "x"], ["--step", "-1"],
                                       ["--branch", "x"], ["--branch", "1.5"],
                                       ["--branch", "1", "--method", "newton"],
                                       ["-o", "x.h5", "--no-result"]])
def test_wrong_options_of_equilibrium(oloid, arguments):
    done = oloid("equilibrium", "roll-up", *arguments)
    assert done.returncode == 2
    assert "--" in one_message(done)


@pytest.mark.parametrize("arguments", [["--count", "0"], ["--count", "1.5"], ["--mode", "1"],
                                       ["-o", "x.h5", "--mode", "x"]])
def test_wrong_options_of_modes(oloid, arguments):
    done = oloid("modes", "heavy-top", *arguments)
    assert done.returncode == 2
    assert "--" in one_message(done)


def test_a_mode_that_is_not_there(oloid):
    done = oloid("modes", write(oloid, PENDULUM), "-o", "x.h5", "--mode", "7")
    assert done.returncode != 0
    assert "no mode 7; there are 2" in one_message(done)


BECK = COLUMN.replace("[-P, 0, 0]", "[0, 0, -P], frame: body").replace("1, 3, 1]", "1, 100, 1]")


def test_a_follower_load_lets_a_column_flutter(oloid):
    model = write(oloid, BECK)
    for load, grows in [(19.9, False), (20.2, True)]:
        done = oloid("modes", model, "--set", f"P={load}", "--count", "2", "--json")
        assert done.returncode == 0, done.stderr
        first = json.loads(done.stdout)["modes"][0]
        assert (first["growth"] > 0) == grows and first["omega"] == pytest.approx(11, abs=1.5)
    assert "unstable, grows as exp(" in oloid("modes", model, "--set", "P=21", "--count",
                                              "2").stdout
    assert oloid("modes", model, "--set", "P=21", "-o", "flutter.h5").returncode == 0


def test_damping_is_shown(oloid):
    model = write(oloid, """
points: {name: a, mass: 2, position: [0, 0, 0]}
springs: {type: linear, between: [[0, 0, 0], a], stiffness: 50, damping: 2}
""")
    done = oloid("modes", model, "--damped", "--json")
    for mode in json.loads(done.stdout)["modes"]:
        assert [mode["growth"], mode["omega"]] == pytest.approx([-0.5, math.sqrt(25 - 0.25)],
                                                                rel=1e-9)
    text = oloid("modes", model, "--damped").stdout
    assert "damping" in text and "0.1" in text.split()


def test_rotation_stiffens_a_beam(oloid):
    model = write(oloid, COLUMN.replace("P: 5", "P: 1e-9").replace("1, 3, 1]", "1, 1, 100]"))
    done = oloid("modes", model, "--spin", "0,0,4", "--count", "2", "--json")
    assert done.returncode == 0, done.stderr
    # Wright et al. 1982: flapping at 4 in units of the beam
    assert json.loads(done.stdout)["modes"][1]["omega"] == pytest.approx(5.5850, rel=1e-3)
    done = oloid("equilibrium", model, "--spin", "0,0,40", "--spin-point", "-1,0,0", "--no-report",
                 "-o", "s.h5")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_modes_of_large_systems_need_no_dense_matrix(oloid):
    model = write(oloid, COLUMN.replace("elements: 16, interpolation: quadratic",
                                        "elements: 6000").replace(
        "P: 5", "P: 1e-9").replace("1e6, 1e6, 1e6", "1e4, 1e4, 1e4"))

    def at_most_a_gigabyte():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # a dense one would take 10

    done = oloid("modes", model, "--json", preexec_fn=at_most_a_gigabyte)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["modes"][0]["omega"] == pytest.approx(3.516, rel=1e-3)


@pytest.mark.parametrize("arguments", [["--spin", "1,2"], ["--spin", "a,b,c"],
                                       ["--spin-point", "1,0,0"], ["--solver", "lanczos"]])
def test_wrong_frames_and_solvers(oloid, arguments):
    done = oloid("modes", write(oloid, PENDULUM.replace("[0, 0, -10]", "[0, 0, 0]")), *arguments)
    assert done.returncode == 2
    assert "solver" in one_message(done) or "--" in one_message(done)


def test_gravity_has_to_lie_in_the_axis_of_a_frame(oloid):
    done = oloid("modes", write(oloid, PENDULUM), "--spin", "1,0,0")
    assert done.returncode != 0
    assert "gravity rotates" in one_message(done)


CART = """
name: cart-pole
gravity: [0, 0, -9.81]
bodies:
  - {name: cart, mass: 2, inertia: [1, 1, 1]}
  - {name: pole, mass: 0.5, inertia: [0.01, 0.01, 0.01], center: [0, 0, 0.8]}
joints:
  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0], force: 1, time: "0"}
  - {name: hinge, type: revolute, between: [cart, pole], at: [0, 0, 0], axis: [0, 1, 0]}
outputs: {name: tip, on: {on: pole, at: [0, 0, 1.6]}}
"""
STATES = ["rail.position", "hinge.angle", "rail.position.rate", "hinge.angle.rate"]
OUTPUTS = ["rail.position", "hinge.angle", "tip.position.x", "tip.position.y", "tip.position.z"]


def check_cart(A, B, C, D):
    ml, J = 0.5 * 0.8, 0.01 + 0.5 * 0.64
    det = 2.5 * J - ml * ml
    expected = numpy.zeros((4, 4))
    expected[0, 2] = expected[1, 3] = 1
    expected[2:, 1] = -ml * 9.81 * ml / det, 2.5 * 9.81 * ml / det
    numpy.testing.assert_allclose(A, expected, atol=1e-12)
    numpy.testing.assert_allclose(B, [[0], [0], [J / det], [-ml / det]], atol=1e-12)
    numpy.testing.assert_allclose(C, [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1.6, 0, 0], [0] * 4, [0] * 4],
                                  atol=1e-12)
    numpy.testing.assert_array_equal(D, numpy.zeros((5, 1)))


def test_a_cart_with_a_pole_is_written_in_all_formats(oloid):
    model = write(oloid, CART)
    for name in ["cart.h5", "cart.json", "cart.csv"]:
        done = oloid("linearize", model, "--start", "-o", name)
        assert done.returncode == 0, done.stderr
        assert ("4 states: rail.position, hinge.angle" in done.stdout
                and f"file: {name}" in done.stdout)
    with h5py.File(oloid.folder / "cart.h5") as file:
        check_cart(*(file[key][()] for key in "ABCD"))
        assert [x.decode() for x in file["states"]] == STATES
        assert [x.decode() for x in file["inputs"]] == ["rail.force"]
        assert [x.decode() for x in file["outputs"]] == OUTPUTS
    data = json.loads((oloid.folder / "cart.json").read_text())
    check_cart(*(data[key] for key in "ABCD"))
    assert data["states"] == STATES and data["outputs"] == OUTPUTS
    rows = list(csv.reader((oloid.folder / "cart.csv").open()))
    assert rows[0] == ["", *STATES, "rail.force"]
    assert [row[0] for row in rows[1:]] == [x + "'" for x in STATES] + OUTPUTS
    numbers = numpy.array([[float(x) for x in row[1:]] for row in rows[1:]])
    check_cart(numbers[:4, :4], numbers[:4, 4:], numbers[4:, :4], numbers[4:, 4:])
    printed = json.loads(oloid("linearize", model, "--start", "--json").stdout)
    check_cart(*(printed[key] for key in "ABCD"))


def test_linear_systems_of_other_kinds(oloid):
    # of the equilibrium: no input at all
    done = oloid("linearize", write(oloid, PENDULUM), "--json")
    data = json.loads(done.stdout)
    assert data["inputs"] == [] and len(data["states"]) == 4
    eigenvalues = numpy.linalg.eigvals(numpy.array(data["A"]))
    assert sorted(eigenvalues.imag) == pytest.approx([-2, -2, 2, 2], rel=1e-8)
    assert oloid("linearize", "model.yaml", "-o", "empty.h5").returncode == 0
    done = oloid("linearize", "robot-6r", "--hold", "--json")
    assert json.loads(done.stdout)["states"][0].endswith(".angle")


@pytest.mark.parametrize("arguments, words", [(["-o", "x.mat"], ".h5, .json or .csv"),
                                              (["--start"], "no equilibrium"),
                                              (["--spin", "1"], "--spin")])
def test_wrong_questions_to_linearize(oloid, arguments, words):
    done = oloid("linearize", write(oloid, PENDULUM.replace("start: equilibrium", "start: given")),
                 *arguments)
    assert done.returncode != 0 and words in one_message(done)
    assert not (oloid.folder / "x.mat").exists()
