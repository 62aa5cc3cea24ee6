"""From the links and joints of an SDF file to a tree of bodies, with closures for the remaining joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sixvec.formats.mjcf.pose import IDENTITY, moved
from sixvec.formats.names import require_no_circles
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, raise_or_note, stop_if_noted
from sixvec.formats.sdf.balls import read_balls
from sixvec.formats.sdf.elements import flag, review
from sixvec.formats.sdf.joint import Motion, read_motion
from sixvec.formats.sdf.places import SEPARATOR, WORLD_NAME, NamedElement
from sixvec.formats.sdf.self_collide import self_collisions
from sixvec.formats.sdf.shapes import link_geoms, link_inertia
from sixvec.formats.sdf.world import END, Contents
from sixvec.model import WORLD, Body, Closure, Frame, Mimic, Model
from sixvec.model.edits.floating import ROOT_JOINT
from sixvec.model.joints import Fixed, Free
from sixvec.model.loop_cutting import spanning_tree
from sixvec.spatial import RigidInertia, Vec3

GEARBOX = "gearbox"


@dataclass(frozen=True)
class Connection:
    """A joint between two links, by their keys; without `joint` it attaches a root to the world."""

    parent: str
    child: str
    joint: NamedElement | None = None
    motion: Motion = Motion(Fixed())  # noqa: RUF009 - frozen


class Mechanism:
    """The graph of links and joints of a file, for conversion to a model."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.places = contents.places
        tops = list(contents.scopes[0].models)
        self._prefix = tops[0] + SEPARATOR if len(tops) == 1 else ""
        keys = [element.key for element in (*contents.links, *contents.joints, *contents.frames)]
        self._outside = {key for key in keys if self._prefix and not key.startswith(self._prefix)}
        """Elements next to the only model: a name there prevents the same name in the model from being shortened."""
        outermost = contents.scopes[0].node
        name = tops[0] if len(tops) == 1 else outermost.attributes.get("name", "")
        self.title = name or Path(outermost.file).stem
        self.static = {element.key for element in contents.links if element.scope.static}
        self.limited: set[str] = set()
        """The joints to which the file gives a bound of the position."""
        self.connections = [c for element in contents.joints if (c := self._connection(element)) is not None]
        self._hold_roots()
        self.masses = {f.key: attempt(None, link_inertia, f, contents) for f in contents.links}
        """The inertia of each link; None where it cannot be read."""

    def name(self, key: str) -> str:
        """The name of a link, joint or frame in the model."""
        short = key.removeprefix(self._prefix)
        return key if short in self._outside else short

    def _connection(self, joint: NamedElement) -> Connection | None:
        """A joint with its two links; None if both are static, or for a gearbox."""
        node, scope = joint.node, joint.scope
        review(node, self.contents.unsupported)
        if node.attributes.get("type") == GEARBOX:
            self.contents.unsupported.add("gearbox joint", node)
            return None
        version = self.contents.version(node)
        motion = attempt(Motion(Fixed()), read_motion, node, joint.key, scope, self.places, version)
        if motion.is_limited:
            self.limited.add(joint.key)
        parent, child = (attempt("", self.end, joint, side) for side in ("parent", "child"))
        if not parent or not child:
            return None  # noted
        if parent in self.static and child in self.static:
            return None
        if parent == child:
            raise_or_note(node.error(f'connects "{self.name(parent)}" with itself', "give it another parent or child"))
            return None
        return Connection(parent, child, joint, motion)

    def end(self, joint: NamedElement, tag: str) -> str:
        """The key of the link at one side of a joint, or of the world."""
        side = joint.node.required(tag, END.format(tag))
        key = self.places.find(joint.scope, side.content(), side)
        if key == WORLD_NAME:
            if tag == "child":
                raise side.error("the child of a joint cannot be the world", "swap parent and child")
            return WORLD_NAME
        return self.places.carrier(key)

    def _hold_roots(self) -> None:
        """Connect with the world: static links, and one link of each group that no joint connects with it.

        In each group it is the first link that is not a child of a joint, or else the first link.
        """
        links = [element.key for element in self.contents.links]
        self.connections += [Connection(WORLD_NAME, key) for key in links if key in self.static]
        around: dict[str, list[str]] = {key: [] for key in (WORLD_NAME, *links)}
        for c in self.connections:
            around[c.parent].append(c.child)
            around[c.child].append(c.parent)
        carried = {c.child for c in self.connections}
        reached: set[str] = set()
        for start in (WORLD_NAME, *(k for k in links if k not in carried), *links):
            if start in reached:
                continue
            if start != WORLD_NAME:
                self.connections.append(Connection(WORLD_NAME, start))
            waiting = [start]
            reached.add(start)
            while waiting:
                fresh = [k for k in around[waiting.pop()] if k not in reached]
                reached.update(fresh)
                waiting += fresh

    def model(self, floating: bool, gravity: Vec3) -> Model:
        """The tree with its frames and closures; the connections that the tree does not need close loops."""
        ends = [(WORLD if c.parent == WORLD_NAME else c.parent, c.child) for c in self.connections]
        tree = spanning_tree(ends, self._spare())
        order = self._depth_first(tree.tree)
        self.origin = {WORLD_NAME: WORLD_NAME}
        for child, c in order:
            self.origin[child] = c.joint.key if c.joint else child
        free = self._floating() if floating else {}
        mimics = followers(order, self.contents, self.name)
        stop_if_noted()
        masses = {key: RigidInertia.zero() if mass is None else mass for key, mass in self.masses.items()}
        bodies = []
        for child, c in order:
            mass = moved(self.places.between(self.origin[child], child), masses[child])
            parent = c.parent if child == c.child else c.child
            motion = c.motion if child == c.child else c.motion.turned
            body = Body(
                self.name(child),
                WORLD if parent == WORLD_NAME else self.name(parent),
                motion.joint,
                self.places.between(self.origin[parent], self.origin[child]),
                mass,
                self.name(c.joint.key) if c.joint else "",
                motion.limits,
                motion.dynamics,
                mimics.get(child),
            )
            if child in free:
                body = Body(body.name, WORLD, Free(), IDENTITY, mass, free[child])
            bodies.append(body)
        closures, ends_of_loops = self._closures([self.connections[i] for i in tree.cuts])
        balls, ends_of_balls = read_balls(self.contents, self.origin, {key: self.name(key) for key in masses})
        frames = [Frame(WORLD_NAME, WORLD), *self._frames(), *ends_of_loops, *ends_of_balls]
        geoms = tuple(g for link in self.contents.links for g in link_geoms(link, self.name(link.key), self.contents))
        rules = self_collisions(self.contents.links, self.name)
        stop_if_noted()
        return Model(
            self.title, tuple(bodies), tuple(frames), gravity, (), (*closures, *balls), geoms, contact=rules
        )  # fmt: skip

    def _spare(self) -> list[int]:
        """The joints to cut first: those marked in the file, and those whose child already has a joint."""
        carried: set[str] = set()
        spare = []
        for i, c in enumerate(self.connections):
            if (c.joint and _is_loop_joint(c.joint.node)) or c.child in carried:
                spare.append(i)
            else:
                carried.add(c.child)
        return spare

    def _depth_first(self, tree: tuple[int, ...]) -> list[tuple[str, Connection]]:
        """The links of the tree in the order of the file from the world outward, each with its connection."""
        below: dict[str, list[tuple[str, Connection]]] = {}
        rank = {element.key: i for i, element in enumerate(self.contents.links)}
        for i in sorted(tree):
            c = self.connections[i]
            below.setdefault(c.parent, []).append((c.child, c))
            below.setdefault(c.child, []).append((c.parent, c))
        # Roots are in the order of the links, whether or not a joint of the file attaches them.
        below[WORLD_NAME].sort(key=lambda item: rank[item[0]])
        ordered: list[tuple[str, Connection]] = []
        done = {WORLD_NAME}
        waiting = below[WORLD_NAME][::-1]
        while waiting:
            key, c = waiting.pop()
            done.add(key)
            ordered.append((key, c))
            waiting += [item for item in reversed(below[key]) if item[0] not in done]
        return ordered

    def _floating(self) -> dict[str, str]:
        """For each unattached root, the name of its free joint."""
        roots = [c.child for c in self.connections if c.joint is None and c.child not in self.static]
        if not roots:
            raise self.contents.scopes[0].node.error(
                "floating=True needs a model that no joint connects with the world and that is not static",
                "leave it out",
            )
        if len(roots) == 1:
            return {roots[0]: ROOT_JOINT}
        return {key: f"{self.name(key)}{SEPARATOR}{ROOT_JOINT}" for key in roots}

    def _frames(self) -> list[Frame]:
        """The links and the explicit frames of the file."""
        made = []
        for element in (*self.contents.links, *self.contents.frames):
            carrier = self.places.carrier(element.key)
            body = WORLD if carrier == WORLD_NAME else self.name(carrier)
            made.append(Frame(self.name(element.key), body, self.places.between(self.origin[carrier], element.key)))
        return made

    def _closures(self, cuts: list[Connection]) -> tuple[list[Closure], list[Frame]]:
        """The joints that are not in the tree, each between two new frames at its poses on its links."""
        closures, frames = [], []
        for c in cuts:
            assert c.joint is not None  # only joints can remain: roots are attached once
            name = self.name(c.joint.key)
            ends = f"{name}{SEPARATOR}parent", f"{name}{SEPARATOR}child"
            for end, link in zip(ends, (c.parent, c.child), strict=True):
                X = self.places.between(self.origin[link], c.joint.key)
                frames.append(Frame(end, WORLD if link == WORLD_NAME else self.name(link), X))
            if c.motion != Motion(c.motion.joint):
                self.contents.unsupported.add("limits, friction or spring of a joint that closes a loop", c.joint.node)
            closures.append(Closure(name, ends[0], ends[1], c.motion.joint))
        return closures, frames


