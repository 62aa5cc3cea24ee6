"""The path of a tendon as straight parts and arcs.  There are no kernels here.

A straight part under unit tension pulls the bodies at its ends towards each other along its line: the line's wrench
(p × u; u), of which a joint between the two bodies feels its own component.  Arcs only press on their shape.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.wrapping import wrapped
from sixvec.model import WORLD, Model, Pulley, SpatialTendon, ViaPoint, Wrap
from sixvec.scalar import Scalar, is_zero, where
from sixvec.spatial import Force, Pose, Vec3
from sixvec.spatial.norm import length, nonzero


@dataclass(frozen=True, slots=True)
class Straight:
    """A straight part from a point of one body to one of another, with the wrench of its line."""

    first: str | None
    last: str | None
    line: Force


@dataclass(frozen=True, slots=True)
class Path:
    """A tendon in the coordinates of a body: its length, and its straight parts with the shares that pulleys leave."""

    length: Scalar
    parts: tuple[tuple[Straight, float], ...]
    poses: Mapping[str | None, Pose]
    """Of the bodies that move it, seen from the body nearest to them that carries all of its path."""

    def columns(self, model: Model, q: JointVector) -> dict[int, Scalar]:
        """∂length/∂q of the coordinates that the tendon spans: each joint's share of the lines that cross it."""
        coefficients: dict[int, Scalar] = {}
        for b in model.bodies:
            if b.name not in self.poses or not b.joint.nv:
                continue  # the carrier is in its own coordinates; its joint spans nothing
            axes = [self.poses[b.name] @ S for S in b.subspace(q)]
            for straight, share in self.parts:
                crossing = _moves(model, b.name, straight.last) - _moves(model, b.name, straight.first)
                if not crossing:
                    continue
                for i, S in zip(range(model.nv)[model.v_slices[b.name]], axes, strict=True):
                    coefficients[i] = coefficients.get(i, 0.0) + S.dot(straight.line) * (crossing * share)
        return {i: x for i, x in coefficients.items() if not is_zero(x)}


def tendon_path(model: Model, q: JointVector, t: SpatialTendon) -> Path:
    """The path of a tendon at the position q."""
    poses = _poses(model, q, {model.frame(name).body for name in t.frames})
    total: Scalar = 0.0
    parts: list[tuple[Straight, float]] = []
    share = 1.0
    for is_pulley, elements in groupby(t.path, lambda x: isinstance(x, Pulley)):
        branch = list(elements)
        if is_pulley:
            share = 1.0 / branch[-1].divisor  # type: ignore[union-attr]
            continue
        for piece, straight in _pieces(model, poses, branch):
            total = total + share * piece
            parts += [(s, share) for s in straight if s.first != s.last]
    return Path(total, tuple(parts), poses)


def _pieces(
    model: Model, poses: Mapping[str | None, Pose], branch: Sequence[ViaPoint | Wrap | Pulley]
) -> Iterator[tuple[Scalar, tuple[Straight, ...]]]:
    """The length and the straight parts between each two points of a branch."""
    shape: Wrap | None = None
    before: ViaPoint | None = None
    for element in branch:
        if isinstance(element, Wrap):
            shape = element
        elif isinstance(element, ViaPoint):
            if before is not None:
                yield _piece(model, poses, before, shape, element)
            before, shape = element, None


def _piece(
    model: Model, poses: Mapping[str | None, Pose], start: ViaPoint, shape: Wrap | None, end: ViaPoint
) -> tuple[Scalar, tuple[Straight, ...]]:
    a, b = model.frame(start.frame), model.frame(end.frame)
    if shape is None and a.body == b.body:
        return length(a.placement.pos - b.placement.pos), ()
    p0, p1 = poses[a.body] * a.placement.pos, poses[b.body] * b.placement.pos
    free, u = _straight(p0, p1)
    if shape is None:
        return free, (Straight(a.body, b.body, _line(p0, u)),)
    carrier = model.frame(shape.frame)
    X = poses[carrier.body] @ carrier.placement @ shape.placement
    side = None if shape.side is None else _side(model, poses, carrier.body, shape)
    touch = wrapped(X.inv() * p0, X.inv() * p1, shape.radius, shape.cylinder, side)
    w0, w1 = X * touch.first, X * touch.last
    (before, u0), (after, u1) = _straight(p0, w0), _straight(w1, p1)
    whole = where(touch.wraps, before + touch.arc + after, free)
    lines = (_line(p0, _either(touch.wraps, u0, u)), _line(p1, _either(touch.wraps, u1, u)))
    return whole, (Straight(a.body, carrier.body, lines[0]), Straight(carrier.body, b.body, lines[1]))


def _side(model: Model, poses: Mapping[str | None, Pose], carrier: str | None, shape: Wrap) -> Vec3:
    """The point on whose side the tendon passes, in the coordinates of the shape."""
    frame = model.frame(shape.side or "")
    local = model.frame(shape.frame).placement @ shape.placement
    if frame.body == carrier:
        return local.inv() * frame.placement.pos
    return local.inv() * (poses[carrier].inv() * (poses[frame.body] * frame.placement.pos))


def _straight(a: Vec3, b: Vec3) -> tuple[Scalar, Vec3]:
    """The length and direction from a to b; no direction where both are one point."""
    step = b - a
    distance = length(step)
    return distance, step * where(distance > 0.0, 1.0 / nonzero(distance), 0.0)


def _line(p: Vec3, u: Vec3) -> Force:
    """The wrench of unit tension along a line."""
    return Force.at_point(u, p)


def _either(condition: Scalar, yes: Vec3, no: Vec3) -> Vec3:
    return Vec3.of(where(condition, a, b) for a, b in zip(yes, no, strict=True))


def _moves(model: Model, joint: str, body: str | None) -> int:
    """1 if the joint of a body moves another, else 0."""
    return int(any(b.name == joint for b in model.path(body)))


def _poses(model: Model, q: JointVector, bodies: Collection[str | None]) -> dict[str | None, Pose]:
    """The poses of bodies and of those between them, in the nearest body that carries all."""
    paths = [model.path(name) for name in bodies]
    shared = 0
    while all(len(p) > shared and p[shared] is paths[0][shared] for p in paths) and paths:
        shared += 1
    carrier = paths[0][shared - 1].name if shared else WORLD
    X: dict[str | None, Pose] = {carrier: Pose.identity()}
    for path in paths:
        for b in path[shared:]:
            if b.name not in X:
                X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[b])
    return X
