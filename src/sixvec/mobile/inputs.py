"""Checks of what users give to a platform: steering inputs, twists, the platform itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_shape
from sixvec.errors import ArgumentError
from sixvec.mobile.wheel import require_radians
from sixvec.spatial import RigidInertia

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform


def steering_inputs(platform: Platform, steer: ArrayLike | None) -> Array:
    """The steering inputs as an array that fits, within the limits."""
    names = platform.steering_names
    if steer is None:
        if names:
            raise ArgumentError(f"{platform.name} is steered; give steer=, the angles of {', '.join(names)}")
        return np.zeros(0)
    angles = real_array("steer", steer)
    if angles.ndim == 0 and len(names) == 1:
        angles = angles[None]
    require_shape("steer", angles, len(names), why=lambda: f"{platform.name} steers {', '.join(names) or 'nothing'}")
    for k, limit in enumerate(platform.steering.limits(platform.steered)):
        greatest = float(np.fmax.reduce(np.abs(angles[..., k]), axis=None, initial=0.0))
        require_radians(greatest if math.isfinite(greatest) else 0.0, f"the steering of {names[k]}", whole_turns=True)
        if greatest >= limit:
            raise ArgumentError(
                f"{platform.name}: the steering angle {greatest:g} rad of {names[k]} is not below its limit of "
                f"{limit:.4g} rad ({math.degrees(limit):.4g}°)"
            )
    return angles


def as_twist(twist: ArrayLike) -> Array:
    """A planar twist as an array (..., 3)."""
    return real_array("twist", twist, 3, why="a planar twist is (ω, vx, vy)")


def require_platform(platform: Any, where: str) -> None:
    """Raise an error for anything but a platform."""
    from sixvec.mobile.platform import Platform

    if not isinstance(platform, Platform):
        raise ArgumentError(f"{where} needs a Platform, as sixvec.mobile.Platform makes one, not {platform!r}")


def require_inertia(inertia: Any, where: str) -> None:
    """Raise an error for anything but the inertia of a body."""
    if not isinstance(inertia, RigidInertia):
        raise ArgumentError(f"{where}: inertia must be a sixvec.spatial.RigidInertia, not {inertia!r}")
