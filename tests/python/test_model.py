"""Models in code: the same as files, and functions of Python as forces."""
import math

import numpy
import oloid
import pytest
from conftest import ROOT, pendulum


def test_a_model_in_code_equals_its_file_to_the_last_bit(tmp_path):
    model = oloid.Model("hammer", gravity=[0, 0, -9.81], parameters={"handle": 0.3, "push": 2},
                        units="SI")
    model.add_body(name="hammer", angular_velocity=["push/handle", 0, 0],
                   rotation={"axis": [0, 1, 0], "angle": "40*deg"},
                   shapes=[{"type": "box", "size": [0.02, 0.02, "handle"], "mass": 0.2,
                            "position": [0, 0, "-handle/2"]},
                           {"type": "box", "size": numpy.array([0.1, 0.04, 0.04]),
                            "mass": numpy.float64(1)}])
    model.add_support(name="nail", on="hammer", type="point")
    model.set_run(step=1e-3, end=0.5)
    model.set_parameter("push", 3)
    model.save(tmp_path / "hammer.yaml")
    in_code, in_file = oloid.run(model), oloid.run(tmp_path / "hammer.yaml")
    assert in_code.ok and in_code.names == in_file.names
    assert all(numpy.array_equal(in_code[name], in_file[name], equal_nan=True)
               for name in in_code.names)
    assert in_code.model_text == model.text == (tmp_path / "hammer.yaml").read_text()
    assert oloid.load(model).parameter("push") == 3


@pytest.mark.parametrize("number", [0.1, 1e-300, 1e16, 5e-324, -1 / 3, 2**53 - 1,
                                    numpy.float64(math.pi), numpy.int64(7), 1.7e29])
def test_numbers_reach_the_library_with_all_their_bits(number):
    system = oloid.load(pendulum(parameters={"x": number}))
    assert system.parameter("x") == float(number)
    assert oloid.load(pendulum(parameters={"x": 0}), {"x": number}).parameter("x") == float(number)


def test_texts_reach_the_library_as_they_are():
    description = 'a "pendulum" \\ with\ttabs: äöü 🙂 # no comment\nand {lines}'
    assert oloid.load(pendulum(description=description)).description == description


def test_there_is_an_add_for_every_kind_of_element_with_its_keys():
    model = oloid.Model("x")
    for name in ("add_point", "add_body", "add_joint", "add_spring", "add_load", "add_output"):
        assert name in dir(model) and callable(getattr(model, name))
    assert "stiffness" in model.add_spring.__doc__ and "between" in model.add_joint.__doc__


def test_a_model_as_a_dict():
    system = oloid.load({"name": "two", "points": [{"name": "a", "mass": 1, "position": [0, 0, 0]},
                                                   {"name": "b", "mass": 1, "position": [1, 0, 0]}],
                         "springs": [{"between": ["a", "b"], "stiffness": 3, "length": 0.5}]})
    assert [node.name for node in system.nodes] == ["a", "b"]
    assert system.initial_state().ledger.strain == 0.5 * 3 * 0.25


def test_the_catalogue_is_that_of_the_folder():
    assert oloid.models() == sorted(path.stem for path in (ROOT / "models").glob("*.yaml"))


def test_a_force_in_python_equals_the_damper_of_the_library():
    """The force -c v on the bob is that of a linear damper between the bob and the origin."""
    by_damper = pendulum()
    by_damper.add_damper(between=["bob", [0, 0, 0]], type="linear", damping=0.3)
    by_function = pendulum()
    by_function.add_load(name="drag", on="bob", function=lambda t, position, velocity: -0.3
                         * velocity)
    one, other = oloid.run(by_damper), oloid.run(by_function)
    assert one.ok and other.ok
    assert numpy.allclose(one["bob.position"], other["bob.position"], rtol=0, atol=1e-9)
    assert numpy.allclose(one.ledger["energy.dissipation"], -other.ledger["energy.work"], rtol=0,
                          atol=1e-8)


