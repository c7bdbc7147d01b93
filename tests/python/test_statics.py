"""Equilibria, modes and linear systems."""
import json

import h5py
import numpy
import oloid
import pytest
from conftest import pendulum

COLUMN = {"name": "column", "parameters": {"P": 5},
          "beams": [{"name": "b", "elements": 16, "interpolation": "quadratic", "to": [1, 0, 0],
                     "stiffness": [1e6, 1e6, 1e6, 1, 3, 1], "inertia": [1, 1e-4, 1e-4]}],
          "supports": [{"name": "clamp", "on": "b.start", "type": "fixed"}],
          "loads": [{"on": "b.end", "force": ["-P", 0, 0]}],
          "outputs": [{"name": "root", "reaction": "clamp"}]}


def cart(**joint):
    model = oloid.Model("cart-pole", gravity=[0, 0, -9.81])
    model.add_body(name="cart", mass=2, inertia=[1, 1, 1])
    model.add_body(name="pole", mass=0.5, inertia=[0.01, 0.01, 0.01], center=[0, 0, 0.8])
    model.add_joint(name="rail", type="prismatic", between=["ground", "cart"], axis=[1, 0, 0],
                    force=1, time="0")
    model.add_joint(name="hinge", type="revolute", between=["cart", "pole"], at=[0, 0, 0],
                    axis=[0, 1, 0], **joint)
    return model


def test_a_column_buckles(tmp_path):
    loads = []
    found = oloid.equilibrium(COLUMN, callback=lambda state, step: loads.append(state.time),
                              output=tmp_path / "c.h5")
    assert found.judged and found.unstable == 1 and found.stable is False
    (point,) = found.critical
    assert 5 * point.load == pytest.approx(numpy.pi**2 / 4, rel=1e-5) and not point.limit
    assert loads[0] == 0 and loads[-1] == 1 and loads == sorted(loads)
    assert numpy.allclose(found.result.time, loads)
    force, moment = found.reactions["root"]
    assert numpy.allclose(force, [5, 0, 0], atol=1e-9) and numpy.allclose(moment, 0, atol=1e-9)
    assert oloid.equilibrium(COLUMN, load=0.4).stable is True
    assert "not stable" in repr(found)


def test_a_column_buckles_to_both_sides():
    one, other = (oloid.equilibrium(COLUMN, branch=branch) for branch in (1, -1))
    assert one.stable and other.stable and one.residual < 1e-12
    tip, mirrored = (numpy.array(found.state.point("b.end")[0]) for found in (one, other))
    assert numpy.allclose(tip * [1, -1, -1], mirrored, atol=1e-9)
    assert numpy.hypot(tip[1], tip[2]) == pytest.approx(0.7952172, abs=1e-4)  # the elastica


def test_random_guesses_find_several_equilibria():
    found = oloid.equilibria("hinged-frame", load=0, starts=30, method="descent")
    energies = sorted(one.strain for one in found)
    # the rod sheet, 7.5: without stress, and the second stable state
    assert energies[0] == pytest.approx(0, abs=0.01)
    assert energies[1] == pytest.approx(603493.21, abs=0.01)
    assert all(one.judged and one.unstable == 0 and one.residual < 1e-12 for one in found)
    assert sum(one.hits for one in found) <= 30
    assert [one.state.time for one in found] == list(range(len(found)))
    # each of them is an equilibrium, from which Newton's method does not move
    for one in found[:2]:
        again = oloid.equilibrium(one.state, load=0, method="newton")
        assert numpy.allclose(again.state.q, one.state.q, atol=1e-6)
    with pytest.raises(oloid.InputError):
        oloid.equilibria("hinged-frame", starts=0)


def test_a_search_can_be_ended_and_started_anywhere():
    seen = []
    found = oloid.equilibrium(COLUMN, step=0.1, callback=lambda state, step: seen.append(step)
                              or step == 1)
    assert seen == [0, 1] and found.load == pytest.approx(0.1)
    again = oloid.equilibrium(found.state, {}, load=0.2)
    assert again.load == pytest.approx(0.2) and again.state is not found.state


