"""One step towards the pose of a platform, on plain numbers, for every family: its error is squared by the next."""

from __future__ import annotations

import numpy as np
import pytest

from parallel_robots import FAMILIES, step
from sixvec.parallel.newton import corrected


@pytest.mark.parametrize("size", [0.5, 2.0])
@pytest.mark.parametrize("name", FAMILIES)
def test_newton_steps_converge_to_the_pose(name: str, size: float) -> None:
    robot, X = FAMILIES[name]
    space, target = robot.space, np.asarray(X, float).tolist()
    pivots = [space.pivot(target, leg.platform) for leg in robot.legs]
    balls = [leg.sphere(leg.position(S, 0.0)) for leg, S in zip(robot.legs, pivots, strict=True)]
    at = step(robot, X, 0.05 * np.random.default_rng(2).normal(size=space.freedoms)).tolist()
    errors = []
    for _ in range(7):
        here = [space.pivot(at, leg.platform) for leg in robot.legs]
        misses = [float((S - center).norm() - radius) for S, (center, radius) in zip(here, balls, strict=True)]
        at, cost, largest = corrected(robot.legs, space, size, at, balls)
        assert cost == pytest.approx(sum(m * m for m in misses) / size**2, rel=1e-9, abs=1e-30)
        assert largest == pytest.approx(max(map(abs, misses)), rel=1e-9, abs=1e-15)
        errors.append(largest)
    assert errors[-1] < 1e-14 and errors[2] < 0.02 * errors[0]
    assert np.abs(np.array(at, float) - np.array(target)).max() < 1e-12
