"""dynibo, with reused output buffers as its guide advises for control loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dynibo
import numpy as np

from contender import Unavailable
from convention import Base, Convention
from kernels import Kernel
from peers.pinocchio_peer import Pinocchio
from robots import Robot, breadth_first_joints
from state import Array, State, rotation

METHODS = {
    "inverse_dynamics": "inverse_dynamics",
    "forward_dynamics": "forward_dynamics",
    "mass_matrix": "mass_matrix",
    "jacobian": "jacobian",
    "pose": "forward_kinematics",
}


class Dynibo:
    """A `Robot` or `FloatingRobot`; the base state is built outside the timing."""

    name = "dynibo"
    gravity = 9.80665  # fixed in the library

    def __init__(self, robot: Robot, urdf: Path, reference: Pinocchio) -> None:
        kind = dynibo.FloatingRobot if robot.floating else dynibo.Robot
        try:
            self.robot = kind.from_urdf(str(urdf))
        except dynibo.DyniboError as error:
            raise Unavailable(f"refuses the model: {error}") from None
        self.floating = robot.floating
        self.link = self.robot.link_id(robot.frame)
        self.nv = self.robot.generalized_count
        base: Base = "angular world, linear world" if robot.floating else "fixed"
        self.convention = Convention(reference.order(breadth_first_joints(urdf)), base, angular_first=True)
        self.out = {
            "inverse_dynamics": np.zeros(self.nv),
            "forward_dynamics": np.zeros(self.nv),
            "mass_matrix": np.zeros(self.nv * self.nv),
            "jacobian": np.zeros(6 * self.nv),
        }

    def function(self, kernel: Kernel) -> Callable[..., Any] | None:
        """The bound method."""
        return getattr(self.robot, METHODS[kernel.name]) if kernel.name in METHODS else None

    def arguments(self, kernel: Kernel, state: State) -> tuple[Any, ...]:
        """(base state if floating, q, qd, ..., frame, loads, out), joints without the base but for forces."""
        mine = self.convention.from_pinocchio(state)
        joints = slice(6 if self.floating else 0, None)
        inputs = {"q": self.convention.joint_q(state.q), "v": mine.v[joints], "a": mine.a[joints], "tau": mine.tau}
        arguments: list[Any] = [self._base(state.q, mine)] if self.floating else []
        arguments += [np.ascontiguousarray(inputs[name]) for name in kernel.inputs]
        arguments += [self.link] if kernel.framed else []
        arguments += [None] if kernel.name in ("inverse_dynamics", "forward_dynamics") else []  # no loads
        arguments += [self.out[kernel.name]] if kernel.name in self.out else []
        return tuple(arguments)

    def unpack(self, kernel: Kernel, raw: Any) -> Sequence[Array]:
        """dynibo's matrices are flat and column-major, its pose a translation and a quaternion."""
        if kernel.name == "pose":
            pose = np.eye(4)
            pose[:3, 3], pose[:3, :3] = raw.translation, rotation(np.array(raw.rotation_xyzw))
            return [pose]
        out = self.out[kernel.name].copy()
        return [out.reshape(-1, self.nv, order="F") if kernel.kind in ("matrix", "jacobian") else out]

    def _base(self, q: Array, mine: State) -> Any:
        return dynibo.BaseState(
            frame=dynibo.Pose(translation=q[:3], rotation_xyzw=q[3:7]),
            velocity=dynibo.Twist(angular=mine.v[:3], linear=mine.v[3:6]),
            acceleration=dynibo.Twist(angular=mine.a[:3], linear=mine.a[3:6]),
        )


def build(robot: Robot, urdf: Path, reference: Pinocchio) -> Dynibo:
    """dynibo holding `robot`."""
    return Dynibo(robot, urdf, reference)
