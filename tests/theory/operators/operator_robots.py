"""The robots on which the operator identities must hold: trees, a mobile base, spherical joints, rotors."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from random_trees import random_tree
from sixvec import Robot
from sixvec.algorithms import REGISTRY
from sixvec.algorithms.declaration import flatten, size
from sixvec.model import Model
from sixvec.model.body import JointDynamics
from sixvec.theory.operators import SpatialOperators, spatial_operators

ROBOTS = {
    "tree": lambda: random_tree(1, bodies=10),
    "floating": lambda: random_tree(2, bodies=9, floating=True),
    "forest": lambda: random_tree(3, bodies=11),
    "rotors": lambda: with_rotors(random_tree(6, bodies=9)),
}
WITHOUT_ROTORS = [name for name in ROBOTS if name != "rotors"]


def with_rotors(model: Model, seed: int = 0) -> Model:
    """Reflected rotor inertia on every freedom."""
    rng = np.random.default_rng(seed)
    return replace(
        model,
        bodies=tuple(
            replace(b, dynamics=JointDynamics(armature=tuple(rng.uniform(0.1, 1.0, b.joint.nv).tolist())))
            for b in model.bodies
        ),
    )


class OnFloats:
    """A robot whose algorithms run uncompiled, one sample at a time: many kernels, each used a few times."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    def __getattr__(self, name: str) -> Any:
        return partial(self._run, name) if name in REGISTRY else getattr(self.robot, name)

    def _run(self, name: str, *args: Any, **options: Any) -> np.ndarray:
        arrays = len(REGISTRY[name].arrays)
        options |= dict(zip(REGISTRY[name].options, args[arrays:], strict=False))
        result = self.robot.evaluate(name, *(np.asarray(x).tolist() for x in args[:arrays]), **options)
        return np.array(flatten(result, len(REGISTRY[name].outputs[0].shape))).reshape(_shape(self.robot.model, name))


def _shape(model: Model, name: str) -> tuple[int, ...]:
    return tuple(size(model, d) for d in REGISTRY[name].outputs[0].shape)


@cache
def robot(name: str) -> OnFloats:
    return OnFloats(Robot(ROBOTS[name]()))


@cache
def operators(name: str) -> tuple[SpatialOperators, np.ndarray]:
    """The operators of a robot at a random position, and the position."""
    q = robot(name).random(np.random.default_rng(7))
    return spatial_operators(robot(name).robot, q), q
