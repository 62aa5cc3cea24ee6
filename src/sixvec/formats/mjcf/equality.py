"""Equality constraints of MJCF: mimic joints, and joints that close loops.

The meaning of the elements is that of MuJoCo (XML reference, sections equality and tendon/fixed).  A constraint
between two sites makes them coincide.  A constraint between bodies preserves the configuration of the file, in which
every joint is at its `ref`: the bodies of a connect keep the point `anchor` of the first in common, the second body of
a weld keeps its pose relative to the first, unless `relpose` gives that pose, whose position is then that of the
`anchor` of the second.  A weld without torque (`torquescale="0"`) only keeps its `anchor`, as a connect does.  No
second body means the world.  The length of a fixed tendon is  Σ coef · q,  and an equality of one or two of them is
l₁ - l₁⁰ = c₀ + c₁ (l₂ - l₂⁰) + …  where l⁰ are the lengths with all joints at their `ref`: the law of a differential.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sixvec.formats.mjcf.compiler import BOOLEANS, choice
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.joint import JointInBody
from sixvec.formats.mjcf.pose import turn_of
from sixvec.formats.names import free_name
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.formats.unsupported import Unsupported
from sixvec.model import AnyClosure, Closure, Differential, Frame, Gear, Mimic
from sixvec.model.joints import Fixed, Revolute, Spherical
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Vec3

GROUND = "world"
"""The name of the frame of the world."""

SAME_PLACE = 1e-9
"""Metres, and components of a unit vector: anchors closer than this coincide, axes as close are parallel."""

TERMS_OF_A_LAW = 5
"""Coefficients of the polynomial by which one joint follows another."""

Joints = dict[str, tuple[str, JointInBody]]
"""For each named joint, the body of the model that it moves, and its element in the file."""


@dataclass(frozen=True)
class Places:
    """The poses of bodies and sites, by their names in the file."""

    bodies: dict[str, Frame]
    """The frame of each body and of the world."""
    shown: dict[str, Pose]
    """The pose of each body in the file: that at MuJoCo's qpos0."""
    sites: dict[str, Frame]


@dataclass
class Equalities:
    """The equalities of a file as laws of followers (by body), closures, and frames for them."""

    followers: dict[str, Mimic] = field(default_factory=dict)
    closures: list[AnyClosure] = field(default_factory=list)
    frames: dict[str, Frame] = field(default_factory=dict)
    spare: set[str] = field(default_factory=set)
    """Sites that only define an axis."""

    def leaders_of(self, body: str) -> Iterator[str]:
        """The bodies whose joints the joint of a body follows, each following the next."""
        while (mimic := self.followers.get(body)) is not None:
            yield (body := mimic.leader)


def read_equalities(
    root: Node, defaults: Defaults, joints: Joints, places: Places, unsupported: Unsupported
) -> Equalities:
    """All active equalities; those that the model cannot represent are noted."""
    equalities = Equalities()
    for section in root.children("equality"):
        for number, node in enumerate(section.inside, 1):
            name = node.attributes.get("name") or f"{node.tag}{number}"
            attempt(None, _read, equalities, root, defaults.resolved(node), name, defaults, joints, places, unsupported)
    return equalities


def _read(
    equalities: Equalities,
    root: Node,
    node: Node,
    name: str,
    defaults: Defaults,
    joints: Joints,
    places: Places,
    unsupported: Unsupported,
) -> None:
    require_possible_equality(node)
    # In a class it appears under the name of the section.
    of_class = defaults.classes.get(node.attributes.get("class") or defaults.main, {}).get("equality", {})
    if not choice(node, "active", BOOLEANS, of_class.get("active", "true") == "true"):
        return
    name = free_name(name, [c.name for c in equalities.closures])
    if node.tag in ("connect", "weld"):
        _close(equalities, node, name, places, unsupported)
    elif node.tag == "tendon" and (law := tendon_law(root, node, name, joints)):
        equalities.closures.append(law)
    elif node.tag != "joint" or not _couple(equalities, node, name, joints):
        unsupported.add(f"equality ({node.tag})", node)


