"""The outline of a robot file, whatever its format: links, joints, names and numbers exactly as written.

An outline may be inconsistent: a joint may name a link that does not exist, and a number may be a word.  Each format
makes the outline of its files; each rule checks an outline for one kind of problem.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from sixvec.formats.doctor.finding import Finding, Findings
from sixvec.formats.node import Node, read_numbers
from sixvec.formats.vocabulary import Vocabulary
from sixvec.model import Model
from sixvec.spatial import RigidInertia

T = TypeVar("T")


class Motion(Enum):
    """The type of a joint, in terms common to all formats."""

    TURN = "turn"
    SLIDE = "slide"
    SEVERAL = "several"
    NONE = "none"
    UNKNOWN = "unknown"

    @property
    def has_one_coordinate(self) -> bool:
        return self in (Motion.TURN, Motion.SLIDE)


@dataclass(frozen=True)
class Format:
    """Properties that are mistakes in one format and usual in another."""

    name: str
    link: str
    """The format's term for a rigid body."""
    one_tree: bool = False
    """Whether the joints must form one tree with one root."""
    rejects_unknown: bool = False
    """Whether the reader rejects an element that the format does not define; if not, it is left out."""
    weight_expected: bool = False
    """Whether every moving body needs its own mass, for which the format has a rule."""
    vocabulary: Vocabulary | None = None
    """The allowed contents of each element."""
    strict: bool = True
    """Whether other programs may not add elements, so that an unknown word is a mistake."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rigid body."""

    node: Node
    name: str
    inertial: Node | None
    """The element that gives its inertia."""
    inertia: RigidInertia | None
    """Mass and tensor about the centre of mass, where the file gives them and they can be read."""
    heavy: bool
    """Whether it has mass, or might."""


@dataclass(frozen=True, slots=True, eq=False)
class Follow:
    """The relation of a mimic joint to its leader."""

    node: Node
    leader: str
    multiplier: float | None = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint; the names of its links are empty where the file gives none that exists."""

    node: Node
    name: str
    kind: str
    motion: Motion
    parent: str
    child: str
    bounds: tuple[float, ...] | None = None
    """The ends of its range in the numbers of the file, none where they are not needed; None without a range."""
    endless: bool = False
    """Whether the file declares it unlimited."""
    follow: Follow | None = None


class Reference(NamedTuple):
    """A name that refers to another element, in the attribute `key`."""

    node: Node
    what: str
    name: str
    offered: Collection[str]
    key: str = ""


class Written(NamedTuple):
    """Numbers in the file, or missing ones that are required."""

    node: Node
    attribute: str
    """Empty where the numbers are between the tags."""
    least: int
    most: int
    infinite: bool = False


class Mesh(NamedTuple):
    """The name of a file that contains a shape; `needed` if an inertia is computed from it."""

    node: Node
    file: str
    needed: bool = False


class Inner(NamedTuple):
    """An element that a reader uses, its allowed contents, and which of them may appear only once."""

    node: Node
    known: Collection[str]
    single: Collection[str] = ()


@dataclass(frozen=True)
class Outline:
    """All data of a file that the rules use."""

    format: Format
    root: Node
    model: Callable[[], Model]
    """How the reader makes the robot, or reports why it cannot."""
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    meshes: list[Mesh] = field(default_factory=list)
    owners: list[Inner] = field(default_factory=list)
    written: Callable[[], Iterator[Written]] = lambda: iter(())
    closed: frozenset[str] = frozenset()
    """Links at which the file itself closes a loop."""
    complete: bool = True
    """Whether all names are in the file: none come from unreadable files or from copies made later."""
    problems: list[Finding] = field(default_factory=list)
    """Findings made while the outline was created."""
    rules: list[Callable[[], Findings]] = field(default_factory=list)
    """Rules specific to this format."""
    examined: dict[object, list[Finding]] = field(default_factory=dict)
    """What the reader has found by the rules about values, rule by rule."""
    folders: tuple[Path, ...] = ()
    """Folders of the caller, from which other files may be read."""
    parts: list[Outline] = field(default_factory=list)
    """The outlines of included files, which are checked separately."""

    @cached_property
    def link_named(self) -> dict[str, Link]:
        """The first link of each name."""
        return {link.name: link for link in reversed(self.links) if link.name}

    @cached_property
    def joint_named(self) -> dict[str, Joint]:
        """The first joint of each name."""
        return {j.name: j for j in reversed(self.joints) if j.name}

    @cached_property
    def joint_above(self) -> dict[str, Joint]:
        """For each child link, the first joint that names it."""
        return {j.child: j for j in reversed(self.joints) if j.child}

    @cached_property
    def joints_below(self) -> dict[str, list[Joint]]:
        duplicates: dict[str, list[Joint]] = {}
        for j in self.joints:
            duplicates.setdefault(j.parent, []).append(j)
        return duplicates


def parsed(text: str, count: int) -> tuple[float, ...] | None:
    """The finite numbers of a text; None if it is not `count` of them."""
    values, problem = read_numbers(text, count, count)
    return None if problem else values


def numbers(node: Node | None, attribute: str, count: int) -> tuple[float, ...] | None:
    """The finite numbers of an attribute; None if it is missing or is not `count` of them."""
    return None if node is None or attribute not in node.attributes else parsed(node.attributes[attribute], count)


def number(node: Node | None, attribute: str) -> float | None:
    values = numbers(node, attribute, 1)
    return values[0] if values else None
