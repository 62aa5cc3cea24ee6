"""Interpolation between two orientations along the shorter arc."""

from __future__ import annotations

from sixvec.scalar import Scalar
from sixvec.spatial.quaternion import Quaternion


def slerp(a: Quaternion, b: Quaternion, t: Scalar) -> Quaternion:
    """The orientation at fraction t of the way from a to b, turning about one axis at constant speed.

        slerp(a, b, t) = a ∘ exp(t log(a⁻¹ ∘ b))

    b and -b give the same curve: the logarithm, at most π long, gives the shorter arc, so at t = 1 the result is b or
    -b (`Quaternion.near` restores the sign).  Where a and b are a half turn apart both arcs are equally short and the
    sign of b decides.  t may lie outside [0, 1].  Precise for equal, near and opposite quaternions alike, derivatives
    included; interpolating Euler angles or entries of quaternions has none of these properties (Bruyninckx §3.23.2).

    >>> from sixvec.geometry.orientation import slerp
    >>> from sixvec.spatial import Quaternion
    >>> half_turn = Quaternion(0.0, 0.0, 1.0, 0.0)
    >>> q = slerp(Quaternion.identity(), half_turn, 0.5)
    >>> [round(x, 12) for x in q]
    [0.0, 0.0, 0.707106781187, 0.707106781187]
    """
    return a @ Quaternion.exp((a.inv() @ b).log() * t)
