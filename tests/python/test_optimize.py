"""Optimal control from Python: closed forms, the keys of problems, states, results, failures."""
import numpy
import pytest

import oloid
from oloid._library import lib

if not lib.olo_optimize_available():
    pytest.skip("Oloid was built without Ipopt", allow_module_level=True)

PROBLEM = {"intervals": 10, "controls": {"name": "rail"}, "costs": {"type": "effort"},
           "conditions": {"quantity": "rail.position", "value": 1}}
EXACT = 12 * 100 / 99  # N^2/(N^2 - 1) times that of continuous time


def slider(**sections):
    model = oloid.Model("slider", **sections)
    model.add_body(name="a", mass=1, inertia=[1, 1, 1])
    model.add_joint(name="rail", type="prismatic", between=["ground", "a"], axis=[1, 0, 0],
                    force=1, time=0)
    return model


def test_problems_are_given_by_the_model_or_by_arguments():
    for found in (oloid.optimize(slider(), **PROBLEM), oloid.optimize(slider(optimize=PROBLEM))):
        assert found.solved and found.cost == pytest.approx(EXACT, rel=1e-10)
        assert found.costs == {"rail": pytest.approx(EXACT, rel=1e-10)}
        assert found.certificate.minimum and found.certificate.violation < 1e-10
        assert 0 < found.own_seconds <= found.cpu_seconds
    finer = oloid.optimize(slider(optimize=PROBLEM), intervals=20, start=found)
    assert finer.cost == pytest.approx(12 * 400 / 399, rel=1e-10)


def test_controls_and_motion_are_arrays():
    """The optimal force decreases linearly, u_k = u (1 - 2 (k + 1/2)/N), with the work zero."""
    found = oloid.optimize(slider(), **PROBLEM)
    force = found.controls["rail"]
    assert force.shape == (10,) and found.q.shape == (11, 12)
    assert found.multipliers.shape == (11, found.system.counts["constraints"])
    assert numpy.diff(force) == pytest.approx(numpy.diff(force)[0])
    assert force == pytest.approx(-force[::-1])
    assert found.q[-1, 0] == pytest.approx(1) and found.time[-1] == 1
    assert found.bounds == {"rail": (-numpy.inf, numpy.inf)}
    assert found.progress[-1].stationarity < 1e-9


def test_states_have_the_velocities_of_their_momenta():
    """The momentum of a node is the sum of the forces before it, h u."""
    found = oloid.optimize(slider(), **PROBLEM)
    for k in (0, 3, 10):
        state = found.state(k)
        assert state.time == pytest.approx(0.1 * k)
        assert state.v[0] == pytest.approx(0.1 * found.controls["rail"][:k].sum(),
                                                       abs=1e-10)
    assert found.state(-1).time == pytest.approx(1)
    with pytest.raises(oloid.InputError, match="nodes 0 to 10"):
        found.state(11)


def test_a_resimulation_with_small_steps_converges_with_order_2():
    """A linear problem has no error; a pendulum has one of order 2."""
    assert oloid.optimize(slider(), **PROBLEM).resimulate(4).position < 1e-9
    far = []
    for intervals in (40, 80):
        found = oloid.optimize("two-link-pendulum", intervals=intervals,
                               start=oloid.optimize("two-link-pendulum"))
        far.append(found.resimulate())
        assert far[-1].substeps == 32
        assert far[-1].position >= far[-1].end_position and far[-1].rotation > 0
    assert far[0].end_rotation / far[1].end_rotation == pytest.approx(4, rel=0.15)


def test_the_motion_is_a_result(tmp_path):
    found = oloid.optimize("double-integrator", output=tmp_path / "d.h5")
    assert found.result["rail.position"][-1] == pytest.approx(1)
    assert found.result.ok
    found.result.report(tmp_path / "d.html")
    assert "Control of rail" in (tmp_path / "d.html").read_text()
    found.write_controls(tmp_path / "d.csv")
    assert len((tmp_path / "d.csv").read_text().splitlines()) == found.intervals + 1
    found.write_model(tmp_path / "d.yaml")
    run = oloid.run(tmp_path / "d.yaml")
    assert run["rail.position"][-1] == pytest.approx(1, abs=1e-9)


