"""MuJoCo, whose contacts are soft, agrees about where things go: how far a block slides, how fast a ball rolls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body.solids import Box, Sphere
from sixvec.model import Body, Model
from sixvec.model.body import Frame
from sixvec.model.joints import Free
from sixvec.spatial import Vec3

mujoco: Any = pytest.importorskip("mujoco")
STEP, STEPS = 1e-3, 800


def ours(solid: Any, velocity: list[float], height: float, friction: float) -> Any:
    body = Body("thing", None, Free(), inertia=solid.inertia(2.0))
    robot = sv.Robot(Model("thing", (body,), frames=(Frame("thing", "thing"),)))
    q = robot.neutral()
    q[2] = height
    return robot.rollout(
        q, velocity, np.zeros(6), STEP, steps=STEPS, contacts=[Contact("thing", solid, friction=friction)]
    )


def theirs(geom: str, velocity: list[float], height: float, friction: float) -> Any:
    text = f"""<mujoco><option timestep="{STEP}" cone="elliptic" impratio="10"/><worldbody>
      <geom type="plane" size="9 9 1" friction="{friction} 0 0" condim="3"/>
      <body pos="0 0 {height}"><freejoint/><geom {geom} mass="2" friction="{friction} 0 0" condim="3"/></body>
    </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:3], data.qvel[3:] = velocity[3:], velocity[:3]
    path = []
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        path.append(data.qpos.copy())
    return np.array(path)


def test_a_block_slides_as_far() -> None:
    box, push = Box(Vec3(0.4, 0.3, 0.1)), [0.0, 0.0, 0.0, 1.5, 0.5, 0.0]
    path = ours(box, push, 0.05, 0.4)
    other = theirs('type="box" size="0.2 0.15 0.05"', push, 0.05, 0.4)
    assert path.verdict == 0
    way, expected = (np.linalg.norm(x) for x in (path.q[-1, :2], other[-1, :2]))
    assert way == pytest.approx((1.5**2 + 0.5**2) / (2 * 0.4 * 9.81), rel=0.01)
    assert way == pytest.approx(expected, rel=0.05)


def test_a_ball_ends_up_rolling_as_fast() -> None:
    path = ours(Sphere(0.1), [0.0, 0.0, 0.0, 2.0, 0.0, 0.0], 0.1, 0.3)
    other = theirs('type="sphere" size="0.1"', [0.0, 0.0, 0.0, 2.0, 0.0, 0.0], 0.1, 0.3)
    speeds = [np.diff(x[-2:, 0])[0] / STEP for x in (path.q, other)]
    assert speeds[0] == pytest.approx(10.0 / 7.0, rel=1e-6)
    assert speeds[0] == pytest.approx(speeds[1], rel=0.03)
