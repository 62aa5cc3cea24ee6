"""Joints of MJCF: motion, limits, and passive forces.

The format has a range with two different ends and a largest force for hinges and slides.  A range with one end has
the other one at `FAR`.  A largest velocity, a range whose ends are equal, a largest force of zero, and all limits of
balls and free joints are stored as <numeric name="limit/KIND/JOINT" data="NUMBERS"/> in the <custom> section, which
MuJoCo reads and does not use.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sixvec.formats.doctor import joints, units
from sixvec.formats.mjcf.compiler import BOOLEANS, Compiler, choice
from sixvec.formats.mjcf.pose import IDENTITY, position
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, attempt_each, examine
from sixvec.formats.unsupported import Unsupported, made
from sixvec.model import JointDynamics, Limits, SoftLimit
from sixvec.model.joints import Free, Joint, Prismatic, Revolute, Spherical
from sixvec.model.surface import SOLIMP, SOLREF
from sixvec.spatial import Pose, Vec3

KINDS = {kind: kind for kind in ("hinge", "slide", "ball", "free")}
TERMS = {"armature": "armature", "damping": "damping", "frictionloss": "friction", "stiffness": "stiffness"}
"""For each attribute of the file the name it has in the model."""

RESISTING = ("damping", "frictionloss")
"""The attributes that brake a joint, unless they are negative."""

UNKNOWN: Joint = Revolute()
"""In place of a joint with a problem that was noted."""

Z = (0.0, 0.0, 1.0)
"""The axis of a joint that gives none."""

FAR = 1e9
"""Radians or metres: this end of a range means no limit."""

MOST_FREEDOMS = 6
"""The joints that MuJoCo allows on one body."""

_LIMITED = {"auto": None} | BOOLEANS

UNREADABLE: tuple[float, ...] = ()
"""In place of the ends of a range that cannot be read."""


@dataclass(frozen=True)
class JointInBody:
    """A joint as the file gives it: its anchor in the body, and its motion.

    `zero` is the joint's frame at q = 0 relative to that of the body in the file, where q = ref.
    """

    node: Node
    name: str
    joint: Joint
    anchor: Vec3
    zero: Pose
    ref: float
    limits: Limits
    dynamics: JointDynamics
    ends: tuple[float, ...] | None = UNREADABLE
    """The range in the units of the file, for a check; None where the joint has none or is declared unlimited."""


def read_joint(node: Node, frame: Pose, compiler: Compiler, unsupported: Unsupported) -> JointInBody:
    """A <joint> or <freejoint>; `frame` is the pose in the body of the <frame> around it."""
    name = node.attributes.get("name", "")
    kind = "free" if node.tag == "freejoint" else choice(node, "type", KINDS, "hinge")
    if kind == "free":
        dynamics = JointDynamics() if node.tag == "freejoint" else _dynamics(node, Free(), compiler, unsupported)
        if choice(node, "align", _LIMITED, False):
            unsupported.add("align (free bodies keep the frame of the file)", node)
        if dynamics.stiffness:
            unsupported.add("stiffness of a free joint", node)
            dynamics = replace(dynamics, stiffness=())
        return JointInBody(node, name, Free(), Vec3.zero(), IDENTITY, 0.0, Limits(), dynamics, None)
    attempt(None, _note_empty_ranges, node, unsupported)
    attempt(None, _note_uneven_forces, node, unsupported)
    anchor = attempt_each(Vec3.zero(), position, node)
    anchor = anchor if frame is IDENTITY else frame * anchor
    zero, ref = IDENTITY, 0.0
    joint: Joint = Spherical()
    if kind != "ball":
        axis = frame.rot @ Vec3.of(attempt(Z, node.numbers, "axis", 3, Z))
        joint = attempt(UNKNOWN, made, node, Revolute if kind == "hinge" else Prismatic, axis)
        ref = attempt_each(0.0, _coordinate, node, "ref", kind, compiler)
        if ref:
            zero = joint.pose([-ref])
    if kind == "ball" and attempt(False, _is_limited, node, compiler):
        unsupported.add("range of a ball joint", node)
        limits = Limits()
    else:
        limits = attempt(Limits(), _limits, node, kind, compiler)
    ends = None if kind == "ball" else attempt_each(UNREADABLE, _examined_range, node, kind, compiler)
    dynamics = attempt_each(JointDynamics(), _dynamics, node, joint, compiler, unsupported)
    return JointInBody(node, name, joint, anchor, zero, ref, limits, dynamics, ends)


def unreadable_joint(node: Node) -> JointInBody:
    """A joint with a problem that was noted: other elements may refer to it."""
    return JointInBody(node, node.get("name"), UNKNOWN, Vec3.zero(), IDENTITY, 0.0, Limits(), JointDynamics())


def require_possible_joints(joints: Sequence[JointInBody], parent: str | None) -> None:
    """The rules of MuJoCo for the joints of a body: a free one is alone and its body in the world; several in sequence
    do not turn after a ball and have at most six freedoms.
    """
    free = [j for j in joints if j.joint.is_free]
    if free and (len(joints) > 1 or parent):
        wrong = free[0] if parent else next((j for j in joints if j not in free), free[-1])
        raise wrong.node.error(
            "a free joint must be the only joint of its body, and the body must be directly in the world"
        )
    freedoms, ball = 0, False
    for j in joints:
        freedoms += j.joint.nv
        if freedoms > MOST_FREEDOMS:
            raise j.node.error(f"is one too many: the joints of a body may have {MOST_FREEDOMS} degrees of freedom")
        if ball and not j.joint.is_translation:
            raise j.node.error("turns behind a ball joint of the same body, which turns every way", "take one out")
        ball = ball or j.joint.is_ball


def _coordinate(node: Node, attribute: str, kind: str, compiler: Compiler) -> float:
    """A position of the joint, zero if not given; only those of hinges are in the file's unit of angles."""
    value = node.number(attribute, 0.0)
    return compiler.angle(value) if kind == "hinge" else value


