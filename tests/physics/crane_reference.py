"""The least time of models/crane.yaml: the force changes between its bounds three times. The times
between these changes follow from Newton's method for rest at the end, at five metres, with the
equations of a cart with a pendulum, M = 100, m = 400, J = 400*0.6^2/6, l = 3, integrated by Runge
and Kutta. Prints the times and their sum."""
import numpy

M, m, l, J, g, F = 100.0, 400.0, 3.0, 24.0, 9.81, 700.0


def rate(y, force):
    x, angle, v, w = y
    mass = numpy.array([[M + m, -m * l * numpy.cos(angle)],
                        [-m * l * numpy.cos(angle), m * l * l + J]])
    load = numpy.array([force - m * l * w * w * numpy.sin(angle), -m * g * l * numpy.sin(angle)])
    return numpy.concatenate([[v, w], numpy.linalg.solve(mass, load)])


def end(times, steps=300):
    y, force = numpy.zeros(4), F
    for time in times:
        h = time / steps
        for _ in range(steps):
            a = rate(y, force)
            b = rate(y + h / 2 * a, force)
            c = rate(y + h / 2 * b, force)
            d = rate(y + h * c, force)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
        force = -force
    return y - [5, 0, 0, 0]


times = numpy.array([1.7, 0.2, 0.2, 1.7])
for _ in range(30):
    residual = end(times)
    jacobian = numpy.array([(end(times + 1e-6 * e) - residual) / 1e-6 for e in numpy.eye(4)]).T
    times = times - numpy.linalg.solve(jacobian, residual)
print(times, times.sum())
