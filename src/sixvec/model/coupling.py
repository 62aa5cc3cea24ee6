"""Mimic joints: how the coordinates of all joints depend on those of the independent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sixvec.errors import ModelError, unknown
from sixvec.model.body import Body
from sixvec.model.model import Model
from sixvec.scalar import Scalar


@dataclass(frozen=True, slots=True)
class Coupling:
    """q_all = G q + o  and  v_all = G v, one line per coordinate of the free robot: (column, factor, offset).

    Forces, and everything with an axis of joint coordinates, are mapped back with Gᵀ (virtual work).
    """

    free: Model
    """The same robot with every joint independent."""
    q: tuple[tuple[int, float, float], ...]
    v: tuple[tuple[int, float, float], ...]
    nv: int

    def positions(self, q: Sequence[Scalar]) -> list[Scalar]:
        return [q[i] if (k, o) == (1.0, 0.0) else k * q[i] + o for i, k, o in self.q]

    def velocities(self, v: Sequence[Scalar]) -> list[Scalar]:
        return [v[i] if k == 1.0 else v[i] * k for i, k, _ in self.v]

    def reduce(self, value: Any, axes: Sequence[bool]) -> Any:
        """Gᵀ along each axis that `axes` marks, on nested sequences."""
        if not axes:
            return value
        parts = [self.reduce(entry, axes[1:]) for entry in value]
        if not axes[0]:
            return parts
        sums: list[Any] = [None] * self.nv
        for part, (i, k, _) in zip(parts, self.v, strict=True):
            term = part if k == 1.0 else _scaled(part, k)
            sums[i] = term if sums[i] is None else _sum(sums[i], term)
        return sums


def _scaled(x: Any, k: float) -> Any:
    return [_scaled(y, k) for y in x] if isinstance(x, list) else x * k


def _sum(x: Any, y: Any) -> Any:
    return [_sum(a, b) for a, b in zip(x, y, strict=True)] if isinstance(x, list) else x + y


def is_coupled(model: Model) -> bool:
    return any(b.mimic for b in model.bodies)


@lru_cache(maxsize=64)
def coupling(model: Model) -> Coupling:
    """The coupling of a model; chains of mimic joints are resolved to their independent leader.

    Where no joint mimics another, G is the identity and the free robot is the model itself.
    """
    independent = tuple(replace(b, mimic=None) for b in model.bodies)
    free = replace(model, bodies=independent) if is_coupled(model) else model
    known: dict[str, _Line] = {}
    q, v = [], []
    for b in free.moving:
        leader, factor, offset = _leader(model, model.by_name[b.name], known)
        at_q, at_v = model.q_slices[leader.name], model.v_slices[leader.name]
        q += [(i, factor, offset) for i in range(at_q.start, at_q.stop)]
        v += [(i, factor, 0.0) for i in range(at_v.start, at_v.stop)]
    return Coupling(free, tuple(q), tuple(v), model.nv)


_Line = tuple[Body, float, float]


def _leader(model: Model, b: Body, known: dict[str, _Line]) -> _Line:
    """The independent joint that b follows, with  q_b = factor · q_leader + offset.

    Every joint of the chain is entered in `known`, so that long chains are traversed once.
    """
    chain: dict[str, Body] = {}
    while b.name not in known and b.mimic:
        chain[b.name] = b
        name = b.mimic.leader
        if name not in model.by_name:
            message = unknown("body", name, model.by_name, model.name) + f' (leader of "{b.name}")'
            raise ModelError(message, body=b.name)
        if name in chain:
            circle = " -> ".join([*chain, name])
            raise ModelError(
                f"{model.name}: mimic joints follow each other in a circle: {circle}", body=next(iter(chain))
            )
        b = model.by_name[name]
    leader, factor, offset = known.setdefault(b.name, (b, 1.0, 0.0))
    if chain and leader.joint.nv != 1:
        raise ModelError(
            f'{model.name}: "{next(iter(chain))}" cannot follow "{leader.name}", whose joint has {leader.joint.nv} '
            "freedoms; a leader has one",
            body=next(iter(chain)),
        )
    for follower in reversed(chain.values()):
        assert follower.mimic is not None
        factor, offset = follower.mimic.multiplier * factor, follower.mimic.multiplier * offset + follower.mimic.offset
        known[follower.name] = (leader, factor, offset)
    return leader, factor, offset
