"""Norms of twists and wrenches, which need a weight, and a test whether a criterion depends on frame or units.

No natural norm exists for six numbers of mixed units: every norm here has an explicit weight (Bruyninckx §4.9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sixvec.errors import DegenerateError, FrameError
from sixvec.scalar import Scalar, certainly
from sixvec.spatial.force import Force
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.norm import root
from sixvec.spatial.pose import Pose
from sixvec.spatial.six_matrix import SixMatrix

V = TypeVar("V", Motion, Force)


def length_weight(size: Scalar) -> SixMatrix[Motion, Force]:
    """W = diag(L², L², L², 1, 1, 1): a turn by one radian counts as much as a shift by L, at the origin.

    The choice of L (and of the origin) is arbitrary; an inertia or stiffness matrix is often a better weight.

    >>> from sixvec.geometry.rigid_body import length_weight, weighted_norm
    >>> from sixvec.spatial import Motion
    >>> weighted_norm(Motion.of([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), length_weight(0.5))
    0.5
    """
    one = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return SixMatrix(one * (size * size), Mat3.zero(), Mat3.zero(), one, Motion, Force)


def weighted_inner(x: V, y: V, weight: Any) -> Scalar:
    """xᵀ W y with a symmetric weight W, which maps motions to forces (an inertia, a stiffness), or forces to motions.

    >>> from sixvec.geometry.rigid_body import length_weight, weighted_inner
    >>> from sixvec.spatial import Force, Motion
    >>> weighted_inner(Motion.zero(), Force.zero(), length_weight(1.0))
    Traceback (most recent call last):
    ...
    sixvec.errors.FrameError: a weighted product takes two of a kind, not a Motion and a Force
    """
    if type(x) is not type(y):
        raise FrameError(f"a weighted product takes two of a kind, not a {type(x).__name__} and a {type(y).__name__}")
    image = weight @ y
    if type(image) is type(x):
        kind = type(x).__name__
        raise FrameError(f"a weight maps Motion to Force or Force to Motion; this one maps {kind} to {kind}")
    return x.ang.dot(image.ang) + x.lin.dot(image.lin)


def weighted_norm(x: V, weight: Any) -> Scalar:
    """‖x‖ = √(xᵀ W x).

    It is the same in every frame if the weight is transformed too: weighted_norm(X @ x, X @ W).  Its derivative at x =
    0 is returned as 0; the square, `weighted_inner(x, x, W)`, is smooth.  A weight that makes the square negative is
    rejected on plain numbers and gives 0 on others.  Bruyninckx (4.29).
    """
    square = weighted_inner(x, x, weight)
    if certainly(square < 0.0):
        raise DegenerateError("the weight is not positive: xᵀ W x < 0; use a symmetric positive-definite matrix")
    return root(square)


@dataclass(frozen=True, slots=True)
class InvarianceTest:
    """A criterion before and after a change of frame, and after a change of the unit of length."""

    original: Scalar
    moved: Scalar
    rescaled: Scalar

    @property
    def frame_gap(self) -> Scalar:
        """How much the change of frame changed the criterion; 0 for physical criteria."""
        return self.moved - self.original

    @property
    def unit_gap(self) -> Scalar:
        """How much the change of unit changed it, beyond the change of the component's unit."""
        return self.rescaled - self.original


def invariance(
    criterion: Callable[..., Scalar], values: Sequence[Any], X: Pose, unit: Scalar = 1.0, length_power: int = 0
) -> InvarianceTest:
    """Evaluate `criterion(*values)` in this frame, after the change of frame X @ value, and with another length unit.

    A physical criterion gives the same value in both frames; with a unit of length `unit` times smaller its number
    grows by unit**length_power (a pitch has power 1, a power 2).  Bruyninckx §4.2.3 and §4.4.

    >>> from sixvec.geometry.rigid_body import invariance
    >>> from sixvec.spatial import Motion, Pose, Vec3
    >>> t, X = Motion.of([0.0, 0.0, 1.0, 0.0, 2.0, 3.0]), Pose.translation(Vec3(1.0, 0.0, 0.0))
    >>> length_of_six_numbers = lambda t: t.ang.dot(t.ang) + t.lin.dot(t.lin)
    >>> invariance(length_of_six_numbers, [t], X, unit=10.0)
    InvarianceTest(original=14.0, moved=11.0, rescaled=1301.0)
    """
    original = criterion(*values)
    moved = criterion(*(X @ value for value in values))
    rescaled = criterion(*(value.in_length_unit(unit) for value in values))
    return InvarianceTest(original, moved, rescaled / unit**length_power)