def require_possible_equality(node: Node) -> None:
    """Errors that MuJoCo raises also for inactive equalities: an element equal to itself, a law with too many terms."""
    for kind in ("joint", "body", "site", "tendon"):
        first = node.attributes.get(f"{kind}1")
        second = node.attributes.get(f"{kind}2") or (GROUND if kind == "body" else None)
        if first is not None and first == second:
            message = f'{kind}1 and {kind}2 are both "{quoted(first)}": it follows itself'
            raise node.error(message, f"name another {kind}, or take the <{node.tag}> out")
    node.numbers("polycoef", TERMS_OF_A_LAW, (), least=1)


def _couple(equalities: Equalities, node: Node, name: str, joints: Joints) -> bool:
    """A mimic joint; a second law for one joint closes a loop, and so does a joint that would follow itself.  False
    where the law is not linear.

    The file defines  q₁ - ref₁ = c₀ + c₁ (q₂ - ref₂) + c₂ (q₂ - ref₂)² + …,  or of one joint  q₁ - ref₁ = c₀.
    """
    for key in ("joint1", "joint2"):
        if node.has(key) and node.text(key) not in joints:
            raise node.unknown("joint", node.text(key), joints, key=key)
    law = linear_terms(node)
    follower, first = joints[node.text("joint1")]
    if law is None or first.joint.nq != 1:
        return False
    if not node.has("joint2"):
        equalities.closures.append(Differential(name, ((follower, 1.0),), law[0] + first.ref))
        return True
    leader, second = joints[node.text("joint2")]
    if second.joint.nq != 1:
        return False
    mimic = Mimic(leader, law[1], law[0] + first.ref - law[1] * second.ref)
    if follower in equalities.followers or follower in equalities.leaders_of(leader):
        equalities.closures.append(Gear(name, mimic.leader, follower, mimic.multiplier, mimic.offset))
    else:
        equalities.followers[follower] = mimic
    return True


def _close(equalities: Equalities, node: Node, name: str, places: Places, unsupported: Unsupported) -> None:
    """A connect is a ball, a weld a fixed joint between two frames, or a ball if it has no torque."""
    torque = node.number("torquescale", 1.0) if node.tag == "weld" else 0.0
    if torque not in (0.0, 1.0):
        unsupported.add("torquescale of a weld (the weld is rigid)", node)
    if node.has("site1") or node.has("site2"):
        first, second = (_named(node, key, "site", places.sites) for key in ("site1", "site2"))
    else:
        first, second = _between_bodies(equalities, node, name, places, is_ball=torque == 0.0)
    closure = Closure(name, first.name, second.name, Fixed() if torque else Spherical())
    if not torque and _makes_hinge(equalities, closure, first, second, places):
        return
    equalities.closures.append(closure)


def _between_bodies(
    equalities: Equalities, node: Node, name: str, places: Places, *, is_ball: bool
) -> tuple[Frame, Frame]:
    """New frames on both bodies that coincide under the constraint."""
    first = _named(node, "body1", "body", places.bodies)
    second = _named(node, "body2", "body", places.bodies) if node.has("body2") else places.bodies[GROUND]
    relative = places.shown[second.name].inv() @ places.shown[first.name]
    # `relpose` is the second body in the first; a quaternion of zeros, the default, means the pose in the file.
    values = node.numbers("relpose", 7, (0.0,) * 7) if node.tag == "weld" else ()
    placement = Pose(turn_of(values[3:]), Vec3.of(values[:3])) if any(values[3:]) else None
    if node.tag == "connect":
        end(node, "anchor")
        in_first = Pose.translation(Vec3.of(node.numbers("anchor", 3)))
        in_second = relative @ in_first
    else:
        in_second = Pose.translation(Vec3.of(node.numbers("anchor", 3, (0.0, 0.0, 0.0))))
        if placement is None and not is_ball:
            in_second = Pose.identity()  # a rigid pair shares every point, also its origin; a ball only the anchor
        in_first = relative.inv().as_pose() @ in_second if placement is None else placement
    on_first = _new(equalities, f"{name}/1", first, in_first, places)
    return on_first, _new(equalities, f"{name}/2", second, in_second, places)


