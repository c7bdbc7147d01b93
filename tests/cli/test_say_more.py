"""Several springs and dampers on one joint coordinate, and helper values of copies."""
import csv
import io
import json

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