def test_a_truss_ends_at_its_limit_point():
    truss = {"name": "truss", "plane": "xy",
             "points": [{"name": "apex", "mass": 1, "position": [0, 0.2]}],
             "springs": [{"between": [[x, 0, 0], "apex"], "stiffness": 1000} for x in (-1, 1)],
             "loads": [{"on": "apex", "force": [0, -20, 0]}]}
    # 2 k (L - l) y/l with l^2 = 1 + y^2 is largest where l^3 = L
    L = numpy.sqrt(1.04)
    l = numpy.cbrt(L)
    limit = 2000 * (L - l) * numpy.sqrt(l**2 - 1) / l
    with pytest.raises(oloid.ComputationError, match="limit point at load factor") as caught:
        oloid.equilibrium(truss)
    last = caught.value.equilibrium
    assert 20 * last.load == pytest.approx(limit, rel=1e-8) and last.stable
    (point,) = last.critical
    assert point.limit and point.load == last.load and point.unstable == 1
    through = oloid.equilibrium(truss, arc_length=True)
    assert through.stable and [p.limit for p in through.critical] == [True, True]


def test_a_limit_point_under_a_moment_says_nothing_of_stability():
    beam = {**COLUMN["beams"][0], "elements": 4, "interpolation": "linear",
            "stiffness": [1e6, 1e6, 1e6, 10, 10, 10]}
    model = {"name": "rolled", "beams": [beam], "supports": COLUMN["supports"],
             "loads": [{"on": "b.end", "moment": [0, 0, 100]}]}
    with pytest.raises(oloid.ComputationError, match="limit point at load factor") as caught, \
            pytest.warns(UserWarning,
                         match="neighbouring nodes of beam 'b' are rotated by 45 degrees"):
        oloid.equilibrium(model)
    last = caught.value.equilibrium
    assert last.stable is None and [p.unstable for p in last.critical] == [None]
    # of the element, EI sin(2 a)/(2 h)
    assert last.beam_rotation == pytest.approx(numpy.pi / 4, abs=1e-3)


def spring_net(random):
    """Points on a line of springs, held by others, under random loads, and its data for the
    reference."""
    n, scale = random.integers(1, 6), 10 ** random.uniform(-0.5, 3)
    points = numpy.stack([numpy.arange(n) + 0.3 * random.normal(size=n),
                          random.uniform(0.05, 0.5, n)], 1)
    ends = numpy.concatenate([[[-1, 0]], points, [[n, 0]]])
    springs = [(ends[i], ends[i + 1], i - 1, i, 10 ** random.uniform(2, 4)) for i in range(n + 1)]
    for i in range(n):
        for _ in range(random.integers(1, 3)):
            anchor = numpy.array([i, -1]) + random.normal(size=2)
            springs.append((anchor, points[i], -1, i, 10 ** random.uniform(0.5, 3)))
    loads = scale * random.normal(size=(n, 2))
    loads[:, 1] = -abs(loads[:, 1])

    def end(position, i):
        return f"p{i}" if 0 <= i < n else [*map(float, position), 0.0]
    model = {"name": "net", "plane": "xy",
             "points": [{"name": f"p{i}", "mass": 1, "position": list(map(float, x))}
                        for i, x in enumerate(points)],
             "springs": [{"between": [end(a, i), end(b, j)], "stiffness": float(k)}
                         for a, b, i, j, k in springs],
             "loads": [{"on": f"p{i}", "force": [*map(float, f), 0]} for i, f in enumerate(loads)]}
    return model, points, springs, loads


