"""Platforms that move with their legs locked, with dimensions rounded to some digits; random, by a seed."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from parallel_robots import Array, pose
from sixvec.parallel import StewartGough

Design = tuple[StewartGough, Array]
"""A robot and a pose, on a self-motion if nothing was rounded."""


def butterfly(rng: np.random.Generator, digits: int, turned: bool = False) -> Design:
    """k platform pivots on a line, and the other 6 - k base pivots on the line where it is: the platform turns about
    it.  It is an axis of the frames, so that rounding changes nothing, unless the frames are turned."""
    k, x = int(rng.integers(2, 5)), np.array([1.0, 0.0, 0.0])
    A, B = rng.uniform(-1.0, 1.0, size=(2, 6, 3))
    B[:k] *= x
    A[k:] *= x
    X = pose(rng.uniform(0.2, 2.5) * x, rng.uniform(-0.5, 0.5) * x)
    return _drawn(rng, A, B, X, digits, turned)


def congruent(rng: np.random.Generator, digits: int, turned: bool = False) -> Design:
    """Equal base and platform at the same orientation: translations on a sphere."""
    A = rng.uniform(-1.0, 1.0, size=(6, 3))
    return _drawn(rng, A, A.copy(), pose([0, 0, 0], rng.uniform(-1.0, 1.0, size=3)), digits, turned)


def line_symmetric(rng: np.random.Generator, digits: int, turned: bool = False) -> Design:
    """Borel and Bricard: legs in pairs between points of base and platform that a half turn about a moving line
    exchanges; the lines that keep three lengths keep all six."""
    axis, through = rng.normal(size=3), rng.uniform(-0.5, 0.5, size=3)
    axis /= np.linalg.norm(axis)
    flip = Rotation.from_rotvec(np.pi * axis).as_matrix()
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = flip, through - flip @ through
    P, Q = rng.uniform(-1.0, 1.0, size=(2, 3, 3))
    # The leg from p to the image of s is as long as the one from s to the image of p.
    return _drawn(rng, np.concatenate([P, Q]), np.concatenate([Q, P]), X, digits, turned)


FAMILIES = {"butterfly": butterfly, "congruent": congruent, "line symmetric": line_symmetric}


def _drawn(rng: np.random.Generator, A: Array, B: Array, X: Array, digits: int, turned: bool) -> Design:
    """With pivots rounded, in frames that are turned at random."""
    if turned:
        F, G = (pose(rng.normal(size=3), rng.uniform(-0.3, 0.3, size=3)) for _ in range(2))
        A, B = A @ F[:3, :3].T + F[:3, 3], B @ G[:3, :3].T + G[:3, 3]
        X = F @ X @ np.linalg.inv(G)
    return StewartGough(A.round(digits), B.round(digits)), X
