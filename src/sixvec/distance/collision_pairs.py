"""Which frames of a robot are compared with each other, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.shapes import CollisionShape
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.kept import kept
from sixvec.model import ContactRules, Geom, Model

SAMPLES = 10_000
"""States in which pairs are looked at to see whether they always or never touch, as in MoveIt's setup assistant."""

SEED, BLOCKS = 0, 10

MOST_MOTIONS = 2
"""Velocities of the joints between a frame and the world, up to which the two are neighbours: a robot that walks or
flies is not a neighbour of its floor."""

FramePair = tuple[str, str]

ADJACENT, ALWAYS, NEVER, FILE = "adjacent", "always", "never", "file"


@dataclass(frozen=True, eq=False)
class CollisionPairs(Sequence[FramePair]):
    """The pairs of frames that are compared; `omitted` gives the reason for each of the others.

    Reasons: "adjacent" (no joint or one joint between them), "always" and "never" (they overlap in all, or in none, of
    10 000 sampled states), "file" (rules of the file, or of `Robot.with_collision_pairs`).

    >>> from sixvec.distance import CollisionPairs
    >>> CollisionPairs((("hand", "base"),), {("hand", "wrist"): "adjacent"})
    <CollisionPairs: 1 compared, 1 omitted (1 adjacent)>
    """

    pairs: tuple[FramePair, ...]
    omitted: Mapping[FramePair, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "omitted", MappingProxyType(dict(self.omitted)))

    def __getitem__(self, index: Any) -> Any:
        return self.pairs[index]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[FramePair]:
        return iter(self.pairs)

    def __contains__(self, pair: object) -> bool:
        return pair in self.pairs or (isinstance(pair, tuple) and pair[::-1] in self.pairs)

    def __reduce__(self) -> Any:
        return CollisionPairs, (self.pairs, dict(self.omitted))

    def __repr__(self) -> str:
        counts = {reason: sum(r == reason for r in self.omitted.values()) for reason in self.omitted.values()}
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(counts.items()))
        omitted = f"{len(self.omitted)} omitted" + (f" ({reasons})" if reasons else "")
        return f"<CollisionPairs: {len(self.pairs)} compared, {omitted}>"


def edited_rules(
    model: Model, shapes: Sequence[CollisionShape], without: Iterable[FramePair], also: Iterable[FramePair], where: str
) -> ContactRules:
    """The rules of a model without some pairs of frames, and with others that would be omitted."""
    rules, frames = model.contact, {s.frame for s in shapes}
    excluded, compared = list(rules.excluded), list(rules.compared)
    for is_excluded, pairs in ((True, without), (False, also)):
        for pair in pairs:
            both = _frames(pair, frames, where)
            excluded = [p for p in excluded if {*p} != {*both}] + [both] * is_excluded
            compared = [p for p in compared if {*p} != {*both}] + [both] * (not is_excluded)
    return replace(rules, excluded=tuple(excluded), compared=tuple(compared))


def _frames(pair: Any, frames: Collection[str], where: str) -> FramePair:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ArgumentError(f"{where}: a pair is two names of frames, not {pair!r}")
    first, second = pair
    for name in pair:
        if name not in frames:
            raise ArgumentError(
                f"{where}: " + unknown("frame", str(name), sorted(frames)) + " (those with collision shapes)"
            )
    if first == second:
        raise ArgumentError(f"{where}: the pair {pair!r} is one frame twice; shapes of one frame do not move apart")
    return first, second


ShapePairs = dict[FramePair, list[tuple[int, int]]]
"""For each pair of frames the pairs of shapes, by index."""


def candidate_pairs(model: Model, shapes: Sequence[CollisionShape]) -> tuple[ShapePairs, dict[FramePair, str]]:
    """Pairs of shapes by pairs of frames that may touch by the rules, and the pairs of frames that are omitted."""
    geoms = [g for g in model.geoms if g.collision]
    on: dict[str, list[int]] = {}
    for i, shape in enumerate(shapes):
        on.setdefault(shape.frame, []).append(i)
    frames, groups = [*on], _groups(model)
    allowed, compared = _allowed(model, geoms), {frozenset(pair) for pair in model.contact.compared}
    pairs: ShapePairs = {}
    omitted: dict[FramePair, str] = {}
    for k, first in enumerate(frames):
        for second in frames[k + 1 :]:
            pair = first, second
            body, other = (model.frame(f).body for f in pair)
            between = [(i, j) for i in on[first] for j in on[second] if _is_comparable(shapes[i], shapes[j])]
            if frozenset(pair) in compared and between:
                pairs[pair] = between
            elif _is_adjacent(groups, body, other):
                omitted[pair] = ADJACENT
            elif chosen := [(i, j) for i, j in between if allowed(i, j)]:
                pairs[pair] = chosen
            elif between:
                omitted[pair] = FILE
    return pairs, omitted


