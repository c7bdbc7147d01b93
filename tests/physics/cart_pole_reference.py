"""The least effort of the cart-pole (cart 1 kg, point mass 0.3 kg, pole 0.5 m, 2 s, over 1 m) by
direct collocation, without Oloid: Hermite-Simpson (order 4) and trapezoids (order 2) in the
equations of motion of Kelly, An introduction to trajectory optimization, SIAM Review 59 (2017),
section 6, with Newton's method on the conditions of optimality. Needs numpy and scipy; takes a
minute:

                       u free      u(T) = 0
    Hermite-Simpson
        40 intervals   58.807576   58.839249
        80             58.807664   58.822845
       160             58.807667   58.815087
    trapezoids
        50             59.147757   59.212495
       100             58.896710   58.930323
       200             58.830379   58.847491

The least effort is 58.80767. A force that vanishes at the end changes nothing in the limit, since
it may jump there, but a discretisation with a continuous force pays for it with order 1. So the
published 58.8839, given to 1e-3 of itself, is that of a grid: Hermite-Simpson with 40 intervals and
u(T) = 0 gives 58.8392, with u(0) = 0 and a continuous rate, too, 58.8692, each within 1e-3 of it.
None of the bounds |x| <= 2, |u| <= 20 is active."""
import numpy as np
from scipy.sparse import coo_matrix, bmat, diags, vstack
from scipy.sparse.linalg import splu

CART, POLE, LENGTH, GRAVITY, TIME, DISTANCE = 1.0, 0.3, 0.5, 9.81, 2.0, 1.0


def rate(x, u):
    """Of position, angle from hanging, and their rates; Kelly (6.1), (6.2)."""
    s, c, spin = np.sin(x[1]), np.cos(x[1]), x[3]
    mass = CART + POLE * (1 - c * c)
    a = (LENGTH * POLE * s * spin**2 + u + POLE * GRAVITY * c * s) / mass
    b = -(LENGTH * POLE * c * s * spin**2 + u * c + (CART + POLE) * GRAVITY * s) / (LENGTH * mass)
    return np.array([x[2], spin, a, b])


def hermite_simpson(z, h):
    """Defects of all intervals: z has the states at both ends and u at start, middle, end."""
    x0, x1, u0, um, u1 = z[0:4], z[4:8], z[8], z[9], z[10]
    f0, f1 = rate(x0, u0), rate(x1, u1)
    middle = rate((x0 + x1) / 2 + h / 8 * (f0 - f1), um)
    return x1 - x0 - h / 6 * (f0 + 4 * middle + f1)


def trapezoids(z, h):
    return z[4:8] - z[0:4] - h / 2 * (rate(z[0:4], z[8]) + rate(z[4:8], z[10]))


def jacobian(method, z, h):
    """By complex steps."""
    J = np.empty((4, 11, z.shape[1]))
    for i in range(11):
        y = z.astype(complex)
        y[i] += 1e-30j
        J[:, i] = method(y, h).imag / 1e-30
    return J


def hessian(method, z, h, y):
    """Of y.c, by differences of the former."""
    H, step = np.empty((11, 11, z.shape[1])), 1e-5
    for i in range(11):
        plus, minus = z.copy(), z.copy()
        plus[i] += step
        minus[i] -= step
        difference = jacobian(method, plus, h) - jacobian(method, minus, h)
        H[i] = np.einsum("kn,kjn->jn", y, difference) / (2 * step)
    return (H + H.transpose(1, 0, 2)) / 2


