"""Frequencies of a rotating cantilever, for vibration.c: flapping of an inextensible
Euler-Bernoulli beam on a hub,

    w'''' - (T w')' = eta^2 w,   T = gamma^2 ((1 - x^2)/2 + delta (1 - x)),   w(0) = w'(0) = w''(1)
    = w'''(1) = 0,

in units of its length, mass and stiffness; gamma is the rate of rotation, delta the radius of the
hub. The power series in x with 60 digits, roots by bisection. (The first ones are in the tables of
Wright et al. 1982 and of Yoo and Shin 1998.) In the plane of rotation the squares are less by
gamma^2.
"""

from decimal import Decimal, getcontext

getcontext().prec = 60
TERMS = 140


def end(eta, gamma, delta, first):
    """w'' and w''' at the tip of the solution that starts with x^first."""
    a = [Decimal(0)] * (TERMS + 4)
    a[first] = Decimal(1)
    for k in range(TERMS):
        pull = ((Decimal("0.5") + delta) * (k + 2) * (k + 1) * a[k + 2] - delta * (k + 1) ** 2
                * a[k + 1]
                - Decimal(k * (k + 1)) / 2 * a[k])
        a[k + 4] = (gamma ** 2 * pull + eta ** 2 * a[k]) / ((k + 4) * (k + 3) * (k + 2) * (k + 1))
    return (sum(k * (k - 1) * c for k, c in enumerate(a)),
            sum(k * (k - 1) * (k - 2) * c for k, c in enumerate(a)))


def determinant(eta, gamma, delta):
    a, b = end(eta, gamma, delta, 2), end(eta, gamma, delta, 3)
    return a[0] * b[1] - a[1] * b[0]


def roots(gamma, delta, count):
    found, low, step = [], Decimal(1), Decimal("0.25")
    while len(found) < count:
        high = low + step
        if determinant(low, gamma, delta) * determinant(high, gamma, delta) <= 0:
            x, y = low, high
            for _ in range(60):
                middle = (x + y) / 2
                if determinant(x, gamma, delta) * determinant(middle, gamma, delta) <= 0:
                    y = middle
                else:
                    x = middle
            found.append(x)
        low = high
    return found


for radius in (0, 1):
    for rate in (0, 2, 4, 6, 8, 10):
        print(radius, rate, *(f"{x:.10f}" for x in roots(Decimal(rate), Decimal(radius), 3)))
