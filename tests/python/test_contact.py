"""Contacts from Python: states of contacts, losses in the ledger, columns of the result."""
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
    assert state.ledger.impact == pytest.approx(2 * 9.81, rel=1e-12)


def test_columns_of_contacts_are_in_the_result():
    result = oloid.run(BALL)
    assert result.ok
    assert result["floor.gap"][0] == 1
    assert result["floor.force"][-1][2] == pytest.approx(2 * 9.81, rel=1e-9)
