"""MuJoCo, with contacts and constraints off: each kernel by the shortest chain of pipeline stages that computes it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from convention import Base, Convention
from kernels import Kernel
from peers.pinocchio_peer import Pinocchio
from robots import STANDARD_GRAVITY, Robot, root_link
from state import Array, State

TOOL = "tool"
DISABLED = (
    mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    | mujoco.mjtDisableBit.mjDSBL_CONTACT
    | mujoco.mjtDisableBit.mjDSBL_SENSOR
    | mujoco.mjtDisableBit.mjDSBL_ACTUATION
)


class MuJoCo:
    """An `MjModel` and `MjData` of one robot, with a site at the tool frame."""

    name = "MuJoCo"
    gravity = STANDARD_GRAVITY

    def __init__(self, robot: Robot, urdf: Path, reference: Pinocchio) -> None:
        spec = mujoco.MjSpec.from_string(mujoco_urdf(robot, urdf))
        spec.body(robot.frame).add_site(name=TOOL)
        self.model = spec.compile()
        self.model.opt.disableflags |= DISABLED
        self.data = mujoco.MjData(self.model)
        self.floating = robot.floating
        names = [self.model.joint(i).name for i in range(self.model.njnt)][1 if robot.floating else 0 :]
        base: Base = "linear world, angular body" if robot.floating else "fixed"
        self.convention = Convention(reference.order(names), base, angular_first=False)

    def function(self, kernel: Kernel) -> Callable[..., Any] | None:
        """A closure over the model's arrays, so that looking them up is not charged."""
        make = FUNCTIONS.get(kernel.name)
        return make(self.model, self.data) if make else None

    def arguments(self, kernel: Kernel, state: State) -> tuple[Any, ...]:
        """qpos has the quaternion as w x y z."""
        mine = self.convention.from_pinocchio(state)
        joints = self.convention.joint_q(state.q)
        base = state.q[[0, 1, 2, 6, 3, 4, 5]] if self.floating else state.q[:0]
        inputs = {"q": np.concatenate([base, joints]), "v": mine.v, "a": mine.a, "tau": mine.tau}
        return tuple(inputs[name] for name in kernel.inputs)

    def unpack(self, kernel: Kernel, raw: Any) -> Sequence[Array]:
        """Assemble the homogeneous matrix from MuJoCo's position and rotation."""
        if kernel.name != "pose":
            return [np.array(raw)]
        pose = np.eye(4)
        pose[:3, 3], pose[:3, :3] = raw[0], raw[1].reshape(3, 3)
        return [pose]


def mujoco_urdf(robot: Robot, urdf: Path) -> str:
    """The robot's URDF with a floating joint where it has none, and bodies joined by fixed joints fused."""
    root = ET.parse(urdf).getroot()
    if robot.floating:
        base = root_link(root)
        ET.SubElement(root, "link", name="world")
        joint = ET.SubElement(root, "joint", name="root_joint", type="floating")
        ET.SubElement(joint, "parent", link="world")
        ET.SubElement(joint, "child", link=base)
    settings = ET.SubElement(root, "mujoco")
    ET.SubElement(settings, "compiler", fusestatic="true", discardvisual="true", balanceinertia="false")
    return ET.tostring(root, encoding="unicode")


def _inverse_dynamics(model: Any, data: Any) -> Callable[..., Any]:
    qpos, qvel, qacc, out = data.qpos, data.qvel, data.qacc, np.zeros(model.nv)

    def call(q: Array, v: Array, a: Array) -> Array:
        qpos[:], qvel[:], qacc[:] = q, v, a
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, out)
        return out

    return call


def _forward_dynamics(model: Any, data: Any) -> Callable[..., Any]:
    qpos, qvel, applied, qacc = data.qpos, data.qvel, data.qfrc_applied, data.qacc

    def call(q: Array, v: Array, tau: Array) -> Array:
        qpos[:], qvel[:], applied[:] = q, v, tau
        mujoco.mj_forward(model, data)
        return qacc

    return call


def _mass_matrix(model: Any, data: Any) -> Callable[..., Any]:
    qpos, out = data.qpos, np.zeros((model.nv, model.nv))

    def call(q: Array) -> Array:
        qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, data, out)
        return out

    return call


def _jacobian(model: Any, data: Any) -> Callable[..., Any]:
    qpos, site, out = data.qpos, model.site(TOOL).id, np.zeros((6, model.nv))
    linear, angular = out[:3], out[3:]

    def call(q: Array) -> Array:
        qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSite(model, data, linear, angular, site)
        return out

    return call


def _pose(model: Any, data: Any) -> Callable[..., Any]:
    site = model.site(TOOL).id
    qpos, answer = data.qpos, (data.site_xpos[site], data.site_xmat[site])

    def call(q: Array) -> tuple[Array, Array]:
        qpos[:] = q
        mujoco.mj_kinematics(model, data)
        return answer

    return call


FUNCTIONS: dict[str, Callable[[Any, Any], Callable[..., Any]]] = {
    "inverse_dynamics": _inverse_dynamics,
    "forward_dynamics": _forward_dynamics,
    "mass_matrix": _mass_matrix,
    "jacobian": _jacobian,
    "pose": _pose,
}


def build(robot: Robot, urdf: Path, reference: Pinocchio) -> MuJoCo:
    """MuJoCo holding `robot`."""
    return MuJoCo(robot, urdf, reference)
