"""A robot as text: its tree of bodies with their joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixvec.model.body import WORLD, Body
from sixvec.model.closure import AnyClosure, Closure, Gear
from sixvec.model.held_frame import RollingFrame
from sixvec.model.joints import Joint
from sixvec.model.model import Model
from sixvec.model.topology import topology
from sixvec.quoting import quoted
from sixvec.spatial import Vec3

DEEPEST = 30
"""Levels of branches that are drawn; deeper ones keep the last indentation, so that lines have bounded length."""

COLUMNS = ("body", "joint", "type", "q", "limits", "speed", "effort", "mass")
OPTIONAL = ("speed", "effort")
"""Columns that are left out where no joint has such a limit."""

CLOSURE_COLUMNS = ("closure", "type", "between", "prevents")


WHEEL_COLUMNS = ("wheel", "radius", "rolls along")


def text_tree(model: Model) -> str:
    """One line per body: tree, joint, type, index in q, limits of position, speed and effort, mass.

    Only branches are indented.  Speeds are in rad/s or m/s, efforts in N m or N.

    The closures of a mechanism with loops follow, and wheels that roll, one line each.

    >>> from sixvec.model.robots import BUILT_IN
    >>> print(text_tree(BUILT_IN["planar_2r"]()))
    planar_2r: serial, 3 bodies, 2 moving joints, nq 2, nv 2, 2 kg
    body   joint   type        q  limits  mass
    base           fixed                  -
    link1  joint1  revolute z  0  -       1 kg
    link2  joint2  revolute z  1  -       1 kg
    """
    rows = _without_empty_columns([COLUMNS, *(_row(model, prefix, b) for prefix, b in _drawn(model))])
    mass = sum(b.inertia.mass for b in model.bodies)
    moving = "1 moving joint" if len(model.moving) == 1 else f"{len(model.moving)} moving joints"
    title = (
        f"{quoted(model.name)}: {topology(model)}, {len(model.bodies)} bodies, {moving}, "
        f"nq {model.nq}, nv {model.nv}, {mass:.4g} kg"
    )
    closures = [CLOSURE_COLUMNS, *map(_closure_row, model.closures)] if model.closures else []
    wheels = [WHEEL_COLUMNS, *map(_wheel_row, model.rolling)] if model.rolling else []
    return "\n".join([title, *_aligned(rows), *_aligned(closures), *_aligned(wheels)])


def _drawn(model: Model) -> list[tuple[str, Body]]:
    """The bodies depth first, each with the lines of the tree before its name."""
    drawn = []
    # A stack instead of recursion: chains may be longer than Python's stack is deep.
    waiting = _branches(model, WORLD, "")
    while waiting:
        prefix, below, b = waiting.pop()
        drawn.append((prefix, b))
        waiting += _branches(model, b.name, below)
    return drawn


def _branches(model: Model, name: str | None, before: str) -> list[tuple[str, str, Body]]:
    """The children of a body, last first: the prefix of each name, the prefix of its children, the body."""
    children = model.children(name)
    if len(children) == 1 or len(before) >= 2 * DEEPEST:
        return [(before, before, b) for b in reversed(children)]
    last = len(children) - 1
    return [
        (before + ("└ " if i == last else "├ "), before + ("  " if i == last else "│ "), b)
        for i, b in reversed([*enumerate(children)])
    ]


def _row(model: Model, prefix: str, b: Body) -> tuple[str, ...]:
    mass = f"{b.inertia.mass:.4g} kg" if b.inertia.mass else "-"
    return (
        prefix + quoted(b.name),
        quoted(b.joint_name),
        _kind(b.joint),
        _coordinates(model, b),
        _limits(b),
        _largest(b, b.limits.velocity),
        _largest(b, b.limits.effort),
        mass,
    )


def _without_empty_columns(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    columns = [*zip(*rows, strict=True)]
    return [*zip(*(c for c in columns if c[0] not in OPTIONAL or {*c[1:]} - {"", "-"}), strict=True)]


def _closure_row(c: AnyClosure) -> tuple[str, ...]:
    if isinstance(c, Closure):
        between = f"{quoted(c.first)} - {quoted(c.second)}"
        return quoted(c.name), _kind(c.joint), between, _motions(c.constraints)
    if not isinstance(c, Gear):
        law = " ".join(f"{factor:+.4g}·{quoted(body)}" for body, factor in c.terms).removeprefix("+")
        return quoted(c.name), "differential", f"{law} = {c.offset:.4g}", _motions(c.constraints)
    offset = f" {c.offset:+.4g}" if c.offset else ""
    law = f"{quoted(c.follower)} = {c.ratio:.4g}·{quoted(c.leader)}{offset}"
    return quoted(c.name), "gear", law, _motions(c.constraints)


def _wheel_row(wheel: RollingFrame) -> tuple[str, ...]:
    return quoted(wheel.frame), f"{wheel.radius:.4g} m", ", ".join(wheel.directions)


def _motions(count: int) -> str:
    return f"{count} motion" if count == 1 else f"{count} motions"


def _kind(joint: Joint) -> str:
    axis = getattr(joint, "axis", None) or getattr(joint, "normal", None)
    return joint.kind if axis is None else f"{joint.kind} {_axis(axis)}"


def _axis(axis: Vec3) -> str:
    for name, unit in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        for sign in (1, -1):
            if all(a == sign * u for a, u in zip(axis, unit, strict=True)):
                return name if sign > 0 else f"-{name}"
    return f"({', '.join(f'{a:.4g}' for a in axis)})"


def _coordinates(model: Model, b: Body) -> str:
    if b.mimic:
        leader = model.by_name.get(b.mimic.leader)
        name = (leader.joint_label) if leader else b.mimic.leader
        offset = f" {b.mimic.offset:+.4g}" if b.mimic.offset else ""
        return f"{b.mimic.multiplier:.4g}·{quoted(name)}{offset}"
    at = model.q_slices[b.name]
    return "" if at.start == at.stop else f"{at.start}" if at.stop - at.start == 1 else f"{at.start}-{at.stop - 1}"


def _limits(b: Body) -> str:
    if not b.joint.nv:
        return ""
    bounds = [*zip(b.limits.lower, b.limits.upper, strict=False)]
    if not any(math.isfinite(x) for pair in bounds for x in pair):
        return "-"
    # Only joints whose single coordinate is an angle or a length have a unit.
    unit = (" rad" if b.joint.angular[0] else " m") if b.joint.nq == 1 else ""
    return ", ".join(f"{low:.4g} to {high:.4g}" for low, high in bounds) + unit


def _largest(b: Body, limits: Sequence[float]) -> str:
    """The limits of speed or effort of a joint; one number if they are all the same."""
    if not b.joint.nv:
        return ""
    different = [*dict.fromkeys(limits)]
    return ", ".join(f"{x:.4g}" for x in different) if any(map(math.isfinite, different)) else "-"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
