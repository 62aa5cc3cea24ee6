"""The forces of rotors on ball and free joints besides  A v̇, for all joints at once."""

from __future__ import annotations

from sixvec.large_trees.constraint_force.joint_arrays import JointArrays
from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.six_arrays import cross

_BALL = 3


def rotor_bias(xp: Namespace, joints: JointArrays, v: Array) -> Array | None:
    """The Euler-Poincaré term of `armature` as joint forces (nv,); None where no joint of the chain has one.

    (ω × h_ω + u × h_u; ω × h_u) with the joint's velocity v = (ω; u) and h = A v; of ball joints ω × h_ω only.  See
    `algorithms/parts/rotor_forces.py`.
    """
    if joints.rotor is None:
        return None
    rates = xp.concatenate([v, joints.numbers[:1]], 0)[joints.v_index]
    width = joints.rotor.shape[1]
    h = joints.rotor * rates[:, :width]
    spin = rates[:, :_BALL]
    bias = [cross(xp, spin, h[:, :_BALL])]
    if width > _BALL:
        bias = [bias[0] + cross(xp, rates[:, _BALL:width], h[:, _BALL:]), cross(xp, spin, h[:, _BALL:])]
    return xp.concatenate([*bias, rates[:, width:] * 0.0], 1).reshape(-1)[joints.a_index]
