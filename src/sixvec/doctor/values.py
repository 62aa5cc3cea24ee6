"""Whether the attributes that should hold numbers do."""

from __future__ import annotations

import math

from sixvec.doctor.source import Tag
from sixvec.doctor.urdf import INERTIA_ENTRIES, Findings, Sheet, error, inside
from sixvec.loaders.xml import quoted

ORIGIN = (("xyz", 3), ("rpy", 3))

IN_JOINT: dict[str, tuple[tuple[str, int], ...]] = {
    "origin": ORIGIN,
    "axis": (("xyz", 3),),
    "limit": (("lower", 1), ("upper", 1), ("velocity", 1), ("effort", 1)),
    "dynamics": (("damping", 1), ("friction", 1)),
    "mimic": (("multiplier", 1), ("offset", 1)),
}
"""For each element of a joint, its attributes and how many numbers each holds."""

IN_INERTIAL: dict[str, tuple[tuple[str, int], ...]] = {
    "origin": ORIGIN,
    "mass": (("value", 1),),
    "inertia": tuple((entry, 1) for entry in INERTIA_ENTRIES),
}

REQUIRED = {"axis", "mass", "inertia"}
"""Elements that mean nothing without their attributes."""

MAY_BE_INFINITE = {"limit"}

LARGEST = 1e15
"""Beyond this no length, mass, angle or force of a robot lies, and squares of it leave too few digits."""

WITHOUT_AXIS = ("fixed", "floating")


def numbers_are_numbers(sheet: Sheet) -> Findings:
    for joint in sheet.joints:
        for tag, attributes in IN_JOINT.items():
            found = joint.first(tag)
            # Files often give joints that cannot move an axis of zeros or nonsense; nobody looks at it.
            if found and not (tag == "axis" and joint.get("type") in WITHOUT_AXIS):
                yield from (inside(joint, f) for f in _wrong(found, attributes))
    for link in sheet.links:
        inertial = link.first("inertial")
        if inertial is None:
            continue
        for tag, attributes in IN_INERTIAL.items():
            found = inertial.first(tag)
            if found:
                yield from (inside(link, f) for f in _wrong(found, attributes))
            elif tag in REQUIRED:
                yield inside(link, error(inertial, f"has no <{tag}>", "add it, or take out the whole <inertial>"))


def _wrong(tag: Tag, attributes: tuple[tuple[str, int], ...]) -> Findings:
    for name, count in attributes:
        if name not in tag.attributes:
            if tag.tag in REQUIRED:
                yield error(tag, f"the attribute {name} is missing", f"give {_some(count)}")
        elif problem := _problem(tag.attributes[name], count, infinite=tag.tag in MAY_BE_INFINITE):
            yield error(tag, f'{name}="{quoted(tag.attributes[name])}" {problem}', f"give {_some(count)}")


def _problem(text: str, count: int, *, infinite: bool) -> str:
    words = text.split()
    if "_" in text or not text.isascii():
        return "is not numbers"  # only Python would take it for some
    try:
        values = [float(word) for word in words]
    except ValueError:
        return "is not numbers"
    if len(values) != count:
        return f"holds {len(values)} numbers"
    if any(math.isnan(x) or (math.isinf(x) and not infinite) for x in values):
        return "is not finite"
    if not infinite and any(abs(x) > LARGEST for x in values):
        return "is larger than anything about a robot"
    return ""


def _some(count: int) -> str:
    return "1 finite number" if count == 1 else f"{count} finite numbers, with blanks between them"
