"""Mounting: a platform and an arm become one robot."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import real_array, real_number
from sixvec.errors import ArgumentError, ModelError
from sixvec.mobile.inputs import require_inertia
from sixvec.mobile.manipulator.carrier import carrier_of
from sixvec.mobile.manipulator.mobile_robot import MobileRobot
from sixvec.mobile.platform import Platform
from sixvec.mobile.platform_robot import PLATFORM, PlatformRobot
from sixvec.mobile.wheeled_robot import WheeledRobot
from sixvec.model import WORLD, Model
from sixvec.model.edits.attach import attach
from sixvec.model.robots.limbs import with_limbs
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.spatial import Pose, RigidInertia, Rotation, Vec3


@overload
def mount(
    arm: Robot, platform: WheeledRobot, pose: Pose | ArrayLike | None = None, *, prefix: str = ""
) -> WheeledRobot: ...


@overload
def mount(
    arm: Robot,
    platform: Platform | MobileRobot,
    pose: Pose | ArrayLike | None = None,
    inertia: RigidInertia | None = None,
    prefix: str = "",
    steering_inertia: float = 0.0,
) -> MobileRobot: ...


def mount(
    arm: Robot,
    platform: Platform | MobileRobot | WheeledRobot,
    pose: Pose | ArrayLike | None = None,
    inertia: RigidInertia | None = None,
    prefix: str = "",
    steering_inertia: float = 0.0,
) -> MobileRobot | WheeledRobot:
    """An arm on a platform, its base at a `pose` (4, 4) of the platform's frame, whose origin is on the ground.

    The robot has q = (x, y, φ, steering, arm) and its inputs are u = (wheels, steering, arm): `MobileRobot`.  Every
    input of the steering is a joint.  `inertia` is that of the platform, in its frame, and `steering_inertia`, kg m²,
    that of each steering joint; dynamics of a steered platform require it.  Given a robot on wheels instead of
    a platform, the arm is added to it; `prefix` keeps its names distinct.  Each wheel has a frame "contact NAME" on the
    ground, with x along its heading, and a visual shape.

    Here wheels have no mass.  On a `wheeled_robot`, whose wheels and casters do, the result is a `WheeledRobot` with
    q = (x, y, φ, wheels, arm): the dynamics of wheels, platform and arm together, and `slipping_rollout`.

    >>> import numpy as np
    >>> import sixvec
    >>> from sixvec.mobile import mount
    >>> youbot = mount(sixvec.load("panda"), sixvec.mobile.mecanum(0.6, 0.4, 0.05), np.eye(4))
    >>> youbot.nq, youbot.input_names[:5]
    (10, ('front_left', 'front_right', 'rear_left', 'rear_right', 'panda_joint1'))
    """
    if not isinstance(arm, Robot):
        raise ArgumentError(f"mount: arm must be a robot, as sixvec.load gives one, not {arm!r}")
    require_sliding(arm.model, "mount")
    if floating := [b.joint_name or b.name for b in arm.model.children(WORLD) if b.joint.is_free]:
        raise ModelError(
            f'mount: {arm.name} floats on its free joint "{floating[0]}", and would not be fastened to the platform; '
            "load it with a fixed base"
        )
    if not isinstance(prefix, str):
        raise ArgumentError(f"mount: prefix must be a text, not {prefix!r}")
    X = as_pose(pose)
    turned = real_number("steering_inertia", steering_inertia, "kg m²")
    if turned < 0.0:
        raise ModelError(f"the steering inertia is {turned}; it must be 0 or more, in kg m²")
    if isinstance(platform, MobileRobot | WheeledRobot):
        if inertia is not None or turned:
            raise ArgumentError("the platform has its inertia already; give it where the first arm is mounted")
        base, carrier = platform.platform, platform.model
    elif isinstance(platform, Platform):
        if inertia is not None:
            require_inertia(inertia, "mount")
        base, carrier = platform, carrier_of(platform, inertia, turned, arm.model)
    else:
        raise ArgumentError(f"mount: an arm is mounted on a platform, not on {platform!r}")
    _require_names_apart(carrier, arm.model, prefix)
    shown = arm.model if arm.model.geoms else with_limbs(arm.model)
    mounted = attach(carrier, shown, PLATFORM, X, prefix)
    kind: type[PlatformRobot] = WheeledRobot if isinstance(platform, WheeledRobot) else MobileRobot
    return kind.on(replace(mounted, name=f"{arm.name} on {carrier.name}"), base)  # type: ignore[return-value]


def as_pose(pose: Pose | ArrayLike | None) -> Pose:
    """A pose from a homogeneous matrix (4, 4), a Pose, or nothing."""
    if pose is None or isinstance(pose, Pose):
        return pose or Pose.identity()
    X = real_array("pose", pose, 4, 4, batch=False)
    R = X[:3, :3]
    if not np.isfinite(X).all() or np.abs(R.T @ R - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0.0:
        raise ModelError("pose is not a rigid placement: its upper left part must be a rotation, all of it finite")
    return Pose(Rotation.from_matrix(R.tolist()), Vec3.of(X[:3, 3].tolist()))


def _require_names_apart(carrier: Model, arm: Model, prefix: str) -> None:
    taken = {*carrier.by_name, *(f.name for f in carrier.frames)}
    new = {prefix + name for name in (*arm.by_name, *(f.name for f in arm.frames))}
    if both := sorted(taken & new):
        raise ModelError(f'{carrier.name} and {arm.name} both have "{both[0]}"; give prefix= to keep the names apart')
