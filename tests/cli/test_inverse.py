"""`oloid run --inverse`: drives of prescribed motions, compared with independent Newton-Euler
equations."""
import csv
import json

import numpy as np
import pytest
from conftest import one_message

GRAVITY = np.array([0.0, 0.0, -9.81])
STEEL, ALUMINIUM, PERIOD = 7800.0, 2700.0, 2.0
# hinges in space at the start: point, axis, amplitude
HINGES = [((0, 0, 0), (0, 0, 1), 1.2), ((0, 0, 0.4), (0, 1, 0), 0.5), ((0, 0, 1), (0, 1, 0), -0.8),
          ((0.35, 0, 1.05), (1, 0, 0), 1.5), ((0.6, 0, 1.05), (0, 1, 0), 0.6),
          ((0.7, 0, 1.05), (1, 0, 0), 3.0)]


def box(density, size, centre):
    mass = density * np.prod(size)
    squares = np.square(size)
    return mass, np.array(centre, float), mass / 12 * np.diag(squares.sum() - squares)


def cylinder(density, radius, height, centre, axis=2):
    mass = density * np.pi * radius**2 * height
    moments = np.full(3, mass * (3 * radius**2 + height**2) / 12)
    moments[axis] = mass * radius**2 / 2
    return mass, np.array(centre, float), np.diag(moments)


# solids in space at the start
LINKS = [[cylinder(ALUMINIUM, 0.12, 0.4, (0, 0, 0.2))],
         [box(ALUMINIUM, (0.12, 0.1, 0.6), (0, 0.1, 0.7))],
         [box(ALUMINIUM, (0.4, 0.08, 0.1), (0.15, 0, 1.05)),
          cylinder(STEEL, 0.06, 0.15, (-0.1, 0, 1.05))],
         [cylinder(ALUMINIUM, 0.04, 0.25, (0.475, 0, 1.05), axis=0)],
         [box(ALUMINIUM, (0.1, 0.06, 0.06), (0.65, 0, 1.05))],
         [box(STEEL, (0.05, 0.08, 0.02), (0.725, 0, 1.05))]]


def turn(axis, angle):
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def torques(t):
    """Newton-Euler equations of every solid; forces are summed from the tip."""
    w = 2 * np.pi / PERIOD
    rotation, omega, alpha = np.eye(3), np.zeros(3), np.zeros(3)
    point, acceleration, old = np.zeros(3), np.zeros(3), np.zeros(3)
    axes, points, loads = [], [], []
    for (at, axis, size), solids in zip(HINGES, LINKS):
        arm = rotation @ (np.array(at, float) - old)
        acceleration = acceleration + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        point, old = point + arm, np.array(at, float)
        n = rotation @ np.array(axis, float)
        rate, second = size * w * np.sin(w * t) / 2, size * w**2 * np.cos(w * t) / 2
        alpha = alpha + second * n + rate * np.cross(omega, n)
        omega = omega + rate * n
        rotation = rotation @ turn(axis, size * (1 - np.cos(w * t)) / 2)
        axes.append(n)
        points.append(point)
        for mass, centre, inertia in solids:
            r = rotation @ (centre - old)
            force = mass * (acceleration + np.cross(alpha, r)
                            + np.cross(omega, np.cross(omega, r)) - GRAVITY)
            J = rotation @ inertia @ rotation.T
            loads.append((len(axes) - 1, point + r, force,
                          J @ alpha + np.cross(omega, J @ omega)))
    return np.array([sum(n @ (moment + np.cross(at - p, force))
                         for link, at, force, moment in loads if link >= k)
                     for k, (n, p) in enumerate(zip(axes, points))])


def drives(oloid, step):
    """Times, and the drives there: the means of two neighbouring steps."""
    done = oloid("run", "robot-6r-driven", "--inverse", "--quiet", "--no-report", "--step", step)
    assert done.returncode == 0, done.stderr
    done = oloid("export", "robot-6r-driven.h5", "--csv", "-")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    values = np.array([[float(row[f"J{k}.angle.drive"]) for k in range(1, 7)] for row in rows])
    return np.array([float(row["time"]) for row in rows])[1:-1], (values[1:-1] + values[2:]) / 2


def test_drives_of_the_robot_are_those_of_newton_and_euler(oloid):
    errors = []
    for step in (0.004, 0.002):
        times, means = drives(oloid, step)
        picked = range(0, len(times), 25)
        expected = np.array([torques(times[i]) for i in picked])
        scale = np.abs(expected).max(axis=0)
        errors.append((np.abs(means[list(picked)] - expected) / scale).max(axis=0))
    assert errors[1].max() < 1e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)


def test_the_summary_reports_the_drives(oloid):
    done = oloid("run", "robot-6r-driven", "--inverse", "--no-result", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "drive" in done.stdout and "J2.angle" in done.stdout and "work" in done.stdout
    done = oloid("run", "robot-6r-driven", "--inverse", "--no-result", "--json")
    reported = json.loads(done.stdout)["drives"]
    assert [drive["coordinate"] for drive in reported] == [f"J{k}.angle" for k in range(1, 7)]
    expected = np.array([torques(t) for t in np.linspace(0.002, 1.998, 999)])
    for k, drive in enumerate(reported):
        assert drive["least"] == pytest.approx(expected[:, k].min(), rel=1e-3, abs=1e-5)
        assert drive["most"] == pytest.approx(expected[:, k].max(), rel=1e-3, abs=1e-5)
        assert drive["rms"] == pytest.approx(np.sqrt(np.mean(expected[:, k]**2)), rel=1e-3)
        assert abs(drive["work"]) < 1e-10  # from rest and back
    assert "drives" not in json.loads(
        oloid("run", "robot-6r-driven", "--end", "0.01", "--no-result", "--json").stdout)


def test_a_model_without_motions_is_refused(oloid):
    done = oloid("run", "heavy-top", "--inverse", "--no-result")
    assert done.returncode == 2
    assert "nothing is driven" in one_message(done)


def test_inverse_and_resume_exclude_each_other(oloid):
    done = oloid("run", "robot-6r-driven", "--inverse", "--resume")
    assert done.returncode == 2
    assert "exclude each other" in done.stderr
