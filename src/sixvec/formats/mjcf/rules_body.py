"""The bodies and joints of MJCF for the rules, with what default classes supply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sixvec.formats.doctor.finding import Finding
from sixvec.formats.doctor.sheet import Follow, Joint, Limit, Link, Motion, number, numbers
from sixvec.formats.doctor.source import Tag, error, inside
from sixvec.formats.mjcf.inertia import WEIGHTLESS
from sixvec.formats.mjcf.rules_classes import Classes
from sixvec.spatial import RigidInertia, Sym3, Vec3

WORLD_NAME = "world"
JOINTS = ("joint", "freejoint")
MOTIONS = {"hinge": Motion.TURN, "slide": Motion.SLIDE, "ball": Motion.SEVERAL, "free": Motion.SEVERAL}
THROUGH = ("frame", "replicate")
"""Elements around what a body holds."""

SOURCES = ("auto", "true", "false")
"""Where inertias come from; another word has a finding of its own."""

COPIES = ("composite", "flexcomp", "attach", "replicate")
"""Elements that stand for bodies whose names are not in the file."""


@dataclass(frozen=True)
class Inside:
    """An element of a body, with its class filled in, and the body; the world where there is none."""

    tag: Tag
    full: Tag
    body: Tag | None
    body_name: str


@dataclass
class Bodies:
    """All bodies of the <worldbody> sections, as they stand there."""

    root: Tag
    classes: Classes
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    elements: list[Inside] = field(default_factory=list)
    parents: dict[Tag, str] = field(default_factory=dict)
    tags: dict[str, Tag] = field(default_factory=dict)
    """The element of each body, by the name that its link has."""
    needed: set[str] = field(default_factory=set)
    """Meshes from which inertias are computed."""
    problems: list[Finding] = field(default_factory=list)
    compiler: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=lambda: {WORLD_NAME})

    def __post_init__(self) -> None:
        for section in self.root.all("compiler"):
            self.compiler |= {key: value.strip() for key, value in section.attributes.items()}
        waiting: list[tuple[Tag, str, str]] = []
        for section in self.root.all("worldbody"):
            inner = self._content(section, None, WORLD_NAME, section.get("childclass"))[1]
            waiting += [(t, WORLD_NAME, childclass) for t, childclass in inner]
        waiting.reverse()
        while waiting:
            waiting.extend(reversed(self._body(*waiting.pop())))

    @property
    def degrees(self) -> bool:
        return self.compiler.get("angle", "degree") != "radian"

    def follow(self, laws: dict[str, Follow]) -> None:
        """Say which joints follow others."""
        self.joints = [replace(j, follow=laws[j.name]) if j.name in laws else j for j in self.joints]

    def _body(self, t: Tag, parent: str, childclass: str) -> list[tuple[Tag, str, str]]:
        # A body without a name of its own gets one that no file can have.
        name = t.get("name")
        if not name or name in self._taken:
            name = f"\0{len(self.links)}"
        self._taken.add(name)
        self.parents[t] = parent
        self.tags[name] = t
        childclass = t.get("childclass") or childclass
        content, inner = self._content(t, t, name, childclass)
        self.links.append(self._link(t, name, content))
        joints = [e for e in content if e.tag.tag in JOINTS]
        self.joints += [self._joint(e, parent) for e in joints]
        if not joints:
            self.joints.append(Joint(t, "", "fixed", Motion.NONE, parent, name))
        return [(body, name, inner_class) for body, inner_class in inner]

    def _content(
        self, t: Tag, body: Tag | None, name: str, childclass: str
    ) -> tuple[list[Inside], list[tuple[Tag, str]]]:
        """What stands in a body, looking through <frame>s and <replicate>s, and the bodies in it with their classes."""
        found: list[Inside] = []
        bodies: list[tuple[Tag, str]] = []
        waiting = [(inner, childclass) for inner in reversed(t.inside)]
        while waiting:
            inner, held = waiting.pop()
            if inner.tag == "body":
                bodies.append((inner, held))
                continue
            found.append(Inside(inner, self.classes.resolved(inner, held), body, name))
            if inner.tag in THROUGH:
                held = inner.get("childclass") or held
                waiting += [(deeper, held) for deeper in reversed(inner.inside)]
        self.elements += found
        return found, bodies

    def _link(self, t: Tag, name: str, content: list[Inside]) -> Link:
        source = self.compiler.get("inertiafromgeom", "auto")
        inertial = next((e.tag for e in content if e.tag.tag == "inertial"), None)
        bounded = any(_float(self.compiler.get(key, "0")) > 0.0 for key in ("boundmass", "boundinertia"))
        strange = bounded or source not in SOURCES or any(e.tag.tag in COPIES or e.tag.tag == "plugin" for e in content)
        if source == "true" or (source == "auto" and inertial is None):
            geoms = [e.full for e in content if e.tag.tag == "geom" and self._has_mass(e.full)]
            self.needed.update(g.get("mesh") for g in geoms if g.get("mesh"))
            return Link(t, name, None, None, bool(geoms) or strange)
        body = None if inertial is None else _central_inertia(inertial)
        heavy = strange or (inertial is not None and (body is None or any(body)))
        if bounded or self.compiler.get("balanceinertia") == "true":
            inertial, body = None, None  # what the compiler makes of it is possible
        return Link(t, name, inertial, body, heavy)

    def _has_mass(self, geom: Tag) -> bool:
        kind = geom.get("type") or ("mesh" if geom.get("mesh") else "sphere")
        first, last = numbers(Tag("", self.compiler, 0), "inertiagrouprange", 2) or (0.0, 5.0)
        group = number(geom, "group") or 0.0
        mass = number(geom, "mass")
        weightless = kind == WEIGHTLESS or mass == 0.0 or (mass is None and number(geom, "density") == 0.0)
        return not weightless and first <= group <= last

    def _joint(self, e: Inside, parent: str) -> Joint:
        full, name = e.full, e.tag.get("name")
        kind = "free" if full.tag == "freejoint" else full.get("type") or "hinge"
        motion = MOTIONS.get(kind, Motion.UNKNOWN)
        limit, endless = self._limit(e, motion)
        return Joint(
            e.tag, name, kind, motion, parent, e.body_name,
            has_axis=motion.has_one_coordinate,
            axis_tag=e.tag if "axis" in full.attributes else None,
            axis=numbers(full, "axis", 3),
            limit=limit,
            endless=endless,
            friction=tuple((e.tag, word, number(full, word)) for word in ("damping", "frictionloss")),
        )  # fmt: skip

    def _limit(self, e: Inside, motion: Motion) -> tuple[Limit | None, bool]:
        """The range of a joint, if it counts, and whether the joint says that it has none."""
        full, limited = e.full, e.full.get("limited") or "auto"
        if not motion.has_one_coordinate or limited == "false":
            return None, True
        if "range" not in full.attributes:
            if limited == "true":
                self.problems.append(inside(e.body, error(e.tag, "is limited and has no range", 'give range="…"')))
            return None, False
        if limited == "auto" and self.compiler.get("autolimits") == "false":
            advice = 'say limited="true" or limited="false"'
            self.problems.append(inside(e.body, error(e.tag, "has a range, but autolimits is off", advice)))
        lower, upper = numbers(full, "range", 2) or (None, None)
        if limited == "auto" and lower == upper and lower is not None:
            return None, False
        return Limit(e.tag, lower, upper), False


def _central_inertia(inertial: Tag) -> RigidInertia | None:
    """Mass and tensor about the centre of mass; how the axes are turned does not matter for any rule."""
    mass = number(inertial, "mass")
    full, diagonal = numbers(inertial, "fullinertia", 6), numbers(inertial, "diaginertia", 3)
    given = [key for key in ("fullinertia", "diaginertia") if key in inertial.attributes]
    if mass is None or (given and full is None and diagonal is None):
        return None
    if full is not None:
        xx, yy, zz, xy, xz, yz = full
        return RigidInertia(mass, Vec3.zero(), Sym3(xx, xy, xz, yy, yz, zz))
    return RigidInertia(mass, Vec3.zero(), Sym3.diagonal(*(diagonal or (0.0, 0.0, 0.0))))


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def sections(root: Tag, *names: str) -> Iterator[tuple[str, Tag]]:
    """Everything inside the sections of those names, with the name."""
    for section in root.inside:
        if section.tag in names:
            yield from ((section.tag, t) for t in section.inside)