def test_a_model_is_not_written_from_another_start(tmp_path):
    state = oloid.load("double-integrator").initial_state()
    found = oloid.optimize("double-integrator", initial=state)
    with pytest.raises(oloid.Error, match="another initial state"):
        found.write_model(tmp_path / "d.yaml")


def test_saddle_points_are_left():
    """Rest is stationary between the targets -1 and 1, and has one negative eigenvalue; the minima
    cost 1/b - 1/(4 w b^2) with b = 1/3 - h^2/12 and the weight w."""
    miss = {"type": "end", "quantity": "rail.position^2", "target": 1, "square": True, "weight": 10}
    keys = {"intervals": 10, "controls": {"name": "rail"}, "conditions": [], "end_velocity": "free",
            "costs": [{"type": "effort"}, miss]}
    b = 1 / 3 - 0.01 / 12
    saddle = oloid.optimize(slider(), saddles=0, **keys)
    assert saddle.cost == pytest.approx(10) and "saddle point" in saddle.explanation
    assert saddle.certificate.second_order == "saddle" and saddle.certificate.negative == 1
    assert [(x.negative, x.left) for x in saddle.saddles] == [(1, False)]
    found = oloid.optimize(slider(), **keys)
    assert found.certificate.second_order == "minimum"
    assert found.cost == pytest.approx(1 / b - 1 / (40 * b * b), rel=1e-9)
    assert [(x.negative, x.left) for x in found.saddles] == [(1, True)]
    assert found.saddles[0].cost == pytest.approx(10) and found.saddles[0].curvature < 0


def test_results_are_initial_guesses(tmp_path):
    path = tmp_path / "r.h5"
    first = oloid.optimize("two-link-pendulum", intervals=40, output=path)
    again = oloid.optimize("two-link-pendulum", intervals=40, guess_file=path)
    assert again.cost == pytest.approx(first.cost, rel=1e-10)
    assert again.progress[0].violation < 1e-8 and again.iterations < first.iterations / 2
    with pytest.raises(oloid.Error, match="no motion of 'a'"):
        oloid.optimize(slider(), **PROBLEM, guess_file=path)
    with pytest.raises(oloid.Error, match="nowhere"):
        oloid.optimize(slider(), **PROBLEM, guess_file=tmp_path / "nowhere.h5")


def test_grids_are_lists_of_numbers():
    """1/sum h_j (m_j - T/2)^2 with the middles m_j of intervals h_j."""
    lengths = numpy.array([3, 1, 1, 2, 5, 1, 4])
    found = oloid.optimize(slider(), **{**PROBLEM, "intervals": 7, "grid": lengths})
    h = lengths / lengths.sum()
    middle = numpy.cumsum(h) - h / 2
    assert found.cost == pytest.approx(1 / (h * (middle - 0.5)**2).sum(), rel=1e-10)
    assert numpy.diff(found.time) == pytest.approx(h)
    for wrong, message in (("ab", "optimize.grid"), (3, "optimize.grid"), ([1, -1], "positive"),
                           ([1], "1 lengths are not 2 intervals")):
        with pytest.raises(oloid.InputError, match=message):
            oloid.optimize(slider(), **{**PROBLEM, "intervals": 2, "grid": wrong})


TURN = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]]


@pytest.mark.parametrize("rotation, angle", [
    ({"axis": [0, 0, 2], "angle": 1.2}, 1.2), ({"matrix": TURN}, numpy.arccos(0.28)),
    (TURN, numpy.arccos(0.28)), ({"quaternion": [2, 0, 1, 0]}, 2 * numpy.arctan(0.5)),
    ({"quaternion": [-2, 0, -1, 0]}, 2 * numpy.arctan(0.5)),
    ({"euler": "zxz", "angles": [0.3, 0, 0.4]}, 0.7),
    ([{"axis": [1, 0, 0], "angle": 0.5}, {"axis": [1, 0, 0], "angle": -0.2}], 0.3)])
