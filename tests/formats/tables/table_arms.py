"""Random serial arms whose neighbouring axes are in general or in special position, and how to compare two arms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from random_trees import Random, random_inertia, random_pose
from sixvec import Robot
from sixvec.algorithms import REGISTRY
from sixvec.model import WORLD, Body, Frame, JointDynamics, Limits, Model
from sixvec.model.joints import Fixed, Prismatic, Revolute
from sixvec.spatial import Pose, Quaternion, Vec3

Axis = tuple[np.ndarray, np.ndarray]
"""A point and a unit direction in the world."""


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def across(rng: Random, e: np.ndarray) -> np.ndarray:
    """A random unit vector at a right angle to e."""
    return unit(np.cross(e, rng.normal(size=3)))


def tilted(rng: Random, e: np.ndarray, angle: float) -> np.ndarray:
    return unit(e * np.cos(angle) + across(rng, e) * np.sin(angle))


def beside(rng: Random, axis: Axis) -> np.ndarray:
    p, e = axis
    return p + across(rng, e) * rng.uniform(0.1, 0.5) + e * rng.uniform(-0.3, 0.3)


def on(rng: Random, axis: Axis) -> np.ndarray:
    p, e = axis
    return p + e * rng.uniform(-0.3, 0.3)


NEXT: dict[str, Callable[[Random, Axis], Axis]] = {
    "skew": lambda rng, a: (beside(rng, a), tilted(rng, a[1], rng.uniform(0.3, 2.8))),
    "parallel": lambda rng, a: (beside(rng, a), a[1]),
    "antiparallel": lambda rng, a: (beside(rng, a), -a[1]),
    "coincident": lambda rng, a: (on(rng, a), a[1]),
    "opposite": lambda rng, a: (on(rng, a), -a[1]),
    "intersecting": lambda rng, a: (on(rng, a), tilted(rng, a[1], rng.uniform(0.3, 2.8))),
    "perpendicular": lambda rng, a: (beside(rng, a), across(rng, a[1])),
    "meeting at a right angle": lambda rng, a: (on(rng, a), across(rng, a[1])),
}
"""How the next axis may stand to the one before."""


def nearly_parallel(rng: Random, a: Axis) -> Axis:
    return beside(rng, a), tilted(rng, a[1], 10.0 ** rng.uniform(-7.0, -3.5))


def random_arm(seed: int, nearly: bool = False) -> Model:
    """Three to seven joints, some of them slides, fixed bodies between; `nearly` parallel is one pair of axes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    special = int(rng.integers(1, n)) if nearly else -1
    axis: Axis = (rng.uniform(-0.3, 0.3, 3), unit(rng.normal(size=3)))
    if seed % 4 == 0:
        axis = (np.zeros(3), np.array([0.0, 0.0, 1.0]))
    bodies, home = [Body("base", inertia=random_inertia(rng))], Pose.identity()
    for i in range(n):
        if i:
            make = nearly_parallel if i == special else NEXT[str(rng.choice(list(NEXT)))]
            axis = make(rng, axis)
        at, e = axis
        turn = Quaternion(*rng.normal(size=4).tolist()).normalized().as_rotation()
        placed = Pose(turn, Vec3.of(at.tolist()))
        kind = Prismatic if rng.integers(3) == 0 else Revolute
        joint = kind(turn.inv() @ Vec3.of(e.tolist()))
        limits, dynamics = Limits((-1.0,), (2.0,), (3.0,), (40.0,)), JointDynamics(armature=(0.1 * i,), damping=(0.2,))
        bodies.append(
            Body(f"b{i}", bodies[-1].name, joint, home.inv() @ placed, random_inertia(rng), f"j{i}", limits, dynamics)
        )
        home = placed
        if rng.integers(3) == 0:
            bodies.append(Body(f"b{i}flange", f"b{i}", Fixed(), random_pose(rng), random_inertia(rng)))
            home = home @ bodies[-1].placement
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("floor", WORLD, random_pose(rng)))
    tool = Frame("tool", bodies[-1].name, random_pose(rng) if seed % 3 else Pose.identity())
    return Model(f"arm{seed}", tuple(bodies), (*frames, tool), Vec3.of(rng.normal(size=3).tolist()))


def poses(model: Model, q: np.ndarray, names: list[str]) -> np.ndarray:
    """The poses of the frames, by the equations themselves: the compiled ones take 1e-11 for zero."""
    found = dict(zip((f.name for f in model.frames), REGISTRY["poses"](model, q.tolist()), strict=True))
    return np.array([matrix(found[name]) for name in names])


def matrix(pose: Any) -> np.ndarray:
    return np.array(pose.as_matrix() if hasattr(pose, "as_matrix") else pose, float)


def forces(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    return np.array(REGISTRY["inverse_dynamics"](model, q.tolist(), v.tolist(), a.tolist()), float)


@cache
def subject(seed: int, nearly: bool = False, states: int = 1) -> Subject:
    """A random arm, and what it does at random states: computed once for all descriptions that are compared with it."""
    return observed(random_arm(seed, nearly), seed, states)


@dataclass(frozen=True)
class Subject:
    """An arm and what it does at some states."""

    arm: Model
    names: list[str]
    states: list[np.ndarray]
    poses: list[np.ndarray]
    forces: list[np.ndarray]


def observed(arm: Model, seed: int = 0, states: int = 2) -> Subject:
    names = [f.name for f in arm.frames]
    given = [*np.random.default_rng(seed).uniform(-2.0, 2.0, (states, 3, arm.nq))]
    return Subject(arm, names, given, [poses(arm, x[0], names) for x in given], [forces(arm, *x) for x in given])


def deviation(arm: Model | Subject, again: Model, seed: int = 0, states: int = 2) -> tuple[float, float]:
    """The largest differences of poses of all frames, and of joint forces relative to the largest, at random states."""
    first = arm if isinstance(arm, Subject) else observed(arm, seed, states)
    assert sorted(first.names) == sorted(f.name for f in again.frames)
    assert Robot(first.arm).joint_names == Robot(again).joint_names
    for b, c in zip(first.arm.moving, again.moving, strict=True):
        assert (b.name, b.limits, b.dynamics, b.joint.angular) == (c.name, c.limits, c.dynamics, c.joint.angular)
    assert first.arm.gravity == again.gravity
    off, wrong = 0.0, 0.0
    for x, placed, expected in zip(first.states, first.poses, first.forces, strict=True):
        off = max(off, float(np.abs(placed - poses(again, x[0], first.names)).max()))
        wrong = max(wrong, float(np.abs(forces(again, *x) - expected).max() / np.abs(expected).max()))
    return off, wrong
