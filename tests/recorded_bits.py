"""Answers of kernels, loops and searches as digests of their bits, to be compared with those of another processor.

python tests/recorded_bits.py bits.json         # on one
SIXVEC_RECORDED_BITS=bits.json python -m pytest tests/compiler/test_recorded_bits.py    # on another
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv

VARIABLE = "SIXVEC_RECORDED_BITS"


def answers() -> Iterator[tuple[str, np.ndarray]]:
    """Arrays by name.  The inputs are dyadic fractions, the same bits everywhere without any function of a library."""
    arm, legs = sv.load("panda"), sv.load("solo12")
    for robot in (arm, legs):
        q, v, a = states(robot)
        for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces", "kinetic_energy"):
            yield from both(robot, name, q, v, a)
    q, v, a = states(arm)
    yield from both(arm, "jacobian", q, v, a, frame="panda_link8")
    yield from both(arm, "pose", q, v, a, frame="panda_link8")
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        yield from both(arm, name, q, v, a)
    for scale in (1e3, 1e6, 1e15):
        yield f"panda inverse_dynamics at {scale:g}", arm.inverse_dynamics(scale * q, v, a)
    many = np.tile(q, (200, 1))
    yield "panda inverse_dynamics, threads", arm.inverse_dynamics(many, many, many)
    for robot, steps in ((arm, 50), (legs, 10)):
        q, v, tau = states(robot)
        path = robot.rollout(q, 0.1 * v, 0.0 * tau, dt=1 / 512, steps=steps)
        yield from ((f"{robot.name} rollout {name}", np.asarray(getattr(path, name))) for name in ("q", "v"))
    q = 0.5 * states(arm)[0]
    found = arm.ik(arm.pose(q, "panda_link8"), "panda_link8", q0=q + 1 / 16)
    yield "panda ik", np.asarray(found.q)


def both(robot: sv.Robot, name: str, *state: np.ndarray, **options: Any) -> Iterator[tuple[str, np.ndarray]]:
    """In both precisions, the first sample alone as well."""
    kernel = robot.kernel(name, **options)
    for dtype in ("float64", "float32"):
        arrays = [x.astype(dtype) for x in state[: len(kernel.inputs)]]
        for part, given in (("batch", arrays), ("single", [x[0] for x in arrays])):
            result = kernel(*given)
            for i, x in enumerate(result if isinstance(result, tuple) else (result,)):
                yield f"{robot.name} {name} {i} {dtype} {part}", np.asarray(x)


def states(robot: sv.Robot, n: int = 37) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    q, v, a = (rng.integers(-(2**20), 2**20, (n, m)) / 2**19 for m in (robot.nq, robot.nv, robot.nv))
    if robot.nq != robot.nv:
        q[:, 3:7] = (0.5, -0.5, 0.5, 0.5)
    return [q, v, a]


def digests() -> dict[str, list[str]]:
    """The digest of each array, with its first number for the reader."""
    return {name: [hashlib.sha256(x.tobytes()).hexdigest(), float(x.flat[0]).hex()] for name, x in answers()}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(digests(), indent=1), encoding="utf-8")
