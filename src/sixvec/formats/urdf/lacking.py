"""Properties of a joint that URDF cannot express."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

from sixvec.model import Body, Limits, Model

DROPPABLE = ("armature", "spring", "damping", "friction", "limits")
"""Properties that can be removed from a joint; damping, friction and limits only if it has several freedoms, because
URDF can express those of one."""


def lacking(b: Body) -> tuple[str, ...]:
    """Which of `DROPPABLE` the joint of a body has and URDF cannot express."""
    features = {"armature": b.dynamics.armature, "spring": b.dynamics.stiffness}
    if b.joint.nv > 1:
        features |= {"damping": b.dynamics.damping, "friction": b.dynamics.friction}
        effort = b.limits.effort if any(b.limits.effort) else ()  # passive, as such joints are in URDF
        bounds = (*b.limits.lower, *b.limits.upper, *b.limits.velocity, *effort)
        features["limits"] = tuple(float(math.isfinite(x)) for x in bounds)
    return tuple(what for what, values in features.items() if any(values))


def joints_lacking(model: Model) -> dict[str, list[str]]:
    """For each property of this robot that URDF cannot express, the joints that have it."""
    missing: dict[str, list[str]] = {}
    for b in model.bodies:
        for what in lacking(b):
            missing.setdefault(what, []).append(b.joint_label)
    return missing


def without(model: Model, dropped: Collection[str]) -> Model:
    """The model without those of `DROPPABLE` that URDF cannot express."""
    return replace(model, bodies=tuple(_bare(b, {*lacking(b)} & {*dropped}) for b in model.bodies))


def _bare(b: Body, dropped: Collection[str]) -> Body:
    gone = {what: () for what in ("armature", "damping", "friction") if what in dropped}
    dynamics = replace(b.dynamics, **gone)
    if "spring" in dropped:
        dynamics = replace(dynamics, stiffness=(), rest=())
    return replace(b, dynamics=dynamics, limits=Limits() if "limits" in dropped else b.limits)
