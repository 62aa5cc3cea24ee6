"""Which shapes of a model may touch each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sixvec.errors import ModelError, unknown
from sixvec.model.geom import Geom, HalfSpace
from sixvec.model.surface import Combination, ContactParameters, combined

if TYPE_CHECKING:
    from sixvec.model.model import Model

MOST_SHAPES = 10_000
"""Shapes whose pairs are listed: all pairs of so many are compared in a second, with 100 MB."""

Names = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ContactPair:
    """Two shapes, by their names, that may touch whatever the other rules state, with separate parameters.

    >>> from sixvec.model import ContactPair
    >>> ContactPair("left_sole", "floor").parameters.dimension
    3
    """

    first: str
    second: str
    parameters: ContactParameters = field(default_factory=ContactParameters)
    name: str = ""


@dataclass(frozen=True, slots=True)
class ContactRules:
    """Which shapes may touch.

    Shapes on bodies that no joint separates never touch, nor do those on two moving bodies that one joint connects
    (unless `parent_filter` is off), nor those whose masks have no common bit (`Surface.may_touch`).  Frames in
    `excluded` are pairs whose shapes do not touch, frames in a group of `apart` do not touch each other.

    >>> from sixvec.model import ContactRules
    >>> ContactRules(excluded=(("left_foot", "right_foot"),)).combination
    'max'
    """

    excluded: tuple[tuple[str, str], ...] = ()
    apart: tuple[tuple[str, ...], ...] = ()
    pairs: tuple[ContactPair, ...] = ()
    parent_filter: bool = True
    enabled: bool = True
    """Whether anything touches at all."""
    combination: Combination = "max"
    compared: tuple[tuple[str, str], ...] = ()
    """Pairs of frames with distances (`Robot.distance`), even if they are neighbours or never touch."""

    def renamed(self, frame: Names, geom: Names) -> ContactRules:
        """The same rules with other names of frames and shapes."""
        return replace(
            self,
            excluded=tuple((frame(a), frame(b)) for a, b in self.excluded),
            apart=tuple(tuple(map(frame, group)) for group in self.apart),
            pairs=tuple(replace(p, first=geom(p.first), second=geom(p.second)) for p in self.pairs),
            compared=tuple((frame(a), frame(b)) for a, b in self.compared),
        )

    def within(self, frames: Collection[str], geoms: Collection[str]) -> ContactRules:
        """The rules of the frames and shapes that remain."""
        groups = (tuple(name for name in group if name in frames) for group in self.apart)
        return replace(
            self,
            excluded=tuple((a, b) for a, b in self.excluded if a in frames and b in frames),
            apart=tuple(group for group in groups if len(group) > 1),
            pairs=tuple(p for p in self.pairs if p.first in geoms and p.second in geoms),
            compared=tuple((a, b) for a, b in self.compared if a in frames and b in frames),
        )

    def joined(self, other: ContactRules, where: str) -> ContactRules:
        """The rules of two models in one."""
        for name in ("parent_filter", "combination", "enabled"):
            if getattr(self, name) != getattr(other, name):
                raise ModelError(
                    f"{where}: the two models have different contact rules: {name} is {getattr(self, name)!r} and "
                    f"{getattr(other, name)!r}; give both the same with dataclasses.replace(model, contact=...)"
                )
        return replace(
            self,
            excluded=self.excluded + other.excluded,
            apart=self.apart + other.apart,
            pairs=self.pairs + other.pairs,
            compared=self.compared + other.compared,
        )


@dataclass(frozen=True, slots=True)
class CollisionPair:
    """Two shapes of a model that may touch, and the parameters of their contact.

    >>> from sixvec.geometry.rigid_body import Sphere
    >>> from sixvec.model import CollisionPair, ContactParameters, Geom, HalfSpace
    >>> CollisionPair(Geom("foot", Sphere(0.02)), Geom("world", HalfSpace()), ContactParameters())
    CollisionPair(Sphere of foot, HalfSpace of world)
    """

    first: Geom
    second: Geom
    parameters: ContactParameters

    def __repr__(self) -> str:
        names = (g.name or f"{type(g.shape).__name__} of {g.frame}" for g in (self.first, self.second))
        return f"CollisionPair({', '.join(names)})"


def validate_rules(rules: ContactRules, geoms: Collection[Geom], frames: Collection[str], where: str) -> None:
    """Raise for frames and shapes that do not exist, and for names that do not determine a shape."""
    groups = (*rules.excluded, *rules.compared, *rules.apart)
    for name in (n for group in groups for n in group):
        if name not in frames:
            raise ModelError(unknown("frame", name, frames, where) + " (in the contact rules)")
    if rules.pairs:
        count = Counter(g.name for g in geoms if g.name)
        for name in (n for p in rules.pairs for n in (p.first, p.second)):
            if count[name] != 1:
                problem = f'{where}: {count[name]} shapes are named "{name}"; a contact pair needs one'
                raise ModelError(problem if count[name] else unknown("shape", name, count, where))


def collision_pairs(model: Model) -> tuple[CollisionPair, ...]:
    """All pairs of shapes that may touch by the rules of the model, those named in `ContactRules.pairs` last.

    Two planes do not touch each other.  The rules are those of MuJoCo, with its order of the shapes.

    >>> import sixvec
    >>> from sixvec.model import collision_pairs
    >>> collision_pairs(sixvec.load("planar_2r").model)
    ()
    """
    rules = model.contact
    if not rules.enabled:
        return ()
    geoms = [g for g in model.geoms if g.collision]
    if len(geoms) > MOST_SHAPES:
        raise ModelError(f"{model.name} has {len(geoms)} collision shapes; pairs are listed for up to {MOST_SHAPES}")
    named = {g.name: g for g in geoms if g.name}
    explicit = {frozenset((p.first, p.second)) for p in rules.pairs}
    pairs = [
        CollisionPair(geoms[i], geoms[j], combined(geoms[i].surface, geoms[j].surface, rules.combination))
        for i, j in _compatible(model, geoms)
        if frozenset((geoms[i].name, geoms[j].name)) not in explicit
    ]
    pairs += [CollisionPair(named[p.first], named[p.second], p.parameters) for p in rules.pairs]
    return tuple(pairs)


def _compatible(model: Model, geoms: list[Geom]) -> Iterator[tuple[int, int]]:
    """The indices of the shapes that masks, bodies and excluded frames allow to touch."""
    if not geoms:
        return
    welded = _weld_groups(model)
    group, parent = (np.array(x) for x in zip(*(welded[model.frame(g.frame).body] for g in geoms), strict=True))
    contype, conaffinity = (np.array([getattr(g.surface, k) for g in geoms]) for k in ("contype", "conaffinity"))
    mask = contype[:, None] & conaffinity[None, :] != 0
    allowed = (mask | mask.T) & (group[:, None] != group[None, :])
    if model.contact.parent_filter:
        moving = (group[:, None] != 0) & (group[None, :] != 0)
        adjacent = group[:, None] == parent[None, :]
        allowed &= ~(moving & (adjacent | adjacent.T))
    plane = np.array([isinstance(g.shape, HalfSpace) for g in geoms])
    allowed &= ~(plane[:, None] & plane[None, :])
    on: dict[str, list[int]] = {}
    for i, g in enumerate(geoms):
        on.setdefault(g.frame, []).append(i)
    for first, second in model.contact.excluded:
        apart = np.ix_(on.get(first, []), on.get(second, []))
        allowed[apart] = allowed.T[apart] = False
    for frames in model.contact.apart:
        members = [i for frame in frames for i in on.get(frame, ())]
        allowed[np.ix_(members, members)] = False
    yield from ((int(i), int(j)) for i, j in np.argwhere(np.triu(allowed)))


def _weld_groups(model: Model) -> dict[str | None, tuple[int, int]]:
    """For each body the number of the rigid group it is in, and that of the group before its joint; the world is 0.

    A body without a frame is only a step between the joints of one body of the file.
    """
    framed = {f.body for f in model.frames}
    groups: dict[str | None, tuple[int, int]] = {None: (0, 0)}
    for number, b in enumerate(model.bodies, 1):
        if not b.joint.nv:
            groups[b.name] = groups[b.parent]
        else:
            before, further = groups[b.parent]
            groups[b.name] = number, before if b.parent is None or b.parent in framed else further
    return groups