def follow_net(points, springs, loads):
    """Its path in tiny load steps with a dense stiffness: load factor and positions at the limit
    point, or at the end."""
    n, q, s, ds = len(points), points.copy(), 0.0, 4e-3

    def balance(q, s):
        r, K = -s * loads.ravel(), numpy.zeros((2 * n, 2 * n))
        for a, b, i, j, k in springs:
            i, j = (x if 0 <= x < n else None for x in (i, j))
            d = (b if j is None else q[j]) - (a if i is None else q[i])
            length, rest = numpy.linalg.norm(d), numpy.linalg.norm(b - a)
            force = k * (1 - rest / length) * d
            k2 = k * ((1 - rest / length) * numpy.eye(2) + rest / length**3 * numpy.outer(d, d))
            for x, sx in ((i, -1), (j, 1)):
                if x is not None:
                    r[2 * x:2 * x + 2] += sx * force
                    for y, sy in ((i, -1), (j, 1)):
                        if y is not None:
                            K[2 * x:2 * x + 2, 2 * y:2 * y + 2] += sx * sy * k2
        return r, K
    while s < 1 and ds > 1e-9:
        ds = min(ds, 1 - s)
        first = numpy.linalg.solve(balance(q, s)[1], loads.ravel() * ds).reshape(n, 2)
        new = q + first
        for _ in range(20):
            r, K = balance(new, s + ds)
            step = numpy.linalg.solve(K, -r).reshape(n, 2)
            new = new + step
            if abs(step).max() < 1e-12:
                break
        good = (abs(step).max() < 1e-10 and numpy.linalg.norm(new - q - first) < 0.2
                * numpy.linalg.norm(first)
                and numpy.linalg.eigvalsh(balance(new, s + ds)[1])[0] > 0)
        q, s, ds = (new, s + ds, min(4e-3, 2 * ds)) if good else (q, s, ds / 4)
    return (1.0 if s > 1 - 1e-12 else s), q


def test_random_nets_of_springs_follow_their_paths():
    limits = 0
    for seed in range(10):
        model, *net = spring_net(numpy.random.default_rng(seed))
        load, q = follow_net(*net)
        try:
            found = oloid.equilibrium(model)
        except oloid.ComputationError as failure:
            found = failure.equilibrium
            assert "limit point" in str(failure) and found.critical[-1].limit
            limits += 1
        assert found.load == pytest.approx(load, rel=1e-5), seed
        assert numpy.allclose(found.state.q.reshape(-1, 3)[:, :2], q, atol=1e-6 if load == 1
                              else 1e-2), seed
        assert found.stable, seed
    assert limits > 2


def test_a_pendulum_slides_down_and_swings(tmp_path):
    found = oloid.equilibrium(pendulum(), output=tmp_path / "p.h5")
    assert found.relaxed and found.stable and "found by descent" in repr(found)
    with h5py.File(tmp_path / "p.h5") as file:
        assert b"found by decreasing the potential energy" in file.attrs["shows"]
    assert numpy.allclose(found.state.q, [0, 0, -1], atol=1e-7)
    modes = oloid.modes(found)
    assert len(modes) == 2 and modes.square == pytest.approx([9.81, 9.81], rel=1e-9)
    assert modes.frequency == pytest.approx(numpy.sqrt(9.81) / (2 * numpy.pi))
    assert not modes.neutral.any() and numpy.allclose(modes.growth, 0)
    shape = modes.shape(1, amplitude=0.2)
    assert numpy.linalg.norm(shape.q) == pytest.approx(1) and numpy.hypot(*shape.q[:2]) > 0.1
    assert numpy.allclose(modes.shape(0, 0.2, numpy.pi / 2).q, found.state.q, atol=1e-9)


def test_modes_are_those_of_the_command(command):
    numbers = json.loads(command("modes", "bend-45", "--count", "3", "--json").stdout)["modes"]
    assert oloid.modes("bend-45",
                       count=3).omega == pytest.approx([mode["omega"] for mode in numbers],
                                                       rel=1e-12)
    sparse = oloid.modes("bend-45", count=3, solver="sparse")
    assert sparse.omega == pytest.approx([mode["omega"] for mode in numbers], rel=1e-7)


def test_damping_and_spin():
    model = {"name": "m", "points": [{"name": "a", "mass": 2, "position": [0, 0, 0]}],
             "springs": [{"type": "linear", "between": [[0, 0, 0], "a"], "stiffness": 50,
                          "damping": 2}]}
    damped = oloid.modes(model, damped=True)
    assert damped.eigenvalues == pytest.approx([-0.5 + 1j * numpy.sqrt(24.75)] * 3)
    assert oloid.modes(model, spin=[0, 0, 1]).omega == pytest.approx([4, 5, 6])
    turning = oloid.equilibrium(model, spin=[0, 0, 1], spin_point=[1, 0, 0])
    # centrifugal force m w^2 (x - 1) against 50 x
    assert turning.state.q[0] == pytest.approx(-2 / 48)
    assert oloid.modes(turning).omega == pytest.approx([4, 5, 6])


