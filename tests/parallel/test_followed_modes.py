"""Steps along a mode and distances to singularities, on mechanisms of a few lines."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sixvec.parallel.singularity import NEARBY, _distance, _row, _signed
from sixvec.parallel.space import Translational
from sixvec.parallel.track import FINEST, JUMP, _followed, _name
from sixvec.parallel.track import _distance as change

TRACK: Any = sys.modules[_followed.__module__]


def followed(
    monkeypatch: pytest.MonkeyPatch, longest: float, wall: float = 2.0, off: float = 0.0
) -> tuple[list[float], Any]:
    """Positions that were tried from 0 to 1, and the answer, where poses are their own positions."""
    tried: list[float] = []
    here = [0.0]

    def forward(q: Any, guess: Any) -> Any:
        tried.append(float(q[0]))
        good = q[0] - here[0] <= longest + 1e-12
        if good and q[0] < wall and off < JUMP:
            here[0] = float(q[0])
        return SimpleNamespace(pose=q + off) if good else None

    mechanism: Any = SimpleNamespace(
        space=SimpleNamespace(checked=lambda X, what: X, turns=0), size=1.0, forward_position=forward
    )
    monkeypatch.setattr(TRACK, "_predicted", lambda m, X, q: q)
    monkeypatch.setattr(TRACK, "_side", lambda m, X, q: 1.0 if q[0] < wall else -1.0)
    return tried, _followed(mechanism, np.zeros(1), np.zeros(1), np.ones(1), 1.0)


def test_steps_are_halved_and_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, (X, done) = followed(monkeypatch, 1.0)
    assert tried == [1.0] and (X.tolist(), done) == ([1.0], 1.0)
    tried, (X, done) = followed(monkeypatch, 0.25)
    assert tried == [1.0, 0.5, 0.25, 0.75, 0.5, 1.0, 0.75, 1.0] and (X.tolist(), done) == ([1.0], 1.0)


def test_a_mode_ends_where_the_side_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, (X, done) = followed(monkeypatch, 1.0, wall=0.6)
    assert 0.6 - 2.0 * FINEST < done < 0.6 and X[0] == pytest.approx(done) and max(tried) == 1.0
    _, (X, done) = followed(monkeypatch, 1.0, off=2.0 * JUMP)  # every pose is far from its prediction
    assert done == 0.0 and X.tolist() == [0.0]
    _, (X, done) = followed(monkeypatch, 1.0, off=0.5 * JUMP)
    assert done == 1.0


def test_changes_of_poses_in_sizes_of_the_platform() -> None:
    spatial, planar, straight = (SimpleNamespace(size=2.0, space=SimpleNamespace(turns=n)) for n in (3, 1, 0))
    X, Y = np.eye(4), np.eye(4)
    Y[1, 3], Y[0, 1] = 0.5, 0.125
    assert change(spatial, X, Y) == 0.25  # type: ignore[arg-type]
    Y[0, 1] = -0.75
    assert change(spatial, X, Y) == 0.75  # type: ignore[arg-type]
    assert change(planar, np.zeros(3), np.array([0.5, -1.0, 0.25])) == 0.5  # type: ignore[arg-type]
    assert change(planar, np.zeros(3), np.array([0.5, -1.0, 0.75])) == 0.75  # type: ignore[arg-type]
    assert change(straight, np.zeros(3), np.array([0.5, -1.0, 1.5])) == 0.75  # type: ignore[arg-type]
    assert (_name(0.1), _name(-0.1)) == ("+", "-")


def lines(reach: float = 1.0, rate: float = 1.0) -> Any:
    """Forces whose least singular value is `rate` times the height, near a height of 0.3."""

    def run(name: str, poses: Any, branch: Any = None) -> Any:
        A = np.tile(np.eye(3), (len(poses), 1, 1))
        A[:, 2, 2] = 0.3 + rate * (poses[:, 2] - 0.3)
        return (np.where((np.abs(poses - [0.0, 0.0, 0.3]) < reach).all(axis=-1)[:, None, None], A, np.nan),)

    return SimpleNamespace(space=Translational(), _scale=np.ones(3), size=2.0, run_map=run)


@pytest.mark.parametrize(
    ("robot", "distance"),
    [
        (lines(), 0.3),
        (lines(rate=2.0), 0.15),
        (lines(rate=0.0), np.inf),
        (lines(1e-6), 0.3),  # only the smaller steps are within reach
        (lines(0.0), 0.0),
    ],
)
def test_distances_to_a_singularity(robot: Any, distance: float) -> None:
    assert _distance(robot, np.array([0.0, 0.0, 0.3]), None) == pytest.approx(distance, rel=1e-4)
    assert NEARBY[0] == 1e-5


def test_signs_and_rows_of_reports() -> None:
    assert _signed(np.array([[0.5, 0.1], [-2.0, 0.7]])).tolist() == [[-0.5, 0.1], [2.0, 0.7]]
    assert _signed(np.zeros((3, 0))).shape == (3, 0)
    assert _row(np.array([1.0, -0.25, 5e-10, 2e-9, 0.0])) == "(1, -0.25, 0, 2e-09, 0)"
