"""All constraints of a mechanism, row by row: their Jacobian, and their acceleration at zero joint acceleration.

A row belongs to a closure of the model, to one of its wheels, or to a held frame.  With e the error of a row,
ė = A v  and  ë = A a + γ: Featherstone (34), whose  J_l - J_r  is A (Bruyninckx (6.36), and Bruyninckx (6.47) for
several).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import acceleration_fields
from sixvec.algorithms.parts.closure_rows import rows_of
from sixvec.algorithms.parts.frame_columns import frame_columns, frame_velocity
from sixvec.algorithms.parts.frame_pair import FramePair, held_rows, rows_in_frame
from sixvec.algorithms.parts.least_slip import AxleSlip
from sixvec.algorithms.parts.rolling_rows import RollingMotion, rolling_jacobian
from sixvec.model import Closure, Frame, Model
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.scalar import Scalar
from sixvec.spatial import AccelerationField, Motion, Pose, Vec3
from sixvec.spatial.linear import dot


@kernel("q -> A[nrows,nv]", loops="described")
def constraint_jacobian(model: Model, q: JointVector, hold: tuple[Held, ...] = ()) -> Any:
    """A(q) with  ė = A v: rows of the closures, as in `closure_jacobian`, of wheels that roll, of frames in `hold`.

    The row of a held frame is its velocity along a direction of that frame or of the world: rad/s for turns, m/s
    for shifts.  If it is held to another frame, it is the velocity against that frame.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.constraint_jacobian(robot.neutral(), hold={"panda_link8": "point"}).shape
    (3, 7)
    """
    rows: list[list[Any]] = []
    for c in model.closures:
        if isinstance(c, Closure):
            rows += FramePair.of(model, q, c).jacobian(model, q)
        else:
            row = [0.0] * model.nv
            for body, factor in c.terms:
                row[model.v_slices[body].start] += factor
            rows.append(row)
    for h in (*model.rolling, *hold):
        rows += _held_jacobian(model, q, h) if h.to is None else FramePair.of(model, q, h).jacobian(model, q)
    return rows


@kernel("q v -> bias[nrows]", loops="described")
def constraint_bias(model: Model, q: JointVector, v: JointVector, hold: tuple[Held, ...] = ()) -> Any:
    """γ(q, v), the acceleration along each row at a = 0:  A a + γ  is what a constraint keeps at zero.

    γ = Ȧ v, whatever v is and whichever rows are held with it.  Rows of closures are exact where the loop is closed;
    for an "acceleration" of a held frame, A a + γ is the acceleration of its origin.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> bars.constraint_bias(bars.neutral(), [1.0, 0.0, 0.0]).shape
    (5,)
    """
    bias: list[Scalar] = []
    for c in model.closures:
        bias += FramePair.of(model, q, c).bias(model, q, v) if isinstance(c, Closure) else [0.0]
    for h in (*model.rolling, *hold):
        bias += _held_bias(model, q, v, h) if h.to is None else FramePair.of(model, q, h).bias(model, q, v)
    return bias


def _held_jacobian(model: Model, q: JointVector, held: Held) -> list[list[Any]]:
    """Rows of the frame's Jacobian in its own axes, from the frame inward: no pose in the world is needed."""
    if isinstance(held, RollingFrame):
        rows = rolling_jacobian(model, q, held)
        if held.shared is not None and (k := held.shared_row) is not None:
            slip = AxleSlip.of(model, q, held.shared)
            for i, x in zip(slip.platform, slip.row(), strict=True):
                rows[k][i] = rows[k][i] - x
        return rows
    columns, X = frame_columns(model, q, model.frame(held.frame))
    return [[row.rate(X, V) for V in columns] for row in rows_in_frame(held, X.rot)]


def _held_bias(model: Model, q: JointVector, v: JointVector, held: Held) -> list[Scalar]:
    if isinstance(held, RollingFrame):
        return _rolling_bias(model, q, v, held)
    F = model.frame(held.frame)
    shifts = any(d.turns_with_frame and not d.turns for d in held.directions)
    C = (_velocity_slope if shifts else _point_acceleration)(model, q, v, F)  # their angular parts are equal
    is_in_frame = [d.turns_with_frame for d in held.directions]
    of_point = C if all(is_in_frame) else _point_acceleration(model, q, v, F)
    along = (C if x else of_point for x in is_in_frame)
    rows = held_rows(model, q, held)
    return [row.second(Pose.identity(), Motion.zero(), C) for row, C in zip(rows, along, strict=True)]


