"""Whether each joint says how it moves, and how far."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error, note, warning
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.outline import Motion, Outline
from sixvec.quoting import quoted

SHORTEST_AXIS = 1e-9
"""Less is no direction that somebody wrote down on purpose; the loader takes it for zero."""


def types_are_known(outline: Outline) -> Findings:
    types = outline.format.joint_types
    for j in outline.joints:
        if j.motion is not Motion.UNKNOWN:
            continue
        if not j.kind:
            yield error(j.node, "has no type", f"give one of {', '.join(types)}")
        else:
            message = f'the type "{quoted(j.kind)}" is not one of {", ".join(types)}'
            yield error(j.node, message, nearest(j.kind, types, "type", outline.format.name))


def axes_point_somewhere(outline: Outline) -> Findings:
    usual = outline.format.axis_expected
    for j in outline.joints:
        node, axis = j.axis_node, j.axis
        if not j.has_axis:
            continue
        if node is None:
            if usual:
                yield note(j.node, f"has no <axis> and so moves along {usual}", "write the axis if that is meant")
        elif axis and max(map(abs, axis)) <= SHORTEST_AXIS:
            yield error(node, "the axis is zero", "give it a direction, such as 0 0 1")
        elif usual and axis and abs(sum(x * x for x in axis) - 1.0) > 1e-3:
            advice = "other programs may scale the motion; write a unit vector"
            yield note(node, "the axis is not of unit length and is normalised", advice)


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
        if not j.endless and lower is not None and upper is not None:
            if lower > upper:
                message = f"lower {lower:g} is above upper {upper:g}"
                yield error(limit.node, message, "exchange the two")
            elif lower == upper:
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
