"""Relations of assembly modes: mirror partners, and the convex mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.parallel.design import dimension
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Spatial

HALF_TURN = np.pi * (1.0 + 1e-9)
"""A wider gap between directions makes a point a corner of the others' hull."""


@any_arrays_same_dtype
def mirrored(mechanism: ParallelRobot, X: ArrayLike) -> Array:
    """The pose with the same lengths on the other side of the base: the pose between reflections in both planes.

    It exists if base and platform are planar and all legs telescopic; modes of such platforms come in pairs.
    A crank or slider would have to leave its position.

    >>> import numpy as np
    >>> from sixvec.parallel import StewartGough, mirrored
    >>> base = [[1, 0, 0], [-0.5, 0.9, 0], [-0.5, -0.9, 0], [0.9, 0.4, 0], [-0.8, 0.5, 0], [-0.1, -0.9, 0]]
    >>> X = np.eye(4); X[2, 3] = 1.0
    >>> mirrored(StewartGough(base, np.array(base)[[1, 2, 0, 4, 5, 3]] * 0.5), X)[2, 3].item()
    -1.0
    """
    X, here = _spatial(mechanism, X, "mirrored")
    base, platform = (_reflection(*side) for side in _sides(here))
    return mechanism.normal.user_pose(base @ X @ platform)


@any_arrays_same_dtype
def is_convex(mechanism: ParallelRobot, X: ArrayLike) -> Array:
    """Whether base, platform and legs bound a convex body, at poses X (..., 4, 4): both planes are faces of the hull of
    all pivots, and every leg is an edge.

    Legs are telescopic: rods on cranks or sliders do not end at the base.  For convex bases and platforms, one mode
    and its mirror partner are convex: a convex polyhedron is rigid and determined by its faces (Cauchy).  A leg is an
    edge if, in projection along it, all other pivots are within half a turn.

    >>> import numpy as np
    >>> from sixvec.parallel import StewartGough, is_convex
    >>> base = [[1, 0, 0], [0.9, 0.4, 0], [-0.5, 0.9, 0], [-0.8, 0.5, 0], [-0.5, -0.9, 0], [-0.1, -0.9, 0]]
    >>> X = np.eye(4)
    >>> X[2, 3] = 1.0
    >>> bool(is_convex(StewartGough(base, 0.5 * np.roll(base, -1, axis=0)), X))
    False
    """
    X, mechanism = _spatial(mechanism, X, "is_convex")
    S = np.einsum("...ij,nj->...ni", X[..., :3, :3], mechanism.platform) + X[..., None, :3, 3]
    base = np.broadcast_to(mechanism.roots, S.shape)
    points = np.concatenate([base, S], axis=-2)
    below, above = (_normal(*side) for side in _sides(mechanism))
    result = _one_side(S - mechanism.roots.mean(axis=0), below)
    result &= _one_side(base - S.mean(axis=-2, keepdims=True), np.einsum("...ij,j->...i", X[..., :3, :3], above))
    for k in range(mechanism.n):
        e = S[..., k, :] - base[..., k, :]
        e = e / np.linalg.norm(e, axis=-1, keepdims=True)
        side = np.cross(e, np.eye(3)[np.abs(e).argmin(axis=-1)])
        side = side / np.linalg.norm(side, axis=-1, keepdims=True)
        off = points - base[..., k, None, :]
        x = (off * side[..., None, :]).sum(axis=-1)
        y = (off * np.cross(e, side)[..., None, :]).sum(axis=-1)
        on = np.hypot(x, y) < 1e-9 * (1.0 + np.abs(points).max()) + mechanism.rounding
        angle = np.sort(np.where(on, np.inf, np.arctan2(y, x)), axis=-1)
        last = np.take_along_axis(angle, (~on).sum(axis=-1)[..., None] - 1, axis=-1)
        with np.errstate(invalid="ignore"):
            gaps = np.diff(angle, axis=-1)
        widest = np.nan_to_num(gaps, nan=0.0, posinf=0.0).max(axis=-1)
        around = angle[..., 0] + 2.0 * np.pi - last[..., 0]
        result &= np.maximum(widest, around) > HALF_TURN
    return result


def _spatial(mechanism: ParallelRobot, X: Any, what: str) -> tuple[Array, ParallelRobot]:
    """Poses and the robot in its normal form, if it has telescopic legs in space."""
    if not isinstance(mechanism.space, Spatial):
        raise ArgumentError(f"{what} is for platforms in space")
    for k, leg in enumerate(mechanism.legs):
        if leg.kind != "UPS":
            raise ArgumentError(f"{what} is for telescopic legs (UPS); leg {k} is {leg.kind}, whose rod moves its end")
    form = mechanism.normal
    return form.pose(mechanism.space.checked(X, f"{what}: X")), form.robot


def _sides(mechanism: ParallelRobot) -> tuple[tuple[Array, str, float], ...]:
    """The pivots of base and platform, with their names and the error of their coordinates."""
    return (mechanism.roots, "base", mechanism.rounding), (mechanism.platform, "platform", mechanism.rounding)


def _normal(points: Array, side: str, rounding: float = 0.0) -> Array:
    if dimension(points, rounding) != 2:
        raise ArgumentError(f"the {side} pivots do not lie in one plane, which mirror partners and convex modes need")
    return np.asarray(np.linalg.svd(points - points.mean(axis=0))[2][-1])


def _one_side(points: Array, normal: Array) -> Array:
    """Whether all points (..., n, 3) are on the same side of a plane through the origin."""
    height = (points * normal[..., None, :]).sum(axis=-1)
    return np.asarray((height > 0.0).all(axis=-1) | (height < 0.0).all(axis=-1))


def _reflection(points: Array, side: str, rounding: float = 0.0) -> Array:
    n, middle = _normal(points, side, rounding), points.mean(axis=0)
    H = np.eye(4)
    H[:3, :3] -= 2.0 * np.outer(n, n)
    H[:3, 3] = 2.0 * (n @ middle) * n
    return H
