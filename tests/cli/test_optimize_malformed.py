"""Malformed problems of optimal control: every key with wrong values, names that do not exist, keys
that exclude each other. Each is refused with file, line and column, and never solved."""

import re

import pytest

from test_optimize import PROBLEM

NUMBER = ["word", "[1, 2]", "{a: 1}", ".nan", "1/0"]
POSITIVE = [*NUMBER, "-1", "0"]
TEXT = ["[a]", "{a: 1}"]
CHOICE = [*TEXT, "nonsense", "3"]
FLAG = ["maybe", "3", "[true]"]
VECTOR = ["1", "[1, 2]", "[1, 2, x]", "{x: 1}", "[1, 2, 3, 4]"]
COUNT = ["-1", "1.5", "many", "[3]"]
NAME = [*TEXT, "nobody"]
QUANTITY = [*NAME, "rail.angle", "tip.colour", "nobody.position", "rail.position.x", "'2*'",
            "sin(rail.position", "rail.position + nobody.angle", "'1 + 1'",
            "'distance(tip, nobody)'", "rail.position rail.position"]

# wrong values of every key of an entry, beside the keys that the entry needs
ENTRIES = {
    "controls": ({"name": "rail"},
                 {"name": NAME, "follows": NAME, "factor": NUMBER[:4], "lower": [*NUMBER, ".inf"],
                  "upper": NUMBER, "rate": POSITIVE, "guess": NUMBER, "colour": ["1"]}),
    "costs": ({"type": "path", "quantity": "rail.position"},
              {"type": CHOICE, "weight": NUMBER, "control": TEXT, "quantity": QUANTITY,
               "direction": VECTOR, "target": NUMBER, "target_over_time": [*TEXT, "sin(", "2*x"],
               "target_file": [*TEXT, "nowhere.csv"], "target_column": [*TEXT, "x"],
               "square": FLAG}),
    "conditions": ({"quantity": "rail.position", "value": "1"},
                   {"at": CHOICE, "quantity": QUANTITY, "direction": VECTOR, "value": NUMBER,
                    "lower": [*NUMBER, "0"], "upper": [*NUMBER, "0"], "body": NAME,
                    "rotation": ["word", "[1, 2]", "{axis: [0, 0, 0], angle: 1}"]}),
    "guesses": ({"coordinate": "rail.position", "value": "1"},
                {"coordinate": [*QUANTITY, "rail.position.rate"], "value": NUMBER,
                 "at": [*POSITIVE, "1.1"]}),
}
OPTIONS = {"intervals": [*COUNT, "0", "1e9"], "duration": POSITIVE,
           "shortest": [*POSITIVE[:6], "2"],
           "longest": [*NUMBER, "1"], "end_velocity": CHOICE, "guess": CHOICE,
           "guess_file": [*TEXT, "nowhere.h5"],
           "inverse_dynamics": FLAG, "transcription": CHOICE, "scheme": CHOICE,
           "tolerance": [*POSITIVE, "1"], "iterations": COUNT, "seconds": POSITIVE,
           "saddles": COUNT,
           "controls": ["3", "word", "[]", "[[]]"],
           "costs": ["3", "word", "[[]]"], "conditions": ["3", "word", "[[]]"],
           "guesses": ["3", "word", "[[]]"], "interval": ["3"], "terms": ["3"]}


def problems():
    """Every malformed problem: the key that is wrong, and the section `optimize`."""
    base = {"intervals": "4", "controls": "{name: rail}", "costs": "{type: effort}",
            "conditions": "{quantity: rail.position, value: 1}"}
    for section, (needed, keys) in ENTRIES.items():
        for key, values in keys.items():
            for value in values:
                entry = ", ".join(f"{k}: {v}" for k, v in {**needed, key: value}.items())
                yield f"{section}.{key}", {**base, section: "{" + entry + "}"}
    for key, values in OPTIONS.items():
        for value in values:
            yield key, {**base, key: value}


@pytest.mark.parametrize("first", [*ENTRIES, "the section"])
def test_every_key_with_a_wrong_value_is_located(oloid, tmp_path, first):
    path = tmp_path / "p.yaml"
    model = PROBLEM[:PROBLEM.index("optimize:")]
    chosen = [(key, problem) for key, problem in problems()
              if (key.split(".")[0] if "." in key else "the section") == first]
    for key, problem in chosen:
        text = model + "optimize:\n" + "".join(f"  {k}: {v}\n" for k, v in problem.items())
        path.write_text(text)
        done = oloid("optimize", path, "-q", "--no-result", "--iterations", "1")
        assert done.returncode in (2, 4), (key, text, done.stdout, done.stderr)
        # the line of the key; a list without entries is missing in the section
        line = 1 + text.splitlines().index(
            "optimize:" if (key, problem[key.split(".")[0]]) == ("controls", "[]") else
            f"  {key.split('.')[0]}: {problem[key.split('.')[0]]}")
        assert re.search(rf"p\.yaml:{line}:\d+: ", done.stderr), (key, text, done.stderr)
        assert "optimize" in done.stderr or first in done.stderr, (key, text, done.stderr)