def _is_loop_joint(joint: Node) -> bool:
    """Whether the file marks this joint for cutting a loop."""
    physics = joint.child("physics")
    engine = physics.child("simbody") if physics else None
    return engine is not None and flag(engine, "must_be_loop_joint")


def followers(
    order: Sequence[tuple[str, Connection]], contents: Contents, name: Callable[[str], str]
) -> dict[str, Mimic]:
    """For each link whose joint follows another, that law:  q = multiplier (q_leader - reference) + offset.

    A law that involves joints with several axes, or one that closes a loop, is noted as unsupported.
    """
    moved_by = {c.joint.key: (link, c) for link, c in order if c.joint}
    mimics: dict[str, Mimic] = {}
    leaders: dict[str, tuple[Node, str]] = {}
    for link, c in order:
        axis = c.joint.node.child("axis") if c.joint else None
        mimic = axis.child("mimic") if axis else None
        if mimic is None or c.joint is None:
            continue
        leader = attempt("", contents.places.find, c.joint.scope, attempt("", mimic.text, "joint"), mimic, "joint")
        carried, leading = moved_by.get(leader, ("", None))
        if leading is None or leading.motion.joint.nv != 1 or c.motion.joint.nv != 1:
            contents.unsupported.add("mimic of a joint that has not one axis or is not in the tree", mimic)
            continue
        multiplier, offset, reference = (
            attempt(missing, mimic.number_in, tag, missing)
            for tag, missing in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
        )
        mimics[link] = Mimic(name(carried), multiplier, offset - multiplier * reference)
        leaders[name(c.joint.key)] = mimic, name(leader)
    require_no_circles(leaders)
    return mimics
