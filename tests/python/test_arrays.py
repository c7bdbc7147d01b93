"""Rotations and angular velocities as arrays, controls of single steps, keys that are checked at
the call, and what objects print."""
import numpy
import oloid
import pytest

TOP = {"name": "tops", "bodies": [
    {"name": "a", "mass": 1, "inertia": [1, 2, 2.5], "angular_velocity": [1, 2, 3],
     "rotation": {"axis": [1, 2, 2], "angle": 3.0}},
    {"name": "b", "mass": 1, "inertia": [1, 1, 1], "rotation": {"axis": [0, 0, 1], "angle": -0.5}}],
    "points": [{"name": "p", "mass": 1, "position": [0, 0, 0]}]}


def matrix(p):
    """The rotation matrix of a unit quaternion, by its formula."""
    w, x, y, z = p
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def test_rotations_of_a_state():
    state = oloid.load(TOP).initial_state()
    axis = numpy.array([1, 2, 2]) / 3
    expected = numpy.array([numpy.cos(1.5), *(numpy.sin(1.5) * axis)])
    assert numpy.allclose(state.quaternion("a"), expected, atol=1e-14)
    assert numpy.allclose(state.rotation("a"), matrix(expected), atol=1e-14)
    assert state.rotation().shape == (2, 3, 3) and state.quaternion().shape == (2, 4)
    assert numpy.allclose(state.rotation()[0], state.rotation("a"))
    assert numpy.allclose(state.angular_velocity("a"), [1, 2, 3], atol=1e-14)
    assert numpy.allclose(state.angular_velocity(), [[1, 2, 3], [0, 0, 0]], atol=1e-14)
    assert numpy.allclose(state.angular_velocity("a", in_body=True),
                          matrix(expected).T @ [1, 2, 3], atol=1e-14)
    with pytest.raises(oloid.InputError, match="no body 'p'"):
        state.rotation("p")


def test_rotations_of_a_result():
    result = oloid.run(TOP, step=0.01, end=2)
    R, p = result["a.rotation"], result["a.quaternion"]
    assert R.shape == (result.rows, 3, 3) and p.shape == (result.rows, 4)
    assert all(numpy.allclose(matrix(one), other, atol=1e-12) for one, other in zip(p, R))
    assert (p[:, 0] >= 0).all()
    assert result["a.angular_velocity"].shape == (result.rows, 3)


def motor(torque, **more):
    return {"name": "motor", "bodies": [{"name": "rotor", "mass": 1, "inertia": [1, 1, 2]}],
            "joints": [{"name": "drive", "between": ["ground", "rotor"], "axis": [0, 0, 1],
                        "torque": torque, **more}]}


def test_controls_of_steps():
    """A torque of the step: omega grows by u h / J; without a control the model acts again."""
    system = oloid.load(motor(1, time=0))
    stepper, state = system.stepper(), system.initial_state()
    stepper.step(state, {"drive": 3})
    assert state.joint("drive.angle")[1] == pytest.approx(3 * 0.01 / 2, rel=1e-8)
    stepper.step(state, 0.02, controls={"drive": -1})
    assert state.joint("drive.angle")[1] == pytest.approx((0.03 - 0.02) / 2, rel=1e-6)
    stepper.step(state)  # the control stays
    assert state.joint("drive.angle")[1] == pytest.approx(0, abs=1e-9)
    stepper.step(state, {"drive": None})
    assert state.joint("drive.angle")[1] == pytest.approx(0, abs=1e-9)
    with pytest.raises(oloid.Error, match="is called 'brake'"):
        stepper.step(state, {"brake": 1})


def test_controlled_steps_have_the_bits_of_the_model():
    controlled, constant = oloid.load(motor(1)), oloid.load(motor(1, time=2.5))
    one, two = controlled.initial_state(), constant.initial_state()
    steppers = controlled.stepper(), constant.stepper()
    for _ in range(20):
        steppers[0].step(one, {"drive": 2.5})
        steppers[1].step(two)
    assert (one.q == two.q).all() and (one.v == two.v).all()


def test_unknown_keys_are_refused_at_the_call():
    model = oloid.Model("m")
    with pytest.raises(oloid.InputError,
                       match="add_body: unknown key 'masss', did you mean 'mass'"):
        model.add_body(name="a", masss=1)
    with pytest.raises(oloid.InputError, match="add_joint: unknown key 'xyzzy'; known are "):
        oloid.Model("m", joints=[{"xyzzy": 1}])
    model.add_body(name="a{i}", mass=1, inertia=[1, 1, 1], repeat={"i": [1, 3]})


def test_objects_print_what_they_are():
    system = oloid.load(TOP)
    assert repr(system) == "<oloid.System 'tops': 2 bodies, 1 points, 15 degrees of freedom>"
    result = oloid.run(TOP, step=0.01, end=0.1)
    assert str(result).startswith("<oloid.Result of 'tops': 11 rows, OK>\n")
    assert "energy" in str(result) and "ok" in str(result)
    assert repr(oloid.Model("m")) == "<oloid.Model 'm': empty>"


def test_report_in_a_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = oloid.run(TOP, step=0.01, end=0.1)._repr_html_()
    assert page.startswith("<iframe srcdoc=") and page.endswith("</iframe>")
    assert "tops" in page and '"' not in page[len('<iframe srcdoc="'):page.index('" style=')]
    assert list(tmp_path.iterdir()) == []
