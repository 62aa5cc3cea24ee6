"""The motion of all joints at once, as array operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sixvec.large_trees.constraint_force.joint_table import (
    JointRow,
    bearing_columns,
    joint_row,
    padded,
    padded_diagonal,
)
from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.six_arrays import cross, skew, times, turn_less_identity, turned
from sixvec.model import Body

ZERO, ONE = -2, -1
"""The indices of the numbers 0 and 1, which are appended to q."""


@dataclass(frozen=True)
class JointArrays:
    """Constants of all joints, one row each.

    `*_index` are the indices of coordinates in q (with 0 and 1 appended) and in v (with 0 appended).

    Rows are padded: unused columns of `subspace` S, `reciprocal` S' and `bearing` (S⊥ and rotors) are zero, and
    `filler` and `armature` have ones there on the diagonal.  None marks arrays that no joint of the chain needs.
    """

    placement_rot: Array
    placement_pos: Array
    spins: Array
    slides: Array
    angle_index: Array
    quaternion_index: Array | None
    position_index: Array | None
    subspace: Array
    reciprocal: Array
    bearing: Array
    filler: Array
    armature: Array
    rotor: Array | None
    """For `rotor_bias`: the armature of ball and free joints, three or six columns, and 0 in all other rows."""
    v_index: Array
    turn_axis: Array | None
    turn_spin: Array | None
    turn_q_index: Array
    turn_v_index: Array
    a_index: Array
    numbers: Array
    """0 and 1, on the device of the other arrays."""
    identity: Array


@dataclass(frozen=True)
class JointMotion:
    """R, r: pose in the parent.  In body coordinates: S, S', bearing wrenches, velocity S v, and Ṡ v."""

    rot: Array
    pos: Array
    subspace: Array
    reciprocal: Array
    bearing: Array
    velocity: Array
    bias: Array


def joint_arrays(bodies: Sequence[Body], count: int, q_starts: Array, v_starts: Array) -> JointArrays:
    """The table of `count` joints that repeat those of `bodies` cyclically, with coordinates from these indices on."""
    rows = [joint_row(b) for b in bodies]
    bearings = [bearing_columns(b, row) for b, row in zip(bodies, rows, strict=True)]
    screws = max(1, max(len(row.screws) for row in rows))
    freedoms = max(1, max(row.nv for row in rows))
    bearing_rows = max(1, max(columns.shape[1] for columns, _ in bearings))
    motion = padded([row.screws.T for row in rows], screws).transpose(0, 2, 1)
    S = padded([row.subspace for row in rows], freedoms)
    filler = padded_diagonal([compliance for _, compliance in bearings], bearing_rows)
    pick = np.arange(count) % len(bodies)
    gram = S.transpose(0, 2, 1) @ S + padded_diagonal([[0.0] * row.nv for row in rows], freedoms)
    turning = any(row.turning for row in rows)
    last = [row.screws[-1, :3] if row.turning else np.zeros(3) for row in rows]
    q_index, v_index, a_index = _indices(rows, pick, q_starts, v_starts, screws, freedoms)
    return JointArrays(
        placement_rot=np.array([[*b.placement.rot.matrix] for b in bodies], float).reshape(-1, 3, 3)[pick],
        placement_pos=np.array([[*b.placement.pos] for b in bodies], float)[pick],
        spins=skew(np, motion[:, :, :3].reshape(-1, 3)).reshape(-1, screws, 3, 3)[pick],
        slides=motion[pick, :, 3:],
        angle_index=q_index,
        quaternion_index=_place([row.quaternion for row in rows], pick, q_starts, [ZERO, ZERO, ZERO, ONE]),
        position_index=_place([row.position for row in rows], pick, q_starts, [ZERO, ZERO, ZERO]),
        subspace=S[pick],
        reciprocal=(S @ np.linalg.inv(gram))[pick],
        bearing=padded([columns for columns, _ in bearings], bearing_rows)[pick],
        filler=filler[pick],
        armature=padded_diagonal([b.armature for b in bodies], freedoms)[pick],
        rotor=_rotor(bodies, rows, pick),
        v_index=v_index,
        turn_axis=np.array(last)[pick] if turning else None,
        turn_spin=skew(np, np.array(last))[pick] if turning else None,
        turn_q_index=_last(rows, pick, q_starts, ZERO),
        turn_v_index=_last(rows, pick, v_starts, -1),
        a_index=a_index,
        numbers=np.array([0.0, 1.0]),
        identity=np.eye(3),
    )


