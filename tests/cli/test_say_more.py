"""Several springs and dampers on one joint coordinate, helper values of copies, forces as
expressions, roads as inputs of linear systems, shapes and colours, initial momenta."""
import csv
import io
import json

import h5py
import numpy
import pytest

DOOR = """
name: door
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 2, inertia: [1, 2, 3], position: [0.5, 0, 0]}
  - {name: b, mass: 1, inertia: [1, 2, 3], position: [1.5, 0, 0.2]}
joints:
  - {name: one, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], KEYS}
  - {name: two, TYPE, between: [a, b], axis: [1, 0, 0], START}
"""


def column(oloid, text, name, *options):
    (oloid.folder / "m.yaml").write_text(text)
    done = oloid("run", "m.yaml", "--json", "-q", "--no-report", *options)
    report = json.loads(done.stdout)
    assert done.returncode == 0, (done.stderr, report["verdict"])
    names, *rows = csv.reader(io.StringIO(oloid("export", report["result"], "--csv", "-").stdout))
    return [float(row[names.index(name)]) for row in rows]


@pytest.mark.parametrize("kind", ["type: revolute", "type: prismatic"])
def test_two_springs_act_as_one(oloid, kind):
    """k1 (x - x1) + k2 (x - x2) = (k1 + k2) (x - rest), rest the weighted mean; dampers add."""
    name = "two.angle" if "revolute" in kind else "two.position"
    start = "rate: 1" if "revolute" in kind else "sliding: [0.1, 0, 0]"
    door = DOOR.replace("TYPE", kind).replace("START", start)
    one = column(oloid, door.replace("KEYS", "stiffness: 30, rest: 0.4, damping: 0.5")
                 .replace("axis: [1, 0, 0]", "axis: [1, 0, 0], stiffness: 7, damping: 0.3"), name)
    several = column(oloid, door.replace("KEYS", "stiffness: 10, rest: 0, damping: 0.1") + """
springs:
  - {along: one.angle, stiffness: 20, length: 0.6, damping: 0.2}
  - {along: two, stiffness: 3}
  - {along: two, stiffness: 4}
dampers:
  - {along: one, damping: 0.2}
  - {along: two, damping: 0.3}
""", name)
    assert max(map(abs, one)) > 0.01
    assert several == pytest.approx(one, rel=1e-9, abs=1e-11)


def test_energy_of_springs_along_coordinates_is_exact(oloid):
    text = DOOR.replace("TYPE", "type: revolute").replace("START", "rate: 1") \
        .replace("KEYS", "rate: 2") + \
        "springs: [{along: one, stiffness: 20, length: 0.6}, {along: one, stiffness: 5}]\n"
    (oloid.folder / "m.yaml").write_text(text)
    report = json.loads(oloid("run", "m.yaml", "--json", "-q", "--no-result").stdout)
    energy = next(v for v in report["verdict"] if v["quantity"] == "energy")
    assert energy["level"] == "ok" and energy["relative_drift"] < 1e-11


COPIES = """
parameters: {n: 6, R: 2}
gravity: [0, 0, -9.81]
points:
  - {name: "p{i}", repeat: REPEAT, mass: 1 + i, position: [X, Y, 0]}
loads:
  - {on: "p{i}", repeat: REPEAT, force: [1, 0, 0], time: sin(A + t)}
"""


def test_helper_values_of_copies(oloid):
    plain = COPIES.replace("REPEAT", "{i: [1, n]}").replace("X", '"R*cos(2*pi*i/n)"') \
        .replace("Y", '"R*sin(2*pi*i/n)"').replace("A", "2*pi*i/n")
    helped = COPIES.replace("REPEAT", "{i: [1, n], a: 2*pi*i/n, x: R*cos(a), y: R*sin(a)}") \
        .replace("X", "x").replace("Y", "y").replace("A", "a")
    for name in ("p1.position.x", "p5.position.y", "p6.position.z"):
        assert column(oloid, helped, name) == pytest.approx(column(oloid, plain, name), rel=1e-13,
                                                            abs=1e-13)


def test_a_helper_value_cannot_use_later_ones(oloid):
    (oloid.folder / "m.yaml").write_text(
        'points: [{name: "p{i}", repeat: {i: [1, 2], x: y, y: i}, mass: 1, position: [x, y, 0]}]\n')
    done = oloid("check", "m.yaml")
    assert done.returncode == 2 and "unknown name 'y'" in done.stderr


CHAIN = """
parameters: {n: 3, k: 40, c: 0.5}
points:
  - {name: "p{i}", repeat: {i: [0, n]}, mass: 1, position: [1.1*i, 0, 0], velocity: [0, i, 0]}
"""


