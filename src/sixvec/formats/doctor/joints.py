"""Whether each joint defines its motion and limits, and whether mimic joints can follow their leaders."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error, note, warning
from sixvec.formats.doctor.outline import Motion, Outline
from sixvec.quoting import quoted

SHORTEST_AXIS = 1e-9
"""A shorter vector is not an intended direction; readers refuse it."""


def axes_are_usual(outline: Outline) -> Findings:
    usual = outline.format.axis_expected
    for j in outline.joints if usual else ():
        if not j.has_axis:
            continue
        if j.axis_node is None:
            yield note(j.node, f"has no <axis> and so moves along {usual}", "write the axis if that is meant")
        elif j.axis and max(map(abs, j.axis)) > SHORTEST_AXIS and abs(sum(x * x for x in j.axis) - 1.0) > 1e-3:
            advice = "other programs may scale the motion; write a unit vector"
            yield note(j.axis_node, "the axis is not of unit length and is normalised", advice)


def limits_are_given(outline: Outline) -> Findings:
    expected = outline.format.limits_expected
    for j in outline.joints:
        if not j.motion.has_one_coordinate or j.endless:
            continue
        if j.limit is None:
            if expected:
                instead = ", or make it continuous" if j.motion is Motion.TURN else ""
                advice = f"add <limit> with lower, upper, effort and velocity{instead}"
                yield error(j.node, "has no <limit> and is taken as unlimited, which other programs refuse", advice)
            elif j.follow is None:
                yield note(j.node, "has no limits", "add them if the joint cannot move without end")
            continue
        missing = [word for word in j.limit.missing if word in ("lower", "upper")]
        if missing and expected:
            message = f"{' and '.join(missing)} missing: unlimited here, zero for most other programs"
            yield warning(j.limit.node, message, "write both bounds")


def limits_make_sense(outline: Outline) -> Findings:
    for j in outline.joints:
        limit = j.limit
        if limit is None or not j.motion.has_one_coordinate:
            continue
        lower, upper = limit.lower, limit.upper
        if not j.endless and lower is not None and lower == upper:
            advice = "make the joint fixed, or give it room"
            yield warning(limit.node, f"lower and upper are both {lower:g}: it cannot move", advice)
        for word, bound in (("effort", limit.effort), ("velocity", limit.velocity)):
            if bound is not None and bound < 0.0:
                advice = "give the largest magnitude, a positive number"
                yield warning(limit.node, f"{word} {bound:g} is negative", advice)
            elif bound == 0.0:
                advice = "leave it out if it is not known"
                yield note(limit.node, f"{word} is zero: the joint cannot be driven", advice)


def friction_is_not_negative(outline: Outline) -> Findings:
    for j in outline.joints:
        for node, word, value in j.friction:
            if value is not None and value < 0.0:
                message = f"{word} {value:g} is negative and would drive the joint"
                yield warning(node, message, "give a positive number or zero")


def followers_can_follow(outline: Outline) -> Findings:
    """The existence of the leader is checked with all other names."""
    for j in outline.joints:
        if j.follow is None:
            continue
        node, leader = j.follow.node, outline.joint_named.get(j.follow.leader)
        if j.motion is Motion.NONE:
            yield note(node, "a fixed joint follows nobody", "take it out, or let the joint move")
        elif j.motion is Motion.SEVERAL:
            message = f"a {j.kind} joint cannot follow another"
            yield error(node, message, "only a joint with one coordinate can")
        elif leader is not None and leader.motion in (Motion.NONE, Motion.SEVERAL):
            advice = "follow a joint that turns or slides"
            message = f'follows "{quoted(leader.name)}", a {leader.kind} joint, which has no single coordinate'
            yield error(node, message, advice)
        elif leader is not None and j.follow.multiplier == 0.0:
            yield warning(node, "the multiplier is zero: it never moves", "make the joint fixed")
