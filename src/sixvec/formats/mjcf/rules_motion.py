"""The joints and inertias of MJCF bodies for the rules: what MuJoCo takes in one body, and what it does not."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.outline import Joint, numbers
from sixvec.formats.mjcf.defaults import ORIENTATIONS
from sixvec.formats.mjcf.rules_body import WORLD_NAME, Bodies

POSITIONS = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}
VELOCITIES = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
MOST_FREEDOM = 6
TURNING = ("hinge", "ball")


def bodies_are_not_the_world(bodies: Bodies) -> Findings:
    for link in bodies.links:
        if link.node.get("name") == WORLD_NAME:
            yield error(link.node, f'"{WORLD_NAME}" is the name of the world itself', "give the body another name")


def joints_fit_into_bodies(bodies: Bodies) -> Findings:
    """A free joint stands alone in a body of the world; nothing turns after a ball; a body has six freedoms."""
    of_body: dict[str, list[Joint]] = {}
    for j in bodies.joints:
        if j.kind in VELOCITIES:
            of_body.setdefault(j.child, []).append(j)
    for joints in of_body.values():
        for j in joints:
            if j.kind == "free" and j.parent != WORLD_NAME:
                message = "a free joint is only for bodies that stand in the world"
                yield error(j.node, message, "move the body out, or give it other joints")
        free = [j for j in joints if j.kind == "free"]
        first_ball = next((i for i, j in enumerate(joints) if j.kind == "ball"), len(joints))
        after = [j for j in joints[first_ball + 1 :] if j.kind in TURNING]
        freedom = sum(VELOCITIES[j.kind] for j in joints)
        if free and len(joints) > 1:
            other = next((j for j in joints if j.kind != "free"), joints[-1])
            message = "a free joint must be the only joint of its body"
            yield error(other.node, message, "take the others out")
        elif after:
            message = "a joint that turns follows a ball in the same body"
            yield error(after[0].node, message, "the ball turns every way already: take it out")
        elif freedom > MOST_FREEDOM:
            message = f"{len(joints)} joints give the body {freedom} degrees of freedom; there are {MOST_FREEDOM}"
            yield error(joints[-1].node, message, "take some out, or put a body in between")


def balls_start_at_zero(bodies: Bodies) -> Findings:
    for e in bodies.elements:
        ends = numbers(e.full, "range", 2) if e.full.get("type") == "ball" and e.node.tag == "joint" else None
        if ends is not None and ends[0] != 0.0 and e.full.get("limited") != "false":
            message = f"the range of a ball starts at {ends[0]:g}"
            yield error(e.node, message, "give 0 and the largest angle of the turn")


def inertias_are_given_once(bodies: Bodies) -> Findings:
    for e in bodies.elements:
        if e.node.tag != "inertial" or "fullinertia" not in e.node.attributes:
            continue
        if "diaginertia" in e.node.attributes:
            yield error(e.node, "gives diaginertia and fullinertia", "give one of them")
        turned = [name for name in ORIENTATIONS if name in e.node.attributes]
        if turned:
            message = f"gives fullinertia and {turned[0]}: the tensor says already how it is turned"
            yield error(e.node, message, f"take {turned[0]} out, or give diaginertia")


def moving_bodies_have_inertia(bodies: Bodies) -> Findings:
    """A body with joints has mass and moments, or one that is fixed to it has; MuJoCo asks for them everywhere."""
    moved = {j.child: j for j in reversed(bodies.joints) if j.kind in VELOCITIES}
    heavy: set[str] = set()
    for link in reversed(bodies.links):  # children first
        if link.heavy:
            heavy.add(link.name)
        if link.name in heavy and link.name not in moved:
            heavy.add(bodies.parents[link.node])
    for link in bodies.links:
        if link.name in moved and link.name not in heavy:
            message = "moves a body that has no mass, nor has anything that is fixed to it"
            advice = "MuJoCo refuses it: give it a geom or an <inertial>"
            yield error(moved[link.name].node, message, advice)
