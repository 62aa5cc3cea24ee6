"""The <replicate> of MJCF: its contents are copied many times, each copy one step from the one before.

Copy i is turned by i times the angles `euler`, which is not i times the rotation, and displaced from the previous copy
by `offset` in the axes of that copy.  Its names end in `sep` and i, written with as many digits as the count has
(MuJoCo, XML reference, "replicate"; the meaning of the angles follows from its compiled models).  Of nested elements
the inner ones are copied first.  Equalities within one copy hold in every copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sixvec.formats.budget import spend
from sixvec.formats.mjcf.compiler import Compiler
from sixvec.formats.mjcf.pose import orientation
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.spatial import Pose, Quaternion, Rotation, Vec3

TAG = "replicate"

NOT_ALONE = ("joint", "freejoint", "inertial")
"""Elements that a body has once, which copies would duplicate."""

KEPT = ("childclass",)
"""Attributes that also apply to copies."""

REFERENCES = {f"{kind}{i}": kind for kind in ("joint", "body", "site") for i in (1, 2)}
"""The attributes of an equality that name something, and what."""

Named = tuple[str, str]
"""The kind and the name of an element."""


def replicated(root: Node, compiler: Compiler) -> bool:
    """Insert the copies into the tree: a <replicate> becomes a <frame> of frames, one for each copy.

    Returns whether there were any.

    >>> from sixvec.formats.xml import parse_xml
    >>> text = '<mujoco><replicate count="2" sep="-" offset="1 0 0"><body name="a"/></replicate></mujoco>'
    >>> root = parse_xml(text, "row.xml")
    >>> replicated(root, Compiler())
    True
    >>> [(e.get("pos"), e.inside[0].get("name")) for e in root.inside[0].inside]
    [('0.0 0.0 0.0', 'a-0'), ('1.0 0.0 0.0', 'a-1')]
    """
    nodes = list(root.iter(TAG))
    if not nodes:
        return False
    copies = _Copies(compiler)
    complete = True
    for element in reversed(nodes):  # inner ones come later in the file than those around them
        if not attempt(False, copies.expand, element):
            complete = False
            _reduce(element)
    for section in root.children("equality"):
        # The names of missing copies are unknown, so that no equality can be judged.
        section.hold([each for node in section.inside for each in copies.of_equality(node)] if complete else [])
    return True


def _reduce(element: Node) -> None:
    """Turn a <replicate> that a check rejects into a frame with its contents, once."""
    element.tag = "frame"
    element.attributes = {key: value for key, value in element.attributes.items() if key in KEPT}
    element.hold([inner for inner in element.inside if inner.tag not in NOT_ALONE])


@dataclass
class _Copies:
    """The copies made so far, and for each replaced name the element that replaced it and its new endings."""

    compiler: Compiler
    endings: dict[Named, tuple[Node, list[str]]] = field(default_factory=dict)

    def expand(self, node: Node) -> bool:
        """Replace an element by its copies; True, or an error."""
        count = _count(node)
        for inner in node.inside:
            if inner.tag in NOT_ALONE:
                raise inner.error(f"is directly in a <{TAG}>", "put it into a <body> there")
        spend("copied elements", count * sum(1 for _ in node.iter()), node.error)
        X, offset = Pose.identity(), _numbers(node, "offset")
        inside, sep, digits = [*node.inside], node.attributes.get("sep", ""), len(str(count))
        endings = [f"{sep}{i:0{digits}}" for i in range(count)]
        attributes = {key: node.attributes[key] for key in KEPT if key in node.attributes}
        frames = []
        for i, ending in enumerate(endings, 1):
            frame = node.copy("frame", _placed(X) | attributes)
            frame.hold([_renamed(inner, ending) for inner in inside])
            frames.append(frame)
            X = Pose(_turn(node, i, self.compiler), X * offset)
        for each in node.iter():
            if each is not node and (name := each.attributes.get("name")):
                self.endings[each.tag.removeprefix("free"), name] = node, endings
        node.tag, node.attributes = "frame", {}
        node.hold(frames)
        return True

    def of_equality(self, node: Node) -> list[Node]:
        """The equality itself, or one for each copy where everything it refers to is copied together."""
        done: list[Node] = []
        waiting = [node]
        while waiting:
            each = waiting.pop()
            named = [(kind, each.attributes[key]) for key, kind in REFERENCES.items() if key in each.attributes]
            known = [self.endings[name] for name in named if name in self.endings]
            if not named or len(known) < len(named) or any(by is not known[0][0] for by, _ in known):
                done.append(each)
                continue
            spend("copied elements", len(known[0][1]), each.error)
            keys = (*REFERENCES, "name")
            for ending in reversed(known[0][1]):
                attributes = {key: value + ending if key in keys else value for key, value in each.attributes.items()}
                waiting.append(each.with_attributes(attributes))
        return done


def _renamed(node: Node, ending: str) -> Node:
    """A copy of an element with everything inside; its names get that ending."""
    copied = node.deep_copy()
    for each, original in zip(copied.iter(), node.iter(), strict=True):
        each.source = original.written
        if each.attributes.get("name"):
            each.attributes["name"] += ending
    return copied


def _count(node: Node) -> int:
    count = node.number("count")
    if count < 0.0 or not count.is_integer():
        raise node.error(f'count="{node.text("count")}" is not a number of copies', "give a whole number, 0 or more")
    return int(count)


def _numbers(node: Node, attribute: str) -> Vec3:
    return Vec3.of(node.numbers(attribute, 3, (0.0, 0.0, 0.0)))


def _turn(node: Node, times: int, compiler: Compiler) -> Rotation:
    """The rotation of a copy."""
    if not node.has("euler"):
        return Rotation.identity()
    angles = " ".join(repr(times * angle) for angle in _numbers(node, "euler"))
    return orientation(node.with_attributes({"euler": angles}), compiler)


def _placed(X: Pose) -> dict[str, str]:
    """The attributes of a frame at X."""
    x, y, z, w = Quaternion.from_rotation(X.rot).normalized()
    numbers = {"pos": tuple(X.pos), "quat": (w, x, y, z)}
    return {key: " ".join(repr(float(value)) for value in values) for key, values in numbers.items()}
