"""Joints of all types as rows of the same arrays.

Every joint is a quaternion turn with a displacement (spherical, free) or a product of at most three screw motions about
axes through its origin (all others).  Motion subspace S, its reciprocal basis S' and the bearing wrenches S⊥ are
constant in the frame before the joint's last screw motion; where they turn in the body (universal, planar) the angle
of that motion turns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.errors import ModelError
from sixvec.model import Body
from sixvec.model.joints import Joint
from sixvec.spatial import Pose
from sixvec.theory.change_of_basis import reciprocal_basis, reciprocal_complement
from sixvec.tolerances import ROUNDING

_PROBE = (0.7, -0.4, 1.1, 0.3, 0.2, -0.6, 0.5)


@dataclass(frozen=True)
class JointRow:
    """One joint as numbers; `quaternion` and `position` are their indices in its q."""

    screws: np.ndarray
    subspace: np.ndarray
    quaternion: int | None
    position: int | None
    turning: bool

    @property
    def nv(self) -> int:
        return int(self.subspace.shape[1])


def joint_row(b: Body) -> JointRow:
    """The row of a body's joint; joints of unknown construction raise an error that names the body."""
    joint = b.joint
    S = _subspace(joint, joint.neutral())
    if joint.quaternion is not None:
        position = None if joint.position is None else joint.position.start
        return JointRow(np.zeros((0, 6)), S, joint.quaternion.start, position, False)
    screws, at = [], Pose.identity()
    for placement, step in joint.elementary():
        at = at @ placement
        if any(abs(x) > ROUNDING for x in at.pos) or step.nv > 1:
            raise ModelError(f'the joint of body "{b.name}" ({joint}) is not made of screws through its origin')
        screws += [[*(at @ column)] for column in step.subspace(step.neutral())]
    q = _PROBE[: joint.nq]
    turning = bool(np.abs(_subspace(joint, q) - S).max(initial=0.0) > ROUNDING)
    row = JointRow(np.array(screws, float).reshape(-1, 6), S, None, None, turning)
    if turning and np.abs(_turned_back(row, q[-1]) - _subspace(joint, q)).max() > ROUNDING:
        raise ModelError(f'the joint of body "{b.name}" ({joint}) turns its freedoms by more than its last coordinate')
    return row


def bearing_columns(b: Body, row: JointRow) -> tuple[np.ndarray, np.ndarray]:
    """The wrenches that the joint transmits besides the drive, and its compliance in them.

    S⊥ is rigid.  A rotor of inertia d absorbs part of the drive, as a wrench S' σ with σ / d the joint acceleration.
    """
    bearing = reciprocal_complement(row.subspace)
    driven = reciprocal_basis(row.subspace) if row.nv else row.subspace
    rotors = [k for k, d in enumerate(b.armature) if d > 0.0]
    compliance = [0.0] * bearing.shape[1] + [1.0 / b.armature[k] for k in rotors]
    return np.concatenate([bearing, driven[:, rotors]], axis=1), np.array(compliance)


def padded(columns: Sequence[np.ndarray], width: int) -> np.ndarray:
    """Matrices with six rows, made equally wide by columns of zeros."""
    out = np.zeros((len(columns), 6, width))
    for row, matrix in zip(out, columns, strict=True):
        row[:, : matrix.shape[1]] = matrix
    return out


def padded_diagonal(values: Sequence[Any], width: int) -> np.ndarray:
    """Diagonal matrices, with ones where a row has no entry."""
    out = np.stack([np.eye(width)] * len(values))
    for matrix, row in zip(out, values, strict=True):
        for i, value in enumerate(row):
            matrix[i, i] = value
    return out


def _subspace(joint: Joint, q: Sequence[float]) -> np.ndarray:
    return np.array([[*column] for column in joint.subspace(q)], float).reshape(-1, 6).T


def _turned_back(row: JointRow, angle: float) -> np.ndarray:
    w = row.screws[-1, :3]
    spin = np.cross(w, np.eye(3)).T
    R = np.eye(3) + np.sin(angle) * spin + (1.0 - np.cos(angle)) * spin @ spin
    return np.concatenate([R.T @ row.subspace[:3], R.T @ row.subspace[3:]])
