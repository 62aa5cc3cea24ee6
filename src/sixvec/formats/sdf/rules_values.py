"""The numbers of SDF for the rules: they stand between the tags."""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor.outline import Quantity, Written, parsed
from sixvec.formats.node import Node
from sixvec.formats.sdf.elements import HARMLESS

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
LIMITS = ("lower", "upper", "effort", "velocity")
AXES = ("axis", "axis2")

NUMBERS: dict[tuple[str, str], int] = {
    ("world", "gravity"): 3,
    ("inertial", "mass"): 1,
    ("joint", "screw_thread_pitch"): 1,
    ("joint", "thread_pitch"): 1,
    **{("inertia", entry): 1 for entry in ENTRIES},
    **{(axis, "xyz"): 3 for axis in AXES},
    **{("limit", word): 1 for word in LIMITS},
    **{("dynamics", word): 1 for word in ("damping", "friction", "spring_stiffness", "spring_reference")},
    **{("mimic", word): 1 for word in ("multiplier", "offset", "reference")},
}
"""For each element inside another, how many numbers it holds."""

MAY_BE_INFINITE = ("limit",)
LOOKED_INTO = (*HARMLESS, "inertial", "inertia", "visual", "collision", *AXES, "limit", "dynamics", "mimic")
"""Elements that hold numbers of the mechanism; others, such as plugins, may use the same words for their own."""

SHAPES = ("visual", "collision")


def number_in(t: Node | None, tag: str) -> float | None:
    """The finite number in the element of that tag inside; None if there is none."""
    found = t.child(tag) if t else None
    values = parsed(found.value, 1) if found else None
    return values[0] if values else None


def looked_into(root: Node) -> Iterator[Node]:
    """The elements that hold numbers of the mechanism, in the order of the file."""
    waiting = [root]
    while waiting:
        t = waiting.pop()
        yield t
        waiting += [inner for inner in reversed(t.inside) if inner.tag in LOOKED_INTO]


def written(root: Node) -> Iterator[Written]:
    for t in looked_into(root):
        for inner in t.inside:
            count = NUMBERS.get((t.tag, inner.tag))
            if inner.tag == "pose" and inner.value:
                count = 7 if inner.get("rotation_format") == "quat_xyzw" else 6
            if count:
                yield Written(inner, "", inner.value or None, count, count, t.tag in MAY_BE_INFINITE)


def poses(root: Node) -> Iterator[tuple[Node, tuple[float, ...]]]:
    """The poses of links, joints and frames and of their centres of mass."""
    for t in looked_into(root):
        found = t.child("pose")
        if found and t.tag in ("link", "joint", "frame", "inertial"):
            values = parsed(found.value, 7 if found.get("rotation_format") == "quat_xyzw" else 6)
            if values:
                yield found, values


def lengths(root: Node) -> Iterator[Quantity]:
    return (Quantity(t, values[:3]) for t, values in poses(root))


def angles(root: Node) -> Iterator[Quantity]:
    """Angles in radians; a pose may say that its own are degrees."""
    for t, values in poses(root):
        if len(values) == 6 and t.get("degrees").lower() not in ("true", "1"):
            yield Quantity(t, values[3:])
