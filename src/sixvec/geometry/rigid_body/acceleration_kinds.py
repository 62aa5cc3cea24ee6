"""Accelerations as six numbers, in the two kinds that must not be mixed (Bruyninckx §4.10.1).

Six numbers do not determine the accelerations of all points of a moving body: `AccelerationField` contains nine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixvec.errors import FrameError
from sixvec.scalar import Scalar
from sixvec.spatial.motion import Motion
from sixvec.spatial.tagged import Kind, Tagged


def acceleration_in_kind(A: Tagged[Motion], kind: Kind, V: Tagged[Motion]) -> Tagged[Motion]:
    """The acceleration of a body that moves with V, in the other kind: the linear parts differ by ω × v.

    The spatial one (Eulerian, screw acceleration) is (ω̇; v̇), the derivative of the six numbers of the twist: v̇ is
    the rate of change of the velocity *of whichever point is at the origin*.  It is a motion vector, adds over joints
    and transforms with a pose.  The classical one (material, Lagrangian, pose acceleration) is (ω̇; p̈) of the
    body-fixed point there; at another point it depends on ω as well, so a pose alone cannot transform it.
    Lynch-Park (9.16).

    >>> from sixvec.geometry.rigid_body import acceleration_in_kind
    >>> from sixvec.spatial import Motion, Tagged
    >>> V = Tagged(Motion.of([0.0, 0.0, 2.0, 3.0, 0.0, 0.0]), "world", "world")
    >>> A = Tagged(Motion.zero(), "world", "world", kind="spatial acceleration")
    >>> acceleration_in_kind(A, "classical acceleration", V).value.lin.y
    6.0
    """
    if A.kind is None or V.kind or (A.axes, A.point, A.order, A.units) != (V.axes, V.point, V.order, V.units):
        raise FrameError(f"{A} is not an acceleration of what moves with {V}: only the kind may differ")
    turns = (kind == "classical acceleration") - (A.kind == "classical acceleration")
    lin = A.value.lin + V.value.ang.cross(V.value.lin) * turns if turns else A.value.lin
    return replace(A, value=Motion(A.value.ang, lin), kind=kind)


def body_fixed_rate(V: Motion, s: Motion) -> Motion:
    """The derivative of a screw fixed in a body moving with V: the motor product V × s (Bruyninckx §4.10.2).

    Bruyninckx (4.33).

    >>> from sixvec.geometry.rigid_body import body_fixed_rate
    >>> from sixvec.spatial import Motion
    >>> axis = Motion.of([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> body_fixed_rate(Motion.of([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), axis).ang
    Vec3(x=0.0, y=1.0, z=0.0)
    """
    return V.cross(s)


def jacobian_rate(columns: Sequence[Motion], rates: Sequence[Scalar]) -> tuple[Motion, ...]:
    """The derivative of a serial chain's screw Jacobian: J̇ᵢ = (Σ_{j<i} Jⱼ q̇ⱼ) × Jᵢ (Bruyninckx §4.10.2).

    The columns are screws in fixed coordinates, ordered from the base outward.  The acceleration of the last body is
    then  J q̈ + J̇ q̇, a spatial acceleration.

    >>> from sixvec.geometry.rigid_body import jacobian_rate
    >>> from sixvec.spatial import Motion, Vec3
    >>> base = Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    >>> elbow = Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, -1.0, 0.0))  # parallel, through (1, 0, 0)
    >>> jacobian_rate([base, elbow], [2.0, 0.0])[1].lin
    Vec3(x=2.0, y=0.0, z=0.0)
    """
    V = Motion.zero()
    result = []
    for column, rate in zip(columns, rates, strict=True):
        result.append(body_fixed_rate(V, column))
        V = V + column * rate
    return tuple(result)
