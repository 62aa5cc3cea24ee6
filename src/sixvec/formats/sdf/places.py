"""Names and poses of SDF: every frame is placed relative to another and moves with a link.

Every world and model is a scope of names; `outer::inner` leads into nested ones.  Links, joints, models and explicit
frames are all frames (sdformat.org, "Pose frame semantics").
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sixvec.formats.mjcf.pose import IDENTITY, moved
from sixvec.formats.names import circles, in_words
from sixvec.formats.node import Node
from sixvec.formats.problems import raise_or_note
from sixvec.formats.sdf.elements import flag
from sixvec.quoting import quoted
from sixvec.spatial import Pose

FARTHEST = 30
"""Poses on the path to a frame that are multiplied one by one; robots have about ten."""

MOST_LISTED = 5


@dataclass(frozen=True)
class Place:
    """A frame: its pose X in the frame `base`, and the frame that it is attached to, both by key."""

    node: Node
    base: str
    X: Pose
    attached: str | None = None


class Places:
    """All frames of a file by their keys."""

    def __init__(self, missing: Sequence[str] = ()) -> None:
        self._missing = missing
        """The addresses of included models that were not found."""
        self._shown = {WORLD_NAME: IDENTITY}
        self._places: dict[str, Place] = {}
        self._depth: dict[str, int] = {WORLD_NAME: 0}
        self._carrier = {WORLD_NAME: WORLD_NAME}

    def add(self, key: str, place: Place) -> None:
        if key in self._places:
            raise place.node.error(f'"{key}" already names something else', "names must differ")
        self._places[key] = place

    def find(self, scope: Scope, name: str, node: Node, what: str = "frame") -> str:
        """The key of the frame with a name in a scope; `what` the file should name there."""
        if key := scope.find(name):
            return key
        here, model = scope.inner(name.split(SEPARATOR)[:-1])
        if model:
            raise node.unknown("nested model", model, here.models, here.path or "this file", cause=self._cause())
        valid = here.names if what == "frame" else [t.get("name") for t in here.node.children(what)]
        raise node.unknown(what, name, valid, here.path.removesuffix(SEPARATOR), cause=self._cause())

    def _cause(self) -> str:
        """Possible locations of a missing name."""
        if not self._missing:
            return ""
        listed = ", ".join(f'"{quoted(uri)}"' for uri in dict.fromkeys(self._missing[:MOST_LISTED]))
        return f"; it may be in what was included and is not found: {listed}; give the folder: folders=[…]"

    def put_on_frame(self, model: str, placed: str, node: Node) -> None:
        """Move a model so that its frame `placed` takes the pose of the model frame (its placement_frame)."""
        X, key = IDENTITY, placed
        for _ in range(len(self._places) + 1):
            if key == model:
                of_model = self._places[model]
                self._places[model] = replace(of_model, X=of_model.X @ X.inv().as_pose())
                return
            if key not in self._places:
                break
            X, key = moved(self._places[key].X, X), self._places[key].base
        raise node.error(f'the placement_frame "{placed}" is not placed inside this model', "choose one that is")

    def between(self, a: str, b: str) -> Pose:
        """X_AB, through the nearest common ancestor frame, so that nothing else adds rounding.

        Frames that are very far apart are related through the world instead, where each pose is computed once.
        """
        ways = self._meeting(a, b)
        X_CA, X_CB = (self._along(way) for way in ways) if ways else map(self._in_world, (a, b))
        return X_CB if X_CA is IDENTITY else X_CA.inv() @ X_CB

    def _meeting(self, a: str, b: str) -> tuple[list[str], list[str]] | None:
        """The frames on both paths up to the nearest common one; None if that is far."""
        levels, ways = [self._level(a), self._level(b)], ([a], [b])
        while ways[0][-1] != ways[1][-1]:
            side = 0 if levels[0] >= levels[1] else 1
            ways[side].append(self._places[ways[side][-1]].base)
            levels[side] -= 1
            if len(ways[side]) > FARTHEST:
                return None
        return ways

    def _along(self, way: list[str]) -> Pose:
        """The pose of the first frame of a path in the last."""
        X = IDENTITY
        for key in way[:-1]:
            X = moved(self._places[key].X, X)
        return X

    def _in_world(self, key: str) -> Pose:
        path, start = self._climb(key, self._shown, lambda place: place.base)
        X = self._shown[start]
        for above in reversed(path):
            X = self._shown[above] = moved(X, self._places[above].X)
        return X

    def _level(self, key: str) -> int:
        """How many poses lie between a frame and the world."""
        path, start = self._climb(key, self._depth, lambda place: place.base)
        depth = self._depth[start]
        for above in reversed(path):
            depth += 1
            self._depth[above] = depth
        return self._depth[key]

    def carrier(self, key: str) -> str:
        """The key of the link that a frame moves with, or of the world."""
        if key not in self._carrier:
            path, start = self._climb(key, self._carrier, self._attachment)
            self._carrier.update(dict.fromkeys(path, self._carrier[start]))
        return self._carrier[key]

    def carries_itself(self, key: str) -> None:
        """Mark a frame as a link."""
        self._carrier[key] = key

    @staticmethod
    def _attachment(place: Place) -> str:
        if place.attached is None:
            raise place.node.error("has no link, so nothing can be attached to it", "give it a <link>")
        return place.attached

    def _climb(self, key: str, known: Container[str], above: Callable[[Place], str]) -> tuple[list[str], str]:
        """The frames from one upward until a known result, and that result."""
        path: list[str] = []
        while key not in known:
            path.append(key)
            key = above(self._places[key])
        return path, key

    def require_no_circles(self) -> None:
        """Raise an error for frames that are placed on, or attached to, each other in a circle."""
        noted: list[set[str]] = []
        moved = {key: place for key, place in self._places.items() if key not in self._carrier}
        attached = {key: place.attached or "" for key, place in moved.items()}
        based = {key: place.base for key, place in self._places.items()}
        for word, steps in (("attached_to", attached), ("relative_to", based)):
            for start, circle in circles(steps):
                place = self._places[start]
                pose_node = place.node.child("pose")
                node = pose_node if pose_node is not None and pose_node.get(word) else place.node
                if {*circle} not in noted:
                    message = f"its {word} leads in a circle: {in_words(circle)}"
                    raise_or_note(node.error(message, "break it at one place"))
                noted.append({*circle})
                self._places[start] = replace(place, base=WORLD_NAME, attached=WORLD_NAME)


WORLD_NAME = "world"
MODEL_FRAME = "__model__"
SEPARATOR = "::"
RESERVED = (WORLD_NAME, MODEL_FRAME, "__root__")
NAMED = ("link", "frame", "model", "joint")

DEEPEST_MODEL = 100
"""Models inside each other; published robots have two or three."""

NAMES_OF_JOINTS_APART = (1, 6)
"""The last version in which a joint and a link may have the same name."""


@dataclass(eq=False)
class Scope:
    """A world or a model; `path` is the prefix of the names inside it, which makes them unique in the file."""

    node: Node
    path: str = ""
    outer: Scope | None = None
    names: dict[str, str] = field(default_factory=dict)
    """The keys of the frames inside by their names here."""
    models: dict[str, Scope] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    """Their keys."""

    @property
    def frame(self) -> str:
        """The key of the frame of this model; that of the world for the outermost scope."""
        return self.path + MODEL_FRAME if self.outer else WORLD_NAME

    @cached_property
    def static(self) -> bool:
        """Whether this model or one around it is fixed to the world."""
        return self.outer is not None and (self.outer.static or flag(self.node, "static"))

    @property
    def first(self) -> str:
        """The key of what the frame of this model is attached to by default: its first link, or else first model."""
        return next(iter((*self.links, *(model.frame for model in self.models.values()))), "")

    def inner(self, way: Sequence[str]) -> tuple[Scope, str]:
        """The scope at the end of a path through nested models, and the first missing model on it."""
        here = self
        for model in way:
            if model not in here.models:
                return here, model
            here = here.models[model]
        return here, ""

    def find(self, name: str) -> str:
        """The key of the frame with a name here; empty if there is none."""
        if name == WORLD_NAME or name in self.names:
            return self.names.get(name, WORLD_NAME)
        *outer, last = name.split(SEPARATOR)
        here, missing = self.inner(outer)
        if missing:
            return ""
        return here.frame if last == MODEL_FRAME and here.outer else here.names.get(last, "")


@dataclass(frozen=True)
class NamedElement:
    """A named element with its key and its scope."""

    key: str
    node: Node
    scope: Scope
    is_taken: bool = False
    """Whether another element of the scope has its name."""


def walk(scopes: list[Scope], is_apart: Callable[[Node], bool]) -> Iterator[NamedElement]:
    """Every named element of the scopes; the models inside become further scopes, at the end of the list.

    `is_apart` says whether a joint may have the name of another element.  Of two elements with one name, the first has
    it.
    """
    for scope in scopes:  # grows
        # Joints last: where they have a separate namespace, the name refers to a link of the same name.
        joints: set[str] = set()
        for node in sorted((t for t in scope.node.inside if t.tag in NAMED), key=lambda t: t.tag == "joint"):
            name = node.get("name")
            is_taken, inner = name in scope.names, None
            key = scope.path + name
            if node.tag == "joint":
                is_first = name not in joints
                joints.add(name)
                if is_taken and is_apart(node):
                    yield NamedElement(f"{key} (joint)", node, scope, not is_first)
                    continue
            if node.tag == "model":
                # A second model of one name is only read in a check; its elements get separate keys.
                inner = Scope(node, f"{key} (line {node.line}){SEPARATOR}" if is_taken else key + SEPARATOR, scope)
                key = inner.frame
            yield NamedElement(key, node, scope, is_taken)
            if name in RESERVED:
                continue
            scope.names.setdefault(name, key)
            if node.tag == "link":
                scope.links.append(key)
            if inner and inner.path.count(SEPARATOR) <= DEEPEST_MODEL:
                scope.models.setdefault(name, inner)
                scopes.append(inner)
