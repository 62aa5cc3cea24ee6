"""The default classes of an MJCF file for the rules."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.mjcf.inertia import SHAPES
from sixvec.formats.node import Node
from sixvec.quoting import quoted

TYPES = {"geom": tuple(SHAPES), "joint": ("hinge", "slide", "ball", "free")}
"""What elements of classes may be, though nothing has the class."""


def classes_say_things_once(root: Node) -> Findings:
    """In a class each kind of element stands once, without a name or a class of its own."""
    waiting = [*root.children("default")]
    while waiting:
        t = waiting.pop()
        seen: dict[str, Node] = {}
        for element in t.inside:
            if element.tag == "default":
                waiting.append(element)
                continue
            if element.tag in seen:
                advice = f"put both into one, at line {seen[element.tag].line}"
                yield error(element, f"a second <{quoted(element.tag)}> of one class", advice)
            seen.setdefault(element.tag, element)
            kind, kinds = element.get("type"), TYPES.get(element.tag, ())
            if kind and kinds and kind not in kinds:
                message = f'the type "{quoted(kind)}" is not one of {", ".join(kinds)}'
                yield error(element, message, "nothing can have this class")
            for word in ("name", "class"):
                if word in element.attributes:
                    yield error(element, f"has a {word}, which a default cannot have", "take it out")
