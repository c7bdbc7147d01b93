#!/usr/bin/env python3
"""Lee's frame (Lee, Manuel, Rossow 1968) by shooting, for tests/physics/paths.c: no finite element
enters.

A column (0, 0)-(0, 120) and a beam (0, 120)-(120, 120), rigidly joined, hinged at both far ends; a
load P downwards on the beam, 24 from the corner. Plane beams with extension and shear (Reissner
1972): theta' = M/EI, r' = R(theta) (1 + N/EA, Q/GA), M' = -r' x F, F constant but for the load.
Unknowns are the angle and the reaction at the foot and P; the beam has to end in (120, 120) without
moment, and the loaded point to be lowered by a given w.
"""
import numpy

EA, EI, GA = 720 * 6, 720 * 2, 5 / 6 * (720 / 2.6) * 6


def derivative(y, F):
    x, z, theta, M = y
    c, s = numpy.cos(theta), numpy.sin(theta)
    axial, shear = 1 + (c * F[0] + s * F[1]) / EA, (-s * F[0] + c * F[1]) / GA
    dx, dz = axial * c - shear * s, axial * s + shear * c
    return numpy.array([dx, dz, M / EI, -(dx * F[1] - dz * F[0])])


def integrate(y, F, length, n):
    h = length / n
    for _ in range(n):
        a = derivative(y, F)
        b = derivative(y + h / 2 * a, F)
        c = derivative(y + h / 2 * b, F)
        d = derivative(y + h * c, F)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y


def shoot(u, n):
    theta, H, V, P = u
    y = integrate(numpy.array([0, 0, theta, 0]), (H, V), 120, 5 * n)
    y[2] -= numpy.pi / 2
    at = integrate(y, (H, V), 24, n)
    return at, integrate(at, (H, V + P), 96, 4 * n)


def solve(u, residual):
    """Newton with central differences."""
    for _ in range(30):
        r = residual(u)
        J = numpy.empty((len(u), len(u)))
        for i in range(len(u)):
            d = 1e-6 * max(1, abs(u[i]))
            e = numpy.eye(len(u))[i] * d
            J[:, i] = (residual(u + e) - residual(u - e)) / (2 * d)
        du = numpy.linalg.solve(J, -r)
        u = u + du
        if numpy.abs(du).max() < 1e-11:
            break
    return u


def lowered(w, u, n):
    def residual(u):
        at, end = shoot(u, n)
        return numpy.array([end[0] - 120, end[1] - 120, end[3] / 100, at[1] - 120 + w])
    return solve(u, residual)


def loaded(P, u, n):
    def residual(u):
        at, end = shoot(numpy.append(u[:3], P), n)
        return numpy.array([end[0] - 120, end[1] - 120, end[3] / 100, u[3] - P])
    return solve(u, residual)


if __name__ == "__main__":
    n, u = 40, numpy.array([numpy.pi / 2, 0, 0, 0])
    path = []
    for w in numpy.arange(1, 62, 1.0):
        u = lowered(w, u, n)
        path.append((w, u))
        if u[3] < path[-2 if len(path) > 1 else -1][1][3]:
            break
    low, high = path[-3][0], path[-1][0]
    while high - low > 1e-4:  # golden section of P(w)
        a, b = high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low)
        if lowered(a, u, n)[3] < lowered(b, u, n)[3]:
            low = a
        else:
            high = b
    w = (low + high) / 2
    print(f"limit: P = {lowered(w, u, n)[3]:.9g} at w = {w:.5g}")
    for P in (1.0, 1.8):
        start = min((u for w, u in path if w <= high), key=lambda u: abs(u[3] - P))
        u = loaded(P, start, n)
        at, _ = shoot(u, n)
        print(f"P = {P}: loaded point at ({at[0]:.9g}, {at[1]:.9g})")
