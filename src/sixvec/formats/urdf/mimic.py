"""The <mimic> elements of URDF: the followers and leaders, in the form of a model.

A file names the leading joint, a model the body of that joint.  Chains are kept as written; the model resolves them to
the independent joint.  A <mimic> on a fixed joint has no meaning and is ignored.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from sixvec.errors import unknown
from sixvec.formats.names import circles, in_words
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported
from sixvec.formats.urdf.elements import ONE_COORDINATE
from sixvec.model import Mimic

_MOST_NAMES_COMPARED = 500
"""The search for the most similar name is slow with thousands of names."""


def mimics(robot: Node, joints: Mapping[str, Node]) -> dict[str, Mimic]:
    """For the name of each mimic joint, its leader and law.

    Some published files follow joints that they do not have.  These joints are left independent, and one warning names
    them all: a robot with extra freedoms is more useful than none.

    >>> from sixvec.formats.xml import parse_xml
    >>> ends = '<parent link="a"/><child link="{}"/>'
    >>> robot = parse_xml(
    ...     f'<robot><joint name="lead" type="revolute">{ends.format("b")}</joint>'
    ...     f'<joint name="follow" type="revolute">{ends.format("c")}<mimic joint="lead" multiplier="-2"/></joint>'
    ...     "</robot>",
    ...     "arm.urdf",
    ... )
    >>> mimics(robot, {j.text("name"): j for j in robot.children("joint")})
    {'follow': Mimic(leader='b', multiplier=-2.0, offset=0.0)}
    """
    leaders: dict[str, str] = {}
    found: dict[str, Mimic] = {}
    missing = Unsupported()
    for name, joint in joints.items():
        mimic = joint.child("mimic")
        if mimic is None or joint.text("type") == "fixed":
            continue
        if joint.text("type") not in ONE_COORDINATE:
            kind = joint.text("type")
            raise mimic.error(f"a {kind} joint cannot follow another", f"only {', '.join(ONE_COORDINATE)} ones can")
        multiplier = mimic.number("multiplier") if mimic.has("multiplier") else 1.0
        offset = mimic.number("offset") if mimic.has("offset") else 0.0
        leader = mimic.text("joint")
        if leader not in joints:
            # All names for each of many joints would make the message unreadable.
            near = difflib.get_close_matches(leader, joints, cutoff=0.5) if len(joints) <= _MOST_NAMES_COMPARED else []
            missing.add(f'the <mimic> of joint "{name}" ({unknown("joint", leader, near or list(joints)[:3])})')
            continue
        if joints[leader].text("type") not in ONE_COORDINATE:
            kind = joints[leader].text("type")
            raise mimic.error(
                f'follows "{leader}", a {kind} joint, which has no single coordinate',
                f"follow a joint that is {', '.join(ONE_COORDINATE)}, or make this one fixed too",
            )
        leaders[name] = leader
        found[name] = Mimic(joints[leader].required("child").text("link"), multiplier, offset)
    for name, circle in circles(leaders):
        raise joints[name].error(f"follows itself: {in_words(circle)}", "take out one <mimic> of the circle")
    missing.warn(robot.where)
    return found
