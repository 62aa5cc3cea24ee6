"""Simple shapes for robots without meshes: cylinders along the links, balls at the joints."""

from __future__ import annotations

import math
from dataclasses import replace

from sixvec.model import Body, Frame, Geom, Material, Model
from sixvec.model.geom import z_towards
from sixvec.spatial import Pose, Vec3

THICKNESS = 0.03
"""The radius of links, as a fraction of the longest path from the ground to a tip: 8 cm for an arm of 1.3 m."""

JOINT = 1.3
"""The radius of the ball at a joint, in radii of links."""

LINKS, JOINTS = Material("links", (0.85, 0.85, 0.88, 1.0)), Material("joints", (0.15, 0.35, 0.6, 1.0))


def with_limbs(model: Model) -> Model:
    """The robot with visual shapes derived from the positions of its joints and frames; they are not for contacts.

    A body without mass, which only connects two joints, gets none.
    """
    radius = THICKNESS * _reach(model)
    ends: dict[str | None, list[Vec3]] = {b.name: [] for b in model.bodies}
    for b in model.bodies:
        ends.setdefault(b.parent, []).append(b.placement.pos)
    for f in model.frames:
        ends.setdefault(f.body, []).append(f.placement.pos)
    on = {f.body: f for f in reversed(model.frames)} | {f.body: f for f in model.frames if f.name == f.body}
    geoms = [g for b in model.bodies if b.name in on for g in _limb(b, on[b.name], ends[b.name], radius)]
    return replace(model, geoms=tuple(geoms))


def _limb(b: Body, f: Frame, ends: list[Vec3], radius: float) -> list[Geom]:
    """The shapes of a body, on one of its frames."""
    from sixvec.geometry.rigid_body.solids import Cylinder, Sphere

    if b.joint.nv and not b.inertia.mass:
        return []
    back = f.placement.inv().as_pose()
    geoms = [Geom(f.name, Sphere(JOINT * radius), back, material=JOINTS, collision=False)]
    for end in dict.fromkeys(ends):
        length = _length(end)
        if length > radius:
            X = Pose(z_towards(end * (1.0 / length)), end * 0.5)
            geoms.append(Geom(f.name, Cylinder(radius, length), back @ X, material=LINKS, collision=False))
    return geoms


def _reach(model: Model) -> float:
    """The longest path along links from the world to a body or frame, bounded away from zero."""
    way: dict[str | None, float] = {None: 0.0}
    for b in model.bodies:
        way[b.name] = way[b.parent] + _length(b.placement.pos)
    return max([*way.values(), *(way[f.body] + _length(f.placement.pos) for f in model.frames)]) or 1.0


def _length(v: Vec3) -> float:
    return math.sqrt(v.dot(v))
