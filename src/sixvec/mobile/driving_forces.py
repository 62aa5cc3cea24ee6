"""Forces of motors and ground for a motion of a robot on wheels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.mobile.rolling_motion import rolling_rows
from sixvec.solve.decomposition import pseudo_inverse
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.mobile.platform_robot import PlatformRobot

SLIPPING = 1e-6
"""An acceleration slips if A a + γ is larger than this fraction of its terms, and than this many m/s²; a hundred times
as much in single precision."""


@dataclass(frozen=True, eq=False, repr=False)
class DrivingForces(Result):
    """Forces of the motors (..., motors) and of the rolling (..., rows) for a motion; NaN if the motion slips.

    >>> import sixvec as sv
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(10.0, Vec3(0.0, 0.0, 0.2), Sym3.diagonal(0.5, 0.5, 0.5))
    >>> robot = sv.mobile.wheeled_robot(sv.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> zero = [0.0] * robot.nv
    >>> robot.driving_forces(robot.neutral(), zero, zero)
    <DrivingForces: residual up to 0>
    """

    tau: Array
    force: Array
    residual: Array
    """The largest part (...) that motors and ground cannot provide, N m or N."""
    slip: Array
    """A a + γ (..., rows), m/s²: the acceleration of the slip."""
    verdict: NDArray[np.int8]
    """SOLVED, UNREACHABLE if `a` slips, INVALID if it is not finite."""

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        solved = self.verdict == Verdict.SOLVED
        residual = float(np.max(np.asarray(self.residual)[solved], initial=0.0))
        slip = "" if solved.all() else f", {int((~solved).sum())} of {solved.size} slip"
        return f"<DrivingForces: residual up to {residual:.3g}{slip}>"


def driving_forces(robot: PlatformRobot, q: Any, v: Any, a: Any, options: Mapping[str, Any]) -> DrivingForces:
    """As `PlatformRobot.driving_forces`."""
    needed = np.asarray(robot.sliding.inverse_dynamics(q, v, a, **options), float)
    forces, B = shared_forces(robot, q, needed)
    slip, slips = slipping(robot, q, v, a)
    residual = np.abs((B @ forces[..., None])[..., 0] - needed).max(axis=-1)
    forces = np.where(slips[..., None], np.nan, forces)
    n = B.shape[-1] - rolling_rows(robot, q).shape[-2]
    verdict = np.where(slips, Verdict.UNREACHABLE, Verdict.SOLVED)
    verdict = np.where(np.isfinite(needed).all(axis=-1), verdict, Verdict.INVALID).astype(np.int8)
    return DrivingForces(forces[..., :n], forces[..., n:], residual, slip, verdict)


def motor_forces(robot: PlatformRobot, q: Any, v: Any, a: Any, options: Mapping[str, Any]) -> Array:
    """As `PlatformRobot.inverse_dynamics`."""
    needed = np.asarray(robot.sliding.inverse_dynamics(q, v, a, **options))
    if not robot.model.rolling:
        return needed
    forces, _ = shared_forces(robot, q, np.asarray(needed, float))
    A = rolling_rows(robot, q)
    ground = np.swapaxes(A, -1, -2) @ forces[..., forces.shape[-1] - A.shape[-2] :, None]
    rolled = np.asarray(needed - ground[..., 0], needed.dtype)
    return np.where(slipping(robot, q, v, a)[1][..., None], np.nan, rolled).astype(rolled.dtype)


def slipping(robot: PlatformRobot, q: Any, v: Any, a: Any) -> tuple[Array, NDArray[np.bool_]]:
    """A a + γ (..., rows), and whether `a` slips (...)."""
    a = real_array("a", a, robot.nv, why=f"{robot.name} has nv = {robot.nv}")
    A = rolling_rows(robot, q)
    gamma = np.asarray(robot.constraint_bias(q, v))[..., -A.shape[-2] :]
    slip = (A @ a[..., None])[..., 0] + gamma
    least = SLIPPING if A.dtype == np.float64 else 100.0 * SLIPPING
    most = least * np.maximum((np.abs(A) @ np.abs(a)[..., None])[..., 0] + np.abs(gamma), 1.0)
    return slip, (np.abs(slip) > most).any(axis=-1)


def shared_forces(robot: PlatformRobot, q: Any, needed: Array) -> tuple[Array, Array]:
    """Forces of motors and ground for joint forces, and the matrix that maps them to joint forces."""
    A, motors = rolling_rows(robot, q), robot.motor_basis(q)
    lead = np.broadcast_shapes(A.shape[:-2], motors.shape[:-2])
    parts = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (motors, np.swapaxes(A, -1, -2))]
    B = np.concatenate(parts, axis=-1)
    return (pseudo_inverse(B) @ needed[..., None])[..., 0], B
