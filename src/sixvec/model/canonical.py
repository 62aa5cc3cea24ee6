"""The canonical form of a robot: the input of the compiler, at the least cost of computation.

Fixed joints are merged into their parents, joints of several freedoms become chains of simple ones, every axis is
+z of the joint frame, and rotations that are right angles up to rounding are exactly so.  Coordinates q and v keep
their order and meaning; frames keep their names.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from functools import lru_cache

from sixvec.model.actuation import has_motor
from sixvec.model.body import WORLD, Body, Frame, JointDynamics, Limits
from sixvec.model.contact_rules import ContactRules
from sixvec.model.joints import Joint
from sixvec.model.model import Model
from sixvec.model.passive import FrictionLaw
from sixvec.scalar import certainly, like
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3

SNAP = 1e-12
"""Entries of a placement this close to 0 are set to 0.  The bound is too small for files that write π/2 with eleven
digits: making those exact would save operations, but change results by 1e-10."""

LAST_BIT = 1e-15
"""Entries this close to 1 or -1 become exact: where a cosine is within `SNAP` of zero, its sine is one to the last
bit."""

_NOTHING = 1e-14
"""A second moment of mass below this fraction of the others is rounding of a difference."""


AXIS = " (axis "
"""Suffix of the body's name for all axes of its joint but the last; a number follows."""


def name_in_file(b: Body) -> str:
    """The name of the original body that a body of a canonical model belongs to."""
    return b.name.partition(AXIS)[0]


@lru_cache(maxsize=64)
def canonical(model: Model) -> Model:
    """The canonical form of a model; see the top of this file."""
    bodies: list[Body] = []
    inertia: dict[str | None, RigidInertia] = {WORLD: RigidInertia.zero()}
    pieces: dict[str, list[str]] = {}
    stands: dict[str | None, tuple[str | None, Pose]] = {WORLD: (WORLD, Pose.identity())}
    for b in model.bodies:
        carrier, X = stands[b.parent]
        X = X @ b.placement
        steps = b.joint.elementary()
        taken = 0
        last = max((i for i, (_, joint) in enumerate(steps) if joint.nv), default=-1)
        for i, (step, joint) in enumerate(steps):
            X = X @ step
            if joint.nv:
                name = b.name if i == last else f"{b.name}{AXIS}{i})"
                share = _share(b, joint, taken)
                called = b.joint_label
                limits = Limits() if has_motor(b) else Limits(effort=(0.0,) * joint.nv)  # actuation matters for loops
                bodies.append(
                    Body(name, carrier, joint, snapped(X), RigidInertia.zero(), called, limits, share, b.mimic)
                )
                taken += joint.nv
                pieces.setdefault(b.name, []).append(name)
                inertia[name] = RigidInertia.zero()
                carrier, X = name, Pose.identity()
        X = snapped(X)
        stands[b.name] = carrier, X
        inertia[carrier] = inertia[carrier] + X @ b.inertia
    frames = []
    for f in model.frames:
        carrier, X = stands[f.body]
        frames.append(Frame(f.name, carrier, snapped(X @ f.placement)))
    finished = tuple(replace(b, inertia=inertia[b.name]) for b in bodies)
    order = tuple(piece for name in model.order for piece in pieces.get(name, ()))
    passive = tuple(
        FrictionLaw(tuple(piece for name in p.bodies for piece in pieces[name]), p.resistance)
        if isinstance(p, FrictionLaw) else p
        for p in model.passive
    )  # fmt: skip
    return replace(
        model,
        bodies=finished,
        frames=tuple(frames),
        order=order,
        geoms=(),
        passive=passive,
        contact=ContactRules(),
        keyframes=(),
        actuators=(),
    )


def _share(b: Body, joint: Joint, start: int) -> JointDynamics:
    """The part of a joint's dynamics that belongs to its elementary joint `joint`, whose freedoms begin at `start`."""
    if joint.nq != joint.nv or b.joint.nq != b.joint.nv:
        return b.dynamics  # quaternions: never split
    parts = {f.name: getattr(b.dynamics, f.name)[start : start + joint.nv] for f in fields(b.dynamics)}
    return JointDynamics(**parts)


@lru_cache(maxsize=64)
def regrouped(model: Model) -> Model:
    """Move inertia that does not affect a joint to the parent: the base parameters of Gautier and Khalil (1990).

    Joint forces, mass matrix and accelerations are unchanged at every state, and many parameters become zero (for a
    revolute joint the mass, its moment along the axis and ∫ z² dm).  Energies, momenta and the forces *inside* the
    links do change, so only joint-space dynamics may use this.
    """
    inertia = {b.name: b.inertia for b in model.bodies}
    for b in reversed(model.bodies):
        movable = b.joint.transferable(inertia[b.name])
        inertia[b.name] = _cleaned(inertia[b.name] - movable)
        if b.parent is not WORLD:
            neutral = b.joint.pose(b.joint.neutral())
            inertia[b.parent] = inertia[b.parent] + b.placement @ (neutral @ movable)
    return replace(model, bodies=tuple(replace(b, inertia=inertia[b.name]) for b in model.bodies))


def _cleaned(inertia: RigidInertia) -> RigidInertia:
    """Make ∫ z² dm exactly zero where it is rounding error, so that its terms vanish from the program."""
    rot, second = inertia.rot, inertia.second_moment
    if not certainly(abs(second.zz) < _NOTHING * (abs(second.xx) + abs(second.yy))):
        return inertia
    return replace(inertia, rot=Sym3(rot.xx, rot.xy, rot.xz, rot.yy, rot.yz, rot.xx + rot.yy))


def snapped(X: Pose) -> Pose:
    """The pose with entries that are 0, 1 or -1 up to rounding made exact."""
    return Pose(Rotation(Mat3(*map(_snap_unit, X.rot.matrix))), Vec3.of(map(_snap_zero, X.pos)))


def _snap_unit(x: float) -> float:
    return math.copysign(1.0, x) if certainly(abs(abs(x) - 1.0) < LAST_BIT) else _snap_zero(x)


def _snap_zero(x: float) -> float:
    return 0.0 if certainly(abs(x) < like(x, SNAP)) else x  # symbols are unchanged
