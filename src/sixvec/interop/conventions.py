"""States in the conventions of other libraries: order, quaternions, axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_shape
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model import WORLD, Body, Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.require import require_model
from sixvec.robot import Robot

What = Literal["q", "v", "a", "tau", "wrench", "twist", "quaternion"]
KINDS: tuple[What, ...] = ("q", "v", "a", "tau", "wrench", "twist", "quaternion")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a library lays out a state."""

    scalar_first: bool
    """Quaternions are w x y z instead of x y z w."""
    quaternion_first: bool
    """A free joint's q is (quaternion, position) instead of (position, quaternion)."""
    linear_first: bool
    """A free joint's v is (linear, angular) instead of (angular, linear)."""
    linear_in_world: bool
    angular_in_world: bool
    """In which axes a free joint's velocity is given: the world's, or the body's as here."""
    force_first: bool
    twist_linear_first: bool
    """Order of 6-D vectors at the interface."""
    unlimited_angle_is_cos_sin: bool = False
    planar_is_cos_sin_in_body: bool = False
    ball_is_rpy_in_parent: bool = False
    """A spherical joint's q are roll, pitch and yaw, and its velocity is given in the axes of the parent."""
    joints_by_name: bool = False
    """Children of a body are ordered by the names of their joints instead of the order of the file."""


LAYOUTS: dict[str, Layout] = {
    "pinocchio": Layout(
        scalar_first=False, quaternion_first=False, linear_first=True, linear_in_world=False, angular_in_world=False,
        force_first=True, twist_linear_first=True, unlimited_angle_is_cos_sin=True, planar_is_cos_sin_in_body=True,
        joints_by_name=True,
    ),
    "mujoco": Layout(
        scalar_first=True, quaternion_first=False, linear_first=True, linear_in_world=True, angular_in_world=False,
        force_first=True, twist_linear_first=False,
    ),
    "drake": Layout(
        scalar_first=True, quaternion_first=True, linear_first=False, linear_in_world=True, angular_in_world=True,
        force_first=False, twist_linear_first=False, ball_is_rpy_in_parent=True,
    ),
    "ros": Layout(
        scalar_first=False, quaternion_first=False, linear_first=True, linear_in_world=False, angular_in_world=False,
        force_first=True, twist_linear_first=True,
    ),
}  # fmt: skip
"""One row per library.  MuJoCo's wrench is that of `xfrc_applied`, ROS's that of geometry_msgs."""