def solve(N, method, at_rest, guess=None, smooth=False):
    """Effort and the solution; at_rest: u(T) = 0; smooth: u(0) = 0 and the rate of u is continuous,
    too."""
    h, states = TIME / N, 4 * (N + 1)
    n = states + 2 * N + 1
    index = np.array([[*range(4 * k, 4 * k + 8), *range(states + 2 * k, states + 2 * k + 3)]
                      for k in range(N)]).T
    weight = np.zeros(n)
    simpson = np.array([1, 4, 1]) / 6 if method is hermite_simpson else np.array([1, 0, 1]) / 2
    for k in range(N):
        weight[index[8:11, k]] += h * simpson
    z = np.zeros(n)
    for k in range(N + 1):
        at = k / N
        straight = DISTANCE * at, np.pi * at, DISTANCE / TIME, np.pi / TIME
        z[4 * k:4 * k + 4] = (straight if guess is None
                              else [np.interp(at, guess[0], guess[1][:, i]) for i in range(4)])
    if guess is not None:
        parts = len(guess[2])
        z[states:] = np.interp(np.linspace(0, 1, 2 * N + 1), np.linspace(0, 1, parts), guess[2])
    fixed = [*range(4), *range(4 * N, 4 * N + 4)] + [n - 1] * at_rest + [states] * smooth
    z[:4], z[4 * N:4 * N + 4] = 0, (DISTANCE, np.pi, 0, 0)
    z[fixed[8:]] = 0
    free = np.setdiff1d(np.arange(n), fixed)
    linear = []  # rows of other conditions: coefficients by variable
    if method is trapezoids:
        linear = [{states + 2 * k + 1: 1, states + 2 * k: -0.5, states + 2 * k + 2: -0.5}
                  for k in range(N)]
    if smooth:
        linear = [dict(zip(range(states + 2 * k - 2, states + 2 * k + 3), (1, -4, 6, -4, 1)))
                  for k in range(1, N)]
    C = coo_matrix(([v for row in linear for v in row.values()],
                    ([i for i, row in enumerate(linear) for _ in row],
                     [j for row in linear for j in row])),
                   shape=(len(linear), n))
    rows = np.broadcast_to(4 * np.arange(N) + np.arange(4)[:, None, None], (4, 11, N))
    columns = np.broadcast_to(index, (4, 11, N))

    def conditions(z):
        entries = jacobian(method, z[index], h).ravel()
        A = coo_matrix((entries, (rows.ravel(), columns.ravel())), shape=(4 * N, n))
        return np.concatenate([method(z[index], h).T.ravel(), C @ z]), vstack([A, C]).tocsc()

    def merit(z):
        return weight @ (z * z) + 1e4 * abs(conditions(z)[0]).sum()

    y, regular = np.zeros(4 * N + len(linear)), 1.0 if guess is None else 0.0
    for _ in range(200):
        c, A = conditions(z)
        gradient = (2 * weight * z + A.T @ y)[free]
        if max(abs(gradient).max(), abs(c).max()) < 1e-9:
            path = np.linspace(0, 1, N + 1), z[:states].reshape(-1, 4), z[states:]
            return weight @ (z * z), path
        block = hessian(method, z[index], h, y[:4 * N].reshape(N, 4).T)
        i = np.broadcast_to(index[:, None, :], block.shape)
        j = i.transpose(1, 0, 2)
        H = coo_matrix((block.ravel(), (i.ravel(), j.ravel())), shape=(n, n)).tocsc()
        H = H + diags(2 * weight)
        before, length = merit(z), 1.0
        while True:
            K = bmat([[H[free][:, free] + regular * diags(np.ones(len(free))), A[:, free].T],
                      [A[:, free], None]]).tocsc()
            step = splu(K).solve(-np.concatenate([gradient, c]))
            dz, length = np.zeros(n), 1.0
            dz[free] = step[:len(free)]
            while guess is None and length > 1e-3 and not merit(z + length * dz) < before + 1e-9:
                length /= 2
            if length > 1e-3:
                break
            regular = max(10 * regular, 1e-6)
        z, y = z + length * dz, y + length * step[len(free):]
        regular = 0 if regular < 1e-8 else regular / (5 if length == 1 else 1)
    raise RuntimeError(f"{N} intervals: no optimum")


if __name__ == "__main__":
    start = solve(20, hermite_simpson, False)[1]
    start = solve(80, hermite_simpson, False, start)[1]
    for method, grids in ((hermite_simpson, (40, 80, 160)), (trapezoids, (50, 100, 200))):
        for N in grids:
            costs = (solve(N, method, at_rest, start)[0] for at_rest in (False, True))
            print(method.__name__, N, *(f"{cost:.6f}" for cost in costs))
    print("smooth", f"{solve(40, hermite_simpson, True, start, smooth=True)[0]:.6f}")
