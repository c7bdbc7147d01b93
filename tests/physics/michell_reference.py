#!/usr/bin/env python3
"""The twist at which a closed ring of N discrete elements with frames at vertices leaves its plane,
for tests/physics/rod_limits.c; no program of this project enters. Needs mpmath.

    michell_reference.py 50 100

The ring of length 1 has EI = GJ = 1 and GA = EA = 1e6; the total twist is spread evenly over it.
Since both bending stiffnesses are equal, every element has the same energy W(x_i, x_i+1) in
coordinates that turn with the ring by 2 pi/N per element and without the spin of the sections. So
the Hessian is block circulant. Its block for the Fourier mode n is

    H_n = W_00 + W_11 + W_01 exp(2 pi i n/N) + W_10 exp(-2 pi i n/N),

6 x 6, and the ring loses its stability where det H_2 = 0. The radius and the tilt of the sections
about the radial axis follow from equilibrium. Derivatives are central differences with 50 digits.
"""
import sys

from mpmath import conj, cos, det, exp, eye, lu_solve, matrix, mp, mpc, mpf, nstr, pi, re, sin, sqrt

mp.dps = 50
EI = GJ = mpf(1)
EA = GA = mpf(10) ** 6
DIFFERENCE = mpf(10) ** -14


def hat(v):
    return matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation(v):
    """Cayley's transform of v/2."""
    y = hat([x / 2 for x in v])
    return eye(3) + 2 / (1 + sum(x * x for x in v) / 4) * (y + y * y)


def about_z(angle):
    return matrix([[cos(angle), -sin(angle), 0], [sin(angle), cos(angle), 0], [0, 0, 1]])


def energy(h, r0, R0, r1, R1):
    """h W(u, v), with the strains (7.42) and (7.43) of the thesis."""
    Q = R0.T * R1
    factor = 2 / (h * (1 + Q[0, 0] + Q[1, 1] + Q[2, 2]))
    u = [factor * x for x in (Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1])]
    v = (R0.T + R1.T) * (r1 - r0) / (2 * h)
    return h / 2 * (EI * (u[0] ** 2 + u[1] ** 2) + GJ * u[2] ** 2
                    + GA * (v[0] ** 2 + v[1] ** 2) + EA * (v[2] - 1) ** 2)


def element(N, twist, radius, frame):
    """The energy of one element over the displacements and rotations of its two vertices."""
    turn, spin, at = about_z(2 * pi / N), about_z(twist / N), matrix([radius, 0, 0])

    def value(x):
        return energy(mpf(1) / N, at + matrix(x[0:3]), rotation(x[3:6]) * frame,
                      turn * (at + matrix(x[6:9])), turn * rotation(x[9:12]) * frame * spin)
    return value


def derivatives(value):
    def at(*shifts):
        x = [mpf(0)] * 12
        for i, sign in shifts:
            x[i] += sign * DIFFERENCE
        return value(x)

    gradient = [(at((i, 1)) - at((i, -1))) / (2 * DIFFERENCE) for i in range(12)]
    hessian = matrix(12, 12)
    for i in range(12):
        for j in range(i, 12):
            hessian[i, j] = hessian[j, i] = sum(
                a * b * at((i, a), (j, b)) for a in (1, -1) for b in (1, -1)) / 4 / DIFFERENCE ** 2
    return gradient, hessian


def plane_ring(N, twist):
    """The Hessian of an element of the ring in equilibrium, by Newton's method."""
    radius, frame = 1 / (2 * N * sin(pi / N)), matrix([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    for _ in range(6):
        g, H = derivatives(element(N, twist, radius, frame))
        free = (0, 3)  # along the radius, about the radius
        K = matrix([[sum(H[i + a, j + b] for a in (0, 6) for b in (0, 6)) for j in free]
                    for i in free])
        step = lu_solve(K, matrix([-g[i] - g[i + 6] for i in free]))
        radius, frame = radius + step[0], rotation([step[1], 0, 0]) * frame
    g, H = derivatives(element(N, twist, radius, frame))
    assert max(abs(g[i] + g[i + 6]) for i in range(6)) < mpf(10) ** -20
    return H


def determinant(N, twist, n=2):
    H, phase = plane_ring(N, twist), exp(mpc(0, 2 * pi * n / N))
    return re(det(matrix([[H[i, j] + H[i + 6, j + 6] + H[i, j + 6] * phase
                           + H[i + 6, j] * conj(phase) for j in range(6)] for i in range(6)])))


def critical_twist(N):
    """By the secant method."""
    a, b = mpf("10.7"), mpf("11.1")
    at_a, at_b = determinant(N, a), determinant(N, b)
    while abs(b - a) > mpf(10) ** -12:
        a, b, at_a = b, b - at_b * (b - a) / (at_b - at_a), at_b
        at_b = determinant(N, b)
    return b


for elements in map(int, sys.argv[1:]):
    twist = critical_twist(elements)
    print(elements, nstr(twist, 12), "relative to 2 pi sqrt(3):",
          nstr(twist / (2 * pi * sqrt(3)) - 1, 6))