def test_orientations_are_given_as_in_model_files(rotation, angle):
    """An isotropic body turns by the angle at the cost 12 J^2 angle^2, and ends as the model file
    has it."""
    model = oloid.Model("satellite")
    model.add_body(name="a", mass=1, inertia=[1, 1, 1])
    for axis in range(3):
        model.add_load(name="xyz"[axis], on="a", moment=numpy.eye(3)[axis].tolist(), time=0)
    found = oloid.optimize(model, intervals=40, controls=[{"name": name} for name in "xyz"],
                           costs={"type": "effort"}, conditions={"body": "a", "rotation": rotation})
    assert found.cost == pytest.approx(12 * angle**2, rel=0.01)
    wanted = oloid.Model("wanted")
    wanted.add_body(name="a", mass=1, inertia=[1, 1, 1],
                    rotation={"matrix": rotation} if rotation is TURN else rotation)
    assert found.q[-1] == pytest.approx(oloid.load(wanted).initial_state().q, abs=1e-8)


@pytest.mark.parametrize("rotation", [
    3, "x", {"axis": [0, 0, 1]}, {"axis": [1, 0], "angle": 1}, numpy.zeros((3, 3)),
    {"quaternion": [1, 0, 0]}, {"quaternion": [0, 0, 0, 0]}, {"euler": "abc", "angles": [1, 2, 3]},
    {"axis": [0, 0, 0], "angle": 1}, numpy.diag([1, 1, -1])])
def test_wrong_orientations_are_refused(rotation):
    with pytest.raises(oloid.InputError, match=r"conditions\[0\].rotation"):
        oloid.optimize(slider(), **{**PROBLEM,
                                    "conditions": {"body": "a", "rotation": rotation}})


def test_the_certificate_has_the_balance_of_momentum():
    found = oloid.optimize(slider(), **PROBLEM).certificate
    assert found.linear_balance < 1e-12 and found.angular_balance < 1e-12
    assert found.linear_change == pytest.approx(6 * 0.1 * 10 / 11, rel=1e-9)


def test_wrong_keys_and_values_are_refused():
    for keys, message in [({"intervalls": 3}, "did you mean 'intervals'"),
                          ({"controls": {"nam": "rail"}}, r"controls\[0\].*'nam'"),
                          ({"controls": {"name": "rial"}}, r"controls\[0\].*'rial'"),
                          ({"controls": ["rail"]}, r"controls\[0\]: a control is a dict"),
                          ({"duration": "long"}, "duration"),
                          ({"conditions": {"quantity": "rail.position", "value": 1,
                                           "direction": [1, 2]}}, "3 numbers")]:
        with pytest.raises(oloid.InputError, match=message):
            oloid.optimize(slider(), **{**PROBLEM, **keys})


def test_a_problem_without_solution_says_why():
    with pytest.raises(oloid.ComputationError, match="violated most") as caught:
        oloid.optimize(slider(), **{**PROBLEM, "controls": {"name": "rail", "lower": -1,
                                                            "upper": 1}})
    assert not caught.value.optimum.solved
    assert abs(caught.value.optimum.controls["rail"]).max() < 1.001


def test_a_stopped_solution_has_the_best_point():
    """From a motion that satisfies the constraints the solver leaves them at first: that motion is
    better than what comes next. Without such a point the last one is the result."""
    swing = {"model": "two-link-pendulum", "intervals": 32}
    other = oloid.optimize(**swing, costs=[{"type": "effort", "control": "base"},
                                           {"type": "effort", "control": "elbow", "weight": 3}])
    returned = 0
    for start in (other, None):
        for last in range(2, 7):
            seen = []
            found = oloid.optimize(**swing, start=start,
                                   callback=lambda now: seen.append(now) or len(seen) == last)
            feasible = [now.cost for now in seen if now.violation <= 1e-6]
            best = min(feasible, default=seen[-1].cost)
            assert found.cost == pytest.approx(best, rel=1e-12)
            assert (found.certificate.violation < 1e-5) == bool(feasible)
            returned += best != seen[-1].cost
    assert returned > 0


def test_callbacks_stop_and_their_exceptions_are_raised():
    seen = []
    stopped = oloid.optimize("two-link-pendulum",
                             callback=lambda now: seen.append(now) or len(seen) == 3)
    assert not stopped.solved and "stopped" in stopped.explanation and len(seen) == 3

    def fails(_):
        raise RuntimeError("from the callback")
    with pytest.raises(RuntimeError, match="from the callback"):
        oloid.optimize("two-link-pendulum", callback=fails)

    def interrupts(_):
        raise KeyboardInterrupt
    with pytest.raises(oloid.Interrupted) as caught:
        oloid.optimize("two-link-pendulum", callback=interrupts)
    assert caught.value.optimum is not None
