"""Names of SDF: every world and model is a scope of names; `outer::inner` leads into nested ones.

Links, joints, models and explicit frames are all frames (sdformat.org, "Pose frame semantics").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sixvec.formats.node import Node
from sixvec.formats.sdf.pose import flag

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
    elsewhere: set[str] = field(default_factory=set)
    """For the rules: the names of models included from other files."""

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

    def may_be_elsewhere(self, name: str) -> bool:
        """Whether a name leads into a model of another file, here or in a model on its path."""
        first, separator, rest = name.partition(SEPARATOR)
        if first in self.models:
            return bool(separator) and self.models[first].may_be_elsewhere(rest)
        return bool(first) and bool(self.elsewhere) and (bool(separator) or first in self.elsewhere)


@dataclass(frozen=True)
class Found:
    """A named element with its key and its scope."""

    key: str
    node: Node
    scope: Scope
    is_taken: bool = False
    """Whether another element of the scope has its name."""


def walk(
    scopes: list[Scope], is_apart: Callable[[Node], bool], is_alone: Callable[[Scope], bool] = lambda scope: False
) -> Iterator[Found]:
    """Every named element of the scopes; the models inside become further scopes, at the end of the list.

    `is_apart` says whether a joint may have the name of another element, `is_alone` whether the names of the only model
    of a scope need no prefix.  Of two elements with one name, the first has it.
    """
    for scope in scopes:  # grows
        alone = is_alone(scope)
        # Joints last: where they have a separate namespace, the name refers to a link of the same name.
        for node in sorted((t for t in scope.node.inside if t.tag in NAMED), key=lambda t: t.tag == "joint"):
            name = node.get("name")
            is_taken, inner = name in scope.names, None
            key = scope.path + name
            if node.tag == "joint" and is_taken and is_apart(node):
                yield Found(f"{key} (joint)", node, scope)
                continue
            if node.tag == "model":
                inner = Scope(node, "" if alone else key + SEPARATOR, scope)
                key = inner.frame
            yield Found(key, node, scope, is_taken)
            if name in RESERVED:
                continue
            scope.names.setdefault(name, key)
            if node.tag == "link":
                scope.links.append(key)
            if inner and inner.path.count(SEPARATOR) <= DEEPEST_MODEL:
                scope.models.setdefault(name, inner)
                scopes.append(inner)
