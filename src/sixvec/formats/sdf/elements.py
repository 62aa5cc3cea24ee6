"""The known elements of SDF, findings about the others, and values between tags: poses, numbers, booleans.

The version of a file determines the reference of poses and axes (sdformat.org, "Specifying pose").
"""

from __future__ import annotations

import math
import re

from sixvec.formats.doctor import masses, units
from sixvec.formats.mjcf.pose import IDENTITY
from sixvec.formats.node import Node
from sixvec.formats.number_text import rotation_of
from sixvec.formats.problems import attempt, attempt_each, examine, raise_or_note
from sixvec.formats.sdf.words import SDF_WORDS
from sixvec.formats.unsupported import Unsupported
from sixvec.quoting import quoted
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

SDF = "SDF"
BALL = "drake:ball_constraint"

SINGLE = ("pose", "static", "inertial", "parent", "child", "axis", "axis2", "gravity")
"""Elements with a single value, which a second one would contradict."""

UNSUPPORTED: dict[str, dict[str, str]] = {
    "sdf": {"actor": "actor"},
    "world": {
        "actor": "actor",
        "population": "population (its models are missing)",
        "state": "state (the poses are those of the models)",
        "wind": "wind",
    },
    "model": {"gripper": "gripper"},
    "link": {"velocity_decay": "velocity_decay of a link"},
    "joint": {},
    "frame": {},
}
"""Elements that the model cannot represent, with descriptions."""

SWITCHES = {
    ("model", "enable_wind"): (True, "wind"),
    ("link", "enable_wind"): (True, "wind"),
    ("link", "kinematic"): (True, "kinematic link (it moves as others do)"),
    ("link", "gravity"): (False, "gravity of a link switched off (it has weight)"),
}
"""Boolean elements, the value that the model cannot represent, and its meaning."""

OLD = {"model": ("origin",), "link": ("origin", "damping", "frame"), "joint": ("origin", "frame")}
"""Words of unsupported versions."""


def _harmless(tag: str) -> frozenset[str]:
    words = SDF_WORDS.of("", tag)
    switches = {name for parent, name in SWITCHES if parent == tag}
    assert words is not None and words.inside is not None
    return words.inside.difference(UNSUPPORTED[tag], switches, OLD.get(tag, ())) | ({BALL} if tag == "model" else set())


HARMLESS = {tag: _harmless(tag) for tag in UNSUPPORTED}
"""For each element, those inside it that are read or change neither the mechanism nor the forces in it."""

INERTIA = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
"""The entries of a tensor and their defaults, kg·m² (sdformat.org, <inertial>)."""

DEFAULT_MASS = 1.0


def review(node: Node, unsupported: Unsupported) -> None:
    """Note contents of an element that are unsupported or not part of the format; reject duplicates."""
    known, listed = HARMLESS[node.tag], UNSUPPORTED[node.tag]
    seen: set[str] = set()
    for inner in node.inside:
        tag = inner.tag
        if tag in SINGLE and tag in seen:
            raise_or_note(inner.error("appears here for the second time", "give one"))
        seen.add(tag)
        if tag in known:
            continue
        if tag in listed:
            unsupported.add(listed[tag], inner)
        elif (node.tag, tag) in SWITCHES:
            value, meaning = SWITCHES[node.tag, tag]
            if attempt(not value, flag, node, tag, not value) == value:
                unsupported.add(meaning, inner)
        elif ":" in tag:
            # In this format elements with a prefix are extensions.
            unsupported.add(f"{quoted(tag)} (an extension of the format)", inner)
        else:
            unsupported.add(f"{quoted(tag)} (unknown in a {node.tag})", inner)


