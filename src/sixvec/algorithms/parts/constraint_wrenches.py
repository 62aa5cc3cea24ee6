"""Rows of constraints as unit forces: the bodies and joints on which each acts.  There are no kernels here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.frame_pair import FramePair, held_rows, unit_wrench
from sixvec.algorithms.parts.least_slip import AxleSlip
from sixvec.algorithms.parts.rolling_rows import rolling_wrenches
from sixvec.model import WORLD, Closure, JointLaw, Model
from sixvec.model.coupling import coupling
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Pose


@dataclass(frozen=True)
class RowWrench:
    """A unit force along one row: wrenches on bodies, in their coordinates, and forces at coordinates of v."""

    on: Mapping[str, Force] = field(default_factory=dict)
    at: Mapping[int, Scalar] = field(default_factory=dict)
    meets: str | None = WORLD
    """The outermost body that carries all joints in which the row has entries: the row has no effect on it."""


def row_wrenches(model: Model, q: JointVector, hold: tuple[Held, ...] = ()) -> list[RowWrench]:
    """A unit force along every row of `constraint_jacobian`, in its order; the model has no joints that follow others.

    Two frames that are constrained push against each other, so the body where their branches join carries only
    the forces that the branches transmit; a frame held to the world pushes against the world.
    """
    wrenches: list[RowWrench] = []
    for c in model.closures:
        wrenches += _pair(FramePair.of(model, q, c)) if isinstance(c, Closure) else [_law(model, c)]
    for h in (*model.rolling, *hold):
        wrenches += _held(model, q, h) if h.to is None else _pair(FramePair.of(model, q, h))
    return wrenches


def follower_wrenches(model: Model) -> list[RowWrench]:
    """A row for every joint that follows another,  a_follower - factor a_leader,  in the robot with all joints free."""
    c = coupling(model)
    at = {model.v_slices[b.name].start: b.name for b in model.moving if b.joint.nv}
    wrenches: list[RowWrench] = []
    for b in model.bodies:
        if b.mimic:
            follower = c.free.v_slices[b.name].start
            k, factor, _ = c.v[follower]
            forces = {follower: 1.0, c.free.v_slices[at[k]].start: -factor}
            wrenches.append(RowWrench(at=forces, meets=_carrier(c.free, b.name, at[k])))
    return wrenches


def _law(model: Model, law: JointLaw) -> RowWrench:
    at: dict[int, Scalar] = {}
    for body, factor in law.terms:
        i = model.v_slices[body].start
        at[i] = at.get(i, 0.0) + factor
    return RowWrench(at=at, meets=_carrier(model, *(body for body, _ in law.terms)))


def _pair(pair: FramePair) -> list[RowWrench]:
    return [RowWrench(on, meets=pair.loop.carrier) for on in pair.wrenches()]


def _held(model: Model, q: JointVector, held: Held) -> list[RowWrench]:
    F = model.frame(held.frame)
    if F.body is WORLD:
        return [RowWrench() for _ in held.directions]
    wrenches = [RowWrench({F.body: F.placement @ unit}) for unit in held_units(model, q, held)]
    if isinstance(held, RollingFrame) and held.shared is not None and (k := held.shared_row) is not None:
        slip = AxleSlip.of(model, q, held.shared)
        row = {i: -x for i, x in zip(slip.platform, slip.row(), strict=True)}
        wrenches[k] = RowWrench(wrenches[k].on, row)
    return wrenches


def held_units(model: Model, q: JointVector, held: Held) -> list[Force]:
    """The wrenches of unit forces along the rows of a frame held to the world, in its axes."""
    if isinstance(held, RollingFrame):
        return rolling_wrenches(model, q, held)
    return [unit_wrench(row, Pose.identity()) for row in held_rows(model, q, held)]


def _carrier(model: Model, *bodies: str) -> str | None:
    """The outermost body that carries the joints of these bodies."""
    paths = [model.path(model.by_name[name].parent) for name in bodies]
    shared = [a for a, *others in zip(*paths, strict=False) if all(a is b for b in others)]
    return shared[-1].name if shared else WORLD
