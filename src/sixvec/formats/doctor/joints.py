"""Whether each joint defines its motion and limits, and whether mimic joints can follow their leaders.

Functions of an element and its values are called by readers; those of an outline by the check.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixvec.formats.doctor.finding import Findings, error, note, warning
from sixvec.formats.doctor.outline import Motion, Outline
from sixvec.formats.node import Node
from sixvec.quoting import quoted

SHORTEST_AXIS = 1e-9
"""A shorter vector is not an intended direction; readers reject it."""


def axis_is_usual(joint: Node, axis_node: Node | None, axis: Sequence[float]) -> Findings:
    """The axis of a joint of URDF, which may be missing or of any length."""
    if axis_node is None:
        yield note(joint, "has no <axis> and so moves along x", "write the axis if that is meant")
    elif max(map(abs, axis)) > SHORTEST_AXIS and abs(sum(x * x for x in axis) - 1.0) > 1e-3:
        advice = "other programs may scale the motion; write a unit vector"
        yield note(axis_node, "the axis is not of unit length and is normalised", advice)


def limit_is_written(joint: Node, limit: Node | None, turns: bool) -> Findings:
    """The <limit> of a joint of URDF, which has another type for joints without limits."""
    if limit is None:
        instead = ", or make it continuous" if turns else ""
        advice = f"add <limit> with lower, upper, effort and velocity{instead}"
        yield error(joint, "has no <limit> and is taken as unlimited, which other programs reject", advice)
    elif missing := [word for word in ("lower", "upper") if not limit.has(word)]:
        message = f"{' and '.join(missing)} missing: unlimited here, zero for most other programs"
        yield warning(limit, message, "write both bounds")


def limits_are_given(outline: Outline) -> Findings:
    for j in outline.joints:
        if j.motion.has_one_coordinate and not j.endless and j.bounds is None and j.follow is None:
            yield note(j.node, "has no limits", "add them if the joint cannot move without end")


def range_is_not_empty(limit: Node, lower: float | None, upper: float | None) -> Findings:
    if lower is not None and lower == upper and math.isfinite(lower):
        advice = "make the joint fixed, or give it a range"
        yield warning(limit, f"lower and upper are both {lower:g}: it cannot move", advice)


def joint_can_be_driven(limit: Node, effort: float | None, velocity: float | None) -> Findings:
    for word, bound in (("effort", effort), ("velocity", velocity)):
        if bound is not None and bound < 0.0:
            yield warning(limit, f"{word} {bound:g} is negative", "give the largest magnitude, a positive number")
        elif bound == 0.0:
            yield note(limit, f"{word} is zero: the joint cannot be driven", "leave it out if it is not known")


def friction_brakes(node: Node, word: str, value: float | None) -> Findings:
    if value is not None and value < 0.0:
        message = f"{word} {value:g} is negative and would drive the joint"
        yield warning(node, message, "give a positive number or zero")


def fixed_joints_follow_nobody(mimic: Node) -> Findings:
    yield note(mimic, "a fixed joint follows nobody", "take it out, or let the joint move")


def follower_moves(mimic: Node, multiplier: float | None) -> Findings:
    if multiplier == 0.0:
        yield warning(mimic, "the multiplier is zero: it never moves", "make the joint fixed")


def followers_can_follow(outline: Outline) -> Findings:
    """The existence of the leader is checked with all other names."""
    for j in outline.joints:
        if j.follow is None:
            continue
        node, leader = j.follow.node, outline.joint_named.get(j.follow.leader)
        if j.motion is Motion.NONE:
            yield from fixed_joints_follow_nobody(node)
        elif j.motion is Motion.SEVERAL:
            message = f"a {j.kind} joint cannot follow another"
            yield error(node, message, "only a joint with one coordinate can")
        elif leader is not None and leader.motion in (Motion.NONE, Motion.SEVERAL):
            advice = "follow a joint that turns or slides"
            message = f'follows "{quoted(leader.name)}", a {leader.kind} joint, which has no single coordinate'
            yield error(node, message, advice)
        elif leader is not None:
            yield from follower_moves(node, j.follow.multiplier)
