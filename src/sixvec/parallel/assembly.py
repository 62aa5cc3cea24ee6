"""Which way to all assembly modes a design has."""

from __future__ import annotations

import numpy as np

from sixvec.errors import DegenerateError
from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.closed_forms import assembly_321, assembly_delta, assembly_planar
from sixvec.parallel.families import Parallel321
from sixvec.parallel.homotopy import assembly_general
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Array, Planar, Translational

STARTS = 64
"""Random poses from which it is tried whether legs close."""


def assembly_modes(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """All poses for actuator positions, in closed form where the design has one."""
    if robot.n != robot.space.freedoms:
        raise DegenerateError(
            f"assembly_modes needs exactly {robot.space.freedoms} legs, not {robot.n}: "
            + ("fewer leave curves of poses" if robot.n < robot.space.freedoms else "more close in no pose, as a rule")
        )
    if isinstance(robot.space, Translational):
        return assembly_delta(robot, q)
    if isinstance(robot.space, Planar):
        return assembly_planar(robot, q)
    if isinstance(robot, Parallel321):
        return assembly_321(robot, q)
    if robot.is_architecturally_singular:
        return _self_motion(robot, q)
    return assembly_general(robot, q)


def _self_motion(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """Of a platform that is singular everywhere: where its legs close at all, they close along a curve."""
    batch = q.shape[:-1]
    rng = np.random.default_rng(11)
    turns = np.linalg.qr(rng.normal(size=(STARTS, 3, 3)))[0]
    starts = np.tile(np.eye(4), (STARTS, 1, 1))
    starts[:, :3, :3] = turns * np.linalg.det(turns)[:, None, None]
    reach = float(np.nanmax(np.abs(q), initial=0.0)) + robot.size
    starts[:, :3, 3] = robot.roots.mean(axis=0) + rng.normal(size=(STARTS, 3)) * 0.5 * reach
    found = robot.forward_position(np.broadcast_to(q[..., None, :], (*batch, STARTS, robot.n)), starts, tolerance=1e-9)
    closes = found.solved.any(axis=-1)
    none = np.zeros((*batch, 0))
    return gathered(np.zeros((*batch, 0, 4, 4)), none > 0.0, none.astype(object), none, 0, False, closes)