def _velocity_slope(model: Model, q: JointVector, v: JointVector, F: Frame) -> Motion:
    """The derivative of a frame's velocity in its own axes, at a = 0."""
    V, C = Motion.zero(), Motion.zero()
    for b in model.path(F.body):
        X_BP, vJ = b.pose_in_parent(q).inv(), b.joint_velocity(q, v)
        carried = X_BP @ V
        V, C = carried + vJ, X_BP @ C + b.joint.bias(q[b], v[b]) + carried.cross(vJ)
    return F.placement.inv() @ C


def _point_acceleration(model: Model, q: JointVector, v: JointVector, F: Frame) -> Motion:
    """The angular acceleration and that of the origin, in the frame's axes, at a = 0.

    Those which inverse dynamics computes, without its fictitious acceleration for gravity.
    """
    path = model.path(F.body)
    zero_rates = JointVector([0.0] * model.nv, model.v_slices)
    at_rest, g = AccelerationField.at_rest(-model.gravity), model.gravity
    A = {None: at_rest} | {b.name: field for b, field in acceleration_fields(path, at_rest, q, v, zero_rates)}
    for b in path:
        g = b.joint.pose(q[b]).rot.inv() @ (b.placement.rot.inv() @ g)
    at_F, g = F.placement.inv() @ A[F.body], F.placement.rot.inv() @ g
    return Motion(at_F.ang, at_F.lin + g)


def _rolling_bias(model: Model, q: JointVector, v: JointVector, wheel: RollingFrame) -> list[Scalar]:
    F = model.frame(wheel.frame)
    zero_rates, still = JointVector([0.0] * model.nv, model.v_slices), AccelerationField.at_rest(Vec3.zero())
    fields = {None: still} | {
        b.name: field for b, field in acceleration_fields(model.path(F.body), still, q, v, zero_rates)
    }
    A, V = F.placement.inv() @ fields[F.body], frame_velocity(model, q, v, F)
    accelerations = RollingMotion.of(model, q, wheel, V, Motion(A.ang, A.lin - V.ang.cross(V.lin))).accelerations()
    if wheel.shared is not None and (k := wheel.shared_row) is not None:
        slip = AxleSlip.of(model, q, wheel.shared)
        accelerations[k] = accelerations[k] - dot(slip.rate(slip.along(v)), slip.of_platform(v))
    return accelerations


def shared_slip(
    model: Model, q: JointVector, v: JointVector, a: Sequence[Scalar], hold: Sequence[Held]
) -> dict[int, Scalar]:
    """The accelerations of the slip that rows leave to the motion of a platform, by the number of the row."""
    slips: dict[int, Scalar] = {}
    n = sum(c.constraints for c in model.closures)
    for h in (*model.rolling, *hold):
        if isinstance(h, RollingFrame) and h.shared is not None and (k := h.shared_row) is not None:
            slip = AxleSlip.of(model, q, h.shared)
            slips[n + k] = dot(slip.row(), slip.of_platform(a))
            slips[n + k] += dot(slip.rate(slip.along(v)), slip.of_platform(v))
        n += len(h.directions)
    return slips


def row_names(model: Model, hold: Sequence[Held] = ()) -> tuple[str, ...]:
    """A description of each row.

    >>> from sixvec.model.robots import BUILT_IN
    >>> row_names(BUILT_IN["four_bar"]())[2:4]
    ('loop coupler_pin: x', 'loop coupler_pin: y')
    """
    names: list[str] = []
    for c in model.closures:
        if isinstance(c, Closure):
            names += [f"loop {c.name}: {r.name}" for r in rows_of(c.joint)]
        else:
            names.append(f"{type(c).__name__.lower()} {c.name}")
    return (*names, *(name for h in (*model.rolling, *hold) for name in h.names))
