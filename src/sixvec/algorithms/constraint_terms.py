"""All constraints of a mechanism, row by row: how joint velocities violate them, and what velocities alone do to them.

A row belongs to a closure of the model or to a frame that is held.  With e the error of a row,  ė = A v  and
ë = A a + γ: Featherstone 2010, Eq. 34, whose  J_l - J_r  is A (Bruyninckx (6.36), and (6.46) for several).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import acceleration_fields
from sixvec.algorithms.parts.closure_loop import Loop
from sixvec.algorithms.parts.closure_rows import Row, rows_of
from sixvec.algorithms.parts.held_frames import Held, RollingFrame
from sixvec.algorithms.parts.rolling_rows import rolling_bias, rolling_jacobian
from sixvec.model import Body, Closure, Gear, Model
from sixvec.scalar import Scalar
from sixvec.spatial import AccelerationField, Motion, Pose


@kernel("q -> A[nrows,nv]", loops="open")
def constraint_jacobian(model: Model, q: JointVector, hold: tuple[Held, ...] = ()) -> Any:
    """A(q) with  ė = A v: the rows of the closures, as in `closure_jacobian`, then those of the frames in `hold`.

    The row of a held frame is its velocity along a direction of its own axes: rad/s for turns, m/s for shifts.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.constraint_jacobian(robot.neutral(), hold={"panda_link8": "point"}).shape
    (3, 7)
    """
    found: list[list[Any]] = []
    for c in model.closures:
        if isinstance(c, Gear):
            row = [0.0] * model.nv
            row[model.v_slices[c.leader].start] -= c.ratio
            row[model.v_slices[c.follower].start] += 1.0
            found.append(row)
        else:
            found += _pair_of(model, q, c).jacobian(model, q)
    for h in hold:
        found += _held_jacobian(model, q, h) if h.to is None else _pair_of(model, q, h).jacobian(model, q)
    return found


@kernel("q v -> bias[nrows]", loops="open")
def constraint_bias(model: Model, q: JointVector, v: JointVector, hold: tuple[Held, ...] = ()) -> Any:
    """γ(q, v), the acceleration along each row at a = 0:  A a + γ  is what a constraint keeps at zero.

    γ = Ȧ v for closures.  For a held frame it is the acceleration of its origin as a point, and of its turning, in its
    own axes, which is Ȧ v if the frame is at rest, as it is when it is held.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> bars.constraint_bias(bars.neutral(), [1.0, 0.0, 0.0]).shape
    (5,)
    """
    found: list[Scalar] = []
    for c in model.closures:
        found += [0.0] if isinstance(c, Gear) else _pair_of(model, q, c).bias(q, v)
    for h in hold:
        found += _held_bias(model, q, v, h) if h.to is None else _pair_of(model, q, h).bias(q, v)
    return found


def _held_jacobian(model: Model, q: JointVector, held: Held) -> list[list[Any]]:
    """Rows of the frame's Jacobian in its own axes, from the frame inward: no pose in the world is needed."""
    if isinstance(held, RollingFrame):
        return rolling_jacobian(model, q, held)
    F = model.frame(held.frame)
    columns = [Motion.zero()] * model.nv
    X = F.placement.inv().as_pose()
    for b in reversed(model.path(F.body)):
        columns[model.v_slices[b.name]] = [X @ S for S in b.subspace(q)]
        X = X @ b.joint.pose(q[b]).inv() @ b.placement.inv()
    return [[row.rate(X, V) for V in columns] for row in held.rows]


def _held_bias(model: Model, q: JointVector, v: JointVector, held: Held) -> list[Scalar]:
    """The field of accelerations that inverse dynamics computes as well, less the gravity that it counts as one."""
    if isinstance(held, RollingFrame):
        return rolling_bias(model, q, v, held)
    F = model.frame(held.frame)
    path = model.path(F.body)
    rest = JointVector([0.0] * model.nv, model.v_slices)
    at_rest, g = AccelerationField.at_rest(-model.gravity), model.gravity
    A = {None: at_rest} | {b.name: field for b, field in acceleration_fields(path, at_rest, q, v, rest)}
    for b in path:
        g = b.joint.pose(q[b]).rot.inv() @ (b.placement.rot.inv() @ g)
    at_F, g = F.placement.inv() @ A[F.body], F.placement.rot.inv() @ g
    return [row.second(Pose.identity(), Motion.zero(), Motion(at_F.ang, at_F.lin + g)) for row in held.rows]


