"""Rotations as unit quaternions."""
import numpy


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