def joint_poses(xp: Namespace, joints: JointArrays, q: Array) -> tuple[Array, Array]:
    """R (n, 3, 3) and r (n, 3) of all bodies in their parents."""
    q, R, r = xp.concatenate([q, joints.numbers], 0), joints.placement_rot, joints.placement_pos
    if joints.position_index is not None:
        r = r + times(R, q[joints.position_index])
    if joints.quaternion_index is not None:
        R = R @ (joints.identity + _quaternion_less_identity(xp, q[joints.quaternion_index]))
    for k in range(joints.spins.shape[1]):
        angle = q[joints.angle_index[:, k]][:, None]
        r = r + times(R, joints.slides[:, k] * angle)
        R = R @ (joints.identity + turn_less_identity(xp, joints.spins[:, k], angle[:, :, None]))
    return R, r


def joint_motion(xp: Namespace, joints: JointArrays, q: Array, v: Array) -> JointMotion:
    """Poses, subspaces and velocities of all joints at (q, v)."""
    R, r = joint_poses(xp, joints, q)
    q, v = xp.concatenate([q, joints.numbers], 0), xp.concatenate([v, joints.numbers[:1]], 0)
    S, reciprocal, bearing = joints.subspace, joints.reciprocal, joints.bearing
    if joints.turn_axis is None:
        velocity = times(S, v[joints.v_index])
        return JointMotion(R, r, S, reciprocal, bearing, velocity, velocity * 0.0)
    back = joints.identity + turn_less_identity(xp, joints.turn_spin, -q[joints.turn_q_index][:, None, None])
    S, reciprocal, bearing = (turned(xp, back, columns) for columns in (S, reciprocal, bearing))
    velocity = times(S, v[joints.v_index])
    # In the body, the freedoms before the last rotate opposite to it: Ṡ v = (S v) × (its velocity).
    turn = joints.turn_axis * v[joints.turn_v_index][:, None]
    bias = xp.concatenate([cross(xp, velocity[:, :3], turn), cross(xp, velocity[:, 3:], turn)], 1)
    return JointMotion(R, r, S, reciprocal, bearing, velocity, bias)


def _quaternion_less_identity(xp: Namespace, q: Array) -> Array:
    """R - 1 = 2 (w [u]× + [u]×²) of the unit quaternion (u, w)."""
    U = skew(xp, q[:, :3])
    return 2.0 * (q[:, 3][:, None, None] * U + U @ U)


def _indices(
    rows: Sequence[JointRow], pick: Array, q_starts: Array, v_starts: Array, screws: int, freedoms: int
) -> tuple[Array, Array, Array]:
    """The indices of every joint's coordinates in q and v, and of every entry of a in the padded table."""
    in_q = np.array([[k < len(row.screws) for k in range(screws)] for row in rows])[pick]
    in_v = np.array([[k < row.nv for k in range(freedoms)] for row in rows])[pick]
    q_index = np.where(in_q, q_starts[:, None] + np.arange(screws), ZERO)
    v_index = np.where(in_v, v_starts[:, None] + np.arange(freedoms), -1)
    a_index = np.zeros(int(in_v.sum()), dtype=np.int64)
    flat = v_index.ravel()
    a_index[flat[flat >= 0]] = np.flatnonzero(flat >= 0)
    return q_index, v_index, a_index


def _rotor(bodies: Sequence[Body], rows: Sequence[JointRow], pick: Array) -> Array | None:
    spun = [b.armature if row.quaternion is not None else () for b, row in zip(bodies, rows, strict=True)]
    width = max(len(inertias) if any(inertias) else 0 for inertias in spun)
    if not width:
        return None
    return np.array([[*inertias[:width], *[0.0] * (width - len(inertias))] for inertias in spun])[pick]


def _place(offsets: Sequence[int | None], pick: Array, starts: Array, otherwise: Sequence[int]) -> Array | None:
    if all(offset is None for offset in offsets):
        return None
    has = np.array([offset is not None for offset in offsets])[pick]
    first = starts + np.array([offset or 0 for offset in offsets])[pick]
    return np.where(has[:, None], first[:, None] + np.arange(len(otherwise)), np.array(otherwise))


def _last(rows: Sequence[JointRow], pick: Array, starts: Array, otherwise: int) -> Array:
    """The index of the last coordinate of every turning joint."""
    turning = np.array([row.turning for row in rows])[pick]
    return np.where(turning, starts + np.array([row.nv - 1 for row in rows])[pick], otherwise)
