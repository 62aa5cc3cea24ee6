"""Exponential coordinates of joints with quaternions, in which paths are polynomials.

About a reference position, a rotation is q = q_ref exp(φ) with a rotation vector φ, which is a straight line for a turn
about one axis.  Free joints have φ and the position in the axes of the parent; all other joints keep their coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.spatial import Quaternion, Vec3
from sixvec.spatial.so3 import body_rates

FARTHEST = 5.0
"""Rad from the reference; exponential coordinates end at a full turn."""


def positions_of(
    model: Model, reference: Sequence[Scalar], z: Sequence[Scalar], rate: Sequence[Scalar], bend: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Positions, velocities and accelerations from coordinates and their derivatives, on scalars."""
    q: list[Scalar] = []
    v: list[Scalar] = []
    a: list[Scalar] = []
    for b in model.moving:
        at = model.v_slices[b.name]
        if b.joint.quaternion is None:
            parts = list(z[at]), list(rate[at]), list(bend[at])
        else:
            parts = _turned(b.joint.nv, list(reference[model.q_slices[b.name]]), z[at], rate[at], bend[at])
        for values, part in zip((q, v, a), parts, strict=True):
            values.extend(part)
    return [q, v, a]


def _turned(
    freedoms: int, reference: list[Scalar], z: Sequence[Scalar], rate: Sequence[Scalar], bend: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    turn = (Quaternion(*reference[-4:]) @ Quaternion.exp(Vec3.of(z[:3]))).normalized()
    w, change = body_rates(*(Vec3.of(x[:3]) for x in (z, rate, bend)))
    if freedoms == 3:
        return [*turn], [*w], [*change]
    back = turn.as_rotation().inv()
    velocity = back @ Vec3.of(rate[3:])
    return [*z[3:], *turn], [*w, *velocity], [*change, *(back @ Vec3.of(bend[3:]) - w.cross(velocity))]


def coordinates_of(robot: Robot, Q: Array) -> Array:
    """Coordinates (..., k, nv) of positions (..., k, nq) about the first ones; rotations go on the shorter way."""
    turned = robot.difference(Q[..., :1, :], Q)
    z = np.zeros(turned.shape)
    for b in robot.model.moving:
        at, of = robot.model.v_slices[b.name], robot.model.q_slices[b.name]
        if b.joint.quaternion is None:
            z[..., at] = Q[..., of]
            continue
        z[..., at.start : at.start + 3] = unwrapped(f"spline: {b.name}", turned[..., at.start : at.start + 3])
        if b.joint.nv == 6:
            z[..., at.start + 3 : at.stop] = Q[..., of][..., :3]
    return z


def unwrapped(what: str, turns: Array) -> Array:
    """Rotation vectors (..., k, 3), by full turns about their axes as close to those before as they can be."""
    turns = turns.copy()
    size = np.linalg.norm(turns, axis=-1, keepdims=True)
    axes = np.where(size > 0.0, turns / np.where(size > 0.0, size, 1.0), 0.0)
    for k in range(1, turns.shape[-2]):
        near = (axes[..., k, :] * (turns[..., k - 1, :] - turns[..., k, :])).sum(axis=-1, keepdims=True)
        turns[..., k, :] += 2.0 * np.pi * np.round(near / (2.0 * np.pi)) * axes[..., k, :]
    if (np.linalg.norm(turns, axis=-1) > FARTHEST).any():
        raise ArgumentError(f"{what} turns by more than {FARTHEST:g} rad from where the path starts; divide the path")
    return turns


def positions_kernel(robot: Robot) -> CompiledFunction:
    """This map of arrays, kept with the robot."""
    model = robot.model

    def positions(reference: list[Scalar], z: list[Scalar], rate: list[Scalar], bend: list[Scalar]) -> object:
        return tuple(positions_of(model, reference, z, rate, bend))

    def made() -> CompiledFunction:
        inputs = (Port("reference", (model.nq,)), *(Port(name, (model.nv,)) for name in ("z", "rate", "bend")))
        outputs = (Port("q", (model.nq,)), Port("v", (model.nv,)), Port("a", (model.nv,)))
        return CompiledFunction(positions, inputs, outputs)

    kernel: CompiledFunction = robot._kernels.stored("positions of exponential coordinates", made)
    return kernel
