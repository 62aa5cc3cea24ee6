"""Bodies of an MJCF file that are valid here, and that MuJoCo rejects because of their inertia."""

from __future__ import annotations

import numpy as np

from sixvec.formats.node import Node
from sixvec.formats.xml import parse_xml

SMALLEST = 1e-15
"""kg and kg m²: MuJoCo's mjMINVAL, which mass and moments of a moving body must reach."""

SMALLEST_EIGENVALUE = 1e-14
"""kg m²: MuJoCo's mjEPS, which the moments of a `fullinertia` must reach."""

JOINTS = ("joint", "freejoint")
TRIANGLE = "no body has principal moments with A + B < C"
POSITIVE = "the principal moments must be positive"
MOVING = "a body that moves needs mass and moments of inertia"


def rejected_bodies(text: str) -> dict[str, list[str]]:
    """For each reason why MuJoCo rejects bodies, their names; empty if there are none.  `text` was written here."""
    bodies: dict[str, list[str]] = {}
    root = parse_xml(text, "text")
    for node in root.iter("body"):
        why = _reason(node)
        if not why and any(node.child(tag) for tag in JOINTS) and not _has_inertia(node):
            why = MOVING
        if why:
            bodies.setdefault(why, []).append(node.attributes.get("name", ""))
    return bodies


def _moments(body: Node) -> list[float]:
    """The principal moments, none of them below zero: MuJoCo raises them to `boundinertia`, which is zero."""
    inertial = body.child("inertial")
    if inertial is None:
        return [0.0] * 3
    if inertial.has("fullinertia"):
        return [max(0.0, x) for x in _eigenvalues(inertial)]
    return [max(0.0, x) for x in inertial.numbers("diaginertia", 3)] if inertial.has("diaginertia") else [0.0] * 3


def _eigenvalues(inertial: Node) -> list[float]:
    xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", 6)
    return [float(x) for x in np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])]


def _reason(body: Node) -> str:
    inertial = body.child("inertial")
    if inertial is not None and inertial.has("fullinertia") and min(_eigenvalues(inertial)) < SMALLEST_EIGENVALUE:
        return POSITIVE
    a, b, c = sorted(_moments(body))
    return TRIANGLE if a + b < c else ""


def _has_inertia(body: Node) -> bool:
    """Whether a body, or one of those that are fixed to it, has mass and all moments.  A stack, for deep trees."""
    waiting = [body]
    while waiting:
        each = waiting.pop()
        inertial = each.child("inertial")
        if inertial is not None and inertial.number("mass") >= SMALLEST and min(_moments(each)) >= SMALLEST:
            return True
        waiting += [inner for inner in each.children("body") if not any(inner.child(tag) for tag in JOINTS)]
    return False
