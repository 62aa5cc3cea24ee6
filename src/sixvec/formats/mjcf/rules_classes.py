"""The default classes of an MJCF file, as far as they can be read: what an element is when it does not say so."""

from __future__ import annotations

from dataclasses import replace

from sixvec.formats.doctor.finding import Finding, Findings
from sixvec.formats.doctor.source import Tag, error, inside
from sixvec.formats.mjcf.defaults import MAIN, Attributes, merged
from sixvec.formats.mjcf.inertia import SHAPES
from sixvec.quoting import quoted

TYPES = {"geom": tuple(SHAPES), "joint": ("hinge", "slide", "ball", "free")}
"""What elements of classes may be, though nothing has the class."""


class Classes:
    """For each class, the attributes of each kind of element; an unknown class is as the outermost one.

    >>> from sixvec.formats.doctor.source import parse_tags
    >>> arm = parse_tags('<mujoco><default><joint type="slide"/></default></mujoco>')
    >>> Classes(arm).resolved(Tag("joint", {"name": "x"}, 1), "").get("type")
    'slide'
    """

    def __init__(self, root: Tag) -> None:
        sections = [*root.all("default")]
        self.main = next((t.get("class") for t in sections), "") or MAIN
        self.classes: dict[str, dict[str, Attributes]] = {self.main: {}}
        self.entries: list[tuple[str, Tag]] = []
        """The classes inside others, by name; those need names that differ."""
        self.problems: list[Finding] = []
        waiting = [(t, t.get("class") or self.main, self.main) for t in reversed(sections)]
        while waiting:
            waiting.extend(reversed(self._read(*waiting.pop())))

    def _read(self, t: Tag, name: str, parent: str) -> list[tuple[Tag, str, str]]:
        """Note what a class says itself; the classes inside are returned."""
        own = self.classes.setdefault(name, {tag: dict(values) for tag, values in self.classes[parent].items()})
        inner = []
        for element in t.inside:
            if element.tag != "default":
                own[element.tag] = merged(own.get(element.tag, {}), element.attributes)
            elif element.get("class"):
                self.entries.append((element.get("class"), element))
                inner.append((element, element.get("class"), name))
            else:
                self.problems.append(error(element, "has no class", 'a class inside another needs class="…"'))
        return inner

    def resolved(self, t: Tag, childclass: str) -> Tag:
        """The element with the attributes of its class filled in, at its own line."""
        name = t.get("class") or childclass or self.main
        given = self.classes.get(name, self.classes[self.main]).get(t.tag)
        return replace(t, attributes=merged(given, t.attributes)) if given else t


def classes_say_things_once(root: Tag) -> Findings:
    """In a class each kind of element stands once, without a name or a class of its own."""
    waiting = [*root.all("default")]
    while waiting:
        t = waiting.pop()
        seen: dict[str, Tag] = {}
        for element in t.inside:
            if element.tag == "default":
                waiting.append(element)
                continue
            if element.tag in seen:
                advice = f"put both into one, at line {seen[element.tag].line}"
                yield inside(t, error(element, f"a second <{quoted(element.tag)}> of one class", advice))
            seen.setdefault(element.tag, element)
            kind, kinds = element.get("type"), TYPES.get(element.tag, ())
            if kind and kinds and kind not in kinds:
                message = f'the type "{quoted(kind)}" is not one of {", ".join(kinds)}'
                yield inside(t, error(element, message, "nothing can have this class"))
            for word in ("name", "class"):
                if word in element.attributes:
                    yield inside(t, error(element, f"has a {word}, which a default cannot have", "take it out"))
