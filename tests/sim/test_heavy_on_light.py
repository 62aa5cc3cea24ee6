"""Heavy bodies on light ones: ratios of masses from 100 to 10⁴, at rest and in falls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body.solids import Box
from sixvec.model import Body, Model
from sixvec.model.body import Frame
from sixvec.model.joints import Free
from sixvec.spatial import Vec3

BOX = Box(Vec3(0.4, 0.3, 0.2))
G = 9.81


def tower(*masses: float) -> tuple[sv.Robot, list[Contact]]:
    """Boxes, each on the one before; all may touch the floor."""
    bodies = tuple(Body(f"b{i}", None, Free(), inertia=BOX.inertia(m)) for i, m in enumerate(masses))
    frames = tuple(Frame(b.name, b.name) for b in bodies)
    contacts = [Contact(b.name, BOX, friction=0.6) for b in bodies]
    contacts += [Contact(f"b{i}", BOX, BOX, f"b{i - 1}", friction=0.6) for i in range(1, len(masses))]
    return sv.Robot(Model("tower", bodies, frames=frames)), contacts


def thrown(robot: sv.Robot, count: int, seed: int) -> tuple[Any, Any]:
    """Crooked towers a little apart, that move and turn."""
    rng = np.random.default_rng(seed)
    q = np.tile(robot.neutral(), (count, 1))
    for i in range(robot.nv // 6):
        turn = rng.uniform(-0.05, 0.05, (count, 3))
        q[:, 7 * i : 7 * i + 2] = rng.uniform(-0.05, 0.05, (count, 2))
        q[:, 7 * i + 2] = 0.1 + 0.2 * i + (i + 1) * rng.uniform(0.002, 0.01, count)
        q[:, 7 * i + 3] = np.sqrt(1.0 - (turn**2).sum(axis=1) / 4.0)
        q[:, 7 * i + 4 : 7 * i + 7] = turn / 2.0
    return q, rng.uniform(-0.3, 0.3, (count, robot.nv))


@pytest.mark.parametrize("heavy", [pytest.param(1e2, marks=pytest.mark.slow), 1e4])
def test_a_light_box_carries_a_heavy_one(heavy: float) -> None:
    robot, contacts = tower(1.0, heavy)
    q = robot.neutral()
    q[2], q[7:10] = 0.1, [0.05, 0.02, 0.3]
    path = robot.rollout(q, np.zeros(12), np.zeros(12), 2e-3, steps=50, contacts=contacts)
    assert path.verdict == 0 and np.abs(path.v).max() < 1e-8
    assert path.force[-1, 0:24:3].sum() == pytest.approx((1.0 + heavy) * G, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("masses", "most"), [((1.0, 1e2), 0.005), ((1.0, 1e2, 1.0), 0.01), ((1.0, 1e4), 0.05)])
def test_falling_towers_are_solved(masses: tuple[float, ...], most: float) -> None:
    """A fraction of the steps may remain, with its residual; a tenth and more remained with sweeps and Newton alone."""
    robot, contacts = tower(*masses)
    q, v = thrown(robot, 8, 3)
    path = robot.rollout(q, v, np.zeros(robot.nv), 2e-3, steps=200, contacts=contacts)
    touching = (path.force != 0.0).any(axis=-1)
    unsolved = path.residual > path.accepted
    assert touching.sum() > 1000 and unsolved.sum() <= most * touching.sum()
    assert (path.residual > 1e-3).sum() <= 0.01 * touching.sum()
    assert ((path.verdict == 0) == ~unsolved.any(axis=-1)).all()


@pytest.mark.slow
def test_environments_take_the_same_steps_whatever_the_others_do() -> None:
    robot, contacts = tower(1.0, 1e3)
    q, v = thrown(robot, 9, 5)
    v[4] = np.nan
    ends = []
    for chosen in (slice(0, 9), slice(6, 8)):
        start = q[chosen], np.nan_to_num(v[chosen])
        env = sim.Batch(robot, len(start[0]), dt=2e-3, substeps=80, contacts=contacts, start=start)
        env.v[:] = v[chosen]
        env.step(np.zeros(12))
        ends.append(env.q.copy())
    assert (ends[0][6:8] == ends[1]).all()