def check_cart(linear, by_angle=0.5 * 9.81 * 0.8):
    ml, J = 0.5 * 0.8, 0.01 + 0.5 * 0.64
    det = 2.5 * J - ml * ml
    expected = numpy.zeros((4, 4))
    expected[0, 2] = expected[1, 3] = 1
    expected[2:, 1] = -ml * by_angle / det, 2.5 * by_angle / det
    numpy.testing.assert_allclose(linear.A, expected, atol=1e-9)
    numpy.testing.assert_allclose(linear.B[:, 0], [0, 0, J / det, -ml / det], atol=1e-12)


def test_a_cart_with_a_pole(tmp_path):
    linear = oloid.linearize(cart(), start=True)
    assert linear.states == ["rail.position", "hinge.angle", "rail.position.rate",
                             "hinge.angle.rate"]
    assert linear.inputs == ["rail.force"] and linear.outputs == ["rail.position", "hinge.angle"]
    check_cart(linear)
    A, B, C, D = linear
    numpy.testing.assert_array_equal(C, numpy.eye(2, 4))
    numpy.testing.assert_array_equal(D, numpy.zeros((2, 1)))
    linear.write(tmp_path / "cart.h5")
    with h5py.File(tmp_path / "cart.h5") as file:
        numpy.testing.assert_array_equal(file["A"], A)


def test_a_torque_from_python_is_linearised():
    # its derivatives are found by differences
    linear = oloid.linearize(cart(function=lambda t, angle, rate: -30 * angle - 2 * rate),
                             start=True)
    assert linear.inputs == ["rail.force", "hinge.torque"]
    ml, J = 0.5 * 0.8, 0.01 + 0.5 * 0.64
    det = 2.5 * J - ml * ml
    by_angle = 0.5 * 9.81 * 0.8 - 30
    assert linear.A[2:, 1] == pytest.approx([-ml * by_angle / det, 2.5 * by_angle / det], rel=1e-6)
    assert linear.A[2:, 3] == pytest.approx([ml * 2 / det, -2.5 * 2 / det], rel=1e-6)
    assert linear.B[2:, 1] == pytest.approx([-ml / det, 2.5 / det], rel=1e-12)


def test_an_exception_of_a_torque_reaches_the_caller():
    def broken(t, angle, rate):
        raise KeyError("torque")
    with pytest.raises(KeyError, match="torque"):
        oloid.linearize(cart(function=broken), start=True)
    with pytest.raises(KeyError, match="torque"):
        oloid.equilibrium(cart(function=broken))


def test_a_posture_is_held():
    system = oloid.load("robot-6r")
    with pytest.raises(oloid.InputError, match="no equilibrium"):
        oloid.linearize(system, start=True)
    linear = oloid.linearize(system, hold=True)
    n = len(linear.states) // 2
    assert n == 6 and numpy.array_equal(linear.A[:n, n:], numpy.eye(n))


def test_wrong_arguments():
    with pytest.raises(oloid.InputError, match="three numbers"):
        oloid.modes(pendulum(), spin=[1])
    with pytest.raises(oloid.InputError, match="spin_point"):
        oloid.equilibrium(pendulum(), spin_point=[0, 0, 0])
    with pytest.raises(oloid.InputError, match="gravity rotates"):
        oloid.equilibrium(pendulum(), spin=[1, 0, 0])
    with pytest.raises(oloid.InputError, match="no solver"):
        oloid.modes(pendulum(), solver="lanczos")
    with pytest.raises(oloid.InputError, match="compiled"):
        oloid.modes(oloid.load(pendulum()), {"x": 1})
    with pytest.raises(oloid.InputError, match="no mode 9"):
        oloid.modes(pendulum()).shape(8)
    with pytest.raises(oloid.InputError, match=".h5, .json or .csv"):
        oloid.linearize(pendulum()).write("x.mat")
    with pytest.raises(oloid.ComputationError, match="no equilibrium near the initial state"):
        oloid.equilibrium({"name": "stone", "gravity": [0, 0, -9.81],
                           "points": [{"name": "a", "mass": 1, "position": [0, 0, 0]}]})
