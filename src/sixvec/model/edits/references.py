"""What refers to joints, frames and shapes besides bodies and closures: tendons, actuators, keyframes, contact
rules.  An edit that renames or removes something passes them through the functions of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from sixvec.model.actuator import renamed_actuator, targets
from sixvec.model.model import Model
from sixvec.model.tendon import FixedTendon, Tendon, renamed_tendon

Names = Callable[[str], str]


def same(name: str) -> str:
    """The name itself."""
    return name


def renamed_references(
    model: Model, *, joint: Names = same, frame: Names = same, geom: Names = same, other: Names = same
) -> dict[str, Any]:
    """The fields of a model after its joints, frames and shapes got other names; `other` names tendons, actuators and
    keyframes themselves.
    """
    return {
        "tendons": tuple(renamed_tendon(t, other, joint, frame) for t in model.tendons),
        "actuators": tuple(renamed_actuator(a, other, joint, other, frame) for a in model.actuators),
        "keyframes": tuple(replace(k.renamed(joint, other), name=other(k.name)) for k in model.keyframes),
        "contact": model.contact.renamed(frame, geom),
    }


def remaining_references(
    model: Model, joints: Collection[str], frames: Collection[str], locked: Mapping[str, float] = {}
) -> dict[str, Any]:
    """The fields of a model of which only these joints and frames remain.

    An actuator, a tendon or a keyframe that needs anything else goes; the position of a `locked` joint becomes part of
    the length of a fixed tendon.
    """
    tendons = tuple(t for tendon in model.tendons if (t := _remaining(tendon, joints, frames, locked)) is not None)
    known: dict[str, Collection[str]] = {"joint": joints, "frame": frames, "tendon": {t.name for t in tendons}}
    actuators = tuple(a for a in model.actuators if all(name in known[kind] for kind, name in targets(a)))
    names = {a.name for a in actuators}
    geoms = {g.name for g in model.geoms if g.frame in frames}
    return {
        "tendons": tendons,
        "actuators": actuators,
        "keyframes": tuple(k.within(joints, names) for k in model.keyframes),
        "contact": model.contact.within(frames, geoms),
    }


def _remaining(
    t: Tendon, joints: Collection[str], frames: Collection[str], locked: Mapping[str, float]
) -> Tendon | None:
    if not all(name in frames for name in t.frames):
        return None
    if not isinstance(t, FixedTendon):
        return t
    if not all(joint in joints or joint in locked for joint in t.joints):
        return None
    offset = t.offset + sum(factor * locked[joint] for joint, factor in t.terms if joint in locked)
    terms = tuple((joint, factor) for joint, factor in t.terms if joint not in locked)
    return replace(t, terms=terms, offset=offset) if terms else None
