"""From a joint of a model to <joint> elements of MJCF.

MuJoCo's joints are the hinge, the slide, the ball and the free joint; a body may have several in sequence, so
that universal, cylindrical and planar joints are written exactly.  It rejects moving bodies without mass, so that those
become further joints of the next body.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sixvec.errors import ModelError
from sixvec.formats.mjcf.joint import BOUNDS, FAR, MOST_FREEDOMS, custom_name
from sixvec.formats.number_text import number, numbers
from sixvec.model import Body, Closure, Frame, Model, SoftLimit
from sixvec.model.actuator import targets
from sixvec.model.joints import Cylindrical, Free, Joint, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Vec3

Attributes = dict[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """One of the joints of the file that make up a joint of the model."""

    suffix: str
    """The suffix of its name; empty if it is the whole joint."""
    kind: str
    axis: Vec3 | None = None


PARTS: dict[type[Joint], Callable[[Any], tuple[Part, ...]]] = {
    Revolute: lambda j: (Part("", "hinge", j.axis),),
    Prismatic: lambda j: (Part("", "slide", j.axis),),
    Spherical: lambda j: (Part("", "ball"),),
    Free: lambda j: (Part("", "free"),),
    Universal: lambda j: (Part("first", "hinge", j.first), Part("second", "hinge", j.second)),
    Cylindrical: lambda j: (Part("turn", "hinge", j.axis), Part("slide", "slide", j.axis)),
    Planar: lambda j: (
        Part("x", "slide", j.pose([1.0, 0.0, 0.0]).pos),
        Part("y", "slide", j.pose([0.0, 1.0, 0.0]).pos),
        Part("turn", "hinge", j.normal),
    ),
}
"""The joints that MJCF has, each as its parts in the order in which they move the body."""

TERMS = {"armature": "armature", "damping": "damping", "friction": "frictionloss", "stiffness": "stiffness"}
"""For each term of the model the attribute of the file."""

NARROWEST = 1e-9
"""Radians or metres, or a fraction of the position: the width of a range whose ends are equal, as that of a joint that
cannot move; MuJoCo has no limit where its ends do not differ."""

ISOTROPIC = ("armature", "damping")
"""The terms that are the same along all axes when their numbers are: ½ a |v|² and ½ d |v|² are isotropic."""


def part_names(b: Body) -> list[str]:
    """The names that the joint of a body has in a file, one per part."""
    parts = PARTS[type(b.joint)](b.joint) if type(b.joint) in PARTS else ()
    return [f"{b.joint_label}/{p.suffix}" if p.suffix else b.joint_label for p in parts]


def joint_elements(b: Body, element_in_joint: Pose, model: Model) -> Iterator[tuple[str, Attributes]]:
    """The <joint> elements (or <freejoint>) of a body whose element has that pose in the joint's frame."""
    where = f'{model.name}: joint "{b.joint_label}"'
    if type(b.joint) not in PARTS:
        raise ModelError(
            f"{where}: MJCF has no {type(b.joint).__name__.lower()} joint (it can say "
            f"{', '.join(k.__name__ for k in PARTS)}); lock it with sixvec.model.edits.lock, build it from others, "
            "or write SDF"
        )
    back = element_in_joint.inv()
    for i, (joint, name) in enumerate(zip(PARTS[type(b.joint)](b.joint), part_names(b), strict=True)):
        attributes = {"name": name} | _dynamics(b, joint, i, where)
        if joint.kind == "free":
            yield ("freejoint", attributes) if len(attributes) == 1 else ("joint", attributes | {"type": "free"})
            continue
        attributes["type"] = joint.kind
        if element_in_joint.pos != Vec3.zero():
            attributes["pos"] = numbers(back.pos)
        if joint.axis is not None:
            attributes["axis"] = numbers(back.rot @ joint.axis)
            attributes |= _limits(b, i) | _soft(b)
        yield "joint", attributes


def _limits(b: Body, i: int) -> Attributes:
    """The bounds of a coordinate that the format can express."""
    attributes: Attributes = {}
    lower, upper, _, effort = (_bound(b, kind, i) for kind in BOUNDS)
    if lower is not None and upper is not None:
        if lower <= upper:
            attributes["range"] = numbers((lower, max(upper, lower + NARROWEST * max(1.0, abs(lower)))))
    elif lower is not None or upper is not None:
        ends = -FAR if lower is None else lower, FAR if upper is None else upper
        if -FAR <= ends[0] < ends[1] <= FAR:
            attributes["range"] = numbers(ends)
    if effort is not None and effort > 0.0:
        attributes["actuatorfrcrange"] = numbers((-effort, effort))
    return attributes


