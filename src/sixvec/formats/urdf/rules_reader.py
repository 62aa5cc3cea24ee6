"""What urdfdom, the reader of ROS, refuses and this library takes: a file that is to be of use elsewhere needs it."""

from __future__ import annotations

import math
import re

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.node import Node
from sixvec.quoting import quoted

IN_JOINT: dict[str, dict[str, bool]] = {
    "limit": {"effort": True, "velocity": True, "lower": False, "upper": False},
    "safety_controller": {
        "k_velocity": True, "k_position": False, "soft_lower_limit": False, "soft_upper_limit": False,
    },
    "calibration": {"rising": False, "falling": False, "reference_position": False},
    "dynamics": {"damping": False, "friction": False},
}  # fmt: skip
"""For each element of a joint, its numbers and whether it cannot be without."""

ADVICE = "ROS refuses the file"
_VERSION = re.compile(r"1(\.[0-9]+)*")


def ros_takes_it(root: Node) -> Findings:
    if "name" not in root.attributes:
        yield error(root, "has no name", f'{ADVICE}: add name="…"')
    version = root.attributes.get("version", "1.0")
    if not _VERSION.fullmatch(version.strip()):
        yield error(root, f'version="{quoted(version)}" is none of URDF', f"{ADVICE}: write 1.0, or take it out")
    seen: dict[str, Node] = {}
    for t in root.children("material"):
        name = t.get("name")
        if name and name in seen:
            yield error(t, f"a second material of the name, after line {seen[name].line}", f"{ADVICE}: keep one")
        seen.setdefault(name, t)
    for joint in root.children("joint"):
        for tag, known in IN_JOINT.items():
            found = joint.child(tag)
            if found is not None:
                yield from _numbers(found, known)


def _numbers(t: Node, known: dict[str, bool]) -> Findings:
    for name, required in known.items():
        text = t.attributes.get(name)
        if text is None:
            if required:
                yield error(t, f"{name} is missing", f"{ADVICE}: add it")
        elif problem := _problem(text, told=t.tag in ("limit", "dynamics")):
            yield error(t, f'{name}="{quoted(text)}" {problem}', f"{ADVICE}: write a decimal number")
    if t.tag == "dynamics" and not any(name in t.attributes for name in known):
        yield error(t, "has neither damping nor friction", f"{ADVICE}: give one, or take the element out")


def _problem(text: str, *, told: bool) -> str:
    """Why a text is not one number for ROS; what a rule for all formats tells is not told again."""
    try:
        value = float(text)
    except ValueError:
        return "" if told else "is not a number"
    if math.isnan(value):
        return "" if told else "is not a number"
    if math.isinf(value):
        return "is not finite"
    return "has blanks behind it" if text != text.rstrip() else ""
