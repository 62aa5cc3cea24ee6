"""Vectors and skew-symmetric matrices."""

from __future__ import annotations

from sixvec.errors import DegenerateError
from sixvec.scalar import certainly
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import EQUAL


def skew(m: Vec3) -> Mat3:
    """The matrix [m] of the vector product: [m] x = m × x.  Bruyninckx §2.4.

    [m]ᵀ = -[m],  [m] m = 0,  [m]³ = -|m|² [m],  and  R [m] Rᵀ = [R m]  for rotations R.
    Bruyninckx (2.5); Lynch-Park (9.27).

    >>> from sixvec.geometry import skew
    >>> from sixvec.spatial import Vec3
    >>> skew(Vec3(1.0, 2.0, 3.0)) @ Vec3(0.0, 0.0, 1.0)
    Vec3(x=2.0, y=-1.0, z=0.0)
    """
    return Mat3.cross_matrix(m)


def axial_vector(m: Mat3) -> Vec3:
    """The vector of the skew-symmetric part ½ (M - Mᵀ) of any matrix; the symmetric part is dropped.

    >>> from sixvec.geometry import axial_vector
    >>> from sixvec.spatial import Mat3
    >>> axial_vector(Mat3(9.0, -3.0, 2.0, 3.0, 9.0, -1.0, -2.0, 1.0, 9.0))
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    return Vec3((m.zy - m.yz) * 0.5, (m.xz - m.zx) * 0.5, (m.yx - m.xy) * 0.5)


def unskew(matrix: Mat3) -> Vec3:
    """The m with [m] equal to the given skew-symmetric matrix: the inverse of `skew`.

    A matrix that is not skew-symmetric raises an error on plain numbers; in arrays and traced code its symmetric
    part is dropped.

    >>> from sixvec.geometry import skew, unskew
    >>> from sixvec.spatial import Vec3
    >>> unskew(skew(Vec3(1.0, 2.0, 3.0)))
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    symmetric = sum(x * x for x in matrix + matrix.T)
    size = sum(x * x for x in matrix)
    if certainly(symmetric > size * (EQUAL * EQUAL)):
        raise DegenerateError("only a skew-symmetric matrix represents a vector; axial_vector(m) drops the rest of m")
    return axial_vector(matrix)
