"""The elements and attributes of MJCF for the rules: rotations, shapes, surfaces, numbers and their count, keywords.

Also those outside the mechanism, such as contacts, appearance and memory: MuJoCo rejects a file for them too.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor import units
from sixvec.formats.doctor.finding import Finding, Findings, error, of_error, reader_errors
from sixvec.formats.doctor.outline import Motion, Written, number, numbers, parsed
from sixvec.formats.mjcf.compiler import Compiler
from sixvec.formats.mjcf.inertia import NO_PLANE, PLANE, SHAPES, shape_kind, sized
from sixvec.formats.mjcf.joint import KINDS
from sixvec.formats.mjcf.mesh import mesh_name, written_surface
from sixvec.formats.mjcf.names import repeated
from sixvec.formats.mjcf.pose import orientation
from sixvec.formats.mjcf.rules_body import WORLD_NAME, Bodies, Inside
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.mjcf.words import KEYWORDS, MJCF_WORDS, REQUIRED
from sixvec.formats.node import Node
from sixvec.formats.vocabulary import EVERY, Count
from sixvec.quoting import quoted

TYPES = {"geom": tuple(SHAPES), "joint": tuple(KINDS)}
"""Values of elements of classes, checked even if the class is unused."""


def classes_say_things_once(bodies: Bodies) -> Findings:
    """In a class each kind of element appears once, without a name or a class."""
    waiting = [*bodies.root.children("default")]
    while waiting:
        t = waiting.pop()
        first_with: dict[str, Node] = {}
        for element in t.inside:
            if element.tag == "default":
                waiting.append(element)
                continue
            if element.tag in first_with:
                advice = f"put both into one, at line {first_with[element.tag].line}"
                yield error(element, f"a second <{quoted(element.tag)}> of one class", advice)
            first_with.setdefault(element.tag, element)
            kind, kinds = element.get("type"), TYPES.get(element.tag, ())
            if kind and kinds and kind not in kinds:
                yield of_error(element.unknown("value", kind, kinds, key="type"))
            for word in ("name", "class"):
                if word in element.attributes:
                    yield error(element, f"has a {word}, which a default cannot have", "take it out")


def names_differ(bodies: Bodies) -> Findings:
    """The names of elements that the reader does not need."""
    first_with: dict[tuple[str, str], Node] = {}
    for section, t in sections(bodies.root, "sensor"):
        name = t.get("name")
        if name and first_with.setdefault((section, name), t) is not t:
            yield of_error(repeated(t, section, name, first_with[section, name]))


ORIENTED = ("geom", "site", "camera", "frame", "inertial")


def orientations_are_rotations(bodies: Bodies) -> Findings:
    placed = [link.node for link in bodies.links]
    for full in [*placed, *(e.full for e in bodies.elements if e.node.tag in ORIENTED)]:
        yield from reader_errors(orientation, full, Compiler())


def positions_are_metres(bodies: Bodies) -> Findings:
    """Of bodies on bodies, and inside bodies; what is in the world may be far away."""
    placed = [(link.node, link.node) for link in bodies.links if bodies.parents[link.node] != WORLD_NAME]
    placed += [(e.node, e.full) for e in bodies.elements if e.node.tag in ("inertial", "joint")]
    for t, full in placed:
        if values := numbers(full, "pos", 3):
            yield from units.length_is_metres(t, values, "MJCF")


def angles_are_radians(bodies: Bodies) -> Findings:
    if bodies.compiler.degrees:
        return
    for t in (*(link.node for link in bodies.links), *(e.node for e in bodies.elements)):
        euler, about = numbers(t, "euler", 3), numbers(t, "axisangle", 4)
        if values := (euler or ()) + (about[3:] if about else ()):
            yield from units.angle_is_radians(t, values)


FROM_ASSETS = {"mesh": "mesh", "sdf": "mesh", "hfield": "hfield"}
"""Shapes defined by an asset, and the attribute that names it."""

GROUND = ("plane", "hfield")
"""Unbounded or infinitely thin shapes, which must be fixed."""


def geoms_have_shapes(bodies: Bodies) -> Findings:
    """The problems of each geom, with its default class applied."""
    moving = _moving(bodies)
    for e in bodies.elements:
        if e.node.tag == "geom":
            yield from _geom(e, moving)


def _geom(e: Inside, moving: set[str]) -> Iterator[Finding]:
    t, full = e.node, e.full
    kind = full.get("type") or ("mesh" if full.get("mesh") else "sphere")
    if kind not in SHAPES:
        yield from reader_errors(shape_kind, full)
    elif kind in FROM_ASSETS:
        yield from reader_errors(full.text, FROM_ASSETS[kind], numbers=True)
    elif kind == "plane":
        size = parsed(full.get("size"), 3)
        too_few = len(full.get("size").split()) < 3
        if too_few or (size is not None and (size[2] <= 0.0 or min(size) < 0.0)):
            yield error(t, NO_PLANE, PLANE)
    elif not full.get("mesh"):  # a shape fitted to a mesh needs no sizes
        yield from reader_errors(sized, full, kind)
    if kind in GROUND and e.body_name in moving:
        yield error(t, f"a {kind} cannot move, and its body has joints above it", "put it into the world, or use a box")
    for word in ("mass", "density"):
        value = number(full, word)
        if value is not None:
            yield from reader_errors(full.not_negative, word, value)


def _moving(bodies: Bodies) -> set[str]:
    """The bodies with a moving joint on the path from the world; parents precede their children."""
    moving: set[str] = set()
    for j in bodies.joints:
        if j.motion is not Motion.NONE or (j.parent != WORLD_NAME and j.parent in moving):
            moving.add(j.child)
    return moving


FEWEST = 4
"""Number of vertices of a body with volume."""

SOURCES = ("file", "vertex", "builtin")


def meshes_have_corners(bodies: Bodies) -> Findings:
    for _, t in sections(bodies.root, "asset"):
        full = bodies.classes.resolved(t)
        if t.tag != "mesh":
            continue
        if not any(full.get(key) for key in SOURCES) and t.child("plugin") is None:
            yield from reader_errors(mesh_name, full, bodies.compiler, numbers=True)
        elif full.get("vertex"):
            yield from reader_errors(written_surface, full, numbers=True)
            corners = len(full.get("vertex").split()) // 3
            if corners < FEWEST:
                yield error(t, f"has {corners} corners", f"a body needs {FEWEST}")


FILES_OF_TEXTURES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


def textures_come_from_somewhere(bodies: Bodies) -> Findings:
    for _, t in sections(bodies.root, "asset"):
        full = bodies.classes.resolved(t)
        if t.tag != "texture" or any(full.get(key) for key in FILES_OF_TEXTURES):
            continue
        if full.get("builtin") in ("", "none"):
            yield error(t, "has neither a file nor a builtin pattern", 'add file="…" or builtin="…"')


def counts(t: Node) -> dict[str, Count]:
    """The attributes of an element with numbers."""
    words = MJCF_WORDS.of(t.parent.tag if t.parent else "", t.tag)
    return {} if words is None else words.numbers


def written(root: Node) -> Iterator[Written]:
    """All attributes with numbers, in any element; those of classes at the line of the class."""
    for t in root.iter():
        known = counts(t)
        for attribute in t.attributes:
            if count := known.get(attribute):
                yield Written(t, attribute, count.least, count.most, count.infinite)
        for attribute in REQUIRED.get(t.tag, ()):
            if attribute not in t.attributes:
                yield Written(t, attribute, *known[attribute][:3])


def whole_numbers_are_whole(bodies: Bodies) -> Findings:
    for t in bodies.root.iter():
        for name, count in counts(t).items():
            text = t.attributes.get(name)
            if count.whole and text is not None and not _are_whole(text):
                yield error(t, f'{name}="{quoted(text)}" is not whole', "write a whole number, without a point")


def _are_whole(text: str) -> bool:
    """Whether all words are whole numbers; anything that is not a number has another finding."""
    try:
        [float(word) for word in text.split()]
    except ValueError:
        return True
    return all(word.lstrip("+-").isdigit() for word in text.split())


def keywords_are_known(bodies: Bodies) -> Findings:
    for t in bodies.root.iter():
        known = KEYWORDS.get(t.tag, {})
        for attribute, word in t.attributes.items():
            words = known.get(attribute) or known.get(EVERY)
            if words is not None and word.strip() not in words:
                yield of_error(t.unknown("value", word, words, key=attribute))
