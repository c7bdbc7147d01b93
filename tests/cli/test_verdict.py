"""The verdict of a run (docs/verdict.md): it is ok if and only if the laws are satisfied."""
import json
import pathlib

import pytest

MODELS = pathlib.Path(__file__).resolve().parents[1] / "verdict"
CODES = {"ok": 0, "warn": 6, "broken": 3}


def judged(oloid, model, *options, timeout=300):
    """The JSON summary of a quiet run; its exit code must be that of its level."""
    name = MODELS / f"{model}.yaml"
    done = oloid("run", name if name.exists() else model, *options, "--no-result", "--json", "-q",
                 timeout=timeout)
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert done.returncode == CODES[report["level"]], done.stderr
    assert report["ok"] == (report["level"] == "ok")
    return report


def line(report, quantity):
    found = [v for v in report["verdict"] if v["quantity"].startswith(quantity)]
    assert found, report["verdict"]
    return found[0]


# ---- what is not right is not ok

@pytest.mark.slow
def test_energy_that_grows_with_halved_steps_is_broken(oloid):
    report = judged(oloid, "chain", "--scheme", "variational", "--set", "n=60", "--step", "0.005",
                    "--end", "16.5")
    energy = line(report, "energy")
    assert energy["level"] == "broken"
    assert f"{report['halvings']} halved steps broke the symplectic structure" in energy["text"]


@pytest.mark.slow
def test_energy_that_grows_slowly_is_broken(oloid):
    """A chaotic tree of all joints at a step that is too large: where a step had to be halved, the
    energy is no longer bounded."""
    energy = line(judged(oloid, "tree-held", "--scheme", "variational", "--step", "0.0016"),
                  "energy")
    assert energy["level"] == "broken" and "halved steps broke" in energy["text"]


def test_a_soft_penalty_is_broken(oloid):
    report = judged(oloid, "heavy-top", "--constraints", "penalty", "--set", "run.penalty=1e-3")
    assert line(report, "constraints")["level"] == "broken"
    assert line(report, "energy")["level"] == "ok"


def test_a_stiff_penalty_is_ok(oloid):
    report = judged(oloid, "heavy-top", "--constraints", "penalty", "--set", "run.penalty=1e6",
                    "--end", "0.1")
    assert line(report, "constraints")["level"] == "ok"


def test_a_heavy_part_hides_no_other(oloid):
    report = judged(oloid, "hidden-mass")
    energy = line(report, "energy")
    assert energy["quantity"] == "energy of the part with 'a'"
    assert energy["level"] == "broken" and energy["drift"] == pytest.approx(10, rel=1e-6)


@pytest.mark.parametrize("scheme", ["energy-momentum-2006", "energy-momentum", "variational"])
def test_a_part_at_rest_is_judged_by_the_rounding_of_the_whole(oloid, scheme):
    """With `minimal` all parts are unknowns of one dense matrix."""
    report = judged(oloid, "part-at-rest", "--constraints", "minimal", "--scheme", scheme)
    assert {verdict["level"] for verdict in report["verdict"]} == {"ok"}


def test_parts_with_loads_and_dampers_have_their_own_balance(oloid):
    """Two pendulums with a motor, a damper and a load each, one a million times heavier."""
    report = judged(oloid, "two-parts")
    assert line(report, "energy balance")["level"] == "ok"


def test_velocities_off_the_constraints_are_a_warning(oloid):
    report = judged(oloid, "heavy-top", "--step", "0.5", "--end", "2")
    assert line(report, "velocities")["level"] == "warn"
    # the summary has the warnings that a quiet run does not write to stderr
    done = oloid("run", "heavy-top", "--step", "0.5", "--end", "2", "-q")
    assert done.returncode == 6 and "WARN" in done.stdout and "warning: body 'top'" in done.stdout


def test_the_page_of_a_doubtful_run_is_not_green(oloid):
    oloid("run", "heavy-top", "--step", "0.5", "--end", "2", "-q")
    page = (oloid.folder / "heavy-top.report.html").read_text()
    assert '"level":"warn"' in page.replace('": "', '":"')


def test_a_joint_far_away_is_reported_in_metres(oloid):
    """At x = 1e9 + 1/3 a unit in the last place is 1.2e-7."""
    constraints = line(judged(oloid, "far-1e9"), "constraints")
    assert constraints["level"] == "warn" and 1e-8 < constraints["drift"] < 1e-5
    assert f"{constraints['drift']:.1e}" in constraints["text"]


def test_a_fast_part_hides_no_velocities(oloid):
    velocities = line(judged(oloid, "vel-hidden"), "velocities")
    assert (velocities["level"] == "warn" and velocities["quantity"]
            == "velocities of the part with 'p'")


def test_a_constant_in_an_energy_hides_no_drift(oloid):
    energy = line(judged(oloid, "strain-offset"), "energy")
    assert energy["level"] == "broken" and energy["drift"] == pytest.approx(10, rel=1e-3)


def test_a_penalty_is_judged_by_the_body_and_not_by_the_model(oloid):
    """A cube of 10 mm sinks by its own size; another body is 100 m away."""
    assert line(judged(oloid, "pen"), "constraints")["level"] == "broken"


# ---- what is right is ok

def test_what_has_come_to_rest_is_ok(oloid):
    assert judged(oloid, "burst")["level"] == "ok"


@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_beam_at_rest_is_ok_with_every_order(oloid, order):
    assert judged(oloid, "rest-beam", "--scheme", "variational", "--order", order)["level"] == "ok"


def test_a_locked_body_at_height_zero_is_ok(oloid):
    assert judged(oloid, "locked-at-zero")["level"] == "ok"


def test_a_stiff_beam_with_hardly_any_energy_is_ok(oloid):
    assert judged(oloid, "arm-ramp", "--end", "0.2")["level"] == "ok"


def test_what_has_fallen_seventeen_kilometres_is_ok(oloid):
    report = judged(oloid, "falling-tree")
    assert report["level"] == "ok"
    assert line(report, "constraints")["drift"] > 1e-12  # which is rounding at that distance


def test_a_hinge_far_away_has_the_symmetries_of_one_nearby(oloid):
    """Gravity across the axis of a hinge leaves no momentum conserved, at any position."""
    for model in ("far-1e12", "far-1e9"):
        report = judged(oloid, model)
        assert [v["quantity"] for v in report["verdict"]] == ["energy", "constraints", "velocities"]


def test_reduced_impulses_are_reported_with_their_contacts(oloid):
    """A mass that leaves a wall (restitution 0) is hit by another one (restitution 1): Newton's law
    would add 2.1 J."""
    (oloid.folder / "clutch.yaml").write_text("""
points:
  - {name: m1, mass: 2, position: [0, 0, 0], velocity: [1.5, 0, 0]}
  - {name: m2, mass: 2, position: [1, 0, 0], velocity: [-0.7, 0, 0]}
contacts:
  - {name: wall, point: m1, normal: [1, 0, 0]}
  - {name: pair, type: distance, between: [m1, m2], length: 1, restitution: 1}
run: {step: 0.001, end: 0.01}
""")
    done = oloid("run", "clutch.yaml", "--no-report", "-o", "clutch.h5")
    assert done.returncode == 0, done.stderr
    assert ("impulses were reduced, since Newton's law adds energy or has no solution, in 1 step, "
            "first 'wall' and 1 more" in done.stdout)
