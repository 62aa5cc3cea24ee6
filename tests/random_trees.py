"""Random robots that hold every type of joint: what the laws are tried on.

A seed always gives the same tree.  The inertias are those of random point masses, so every one of them is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sixvec.model import WORLD, Body, Frame, Model
from sixvec.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from sixvec.model.joints.axis import unit
from sixvec.spatial import Pose, Quaternion, RigidInertia, Sym3, Vec3

Random = np.random.Generator

POINTS_PER_BODY = 5
"""Four points in general position already give a body inertia about every axis."""

JOINTS: dict[str, Callable[[Random], Joint]] = {
    "revolute": lambda rng: Revolute(random_axis(rng)),
    "spherical": lambda rng: Spherical(),
    "prismatic": lambda rng: Prismatic(random_axis(rng)),
    "universal": lambda rng: Universal(*random_axes(rng)),
    "helical": lambda rng: Helical(random_axis(rng), float(rng.uniform(-0.5, 0.5))),
    "planar": lambda rng: Planar(random_axis(rng)),
    "fixed": lambda rng: Fixed(),
    "cylindrical": lambda rng: Cylindrical(random_axis(rng)),
    "free": lambda rng: Free(),
}
"""Every joint type, with random axes."""


def random_tree(seed: int, bodies: int = len(JOINTS), floating: bool = False) -> Model:
    """A tree of so many bodies; from nine on it holds every joint type, and a shorter one holds the first of them.

    With `floating` the root has a free joint and carries everything; without, any body may stand on the world.
    """
    rng = np.random.default_rng(seed)
    made: list[Body] = []
    for i, kind in enumerate(_kinds(rng, bodies, floating)):
        parents = [WORLD] * (not (floating and made)) + [b.name for b in made]
        # The latest bodies are the likeliest parents: long branches rather than a star.
        weights = np.arange(1, len(parents) + 1) ** 2.0
        parent = parents[rng.choice(len(parents), p=weights / weights.sum())]
        joint = JOINTS[kind](rng)
        made.append(Body(f"{kind}{i}", parent, joint, random_pose(rng), random_inertia(rng), f"{kind}{i}_joint"))
    own = [Frame(b.name, b.name) for b in made]
    tools = [Frame(f"tool{i}", b.name, random_pose(rng)) for i, b in enumerate(made[-2:])]
    ground = Frame("ground", WORLD, random_pose(rng))
    return Model(f"tree{seed}", tuple(made), (*own, *tools, ground), Vec3.of((rng.normal(size=3) * 5.0).tolist()))


def _kinds(rng: Random, count: int, floating: bool) -> Iterator[str]:
    kinds = [list(JOINTS)[i % len(JOINTS)] for i in range(count)]
    if not floating:
        yield from rng.permutation(kinds).tolist()
        return
    if "free" in kinds:
        kinds.remove("free")
    yield "free"
    yield from rng.permutation(kinds[: count - 1]).tolist()


def random_axis(rng: Random) -> Vec3:
    """Any direction; every third time a coordinate axis, where much of the arithmetic vanishes."""
    if rng.integers(3) == 0:
        return Vec3.of((np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])).tolist())
    return Vec3.of(rng.normal(size=3).tolist())


def random_axes(rng: Random) -> tuple[Vec3, Vec3]:
    """Two directions at least 30° apart."""
    while True:
        first, second = unit(random_axis(rng)), unit(random_axis(rng))
        if first.cross(second).norm() >= 0.5:
            return first, second


def random_pose(rng: Random) -> Pose:
    turn = Quaternion(*rng.normal(size=4).tolist()).normalized().as_rotation()
    return Pose(turn, Vec3.of(rng.uniform(-0.5, 0.5, 3).tolist()))


def random_inertia(rng: Random) -> RigidInertia:
    """The inertia of a handful of point masses."""
    total = RigidInertia.zero()
    for _ in range(POINTS_PER_BODY):
        at, mass = Vec3.of(rng.uniform(-0.3, 0.3, 3).tolist()), float(rng.uniform(0.1, 1.0))
        total = total + RigidInertia.from_center_of_mass(mass, at, Sym3.zero())
    return total
