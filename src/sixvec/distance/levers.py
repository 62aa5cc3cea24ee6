"""How far any point of the core of a shape moves per unit of joint motion: bounds that hold in every posture.

A point at the distance r from the origin of a body is, after the joint of the body, at most r plus the
length of the joint's placement and of its travel away from the origin of the parent.  So each joint below adds
constants, and lengths that depend on the motion only for joints that slide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sixvec.arguments import Array
from sixvec.distance.shapes import CollisionShape, vector
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.model import Body, Model
from sixvec.model.coupling import coupling
from sixvec.spatial import Vec3
from sixvec.tolerances import ROUNDING

LEAST_WAY = 1e-100
"""In m: shorter ways are zero, and all gaps outlast them."""


@dataclass(frozen=True, eq=False)
class Levers:
    """For shapes and the joint velocities of the tree, mimic joints included.

    `fixed` (shapes, nv) are bounds without travel; `turning` (nv,) the sizes of the angular parts of the joint axes;
    `below` (bodies that slide, shapes, nv) is 1 where the body is between a joint and a shape.
    """

    model: Model
    fixed: Array
    turning: Array
    sliding: tuple[Body, ...]
    below: Array
    frames: tuple[str, ...]
    """The frames of the shapes."""

    def speeds(self, dq: Array, travel: Array) -> Array:
        """Bounds (n, shapes, nv) of the way of each shape due to each joint, of motions `dq` (n, nv) of the tree, with
        the travel (n, sliding)."""
        arms = self.fixed[None] + np.einsum("nb,bsk->nsk", travel, self.below) * self.turning
        result: Array = arms * np.abs(dq)[:, None, :]
        return result


@dataclass(frozen=True, eq=False)
class Ways:
    """Bounds of motions: the sizes of their joint velocities in the tree (n, nv), and the travel (n, sliding)."""

    levers: Levers
    sizes: Array
    travel: Array

    @lazy
    def speeds(self) -> Array:
        """The way of each shape due to each joint (n, shapes, nv)."""
        return self.levers.speeds(self.sizes, self.travel)


def lasting(gap: Array, way: Array) -> Array:
    """How much of a motion gaps last that shrink by at most `way`; negative for gaps of zero or less."""
    certain = gap - ROUNDING
    return np.where(certain > 0.0, certain / np.maximum(way, LEAST_WAY), -1.0)


def levers(tree: Model, shapes: Sequence[CollisionShape]) -> Levers:
    """The bounds for shapes on frames of a canonical model."""
    model = coupling(tree).free
    fixed = np.zeros((len(shapes), model.nv))
    sliding = tuple(b for b in model.moving if any(_norm(S.lin) > 0.0 for S in b.joint.subspace(b.joint.neutral())))
    below = np.zeros((len(sliding), len(shapes), model.nv))
    turning = np.zeros(model.nv)
    for b in model.moving:
        turning[model.v_slices[b.name]] = [_norm(S.ang) for S in b.joint.subspace(b.joint.neutral())]
    for i, shape in enumerate(shapes):
        F = model.frame(shape.frame)
        middle, radius = shape.bounding_ball()
        if math.isinf(radius) and F.body is not None:
            raise ArgumentError(
                f"is_clear_between: the half space {shape.name} is on {F.body}, which joints move, so there is no "
                "bound of how far its points move; represent it by a box"
            )
        radius -= shape.radius  # gaps are those of cores, less a constant
        c = (F.placement @ shape.placement) * vector(middle)
        reach, passed = _norm(c) + radius, [False] * len(sliding)
        for b in reversed(model.path(F.body)):
            at = model.v_slices[b.name]
            axes = b.joint.subspace(b.joint.neutral())
            if b.name == F.body:
                fixed[i, at] = [_norm(S.at(c)) + _norm(S.ang) * radius for S in axes]
            else:
                fixed[i, at] = [_norm(S.lin) + _norm(S.ang) * reach for S in axes]
            below[:, i, at] = np.array(passed, float).reshape(-1, 1)
            reach += _norm(b.placement.pos)
            passed = [p or b is s for p, s in zip(passed, sliding, strict=True)]
    return Levers(model, fixed * (1.0 + 1e-12), turning, sliding, below, tuple(s.frame for s in shapes))


def tree_motion(tree: Model, dq: Array) -> Array:
    """Velocities of all joints of the tree (n, nv), those that mimic others included."""
    lines = coupling(tree).v
    return np.stack([k * dq[:, i] for i, k, _ in lines], axis=1) if lines else np.zeros((len(dq), 0))


def travel_of(arms: Levers, tree: Model, q0: Array, q1: Array, dq: Array) -> Array:
    """How far joints that slide are from their zero at most, on the way from q0 to q1 (n, sliding)."""
    lines = coupling(tree).q
    ends = [np.stack([k * q[:, i] + o for i, k, o in lines], axis=1) for q in (q0, q1)] if lines else [q0, q1]
    result = np.zeros((len(q0), len(arms.sliding)))
    for column, b in enumerate(arms.sliding):
        at, way = arms.model.q_slices[b.name], arms.model.v_slices[b.name]
        lengths = [_norm(S.lin) for S in b.joint.subspace(b.joint.neutral())]
        if b.joint.nq == b.joint.nv == 1:
            result[:, column] = np.maximum(*(np.abs(q[:, at.start]) for q in ends)) * lengths[0]
        else:  # a free joint: its position, and the way of its origin
            result[:, column] = np.linalg.norm(ends[0][:, at][:, :3], axis=1) + np.abs(dq[:, way]) @ np.array(lengths)
    return result


def _norm(v: Vec3) -> float:
    return float(np.linalg.norm([*map(float, v)]))
