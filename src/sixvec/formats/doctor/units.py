"""Whether numbers are numbers, and look like metres, radians and kilograms, not like millimetres, degrees or grams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

from sixvec.formats.doctor.finding import Findings, error, reader_errors, warning
from sixvec.formats.doctor.outline import Outline
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


def length_is_metres(node: Node, values: Sequence[float], format: str) -> Findings:
    if max(map(abs, values)) > LONGEST_LINK:
        message = f"{max(map(abs, values)):g} m is very far: are these millimetres?"
        yield warning(node, message, f"{format} is in metres")


def slide_is_metres(limit: Node, bounds: Iterable[float], format: str) -> Findings:
    far = [x for x in bounds if LONGEST_LINK < abs(x) < MEANS_UNLIMITED]
    if far:
        yield warning(limit, f"{far[0]:g} m of travel: are these millimetres?", f"{format} is in metres")


def angle_is_radians(node: Node, values: Sequence[float]) -> Findings:
    if max(map(abs, values)) > LARGEST_ANGLE:
        message = f"an angle of {max(map(abs, values)):g} rad is more than a turn: are these degrees?"
        yield warning(node, message, "angles are in radians here: multiply by π/180")


def turn_is_radians(limit: Node, bounds: Iterable[float]) -> Findings:
    far = [x for x in bounds if FURTHEST_TURN < abs(x) < MEANS_UNLIMITED]
    if far:
        message = f"a limit of {far[0]:g} rad is {abs(far[0]) / (2.0 * math.pi):.3g} turns: are these degrees?"
        yield warning(limit, message, "angles are in radians here: multiply by π/180")


def mass_is_kilograms(inertial: Node, body: RigidInertia, format: str) -> Findings:
    if body.mass <= 0.0:
        return
    if body.mass > HEAVIEST_LINK:
        yield warning(inertial, f"a mass of {body.mass:g} kg: are these grams?", f"{format} is in kilograms")
    radius = math.sqrt(max(abs(m) for m in (body.rot.xx, body.rot.yy, body.rot.zz)) / body.mass)
    if radius > WIDEST_BODY:
        message = f"the inertia is that of its mass {radius:.3g} m away: is it in kg mm² or g mm²?"
        yield warning(inertial, message, f"{format} is in kg m²")


LARGEST = 1e15
"""No length, mass, angle or force of a robot is larger, and its square would leave too few digits."""


def numbers_are_numbers(outline: Outline) -> Findings:
    """All numbers that the format defines, also those that the reader does not need."""
    for node, attribute, least, most, infinite in outline.written():
        problems = [
            *reader_errors(partial(node.numbers, least=least, infinite=infinite), attribute, most, numbers=True)
        ]
        text = node.get(attribute) if attribute else node.value
        if not problems and not infinite and any(abs(float(word)) > LARGEST for word in text.split()):
            place = f'{attribute}="{quoted(text)}"' if attribute else f'"{quoted(text)}"'
            yield error(node, f"{place} is larger than anything about a robot", "give numbers in SI units")
        yield from problems
