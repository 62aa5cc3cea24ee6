"""The numbers of SDF for the rules: they stand between the tags."""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor.sheet import Quantity, Written, parsed
from sixvec.formats.doctor.source import Tag
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


def number_in(t: Tag | None, tag: str) -> float | None:
    """The finite number in the element of that tag inside; None if there is none."""
    found = t.first(tag) if t else None
    values = parsed(found.text, 1) if found else None
    return values[0] if values else None


def written(root: Tag) -> Iterator[Written]:
    waiting: list[tuple[Tag | None, Tag]] = [(None, root)]
    while waiting:
        owner, t = waiting.pop()
        for inner in t.inside:
            count = NUMBERS.get((t.tag, inner.tag))
            if inner.tag == "pose" and inner.text:
                count = 7 if inner.get("rotation_format") == "quat_xyzw" else 6
            if count:
                infinite = t.tag in MAY_BE_INFINITE
                yield Written(named(owner, t), inner, "", inner.text or None, count, count, infinite)
        waiting += [(named(owner, t), inner) for inner in reversed(t.inside) if inner.tag in LOOKED_INTO]


def named(owner: Tag | None, t: Tag) -> Tag | None:
    """The nearest link, joint or frame around, this element included."""
    return t if t.tag in ("link", "joint", "frame", "model") else owner


def poses(root: Tag) -> Iterator[tuple[Tag | None, Tag, tuple[float, ...]]]:
    """The poses of links, joints and frames and of their centres of mass, with whose they are."""
    waiting: list[tuple[Tag | None, Tag]] = [(None, root)]
    while waiting:
        owner, t = waiting.pop()
        found = t.first("pose")
        if found and t.tag in ("link", "joint", "frame", "inertial"):
            values = parsed(found.text, 7 if found.get("rotation_format") == "quat_xyzw" else 6)
            if values:
                yield named(owner, t), found, values
        waiting += [(named(owner, t), u) for u in reversed(t.inside) if u.tag in LOOKED_INTO and u.tag not in SHAPES]


def lengths(root: Tag) -> Iterator[Quantity]:
    return (Quantity(owner, t, values[:3]) for owner, t, values in poses(root))


def angles(root: Tag) -> Iterator[Quantity]:
    """Angles in radians; a pose may say that its own are degrees."""
    for owner, t, values in poses(root):
        if len(values) == 6 and t.get("degrees").lower() not in ("true", "1"):
            yield Quantity(owner, t, values[3:])