def _new(equalities: Equalities, name: str, on: Frame, X: Pose, places: Places) -> Frame:
    taken = equalities.frames.keys() | places.bodies.keys() | {f.name for f in places.sites.values()}
    name = free_name(name, taken)
    equalities.frames[name] = Frame(name, on.body, on.placement @ X)
    return equalities.frames[name]


def end(node: Node, key: str) -> str:
    """What an equality must say about its two ends."""
    return node.text(key, ENDS.get(key, ""))


ENDS = {
    "body1": 'add body1="…", or site1 and site2',
    "anchor": 'add anchor="x y z", the point in body1 where they meet',
}


def _named(node: Node, key: str, what: str, offered: dict[str, Frame]) -> Frame:
    name = end(node, key)
    if name not in offered:
        raise node.unknown(what, name, offered, key=key)
    return offered[name]


def _makes_hinge(equalities: Equalities, ball: Closure, first: Frame, second: Frame, places: Places) -> bool:
    """Two balls between the same bodies are a hinge about the line through them, if the frames agree on it."""
    known = equalities.frames | {f.name: f for f in places.sites.values()}
    for i, other in enumerate(equalities.closures):
        if not isinstance(other, Closure) or not other.joint.is_ball:
            continue
        start, end = known[other.first], known[other.second]
        if (start.body, end.body) != (first.body, second.body):
            continue
        axis, again = start.placement.inv() * first.placement.pos, end.placement.inv() * second.placement.pos
        if axis.norm() > SAME_PLACE and (axis - again).norm() <= SAME_PLACE * axis.norm():
            equalities.closures[i] = replace(other, joint=Revolute(axis))
            for f, site in ((first, f"{ball.name}/1"), (second, f"{ball.name}/2")):
                if f.name == site:
                    equalities.frames.pop(site, None)
                    equalities.spare.add(site)
            return True
    return False


def linear_terms(node: Node) -> tuple[float, float] | None:
    """c₀ and c₁ of the law of an equality; None where it has terms of higher degree."""
    coefficients = node.numbers("polycoef", len(node.text("polycoef").split())) if node.has("polycoef") else ()
    c0, c1, *higher = (*coefficients, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(coefficients) :])
    return None if any(higher) else (c0, c1)


def tendon_law(root: Node, node: Node, name: str, joints: Joints) -> Differential | None:
    """The law of an equality of tendons; None where it is not linear in joints of one coordinate."""
    law, tendons = linear_terms(node), fixed_tendons(root)
    sides = [node.get(key) for key in ("tendon1", "tendon2") if node.has(key)]
    if law is None or not sides or any(t not in tendons for t in sides):
        return None
    factors: dict[str, float] = {}
    offset = law[0]
    for tendon, sign in zip(sides, (1.0, -law[1]), strict=False):
        for side in tendons[tendon].children("joint"):
            if side.text("joint") not in joints:
                raise side.unknown("joint", side.text("joint"), joints)
            body, joint = joints[side.text("joint")]
            if joint.joint.nq != 1:
                return None
            factor = sign * side.number("coef")
            factors[body] = factors.get(body, 0.0) + factor
            offset += factor * joint.ref
    return Differential(name, tuple(factors.items()), offset) if any(factors.values()) else None


def fixed_tendons(root: Node) -> dict[str, Node]:
    return {t.get("name"): t for section in root.children("tendon") for t in section.children("fixed") if t.has("name")}


def only_equated(root: Node, defaults: Defaults) -> set[str]:
    """Tendons used only by equalities: no spring, damper, limit, friction or actuator."""
    named = {n.get(k) for s in root.children("equality") for n in s.children("tendon") for k in ("tendon1", "tendon2")}
    named -= {n.get("tendon") for s in root.children("actuator") for n in s.inside}
    return {
        name
        for name, t in fixed_tendons(root).items()
        if name in named and {*defaults.resolved(t, tag="tendon").attributes} <= {"name", "class"}
    }
