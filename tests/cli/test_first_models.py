"""Models that newcomers would write: short files that run, and what their first line says to watch
for happens."""
import csv
import io
import json
import math

import pytest
from conftest import ROOT


@pytest.fixture
def table(oloid):
    """Runs a model of the catalogue and returns its columns."""
    def run(name, *options):
        lines = (ROOT / "models" / f"{name}.yaml").read_text().splitlines()
        assert len(lines) <= 40 and lines[0].startswith("# ")
        done = oloid("run", name, "--json", "-q", "--no-report", *options)
        report = json.loads(done.stdout)
        assert done.returncode == 0 and report["level"] == "ok" and report["warnings"] == []
        text = oloid("export", report["result"], "--csv", "-").stdout
        names, *rows = csv.reader(io.StringIO(text))
        return {name: [float(row[i]) for row in rows] for i, name in enumerate(names)}
    return run


def vectors(table, name):
    return list(zip(*(table[f"{name}.{axis}"] for axis in "xyz")))


def test_cable_of_the_quadcopter_goes_slack_and_taut(table):
    t = table("quadcopter")
    hook = [[x - 0.03 * d for x, d in zip(position, third)]
            for position, third in zip(vectors(t, "copter.position"), vectors(t, "copter.d3"))]
    length = [math.dist(a, b) for a, b in zip(hook, vectors(t, "parcel.position"))]
    before = [x for x, time in zip(length, t["time"]) if time < 1]
    free = [x for x, time in zip(length, t["time"]) if 1.1 < time < 1.25]
    after = [x for x, time in zip(length, t["time"]) if time > 1.3]
    assert min(before) > 0.8 and max(free) < 0.8 and max(after) > 0.82


def test_wheel_of_the_quarter_car_hops_and_its_body_does_not(table):
    t = table("quarter-car")
    car = [x - t["car.position.z"][0] for x in t["car.position.z"]]
    wheel = [x - t["wheel.position.z"][0] for x in t["wheel.position.z"]]
    assert max(map(abs, wheel[-100:])) < 0.2 * max(map(abs, wheel))  # it has come to rest
    assert max(wheel) > 0.045 and max(map(abs, car)) < 0.025


def test_quarter_car_has_two_frequencies(oloid):
    """Eigenvalues of the two masses, k and tyre: the quadratic of their characteristic equation."""
    modes = json.loads(oloid("modes", "quarter-car", "--json").stdout)["modes"]
    M, m, k, K = 300, 40, 20000, 180000
    p, q = (k / M + (k + K) / m) / 2, k * K / (M * m)
    exact = [math.sqrt(p - math.sqrt(p * p - q)), math.sqrt(p + math.sqrt(p * p - q))]
    assert [mode["omega"] for mode in modes] == pytest.approx(exact, rel=1e-6)


def test_satellite_turns_without_angular_momentum(table):
    t = table("satellite")
    spin = max(map(abs, t["spin-z.angle.rate"]))
    for axis in "xyz":
        assert max(map(abs, t[f"angular_momentum.{axis}"])) < 1e-10 * spin
    assert abs(t["hub.d1.y"][-1]) > 0.03
    ringing = [y for y, time in zip(t["hub.angular_velocity.z"], t["time"]) if time > 5]
    assert max(ringing) > 0 > min(ringing)


def test_platform_of_the_delta_robot_does_not_tilt(table):
    t = table("delta-robot")
    assert max(abs(x - 1) for x in t["platform.d3.z"]) < 1e-9
    assert max(abs(x - 1) for x in t["platform.d1.x"]) < 1e-9
    assert max(t["tool.position.x"]) - min(t["tool.position.x"]) > 0.2


def test_trebuchet_passes_its_energy_to_the_stone(table):
    t = table("trebuchet")
    # the sling opens when the stone, fast by then, flies upward at 45 degrees
    release = next(i for i, (vx, vz) in enumerate(zip(t["stone.velocity.x"], t["stone.velocity.z"]))
                   if vx >= vz > 25)
    vx, vz = t["stone.velocity.x"][release], t["stone.velocity.z"][release]
    assert vx > 25 and vz > 25  # forward and upward
    fallen = 9.81 * 3000 * (max(t["box.position.z"]) - t["box.position.z"][release])
    gained = 0.5 * 40 * (vx * vx + vz * vz)
    assert gained > 0.5 * fallen
    # then it flies on a parabola to the ground
    flight = t["time"][-1] - t["time"][release]
    assert t["stone.position.z"][-1] == pytest.approx(0, abs=1e-9)
    assert t["stone.position.z"][release] + vz * flight == pytest.approx(9.81 / 2 * flight ** 2)
    assert t["stone.position.x"][release] + vx * flight == pytest.approx(t["stone.position.x"][-1])


def test_latch_holds_the_door_against_its_closer(table):
    t = table("door-with-latch")
    assert abs(t["edge.position.y"][-1]) < 1e-12 and t["edge.position.y"][0] > 0.8
    # moments about the hinge: the closer pulls with 60 (l - 0.1) at 0.2 from it
    length = math.hypot(0.1, 0.2)
    pull = 60 * (length - 0.1) * 0.2 / length
    assert t["force.force.y"][-1] == pytest.approx(0.2 * pull / 0.9)
    assert t["energy.impact"][-1] > 0.01


def test_rocking_block_loses_what_housner_says(table):
    """An impact of a corner conserves the angular momentum about it: omega' = r omega with
    r = 1 - 3/2 sin^2(alpha), tan(alpha) = b/h (Housner 1963)."""
    t = table("rocking-block")
    half_width, half_height, mass = 0.1, 0.4, 2000 * 0.2 * 0.2 * 0.8
    alpha = math.atan2(half_width, half_height)
    height = math.hypot(half_width, half_height) * math.cos(alpha - math.radians(10)) - half_height
    r = 1 - 1.5 * math.sin(alpha) ** 2
    lost = sorted({round(e, 10) for e in t["energy.impact"]})
    for impacts in range(6):
        expected = (1 - r ** (2 * impacts)) * mass * 9.81 * height
        assert min(abs(e - expected) for e in lost) < 1e-8
    assert max(map(abs, t["energy.friction"])) < 1e-10  # corners do not slide


def test_the_last_ball_of_the_cradle_rises_as_high_as_the_first(table):
    """It arrives after half a period of a pendulum of 40 degrees, and the others hang still."""
    t = table("newtons-cradle")
    a, g = 1, math.cos(math.radians(20))  # arithmetic-geometric mean
    for _ in range(6):
        a, g = (a + g) / 2, math.sqrt(a * g)
    half_period = math.pi / a * math.sqrt(0.3 / 9.81)
    z = t["ball5.position.z"]
    swing = range(sum(time < 1.5 * half_period for time in t["time"]))
    top = max(swing, key=lambda i: z[i])
    assert t["time"][top] == pytest.approx(half_period, abs=0.005)
    assert z[top] == pytest.approx(-0.3 * math.cos(math.radians(40)), abs=3e-5)
    for ball in range(1, 5):  # the gaps are 0.1 mm
        assert max(abs(t[f"ball{ball}.velocity.{axis}"][top]) for axis in "xz") < 2e-3
