"""Arms as they are built, with axes along x, y and z and lengths that are often zero: where equations degenerate.

Each of some hundred arms is either solved, the position that made the pose among the solutions, or not accepted for a
reason that the rank of its Jacobian confirms.  Plain numbers go through the equations, so nothing has to be compiled.
"""

from __future__ import annotations

import numpy as np
import pytest
from multi_start import joint_gap
from sample_arms import arm

from sixvec.ik.closed_form import SerialChain
from sixvec.ik.closed_form.families import find_family
from sixvec.ik.closed_form.quartic import angles
from sixvec.ik.closed_form.subproblems import Turn
from sixvec.ik.closed_form.target import Family
from sixvec.spatial import Pose, Rotation, Vec3

ARMS, POSITIONS = 60, 3

REGULAR = 1e-2
"""Least singular value of the derivative from which on a solution stands alone."""


def built(rng: np.random.Generator, wrist: bool) -> SerialChain:
    """Three joints of any kind, and a spherical wrist of the kind ZYZ or ZYX, if wanted."""
    kinds = "".join(rng.choice([*"RP"], 3))
    axes = np.eye(3)[rng.integers(0, 3, 3)] * rng.choice([-1.0, 1.0], (3, 1))
    points = rng.choice([0.0, 0.0, 0.3, -0.2], (3, 3))
    center = rng.choice([0.0, 0.0, 0.3, 0.5], 3)
    if wrist:
        first, middle, other = rng.permutation(3)
        axes = np.vstack([axes, np.eye(3)[[first, middle, rng.choice([first, other])]]])
        points, kinds = np.vstack([points, [center] * 3]), kinds + "RRR"
    tool = Pose(Rotation.identity(), Vec3(*map(float, center + 0.1 * wrist)))
    return SerialChain.of(arm(kinds, axes.tolist(), points.tolist(), tool).model, "tool")


def answers(family: Family, X: np.ndarray) -> np.ndarray:
    """All that the equations say, right or wrong, (n, joints)."""
    pose = Pose.from_matrix(X.tolist())
    roots = [] if family.series is None else angles(np.array([*map(float, family.series(pose))])).tolist()
    found = family.solve(pose, roots)
    return np.array([[float(q.angle if isinstance(q, Turn) else q) for q in joints] for joints in found])


def least_singular_value(chain: SerialChain, q: np.ndarray, task: str) -> np.ndarray:
    """Of the derivative of the pose, or of the position, by central differences."""
    step = 1e-5 * np.eye(len(chain))
    change = (chain.pose(q[:, None] + step) - chain.pose(q[:, None] - step)) / 2e-5
    part = change[..., :3, 3] if task == "position" else change[..., :3, :].reshape(*change.shape[:2], 12)
    full = min(6 if task == "pose" else 3, len(chain))
    return np.asarray(np.linalg.svd(part, compute_uv=False)[:, full - 1])


@pytest.mark.covers("FORM-01", "FORM-02")
@pytest.mark.parametrize("wrist", [False, True], ids=["tip", "wrist"])
@pytest.mark.parametrize("seed", range(4))
def test_solved_or_rejected_with_reason(seed: int, wrist: bool) -> None:
    rng = np.random.default_rng(seed)
    solved = 0
    for _ in range(ARMS):
        chain = built(rng, wrist)
        family = find_family(chain)
        q = rng.uniform(-2.0, 2.0, (POSITIONS, len(chain)))
        if isinstance(family, str):
            assert least_singular_value(chain, q, "pose" if wrist else "position").max() < 1e-6, family
            continue
        least = least_singular_value(chain, q, family.task)
        for at, X in zip(q[least > REGULAR], chain.pose(q)[least > REGULAR], strict=True):
            gap = joint_gap(chain.kinds, answers(family, X), at)
            assert np.nanmin(gap) < 1e-6, (chain.kinds, family.name)
            solved += 1
    assert solved > ARMS // 2
