"""The geoms of MJCF for the rules: a shape that exists, sizes above zero, a mass that is not negative."""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor.finding import Finding, Findings, error
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.outline import Motion, number, numbers, parsed
from sixvec.formats.mjcf.inertia import SHAPES, SIZES
from sixvec.formats.mjcf.pose import SHORTEST
from sixvec.formats.mjcf.rules_body import WORLD_NAME, Bodies, Inside
from sixvec.formats.node import Node
from sixvec.quoting import quoted

ALONG = ("capsule", "cylinder", "ellipsoid", "box")
"""Shapes that may be given by their two ends."""

FROM_ASSETS = {"mesh": "mesh", "sdf": "mesh", "hfield": "hfield"}
"""Shapes that an asset describes, and the attribute that names it."""

GROUND = ("plane", "hfield")
"""Shapes without end or thickness, which only stand still."""


def geoms_have_shapes(bodies: Bodies) -> Findings:
    """What is wrong with each geom, looking through its default class."""
    moving = _moving(bodies)
    for e in bodies.elements:
        if e.node.tag == "geom":
            yield from _geom(e, moving)


def _geom(e: Inside, moving: set[str]) -> Iterator[Finding]:
    t, full = e.node, e.full
    kind = full.get("type") or ("mesh" if full.get("mesh") else "sphere")
    if kind not in SHAPES:
        message = f'the type "{quoted(kind)}" is not one of {", ".join(SHAPES)}'
        yield error(t, message, nearest(kind, SHAPES, "type", "MJCF"))
    elif kind in FROM_ASSETS:
        attribute = FROM_ASSETS[kind]
        if not full.get(attribute):
            yield error(t, f"has the type {kind} and names no {attribute}", f'add {attribute}="…"')
    elif kind == "plane":
        size = parsed(full.get("size"), 3)
        too_few = len(full.get("size").split()) < 3
        if too_few or (size is not None and (size[2] <= 0.0 or min(size) < 0.0)):
            advice = "give two half lengths, zero for without end, and a spacing of the grid above zero"
            yield error(t, "a plane needs size with 3 numbers that are not negative, the last above zero", advice)
    elif not full.get("mesh"):  # a shape that is fitted to a mesh needs no sizes
        yield from _sized(t, full, kind)
    if kind in GROUND and e.body_name in moving:
        yield error(t, f"a {kind} cannot move, and its body has joints above it", "put it into the world, or use a box")
    for word in ("mass", "density"):
        value = number(full, word)
        if value is not None and value < 0.0:
            yield error(t, f"{word} {value:g} is negative", "give a positive number or zero")


def _sized(t: Node, full: Node, kind: str) -> Iterator[Finding]:
    """A shape with sizes of its own, or with one and two ends."""
    needed = SIZES[kind]
    if "fromto" in full.attributes:
        ends = numbers(full, "fromto", 6)
        if kind not in ALONG:
            yield error(t, f"fromto is not for a {kind}", f"give pos and size, or one of {', '.join(ALONG)}")
        elif ends is not None and max(abs(a - b) for a, b in zip(ends[:3], ends[3:], strict=True)) <= SHORTEST:
            yield error(t, "both ends of fromto are at one point", "give two different points")
        needed = 1
    words = full.get("size").split()
    values = parsed(" ".join(words), len(words))
    if not words:
        yield error(t, "has no size", f"a {kind} needs {_count(needed)} above zero")
    elif len(words) < needed:
        yield error(t, f'size="{quoted(full.get("size"))}" holds {_count(len(words))}', f"a {kind} needs {needed}")
    elif values is not None and min(values[:needed]) <= 0.0:
        message = f'size="{quoted(full.get("size"))}" is not positive'
        yield error(t, message, f"a {kind} needs {_count(needed)} above zero")


def _count(n: int) -> str:
    return "1 number" if n == 1 else f"{n} numbers"


def _moving(bodies: Bodies) -> set[str]:
    """The bodies with a joint that moves on the way from the world; parents stand before their children."""
    moving: set[str] = set()
    for j in bodies.joints:
        if j.motion is not Motion.NONE or (j.parent != WORLD_NAME and j.parent in moving):
            moving.add(j.child)
    return moving