@any_arrays_same_dtype
def convert(
    value: ArrayLike,
    robot: Robot,
    to: str | None = None,
    *,
    source: str | None = None,
    what: What = "q",
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
) -> Array:
    """A state in the layout of another library (`to=`), or from it (`source=`).

    `what` is the kind of the numbers: "q", "v", "a", "tau" (per joint), or "wrench", "twist", "quaternion".  If a
    library uses world axes for the velocity of a free joint, `q` (in our layout) is needed, and `v` for accelerations.
    The other libraries have a coordinate for every joint: mimic joints are computed from their leaders.  Their
    forces are added to the leader on the way back (virtual work), and are zero on the way there.

    >>> import sixvec
    >>> robot = sixvec.load("panda", floating=True)
    >>> sixvec.convert(robot.neutral(), robot, to="drake")[:7].tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    other = to if source is None else source
    if (to is None) == (source is None):
        raise ArgumentError("give either to= (from sixvec) or source= (to sixvec)")
    if other not in LAYOUTS:
        raise ArgumentError(unknown("layout", str(other), LAYOUTS))
    if what not in KINDS:
        raise ArgumentError(unknown("kind", str(what), KINDS))
    x = real_array("convert: value", value)
    layout, forward = LAYOUTS[str(other)], source is None
    if what in ("wrench", "twist"):
        swap = layout.force_first if what == "wrench" else layout.twist_linear_first
        return np.roll(_sized(x, 6, what), 3, axis=-1) if swap else x.copy()
    if what == "quaternion":
        return _quaternion(_sized(x, 4, what), layout, forward)
    state = _State(*(None if y is None else real_array(f"convert: {name}", y) for name, y in (("q", q), ("v", v))))
    model = require_model(robot, "convert")
    if is_coupled(model):
        return _followed(x, model, layout, forward, what, state)
    return _joints(x, model, layout, forward, what, state)


@dataclass(frozen=True, slots=True)
class _State:
    """The position and velocity, in our layout, that some conversions depend on."""

    q: Array | None
    v: Array | None


def _followed(x: Array, model: Model, layout: Layout, forward: bool, what: What, state: _State) -> Array:
    """Between our independent coordinates and their coordinates of all joints."""
    c = coupling(model)

    def spread(x: Array, lines: tuple[tuple[int, float, float], ...]) -> Array:
        i, factor, offset = (np.array(column) for column in zip(*lines, strict=True))
        return np.asarray(x[..., i.astype(int)] * factor + offset)

    leaders = np.concatenate(
        [np.r_[(c.free.q_slices if what == "q" else c.free.v_slices)[b.name]] for b in model.moving]
    )
    free = _State(
        None if state.q is None else spread(_sized(state.q, model.nq, "q"), c.q),
        None if state.v is None else spread(_sized(state.v, model.nv, "v"), c.v),
    )
    if not forward:
        values = _joints(x, c.free, layout, forward, what, free)
        if what != "tau":
            return values[..., leaders]
        return np.stack(c.reduce([*np.moveaxis(values, -1, 0)], [True]), axis=-1)
    x = _sized(x, model.nq if what == "q" else model.nv, what)
    if what != "tau":
        return _joints(spread(x, c.q if what == "q" else c.v), c.free, layout, forward, what, free)
    forces = np.zeros((*x.shape[:-1], c.free.nv))
    forces[..., leaders] = x
    return _joints(forces, c.free, layout, forward, what, free)


def _joints(x: Array, model: Model, layout: Layout, forward: bool, what: What, state: _State) -> Array:
    """Joint by joint, each from its index in one layout to its index in the other."""
    here = model.q_slices if what == "q" else model.v_slices
    there, start = {}, 0
    for b in _ordered(model, layout):
        length = _their_nq(b, layout) if what == "q" else b.joint.nv
        there[b.name] = slice(start, start + length)
        start += length
    total = start if forward else (model.nq if what == "q" else model.nv)
    x = _sized(x, (model.nq if what == "q" else model.nv) if forward else start, what)
    lead = np.broadcast_shapes(x.shape[:-1], *(s.shape[:-1] for s in (state.q, state.v) if s is not None))
    result = np.empty((*lead, total))
    for b in model.moving:
        mine, theirs = here[b.name], there[b.name]
        native = _State(
            None if state.q is None else state.q[..., model.q_slices[b.name]],
            None if state.v is None else state.v[..., model.v_slices[b.name]],
        )
        change = _position if what == "q" else _velocity
        source, taken = (mine, theirs) if forward else (theirs, mine)
        result[..., taken] = change(x[..., source], b, layout, forward, what, native)
    return result


def _ordered(model: Model, layout: Layout) -> list[Body]:
    if not layout.joints_by_name:
        return list(model.moving)
    ordered: list[Body] = []
    waiting = _by_name(model, WORLD)
    while waiting:
        b = waiting.pop(0)
        ordered.append(b)
        waiting = _by_name(model, b.name) + waiting
    return [b for b in ordered if b.joint.nv and not b.mimic]


def _by_name(model: Model, parent: str | None) -> list[Body]:
    return sorted(model.children(parent), key=lambda b: b.joint_name or b.name)


def _is_circle(b: Body, layout: Layout) -> bool:
    return layout.unlimited_angle_is_cos_sin and b.joint.periodic == (True,) and not b.limits.lower


def _is_plane(b: Body, layout: Layout) -> bool:
    return layout.planar_is_cos_sin_in_body and b.joint.periodic == (False, False, True)


def _is_ball(b: Body, layout: Layout) -> bool:
    return layout.ball_is_rpy_in_parent and _has_quaternion_only(b)


def _has_quaternion_only(b: Body) -> bool:
    return b.joint.quaternion is not None and b.joint.position is None


def _their_nq(b: Body, layout: Layout) -> int:
    if _is_ball(b, layout):
        return 3
    return b.joint.nq + (_is_circle(b, layout) or _is_plane(b, layout))


def _position(x: Array, b: Body, layout: Layout, forward: bool, what: What, state: _State) -> Array:
    if _is_circle(b, layout) or _is_plane(b, layout):
        others = x[..., : -1 if forward else -2]
        if forward:
            return np.concatenate([others, np.cos(x[..., -1:]), np.sin(x[..., -1:])], axis=-1)
        return np.concatenate([others, np.arctan2(x[..., -1:], x[..., -2:-1])], axis=-1)
    if _is_ball(b, layout):
        return _roll_pitch_yaw(x) if forward else _from_roll_pitch_yaw(x)
    if _has_quaternion_only(b):
        return _quaternion(x, layout, forward)
    if b.joint.is_free:
        at = 4 if layout.quaternion_first and not forward else 3
        first, last = x[..., :at], x[..., at:]
        position, turn = (last, first) if at == 4 else (first, last)
        turn = _quaternion(turn, layout, forward)
        both = [turn, position] if layout.quaternion_first and forward else [position, turn]
        return np.concatenate(both, axis=-1)
    return x


def _quaternion(x: Array, layout: Layout, forward: bool) -> Array:
    if not layout.scalar_first:
        return x.copy()
    return np.roll(x, 1 if forward else -1, axis=-1)


def _velocity(x: Array, b: Body, layout: Layout, forward: bool, what: What, state: _State) -> Array:
    if _is_plane(b, layout):
        # d/dt Rᵀv = Rᵀ(a - ω × v): the acceleration in rotating axes differs.
        carried = _carried(b, state) if what == "a" else 0.0
        return _turned(x - carried, state, b, -1) if forward else _turned(x, state, b, 1) + carried
    if _is_ball(b, layout):  # ω × ω = 0: accelerations rotate like velocities
        R = _rotation(_known(state.q, b, "q"))
        return _apply(R if forward else np.swapaxes(R, -1, -2), x)
    if not b.joint.is_free:
        return x
    if forward:
        angular, linear = x[..., :3], x[..., 3:]
        angular, linear = _to_world(angular, linear, layout, b, what, state)
        return np.concatenate([linear, angular] if layout.linear_first else [angular, linear], axis=-1)
    first, last = x[..., :3], x[..., 3:]
    angular, linear = (last, first) if layout.linear_first else (first, last)
    return np.concatenate(_to_body(angular, linear, layout, b, what, state), axis=-1)


def _turned(x: Array, state: _State, b: Body, sign: int) -> Array:
    """A planar joint's velocity between parent axes and body axes."""
    angle = sign * _known(state.q, b, "q")[..., 2]
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x[..., 0] - s * x[..., 1], s * x[..., 0] + c * x[..., 1], x[..., 2]], axis=-1)


