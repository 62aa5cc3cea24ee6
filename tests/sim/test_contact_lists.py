"""Contacts in lists: the same steps as with all blocks one after the other, and the same laws."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import sixvec as sv
import sixvec.formats
from sixvec import sim
from sixvec.sim import contact_lists
from sixvec.verdict import Verdict

WALKER = """<mujoco><worldbody><geom type="plane" size="5 5 1" condim="1" friction=".8 .02 .01"/>
  <body pos="0 0 .6"><freejoint/><geom type="sphere" size=".15" mass="2" condim="6"/>
    <body pos=".1 .1 0"><joint type="hinge" axis="0 1 0" limited="true" range="-70 70" armature=".01"/>
      <geom type="capsule" fromto="0 0 -.1 0 0 -.4" size=".05" mass=".5" condim="3"/></body>
    <body pos=".1 -.1 0"><joint type="hinge" axis="1 1 0" limited="true" range="-70 70" frictionloss=".1"/>
      <geom type="capsule" fromto="0 0 -.1 0 0 -.4" size=".05" mass=".5" condim="4"/></body>
    <body pos="-.1 0 0"><joint type="hinge" axis="1 0 0"/>
      <geom type="sphere" size=".06" pos="0 0 -.4" mass=".3" condim="1"/></body>
  </body></worldbody></mujoco>"""
"""Contacts of four dimensions, with the floor and between legs, stops and joint friction."""

COUNT = 48


@pytest.fixture(scope="module")
def walker() -> sv.Robot:
    return sv.Robot(sv.formats.parse_model(WALKER, "walker.xml"))


def states(robot: sv.Robot) -> tuple[Any, Any]:
    """Some lie, some stand, some fall."""
    rng = np.random.default_rng(4)
    q = np.repeat(robot.neutral()[None], COUNT, axis=0)
    q[:, 2] = rng.uniform(0.1, 0.7, COUNT)
    q[:, 3:7] = rng.normal(size=(COUNT, 4)) * [0.3, 0.3, 0.3, 0.1] + [0.0, 0.0, 0.0, 1.0]
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    q[:, 7:] = rng.uniform(-1.3, 1.3, (COUNT, 3))
    return q, rng.normal(0.0, 1.0, (COUNT, robot.nv))


def environments(robot: sv.Robot, lists: bool, monkeypatch: pytest.MonkeyPatch, **options: Any) -> sim.Batch:
    monkeypatch.setattr(contact_lists, "LEAST", 1 if lists else 1000)
    start = states(robot)
    batch = sim.Batch(robot, COUNT, dt=0.004, contacts="file", start=start, **options)
    assert (batch._step.lists is not None) == lists
    return batch


@pytest.mark.parametrize(("most_sweeps", "dimension"), [(50, 3), (2, 6)])
def test_steps_are_those_of_blocks_one_after_the_other(
    most_sweeps: int, dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contacts of one kind are visited in the same order; few sweeps leave most to Newton's method."""
    text = re.sub('condim="."', f'condim="{dimension}"', WALKER)
    walker = sv.Robot(sv.formats.parse_model(text, "walker.xml"))
    options = {"tolerance": 1e-9, "most_sweeps": most_sweeps}
    with_lists, blocks = (environments(walker, x, monkeypatch, **options) for x in (True, False))
    u = np.random.default_rng(0).normal(0.0, 2.0, (COUNT, walker.nv))
    u[:, :6] = 0.0
    for _ in range(4):
        for env in (with_lists, blocks):
            env.step(u)
        solved = (with_lists.verdict == Verdict.SOLVED) & (blocks.verdict == Verdict.SOLVED)
        assert solved.mean() > 0.9
        assert np.abs(with_lists.q - blocks.q)[solved].max() < 1e-7
    assert (with_lists.impulses != 0.0).any(axis=1).mean() > 0.5
    assert np.array_equal(with_lists.impulses != 0.0, blocks.impulses != 0.0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_other_environments(
    walker: sv.Robot, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = environments(walker, True, monkeypatch, dtype=dtype, substeps=10)
    order = np.random.default_rng(1).permutation(COUNT)
    start = [x[order] for x in states(walker)]
    start[1][7] = np.nan
    mixed = environments(walker, True, monkeypatch, dtype=dtype, substeps=10)
    mixed.q[...], mixed.v[...] = start
    for x in (env, mixed):
        x.step(np.zeros((COUNT, walker.nv), dtype))
    fine = np.arange(COUNT) != 7
    assert np.array_equal(env.q[order][fine], mixed.q[fine])
    assert np.array_equal(env.impulses[order][fine], mixed.impulses[fine])
    alone = sim.Batch(walker, 1, dt=0.004, contacts="file", dtype=dtype, substeps=10)
    alone.q[...], alone.v[...] = (x[:1] for x in states(walker))
    alone.step(np.zeros((1, walker.nv), dtype))
    assert np.array_equal(alone.q[0], env.q[0])


def test_residuals_are_honest_and_the_robot_comes_to_rest(walker: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    env = environments(walker, True, monkeypatch, substeps=50)
    for _ in range(20):
        env.step(np.zeros((COUNT, walker.nv)))
        assert (env.residual < 1e-3)[env.verdict == Verdict.SOLVED].all()
    assert (env.verdict == Verdict.SOLVED).mean() > 0.95
    normal = env.force.sum(axis=1)
    assert np.isfinite(normal).all()
    assert np.median(np.abs(env.v).max(axis=1)) < 0.3