@dataclass(frozen=True)
class _Pair:
    """Two frames whose relative motion is constrained, seen from one of them."""

    loop: Loop
    rows: tuple[Row, ...]
    seen_from_moving: bool

    @property
    def moving(self) -> tuple[Body, ...]:
        return self.loop.to_B

    @property
    def fixed(self) -> tuple[Body, ...]:
        return self.loop.to_A

    @property
    def observer(self) -> Pose:
        """The pose of the frame in whose axes the rows are."""
        return self.loop.X_CB if self.seen_from_moving else self.loop.X_CA

    @property
    def X(self) -> Pose:
        """The pose of the moving frame for its observer."""
        return Pose.identity() if self.seen_from_moving else self.loop.X_AB

    def jacobian(self, model: Model, q: JointVector) -> list[list[Any]]:
        X_O, X = self.observer.inv(), self.X
        columns = [Motion.zero()] * model.nv
        for bodies, sign in ((self.moving, 1.0), (self.fixed, -1.0)):
            for b in bodies:
                columns[model.v_slices[b.name]] = [X_O @ (self.loop.X_C[b.name] @ S) * sign for S in b.subspace(q)]
        return [[row.rate(X, V) for V in columns] for row in self.rows]

    def bias(self, q: JointVector, v: JointVector) -> list[Scalar]:
        V, C = self._motion(q, v)
        return [row.second(self.X, V, C) for row in self.rows]

    def _motion(self, q: JointVector, v: JointVector) -> tuple[Motion, Motion]:
        """The velocity of the moving frame against the other, and its derivative at a = 0, in the observer's axes."""
        X_O = self.observer.inv()
        ends = [_end_motion(self.loop, bodies, q, v) for bodies in (self.fixed, self.moving)]
        (V_A, C_A), (V_B, C_B) = ((X_O @ V, X_O @ C) for V, C in ends)
        V_O = V_B if self.seen_from_moving else V_A
        return V_B - V_A, C_B - C_A - V_O.cross(V_B - V_A)


def _end_motion(loop: Loop, bodies: tuple[Body, ...], q: JointVector, v: JointVector) -> tuple[Motion, Motion]:
    """Velocity and acceleration (at a = 0) of the last body of a branch, as if C stood still, in the axes of C."""
    V, C = Motion.zero(), Motion.zero()
    for b in bodies:
        X_CB = loop.X_C[b.name]
        vJ, cJ = b.joint_velocity(q, v), b.joint.bias(q[b], v[b])
        VJ = X_CB @ vJ
        V, C = V + VJ, C + X_CB @ cJ + V.cross(VJ)
    return V, C


def _pair_of(model: Model, q: JointVector, c: Closure | Held) -> _Pair:
    if isinstance(c, Closure):
        return _Pair(Loop.of(model, q, c), rows_of(c.joint), seen_from_moving=False)
    assert c.to is not None
    return _Pair(Loop.between(model, q, model.frame(c.to), model.frame(c.frame)), c.rows, seen_from_moving=True)


def row_names(model: Model, hold: Sequence[Held] = ()) -> tuple[str, ...]:
    """What each row is.

    >>> from sixvec.robots import BUILT_IN
    >>> row_names(BUILT_IN["four_bar"]())[2:4]
    ('loop coupler_pin: x', 'loop coupler_pin: y')
    """
    names: list[str] = []
    for c in model.closures:
        names += [f"gear {c.name}"] if isinstance(c, Gear) else [f"loop {c.name}: {r.name}" for r in rows_of(c.joint)]
    return (*names, *(name for h in hold for name in h.names))
