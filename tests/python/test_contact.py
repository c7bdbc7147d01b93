"""Contacts from Python: states of contacts, losses in the ledger, columns of the result."""
import numpy
import pytest

import oloid

BALL = {"name": "drop", "gravity": [0, 0, -9.81],
        "points": [{"name": "ball", "mass": 2, "position": [0, 0, 1]}],
        "contacts": [{"name": "floor", "point": "ball", "restitution": 0}],
        "run": {"step": 0.01, "end": 1}}


def test_a_ball_falls_and_rests_on_the_floor():
    """The weight at rest; the whole energy m g h is lost in the impact."""
    system = oloid.load(BALL)
    state = system.initial_state()
    stepper = system.stepper()
    assert state.contacts["floor"].gap == 1
    for _ in range(100):
        stepper.step(state)
    floor = state.contacts["floor"]
    assert floor.closed and abs(floor.gap) < 1e-13
    assert floor.force[2] == pytest.approx(2 * 9.81, rel=1e-12)
    assert floor.normal == pytest.approx(2 * 9.81, rel=1e-12) and floor.friction == 0
    assert floor.impulse == 0 and list(floor.position[:2]) == [0, 0]
    assert state.ledger.impact == pytest.approx(2 * 9.81, rel=1e-12)


def test_columns_of_contacts_are_in_the_result():
    result = oloid.run(BALL)
    assert result.ok
    assert result["floor.gap"][0] == 1
    assert result["floor.force"][-1][2] == pytest.approx(2 * 9.81, rel=1e-9)
    assert result["floor.normal"][-1] == pytest.approx(2 * 9.81, rel=1e-9)
    assert (result["floor.status"] == (result["floor.gap"] < 1e-9)).all()
    # one impact, at the end of the fall
    hit = result["impact_impulse"] > 0
    assert hit.sum() == 1 and result["time"][hit][0] == pytest.approx((2 / 9.81) ** 0.5, abs=0.01)
    assert result["impact_impulse"].max() == pytest.approx(2 * (2 * 9.81) ** 0.5, rel=1e-12)


def test_gaps_can_be_python_functions():
    """A bead in a paraboloid z = 0.7 (x^2 + y^2): the same motion as with the gap as an expression,
    energy and angular momentum about the axis are constant."""
    def bowl(x):
        gap = x[2] - 0.7 * (x[0] ** 2 + x[1] ** 2)
        return gap, [-1.4 * x[0], -1.4 * x[1], 1], numpy.diag([-1.4, -1.4, 0])

    results = []
    for keys in ({"function": bowl}, {"gap": "z - 0.7*(x^2 + y^2)"}):
        model = oloid.Model("bowl", gravity=[0, 0, -9.81])
        model.add_point(name="bead", mass=0.1, position=[0.6, 0, 0.252], velocity=[0, 1, 0])
        model.add_contact(name="bowl", type="function", point="bead", **keys)
        model.set_run(step=0.005, end=1)
        results.append(oloid.run(model))
    own, expression = results
    assert own.ok and (own["bowl.status"][1:] > 0).all()
    assert numpy.abs(own["bead.position"] - expression["bead.position"]).max() < 1e-11
    assert numpy.ptp(own.ledger["energy.total"]) < 1e-13
    moment = numpy.cross(own["bead.position"], own["bead.velocity"])[:, 2]
    assert moment == pytest.approx(0.6, rel=1e-12)


def test_an_exception_in_a_gap_function_ends_the_run():
    def broken(x):
        raise ZeroDivisionError("no gap here")

    model = oloid.Model("broken", gravity=[0, 0, -9.81])
    model.add_point(name="bead", mass=0.1, position=[0, 0, 1])
    model.add_contact(name="floor", type="function", point="bead", function=broken)
    with pytest.raises(ZeroDivisionError, match="no gap here"):
        oloid.run(model, end=0.1)
