"""The orientations of MJCF for the rules: one of five forms, and one that is a rotation."""

from __future__ import annotations

import math

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.outline import numbers
from sixvec.formats.mjcf.defaults import ORIENTATIONS
from sixvec.formats.mjcf.pose import SHORTEST
from sixvec.formats.mjcf.rules_body import Bodies
from sixvec.formats.node import Node

ORIENTED = ("geom", "site", "camera", "frame", "inertial")


def orientations_are_rotations(bodies: Bodies) -> Findings:
    placed = [(link.node, link.node) for link in bodies.links]
    for t, full in [*placed, *((e.node, e.full) for e in bodies.elements if e.node.tag in ORIENTED)]:
        given = [name for name in ORIENTATIONS if name in full.attributes]
        if len(given) > 1:
            message = f"gives several orientations: {', '.join(given)}"
            yield error(t, message, "give one of them")
        for name in given:
            if problem := _problem(full, name):
                yield error(t, f'{name}="{full.get(name)}" {problem}', "give one that is not zero")


def _problem(t: Node, name: str) -> str:
    """Why an orientation is none; what cannot be read has another finding."""
    if name == "quat":
        return "is no rotation" if _is_zero(numbers(t, name, 4)) else ""
    if name == "zaxis":
        return "has no direction" if _is_zero(numbers(t, name, 3)) else ""
    if name == "axisangle":
        about = numbers(t, name, 4)
        return "has an axis without direction" if about and _is_zero(about[:3]) else ""
    axes = numbers(t, name, 6) if name == "xyaxes" else None
    if axes is None:
        return ""
    x, y = axes[:3], axes[3:]
    size = math.hypot(*x) * math.hypot(*y)
    cross = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    return "holds axes that are parallel or zero" if math.hypot(*cross) <= SHORTEST * max(size, SHORTEST) else ""


def _is_zero(values: tuple[float, ...] | None) -> bool:
    return values is not None and math.hypot(*values) <= SHORTEST
