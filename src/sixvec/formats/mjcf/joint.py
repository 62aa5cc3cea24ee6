"""Joints of MJCF: motion, limits, and passive forces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sixvec.errors import ModelError
from sixvec.formats.mjcf.compiler import BOOLEANS, Compiler, choice
from sixvec.formats.mjcf.pose import IDENTITY, position
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported
from sixvec.model import JointDynamics, Limits
from sixvec.model.joints import Free, Joint, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose, Vec3

KINDS = {kind: kind for kind in ("hinge", "slide", "ball", "free")}
TERMS = {"armature": "armature", "damping": "damping", "frictionloss": "friction", "stiffness": "stiffness"}
"""For each attribute of the file the name it has in the model."""

MOST_FREEDOMS = 6
"""The joints that MuJoCo allows on one body."""

_LIMITED = {"auto": None} | BOOLEANS


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
        return JointInBody(node, name, Free(), Vec3.zero(), IDENTITY, 0.0, Limits(), dynamics)
    anchor = position(node) if frame is IDENTITY else frame * position(node)
    zero, ref = IDENTITY, 0.0
    joint: Joint = Spherical()
    if kind != "ball":
        joint = _along_axis(node, kind, frame)
        ref = _coordinate(node, "ref", kind, compiler)
        if ref:
            zero = joint.pose([-ref])
    if kind == "ball" and _is_limited(node, compiler):
        unsupported.add("range of a ball joint", node)
        limits = Limits()
    else:
        limits = _limits(node, kind, compiler)
    return JointInBody(node, name, joint, anchor, zero, ref, limits, _dynamics(node, joint, compiler, unsupported))


def refuse_what_no_body_has(joints: Iterable[JointInBody]) -> None:
    """The rules of MuJoCo for several joints in sequence: no rotation after a ball, and at most six freedoms."""
    freedoms, ball = 0, False
    for j in joints:
        freedoms += j.joint.nv
        if freedoms > MOST_FREEDOMS:
            raise j.node.error(f"is one too many: the joints of a body may have {MOST_FREEDOMS} degrees of freedom")
        if ball and not isinstance(j.joint, Prismatic):
            raise j.node.error("turns behind a ball joint of the same body, which turns every way", "take one out")
        ball = ball or isinstance(j.joint, Spherical)


def _along_axis(node: Node, kind: str, frame: Pose) -> Joint:
    axis = frame.rot @ (Vec3.of(node.numbers("axis", 3)) if node.has("axis") else Vec3(0.0, 0.0, 1.0))
    try:
        return Revolute(axis) if kind == "hinge" else Prismatic(axis)
    except ModelError as problem:
        raise node.error(str(problem)) from None


def _coordinate(node: Node, attribute: str, kind: str, compiler: Compiler) -> float:
    """A position of the joint, zero if not given; only those of hinges are in the file's unit of angles."""
    value = node.number(attribute) if node.has(attribute) else 0.0
    return compiler.angle(value) if kind == "hinge" else value


def _is_limited(node: Node, compiler: Compiler) -> bool:
    limited: bool | None = choice(node, "limited", _LIMITED, None)
    if limited is None and node.has("range"):
        if not compiler.autolimits:
            raise node.error("has a range, but autolimits is off", 'say limited="true" or limited="false"')
        lower, upper = node.numbers("range", 2)
        return lower != upper
    return bool(limited)


def _limits(node: Node, kind: str, compiler: Compiler) -> Limits:
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    if _is_limited(node, compiler):
        ends = node.numbers("range", 2)
        if ends[0] >= ends[1]:
            raise node.error(f"the range {ends[0]} to {ends[1]} is empty", "give the lower end first")
        ends = tuple(compiler.angle(x) for x in ends) if kind == "hinge" else ends
        lower, upper = ends[:1], ends[1:]
    if node.has("actuatorfrcrange") and choice(node, "actuatorfrclimited", _LIMITED, None) is not False:
        effort = (max(map(abs, node.numbers("actuatorfrcrange", 2))),)
    return Limits(lower, upper, (), effort)


def _dynamics(node: Node, joint: Joint, compiler: Compiler, unsupported: Unsupported) -> JointDynamics:
    if node.has("springdamper") and any(node.numbers("springdamper", 2)):
        unsupported.add("springdamper of a joint", node)
    values = {term: (first,) * joint.nv for key, term in TERMS.items() if (first := _first(node, key, unsupported))}
    if "stiffness" in values and node.has("springref") and joint.nq == 1:
        kind = "hinge" if joint.angular[0] else "slide"
        values["rest"] = (_coordinate(node, "springref", kind, compiler),)
    return JointDynamics(**values)


def _first(node: Node, attribute: str, unsupported: Unsupported) -> float:
    """The linear term of a force law; newer files may add terms of higher order."""
    if not node.has(attribute):
        return 0.0
    count = len(node.text(attribute).split())
    first, *higher = node.numbers(attribute, max(count, 1))
    if any(higher):
        unsupported.add(f"{attribute} of higher order", node)
    return first


def anchored(X: Pose, joint: JointInBody) -> Pose:
    """The joint's frame, where X is the body's frame in the file."""
    if joint.anchor != Vec3.zero():
        X = X @ Pose.translation(joint.anchor)
    return X if joint.zero is IDENTITY else X @ joint.zero


def behind(joint: JointInBody) -> Pose:
    """The body's frame in the file, relative to the frame that the joint moves."""
    return Pose.translation(-joint.anchor) if joint.anchor != Vec3.zero() else IDENTITY
