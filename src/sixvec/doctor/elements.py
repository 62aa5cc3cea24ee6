"""Elements of a URDF that nobody will read: misspelt, unknown, or written twice."""

from __future__ import annotations

import difflib

from sixvec.doctor.source import Tag
from sixvec.doctor.urdf import Findings, Sheet, error, inside, note, warning
from sixvec.loaders.xml import quoted

KNOWN: dict[str, tuple[str, ...]] = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "mujoco", "sensor", "ros2_control", "drake"),
    "link": ("inertial", "visual", "collision", "contact", "sensor", "origin", "gravity", "self_collision_checking"),
    "joint": (
        "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller",
        "hardwareInterface", "sensor",
    ),
    "inertial": ("origin", "mass", "inertia"),
}  # fmt: skip
"""For each element, what may stand inside."""

SINGLE = {
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
}
"""What may stand inside only once; only the first is read."""

SIMILAR = 0.7


def macros_are_expanded(sheet: Sheet) -> Findings:
    for t in sheet.robot.inside:
        if "xacro}" in t.tag or t.tag.startswith("xacro:"):
            macro = quoted(t.tag.rpartition("}")[2].removeprefix("xacro:"))
            yield error(sheet.robot, f"contains the macro <xacro:{macro}>", "expand the file with xacro first")
            return


def elements_are_known(sheet: Sheet) -> Findings:
    for owner, t in _read(sheet):
        # Elements with a namespace belong to other programs.
        if t.tag in KNOWN[owner.tag] or t.tag.startswith("{") or ":" in t.tag:
            continue
        near = difflib.get_close_matches(t.tag.lower()[:40], KNOWN[owner.tag], n=1, cutoff=SIMILAR)
        message = f"<{quoted(t.tag)}> is not read"
        if near:
            yield inside(owner, warning(t, message, f"did you mean <{near[0]}>?"))
        else:
            yield inside(owner, note(t, message, "it belongs to another program, or can go"))


def elements_stand_once(sheet: Sheet) -> Findings:
    owners = [*sheet.joints, *sheet.links, *(i for link in sheet.links for i in link.all("inertial"))]
    for owner in owners:
        seen: dict[str, Tag] = {}
        for t in owner.inside:
            if t.tag in seen and t.tag in SINGLE[owner.tag]:
                advice = f"only the one at line {seen[t.tag].line} counts"
                yield inside(owner, warning(t, f"a second <{t.tag}>", advice))
            seen.setdefault(t.tag, t)


def _read(sheet: Sheet) -> list[tuple[Tag, Tag]]:
    """Every element that a reader looks at, with the one that holds it."""
    owners = [sheet.robot, *sheet.links, *sheet.joints]
    owners += [inertial for link in sheet.links for inertial in link.all("inertial")]
    return [(owner, t) for owner in owners for t in owner.inside]
