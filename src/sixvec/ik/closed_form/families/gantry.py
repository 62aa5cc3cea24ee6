"""Gantries: three prismatic joints and up to three revolute ones, in any order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from sixvec.ik.closed_form.blocks import angle_about, wrist
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.recognise import PARALLEL
from sixvec.ik.closed_form.subproblems import Turn, turn_onto
from sixvec.ik.closed_form.target import Family, Joints, Target, constant, forward
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3

FLAT = 1e-10
"""Volume between the directions of three slides below which they lie in a plane."""


def gantry(chain: SerialChain) -> Family | None:
    """The revolute joints give the orientation, whether their axes intersect or not; the slides give the position.

    Slides after a revolute joint have rotated directions; where those are coplanar, which can happen for these arms,
    there is no solution.  Without revolute joints only the position is reached, with one or two the poses whose
    orientation is possible.
    """
    turning = [i for i, kind in enumerate(chain.kinds) if kind == "R"]
    if chain.kinds.count("P") != 3 or len(turning) > 3 or _parallel_turns(chain, turning) or _flat_slides(chain):
        return None
    arm = chain.snapped()
    h = [constant(a) for a in arm.axes]

    def solve(X: Pose, _: Sequence[Scalar]) -> list[Joints]:
        G = Target.of(X, arm)
        return [_slid(arm, h, X, turns) for turns in _turned([h[i] for i in turning], lambda v: G.rot @ v)]

    count = ("no turn", "one turn", "two turns", "three turns")[len(turning)]
    name = f"gantry: three slides and {count}"
    return Family(name, arm, solve, 2 if len(turning) == 3 else 1, task="pose" if turning else "position")


def _parallel_turns(chain: SerialChain, turning: Sequence[int]) -> bool:
    """Whether consecutive revolute axes are parallel, so that one is redundant."""
    return any(np.linalg.norm(np.cross(chain.axes[i], chain.axes[j])) < PARALLEL for i, j in pairwise(turning))


def _flat_slides(chain: SerialChain) -> bool:
    """Whether the slides are coplanar at all angles, judged at three positions in general position."""
    samples = [(0.4, 1.1, -0.8), (-1.3, 0.7, 0.5), (0.9, -0.6, 1.7)]
    h = [constant(a) for a in chain.axes]
    volumes = []
    for angles in samples:
        a, b, c = _directions(chain.kinds, h, [Turn(math.cos(x), math.sin(x)) for x in angles])
        volumes.append(abs(a.dot(b.cross(c))))
    return bool(max(volumes) < PARALLEL)


def _turned(h: Sequence[Vec3], rotation: Callable[[Vec3], Vec3]) -> list[list[Turn]]:
    """The rotations about up to three axes that give a rotation, if possible."""
    if len(h) == 3:
        return wrist(h, rotation)
    if len(h) == 2:
        first = turn_onto(h[0], h[1], rotation(h[1]))
        return [[first, angle_about(h[1], lambda v: first.inv().about(h[0], rotation(v)))]]
    return [[angle_about(axis, rotation) for axis in h]]


def _directions(kinds: str, h: Sequence[Vec3], turns: Sequence[Turn]) -> list[Vec3]:
    """The directions of the slides after the turns before them."""
    directions: list[Vec3] = []
    unused = list(turns)[: kinds.count("R")]
    for kind, axis in zip(kinds[::-1], h[::-1], strict=True):
        if kind == "P":
            directions.insert(0, axis)
            continue
        turn = unused.pop()
        directions = [turn.about(axis, v) for v in directions]
    return directions


def _slid(arm: SerialChain, h: Sequence[Vec3], X: Pose, turns: Sequence[Turn]) -> Joints:
    """The rotations with the slides that give the tool's position (Cramer's rule)."""
    a, b, c = _directions(arm.kinds, h, turns)
    others = iter(turns)
    joints: Joints = [next(others) if kind == "R" else 0.0 for kind in arm.kinds]
    missing = X.pos - forward(arm, joints).pos
    volume = a.dot(b.cross(c))
    solvable = volume * volume > FLAT * FLAT
    scale = 1.0 / where(solvable, volume, math.inf)
    slides = iter([missing.dot(n) * scale for n in (b.cross(c), c.cross(a), a.cross(b))])
    return [q if kind == "R" else next(slides) for q, kind in zip(joints, arm.kinds, strict=True)]
