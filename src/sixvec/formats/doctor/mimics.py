"""Whether joints that follow others follow one that can lead, and none follows itself."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error, note, warning
from sixvec.formats.doctor.names import circles, in_words
from sixvec.formats.doctor.outline import Motion, Outline
from sixvec.quoting import quoted


def followers_can_follow(outline: Outline) -> Findings:
    """That the leader exists is asked of all names alike."""
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


def followers_do_not_follow_in_a_circle(outline: Outline) -> Findings:
    first = [j for j in outline.joints if outline.joint_named.get(j.name) is j]
    steps = {j.name: j.follow.leader for j in first if j.follow and j.motion is not Motion.NONE}
    for name, circle in circles(steps):
        j = outline.joint_named[name]
        where = j.follow.node if j.follow else j.node
        yield error(where, f"follows itself: {in_words(circle)}", "let one joint of the circle go free")
