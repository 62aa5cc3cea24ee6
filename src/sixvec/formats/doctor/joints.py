"""Whether each joint says how it moves, and how far."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.sheet import Motion, Sheet
from sixvec.formats.doctor.source import error, inside, note, warning
from sixvec.quoting import quoted

SHORTEST_AXIS = 1e-9
"""Less is no direction that somebody wrote down on purpose; the loader takes it for zero."""


def types_are_known(sheet: Sheet) -> Findings:
    types = sheet.format.joint_types
    for j in sheet.joints:
        if j.motion is not Motion.UNKNOWN:
            continue
        if not j.kind:
            yield error(j.tag, "has no type", f"give one of {', '.join(types)}")
        else:
            message = f'the type "{quoted(j.kind)}" is not one of {", ".join(types)}'
            yield error(j.tag, message, nearest(j.kind, types, "type", sheet.format.name))


def axes_point_somewhere(sheet: Sheet) -> Findings:
    usual = sheet.format.axis_expected
    for j in sheet.joints:
        tag, axis = j.axis_tag, j.axis
        if not j.has_axis:
            continue
        if tag is None:
            if usual:
                yield note(j.tag, f"has no <axis> and so moves along {usual}", "write the axis if that is meant")
        elif axis and max(map(abs, axis)) <= SHORTEST_AXIS:
            yield inside(j.tag, error(tag, "the axis is zero", "give it a direction, such as 0 0 1"))
        elif usual and axis and abs(sum(x * x for x in axis) - 1.0) > 1e-3:
            advice = "other programs may scale the motion; write a unit vector"
            yield inside(j.tag, note(tag, "the axis is not of unit length and is normalised", advice))


def limits_are_given(sheet: Sheet) -> Findings:
    expected = sheet.format.limits_expected
    for j in sheet.joints:
        if not j.motion.has_one_coordinate or j.endless:
            continue
        if j.limit is None:
            if expected:
                instead = ", or make it continuous" if j.motion is Motion.TURN else ""
                advice = f"add <limit> with lower, upper, effort and velocity{instead}"
                yield error(j.tag, "has no <limit> and is taken as unlimited, which other programs refuse", advice)
            elif j.follow is None:
                yield note(j.tag, "has no limits", "add them if the joint cannot move without end")
            continue
        missing = [word for word in j.limit.missing if word in ("lower", "upper")]
        if missing and expected:
            message = f"{' and '.join(missing)} missing: unlimited here, zero for most other programs"
            yield inside(j.tag, warning(j.limit.tag, message, "write both bounds"))


def limits_make_sense(sheet: Sheet) -> Findings:
    for j in sheet.joints:
        limit = j.limit
        if limit is None or not j.motion.has_one_coordinate:
            continue
        lower, upper = limit.lower, limit.upper
        if not j.endless and lower is not None and upper is not None:
            if lower > upper:
                message = f"lower {lower:g} is above upper {upper:g}"
                yield inside(j.tag, error(limit.tag, message, "exchange the two"))
            elif lower == upper:
                advice = "make the joint fixed, or give it room"
                yield inside(j.tag, warning(limit.tag, f"lower and upper are both {lower:g}: it cannot move", advice))
        for word, bound in (("effort", limit.effort), ("velocity", limit.velocity)):
            if bound is not None and bound < 0.0:
                advice = "give the largest magnitude, a positive number"
                yield inside(j.tag, warning(limit.tag, f"{word} {bound:g} is negative", advice))
            elif bound == 0.0:
                advice = "leave it out if it is not known"
                yield inside(j.tag, note(limit.tag, f"{word} is zero: the joint cannot be driven", advice))


def friction_is_not_negative(sheet: Sheet) -> Findings:
    for j in sheet.joints:
        for tag, word, value in j.friction:
            if value is not None and value < 0.0:
                message = f"{word} {value:g} is negative and would drive the joint"
                yield inside(j.tag, warning(tag, message, "give a positive number or zero"))
