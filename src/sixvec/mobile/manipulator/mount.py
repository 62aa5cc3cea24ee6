"""Mounting: a platform and an arm become one robot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.mobile.manipulator.mobile_robot import PLATFORM, MobileRobot
from sixvec.mobile.platform import Platform
from sixvec.model import Body, Frame, Model
from sixvec.model.edits.attach import attach
from sixvec.model.joints import Planar
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.spatial import Pose, RigidInertia, Rotation, Vec3


def mount(
    arm: Robot,
    platform: Platform | MobileRobot,
    pose: Any = None,
    inertia: RigidInertia | None = None,
    prefix: str = "",
) -> MobileRobot:
    """An arm on a platform, its base at a `pose` (4, 4) of the platform's frame, whose origin is on the ground.

    The robot has q = (x, y, φ, arm) and its inputs are u = (wheels, arm): `MobileRobot`.  `inertia` is that of the
    platform, in its frame.  Given a robot on wheels instead of a platform, the arm is one more on it; `prefix`
    keeps its names apart.  Each wheel has a frame "contact NAME" on the ground, with x along its heading.

    >>> import sixvec
    >>> youbot = mount(sixvec.load("panda"), sixvec.mobile.mecanum(0.6, 0.4, 0.05), np.eye(4))
    >>> youbot.nq, youbot.input_names[:5]
    (10, ('front_left', 'front_right', 'rear_left', 'rear_right', 'panda_joint1'))
    """
    if not isinstance(arm, Robot):
        raise ArgumentError(f"an arm is a robot, as sixvec.load gives one, not a {type(arm).__name__}")
    require_tree(arm.model, "mount")
    X = as_pose(pose)
    if isinstance(platform, MobileRobot):
        if inertia is not None:
            raise ArgumentError("the platform has its inertia already; give it where the first arm is mounted")
        base, carrier = platform.platform, platform.model
    elif isinstance(platform, Platform):
        base, carrier = platform, _carrier(platform, inertia, arm.model)
    else:
        raise ArgumentError(f"an arm is mounted on a platform, not on a {type(platform).__name__}")
    _require_names_apart(carrier, arm.model, prefix)
    made = attach(carrier, arm.model, PLATFORM, X, prefix)
    return MobileRobot.on(replace(made, name=f"{arm.name} on {carrier.name}"), base)


def as_pose(pose: Any) -> Pose:
    """A pose from a homogeneous matrix (4, 4), a Pose, or nothing."""
    if pose is None or isinstance(pose, Pose):
        return pose or Pose.identity()
    X = np.asarray(pose, float)
    if X.shape != (4, 4):
        raise ShapeError(f"pose has shape {X.shape}; a homogeneous matrix (4, 4) is needed")
    R = X[:3, :3]
    if not np.isfinite(X).all() or np.abs(R.T @ R - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0.0:
        raise ModelError("pose is not a rigid placement: its upper left part must be a rotation, all of it finite")
    return Pose(Rotation.from_matrix(R.tolist()), Vec3.of(X[:3, 3].tolist()))


def _carrier(platform: Platform, inertia: RigidInertia | None, arm: Model) -> Model:
    body = Body(PLATFORM, joint=Planar(), inertia=inertia or RigidInertia.zero(), joint_name=PLATFORM)
    heading = {w.name: w.heading for w in platform.rolling}
    frames = [
        Frame(f"contact {w.name}", PLATFORM, Pose(Rotation.about_z(heading.get(w.name, 0.0)), Vec3(w.x, w.y, 0.0)))
        for w in platform.wheels
    ]
    return Model(platform.name, (body,), (Frame(PLATFORM, PLATFORM), *frames), gravity=arm.gravity)


def _require_names_apart(carrier: Model, arm: Model, prefix: str) -> None:
    taken = {*carrier.by_name, *(f.name for f in carrier.frames)}
    new = {prefix + name for name in (*arm.by_name, *(f.name for f in arm.frames))}
    if both := sorted(taken & new):
        raise ModelError(f'{carrier.name} and {arm.name} both have "{both[0]}"; give prefix= to keep the names apart')
