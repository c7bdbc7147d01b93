"""What newcomers type with the habits of other programs works, or has a hint (malformed/ has the
hints)."""
import json

import pytest

BODY = "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n"


def run(oloid, text, *options):
    (oloid.folder / "m.yaml").write_text(text)
    done = oloid("run", "m.yaml", "--json", "-q", *options)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("section, key, word, meaning", [
    ("joints", "between: [ground, a]", "ball", "spherical"),
    ("joints", "between: [ground, a]", "weld", "rigid"),
    ("joints", "between: [ground, a]", "fixed", "rigid"),
    ("joints", "between: [ground, a]", "hinge", "revolute"),
    ("supports", "on: a", "ball", "point"),
    ("supports", "on: a", "weld", "fixed"),
    ("supports", "on: a", "revolute", "hinge")])
def test_words_of_other_programs(oloid, section, key, word, meaning):
    counts = {}
    for kind in (word, meaning):
        body = BODY.replace("}", ", position: [1, 2, 3]}")
        code, report = run(oloid, f"{body}{section}: {{type: {kind}, {key}, axis: [0, 0, 1]}}\n",
                           "--no-result")
        assert code == 0
        counts[kind] = report["degrees_of_freedom"]
    assert counts[word] == counts[meaning] < 6


def test_angle_in_degrees_is_a_warning(oloid):
    turned = BODY.replace("}", ", rotation: {axis: [0, 0, 1], angle: 90}}")
    code, report = run(oloid, turned)
    assert code == 6
    assert report["warnings"] == ["m.yaml:1:83: bodies.rotation.angle: an angle of 90 radians is "
                                  "more than a whole turn: write 90*deg for degrees"]
    code, report = run(oloid, turned.replace("90", "2*pi"))
    assert code == 0 and report["warnings"] == []


def test_load_of_zero(oloid):
    text = f"parameters: {{f: 2}}\n{BODY}loads: {{on: a, force: [f, 0, 0]}}\n"
    code, report = run(oloid, text, "--set", "f=0")
    assert code == 0 and report["energy"]["end"] == 0
    code, report = run(oloid, text)
    assert report["energy"]["end"] == pytest.approx(2, rel=1e-12)  # (f t)^2/2 m


def test_mass_from_masses_alone(oloid):
    """A body that is nothing but two masses swings as a rigid body with the same moments does."""
    end = []
    for body in ("bodies: {name: a}\nmasses: [{on: {on: a, at: [1, 0, 0]}, mass: 2}, "
                 "{on: {on: a, at: [0, 1, 0]}, mass: 3}, {on: {on: a, at: [0, 0, 1]}, mass: 1}]\n",
                 "bodies: {name: a, mass: 6, center: [1/3, 1/2, 1/6], inertia: "
                 "[4 - 6*(1/4 + 1/36), 3 - 6*(1/9 + 1/36), 5 - 6*(1/9 + 1/4), 1, 1/3, 1/2]}\n"):
        code, report = run(oloid, f"gravity: [0, 0, -9.81]\n{body}supports: {{on: a}}\n"
                                  "outputs: {name: tip, on: {on: a, at: [0, 0, 1]}}\n")
        assert code == 0, report
        done = oloid("export", report["result"], "--csv", "-")
        names, *rows = [line.split(",") for line in done.stdout.splitlines()]
        end.append(float(rows[-1][names.index("tip.position.x")]))
    assert end[0] == pytest.approx(end[1], rel=1e-9)


def test_output_with_the_name_of_its_body(oloid):
    code, report = run(oloid, "gravity: [0, 0, -9.81]\n" + BODY + "outputs: {name: a, on: a}\n")
    assert code == 0
    header = oloid("export", report["result"], "--csv", "-").stdout.splitlines()[0].split(",")
    assert len(header) == len(set(header))
    assert "a.position.z" in header and "a.acceleration.z" in header