def test_forces_as_expressions_in_copies(oloid):
    """The force of copy i on point i + 1 by names with the number of the copy."""
    springs = CHAIN + """
springs:
  - {between: ["p{i}", "p{i+1}"], repeat: {i: [0, n - 1], r: 1 + 0.1*i},
     stiffness: k, length: r, damping: c}
"""
    laws = CHAIN + """
springs:
  - {between: ["p{i}", "p{i+1}"], repeat: {i: [0, n - 1], r: 1 + 0.1*i}, force: k*(l - r)}
  - {between: ["p{i}", "p{i+1}"], repeat: {i: [0, n - 1], x: c/2},
     force: '2*x*v + 0*p{i}.x*t'}
"""
    for name in ("p0.position.x", "p3.position.y"):
        assert column(oloid, laws, name) == pytest.approx(column(oloid, springs, name), abs=1e-9)


def test_a_controller_from_the_measured_position_balances_a_pole(oloid):
    """A load that depends on an angle, its rate and the position of the cart: the pole stays up."""
    pole = """
gravity: [0, 0, -9.81]
bodies:
  - {name: cart, mass: 1, inertia: [1, 1, 1]}
  - {name: pole, mass: 0.2, inertia: [0.01, 0.01, 0.01], center: [0, 0, 0.5],
     rotation: {axis: [0, 1, 0], angle: 0.1}}
joints:
  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0]}
  - {name: hinge, between: [cart, pole], at: [0, 0, 0], axis: [0, 1, 0]}
outputs: {name: tip, on: {on: pole, at: [0, 0, 1]}}
run: {step: 0.01, end: 8}
"""
    free = column(oloid, pole, "tip.position.z")
    held = column(oloid, pole + "loads: {name: hand, on: cart, force: [1, 0, 0], time: "
                  "'40*(tip.x - cart.x) + 8*(tip.vx - cart.vx) + 2*cart.x + 3*cart.vx'}\n",
                  "tip.position.z")
    assert min(free) < 0 and min(held) > 0.9 and held[-1] == pytest.approx(1, abs=1e-3)


def test_the_road_is_an_input_of_the_quarter_car(oloid):
    """The frequency response of body and wheel to the road, in closed form."""
    done = oloid("linearize", "quarter-car", "-o", "car.json")
    assert done.returncode == 0, done.stderr
    linear = json.loads((oloid.folder / "car.json").read_text())
    road = [linear["inputs"].index(name) for name in
            ("profile.motion", "profile.motion.rate", "profile.motion.acceleration")]
    A, B, C, D = (numpy.array(linear[key]) for key in "ABCD")
    rows = [linear["outputs"].index(name) for name in ("car.position.z", "wheel.position.z")]
    M, m, k, c, tyre = 300, 40, 20000, 1500, 180000
    for omega in (1.0, 7.0, 60.0, 200.0):
        s = 1j * omega
        u = numpy.zeros(len(linear["inputs"]), complex)
        u[road] = 1, s, s * s
        y = C @ numpy.linalg.solve(s * numpy.eye(len(A)) - A, B @ u) + D @ u
        link = k + c * s
        exact = numpy.linalg.solve([[M * s * s + link, -link], [-link, m * s * s + link + tyre]],
                                   [0, tyre])
        assert y[rows] == pytest.approx(exact, rel=1e-8)


def test_shapes_and_colours_of_bodies_are_in_the_result(oloid):
    (oloid.folder / "m.yaml").write_text("""
bodies:
  - {name: a, mass: 2, inertia: [1, 1, 1], color: '#336699', opacity: 0.5,
     visual: [{type: box, size: [1, 2, 3]}, {type: sphere, radius: 1, color: white, opacity: 1}]}
  - {name: b, mass: 2, inertia: [1, 1, 1], position: [5, 0, 0]}
run: {end: 0.1}
""")
    assert oloid("run", "m.yaml", "-q", "--no-report", "-o", "m.h5").returncode == 0
    with h5py.File(oloid.folder / "m.h5") as file:
        name, primitive = (file[f"scene/{key}"].asstr()[:] for key in ("name", "primitive"))
        color = file["scene/color"][:]
    drawn = {(n, p): tuple(c) for n, p, c in zip(name, primitive, color)}
    assert drawn["a", "box"] == pytest.approx((0.2, 0.4, 0.6, 0.5))
    assert drawn["a", "ellipsoid"] == (1, 1, 1, 1)
    assert drawn["b", "ellipsoid"] == (-1, -1, -1, 0)


def test_initial_momenta(oloid):
    text = """
bodies: {name: a, mass: 2, center: [0.1, 0, 0.3], inertia: [0.4, 0.5, 0.6],
  momentum: [1, -2, 0.5], angular_momentum: [0.3, 0.2, -0.4]}
run: {end: 0.1}
"""
    (oloid.folder / "m.yaml").write_text(text)
    report = json.loads(oloid("run", "m.yaml", "--json", "-q", "--no-report").stdout)
    with h5py.File(oloid.folder / report["result"]) as file:
        p = [file[f"ledger/linear_momentum.{axis}"][0] for axis in "xyz"]
        L = [file[f"ledger/angular_momentum.{axis}"][0] for axis in "xyz"]
    spin = numpy.cross([0.1, 0, 0.3], [1, -2, 0.5])
    assert p == pytest.approx([1, -2, 0.5]) and L == pytest.approx([0.3, 0.2, -0.4] + spin)