def test_there_are_two_hundred_of_them():
    assert len(list(problems())) + len(WRONG) >= 200


WRONG = [
    ("controls: {name: rail}", "controls: {name: rial}", r"7:13: optimize.controls\[0\].*'rial'"),
    ("controls: {name: rail}", "controls: {name: rail, lower: 2, upper: 1}", "lower bound 2"),
    ("controls: {name: rail}", "controls: {}", "needs the key 'name'"),
    ("controls: {name: rail}", "controls: 3", "a list of controls"),
    ("controls: {name: rail}", "controls: []", "at least one control"),
    ("controls: {name: rail}", "controls: [{name: rail}, {name: rail}]", "two controls"),
    ("controls: {name: rail}", "controls: {name: rail, follows: x}", "no control 'x'"),
    ("type: effort", "type: efort", "costs.*efort"),
    ("type: effort", "type: effort, weight: .nan", "costs.weight"),
    ("type: effort", "type: effort, control: x", "no control 'x'"),
    ("type: effort", "type: end", "needs a quantity"),
    ("rail.position", "rail.angle", r"9:15: optimize.conditions\[0\].*'rail.angle'"),
    ("value: 1", "value: 1, lower: 0", "either a value or bounds"),
    ("value: 1", "lower: 2, upper: 1", "above the upper"),
    (", value: 1", "", "a value or a bound"),
    ("quantity: rail.position, value: 1", "body: b", "'b'"),
    ("value: 1", "value: 1, at: middle", "middle"),
    ("intervals: 10", "intervals: 0", "intervals"),
    ("intervals: 10", "intervals: -3", "intervals"),
    ("intervals: 10", "intervals: 10\n  duration: 0", "duration"),
    ("intervals: 10", "intervals: 10\n  shortest: 3\n  longest: 2", "ascending"),
    ("intervals: 10", "intervals: 10\n  end_velocity: zero", "end_velocity"),
    ("intervals: 10", "intervalls: 10", "did you mean 'intervals'"),
    ("intervals: 10", "guesses: {coordinate: rail.position}", "needs the key 'value'"),
    ("intervals: 10", "guesses: {coordinate: x, value: 1}", r"guesses\[0\].*'x'"),
    ("{quantity: rail.position, value: 1}", "[{quantity: rail.position, value: 1},\n"
     "    {quantity: tip.velocity, value: 1}]", "end_velocity to free"),
    ("type: effort", "type: end, quantity: kinetic", "end_velocity to free"),
    ("type: effort", "type: path, quantity: rail.position, target_over_time: t, target_file: x.csv",
     "not both"),
    ("type: effort", "type: path, quantity: rail.position, target_column: x", "needs target_file"),
    ("quantity: rail.position, value: 1", "quantity: tip.position, direction: [0, 0, 0], value: 1",
     "needs a direction"),
    ("intervals: 10", "shortest: 1\n  longest: 2\n  guesses: {coordinate: rail.position.rate, "
     "value: 1}", "depends on velocities"),
]


TRAJECTORIES = [
    ("", "no column"), ("t\n0\n1\n", "no column"), ("t,x\n0,1\n1,2\n", "no column 'rail.position'"),
    ("t,rail.position\n", "cover"), ("t,rail.position\n0,1\n", "cover"),
    ("t,rail.position\n0,1\n0.5,2\n", "cover"), ("t,rail.position\n0.5,1\n1,2\n", "cover"),
    ("t,rail.position\n0,1\n0,2\n1,1\n", r":3: times must ascend"),
    ("t,rail.position\n0,1\n1,x\n", ":3: a row needs"), ("t,rail.position\n0\n1,2\n", ":2: a row"),
    ("t,rail.position\n0,nan\n1,2\n", ":2: a row"), ("t,rail_position\n0,1\n1,2\n", "did you mean"),
]


@pytest.mark.parametrize("text, message", TRAJECTORIES)
def test_wrong_trajectories_are_located(oloid, tmp_path, text, message):
    (tmp_path / "wanted.csv").write_text(text)
    (tmp_path / "p.yaml").write_text(PROBLEM.replace(
        "{type: effort}", "{type: path, quantity: rail.position, target_file: wanted.csv}"))
    done = oloid("optimize", tmp_path / "p.yaml")
    assert done.returncode in (2, 4)
    assert re.search(message, done.stderr), done.stderr
    assert re.search(r"p\.yaml:8:10: optimize.costs\[0\]: .*wanted.csv", done.stderr), done.stderr


@pytest.mark.parametrize("old, new, message", WRONG)
def test_wrong_problems_are_located(oloid, tmp_path, old, new, message):
    path = tmp_path / "p.yaml"
    assert PROBLEM.count(old) == 1
    path.write_text(PROBLEM.replace(old, new))
    done = oloid("optimize", path)
    assert done.returncode == 2
    assert re.search(message, done.stderr), done.stderr
    assert re.search(r"p\.yaml:\d+:\d+: optimize", done.stderr), done.stderr
