"""Stepping by hand: systems, states, steppers."""
import gc
import math

import numpy
import oloid
import pytest
from conftest import pendulum


def test_steps_by_hand_are_those_of_a_run():
    result = oloid.run("heavy-top", step=1e-3, end=0.05)
    system = oloid.load("heavy-top", step=1e-3, end=0.05)
    state, stepper = system.initial_state(), system.stepper()
    assert stepper.unknowns == 3
    for row in range(1, result.rows):
        stepper.step(state)
        state.time = row * 1e-3  # a run counts its steps
        assert numpy.array_equal(state.q[:3], result["top.position"][row])
        assert state.ledger.total == result["energy.total"][row]
        assert stepper.report.iterations == result["iterations"][row]


SLIDE = {
    "bodies": {"name": "a", "mass": 2, "inertia": [2, 2, 3]},
    "joints": {"name": "slide", "type": "cylindrical", "between": ["ground", "a"],
               "axis": [0, 0, 1], "force": 4, "torque": 0.5, "time": 0},
    "run": {"scheme": "variational", "step": 0.1, "end": 1}}


def test_controls_along_joint_coordinates():
    """Force and torque of one joint are two controls: 4*0.5 moves 2 kg by 1/2 in one second, and
    0.5*0.6 gives the inertia 3 the angular momentum 0.3. The derivative of the path by the force of
    step k is 4 h (1 - (k + 1/2) h)/2."""
    system = oloid.load({"name": "s", **SLIDE})
    state, stepper = system.initial_state(), system.stepper()
    for _ in range(10):
        stepper.step(state, {"slide.position": 0.5, "slide.angle": 0.6})
    assert state.q[2] == pytest.approx(0.5, abs=1e-13)
    assert state.ledger.angular_momentum[2] == pytest.approx(0.3, abs=1e-13)
    with pytest.raises(oloid.Error, match="no joint coordinate with one is called 'slide.height'"):
        stepper.step(state, {"slide.height": 1})
    by = system.derivatives(controls=["slide.position", "slide.angle"])
    found = by.gradient(end=lambda now: (now.q[2], numpy.eye(12)[2], numpy.zeros(12)),
                        controls=numpy.tile([0.5, 0.6], (10, 1)))
    k = numpy.arange(10)
    assert found.value == pytest.approx(0.5, abs=1e-13)
    assert found.controls[:, 0] == pytest.approx(0.2 * (1 - (k + 0.5) / 10), abs=1e-12)
    assert found.controls[:, 1] == pytest.approx(0, abs=1e-12)
    with pytest.raises(oloid.Error, match="no joint coordinate with one is called 'slide.height'"):
        system.derivatives(controls=["slide.height"]).gradient(
            end=lambda now: (0.0, numpy.zeros(12), numpy.zeros(12)), controls=numpy.zeros((10, 1)))


def test_simulate_calls_back_at_every_step():
    system = oloid.load(pendulum())
    seen, state = [], system.initial_state()
    summary = system.simulate(state, lambda now, step: seen.append((step, now.time, now.q.copy())))
    assert [step for step, _, _ in seen] == list(range(101)) and summary.steps == 100
    assert state.time == 1.0 and numpy.array_equal(seen[-1][2], state.q)
    result = oloid.run(pendulum())
    assert numpy.array_equal(numpy.array([q for _, _, q in seen]), result["bob.position"])


def test_an_exception_of_the_callback_reaches_the_caller():
    def callback(state, step):
        if step == 3:
            raise KeyError("three")
    state = oloid.load(pendulum()).initial_state()
    with pytest.raises(KeyError, match="three"):
        state.system.simulate(state, callback)
    assert state.time == pytest.approx(0.03)


def test_the_energy_of_the_pendulum_is_that_of_the_formula():
    system = oloid.load(pendulum())
    state = system.initial_state()
    system.simulate(state)
    speed, height = numpy.linalg.norm(state.v), state.q[2]
    assert state.ledger.kinetic == pytest.approx(0.5 * 2 * speed**2, rel=1e-13)
    assert state.ledger.potential == pytest.approx(2 * 9.81 * height, rel=1e-13)
    assert abs(state.ledger.total) < 1e-12
    position, velocity = state.point("bob")
    assert numpy.array_equal(position, state.q) and numpy.array_equal(velocity, state.v)


