"""The bodies and joints of MJCF for the rules, with the attributes of default classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sixvec.formats.doctor.outline import Follow, Joint, Link, Motion
from sixvec.formats.mjcf.compiler import Compiler, read_compiler
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.joint import UNREADABLE
from sixvec.formats.mjcf.reading import Reading
from sixvec.formats.mjcf.tree import content
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported

WORLD_NAME = "world"
JOINTS = ("joint", "freejoint")
MOTIONS = {"hinge": Motion.TURN, "slide": Motion.SLIDE, "ball": Motion.SEVERAL, "free": Motion.SEVERAL}
COPIES = ("composite", "flexcomp", "attach", "replicate")
"""Elements that generate bodies whose names are not in the file."""


@dataclass(frozen=True)
class Inside:
    """An element of a body, with its class filled in, and the body, or the world."""

    node: Node
    full: Node
    body: Node | None
    body_name: str


@dataclass
class Bodies:
    """All bodies of the <worldbody> sections, in the order of the file."""

    root: Node
    classes: Defaults
    reading: Reading
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    elements: list[Inside] = field(default_factory=list)
    parents: dict[Node, str] = field(default_factory=dict)
    tags: dict[str, Node] = field(default_factory=dict)
    """The element of each body, by the name of its link."""
    compiler: Compiler = Compiler()  # noqa: RUF009 - frozen
    _taken: set[str] = field(default_factory=lambda: {WORLD_NAME})

    def __post_init__(self) -> None:
        self.compiler = read_compiler(self.root, Unsupported())
        waiting: list[tuple[Node, str, str]] = []
        for section in self.root.children("worldbody"):
            inner = self._content(section, None, WORLD_NAME, "")[1]
            waiting += [(t, WORLD_NAME, childclass) for t, childclass in inner]
        waiting.reverse()
        while waiting:
            waiting.extend(reversed(self._body(*waiting.pop())))

    def follow(self, laws: dict[str, Follow]) -> None:
        """Mark the joints that follow others."""
        self.joints = [replace(j, follow=laws[j.name]) if j.name in laws else j for j in self.joints]

    def _body(self, t: Node, parent: str, childclass: str) -> list[tuple[Node, str, str]]:
        # A body without a name gets one that cannot appear in a file.
        name = t.get("name")
        if not name or name in self._taken:
            name = f"\0{len(self.links)}"
        self._taken.add(name)
        self.parents[t] = parent
        self.tags[name] = t
        contents, inner = self._content(t, t, name, childclass)
        self.links.append(self._link(t, name, contents))
        joints = [e for e in contents if e.node.tag in JOINTS]
        self.joints += [self._joint(e, parent) for e in joints]
        if not joints:
            self.joints.append(Joint(t, "", "fixed", Motion.NONE, parent, name))
        return [(body, name, inner_class) for body, inner_class in inner]

    def _content(
        self, t: Node, body: Node | None, name: str, childclass: str
    ) -> tuple[list[Inside], list[tuple[Node, str]]]:
        """The contents of a body, and its child bodies with their classes."""
        insides: list[Inside] = []
        bodies: list[tuple[Node, str]] = []
        for inner, class_name, _ in content(t, childclass):
            if inner.tag == "body":
                bodies.append((inner, class_name))
            else:
                insides.append(Inside(inner, self.classes.resolved(inner, class_name), body, name))
        self.elements += insides
        return insides, bodies

    def _link(self, t: Node, name: str, contents: list[Inside]) -> Link:
        inertial = next((e.node for e in contents if e.node.tag == "inertial"), None)
        inertia = self.reading.masses.get(t)
        unknown = any(e.node.tag in COPIES or e.node.tag == "plugin" for e in contents)
        return Link(t, name, inertial, inertia, unknown or inertia is None or any(inertia))

    def _joint(self, e: Inside, parent: str) -> Joint:
        full = e.full
        kind = "free" if full.tag == "freejoint" else full.get("type") or "hinge"
        motion = MOTIONS.get(kind, Motion.UNKNOWN)
        ends = self.reading.joints[e.node].ends if e.node in self.reading.joints else UNREADABLE
        return Joint(
            e.node, e.node.get("name"), kind, motion, parent, e.body_name,
            bounds=ends,
            endless=full.get("limited") == "false",
        )  # fmt: skip
