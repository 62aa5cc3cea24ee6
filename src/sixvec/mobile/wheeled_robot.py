"""A platform as a mechanism: body, forks and wheels with their masses, coupled by rolling."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_number
from sixvec.errors import ArgumentError, ModelError
from sixvec.lazy import lazy
from sixvec.mobile.ball_wheel import BallRoller
from sixvec.mobile.inputs import require_inertia, require_platform
from sixvec.mobile.platform import Platform
from sixvec.mobile.platform_robot import PLATFORM, PlatformRobot
from sixvec.mobile.shapes import slab_geom, wheel_geoms
from sixvec.mobile.shared_axles import with_shared_slip
from sixvec.mobile.steering import Ackermann
from sixvec.mobile.wheel import Caster, FixedWheel, OmniWheel, SteeredWheel, Wheel
from sixvec.model import Body, Frame, Model
from sixvec.model.actuation import has_motor
from sixvec.model.held_frame import Rolling, RollingFrame
from sixvec.model.joints import Planar, Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

Y_AXIS = Vec3(0.0, 1.0, 0.0)


class WheeledRobot(PlatformRobot):
    """A robot with q = (x, y, φ, each wheel's steering and spinning angle, then arms), all of whose wheels roll.

    The rows of rolling are rows of constraints like all others, and their forces are those of the ground.
    """

    @lazy
    def driven(self) -> tuple[int, ...]:
        """Coordinates of v that have a motor: driven wheels, the steering of steered ones, and joints of arms."""
        passive = {PLATFORM, *(f"{w.name} swivel" for w in self.platform.casters)}
        passive |= {f"{w.name} spin" for w in self.platform.wheels if not w.driven}
        moved = [b for b in self.model.moving if b.joint_name not in passive and has_motor(b)]
        return tuple(i for b in moved for i in range(self.nv)[self.model.v_slices[b.name]])

    def motor_basis(self, q: ArrayLike) -> Array:
        """A column of the identity for every motor (nv, motors)."""
        return np.eye(self.nv)[:, list(self.driven)]


def wheeled_robot(
    platform: Platform, inertia: RigidInertia, wheel_mass: float | Mapping[str, float], fork_mass: float = 0.0
) -> WheeledRobot:
    """A platform with masses: its own `inertia`, in its frame on the ground, and solid wheels of `wheel_mass` (kg).

    Steered wheels and casters turn on a fork of `fork_mass`.  Every wheel has a frame of its name in its middle.
    `mount` puts arms on it.

    >>> import sixvec
    >>> from sixvec.mobile import wheeled_robot
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    >>> robot = wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> robot.joint_names, robot.constraint_names()[:2]
    (('platform', 'left spin', 'right spin'), ('left: roll', 'left: side'))
    >>> robot.forward_dynamics([0.0] * 5, [0.0] * 5, [0.0, 0.0, 0.0, 0.5, 0.5]).round(4).tolist()
    [0.4348, 0.0, 0.0, 4.3478, 4.3478]
    """
    require_platform(platform, "wheeled_robot")
    require_inertia(inertia, "wheeled_robot")
    if len(platform.steered) > 1 and isinstance(platform.steering, Ackermann):
        together = " and ".join(w.name for w in platform.steered)
        raise ModelError(
            f"wheeled_robot: a linkage turns {together} of {platform.name} together, "
            "and joints for them would lock it: take sixvec.mobile.reduced(platform), the bicycle with its motions"
        )
    if balls := [w.ball for w in platform.wheels if isinstance(w, BallRoller)]:
        raise ModelError(
            f'wheeled_robot: the ball "{balls[0]}" of {platform.name} turns about no axle; add '
            "BallWheel.rolling_inertia(mass) to the inertia of the platform and use sixvec.mobile.mount"
        )
    if not real_number("fork_mass", fork_mass, "kg") >= 0.0:
        raise ModelError(f"fork_mass is {fork_mass}; it must be zero or more, in kg")
    mass_of = wheel_mass if isinstance(wheel_mass, Mapping) else {w.name: wheel_mass for w in platform.wheels}
    masses = {w.name: mass_of.get(w.name) for w in platform.wheels}
    if missing := [name for name, mass in masses.items() if mass is None]:
        raise ArgumentError(f'wheel_mass has no entry for wheel "{missing[0]}"')
    bodies = [Body(PLATFORM, joint=Planar(), inertia=inertia, joint_name=PLATFORM)]
    for w in platform.wheels:
        mass = masses[w.name]
        assert mass is not None
        if not real_number(f'the mass of wheel "{w.name}"', mass, "kg") > 0.0:
            raise ModelError(f'the mass of wheel "{w.name}" is {mass}; it must be positive, in kg')
        bodies += _wheel_bodies(w, mass, fork_mass)
    frames = tuple(Frame(b.name, b.name) for b in bodies)
    wheels = [g for w in platform.wheels for g in wheel_geoms(w, w.name, Pose.identity(), w.radius)]
    geoms = (slab_geom(platform, PLATFORM, max(w.radius for w in platform.wheels)), *wheels)
    rolling = _rolling(platform)
    return WheeledRobot.on(Model(platform.name, tuple(bodies), frames, rolling=rolling, geoms=geoms), platform)


def _rolling(platform: Platform) -> tuple[RollingFrame, ...]:
    axles = {
        w.name: (w, f"{w.name} steer" if isinstance(w, SteeredWheel) else None)
        for w in platform.rolling
        if w.lateral((1.0, 0.0)) is not None
    }
    return with_shared_slip(platform, PLATFORM, {w.name: _contact(w) for w in platform.wheels}, axles)


def _wheel_bodies(w: Wheel, mass: float, fork_mass: float) -> list[Body]:
    heading = w.heading if isinstance(w, FixedWheel) else 0.0
    disc = RigidInertia.from_center_of_mass(
        mass, Vec3.zero(), Sym3.diagonal(mass * w.radius**2 / 4, mass * w.radius**2 / 2, mass * w.radius**2 / 4)
    )
    place = Pose(Rotation.about_z(heading), Vec3(w.x, w.y, w.radius))
    if not isinstance(w, SteeredWheel | Caster):
        return [Body(w.name, PLATFORM, Revolute(Y_AXIS), place, disc, f"{w.name} spin")]
    turning = "steer" if isinstance(w, SteeredWheel) else "swivel"
    behind = -w.offset if isinstance(w, Caster) else 0.0
    fork = RigidInertia.from_center_of_mass(
        fork_mass, Vec3(behind, 0.0, 0.0), Sym3.diagonal(*[fork_mass * w.radius**2 / 4] * 3)
    )
    middle = Pose(Rotation.identity(), Vec3(behind, 0.0, 0.0))
    return [
        Body(f"{w.name} fork", PLATFORM, Revolute(Vec3(0.0, 0.0, 1.0)), place, fork, f"{w.name} {turning}"),
        Body(w.name, f"{w.name} fork", Revolute(Y_AXIS), middle, disc, f"{w.name} spin"),
    ]


def _contact(w: Wheel) -> Rolling:
    if isinstance(w, OmniWheel):
        return Rolling(w.radius, ("roller",), w.roller_angle)
    return Rolling(w.radius)