def test_the_tension_of_a_rod_that_circles():
    """m v^2 / l without gravity; the discrete force is that of the midpoint, which lies on a
    chord."""
    model = oloid.Model("circle", points=[{"name": "a", "mass": 3, "position": [2, 0, 0],
                                           "velocity": [0, 1.5, 0]}],
                        rods=[{"name": "rod", "between": [[0, 0, 0], "a"]}])
    system = oloid.load(model)
    state, stepper = system.initial_state(), system.stepper(constraints="multipliers")
    stepper.step(state, 1e-4)
    force, moment = stepper.reaction(state, "rod")
    assert numpy.linalg.norm(force) == pytest.approx(3 * 1.5**2 / 2, rel=1e-6)
    assert system.groups == ["rod"] and stepper.condition > 1 and len(state.multipliers) == 1
    with pytest.raises(oloid.Error, match="no constraint group 'rot'"):
        stepper.reaction(state, "rot")


def test_views_are_read_only_and_follow_the_state():
    system = oloid.load(pendulum())
    state, stepper = system.initial_state(), system.stepper()
    q = state.q
    before = q.copy()
    with pytest.raises(ValueError):
        q[0] = 2
    stepper.step(state)
    assert not numpy.array_equal(q, before)
    del state, stepper, system
    gc.collect()
    assert numpy.all(numpy.isfinite(q))  # the view owns a reference to its state


def test_states_are_written_copied_and_reversed():
    system = oloid.load(pendulum())
    state, stepper = system.initial_state(), system.stepper()
    state.q, state.v = [0, 0, -1], [1, 0, 0]
    copy = state.copy()
    for _ in range(50):
        stepper.step(state, 0.01)
    assert numpy.array_equal(copy.q, [0, 0, -1]) and not numpy.array_equal(state.q, copy.q)
    state.reverse()
    for _ in range(50):
        stepper.step(state, 0.01)
    assert numpy.allclose(state.q, copy.q, rtol=0, atol=1e-12)  # the scheme is symmetric in time
    with pytest.raises(oloid.InputError, match="3 numbers are needed"):
        state.q = [1, 2]


def test_joint_coordinates_and_structure():
    model = oloid.Model("wheel", run={"step": 0.01, "end": 1})
    model.add_body(name="wheel", mass=1, inertia=[1, 1, 2])
    model.add_joint(name="axle", between=["ground", "wheel"], at=[0, 0, 0], axis=[0, 0, 1], rate=3)
    system = oloid.load(model)
    state = system.initial_state()
    system.simulate(state)
    angle, rate = state.joint("axle.angle")
    # the scheme rotates by 2 atan(h omega/2) per step
    assert (angle == pytest.approx(100 * 2 * math.atan(0.01 * 3 / 2), rel=1e-12)
            and rate == pytest.approx(3, rel=1e-12))
    assert system.joint_coordinates == ["axle.angle"] and system.counts["degrees_of_freedom"] == 1
    assert system.nodes == [("wheel", "body", 0)] and system.coordinates == 12
    assert "energy" in [invariant.name for invariant in system.invariants]
    with pytest.raises(oloid.Error, match="no joint coordinate 'axle.angel'; known are axle.angle"):
        state.joint("axle.angel")


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_states_systems_and_results_are_freed():
    try:
        resident_bytes()
    except OSError:
        pytest.skip("no /proc here: memory is not measured")
    system = oloid.load("chain", {"n": 100})
    start, light = system.initial_state(), oloid.load(pendulum())

    def use(times):
        for _ in range(times):
            start.copy().q.sum()
            light.initial_state()
    use(20)
    before, size = resident_bytes(), start.q.nbytes
    use(1000)
    # a state has q and v: a leak of one in ten copies is seen
    assert resident_bytes() - before < 0.1 * 1000 * 2 * size
    def run(times):
        for _ in range(times):
            oloid.run("heavy-top", end=0.01)["time"]
            oloid.load("heavy-top").stepper()
    run(10)
    before = resident_bytes()
    run(40)
    assert resident_bytes() - before < 40 * 50e3