def _is_limited(node: Node, compiler: Compiler) -> bool:
    limited: bool | None = choice(node, "limited", _LIMITED, None)
    if limited is None and node.has("range"):
        if not compiler.autolimits:
            raise node.error("has a range, but autolimits is off", 'say limited="true" or limited="false"')
        return _is_range(node, "range")
    return bool(limited)


def _is_range(node: Node, key: str) -> bool:
    """Whether a range that is not marked as a limit is one: its lower end must come first, and the ends differ."""
    lower, upper = node.numbers(key, 2)
    return lower < upper


def _examined_range(node: Node, kind: str, compiler: Compiler) -> tuple[float, ...] | None:
    """The ends of a range that may be a limit, which a check examines."""
    limited = attempt_each(None, choice, node, "limited", _LIMITED, None)
    if limited is False or not node.has("range"):
        return None
    lower, upper = ends = node.numbers("range", 2)
    if limited is None and lower == upper:
        return None
    examine(joints.range_is_not_empty, node, lower, upper)
    if kind == "slide":
        examine(units.slide_is_metres, node, ends, "MJCF")
    elif not compiler.degrees:
        examine(units.turn_is_radians, node, ends)
    return ends


def _note_empty_ranges(node: Node, unsupported: Unsupported) -> None:
    for key, limited in (("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited")):
        ends = node.numbers(key, 2, (0.0, 0.0))
        if ends[0] > ends[1] and choice(node, limited, _LIMITED, None) is None:
            what = f"{key} {ends[0]:g} to {ends[1]:g} of a joint, without limits as in MuJoCo"
            unsupported.add(
                what, node, node.error(f"{key}: {ends[0]:g} is above {ends[1]:g}: no limit", "give the lower end first")
            )


def _note_uneven_forces(node: Node, unsupported: Unsupported) -> None:
    """A model has one limit of the force at a joint, for both directions."""
    lower, upper = node.numbers("actuatorfrcrange", 2, (0.0, 0.0))
    if lower < upper and lower != -upper and choice(node, "actuatorfrclimited", _LIMITED, None) is not False:
        unsupported.add(f"actuatorfrcrange {lower:g} to {upper:g} of a joint, the larger one for both directions", node)


def _limits(node: Node, kind: str, compiler: Compiler) -> Limits:
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    if _is_limited(node, compiler):
        ends = _ends(node, "range")
        ends = tuple(compiler.angle(x) for x in ends) if kind == "hinge" else ends
        ends = tuple(math.copysign(math.inf, x) if abs(x) == FAR else x for x in ends)
        lower, upper = ends[:1], ends[1:]
    if node.has("actuatorfrcrange"):
        limited = choice(node, "actuatorfrclimited", _LIMITED, None)
        if limited or (limited is None and _is_range(node, "actuatorfrcrange")):
            effort = (max(map(abs, _ends(node, "actuatorfrcrange"))),)
    return Limits(lower, upper, (), effort, _soft(node) if lower else None)


