"""`oloid optimize --model`: the model with the controls found runs to the same configurations,
however it is written and whatever it drives."""
import pytest

pytestmark = pytest.mark.usefixtures("needs_ipopt")

CONTROLLER = """
bodies: {name: cart, mass: 1, inertia: [1, 1, 1]}
joints: {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0],
         controller: {kp: 8, kd: 3, target: sin(t)}}
optimize:
  intervals: 20
  duration: 2
  controls: {name: rail}
  costs: {type: effort}
  conditions: {quantity: rail.position, value: 1.5}
"""

# the target along one coordinate and the torque about the other; commas outside of flow style
BLOCK = """
parameters:
  k: max(8, 2)
bodies:
  - name: cart
    mass: 1
    inertia: [1, 1, 1]
joints:
  - name: slide
    type: cylindrical
    between: [ground, cart]
    axis: [1, 0, 0]
    controller: {kp: k, kd: 3, target: 1}
    coordinate: position
    torque: max(1, 2)
    time: min(t, 1)
optimize:
  intervals: 20
  controls: [{name: slide.position}, {name: slide.angle}]
  costs: {type: effort}
  conditions: [{quantity: slide.position, value: 1.5}, {quantity: slide.angle, value: 1}]
"""

# two of three coordinates are driven, one has a constant force
MINIMAL = """
coordinates:
  - names: [x, a, b]
    mass: [2, 0.3, 1]
    energy: [5*(a - x)^2, "max(0, 1)*cos(b)"]
    forces: [2, 0.5, 1]
optimize:
  intervals: 20
  grading: 1.05
  controls: [{name: x}, {name: b}]
  costs: {type: effort}
  conditions: [{quantity: x, value: 1}, {quantity: a, value: 1}, {quantity: b, value: 0.5}]
"""

ONE = """
coordinates: {names: [s], mass: [1], forces: [2], time: sin(t)}
optimize: {controls: {name: s}, costs: {type: effort}, conditions: {quantity: s, value: 1}}
"""


def last_row(oloid, result):
    done = oloid("export", result, "--csv", "motion.csv")
    assert done.returncode == 0, done.stderr
    names, *_, last = (oloid.folder / "motion.csv").read_text().splitlines()
    return dict(zip(names.split(","), map(float, last.split(","))))


@pytest.mark.parametrize("text", [CONTROLLER, BLOCK, MINIMAL, ONE])
def test_a_written_model_ends_where_the_optimum_does(oloid, text):
    (oloid.folder / "p.yaml").write_text(text)
    done = oloid("optimize", "p.yaml", "-q", "-m", "driven.yaml", "-o", "optimum.h5", "--no-report")
    assert done.returncode == 0, done.stderr + done.stdout
    done = oloid("run", "driven.yaml", "-o", "driven.h5", "--no-report")
    assert done.returncode in (0, 6), done.stderr + done.stdout
    found, run = last_row(oloid, "optimum.h5"), last_row(oloid, "driven.h5")
    same = [name for name in found
            if ".position." in name or ".d1." in name or name in ("x", "a", "b", "s")]
    assert same
    for name in same:
        assert run[name] == pytest.approx(found[name], abs=1e-9), name


def test_a_target_and_a_force_are_not_one_control(oloid):
    (oloid.folder / "p.yaml").write_text(CONTROLLER.replace("controller:", "force: 1, controller:"))
    done = oloid("optimize", "p.yaml")
    assert done.returncode == 2
    assert "p.yaml:8:13: optimize.controls[0]: 'rail' has a controller and a torque or force" in \
        done.stderr
