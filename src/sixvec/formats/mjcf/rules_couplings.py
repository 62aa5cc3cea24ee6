"""What MJCF says about several bodies at once, for the rules: equalities, motors, keyframes."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.rules_body import WORLD_NAME, Bodies
from sixvec.formats.mjcf.rules_motion import POSITIONS, VELOCITIES
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node
from sixvec.quoting import quoted

TARGETS = ("joint", "jointinparent", "tendon", "site", "cranksite", "slidersite", "body")
TARGETED = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle")


def equalities_hold_two_things(root: Node, classes: Defaults) -> Findings:
    for _, t in sections(root, "equality"):
        full = classes.resolved(t)
        if t.tag in ("connect", "weld"):
            by_sites = full.get("site1") or full.get("site2")
            if not by_sites and not full.get("body1"):
                yield error(t, "names no body1", 'add body1="…", or site1 and site2')
            if not by_sites and t.tag == "connect" and "anchor" not in full.attributes:
                yield error(t, "has no anchor", 'add anchor="x y z", the point in body1 where they meet')
            if by_sites and not (full.get("site1") and full.get("site2")):
                yield error(t, "names one site", "give site1 and site2, or bodies")
        if t.tag in ("joint", "tendon") and not full.get(f"{t.tag}1"):
            yield error(t, f"names no {t.tag}1", f'add {t.tag}1="…"')
        for what in ("body", "site", "joint", "tendon"):
            first = full.get(f"{what}1")
            second = full.get(f"{what}2") or (WORLD_NAME if what == "body" else "")
            if first and first == second:
                message = f'{what}1 and {what}2 are both "{quoted(first)}": it follows itself'
                yield error(t, message, f"name another {what}, or take the <{t.tag}> out")


def motors_have_a_target(root: Node) -> Findings:
    for _, t in sections(root, "actuator"):
        if t.tag in TARGETED and not any(t.get(key) for key in TARGETS):
            yield error(t, "drives nothing", 'name what it drives, such as joint="…"')
        elif t.tag == "adhesion" and not t.get("body"):
            yield error(t, "names no body", 'add body="…"')


def keyframes_have_the_size_of_the_state(root: Node, bodies: Bodies) -> Findings:
    """Only where every joint is known: else nobody can count them."""
    kinds = [j.kind for j in bodies.joints if j.kind != "fixed"]
    if any(kind not in POSITIONS for kind in kinds):
        return
    needed = {"qpos": sum(POSITIONS[k] for k in kinds), "qvel": sum(VELOCITIES[k] for k in kinds)}
    for _, t in sections(root, "keyframe"):
        for word, count in needed.items():
            given = len(t.get(word).split())
            if given not in (0, count):
                yield error(t, f"{word} holds {given} numbers, and the joints have {count}", f"give {count}")
