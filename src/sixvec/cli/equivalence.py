"""Whether two models are the same robot, by figures: poses and dynamics at random states."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ModelError
from sixvec.model import Model
from sixvec.robot import Robot

SAMPLES = 100
SAME = 1e-10
"""The largest relative difference of two float64 computations on models whose numbers differ by a few roundings."""

ACCURATE = 1e-9
"""As `SAME`, for a mass matrix or forces, where lever arms of several metres multiply the roundings of angles."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the two models are apart in one quantity, relative to its largest entry over all states."""

    quantity: str
    relative: float
    allowed: float

    @property
    def holds(self) -> bool:
        return math.isfinite(self.relative) and self.relative <= self.allowed


def differences(first: Model, second: Model, samples: int = SAMPLES, seed: int = 0) -> list[Difference]:
    """Poses, mass matrix and inverse dynamics (with damping and friction) of both, joints and frames taken by name.

    Frames that only one of them has are left out; joints must be the same.

    >>> from sixvec.robots import BUILT_IN
    >>> [d.quantity for d in differences(BUILT_IN["panda"](), BUILT_IN["panda"](), 3) if d.relative == 0.0]
    ['poses', 'mass matrix', 'inverse dynamics']
    """
    a, b = Robot(first), Robot(second.with_gravity(first.gravity))
    to_q, to_v = _places(first, second, "q_slices"), _places(first, second, "v_slices")
    rng = np.random.default_rng(seed)
    q = np.asarray(a.random(rng, samples), float)
    v, acc = rng.normal(size=(2, samples, a.nv))
    frames = [name for name in a.frame_names if name in set(b.frame_names)]
    at_a, at_b = ([robot.frame_names.index(f) for f in frames] for robot in (a, b))
    state_b = q[:, to_q], v[:, to_v], acc[:, to_v]
    back = np.argsort(to_v)
    poses = (evaluated(a, "poses", q)[:, at_a], evaluated(b, "poses", state_b[0])[:, at_b])
    M = (evaluated(a, "mass_matrix", q), evaluated(b, "mass_matrix", state_b[0])[:, back][:, :, back])
    tau = [evaluated(robot, "inverse_dynamics", *s, passive=True) for robot, s in ((a, (q, v, acc)), (b, state_b))]
    return [
        Difference("poses", _relative(*poses), SAME),
        Difference("mass matrix", _relative(*M), ACCURATE),
        Difference("inverse dynamics", _relative(tau[0], tau[1][:, back]), ACCURATE),
    ]


def evaluated(robot: Robot, name: str, *arrays: Array, **options: Any) -> Array:
    """One kernel on a batch, by the interpreter: for a single batch nothing needs to be compiled."""
    from sixvec.compiler.interpret import interpret

    kernel = robot.kernel(name, **options)
    (result,) = interpret(kernel.program, {p.name: x for p, x in zip(kernel.inputs, arrays, strict=True)})
    return np.asarray(result, float)


def _places(first: Model, second: Model, slices: str) -> list[int]:
    """For each coordinate of the second model, where the first has it."""
    joints = [{b.joint_name or b.name: b.name for b in model.moving} for model in (first, second)]
    if joints[0].keys() != joints[1].keys():
        only = ", ".join(sorted(joints[0].keys() ^ joints[1].keys()))
        raise ModelError(f"{first.name} and {second.name} do not have the same joints; only one of them has {only}")
    found: list[int] = []
    for joint in joints[1]:
        there, here = getattr(first, slices)[joints[0][joint]], getattr(second, slices)[joints[1][joint]]
        if there.stop - there.start != here.stop - here.start:
            raise ModelError(f'the joint "{joint}" of {first.name} and {second.name} is of different types')
        found += range(there.start, there.stop)
    return found


def _relative(x: Array, y: Array) -> float:
    if x.size == 0:
        return 0.0
    gap, size = float(np.max(np.abs(x - y))), float(np.max(np.abs(x)))
    return gap / size if size > 0.0 else gap
