"""Steps of different lengths, `run.steps`: runs, gradients, and what excludes them."""
import os
import subprocess

import numpy
import pytest

import oloid

MODEL = """parameters: {l: 0.7, w: 1.3}
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 2, inertia: [0.1, 0.1, 0.1], position: [l, 0, 0]}
  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.1], position: [1.5*l, 0, 0]}
joints:
  - {name: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], rate: w}
  - {name: knee, between: [a, b], at: [l, 0, 0], axis: [0, 1, 0.2]}
outputs: {name: tip, on: b}
"""
STEPS = [0.01, 0.03, 0.02, 0.004, 0.025]


def write(run):
    with open("steps.yaml", "w", encoding="utf-8") as file:
        file.write(MODEL + f"run: {run}\n")
    return "steps.yaml"


def load(run, **parameters):
    return oloid.load(write(run), parameters)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def by_hand(system, steps, start=None):
    state, stepper = start or system.initial_state(), system.stepper()
    for h in steps:
        stepper.step(state, h)
    return state


def test_runs_make_the_steps_of_the_list():
    system = load(f"{{steps: {STEPS}}}")
    assert system.options["steps"] == STEPS
    found, wanted = system.initial_state(), by_hand(system, STEPS)
    assert system.simulate(found).steps == len(STEPS)
    assert (found.q == wanted.q).all() and found.time == wanted.time == sum(STEPS)
    other = load("{end: 3}")
    state = other.initial_state()
    other.simulate(state, steps=numpy.array(STEPS))
    assert (state.q == wanted.q).all() and state.time == wanted.time
    result = oloid.run(system)
    assert result["time"][-1] == wanted.time and result.steps == len(STEPS)


def test_a_state_continues_from_its_time():
    system = load(f"{{steps: {STEPS}}}")
    state = system.initial_state()
    times = []
    system.simulate(state)
    system.simulate(state, callback=lambda state, step: times.append(state.time) and False)
    wanted = by_hand(system, STEPS + STEPS)
    assert abs(state.time - 2 * sum(STEPS)) < 1e-15 and abs(state.q - wanted.q).max() < 1e-13
    assert numpy.diff(times) == pytest.approx(STEPS, abs=1e-15)


def test_step_and_end_replace_the_list():
    system = load(f"{{steps: {STEPS}}}")
    state = system.initial_state()
    assert system.simulate(state, step=0.01, end=0.05).steps == 5 and state.time == 0.05
    for wrong, words in (({"steps": STEPS, "end": 1}, "follow from `steps`"),
                         ({"steps": [0.1, -0.1]}, "positive"), ({"steps": []}, "positive"),
                         ({"steps": [0.1, float("nan")]}, "positive"),
                         ({"steps": STEPS, "tolerance": 1e-6}, "run.steps or run.tolerance")):
        with pytest.raises(oloid.InputError, match=words):
            system.simulate(system.initial_state(), **wrong)
    with pytest.raises(oloid.InputError, match="run.steps: a list of steps is no setting"):
        oloid.run(write("{}"), steps=STEPS)
    with pytest.raises(oloid.InputError, match="a list of steps is no setting"):
        oloid.load(write("{}"), {"run.steps": "[0.1, 0.2]"})


@pytest.mark.parametrize("scheme", ["energy-momentum-2006", "variational"])
def test_gradients_are_those_of_the_same_steps(scheme):
    goal = [oloid.goal("tip.position", direction=[0.3, 0, 1], end=1),
            oloid.goal("kinetic", running=0.7)]

    def value(l, w):
        system = load(f"{{steps: {STEPS}, scheme: {scheme}}}", l=l, w=w)
        return system.derivatives().gradient(goal).value

    system = load(f"{{steps: {STEPS}, scheme: {scheme}}}")
    derivatives = system.derivatives(["l", "w"])
    assert derivatives.steps == len(STEPS)
    found = derivatives.gradient(goal)
    assert found.steps == len(STEPS) and list(derivatives.sizes) == STEPS
    for name, at in (("l", 0.7), ("w", 1.3)):
        points = {"l": 0.7, "w": 1.3}
        d, difference = 1e-3, 0
        for j, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)):
            difference += weight / d * value(**{**points, name: at + j * d})
        assert found.parameters[name] == pytest.approx(difference, rel=1e-8)
    sized = load(f"{{scheme: {scheme}}}").derivatives(["l", "w"])
    sized.sizes = STEPS
    assert sized.gradient(goal).parameters == found.parameters
    sized = load("{}").derivatives(["l", "w"], steps=STEPS, scheme=scheme)
    assert sized.gradient(goal).parameters == found.parameters


def test_a_study_of_convergence_takes_its_own_steps():
    found = subprocess.run([os.environ["OLOID"], "converge", write("{steps: [0.1, 0.05, 0.05]}"),
                            "--steps", "0.05,0.025,0.0125"], capture_output=True, text=True,
                           check=True).stdout
    rows = [line.split() for line in found.splitlines() if line.strip().startswith("0.0")]
    errors = [float(row[1]) for row in rows]
    assert errors[0] > 3 * errors[1] > 9 * errors[2], found


def test_interrupted_runs_continue_with_the_list():
    model = write(f"{{steps: {[h / 5 for h in STEPS * 40]}}}")
    whole = oloid.run(model, output="whole.h5")
    oloid.run(model, output="part.h5", callback=lambda state, step: step == 77)
    rest = oloid.resume("part.h5")
    assert (rest["tip.position.x"] == whole["tip.position.x"]).all()
    assert (rest["time"] == whole["time"]).all()