def inertia(link: Node, unsupported: Unsupported) -> RigidInertia:
    """The <inertial> of a link, in the link's frame: the tensor is about the centre of mass in the axes of its <pose>.

    The defaults are 1 kg and 1 kg·m², so a link without <inertial> has mass.
    """
    inertial = link.child("inertial")
    if inertial is None:
        return RigidInertia(DEFAULT_MASS, Vec3.zero(), Sym3(*INERTIA.values()))
    if inertial.child("fluid_added_mass") is not None:
        unsupported.add("fluid_added_mass", inertial)
    pose = inertial.child("pose")
    if pose is not None and pose.attributes.get("relative_to"):
        raise pose.error("has relative_to", "the pose of an <inertial> is always relative to its link")
    frame = attempt_each(IDENTITY, placement, inertial)
    body = _central_inertia(inertial)
    if not is_true(inertial, "auto"):
        examine(masses.inertia_is_possible, inertial, body)
        examine(masses.mass_has_inertia, inertial, body)
        examine(units.mass_is_kilograms, inertial, body, SDF)
    inertial.not_negative("mass", body.mass)
    return frame @ body


def _central_inertia(inertial: Node) -> RigidInertia:
    """The mass and the tensor about the centre of mass."""
    tensor = inertial.child("inertia")
    entries = [default if tensor is None else tensor.number_in(name, default) for name, default in INERTIA.items()]
    return RigidInertia(inertial.number_in("mass", DEFAULT_MASS), Vec3.zero(), Sym3(*entries))


ROTATION_FORMATS = ("euler_rpy", "quat_xyzw")
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def pose(node: Node) -> Pose:
    """The <pose> inside an element; the identity where there is none or it is empty.

    Three lengths and three angles about fixed axes (roll, pitch, yaw), or with `rotation_format="quat_xyzw"` a
    quaternion with its scalar last.
    """
    placed = node.child("pose")
    return IDENTITY if placed is None else read_pose(placed)


def placement(node: Node) -> Pose:
    """The <pose> of a link, a joint, a frame or an <inertial>, whose values a check examines."""
    placed = node.child("pose")
    return IDENTITY if placed is None else read_pose(placed, examined=True)


def read_pose(placed: Node, *, examined: bool = False) -> Pose:
    """The pose of a <pose> element."""
    kind = placed.attributes.get("rotation_format", "euler_rpy")
    if kind not in ROTATION_FORMATS:
        raise placed.unknown("form", kind, ROTATION_FORMATS, "SDF", key=f'rotation_format="{quoted(kind)}"')
    degrees = is_true(placed, "degrees")
    if not placed.value:
        return IDENTITY
    if kind == "quat_xyzw":
        numbers = placed.content_numbers(7)
        if examined:
            examine(units.length_is_metres, placed, numbers[:3], SDF)
        return Pose(rotation_of(numbers[3:], placed), Vec3.of(numbers[:3]))
    values = placed.content_numbers(6)
    if examined:
        examine(units.length_is_metres, placed, values[:3], SDF)
    if examined and not degrees:
        examine(units.angle_is_radians, placed, values[3:])
    rpy = tuple(math.radians(angle) for angle in values[3:]) if degrees else values[3:]
    if not any(values):
        return IDENTITY
    return Pose(Rotation.from_rpy(*rpy) if any(rpy) else Rotation.identity(), Vec3.of(values[:3]))


def is_true(node: Node, attribute: str) -> bool:
    """The boolean value of an attribute, false by default."""
    word = node.attributes.get(attribute, "false")
    return truth(node, word, f'{attribute}="{quoted(word)}"')


def truth(node: Node, text: str, key: str = "") -> bool:
    """Whether a word of the file means true."""
    word = text.strip().lower()
    if word not in BOOLEANS:
        raise node.unknown("truth value", text, BOOLEANS, key=key)
    return BOOLEANS[word]


def flag(node: Node, tag: str, default: bool = False) -> bool:
    """The boolean value of the child element of that tag."""
    inner = node.child(tag)
    return default if inner is None else truth(inner, inner.content())


Version = tuple[int, ...]

OLDEST = (1, 2)
"""Earlier versions have another form of poses."""


def read_version(root: Node) -> Version:
    """The version of an <sdf> element as numbers."""
    text = root.text("version")
    if not re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?", text, re.ASCII):
        raise root.error(f'version="{text[:20]}" is not a version of the format, such as 1.9')
    version = tuple(int(word) for word in text.split("."))[:2]
    if version < OLDEST or version[0] > 1:
        oldest = ".".join(map(str, OLDEST))
        raise root.error(f'version="{text}" cannot be read', f"versions from {oldest} on can, below 2.0")
    return version
