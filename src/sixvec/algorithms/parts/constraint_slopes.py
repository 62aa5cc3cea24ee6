"""How accelerations along constraints, and their forces at the joints, change with the state.  No kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector, size
from sixvec.algorithms.parts.closure_rows import Acceleration, Row, rows_of
from sixvec.algorithms.parts.frame_pair import unit_wrench
from sixvec.algorithms.parts.held_frames import Held, is_of_world
from sixvec.algorithms.parts.reference import world_pose
from sixvec.algorithms.parts.relative_chain import RelativeChain
from sixvec.model import Closure, Model
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Motion, Pose, Rotation, Vec3

Rows = list[list[Any]]


def acceleration_slopes(
    model: Model, q: JointVector, v: JointVector, a: JointVector, hold: Sequence[Held]
) -> tuple[Rows, Rows]:
    """∂(A a + γ)/∂q and ∂(A a + γ)/∂v, in tangent coordinates; the model has no joints that follow others."""
    dq, dv = ([[0.0] * model.nv for _ in range(size(model, "nrows", tuple(hold)))] for _ in range(2))
    n = 0
    for c in (*model.closures, *hold):
        rows: tuple[Row, ...]
        if isinstance(c, Closure):
            rows = rows_of(c.joint)
            chain = RelativeChain.between(model, q, v, a, model.frame(c.first), model.frame(c.second))
            _pair_slopes(chain, rows, chain.X, 1.0, dq[n:], dv[n:])
        elif not isinstance(c, Held):  # a gear: its row does not change
            n += 1
            continue
        elif c.to is not None:
            rows = c.rows(Rotation.identity())
            chain = RelativeChain.between(model, q, v, a, model.frame(c.frame), model.frame(c.to))
            _pair_slopes(chain, rows, Pose.identity(), -1.0, dq[n:], dv[n:])
        else:
            rows = _held_rows(model, q, c)
            _held_slopes(RelativeChain.between(model, q, v, a, model.frame(c.frame), None), c, rows, dq[n:], dv[n:])
        n += len(rows)
    return dq, dv


def _pair_slopes(chain: RelativeChain, rows: Sequence[Row], X: Pose, sign: float, dq: Rows, dv: Rows) -> None:
    """Of rows in the observer's axes; `sign` is -1 where the observer is the frame that moves."""
    at, no_step = Acceleration(X, chain.V * sign, chain.C * sign, chain.Ja * sign), Motion.zero()
    for j, dX, dV, dC in chain.position_slopes():
        for row, line in zip(rows, dq, strict=False):
            line[j] = row.second_slope(at, dX * sign, dV * sign, dC * sign)
    for j, dV, dC in chain.velocity_slopes():
        for row, line in zip(rows, dv, strict=False):
            line[j] = row.second_slope(at, no_step, dV * sign, dC * sign)


def _held_rows(model: Model, q: JointVector, held: Held) -> tuple[Row, ...]:
    own = held.in_own_axes
    return held.rows(Rotation.identity() if own else world_pose(model, q, model.frame(held.frame)).rot.inv())


def _held_slopes(chain: RelativeChain, held: Held, rows: Sequence[Any], dq: Rows, dv: Rows) -> None:
    """Of a frame held to the world: the acceleration of its origin as a point is C + ω × v."""
    V, C = -chain.V, -chain.C
    point = C.lin + V.ang.cross(V.lin)
    turning = held.moves_along_axes_that_turn

    def change(dV: Motion, dC: Motion) -> dict[bool, Motion]:
        return {True: dC, False: Motion(dC.ang, dC.lin + dV.ang.cross(V.lin) + V.ang.cross(dV.lin))}

    for j, dX, dV, dC in chain.position_slopes():
        changed = change(-dV, -dC)
        for row, direction, turns, line in zip(rows, held.directions, turning, dq, strict=False):
            line[j] = row.second_slope(None, dX, dV, changed[turns])
            if is_of_world(direction):  # the axis turns against the frame: u turns with dX, which is that of the world
                du = dX.ang.cross(row.u)
                line[j] = line[j] + du.dot(C.ang if direction.startswith("turn") else point)
    for j, dV, dC in chain.velocity_slopes():
        changed = change(-dV, -dC)
        for row, turns, line in zip(rows, turning, dv, strict=False):
            line[j] = row.second_slope(None, dV, dV, changed[turns])


