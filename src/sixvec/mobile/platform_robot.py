"""A robot that is moved by a platform on wheels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import ShapeError
from sixvec.kernels.any_arrays import any_arrays
from sixvec.mobile.driving_forces import DrivingForces, driving_forces, motor_forces
from sixvec.mobile.platform import Platform
from sixvec.mobile.rolling_motion import rolling_velocity, slip
from sixvec.model import Model
from sixvec.robot import Robot

if TYPE_CHECKING:
    from sixvec.spatial import Pose

PLATFORM = "platform"
"""The name of the platform's body, joint and frame."""


class PlatformRobot(Robot):
    """A robot with the platform that its wheels move; its wheels roll as those of any robot with `model.rolling`.

    Inverse dynamics is that of the motors, of which `motor_basis` knows how they move the platform.  Edits keep the
    platform.
    """

    platform: Platform

    slip, rolling_velocity = slip, rolling_velocity

    @classmethod
    def on(cls, mechanism: Model, platform: Platform) -> Self:
        """The robot with this mechanism, whose wheels are those of the platform."""
        robot = cls(mechanism)
        robot.platform = platform
        return robot

    def _edited(self, model: Model) -> Self:
        return self.on(model, self.platform)

    if TYPE_CHECKING:  # edits keep the kind of robot

        def with_gravity(self, gravity: Sequence[Any]) -> Self: ...
        def with_loop_tolerance(self, tolerance: float) -> Self: ...
        def with_frame(self, name: str, on: str, pose: Pose | Sequence[Sequence[Any]] | None = None) -> Self: ...
        def with_limits(self, joint: str, **limits: Any) -> Self: ...

    def motor_basis(self, q: ArrayLike) -> Array:
        """B (..., nv, motors): the generalised forces of unit motor forces."""
        raise NotImplementedError

    @any_arrays
    def driving_forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any) -> DrivingForces:
        """Inverse dynamics of rolling: forces of the motors alone, and of the ground, for an acceleration a (..., nv).

        The acceleration must satisfy rolling:  A a + γ = 0.  For one that slips (`SLIPPING`) forces are NaN, `slip` has
        the acceleration of the slip, and the verdict is UNREACHABLE.  The part that motors and ground cannot provide is
        the residual, N m.  Of several solutions the one of least norm is returned.
        """
        return driving_forces(self, q, v, a, options)

    if not TYPE_CHECKING:  # the signature is that of Robot's method, which is generated

        @any_arrays
        def inverse_dynamics(self, q, v, a, external=None, external_reference="local", passive=False, *, out=None):
            """Joint forces that produce rolling accelerations `a`, at the motors where possible.

            The part of the tree's joint forces carried by the ground is omitted: forward dynamics returns `a`.
            Accelerations that slip (`SLIPPING`) have no forces: their samples are NaN; `driving_forces` has the slip.
            """
            acting = {"external": external, "external_reference": external_reference, "passive": passive}
            forces = motor_forces(self, q, v, a, acting)
            return forces if out is None else _into(out, forces, "inverse_dynamics", "tau")

        rnea = inverse_dynamics


def _into(out: Any, tau: Array, where: str, name: str) -> Array:
    """`tau`, written to the array that the caller gave."""
    if not isinstance(out, np.ndarray) or (out.dtype, out.shape) != (tau.dtype, tau.shape):
        other = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ShapeError(f"{where}: out for {name} must be a {tau.dtype} array {tau.shape}, not {other}")
    out[...] = tau
    return out