def _carried(b: Body, state: _State) -> Array:
    """ω × v of a planar joint, in parent axes."""
    v = _known(state.v, b, "v")
    return np.stack([-v[..., 2] * v[..., 1], v[..., 2] * v[..., 0], np.zeros_like(v[..., 2])], axis=-1)


def _to_world(angular: Array, linear: Array, layout: Layout, b: Body, what: What, state: _State) -> tuple[Array, Array]:
    if not (layout.linear_in_world or layout.angular_in_world):
        return angular, linear
    R = _rotation(_known(state.q, b, "q")[..., 3:])
    if what == "a" and layout.linear_in_world:  # their linear acceleration is that of the point
        v = _known(state.v, b, "v")
        linear = linear + np.cross(v[..., :3], v[..., 3:])
    linear = _apply(R, linear) if layout.linear_in_world else linear
    return (_apply(R, angular) if layout.angular_in_world else angular), linear


def _to_body(angular: Array, linear: Array, layout: Layout, b: Body, what: What, state: _State) -> tuple[Array, Array]:
    if not (layout.linear_in_world or layout.angular_in_world):
        return angular, linear
    R = np.swapaxes(_rotation(_known(state.q, b, "q")[..., 3:]), -1, -2)
    linear = _apply(R, linear) if layout.linear_in_world else linear
    if what == "a" and layout.linear_in_world:
        v = _known(state.v, b, "v")
        linear = linear - np.cross(v[..., :3], v[..., 3:])
    return (_apply(R, angular) if layout.angular_in_world else angular), linear


def _known(x: Array | None, b: Body, name: str) -> Array:
    if x is None:
        raise ArgumentError(f'the axes of body "{b.name}" depend on its state: give {name}= as well')
    return x


def _apply(R: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", R, x)  # type: ignore[no-any-return]


def _rotation(quaternion: Array) -> Array:
    """Rotation matrices (..., 3, 3) of unit quaternions x y z w."""
    x, y, z, w = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _roll_pitch_yaw(quaternion: Array) -> Array:
    """Angles about the fixed x, y and z axes, in turn."""
    R = _rotation(quaternion)
    roll = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    pitch = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 0, 0], R[..., 1, 0]))
    return np.stack([roll, pitch, np.arctan2(R[..., 1, 0], R[..., 0, 0])], axis=-1)


def _from_roll_pitch_yaw(angles: Array) -> Array:
    """The inverse of `_roll_pitch_yaw`."""
    half = 0.5 * angles
    (cr, cp, cy), (sr, sp, sy) = np.moveaxis(np.cos(half), -1, 0), np.moveaxis(np.sin(half), -1, 0)
    x, y = sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy
    return np.stack([x, y, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy], axis=-1)


def _sized(x: Array, n: int, what: str) -> Array:
    require_shape(f"convert: {what}", x, n)
    return x
