"""The same robot in MuJoCo, and the way from our coordinates to its own.

MuJoCo gets the bare mechanism: no shapes, contacts, limits, motors, damping or rotor inertia.  Its free joint has the
quaternion as (w, x, y, z), and a velocity whose linear part comes first and in world axes.
"""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from published import Published

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")

COMPILER = {"discardvisual": "true", "fusestatic": "false", "balanceinertia": "false", "strippath": "false"}
FREE = 6


class Peer:
    """A MuJoCo model that takes and gives our coordinates."""

    def __init__(self, published: Published) -> None:
        self.robot, self.floating = published.load(), published.floating
        self.model = mechanism(published)
        self.data = mujoco.MjData(self.model)
        ours = self.robot.model
        self._q, self._v = [], []
        for b in ours.moving[1 if self.floating else 0 :]:
            joint = self.model.joint(b.joint_name or b.name)
            self._q.append((ours.q_slices[b.name], joint.qposadr[0]))
            self._v.append((ours.v_slices[b.name], joint.dofadr[0]))

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        T, bias = self._rates(q, v)
        self.data.qpos, self.data.qvel, self.data.qacc = self._to_q(q), T @ v, T @ a + bias
        mujoco.mj_inverse(self.model, self.data)
        return T.T @ self.data.qfrc_inverse

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        T, _ = self._rates(q, np.zeros(self.robot.nv))
        self.data.qpos = self._to_q(q)
        mujoco.mj_forward(self.model, self.data)
        columns = np.zeros((self.model.nv, self.model.nv))
        for column, e in zip(columns, np.eye(self.model.nv), strict=True):
            mujoco.mj_mulM(self.model, self.data, column, e)
        return T.T @ columns.T @ T

    def _to_q(self, q: np.ndarray) -> np.ndarray:
        result = np.zeros(self.model.nq)
        if self.floating:
            result[:7] = q[[0, 1, 2, 6, 3, 4, 5]]
        for ours, theirs in self._q:
            result[theirs] = q[ours][0]
        return result

    def _rates(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """T and Ṫ v, where T v is their velocity for ours."""
        T, bias = np.zeros((self.model.nv, self.robot.nv)), np.zeros(self.model.nv)
        if self.floating:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, q[[6, 3, 4, 5]])
            T[:3, 3:FREE], T[3:FREE, :3] = R.reshape(3, 3), np.eye(3)
            bias[:3] = R.reshape(3, 3) @ np.cross(v[:3], v[3:FREE])
        for ours, theirs in self._v:
            T[theirs, ours] = 1.0
        return T, bias


def mechanism(published: Published) -> mujoco.MjModel:
    """The bodies and joints of a URDF file, and nothing else of it."""
    root = ElementTree.fromstring(published.path.read_text(encoding="utf-8"))
    for link in root.iter("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", COMPILER)
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
    if published.floating:
        spec.body(published.load().model.bodies[0].name).add_freejoint()
    model = spec.compile()
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_ACTUATION
    model.dof_armature[:] = model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    return model


@cache
def peer(published: Published) -> Peer:
    return Peer(published)
