"""The joints, inertias, equalities and motors of MJCF for the rules: what MuJoCo accepts and what it rejects."""

from __future__ import annotations

import math

from sixvec.formats.doctor.finding import Findings, error, reader_errors, warning
from sixvec.formats.doctor.outline import Motion, numbers
from sixvec.formats.mjcf.defaults import ORIENTATIONS
from sixvec.formats.mjcf.equality import end, require_possible_equality
from sixvec.formats.mjcf.rules_body import Bodies
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.names import circles, in_words

POSITIONS = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}
VELOCITIES = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}


MOST_RADIANS = 2.0 * math.pi + 0.01
"""Limits that all lie within this, in a file that is read in degrees, are likely radians."""

FEW = 3
"""Number of joints that may all have ranges of a few degrees by chance."""

TELLING = tuple(math.pi * fraction for fraction in (0.5, 0.75, 1.0, 1.5, 2.0))
"""Angles that are common in radians and not used in degrees, to about two digits."""


def ranges_are_degrees(bodies: Bodies) -> Findings:
    """A joint may have a range of a few degrees, but hardly all joints of a robot, and not 3.14 degrees."""
    turning = [j for j in bodies.joints if bodies.compiler.degrees and j.motion is Motion.TURN and any(j.bounds or ())]
    bounds = [x for j in turning for x in j.bounds or ()]
    if not bounds or max(map(abs, bounds)) > MOST_RADIANS:
        return
    telling = any(abs(abs(x) - angle) < 0.01 for x in bounds for angle in TELLING)
    if telling or len(turning) > FEW:
        message = f"no joint turns further than {max(map(abs, bounds)):g} degrees: are the ranges in radians?"
        yield warning(turning[0].node, message, 'MJCF is in degrees unless <compiler angle="radian"/> says otherwise')


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
        turned = [name for name in ORIENTATIONS if name in e.node.attributes]
        if turned:
            message = f"gives fullinertia and {turned[0]}: the tensor says already how it is turned"
            yield error(e.node, message, f"take {turned[0]} out, or give diaginertia")


def moving_bodies_have_inertia(bodies: Bodies) -> Findings:
    """A body with joints, or one fixed to it, must have mass and moments; MuJoCo requires them everywhere."""
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
            advice = "MuJoCo rejects it: give it a geom or an <inertial>"
            yield error(moved[link.name].node, message, advice)


TARGETS = ("joint", "jointinparent", "tendon", "site", "cranksite", "slidersite", "body")
TARGETED = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle")


def equalities_hold_two_things(bodies: Bodies) -> Findings:
    for _, t in sections(bodies.root, "equality"):
        full = bodies.classes.resolved(t)
        if t.tag in ("connect", "weld"):
            bodies_of = ("body1", "anchor") if t.tag == "connect" else ("body1",)
            needed: tuple[str, ...] = ("site1", "site2") if full.get("site1") or full.get("site2") else bodies_of
        else:
            needed = (f"{t.tag}1",) if t.tag in ("joint", "tendon") else ()
        for key in needed:
            yield from reader_errors(end, full, key, numbers=True)
        yield from reader_errors(require_possible_equality, full)


def joints_follow_in_no_circle(bodies: Bodies) -> Findings:
    laws = {j.name: j.follow for j in bodies.joints if j.follow is not None}
    for name, circle in circles({name: law.leader for name, law in laws.items()}):
        message = f"follows itself: {in_words(circle)}; one of these laws closes a loop"
        if len(circle) > 1:
            yield warning(laws[name].node, message, "let one joint of the circle go free")


def motors_have_a_target(bodies: Bodies) -> Findings:
    for _, t in sections(bodies.root, "actuator"):
        if t.tag in TARGETED and not any(t.get(key) for key in TARGETS):
            yield error(t, "drives nothing", 'name what it drives, such as joint="…"')
        elif t.tag == "adhesion" and not t.get("body"):
            yield error(t, "names no body", 'add body="…"')


def keyframes_have_the_size_of_the_state(bodies: Bodies) -> Findings:
    """Only if every joint is known: otherwise they cannot be counted."""
    kinds = [j.kind for j in bodies.joints if j.kind != "fixed"]
    if any(kind not in POSITIONS for kind in kinds):
        return
    needed = {"qpos": sum(POSITIONS[k] for k in kinds), "qvel": sum(VELOCITIES[k] for k in kinds)}
    for _, t in sections(bodies.root, "keyframe"):
        for word, count in needed.items():
            written = len(t.get(word).split())
            if written not in (0, count):
                yield error(t, f"{word} holds {written} numbers, and the joints have {count}", f"give {count}")