def test_a_torque_in_python_equals_the_spring_of_the_joint():
    """The mean of the torques at both ends of a step is the torque in the middle, because the law
    is linear."""
    def arm(**drive):
        model = oloid.Model("arm", run={"step": 0.01, "end": 1})
        model.add_body(name="arm", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
        model.add_joint(name="hinge", type="revolute", between=["ground", "arm"], at=[0, 0, 0],
                        axis=[0, 0, 1], rate=2, **drive)
        return oloid.run(model)
    calls = []

    def torque(t, angle, rate):
        calls.append((t, angle, rate))
        return -5 * angle
    spring, function = arm(stiffness=5), arm(function=torque)
    assert numpy.allclose(spring["hinge.angle"], function["hinge.angle"], rtol=0, atol=1e-5)
    assert len(calls) >= 100 and calls[0][0] == pytest.approx(0.005)


def test_an_exception_of_a_force_reaches_the_caller_and_the_steps_before_stay():
    def force(t, position, velocity):
        if t > 0.5:
            raise ZeroDivisionError(f"at {t:.3f}")
        return [0, 0, 0]
    model = pendulum()
    model.add_load(name="f", on="bob", function=force)
    with pytest.raises(ZeroDivisionError, match="at 0.505"):
        oloid.run(model)
    system = oloid.load(model)
    state, stepper = system.initial_state(), system.stepper()
    with pytest.raises(ZeroDivisionError, match="at 0.505"):
        for _ in range(100):
            stepper.step(state)
    assert state.time == pytest.approx(0.5)
    state.time = 0.1  # and the stepper works again
    stepper.step(state)


@pytest.mark.parametrize("value", [[1, 2], "x", None, [1, 2, 3, 4]])
def test_a_force_that_is_no_vector_is_an_error(value):
    model = pendulum()
    model.add_load(name="f", on="bob", function=lambda t, position, velocity: value)
    with pytest.raises((ValueError, TypeError)):
        oloid.run(model)


def rocket(**load):
    model = oloid.Model("rocket", run={"step": 0.02, "end": 1})
    model.add_body(name="rocket", mass=2, inertia=[0.3, 0.4, 0.5], angular_velocity=[1, -2, 0.5],
                   points={"nozzle": [0.1, 0.2, -0.3]})
    model.add_load(name="thrust", on="rocket.nozzle", **load)
    model.add_output(name="nozzle", on="rocket.nozzle")
    return oloid.run(model)["nozzle.position"]


def test_a_function_in_the_axes_of_the_body_equals_the_constant_force():
    for frame in ("space", "body"):
        constant = rocket(force=[3, -1, 2], frame=frame, time="1 + t")
        function = rocket(function=lambda t, position, velocity: [3, -1, 2], frame=frame,
                          time="1 + t")
        assert numpy.allclose(constant, function, rtol=0, atol=1e-10)


def test_a_constant_force_beside_a_function_is_refused():
    with pytest.raises(oloid.InputError, match="'thrust' replaces a constant force"):
        rocket(force=[1, 0, 0], function=lambda t, position, velocity: [3, -1, 2])


def test_a_function_of_the_whole_motion_may_return_a_moment():
    seen = []

    def brake(motion):
        seen.append(motion)
        return -0.8 * motion.velocity, -0.3 * motion.angular_velocity

    model = oloid.Model("ball", run={"step": 0.01, "end": 0.5})
    model.add_body(name="ball", mass=2, inertia=[0.4, 0.4, 0.4], velocity=[1, 0, 0],
                   angular_velocity=[0, 0, 3])
    model.add_load(name="air", on="ball", wrench=brake)
    result = oloid.run(model)
    # m v' = -0.8 v by the midpoint rule; J w' = -0.3 w to second order in the step
    speed = (0.998 / 1.002) ** 50
    ledger = result.ledger
    assert ledger["linear_momentum.x"][-1] == pytest.approx(2 * speed, abs=1e-12)
    assert ledger["angular_momentum.z"][-1] == pytest.approx(1.2 * math.exp(-0.375), abs=2e-4)
    assert ledger["energy.kinetic"][-1] == pytest.approx(2.8 + ledger["energy.work"][-1], abs=1e-12)
    assert isinstance(seen[0], oloid.BodyMotion)
    assert numpy.allclose(seen[-1].rotation @ seen[-1].rotation.T, numpy.eye(3), atol=1e-14)
    # the rotation turns with the angular velocity
    angle = math.atan2(seen[-1].rotation[1, 0], seen[-1].rotation[0, 0])
    assert angle == pytest.approx(4 * (1 - math.exp(-0.75 * 0.495)), abs=1e-3)


def test_a_wrench_is_a_force_or_a_pair():
    equal = rocket(function=lambda t, position, velocity: [3, -1, 2])
    assert numpy.allclose(equal, rocket(wrench=lambda motion: [3, -1, 2]), rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="not 3 values"):
        rocket(wrench=lambda motion: (1, 2, 3))
    with pytest.raises(oloid.InputError, match="instead of `function`"):
        rocket(wrench=lambda motion: 0, function=lambda t, position, velocity: 0)


def test_functions_need_a_name_and_a_kind_that_takes_them(tmp_path):
    with pytest.raises(oloid.InputError, match="needs a name"):
        pendulum().add_load(on="bob", function=lambda *a: 0)
    with pytest.raises(oloid.InputError, match="takes no function"):
        pendulum().add_spring(name="s", function=lambda *a: 0)
    model = pendulum().add_load(name="f", on="bob", function=lambda *a: [0, 0, 0])
    with pytest.raises(oloid.InputError, match="cannot contain Python functions: f"):
        model.save(tmp_path / "x.yaml")
    assert oloid.load(model).text == ""  # so that nobody resumes it without its function


def test_constants_of_the_library_are_seen_from_python():
    from oloid._library import lib
    assert math.isnan(lib.olo_unset())
    assert lib.OLO_OK == 0 < lib.OLO_INTERNAL < lib.OLO_STATUS_COUNT
    assert lib.OLO_VERDICTS_MAX == lib.OLO_INVARIANTS_MAX + 3 and lib.OLO_CRITICAL_POINTS_MAX > 0