def held_wrenches(
    model: Model, q: JointVector, hold: Sequence[Held], force: Sequence[Scalar]
) -> dict[str, list[Scalar]]:
    """The wrenches at frames, in their axes, of the forces along rows of frames held to the world."""
    found: dict[str, list[Scalar]] = {}
    n = len(force) - sum(len(h.directions) for h in hold)
    for h in hold:
        if h.to is None:
            units = [unit_wrench(row, Pose.identity()) for row in _held_rows(model, q, h)]
            W = _weighed(units, force[n : n + len(units)])
            there = found.get(h.frame, [0.0] * 6)
            found[h.frame] = [x + y for x, y in zip(there, W, strict=True)]
        n += len(h.directions)
    return found


def force_slopes(model: Model, q: JointVector, hold: Sequence[Held], force: Sequence[Scalar]) -> Rows:
    """∂(Aᵀ force)/∂q, less the part of `held_wrenches` that move with their frames."""
    found = [[0.0] * model.nv for _ in range(model.nv)]
    still = JointVector([0.0] * model.nv, model.v_slices)
    n = 0
    for c in (*model.closures, *hold):
        if isinstance(c, Closure):
            rows: Sequence[Row] = rows_of(c.joint)
            chain = RelativeChain.between(model, q, still, still, model.frame(c.first), model.frame(c.second))
            _add_pair(found, chain, rows, chain.X, 1.0, force[n : n + len(rows)])
        elif not isinstance(c, Held):
            n += 1
            continue
        elif c.to is not None:
            rows = c.rows(Rotation.identity())
            chain = RelativeChain.between(model, q, still, still, model.frame(c.frame), model.frame(c.to))
            _add_pair(found, chain, rows, Pose.identity(), -1.0, force[n : n + len(rows)])
        else:
            rows = _held_rows(model, q, c)
            _add_turned(found, model, q, c, rows, force[n : n + len(rows)])
        n += len(rows)
    return found


def _add_pair(
    found: Rows, chain: RelativeChain, rows: Sequence[Row], X: Pose, sign: float, force: Sequence[Scalar]
) -> None:
    W = _weighed([unit_wrench(row, X) for row in rows], force)
    for k, j, turned in chain.turned_columns():
        found[k][j] = found[k][j] + turned.dot(W) * sign
    units = [Motion.of(float(i == n) for i in range(6)) for n in range(6)]
    for c in chain.columns:
        dW = _weighed([Force.of(row.rate_slope(X, unit, c.J * sign) for unit in units) for row in rows], force)
        for other in chain.columns:
            found[other.at][c.at] = found[other.at][c.at] + other.J.dot(dW) * sign


def _add_turned(
    found: Rows, model: Model, q: JointVector, held: Held, rows: Sequence[Any], force: Sequence[Scalar]
) -> None:
    """Forces along axes of the world turn against the frame in which they are external wrenches."""
    if held.in_own_axes:
        return
    still = JointVector([0.0] * model.nv, model.v_slices)
    chain = RelativeChain.between(model, q, still, still, model.frame(held.frame), None)
    for c in chain.columns:
        dW = Force.zero()
        for row, direction, f in zip(rows, held.directions, force, strict=True):
            if is_of_world(direction):
                du = c.J.ang.cross(row.u) * f
                dW = dW + (Force(du, Vec3.zero()) if direction.startswith("turn") else Force(Vec3.zero(), du))
        for k in chain.columns:
            found[k.at][c.at] = found[k.at][c.at] - k.J.dot(dW)


def _weighed(wrenches: Iterable[Force], force: Sequence[Scalar]) -> Force:
    return sum((W * f for W, f in zip(wrenches, force, strict=True)), Force.zero())
