"""Shapes that pass each other within a step do not push each other; those that hit do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import Contact
from sixvec.distance.gaps import Solids
from sixvec.distance.shapes import CollisionShape, described
from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Free
from sixvec.spatial import Pose, Vec3

pytestmark = pytest.mark.covers("CON-09")

BOX, PLATE, BALL, ROD = Box(Vec3(0.1, 0.12, 0.14)), Box(Vec3(0.3, 0.3, 0.002)), Sphere(0.05), Capsule(0.03, 0.2)
H = 1e-3


@cache
def pair(first: Any, second: Any) -> sv.Robot:
    bodies = tuple(Body(n, joint=Free(), inertia=s.inertia(1.0)) for n, s in (("a", first), ("b", second)))
    frames = (Frame("a", "a"), Frame("b", "b"))
    return sv.Robot(Model("pair", bodies, frames, Vec3.zero()))


def thrown(n: int, turn: float, seed: int) -> tuple[Any, Any]:
    """Bodies within 0.5 m of each other that move by up to 1 m and turn by up to `turn` in a step."""
    rng = np.random.default_rng(seed)
    q, v = np.zeros((n, 14)), np.zeros((n, 12))
    for k in range(2):
        q[:, 7 * k + 3 : 7 * k + 7] = Rotation.random(n, rng=rng).as_quat()
        v[:, 6 * k : 6 * k + 3] = rng.normal(size=(n, 3)) * turn / H / 2.0
    way = rng.normal(size=(n, 3))
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    aside = np.cross(way, rng.normal(size=(n, 3)))
    aside *= rng.uniform(0.0, 0.25, (n, 1)) / np.linalg.norm(aside, axis=-1, keepdims=True)
    length = rng.uniform(0.3, 1.0, (n, 1))
    q[:, :3] = aside - way * length * rng.uniform(0.4, 0.9, (n, 1))
    v[:, 3:6] = Rotation.from_quat(q[:, 3:7]).inv().apply(way * length / H)
    return q, v


def least_gap(first: Any, second: Any, q: Any, v: Any, parts: int = 500) -> Any:
    """At the start, and the least one in free motion over a step: for states (n, 14) and (n, 12), two of (n,)."""
    t = np.linspace(0.0, H, parts + 1)[:, None]
    numbers = []
    for k in range(2):
        x, Q = q[:, None, 7 * k : 7 * k + 3], Rotation.from_quat(np.repeat(q[:, 7 * k + 3 : 7 * k + 7], parts + 1, 0))
        turned = Q * Rotation.from_rotvec((t * v[:, None, 6 * k : 6 * k + 3]).reshape(-1, 3))
        way = Q.apply(np.repeat(v[:, 6 * k + 3 : 6 * k + 6], parts + 1, 0)).reshape(len(q), -1, 3)
        place = (x + t * way).reshape(-1, 3)
        numbers.append(np.concatenate([turned.as_matrix().reshape(-1, 9), place], axis=1))
    shapes = Solids(tuple(CollisionShape("", "", *described(s, "")[:2], Pose.identity()) for s in (first, second)))
    rows = np.zeros(len(numbers[0]), np.intp)
    gap = shapes.gaps(rows, rows + 1, *numbers).gap.reshape(len(q), -1)
    return gap[:, 0], gap.min(axis=1)


@pytest.mark.parametrize("turn", [0.0, 0.02, 0.2])
@pytest.mark.parametrize(
    ("first", "second"),
    [(BALL, BALL), (BALL, ROD), (BALL, BOX), (BALL, PLATE), (ROD, ROD), (ROD, BOX), (BOX, BOX), (BOX, PLATE)],
)
def test_fast_shapes_push_each_other_if_and_only_if_they_meet(first: Any, second: Any, turn: float) -> None:
    """Against the free motion in 500 parts; shapes that meet or pass by less than 2 % of a size are left out."""
    n = 400
    q, v = thrown(n, turn, 3)
    start, least = least_gap(first, second, q, v)
    apart = start > 0.02
    env = sim.Batch(pair(first, second), n, dt=H, contacts=[Contact("a", first, second, "b", 0.0)], start=(q, v))
    env.step(np.zeros(12))
    pushed = (env.force[:, ::3] > 0.0).any(axis=-1)
    meets, passes = apart & (least < -1e-3), apart & (least > 2e-3)
    assert meets.sum() > 20 and passes.sum() > 40
    ghosts, missed = pushed & passes, ~pushed & meets
    assert not missed.any()
    assert ghosts.sum() <= (0.2 * passes.sum() if turn > 0.1 else 0)  # no direction separates them all the time
