"""Whether each joint of a URDF says how it moves, how far, and whom it follows."""

from __future__ import annotations

from sixvec.doctor.source import Tag
from sixvec.doctor.structure import nearest
from sixvec.doctor.urdf import (
    ALONG_AXIS,
    JOINT_TYPES,
    SLIDING,
    TURNING,
    Findings,
    Sheet,
    error,
    inside,
    note,
    number,
    numbers,
    warning,
)
from sixvec.loaders.xml import quoted

SHORTEST_AXIS = 1e-9
"""Less is no direction that somebody wrote down on purpose; the loader takes it for zero."""


def types_are_known(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        kind = t.get("type")
        if not kind:
            yield error(t, "has no type", f"give one of {', '.join(JOINT_TYPES)}")
        elif kind not in JOINT_TYPES:
            message = f'the type "{quoted(kind)}" is not one of {", ".join(JOINT_TYPES)}'
            yield error(t, message, nearest(kind, JOINT_TYPES, "type", "URDF"))


def axes_point_somewhere(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        axis = t.first("axis")
        xyz = numbers(axis, "xyz", 3)
        if t.get("type") not in ALONG_AXIS:
            continue
        if axis is None:
            yield note(t, "has no <axis> and so moves along x", "write the axis if that is meant")
        elif xyz and max(map(abs, xyz)) <= SHORTEST_AXIS:
            yield inside(t, error(axis, "the axis is zero", 'give it a direction, such as xyz="0 0 1"'))
        elif xyz and abs(sum(x * x for x in xyz) - 1.0) > 1e-3:
            advice = "other programs may scale the motion; write a unit vector"
            yield inside(t, note(axis, "the axis is not of unit length and is normalised", advice))


def limits_are_given(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        limit = t.first("limit")
        if t.get("type") not in ("revolute", "prismatic"):
            continue
        if limit is None:
            instead = ", or make it continuous" if t.get("type") == "revolute" else ""
            advice = f"add <limit> with lower, upper, effort and velocity{instead}"
            yield warning(t, "has no <limit> and is taken as unlimited", advice)
            continue
        missing = [a for a in ("lower", "upper") if a not in limit.attributes]
        if missing:
            message = f"{' and '.join(missing)} missing: unlimited here, zero for most other programs"
            yield inside(t, warning(limit, message, "write both bounds"))
        absent = [a for a in ("effort", "velocity") if a not in limit.attributes]
        if absent:
            yield inside(t, note(limit, f"{' and '.join(absent)} missing: unlimited", "most other programs require it"))


def limits_make_sense(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        limit = t.first("limit")
        if limit is None or t.get("type") not in (*TURNING, *SLIDING):
            continue
        lower, upper = number(limit, "lower"), number(limit, "upper")
        if t.get("type") != "continuous" and lower is not None and upper is not None:
            if lower > upper:
                yield inside(t, error(limit, f"lower {lower:g} is above upper {upper:g}", "exchange the two"))
            elif lower == upper:
                advice = "make the joint fixed, or give it room"
                yield inside(t, warning(limit, f"lower and upper are both {lower:g}: it cannot move", advice))
        for attribute in ("effort", "velocity"):
            bound = number(limit, attribute)
            if bound is not None and bound < 0.0:
                advice = "give the largest magnitude, a positive number"
                yield inside(t, warning(limit, f"{attribute} {bound:g} is negative", advice))
            elif bound == 0.0:
                advice = "leave the attribute out if it is not known"
                yield inside(t, note(limit, f"{attribute} is zero: the joint cannot be driven", advice))


def friction_is_not_negative(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        dynamics = t.first("dynamics")
        for attribute in ("damping", "friction"):
            value = number(dynamics, attribute)
            if dynamics and value is not None and value < 0.0:
                message = f"{attribute} {value:g} is negative and would drive the joint"
                yield inside(t, warning(dynamics, message, "give a positive number or zero"))


def leaders_exist(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        mimic = t.first("mimic")
        if mimic is None:
            continue
        name = mimic.get("joint")
        leader = sheet.joint_named.get(name)
        if t.get("type") == "fixed":
            yield inside(t, note(mimic, "a fixed joint follows nobody", "take it out, or let the joint move"))
        elif t.get("type") not in (*TURNING, *SLIDING) and t.get("type") in JOINT_TYPES:
            message = f"a {t.get('type')} joint cannot follow another"
            yield inside(t, error(mimic, message, "only a revolute, continuous or prismatic one can"))
        elif not name:
            yield inside(t, error(mimic, "names no joint to follow", 'add the attribute joint="…"'))
        elif leader is None:
            advice = nearest(name, sheet.joint_named, "joint")
            yield inside(t, error(mimic, f'follows the joint "{quoted(name)}", which does not exist', advice))
        elif leader.get("type") not in (*TURNING, *SLIDING) and leader.get("type") in JOINT_TYPES:
            advice = "follow a revolute, continuous or prismatic joint"
            message = f'follows "{quoted(name)}", a {leader.get("type")} joint, which has no single coordinate'
            yield inside(t, error(mimic, message, advice))
        elif number(mimic, "multiplier") == 0.0:
            yield inside(t, warning(mimic, "the multiplier is zero: it never moves", "make the joint fixed"))


def leaders_do_not_follow_in_a_circle(sheet: Sheet) -> Findings:
    finished: set[str] = set()
    for t in sheet.joints:
        walk: dict[str, None] = {}
        name = t.get("name")
        while name and name not in finished and name not in walk:
            walk[name] = None
            name = _leader(sheet.joint_named.get(name))
        if name in walk:
            chain = [*walk]
            circle = [quoted(n) for n in chain[chain.index(name) :]]
            shown = " -> ".join([*circle[:6], circle[0]])
            yield error(sheet.joint_named[name], f"follows itself: {shown}", "take out one <mimic> of the circle")
        finished.update(walk)


def _leader(joint: Tag | None) -> str:
    mimic = joint.first("mimic") if joint and joint.get("type") != "fixed" else None
    return mimic.get("joint") if mimic else ""
