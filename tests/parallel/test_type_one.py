"""Stretched legs, singularities of type I: at the boundary of the reach and next to it."""

from __future__ import annotations

import numpy as np
import pytest

from parallel_robots import Array, hexapod
from sixvec.errors import ArgumentError
from sixvec.parallel import Delta, Hexaglide, ParallelRobot, Planar3RRR
from sixvec.parallel.singularity import ParallelSingularity, _signed

RING = np.array([[0.8, 0, 0], [0.4, 0.7, 0], [-0.4, 0.7, 0], [-0.8, 0, 0], [-0.4, -0.7, 0], [0.4, -0.7, 0]])
TOP = np.array([[0.3, 0.1, 0], [0.1, 0.3, 0], [-0.2, 0.3, 0], [-0.3, -0.1, 0], [-0.1, -0.3, 0], [0.2, -0.3, 0]])


def delta(off: float) -> tuple[ParallelRobot, Array]:
    return Delta(0.2, 0.05, 0.25, 0.6), np.array([0, 0, -np.sqrt(0.85**2 - 0.15**2) + off])


def planar(off: float) -> tuple[ParallelRobot, Array]:
    robot = Planar3RRR([[0, 0], [2, 0], [1, 2]], [[0, 0], [0.6, 0], [0.3, 0.5]], [0.4, 0.8, 0.8], [0.5, 1.2, 1.2])
    return robot, np.array([0.72, 0.54, 0.0]) * (1.0 - off)


def glide(off: float) -> tuple[ParallelRobot, Array]:
    robot, X = Hexaglide(RING, TOP, np.tile([0, 0, 1.0], (6, 1)), [0.5, 2, 2, 2, 2, 2]), np.eye(4)
    X[0, 3] = 0.5 + np.sqrt(0.25 - 0.01) - off
    return robot, X


@pytest.mark.parametrize("stretched", [delta, planar, glide])
def test_stretched_legs_are_type_one_and_near_them_the_report_exists(stretched: object) -> None:
    assert callable(stretched)
    for off in (0.0, 1e-16, 1e-15):
        report = stretched(off)[0].singularity(stretched(off)[1])
        assert report.types == ("I",) and 0 in report.legs and report.distance == 0.0
        assert np.isfinite(np.asarray(stretched(off)[0].inverse_position(stretched(off)[1]))).all()
    for off in (1e-14, 1e-12, 1e-10):
        robot, X = stretched(off)
        report = robot.singularity(X)
        assert not report.is_singular and report.distance < 1e-3
    near, nearer = (robot.singularity(X) for robot, X in (stretched(1e-7), stretched(1e-8)))
    # Gains, and with them the distance, grow with the square root of the offset.
    assert near.gains[0] / nearer.gains[0] == pytest.approx(np.sqrt(10.0), rel=1e-3)
    assert near.distance / nearer.distance == pytest.approx(np.sqrt(10.0), rel=0.03)
    robot, X = stretched(-1e-12)
    with pytest.raises(ArgumentError, match="singularity"):
        robot.singularity(X)


def test_a_telescope_of_no_length_has_no_direction() -> None:
    robot, X = hexapod(), np.eye(4)
    X[:3, 3] = robot.roots[0] - robot.platform[0]
    for off in (0.0, 2e-16):
        X[0, 3] += off
        with pytest.raises(ArgumentError, match="singularity"):
            robot.singularity(X)
        assert np.isnan(robot.forward_velocity(X, np.ones(6))).all()


@pytest.mark.parametrize(
    ("legs", "rank", "types"), [((), 6, ()), ((1,), 6, ("I",)), ((), 5, ("II",)), ((1,), 5, ("I", "II", "III"))]
)
def test_types_and_their_report(legs: tuple[int, ...], rank: int, types: tuple[str, ...]) -> None:
    lost = np.array([[0.5, -0.25, 0.0, 1e-12, -1.0, 2.0]]).T[:, : 6 - rank]
    found = ParallelSingularity(rank, 6, np.ones(6), lost, 2.0 * lost, legs, np.ones(6), 0.125, {"3": -0.5})
    assert found.types == types and found.is_singular == bool(types)
    lines = [f"singular, type {types[-1]}; rank {rank} of 6" if types else "regular; rank 6 of 6"]
    lines += [] if types else ["  nearest singularity about 0.125 away"]
    lines += ["  leg 1 is singular: its actuator cannot move the platform"] * len(legs) + ['  factor "3" is -0.5']
    if rank < 6:
        lines += ["  gained twist  (0.5, -0.25, 0, 0, -1, 2)", "  unheld wrench (1, -0.5, 0, 0, -2, 4)"]
    assert str(found).splitlines() == lines
    turned = _signed(np.array([[0.1, 0.1], [-0.3, 0.3], [0.2, -0.2]]))
    assert turned.tolist() == [[-0.1, 0.1], [0.3, 0.3], [-0.2, -0.2]] and _signed(np.zeros((6, 0))).shape == (6, 0)
