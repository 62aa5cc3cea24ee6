"""Whether joints that follow others follow one that can lead, and none follows itself."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings
from sixvec.formats.doctor.names import circles, shown
from sixvec.formats.doctor.sheet import Motion, Sheet
from sixvec.formats.doctor.source import error, inside, note, warning
from sixvec.quoting import quoted


def followers_can_follow(sheet: Sheet) -> Findings:
    """That the leader exists is asked of all names alike."""
    for j in sheet.joints:
        if j.follow is None:
            continue
        tag, leader = j.follow.tag, sheet.joint_named.get(j.follow.leader)
        if j.motion is Motion.NONE:
            yield inside(j.tag, note(tag, "a fixed joint follows nobody", "take it out, or let the joint move"))
        elif j.motion is Motion.SEVERAL:
            message = f"a {j.kind} joint cannot follow another"
            yield inside(j.tag, error(tag, message, "only a joint with one coordinate can"))
        elif leader is not None and leader.motion in (Motion.NONE, Motion.SEVERAL):
            advice = "follow a joint that turns or slides"
            message = f'follows "{quoted(leader.name)}", a {leader.kind} joint, which has no single coordinate'
            yield inside(j.tag, error(tag, message, advice))
        elif leader is not None and j.follow.multiplier == 0.0:
            yield inside(j.tag, warning(tag, "the multiplier is zero: it never moves", "make the joint fixed"))


def followers_do_not_follow_in_a_circle(sheet: Sheet) -> Findings:
    first = [j for j in sheet.joints if sheet.joint_named.get(j.name) is j]
    steps = {j.name: j.follow.leader for j in first if j.follow and j.motion is not Motion.NONE}
    for name, circle in circles(steps):
        j = sheet.joint_named[name]
        where = j.follow.tag if j.follow else j.tag
        yield inside(j.tag, error(where, f"follows itself: {shown(circle)}", "let one joint of the circle go free"))
