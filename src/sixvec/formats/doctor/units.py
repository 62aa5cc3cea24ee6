"""Whether numbers are numbers, and look like metres, radians and kilograms, not like millimetres, degrees or grams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

from sixvec.formats.doctor.finding import Findings, error, refusals, warning
from sixvec.formats.doctor.outline import Joint, Motion, Outline
from sixvec.formats.node import Node
from sixvec.quoting import quoted
from sixvec.spatial import RigidInertia

LONGEST_LINK = 20.0
"""Metres between two joints; the largest industrial arms and cranes have less."""

LARGEST_ANGLE = 2.0 * math.pi + 1e-3
"""Radians; fixed orientations are less than one turn."""

FURTHEST_TURN = 8.0 * math.pi
"""Radians; few joints turn four times, and 30 degrees or more would be above it."""

MEANS_UNLIMITED = 1000.0
"""Limits above this mean "unlimited" rather than degrees."""

HEAVIEST_LINK = 5000.0
"""Kilograms; larger values are probably grams."""

WIDEST_BODY = 10.0
"""Metres of radius of gyration, √(I/m); a tensor in kg mm² gives a thousand times the true one."""


MOST_RADIANS = 2.0 * math.pi + 0.01
"""Limits that all lie within this, in a file that is read in degrees, are likely radians."""

FEW = 3
"""Number of joints that may all have ranges of a few degrees by chance."""

TELLING = tuple(math.pi * fraction for fraction in (0.5, 0.75, 1.0, 1.5, 2.0))
"""Angles that are common in radians and not used in degrees, to about two digits."""


def length_is_metres(node: Node, values: Sequence[float], format: str) -> Findings:
    if max(map(abs, values)) > LONGEST_LINK:
        message = f"{max(map(abs, values)):g} m is very far: are these millimetres?"
        yield warning(node, message, f"{format} is in metres")


def lengths_are_metres(outline: Outline) -> Findings:
    for node, values in outline.lengths():
        yield from length_is_metres(node, values, outline.format.name)


def slide_is_metres(limit: Node, bounds: Iterable[float], format: str) -> Findings:
    far = [x for x in bounds if LONGEST_LINK < abs(x) < MEANS_UNLIMITED]
    if far:
        yield warning(limit, f"{far[0]:g} m of travel: are these millimetres?", f"{format} is in metres")


def slides_are_metres(outline: Outline) -> Findings:
    for j in outline.joints:
        if j.limit and j.motion is Motion.SLIDE:
            yield from slide_is_metres(j.limit.node, _bounds(j), outline.format.name)


def angle_is_radians(node: Node, values: Sequence[float]) -> Findings:
    if max(map(abs, values)) > LARGEST_ANGLE:
        message = f"an angle of {max(map(abs, values)):g} rad is more than a turn: are these degrees?"
        yield warning(node, message, "angles are in radians here: multiply by π/180")


def angles_are_radians(outline: Outline) -> Findings:
    for node, values in outline.angles():
        yield from angle_is_radians(node, values)


def turn_is_radians(limit: Node, bounds: Iterable[float]) -> Findings:
    far = [x for x in bounds if FURTHEST_TURN < abs(x) < MEANS_UNLIMITED]
    if far:
        message = f"a limit of {far[0]:g} rad is {abs(far[0]) / (2.0 * math.pi):.3g} turns: are these degrees?"
        yield warning(limit, message, "angles are in radians here: multiply by π/180")


def turns_are_radians(outline: Outline) -> Findings:
    for j in outline.joints if not outline.degrees else ():
        if j.limit and j.motion is Motion.TURN and not j.endless:
            yield from turn_is_radians(j.limit.node, _bounds(j))


def turns_are_degrees(outline: Outline) -> Findings:
    """A joint may have a range of a few degrees, but hardly all joints of a robot, and not 3.14 degrees."""
    turning = [j for j in outline.joints if outline.degrees and j.motion is Motion.TURN and any(_bounds(j))]
    bounds = [x for j in turning for x in _bounds(j)]
    if not bounds or max(map(abs, bounds)) > MOST_RADIANS:
        return
    telling = any(abs(abs(x) - angle) < 0.01 for x in bounds for angle in TELLING)
    if telling or len(turning) > FEW:
        first = turning[0]
        message = f"no joint turns further than {max(map(abs, bounds)):g} degrees: are the ranges in radians?"
        advice = f'{outline.format.name} is in degrees unless <compiler angle="radian"/> says otherwise'
        yield warning(first.limit.node if first.limit else first.node, message, advice)


def mass_is_kilograms(inertial: Node, body: RigidInertia, format: str) -> Findings:
    if body.mass <= 0.0:
        return
    if body.mass > HEAVIEST_LINK:
        yield warning(inertial, f"a mass of {body.mass:g} kg: are these grams?", f"{format} is in kilograms")
    radius = math.sqrt(max(abs(m) for m in (body.rot.xx, body.rot.yy, body.rot.zz)) / body.mass)
    if radius > WIDEST_BODY:
        message = f"the inertia is that of its mass {radius:.3g} m away: is it in kg mm² or g mm²?"
        yield warning(inertial, message, f"{format} is in kg m²")


def masses_are_kilograms(outline: Outline) -> Findings:
    for inertial, body in outline.bodies:
        yield from mass_is_kilograms(inertial, body, outline.format.name)


def _bounds(j: Joint) -> list[float]:
    return [] if j.limit is None else [x for x in (j.limit.lower, j.limit.upper) if x is not None]


LARGEST = 1e15
"""No length, mass, angle or force of a robot is larger, and its square would leave too few digits."""


def numbers_are_numbers(outline: Outline) -> Findings:
    """All numbers that the format defines, also those that the reader does not need."""
    for node, attribute, least, most, infinite in outline.written():
        problems = [*refusals(partial(node.numbers, least=least, infinite=infinite), attribute, most, numbers=True)]
        text = node.get(attribute) if attribute else node.value
        if not problems and not infinite and any(abs(float(word)) > LARGEST for word in text.split()):
            place = f'{attribute}="{quoted(text)}"' if attribute else f'"{quoted(text)}"'
            yield error(node, f"{place} is larger than anything about a robot", "give numbers in SI units")
        yield from problems
