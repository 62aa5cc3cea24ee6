"""The outer sections of MJCF that are not bodies: what is merely drawn or measured, and what is physics."""

from __future__ import annotations

from sixvec.errors import unknown
from sixvec.loaders.mjcf_compiler import BOOLEANS, choice
from sixvec.loaders.mjcf_defaults import Defaults
from sixvec.loaders.mjcf_joint import JointInBody
from sixvec.loaders.mjcf_tree import Tree
from sixvec.loaders.mjcf_unsupported import Unsupported
from sixvec.loaders.xml import Node
from sixvec.model import Mimic

READ = ("compiler", "option", "default", "worldbody", "equality")
HARMLESS = ("asset", "contact", "custom", "extension", "keyframe", "sensor", "size", "statistic", "visual")
"""Sections that change neither the mechanism nor the forces in it, contacts apart."""

UNREAD = ("actuator", "tendon", "deformable")
"""Sections whose every element is physics that the model cannot hold."""

SECTIONS = (*READ, *HARMLESS, *UNREAD)

Joints = dict[str, tuple[str, JointInBody]]
"""For each named joint, the body of the model that it moves, and what the file says about it."""


def list_unread(tree: Tree, unsupported: Unsupported) -> None:
    """Note what the sections ask for that the model cannot hold; refuse sections that do not exist."""
    for section in tree.inside(tree.root):
        if section.tag not in SECTIONS:
            raise section.error(unknown("section", section.tag, SECTIONS, "MJCF"))
        if section.tag in UNREAD:
            for node in tree.inside(section):
                what = section.tag if section.tag != "deformable" else node.tag
                unsupported.add(f"{what} ({node.tag})" if what != node.tag else what)


def read_equalities(tree: Tree, defaults: Defaults, joints: Joints, unsupported: Unsupported) -> dict[str, Mimic]:
    """For each body whose joint follows another by a linear law, that law; all other equalities are noted.

    The file says  q₁ - ref₁ = c₀ + c₁ (q₂ - ref₂) + c₂ (q₂ - ref₂)² + …
    """
    followers: dict[str, Mimic] = {}
    for section in tree.sections("equality"):
        for node in tree.inside(section):
            full = defaults.resolved(node, None)
            if not choice(full, "active", BOOLEANS, _active(defaults, full)):
                continue
            law = _linear(full, joints) if full.tag == "joint" else None
            if law is None or law[0] in followers:
                unsupported.add(f"equality ({full.tag})")
            else:
                followers[law[0]] = law[1]
    return followers


def _active(defaults: Defaults, node: Node) -> bool:
    """Whether the class of an equality makes it active; the class writes it under the name of the section."""
    name = node.element.get("class") or defaults.main
    return defaults.classes[name].get("equality", {}).get("active", "true") == "true"


def _linear(node: Node, joints: Joints) -> tuple[str, Mimic] | None:
    """The follower's body and its law, or None where it is not linear in one other joint of one coordinate."""
    for key in ("joint1", "joint2"):
        if node.has(key) and node.text(key) not in joints:
            raise node.error(f"{key}: " + unknown("joint", node.text(key), joints))
    if not node.has("joint2"):
        return None
    words = node.element.get("polycoef", "0 1 0 0 0").split()
    if len(words) > 5:
        raise node.error(f'polycoef="{node.text("polycoef")}" holds {len(words)} numbers; give at most 5')
    given = node.numbers("polycoef", len(words)) if node.has("polycoef") else ()
    c0, c1, *higher = (*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :])
    (follower, first), (leader, second) = joints[node.text("joint1")], joints[node.text("joint2")]
    if any(higher) or c1 == 0.0 or follower == leader or first.joint.nq != 1 or second.joint.nq != 1:
        return None
    return follower, Mimic(leader, c1, c0 + first.ref - c1 * second.ref)
