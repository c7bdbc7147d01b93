"""Reference positions for the rods of Simo and Vu-Quoc (models flying-beam and right-angle-elbow),
by another method: finite differences of the strong form of the Simo-Reissner rod on a staggered
grid,

    m_i x'' = n_{i+1/2} - n_{i-1/2} + F,   (I w)' = m_{i+1/2} - m_{i-1/2} + 1/2 sum dx x n + M,
    n = R C_g (R^T dx/l - e3),   m = R C_k log(R_i^T R_{i+1})/l,   R = R_i exp(log(R_i^T
    R_{i+1})/2),

lumped masses, rotation matrices, Runge and Kutta's method of fourth order, and Richardson's
extrapolation from two grids (the error is of second order in l).

    rods_reference.py flying-beam 40 800
    rods_reference.py right-angle-elbow 20 2000       (elements of the coarser grid, its steps in a
    unit of time)

print the positions of start, middle and end that tests/physics/flexible.c has: good to a few 1e-4.
"""
import sys

import numpy as np


def hat(a):
    out = np.zeros(a.shape[:-1] + (3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return out


def exponential(a):
    angle = np.linalg.norm(a, axis=-1)[..., None, None]
    safe = np.where(angle > 1e-6, angle, 1.0)
    first = np.where(angle > 1e-6, np.sin(safe) / safe, 1 - angle**2 / 6)
    second = np.where(angle > 1e-6, (1 - np.cos(safe)) / safe**2, 0.5 - angle**2 / 24)
    A = hat(a)
    return np.eye(3) + first * A + second * A @ A


def logarithm(R):
    axis = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0],
                           R[..., 1, 0] - R[..., 0, 1]], -1)
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1))
    return np.where(sine > 1e-7, angle / np.where(sine > 1e-7, sine, 1), 1.0)[..., None] * axis


class Rod:
    """Nodes on straight legs; frames are absolute rotations, sections turned by Q."""

    def __init__(self, points, elements, stiffness, inertia, clamped, load):
        points = np.array(points, float)
        self.x0 = np.concatenate([points[:1]] + [
            a + (b - a) * np.arange(1, elements + 1)[:, None] / elements
            for a, b in zip(points, points[1:])])
        dx = np.diff(self.x0, axis=0)
        self.length = np.linalg.norm(dx, axis=1)
        e3 = dx / self.length[:, None]
        side = np.where(abs(e3[:, 2:]) < 0.9, [0., 0, 1], [1., 0, 0])
        e1 = np.cross(side, e3)
        e1 /= np.linalg.norm(e1, axis=1)[:, None]
        self.Q = np.stack([e1, np.cross(e3, e1), e3], -1)
        self.shear, self.bend = np.array(stiffness[:3]), np.array(stiffness[3:])
        count = len(self.x0)
        self.mass, self.J = np.zeros(count), np.zeros((count, 3, 3))
        local = np.diag([inertia[2], inertia[1], inertia[1] + inertia[2]])
        for k in range(count - 1):
            for i in (k, k + 1):
                self.mass[i] += 0.5 * self.length[k] * inertia[0]
                self.J[i] += 0.5 * self.length[k] * self.Q[k] @ local @ self.Q[k].T
        self.inverse = np.linalg.inv(self.J)
        self.clamped, self.load = clamped, load

    def rates(self, t, x, v, R, w):
        turn = logarithm(np.swapaxes(R[:-1], 1, 2) @ R[1:])
        frame = R[:-1] @ exponential(0.5 * turn) @ self.Q
        dx = np.diff(x, axis=0)
        gamma = np.einsum("kji,kj->ki", frame, dx / self.length[:, None]) - [0, 0, 1]
        kappa = np.einsum("kji,kj->ki", self.Q, turn / self.length[:, None])
        n = np.einsum("kij,kj->ki", frame, self.shear * gamma)
        m = np.einsum("kij,kj->ki", frame, self.bend * kappa)
        force, moment = np.zeros_like(x), np.zeros_like(x)
        force[:-1] += n
        force[1:] -= n
        lever = 0.5 * np.cross(dx, n)
        moment[:-1] += m + lever
        moment[1:] += lever - m
        node, F, M = self.load(t)
        force[node] += F
        moment[node] += M
        local = np.einsum("kji,kj->ki", R, moment) - np.cross(w, np.einsum("kij,kj->ki", self.J, w))
        a, b = force / self.mass[:, None], np.einsum("kij,kj->ki", self.inverse, local)
        if self.clamped:
            a[0] = b[0] = 0
        return v, a, R @ hat(w), b

    def run(self, times, dt):
        y = [self.x0.copy(), np.zeros_like(self.x0), np.tile(np.eye(3), (len(self.x0), 1, 1)),
             np.zeros_like(self.x0)]
        out, t = [], 0.0
        for end in times:
            steps = round((end - t) / dt)
            for _ in range(steps):
                k1 = self.rates(t, *y)
                k2 = self.rates(t + dt / 2, *[a + dt / 2 * b for a, b in zip(y, k1)])
                k3 = self.rates(t + dt / 2, *[a + dt / 2 * b for a, b in zip(y, k2)])
                k4 = self.rates(t + dt, *[a + dt * b for a, b in zip(y, k3)])
                y = [a + dt / 6 * (p + 2 * q + 2 * r + s)
                     for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
                # orthonormal again
                y[2] = y[2] @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(y[2], 1, 2) @ y[2])
                t += dt
            t = end
            out.append([y[0][0], y[0][len(self.x0) // 2], y[0][-1]])
        return np.array(out)


def flying(n):
    def load(t):
        f = np.interp(t, [0, 2.5, 5], [0, 1, 0])
        return 0, f * np.array([20., 0, 0]), f * np.array([0, -100., -200])
    return Rod([[6, 0, 0], [0, 8, 0]], n, [1e4] * 3 + [500] * 3, [1, 10, 10], False,
               load), [2.5, 5, 7.5, 10]


def elbow(n):
    def load(t):
        return n, np.array([0, 0, np.interp(t, [0, 1, 2], [0, 50, 0])]), np.zeros(3)
    return Rod([[0, 0, 0], [10, 0, 0], [10, 10, 0]], n, [1e6] * 3 + [1e3] * 3, [1, 10, 10], True,
               load), [1, 2, 4, 6]


def main():
    make = {"flying-beam": flying, "right-angle-elbow": elbow}[sys.argv[1]]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rate = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    grids = []
    for k in (n, 2 * n):
        rod, times = make(k)
        grids.append(rod.run(times, 1 / (rate * k // n)))
    best = grids[1] + (grids[1] - grids[0]) / 3
    for t, row, fine in zip(times, best, grids[1]):
        print(t, " ".join(f"({p[0]:.6f}, {p[1]:.6f}, {p[2]:.6f})" for p in row),
              f"extrapolated by {abs(row - fine).max():.1e}")


if __name__ == "__main__":
    main()
