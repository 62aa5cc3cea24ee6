"""A URDF file as the doctor sees it: links and joints as they stand there, whether they fit together or not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sixvec.doctor.finding import Finding, Severity
from sixvec.doctor.source import Tag
from sixvec.spatial import RigidInertia, Sym3, Vec3

TURNING = ("revolute", "continuous")
SLIDING = ("prismatic",)
ALONG_AXIS = (*TURNING, *SLIDING, "planar")
INERTIA_ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
JOINT_TYPES = (*ALONG_AXIS, "fixed", "floating")


@dataclass(frozen=True)
class Sheet:
    """The elements of a <robot> that the checks look at."""

    robot: Tag
    path: Path

    @cached_property
    def links(self) -> list[Tag]:
        return [*self.robot.all("link")]

    @cached_property
    def joints(self) -> list[Tag]:
        return [*self.robot.all("joint")]

    @cached_property
    def link_named(self) -> dict[str, Tag]:
        """The first link of each name."""
        return {t.get("name"): t for t in reversed(self.links) if t.get("name")}

    @cached_property
    def joint_named(self) -> dict[str, Tag]:
        """The first joint of each name."""
        return {t.get("name"): t for t in reversed(self.joints) if t.get("name")}

    @cached_property
    def joint_above(self) -> dict[str, Tag]:
        """For each link that is a child, the first joint that says so."""
        return {end(t, "child"): t for t in reversed(self.joints) if end(t, "child")}

    @cached_property
    def joints_below(self) -> dict[str, list[Tag]]:
        found: dict[str, list[Tag]] = {}
        for t in self.joints:
            found.setdefault(end(t, "parent"), []).append(t)
        return found

    @cached_property
    def inertias(self) -> dict[Tag, RigidInertia]:
        """The mass and tensor of each link about its centre of mass, where they can be read."""
        found = ((link, _central_inertia(link)) for link in self.links)
        return {link: inertia for link, inertia in found if inertia is not None}

    @cached_property
    def roots(self) -> list[Tag]:
        return [t for t in self.links if t.get("name") not in self.joint_above]


def _central_inertia(link: Tag) -> RigidInertia | None:
    inertial = link.first("inertial")
    if inertial is None:
        return None
    mass, tensor = number(inertial.first("mass"), "value"), inertial.first("inertia")
    entries = [numbers(tensor, entry, 1) for entry in INERTIA_ENTRIES]
    if mass is None or None in entries:
        return None
    return RigidInertia(mass, Vec3.zero(), Sym3(*(e[0] for e in entries if e)))


def end(joint: Tag, side: str) -> str:
    """The link that a joint names as its parent or child; empty if it names none."""
    found = joint.first(side)
    return found.get("link") if found else ""


def numbers(tag: Tag | None, attribute: str, count: int) -> tuple[float, ...] | None:
    """The finite numbers of an attribute; None if it is missing or is not `count` of them.

    >>> numbers(Tag("origin", {"xyz": "1 2 3"}, 1), "xyz", 3)
    (1.0, 2.0, 3.0)
    """
    if tag is None or attribute not in tag.attributes:
        return None
    words = tag.attributes[attribute].split()
    if len(words) != count:
        return None
    try:
        values = tuple(float(word) for word in words)
    except ValueError:
        return None
    return values if all(math.isfinite(x) for x in values) else None


def number(tag: Tag | None, attribute: str) -> float | None:
    found = numbers(tag, attribute, 1)
    return found[0] if found else None


def error(tag: Tag, message: str, advice: str) -> Finding:
    return Finding(Severity.ERROR, tag.line, tag.title, message, advice)


def warning(tag: Tag, message: str, advice: str) -> Finding:
    return Finding(Severity.WARNING, tag.line, tag.title, message, advice)


def note(tag: Tag, message: str, advice: str) -> Finding:
    return Finding(Severity.NOTE, tag.line, tag.title, message, advice)


def inside(owner: Tag, finding: Finding) -> Finding:
    """The same finding, said of an element inside a named one."""
    return Finding(finding.severity, finding.line, f"{owner.title}: {finding.element}", finding.message, finding.advice)


Findings = Iterator[Finding]
