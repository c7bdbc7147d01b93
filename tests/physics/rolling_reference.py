"""Reference motion of an unbalanced disc that rolls on an inclined plane, for rolling.c.

Newton-Euler equations with the force F at the point of contact, which is at p from the origin of
the body:

    m a_c = F + m g,   I w' + w x I w = (p - R c) x F,   phi' = p x w,   p = R X + s,   s = r (gamma
    e - n)/sigma

F and phi'' are eliminated; what is left is linear in w'. Integrated by DOP853 with two tolerances;
the digits that agree are the reference.
"""

import numpy as np
from scipy.integrate import solve_ivp

MASS, RADIUS = 0.3, 0.1
CENTER = np.array([0.01, -0.02, 0.015])  # of mass, in the body
# about it, in the body
INERTIA = np.array([[8e-4, 5e-5, -4e-5], [5e-5, 1.2e-3, 3e-5], [-4e-5, 3e-5, 1.5e-3]])
HUB = np.array([0.005, 0.01, -0.01])  # of the disc, in the body
GRAVITY = np.array([0.0, 0.0, -9.81])
NORMAL = np.array([0.1, -0.2, 1.0]) / np.linalg.norm([0.1, -0.2, 1.0])
ORIGIN = np.array([0.3, 0.1, -0.2])  # of the plane
# of the disc at the start, in space
AXIS = np.array([0.2, 0.9, 0.3]) / np.linalg.norm([0.2, 0.9, 0.3])
SPIN = np.array([2.0, 9.0, -1.0])  # angular velocity at the start


def turn(axis, angle):
    x = np.array(axis) / np.linalg.norm(axis)
    K = hat(x)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def arm(e):
    gamma, sigma = NORMAL @ e, np.linalg.norm(np.cross(NORMAL, e))
    return RADIUS * (gamma * e - NORMAL) / sigma, gamma, sigma


R0 = turn([1, 2, -1], 0.7)
E = R0.T @ AXIS
x0 = ORIGIN + 0.05 * np.array([1.0, 0.5, 0.0])
phi0 = x0 - R0 @ HUB
phi0 += NORMAL * (RADIUS * arm(AXIS)[2] - NORMAL @ (phi0 + R0 @ HUB - ORIGIN))


def rates(t, y):
    R, w = y[3:12].reshape(3, 3), y[12:]
    e, rho, c = R @ E, R @ HUB, R @ CENTER
    inertia = R @ INERTIA @ R.T
    s, gamma, sigma = arm(e)
    p = rho + s
    e_dot = np.cross(w, e)
    gamma_dot = NORMAL @ e_dot
    sigma_dot = -gamma * gamma_dot / sigma
    s_dot = RADIUS * (gamma_dot * e + gamma * e_dot) / sigma - s * sigma_dot / sigma
    p_dot = np.cross(w, rho) + s_dot
    # a_c = known + (p^ - c^) w'
    known = np.cross(p_dot, w) + np.cross(w, np.cross(w, c)) - GRAVITY
    lever = hat(p) - hat(c)
    w_dot = np.linalg.solve(inertia - MASS * lever @ lever,
                            MASS * lever @ known - np.cross(w, inertia @ w))
    return np.concatenate([np.cross(p, w), (hat(w) @ R).ravel(), w_dot])


def main():
    np.set_printoptions(precision=15)
    start = np.concatenate([phi0, R0.ravel(), SPIN])
    print("position at the start", phi0)
    for tolerance in (1e-12, 3e-14):
        y = solve_ivp(rates, (0, 0.5), start, method="DOP853", rtol=tolerance,
                      atol=tolerance * 1e-2).y[:, -1]
        R = y[3:12].reshape(3, 3)
        print("tolerance", tolerance)
        print("  position", y[:3])
        print("  d1", R[:, 0], "\n  d3", R[:, 2], "\n  omega", y[12:])


if __name__ == "__main__":
    main()
