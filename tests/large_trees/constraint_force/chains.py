"""Random unbranched chains, and states of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from random_trees import JOINTS, random_inertia, random_pose
from sixvec import Robot
from sixvec.model import WORLD, Body, Model
from sixvec.model.body import JointDynamics

Array = Any


def random_chain(seed: int, count: int, kinds: Sequence[str] = tuple(JOINTS), rotors: float = 0.0) -> Model:
    """Joints of these kinds in turn; each freedom has a rotor with probability `rotors`."""
    rng = np.random.default_rng(seed)
    made: list[Body] = []
    for i in range(count):
        kind = kinds[i % len(kinds)]
        joint = JOINTS[kind](rng)
        armature = rng.uniform(0.01, 1.0, joint.nv) * (rng.random(joint.nv) < rotors)
        parent = made[-1].name if made else WORLD
        dynamics = JointDynamics(armature=tuple(armature.tolist()))
        made.append(Body(f"{kind}{i}", parent, joint, random_pose(rng), random_inertia(rng), dynamics=dynamics))
    return Model(f"chain{seed}", tuple(made))


def random_state(model: Model, seed: int, speed: float = 1.0) -> tuple[Array, Array, Array]:
    """q, v and tau."""
    rng, robot = np.random.default_rng(seed), Robot(model)
    return robot.random(rng), rng.normal(size=robot.nv) * speed, rng.normal(size=robot.nv)


def sequential(model: Model, *state: Array, scalar: Any = float) -> Array:
    """Forward dynamics by the articulated-body algorithm, body after body, on scalars of any precision."""
    rows = [[scalar(x) for x in array] for array in state]
    return np.array([float(x) for x in Robot(model).evaluate("forward_dynamics", *rows)])