def _is_comparable(a: CollisionShape, b: CollisionShape) -> bool:
    """Two planes have no distance."""
    return not a.kind == b.kind == "half space"


def _groups(model: Model) -> dict[str | None, tuple[int, int, int]]:
    """For each body the number of its rigid group, that of the group before its joint, and the joint's velocities.

    A body without a frame is only a step between the joints of one body of the file.
    """
    framed = {f.body for f in model.frames}
    groups: dict[str | None, tuple[int, int, int]] = {None: (0, 0, 0)}
    for number, b in enumerate(model.bodies, 1):
        if not b.joint.nv:
            groups[b.name] = groups[b.parent]
            continue
        before, further, motions = groups[b.parent]
        is_step = b.parent is not None and b.parent not in framed
        groups[b.name] = number, further if is_step else before, b.joint.nv + (motions if is_step else 0)
    return groups


def _is_adjacent(groups: dict[str | None, tuple[int, int, int]], body: str | None, other: str | None) -> bool:
    (a, before_a, motions_a), (b, before_b, motions_b) = groups[body], groups[other]
    if a == b:
        return True
    near_a = before_a == b and a != 0 and (b != 0 or motions_a <= MOST_MOTIONS)
    near_b = before_b == a and b != 0 and (a != 0 or motions_b <= MOST_MOTIONS)
    return near_a or near_b


def _allowed(model: Model, geoms: Sequence[Geom]) -> Callable[[int, int], bool]:
    """Whether the rules of the file let two shapes touch."""
    rules = model.contact
    excluded = {frozenset(pair) for pair in rules.excluded}
    apart = [frozenset(group) for group in rules.apart]
    explicit = {frozenset((p.first, p.second)) for p in rules.pairs}

    def allowed(i: int, j: int) -> bool:
        a, b = geoms[i], geoms[j]
        if frozenset((a.name, b.name)) in explicit and a.name and b.name:
            return True
        frames = frozenset((a.frame, b.frame))
        return (
            rules.enabled
            and frames not in excluded
            and not any(frames <= g for g in apart)
            and (a.surface.may_touch(b.surface))
        )

    return allowed


def selected_pairs(
    model: Model,
    shapes: Sequence[CollisionShape],
    states: Callable[[np.random.Generator, int], Array],
    identity: str,
    overlaps: Callable[[ShapePairs], Callable[[Array], NDArray[np.bool_]]],
) -> tuple[CollisionPairs, ShapePairs]:
    """The pairs that are compared: candidates that neither always nor never overlap in sampled states.

    `overlaps` makes, for pairs of shapes by pairs of frames, a function from states to whether they overlap (n, pairs).
    """
    candidates, omitted = candidate_pairs(model, shapes)
    compared = {frozenset(pair) for pair in model.contact.compared}
    unsure = {pair: between for pair, between in candidates.items() if frozenset(pair) not in compared}
    reasons = kept(f"collision pairs {identity} {SAMPLES} {SEED}", lambda: _sampled(unsure, states, overlaps(unsure)))
    if len(reasons) != len(unsure):
        raise AssertionError("the stored reasons are those of other pairs")
    why = {pair: _REASONS[reason] for pair, reason in zip(unsure, reasons.tolist(), strict=True)}
    remaining = {pair: between for pair, between in candidates.items() if not why.get(pair)}
    omitted |= {pair: reason for pair, reason in why.items() if reason}
    return CollisionPairs(tuple(remaining), omitted), remaining


_REASONS = ("", ALWAYS, NEVER)


def _sampled(
    pairs: ShapePairs,
    states: Callable[[np.random.Generator, int], Array],
    overlaps: Callable[[Array], NDArray[np.bool_]],
) -> NDArray[np.int64]:
    """For each pair 0, 1 if the two frames overlap in all sampled states, or 2 if in none."""
    always, never = np.ones(len(pairs), bool), np.ones(len(pairs), bool)
    rng = np.random.default_rng(SEED)
    for _ in range(BLOCKS if pairs else 0):
        overlap = overlaps(states(rng, SAMPLES // BLOCKS))
        always &= overlap.all(axis=0)
        never &= ~overlap.any(axis=0)
    return np.where(always, 1, np.where(never, 2, 0)).astype(np.int64)
