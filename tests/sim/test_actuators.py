"""Servos act at the end of a step; at the limit of their joint they are constant forces, in both directions."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.formats import parse_model

MASS, KP, KV, LIMIT, H = 2.0, 50.0, 5.0, 3.0, 0.01


def sled() -> sv.Robot:
    """A mass on a rail with a servo whose force the joint limits."""
    text = f"""<mujoco model="sled"><option gravity="0 0 0"/><worldbody><body name="sled">
      <joint name="x" type="slide" axis="1 0 0" actuatorfrcrange="{-LIMIT} {LIMIT}"/>
      <geom type="sphere" size="0.1" mass="{MASS}"/></body></worldbody>
      <actuator><position joint="x" kp="{KP}" kv="{KV}"/></actuator></mujoco>"""
    return sv.Robot(parse_model(text, "sled.xml"))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_servo_at_the_limit_of_its_joint_is_a_constant_force(sign: float) -> None:
    """v = h F / m, without the damping and the stiffness of the servo."""
    path = sled().rollout([0.0], [0.0], [[sign]], H, actuators="file")
    assert path.v[0, 0] == pytest.approx(sign * H * LIMIT / MASS, rel=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_servo_within_its_limit_acts_at_the_end_of_the_step(sign: float) -> None:
    """(m + h D + h² K) v = h K u"""
    u = 0.5 * sign * LIMIT / KP
    path = sled().rollout([0.0], [0.0], [[u]], H, actuators="file")
    assert path.v[0, 0] == pytest.approx(H * KP * u / (MASS + H * KV + H * H * KP), rel=1e-12)


def test_mirrored_goals_have_mirrored_motions() -> None:
    goals = 2.0 * np.sin(np.arange(200.0))[:, None]
    left, right = (sled().rollout([0.0], [0.0], sign * goals, H, actuators="file") for sign in (1.0, -1.0))
    assert abs(left.v).max() > 0.01 and np.allclose(left.q, -right.q, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("h", [1e-3, 0.02, 10.0])
def test_exact_filters_are_independent_of_the_time_step(h: float) -> None:
    """The force of a constant control is 1 - exp(-t/T) at the start of each step; in rollouts and batches."""
    text = f"""<mujoco model="sled"><option gravity="0 0 0"/><worldbody><body name="sled">
      <joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1" mass="{MASS}"/></body></worldbody>
      <actuator><general joint="x" dyntype="filterexact" dynprm="0.05"/></actuator></mujoco>"""
    robot = sv.Robot(parse_model(text, "sled.xml"))
    path = robot.rollout([0.0], [0.0], np.ones((30, 1)), h, actuators="file")
    force = -np.expm1(-h * np.arange(30) / 0.05)
    assert np.allclose(MASS * np.diff(path.v[:, 0], prepend=0.0) / h, force, rtol=1e-12, atol=1e-15)
    for dtype, most in (("float64", 0.0), ("float32", 1e-5)):
        env = sv.sim.Batch(robot, 2, dt=h, substeps=30, actuators="file", dtype=dtype)
        env.step(np.ones(1))
        assert np.allclose(env.v, path.v[-1], rtol=most, atol=0.0)