def _soft(node: Node) -> SoftLimit | None:
    """How soft the limit is, where the file says so."""
    if not any(node.has(key) for key in ("margin", "solreflimit", "solimplimit")):
        return None
    ref, imp = node.numbers("solreflimit", 2, (), least=1), node.numbers("solimplimit", 5, (), least=1)
    return SoftLimit(
        node.number("margin", 0.0),
        (*ref, *SOLREF[len(ref) :]),
        (*imp, *SOLIMP[len(imp) :]),
    )


def _ends(node: Node, key: str) -> tuple[float, ...]:
    """The ends of a range that is a limit."""
    lower, upper = node.numbers(key, 2)
    if lower >= upper:
        raise node.error(f"the {key} {lower} to {upper} is empty", "give the lower end first")
    return lower, upper


def _dynamics(node: Node, joint: Joint, compiler: Compiler, unsupported: Unsupported) -> JointDynamics:
    if node.has("springdamper") and any(attempt_each((), node.numbers, "springdamper", 2)):
        unsupported.add("springdamper of a joint", node)
    values = {term: (first,) * joint.nv for key, term in TERMS.items() if (first := _first(node, key, unsupported))}
    if "stiffness" in values and node.has("springref") and joint.nq == 1:
        kind = "hinge" if joint.angular[0] else "slide"
        values["rest"] = (_coordinate(node, "springref", kind, compiler),)
    return JointDynamics(**values)


def _first(node: Node, attribute: str, unsupported: Unsupported) -> float:
    """The linear term of a force law; newer files may add terms of higher order."""
    first, *higher = attempt_each((0.0,), node.numbers, attribute, None, (0.0,))
    if attribute in RESISTING:
        examine(joints.friction_brakes, node, attribute, first)
    if any(higher):
        unsupported.add(f"{attribute} of higher order", node)
    return first


SWITCHES = {"stiffness": "spring", "damping": "damper", "friction": "frictionloss"}
"""For each term of the model the flag that switches it off."""


def without_disabled(dynamics: JointDynamics, disabled: Collection[str]) -> JointDynamics:
    """The dynamics of a joint without the terms that the file switches off."""
    off: dict[str, Any] = {term: () for term, flag in SWITCHES.items() if flag in disabled}
    return replace(dynamics, **off) if off else dynamics


def anchored(X: Pose, joint: JointInBody) -> Pose:
    """The joint's frame, where X is the body's frame in the file."""
    if joint.anchor != Vec3.zero():
        X = X @ Pose.translation(joint.anchor)
    return X if joint.zero is IDENTITY else X @ joint.zero


def behind(joint: JointInBody) -> Pose:
    """The body's frame in the file, relative to the frame that the joint moves."""
    return Pose.translation(-joint.anchor) if joint.anchor != Vec3.zero() else IDENTITY


POSITIONS = ("lower", "upper")
BOUNDS = (*POSITIONS, "velocity", "effort")
PREFIX = "limit/"


def custom_name(kind: str, joint: str) -> str:
    """The name of the number for one limit of a joint."""
    return f"{PREFIX}{kind}/{joint}"


def read_limits(root: Node, joints: Mapping[str, tuple[Joint, Limits]]) -> dict[str, Limits]:
    """The limits of each joint, including those of the <custom> sections."""
    limits_of = {name: limits for name, (_, limits) in joints.items()}
    for _, node in sections(root, "custom"):
        name = node.attributes.get("name", "")
        if node.tag != "numeric" or not name.startswith(PREFIX):
            continue
        attempt(None, _add_limit, node, limits_of, joints)
    return {joint: _paired(both) for joint, both in limits_of.items()}


def _add_limit(node: Node, limits_of: dict[str, Limits], joints: Mapping[str, tuple[Joint, Limits]]) -> None:
    kind, _, joint = node.get("name").removeprefix(PREFIX).partition("/")
    if kind not in BOUNDS:
        raise node.unknown("limit", kind, BOUNDS)
    if joint not in limits_of:
        raise node.unknown("joint", joint, limits_of)
    count = joints[joint][0].nq if kind in POSITIONS else joints[joint][0].nv
    changed: dict[str, Any] = {kind: node.numbers("data", count)}
    limits_of[joint] = replace(limits_of[joint], **changed)


def _paired(limits: Limits) -> Limits:
    """Both bounds of a position, if at least one is given."""
    none = (math.inf,) * max(len(limits.lower), len(limits.upper))
    return replace(limits, lower=limits.lower or tuple(-x for x in none), upper=limits.upper or none)
