"""The known elements of SDF, and findings about the others."""

from __future__ import annotations

from sixvec.formats.node import Node
from sixvec.formats.sdf.pose import flag, pose
from sixvec.formats.sdf.words import SDF_WORDS
from sixvec.formats.unsupported import Unsupported
from sixvec.quoting import quoted
from sixvec.spatial import RigidInertia, Sym3, Vec3

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
    """Note contents of an element that are unsupported or not part of the format; refuse duplicates."""
    known, listed = HARMLESS[node.tag], UNSUPPORTED[node.tag]
    seen: set[str] = set()
    for inner in node.inside:
        tag = inner.tag
        if tag in SINGLE and tag in seen:
            raise inner.error("appears here for the second time", "give one")
        seen.add(tag)
        if tag in known:
            continue
        if tag in listed:
            unsupported.add(listed[tag], inner)
        elif (node.tag, tag) in SWITCHES:
            value, meaning = SWITCHES[node.tag, tag]
            if flag(node, tag, not value) == value:
                unsupported.add(meaning, inner)
        elif ":" in tag:
            # In this format elements with a prefix are extensions.
            unsupported.add(f"{quoted(tag)} (an extension of the format)", inner)
        else:
            unsupported.add(f"{quoted(tag)} (unknown in a {node.tag})", inner)


def inertia(link: Node, unsupported: Unsupported) -> RigidInertia:
    """The <inertial> of a link, in the link's frame: the tensor is about the centre of mass in the axes of its <pose>.

    The defaults are 1 kg and 1 kg·m², so a link without <inertial> has mass.

    >>> from sixvec.formats.xml import parse_xml
    >>> inertia(parse_xml('<link name="a"/>', "arm.sdf"), Unsupported()).mass
    1.0
    """
    inertial = link.child("inertial")
    if inertial is None:
        return RigidInertia(DEFAULT_MASS, Vec3.zero(), Sym3(*INERTIA.values()))
    if inertial.child("fluid_added_mass") is not None:
        unsupported.add("fluid_added_mass", inertial)
    given = inertial.child("pose")
    if given is not None and given.attributes.get("relative_to"):
        raise given.error("has relative_to", "the pose of an <inertial> is always relative to its link")
    tensor = inertial.child("inertia")
    entries = [default if tensor is None else tensor.number_in(name, default) for name, default in INERTIA.items()]
    mass = inertial.number_in("mass", DEFAULT_MASS)
    if mass < 0.0:
        raise inertial.error(f"the mass is {mass}", "give 0 or more")
    return pose(inertial) @ RigidInertia(mass, Vec3.zero(), Sym3(*entries))
