"""Rotations as unit quaternions and as matrices."""
import numpy

from ._errors import InputError


def about(axis, angle):
    """The matrix of the rotation about an axis (Rodrigues)."""
    length = numpy.linalg.norm(axis)
    if not length > 0:
        raise InputError("the axis has zero length")
    x, y, z = numpy.array(axis, dtype=float) / length
    hat = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return numpy.eye(3) + numpy.sin(angle) * hat + (1 - numpy.cos(angle)) * hat @ hat


def matrix(rotation):
    """The matrix of a rotation as model files have it, with numbers: a dict with axis and angle,
    matrix, quaternion, or euler and angles; a list of these; or nine numbers by rows."""
    if isinstance(rotation, (list, tuple)) and rotation and isinstance(rotation[0], dict):
        product = numpy.eye(3)
        for one in rotation:
            product = product @ matrix(one)
        return product
    given = rotation if isinstance(rotation, dict) else {"matrix": rotation}
    if set(given) == {"axis", "angle"}:
        R = about(given["axis"], float(given["angle"]))
    elif set(given) == {"matrix"}:
        R = numpy.array(given["matrix"], dtype=float).reshape(3, 3)
    elif set(given) == {"quaternion"}:
        w, x, y, z = numpy.array(given["quaternion"], dtype=float)
        angle = 2 * numpy.arctan2(numpy.linalg.norm([x, y, z]), w)
        R = numpy.eye(3) if x == y == z == 0 != w else about([x, y, z], angle)
    elif set(given) == {"euler", "angles"}:
        R = numpy.eye(3)
        axes = [numpy.eye(3)["xyz".index(name)] for name in given["euler"]]
        for axis, angle in zip(axes, numpy.array(given["angles"], dtype=float).reshape(len(axes))):
            R = R @ about(axis, angle)
    else:
        raise InputError("a rotation has axis and angle, matrix, quaternion, or euler and angles")
    if not abs(R.T @ R - numpy.eye(3)).max() < 1e-6 or numpy.linalg.det(R) < 0:
        raise InputError("the matrix is no rotation")
    return R


def quaternions(R):
    """Unit quaternions w, x, y, z with w >= 0 of rotation matrices (..., 3, 3): of the four columns
    of the matrix 4 p p^T, the longest one, normalised."""
    K = numpy.empty((*R.shape[:-2], 4, 4))
    trace = numpy.trace(R, axis1=-2, axis2=-1)
    K[..., 0, 0] = 1 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[..., 0, i + 1] = K[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
        K[..., i + 1, i + 1] = 1 + 2 * R[..., i, i] - trace
        K[..., j + 1, k + 1] = K[..., k + 1, j + 1] = R[..., j, k] + R[..., k, j]
    best = numpy.argmax(numpy.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    p = numpy.take_along_axis(K, best[..., None, None], axis=-1)[..., 0]
    p = p / numpy.linalg.norm(p, axis=-1, keepdims=True)
    return numpy.where(p[..., :1] < 0, -p, p)