def test_a_state_starts_from_the_equilibrium():
    system = oloid.load("planar-pendulum", start="equilibrium")
    state = system.initial_state()
    assert state.q[:2] == pytest.approx([0, -1], abs=1e-9)
    assert not state.v.any() and state.time == 0


def test_orders_and_tolerances():
    # three ways that agree
    fine = oloid.load("double-spherical-pendulum", scheme="variational", order=6, step=0.005, end=1)
    end = fine.initial_state()
    fine.simulate(end)
    for options, bound in ({"order": 4, "step": 0.01}, 1e-6), ({"order": 4, "tolerance": 1e-7},
                                                               1e-6):
        system = oloid.load("double-spherical-pendulum", end=1, **options)
        state = system.initial_state()
        summary = system.simulate(state)
        assert numpy.abs(state.q - end.q).max() < bound
        assert summary.smallest_step <= summary.largest_step
        assert system.options["order"] == 4
    stepper = system.stepper()
    state = system.initial_state()
    while state.time < 1:
        stepper.adapt(state)
        assert stepper.report.size > 0
    assert state.time == pytest.approx(1, abs=1e-12)
    assert numpy.abs(state.q - end.q).max() < 1e-6
    with pytest.raises(oloid.Error, match="needs constant steps"):
        oloid.load("heavy-top", scheme="variational", tolerance=1e-3).stepper()


def test_a_run_with_a_tolerance_records_its_grid():
    result = oloid.run("double-spherical-pendulum", order=4, tolerance=1e-5, grid=0.1, end=2)
    assert result.ok
    assert result.time == pytest.approx(numpy.arange(21) / 10, abs=1e-14)


def test_legendre_transforms_at_a_node_and_a_start_from_momenta():
    """p+ of a step is p- of the next and h G^T lambda; projected, both are M v there."""
    h = 0.01
    system = oloid.load("double-spherical-pendulum", scheme="variational",
                        constraints="multipliers", step=h)
    states, stepper = [system.initial_state()], system.stepper()
    for _ in range(3):
        states.append(states[-1].copy())
        stepper.step(states[-1])
    _, _, node, after = states
    multipliers = after.multipliers
    plus = stepper.legendre(states[1], node)[1]
    minus = stepper.legendre(node, after)[0]
    impulse = h * node.constraint_forces(multipliers)
    assert numpy.abs(impulse).max() > 0.1
    assert numpy.allclose(plus - minus, impulse, atol=1e-12 * numpy.abs(plus).max())
    for p in (plus, minus):
        start = node.copy()
        stepper.set_momenta(start, p)
        assert numpy.allclose(start.momenta, node.momenta, atol=1e-12 * numpy.abs(p).max())
        stepper.step(start)
        assert numpy.allclose(start.q, after.q, atol=1e-13)
    with pytest.raises(oloid.InputError, match="6 numbers"):
        stepper.set_momenta(start, [1, 2])
    with pytest.raises(oloid.Error, match="does not step from momenta"):
        oloid.load("double-spherical-pendulum").stepper().set_momenta(start, plus)


def test_other_parameters_give_the_bits_of_a_fresh_system():
    chain = oloid.load("chain", set={"n": 5})
    other = chain.with_parameters({"mass": 0.17}).with_parameters({"length": 0.2})
    fresh = oloid.load("chain", set={"n": 5, "mass": 0.17, "length": 0.2})
    states = [system.initial_state() for system in (other, fresh)]
    for system, state in zip((other, fresh), states):
        system.simulate(state, end=0.02)
    assert (states[0].q == states[1].q).all() and (states[0].v == states[1].v).all()
    assert str(states[0].ledger) == str(states[1].ledger)
    assert other.parameter("mass") == 0.17 and chain.parameter("mass") == 0.1
    assert [one.name for one in other.invariants] == [one.name for one in fresh.invariants]


def test_parameters_that_change_the_structure_are_refused_by_name():
    chain = oloid.load("chain", set={"n": 5})
    with pytest.raises(oloid.Error, match="parameter 'n' changes the structure of the model"):
        chain.with_parameters({"n": 6})
    with pytest.raises(oloid.InputError, match="did you mean 'mass'"):
        chain.with_parameters({"mas": 1})
    with pytest.raises(oloid.InputError, match="load it with"):
        chain.with_parameters({"mass": 0.2}).derivatives(["mass"])