def _soft(b: Body) -> Attributes:
    """How soft the limits are, where that is not the default."""
    soft, usual = b.limits.soft, SoftLimit()
    if soft is None:
        return {}
    attributes = {"margin": number(soft.margin)} if soft.margin else {}
    attributes |= {"solreflimit": numbers(soft.solref)} if soft.solref != usual.solref else {}
    return attributes | ({"solimplimit": numbers(soft.solimp)} if soft.solimp != usual.solimp else {})


def custom_limits(b: Body, model: Model) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The bounds of a body's joint that the format cannot express, by the names of their numbers."""
    names = part_names(b)
    for i, name in enumerate(names):
        if len(names) != b.joint.nv:
            yield from _limits_of_all_directions(b, model)
            continue
        limits = _limits(b, i)
        if _bound(b, "lower", i) == _bound(b, "upper", i):
            # The range is for MuJoCo, the numbers are exact.
            limits = {word: text for word, text in limits.items() if word != "range"}
        for kind in BOUNDS:
            word = {"lower": "range", "upper": "range", "effort": "actuatorfrcrange"}.get(kind, "")
            value = _bound(b, kind, i)
            if value is not None and word not in limits:
                yield custom_name(kind, name), (value,)


def _limits_of_all_directions(b: Body, model: Model) -> Iterator[tuple[str, tuple[float, ...]]]:
    for kind in BOUNDS:
        values: tuple[float, ...] = getattr(b.limits, kind)
        finite = [math.isfinite(x) for x in values]
        if any(finite) and not all(finite):
            raise ModelError(
                f'{model.name}: joint "{b.joint_label}" has {kind} limits {values} of which only some are finite; '
                "a file can say all or none"
            )
        if any(finite):
            yield custom_name(kind, b.joint_label), values


def _bound(b: Body, kind: str, i: int) -> float | None:
    values: tuple[float, ...] = getattr(b.limits, kind)
    return float(values[i]) if values and math.isfinite(values[i]) else None


def _dynamics(b: Body, joint: Part, i: int, where: str) -> Attributes:
    """Passive forces: a number per joint of the file, the same in all directions for a ball or a free joint."""
    attributes: Attributes = {}
    for term, attribute in TERMS.items():
        values: tuple[float, ...] = getattr(b.dynamics, term)
        if not any(values):
            continue
        if joint.axis is None and len(set(values)) > 1:
            raise ModelError(
                f"{where} has {term} {values}; MJCF can only say one number for all directions: make them the same"
            )
        if joint.kind == "free" and term not in ISOTROPIC:
            # MuJoCo's free joint moves along world axes, ours along the body's.
            raise ModelError(
                f"{where} has {term}, which in MJCF acts along the world's axes; take it off with dataclasses.replace"
            )
        if value := values[0 if joint.axis is None else i]:
            attributes[attribute] = number(value)
    neutral = b.dynamics.rest
    if "stiffness" in attributes and neutral and joint.axis is None and tuple(neutral) != b.joint.neutral():
        raise ModelError(
            f"{where} has a spring that rests at {neutral}; in MJCF that of a ball rests where it is neutral"
        )
    if "stiffness" in attributes and neutral and joint.axis is not None and neutral[i]:
        attributes["springref"] = number(neutral[i])
    return attributes


def chains(model: Model) -> list[tuple[Body, ...]]:
    """The bodies of each element, in the order of the model: one, after those that only connect two joints."""
    busy = {f.body for f in model.frames if f != Frame(f.name, f.name)}
    busy |= {model.frame(name).body for t in model.tendons for name in t.frames}
    busy |= {model.frame(name).body for a in model.actuators for kind, name in targets(a) if kind == "frame"}
    busy |= {model.frame(name).body for c in model.closures if isinstance(c, Closure) for name in (c.first, c.second)}
    inside: set[str] = set()
    chains_inward = []
    for b in reversed(model.bodies):
        if b.name in inside:
            continue
        chain = [b]
        while (parent := model.by_name.get(chain[0].parent or "")) and parent.name not in busy:
            if len(model.children(parent.name)) > 1 or not _is_further_joint(parent, chain):
                break
            chain.insert(0, parent)
            inside.add(parent.name)
        chains_inward.append(tuple(chain))
    return chains_inward[::-1]


def _is_further_joint(b: Body, chain: list[Body]) -> bool:
    """Whether a body only adds one joint before those of the chain, within what MuJoCo allows."""
    joints = [b.joint, *(c.joint for c in chain)]
    if b.inertia != RigidInertia.zero() or b.joint.nv == 0 or chain[0].joint.nv == 0:
        return False
    if sum(joint.nv for joint in joints) > MOST_FREEDOMS or any(joint.is_free for joint in joints):
        return False
    # MuJoCo allows no rotation after a ball; and a ball turns in the axes of the element, not in separate axes.
    straight = all(c.joint.is_translation and c.placement.rot == Pose.identity().rot for c in chain)
    return straight or not b.joint.is_ball
