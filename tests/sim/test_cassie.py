"""Two seconds of Cassie, whose loops have the digits of a file: they stay closed."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from loop_samples import INTEGRATORS
from sixvec.constraints import report
from sixvec.verdict import Verdict


def cassie() -> sv.Robot:
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package example-robot-data is not installed")
    return sv.load(next(Path(str(f.locate())).resolve() for f in files if f.name == "cassie_v2.sdf"))


def starts(robot: sv.Robot, count: int, seed: int) -> np.ndarray:
    """The closed position next to the neutral one, and others around it."""
    first = robot.assemble(robot.neutral())
    steps = np.random.default_rng(seed).uniform(-0.1, 0.1, (count, robot.nv))
    others = robot.assemble(np.asarray(robot.integrate(first.q, steps)))
    assert first and others
    return np.concatenate([first.q[None], others.q])


@pytest.mark.filterwarnings("ignore:.*counts as dependent.*")
def test_both_methods_agree_away_from_the_neutral_position() -> None:
    robot = cassie()
    rng = np.random.default_rng(7)
    for q in starts(robot, 2, 3):
        assert report(robot, q).rank == 10
        tau = rng.normal(size=robot.nv)
        a = [robot.constrained_dynamics(q, np.zeros(robot.nv), tau, method=m).a for m in ("kkt", "recursion")]
        assert np.abs(a[0] - a[1]).max() <= 1e-8 * np.abs(a[0]).max()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*counts as dependent.*")
@pytest.mark.filterwarnings("ignore:.*a motion starts or turns where branches meet.*:RuntimeWarning")  # stretched knees
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_two_seconds_stay_closed(integrator: str) -> None:
    robot = cassie()
    q, still = starts(robot, 6, INTEGRATORS.index(integrator)), np.zeros(robot.nv)
    path = robot.rollout(q, still, still, 1e-3, steps=2000, integrator=integrator)
    assert (path.verdict == Verdict.SOLVED).all() and (path.stopped == -1).all()
    assert np.abs(robot.closure_error(path.q)).max() < 1e-6
    assert np.abs(path.v).max() < 200.0  # knees fall through at 40 rad/s
