"""Linkages against MuJoCo, whose equalities are stiff springs and dampers: alike as far as those give way."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.formats.mjcf.write import write_mjcf

mujoco = pytest.importorskip("mujoco")

IMPEDANCE = 0.9999
"""MuJoCo's largest: a constraint yields by the rest of one."""


def peer(robot: sv.Robot):
    """The same robot in MuJoCo, as stiff as it can be, without its solver's regularisation getting in the way."""
    model = mujoco.MjModel.from_xml_string(write_mjcf(robot.model))
    model.eq_solimp[:, :2] = IMPEDANCE
    model.eq_solref[:] = [0.002, 1.0]
    model.opt.timestep = 1e-4
    model.opt.tolerance, model.opt.iterations = 0.0, 200
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return model, mujoco.MjData(model)


@pytest.mark.covers("DYN-15")
def test_a_four_bar_at_rest_and_in_motion() -> None:
    robot = sv.load("four_bar")
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    model, data = peer(robot)
    tau = np.array([0.02, 0.0, 0.0])
    data.qpos[:], data.qfrc_applied[:] = q, tau
    mujoco.mj_forward(model, data)
    a = robot.forward_dynamics(q, np.zeros(3), tau)
    assert np.allclose(data.qacc, a, rtol=0.01, atol=0.01 * np.abs(a).max())
    path = robot.rollout(q, np.zeros(3), tau, 1e-3, steps=200, integrator="rk4")
    for _ in range(2000):
        mujoco.mj_step(model, data)
    assert np.ptp(path.q[:, 0]) > 0.2
    assert np.allclose(data.qpos, path.q[-1], atol=0.02 * np.ptp(path.q, axis=0).max())
