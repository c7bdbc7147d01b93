"""Derivatives of runs: gradients against differences of whole runs, and what is refused."""
import numpy
import pytest
from conftest import pendulum

import oloid

SWING = """
name: swing
parameters: {m: 1.5, l: 0.8, k: 12, w: 1}
gravity: [0, 0, -9.81]
bodies:
  - {name: arm, mass: m, inertia: [0.01, m*l^2/12, m*l^2/12],
     position: [l/2, 0, 0], angular_velocity: [0, w, 0]}
joints:
  - {name: hinge, type: revolute, between: [ground, {on: arm, at: [-l/2, 0, 0]}], axis: [0, 1, 0],
     torque: 1}
springs:
  - {name: coil, between: [[1, 1, 0], {on: arm, at: [l/2, 0, 0]}], stiffness: k, length: 0.5}
outputs:
  - {name: tip, on: {on: arm, at: [l/2, 0, 0]}}
run: {step: 0.01, end: 0.5}
"""


@pytest.fixture
def swing(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(SWING)
    return path


def extrapolated(function, at, size):
    """Derivative by central differences, extrapolated twice."""
    D = [(function(at + h) - function(at - h)) / (2 * h) for h in (size, size / 2, size / 4)]
    E = [(4 * D[1] - D[0]) / 3, (4 * D[2] - D[1]) / 3]
    return (16 * E[1] - E[0]) / 15


GOALS = [oloid.goal("tip.position", direction=[1, 0, 2], end=1, running=0.5),
         oloid.goal("hinge.angle", target=1, end=3)]


@pytest.mark.parametrize("scheme", ["energy-momentum-2006", "variational"])
def test_gradient_by_parameters(swing, scheme):
    names = {"m": 1.5, "l": 0.8, "k": 12.0, "w": 1.0}
    g = oloid.gradient(swing, GOALS, parameters=names, scheme=scheme)
    assert set(g.parameters) == set(names) and g.steps == 50
    for name, value in names.items():
        expected = extrapolated(
            lambda x: oloid.gradient(swing, GOALS, set={name: x}, scheme=scheme).value, value,
            0.02 * value)
        assert g.parameters[name] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("quantity", [
    "arm.position.x", "arm.velocity.z", "arm.momentum.z", "momentum.x", "arm.angular_momentum.y",
    "angular_momentum.y", "arm.angular_velocity.y", "distance(tip, arm)",
    "kinetic*hinge.angle + tip.velocity.x^2", "energy - 2*potential"])
def test_every_quantity_has_a_gradient(swing, quantity):
    names = {"m": 1.5, "l": 0.8, "w": 1.0}
    goals = oloid.goal(quantity, end=1, running=0.5)
    g = oloid.gradient(swing, goals, parameters=names, end=0.2)
    for name, value in names.items():
        expected = extrapolated(
            lambda x: oloid.gradient(swing, goals, set={name: x}, end=0.2).value,
            value, 0.02 * value)
        assert g.parameters[name] == pytest.approx(expected, rel=1e-8, abs=1e-9)


def test_controls_and_effort(swing):
    d = oloid.load(swing).derivatives(controls=["hinge"])
    rng = numpy.random.default_rng(3)
    u, du = rng.normal(size=(d.steps, 1)), rng.normal(size=(d.steps, 1))

    def effort(t, u):
        return 0.5 * u @ u, u
    g = d.gradient(GOALS, controls=u, effort=effort)
    expected = extrapolated(lambda s: d.gradient(GOALS, controls=u + s * du, effort=effort).value,
                            0.0, 0.1)
    assert numpy.sum(g.controls * du) == pytest.approx(expected, rel=1e-8)
    value, derivative, _, _ = d.forward(GOALS, controls=u, along=du, effort=effort)
    assert value == g.value
    assert derivative == pytest.approx(expected, rel=1e-8)


def test_functions_in_python(swing):
    system = oloid.load(swing)
    d = system.derivatives("k")

    def end(state):
        return 0.5 * state.v @ state.v, None, state.v

    def running(state):
        return state.q.sum(), numpy.ones(system.coordinates), None
    g = d.gradient(end=end, running=running)
    expected = extrapolated(lambda k: oloid.load(swing, set={"k": k}).derivatives().gradient(
        end=end, running=running).value, 12.0, 0.2)
    assert g.parameters["k"] == pytest.approx(expected, rel=1e-8)

    def broken(state):
        raise ZeroDivisionError("in the functional")
    with pytest.raises(ZeroDivisionError, match="in the functional"):
        d.gradient(end=broken)


def test_steps_forward_and_back(swing):
    system = oloid.load(swing)
    d, state = system.derivatives(), system.initial_state()
    rng = numpy.random.default_rng(1)
    dq, dv = d.admit(state, rng.normal(size=12), rng.normal(size=12))
    gq, gv = rng.normal(size=12), rng.normal(size=12)
    d.step(state)
    dq1, dv1 = d.step_forward(dq, dv)
    gq0, gv0 = d.step_adjoint(gq, gv)
    assert gq @ dq1 + gv @ dv1 == pytest.approx(gq0 @ dq + gv0 @ dv, rel=1e-12)


def test_step_map_is_symplectic():
    system = oloid.load("double-spherical-pendulum", scheme="variational")
    linear = system.derivatives().step_map(system.initial_state())
    f = system.counts["degrees_of_freedom"]
    J = numpy.block([[numpy.zeros((f, f)), numpy.eye(f)], [-numpy.eye(f), numpy.zeros((f, f))]])
    assert numpy.abs(linear.matrix.T @ J @ linear.matrix - J).max() < 1e-13
    assert linear.defect < 1e-13 and linear.largest == pytest.approx(1, abs=1e-9)


def test_what_is_refused(swing):
    system = oloid.load(swing)
    with pytest.raises(oloid.Error, match="no parameter 'q'"):
        system.derivatives("q")
    with pytest.raises(oloid.Error, match="'nobody'"):
        system.derivatives(controls="nobody").gradient(GOALS, controls=numpy.zeros((50, 1)))
    with pytest.raises(oloid.InputError, match="shape"):
        system.derivatives(controls="hinge").gradient(GOALS, controls=numpy.zeros(50))
    with pytest.raises(oloid.InputError, match="nothing is controlled"):
        system.derivatives().gradient(GOALS, controls=numpy.zeros((50, 1)))
    with pytest.raises(oloid.Error, match="no quantity 'tip.colour'"):
        system.derivatives().gradient(oloid.goal("tip.colour"))
    with pytest.raises(oloid.Error, match="'penalty' permits errors"):
        oloid.load(swing).derivatives(constraints="penalty")
    with pytest.raises(oloid.Error, match="the plane on which it rolls"):
        oloid.load("rolling-ball").derivatives("slope")


def test_checkpoints_change_nothing():
    system = oloid.load(pendulum())
    d = system.derivatives()
    whole = d.gradient(oloid.goal("kinetic", end=1))
    d.set_memory(0)
    again = d.gradient(oloid.goal("kinetic", end=1))
    assert whole.again == 0 and again.again > 0
    assert whole.value == again.value and (whole.q == again.q).all() and (whole.v == again.v).all()


def test_steps_of_a_tolerance_can_be_used_again(swing):
    system = oloid.load(swing, tolerance=1e-4)
    d = system.derivatives("k")
    g = d.gradient(GOALS)
    sizes = d.sizes
    assert (len(sizes) == g.steps == d.steps and sizes.sum() == pytest.approx(0.5) and sizes.max()
            > 1.2 * sizes.min())

    def with_the_same_steps(k):
        other = oloid.load(swing, set={"k": k}, tolerance=1e-4).derivatives()
        other.sizes = sizes
        return other.gradient(GOALS).value
    assert with_the_same_steps(12.0) == pytest.approx(g.value, rel=1e-13)
    assert g.parameters["k"] == pytest.approx(extrapolated(with_the_same_steps, 12.0, 0.2),
                                              rel=1e-8)
    with pytest.raises(oloid.InputError, match="size of step 1 must be positive"):
        d.sizes = [-1]
    d.sizes = [0.01, 0.02]
    assert d.gradient(GOALS).steps == d.steps == 2
    d.sizes = None
    assert d.gradient(GOALS).value == g.value


def test_functionals_that_are_not_finite(swing):
    d = oloid.load(swing).derivatives()
    with pytest.raises(ArithmeticError, match="not finite at t = 0"):
        d.gradient(running=lambda state: (float("nan"), None, None))
    with pytest.raises(ArithmeticError, match="goal 'kinetic' is not finite"):
        d.gradient(oloid.goal("kinetic", target=float("inf"), running=1))


@pytest.mark.parametrize("treatment", ["multipliers", "projected", "minimal"])
def test_exact_treatments_have_the_derivatives_of_reduced(swing, treatment):
    one, other = (oloid.gradient(swing, GOALS, parameters="k", constraints=name)
                  for name in ("reduced", treatment))
    assert one.value == other.value and one.parameters == other.parameters


def test_parameters_move_the_equilibrium_at_the_start(swing):
    goals = [oloid.goal("tip.position", direction=[1, 0, 2], end=1)]
    g = oloid.gradient(swing, goals, parameters=["k", "m"], start="equilibrium", end=0)
    lower = oloid.load(swing, start="equilibrium").initial_state().place("arm", at=[0.4, 0, 0])[0]
    assert g.value == pytest.approx(lower @ [1, 0, 2], abs=1e-12)
    for name, value in (("k", 12.0), ("m", 1.5)):
        expected = extrapolated(lambda x: oloid.gradient(swing, goals, set={name: x},
                                                         start="equilibrium", end=0).value,
                                value, 0.02 * value)
        assert g.parameters[name] == pytest.approx(expected, rel=1e-8)
    later = oloid.load(swing).derivatives("k", start="equilibrium", end=0).gradient(goals)
    assert later.value == g.value and later.parameters["k"] == g.parameters["k"]


def pushed(derivatives=True):
    model = pendulum()
    model.add_joint(name="rail", type="prismatic", between=["ground", "cart"], at=[0, 2, 0],
                    axis=[1, 0, 0], function=lambda t, x, v: -5 * x**3 - v,
                    derivatives=(lambda t, x, v: (-15 * x**2, -1)) if derivatives else None)
    model.add_body(name="cart", mass=1, inertia=[1, 1, 1], position=[0.5, 2, 0])

    def drag(t, x, v):
        return -0.2 * numpy.linalg.norm(v) * v

    def drag_derivatives(t, x, v):
        speed = numpy.linalg.norm(v)
        return 0, -0.2 * (speed * numpy.eye(3) + (numpy.outer(v, v) / speed if speed > 0 else 0))
    model.add_load(name="air", on="bob", function=drag,
                   derivatives=drag_derivatives if derivatives else None)
    return model


def test_functions_with_derivatives_have_gradients():
    system = oloid.load(pushed(), end=0.3)
    d, state = system.derivatives(), system.initial_state()
    n = system.coordinates
    goals = oloid.goal("kinetic", end=1, running=0.5)
    _, dv = d.admit(state, v=numpy.arange(n) / n)
    g = d.gradient(goals)

    def moved(s):
        start = state.copy()
        start.v = start.v + s * dv
        return d.gradient(goals, start).value
    assert g.v @ dv == pytest.approx(extrapolated(moved, 0.0, 0.05), rel=1e-8)
    with pytest.raises(oloid.Error, match="`derivatives`"):
        oloid.load(pushed(derivatives=False)).derivatives()
    with pytest.raises(oloid.InputError, match="`derivatives` are a function"):
        pendulum().add_load(name="x", on="bob", derivatives=3)


def test_an_exception_in_derivatives_is_raised():
    model = pendulum()
    model.add_load(name="air", on="bob", function=lambda t, x, v: -v,
                   derivatives=lambda t, x, v: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        oloid.load(model).derivatives().gradient(oloid.goal("kinetic", end=1))
