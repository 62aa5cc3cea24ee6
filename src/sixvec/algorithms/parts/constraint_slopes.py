"""How accelerations along constraints, and their forces at the joints, change with the state.  No kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector, size
from sixvec.algorithms.parts.closure_rows import Acceleration, Row, rows_of
from sixvec.algorithms.parts.constraint_wrenches import held_units
from sixvec.algorithms.parts.frame_pair import held_rows, unit_wrench
from sixvec.algorithms.parts.held_directions import Direction
from sixvec.algorithms.parts.least_slip import AxleSlip
from sixvec.algorithms.parts.relative_chain import RelativeChain
from sixvec.algorithms.parts.rolling_rows import RollingMotion
from sixvec.model import Closure, Model
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Motion, Pose, Vec3
from sixvec.spatial.linear import dot

Rows = list[list[Any]]


def acceleration_slopes(
    model: Model, q: JointVector, v: JointVector, a: JointVector, hold: Sequence[Held]
) -> tuple[Rows, Rows]:
    """∂(A a + γ)/∂q and ∂(A a + γ)/∂v, in tangent coordinates; the model has no joints that follow others."""
    dq, dv = ([[0.0] * model.nv for _ in range(size(model, "nrows", tuple(hold)))] for _ in range(2))
    n = 0
    for c in (*model.closures, *model.rolling, *hold):
        rows: tuple[Row, ...]
        if isinstance(c, Closure):
            rows = rows_of(c.joint)
            chain = RelativeChain.between(model, q, v, a, model.frame(c.first), model.frame(c.second))
            _pair_slopes(chain, rows, dq[n:], dv[n:])
        elif not isinstance(c, Held):  # a gear: its row does not change
            n += 1
            continue
        elif isinstance(c, RollingFrame):
            _rolling_slopes(
                model, q, RelativeChain.between(model, q, v, a, model.frame(c.frame), None), c, dq[n:], dv[n:]
            )
            if (k := c.shared_row) is not None:
                _shared_slopes(model, q, v, a, c, dq[n + k], dv[n + k])
            n += len(c.directions)
            continue
        else:
            rows = held_rows(model, q, c)
            chains = _chains(model, q, v, a, c)
            for row, direction, by_q, by_v in zip(rows, c.directions, dq[n:], dv[n:], strict=False):
                _held_slopes(*chains, direction, row, by_q, by_v)
        n += len(rows)
    return dq, dv


def _chains(
    model: Model, q: JointVector, v: JointVector, a: JointVector, held: Held
) -> tuple[RelativeChain, RelativeChain]:
    """From a held frame to the frame to which it is held, and to the world."""
    frame = model.frame(held.frame)
    to = None if held.to is None else model.frame(held.to)
    chain = RelativeChain.between(model, q, v, a, frame, to)
    is_same = to is None or held.in_own_axes
    return chain, chain if is_same else RelativeChain.between(model, q, v, a, frame, None)


def _rolling_slopes(
    model: Model, q: JointVector, chain: RelativeChain, wheel: RollingFrame, dq: Rows, dv: Rows
) -> None:
    """Of a wheel, which observes the world: a step turns the world about it."""
    motion, no_turn = RollingMotion.of(model, q, wheel, -chain.V, -chain.C), Vec3.zero()
    for j, dX, dV, dC in chain.position_slopes():
        for slope, line in zip(motion.slopes(dX.ang, -dV, -dC), dq, strict=False):
            line[j] = slope
    for j, dV, dC in chain.velocity_slopes():
        for slope, line in zip(motion.slopes(no_turn, -dV, -dC), dv, strict=False):
            line[j] = slope


def _shared_slopes(
    model: Model, q: JointVector, v: JointVector, a: JointVector, wheel: RollingFrame, dq: Any, dv: Any
) -> None:
    """Of the part  E a + Ė v  that the row of an axle leaves to the motion of its platform."""
    assert wheel.shared is not None
    slip = AxleSlip.of(model, q, wheel.shared)
    moved, v_platform, a_platform = slip.along(v), slip.of_platform(v), slip.of_platform(a)
    for j in slip.coordinates:
        step = slip.unit(j)
        rate = slip.rate(step)
        dq[j] = dq[j] - dot(rate, a_platform) - dot(slip.second(moved, step), v_platform)
        dv[j] = dv[j] - dot(rate, v_platform)
    for j, x in zip(slip.platform, slip.rate(moved), strict=True):
        dv[j] = dv[j] - x


def _pair_slopes(chain: RelativeChain, rows: Sequence[Row], dq: Rows, dv: Rows) -> None:
    """Of rows of a closure, in the axes of its first frame."""
    at, no_step = Acceleration(chain.X, chain.V, chain.C, chain.Ja), Motion.zero()
    for j, dX, dV, dC in chain.position_slopes():
        for row, line in zip(rows, dq, strict=False):
            line[j] = row.second_slope(at, dX, dV, dC)
    for j, dV, dC in chain.velocity_slopes():
        for row, line in zip(rows, dv, strict=False):
            line[j] = row.second_slope(at, no_step, dV, dC)


def _held_slopes(
    chain: RelativeChain, world: RelativeChain, direction: Direction, row: Any, dq: list[Any], dv: list[Any]
) -> None:
    """Of  u · (dV/dt + Ω × V),  where the axis u turns with -Ω against the held frame, which observes both chains."""
    by_q = {j: _part(direction, -dC) for j, _, _, dC in chain.position_slopes()}
    by_v = {j: _part(direction, -dC) for j, _, dC in chain.velocity_slopes()}
    about = world if direction.in_world else chain
    spin, V = -about.V.ang, _part(direction, -chain.V)
    if not direction.turns_with_frame:
        moved = ([(j, dV) for j, _, dV, _ in x.position_slopes()] for x in (chain, about))
        faster = ([(j, dV) for j, dV, _ in x.velocity_slopes()] for x in (chain, about))
        for slopes, (of_chain, of_axis) in ((by_q, moved), (by_v, faster)):
            for j, dV in of_axis:
                slopes[j] = slopes.get(j, Vec3.zero()) + (-dV.ang).cross(V)
            for j, dV in of_chain:
                slopes[j] = slopes[j] + spin.cross(_part(direction, -dV))
    for line, changes in ((dq, by_q), (dv, by_v)):
        for j, change in changes.items():
            line[j] = row.u.dot(change)
    if direction.in_world:
        whole = _part(direction, -chain.C) + spin.cross(V)
        for c in world.columns:  # a step turns the world, and u with it, about the frame
            dq[c.at] = dq[c.at] + c.J.ang.cross(row.u).dot(whole)


def _part(direction: Direction, V: Motion) -> Vec3:
    return V.ang if direction.turns else V.lin


def held_wrenches(
    model: Model, q: JointVector, hold: Sequence[Held], force: Sequence[Scalar]
) -> dict[str, list[Scalar]]:
    """The wrenches at frames, in their axes, of the forces along rows of frames held to the world."""
    wrenches: dict[str, list[Scalar]] = {}
    holds = (*model.rolling, *hold)
    n = len(force) - sum(len(h.directions) for h in holds)
    for h in holds:
        if h.to is None:
            units = held_units(model, q, h)
            W = _weighed(units, force[n : n + len(units)])
            there = wrenches.get(h.frame, [0.0] * 6)
            wrenches[h.frame] = [x + y for x, y in zip(there, W, strict=True)]
        n += len(h.directions)
    return wrenches


def force_slopes(model: Model, q: JointVector, hold: Sequence[Held], force: Sequence[Scalar]) -> Rows:
    """∂(Aᵀ force)/∂q, less the part of `held_wrenches` that move with their frames."""
    slopes = [[0.0] * model.nv for _ in range(model.nv)]
    still = JointVector([0.0] * model.nv, model.v_slices)
    n = 0
    for c in (*model.closures, *model.rolling, *hold):
        if isinstance(c, Closure):
            rows: Sequence[Row] = rows_of(c.joint)
            chain = RelativeChain.between(model, q, still, still, model.frame(c.first), model.frame(c.second))
            _add_pair(slopes, chain, rows, chain.X, 1.0, force[n : n + len(rows)])
        elif not isinstance(c, Held):
            n += 1
            continue
        elif c.to is not None:
            rows = held_rows(model, q, c)
            chain = RelativeChain.between(model, q, still, still, model.frame(c.frame), model.frame(c.to))
            _add_pair(slopes, chain, rows, Pose.identity(), -1.0, force[n : n + len(rows)])
            _add_turned(slopes, model, q, c, force[n : n + len(rows)])
        else:
            _add_turned(slopes, model, q, c, force[n : n + len(c.directions)])
            n += len(c.directions)
            continue
        n += len(rows)
    return slopes


def _add_pair(
    slopes: Rows, chain: RelativeChain, rows: Sequence[Row], X: Pose, sign: float, force: Sequence[Scalar]
) -> None:
    W = _weighed([unit_wrench(row, X) for row in rows], force)
    for k, j, turned in chain.turned_columns():
        slopes[k][j] = slopes[k][j] + turned.dot(W) * sign
    units = [Motion.of(float(i == n) for i in range(6)) for n in range(6)]
    for c in chain.columns:
        dW = _weighed([Force.of(row.rate_slope(X, unit, c.J * sign) for unit in units) for row in rows], force)
        for other in chain.columns:
            slopes[other.at][c.at] = slopes[other.at][c.at] + other.J.dot(dW) * sign


def _add_turned(slopes: Rows, model: Model, q: JointVector, held: Held, force: Sequence[Scalar]) -> None:
    """Forces along axes of the world, and at contacts of wheels, turn against the frame of the external wrench."""
    if held.in_own_axes:
        return
    if isinstance(held, RollingFrame) and held.shared is not None and (row := held.shared_row) is not None:
        slip = AxleSlip.of(model, q, held.shared)
        for j in slip.coordinates:
            for i, x in zip(slip.platform, slip.rate(slip.unit(j)), strict=True):
                slopes[i][j] = slopes[i][j] - x * force[row]
    still = JointVector([0.0] * model.nv, model.v_slices)
    chain, world = _chains(model, q, still, still, held)
    turned = _turned_units(model, q, held)
    for c in world.columns:
        dW = _weighed(turned(c.J.ang), force)
        for k in chain.columns:
            slopes[k.at][c.at] = slopes[k.at][c.at] - k.J.dot(dW)


def _turned_units(model: Model, q: JointVector, held: Held) -> Callable[[Vec3], list[Force]]:
    """The change of unit wrenches in the frame's axes, as the world turns about its origin."""
    if isinstance(held, RollingFrame):
        return RollingMotion.of(model, q, held, Motion.zero(), Motion.zero()).turned_wrenches
    rows: list[tuple[Any, Direction]] = [*zip(held_rows(model, q, held), held.directions, strict=True)]

    def turned(about: Vec3) -> list[Force]:
        changes = [about.cross(row.u) if d.in_world else Vec3.zero() for row, d in rows]
        return [
            Force(u, Vec3.zero()) if d.turns else Force(Vec3.zero(), u) for u, (_, d) in zip(changes, rows, strict=True)
        ]

    return turned


def _weighed(wrenches: Iterable[Force], force: Sequence[Scalar]) -> Force:
    return sum((W * f for W, f in zip(wrenches, force, strict=True)), Force.zero())
