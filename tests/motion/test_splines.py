"""Quintic splines, and straight lines with corners or blends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError

ARM = sv.load("panda")


def waypoints(seed: int, *shape: int) -> Any:
    rng = np.random.default_rng(seed)
    return ARM.random(rng, int(np.prod(shape))).reshape(*shape, 7)


@pytest.mark.covers("TIME-01")
@pytest.mark.parametrize("count", [3, 4, 7])
@pytest.mark.parametrize("given", [False, True])
def test_quintics_are_those_of_scipy(count: int, given: bool) -> None:
    interpolate = pytest.importorskip("scipy.interpolate")
    Q = waypoints(count, 3, count)
    slopes, bends = np.array([np.full(7, 0.3), np.full(7, -0.2)]), np.array([np.ones(7), np.full(7, 2.0)])
    path = motion.spline(ARM, Q, "quintic", ends=(slopes, bends) if given else "natural")
    for k in range(3):
        ends = [[(1, slopes[i]), (2, bends[i])] if given else [(3, np.zeros(7)), (4, np.zeros(7))] for i in (0, 1)]
        other = interpolate.make_interp_spline(path.knots[k], Q[k], k=5, bc_type=tuple(ends))
        s = np.linspace(0.0, path.length[k], 50)
        for order, f in enumerate((path.q, path.dq, path.ddq)):
            assert abs(f(s)[k] - other(s, order)).max() < 1e-9


def test_two_waypoints_are_joined_by_a_straight_line_by_all_kinds() -> None:
    Q = waypoints(1, 2)
    for kind in ("linear", "cubic", "quintic"):
        path = motion.spline(ARM, Q, kind)
        s = np.linspace(0.0, path.length, 9)
        assert abs(path.q(s) - Q[0] - np.outer(s / path.length, Q[1] - Q[0])).max() < 1e-12


@pytest.mark.parametrize("blend", [1e-4, 0.05, 10.0])
def test_blends_stay_within_their_distance_of_the_corner(blend: float) -> None:
    Q = waypoints(2, 4, 5)
    path = motion.spline(ARM, Q, "linear", blend=blend)
    s = np.linspace(0.0, 1.0, 100_001) * path.length[:, None]
    q, slope = path.q(s), path.dq(s)
    for k in range(4):
        for corner in Q[k, 1:-1]:
            off = np.linalg.norm(q[k] - corner, axis=-1).min()
            assert off < blend * (1.0 + 1e-3) + 1e-4
            assert blend > 1.0 or off > 0.99 * blend - 1e-4
    h = 1e-6 * path.length[:, None]
    assert np.quantile(abs((path.q(s + h) - path.q(s - h)) / (2 * h[..., None]) - slope)[:, 1:-1], 0.999) < 1e-6
    assert abs(np.diff(slope, axis=1)).max() < (1.0 if blend < 1e-3 else 0.05)  # continuous
    assert abs(q[:, 0] - Q[:, 0]).max() < 1e-12 and abs(q[:, -1] - Q[:, -1]).max() < 1e-9


def test_corners_are_exact_without_a_blend() -> None:
    Q = waypoints(3, 5)
    path = motion.spline(ARM, Q, "linear")
    assert abs(path.q(path.knots) - Q).max() < 1e-12 and not path.ddq(path.knots).any()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"kind": "cubic", "blend": 0.1}, "blend"),
        ({"kind": "linear", "blend": -0.1}, "blend"),
        ({"kind": "linear", "blend": np.nan}, "blend"),
        ({"kind": "quintic", "ends": "not-a-knot"}, "not-a-knot"),
        ({"kind": "quintic", "ends": ([0.0] * 7, [0.0] * 7)}, "ends"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        motion.spline(ARM, waypoints(4, 4), **change)
