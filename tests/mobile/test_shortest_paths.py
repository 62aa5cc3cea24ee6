"""Dubins and Reeds-Shepp: they arrive, nothing admissible is shorter, and other libraries say the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, ShapeError
from sixvec.mobile import dubins, reeds_shepp, rotate_drive_rotate
from sixvec.mobile.paths.curve import TURN_OF
from sixvec.mobile.paths.dubins import DUBINS_WORDS, dubins_lengths
from sixvec.mobile.paths.reeds_shepp import REEDS_SHEPP_WORDS, reeds_shepp_lengths

RNG = np.random.default_rng(5)
BOTH = pytest.mark.parametrize("paths", [dubins, reeds_shepp])


def poses(n: int, extent: float = 4.0, rng: np.random.Generator = RNG) -> Any:
    return np.column_stack([rng.uniform(-extent, extent, (n, 2)), rng.uniform(-np.pi, np.pi, n)])


def assert_same_pose(a: Any, b: Any, tolerance: float) -> None:
    turn = a[..., 2] - b[..., 2]
    assert np.abs(a[..., :2] - b[..., :2]).max() < tolerance
    assert np.abs(np.exp(1j * turn) - 1.0).max() < tolerance


@BOTH
@pytest.mark.covers("MOB-15")
def test_paths_arrive(paths: Any) -> None:
    a, b, r = poses(5000), poses(5000), RNG.uniform(0.3, 2.0, 5000)
    path = paths(a, b, r)
    assert np.allclose(np.abs(path.segments).sum(-1), path.length, rtol=1e-12)
    ends = path.samples(2)
    assert_same_pose(ends[:, 0], a, 1e-12)
    assert_same_pose(ends[:, 1], b, 2e-7)  # a word at the edge of its existence has a root of a rounding in it
    exact = np.abs(ends[:, 1, :2] - b[:, :2]).max(axis=-1)
    assert np.quantile(exact, 0.999) < 1e-12
    assert np.all(np.isin(np.round(path.curvature * r[:, None], 9), [-1.0, 0.0, 1.0]))


def random_walks(n: int, parts: int, gears: bool) -> tuple[Any, Any]:
    """Ends and lengths of admissible paths: random turns and lines, one after another."""
    bend = RNG.choice([-1.0, 0.0, 1.0], (n, parts))
    length = RNG.exponential(0.9, (n, parts)) * (RNG.random((n, parts)) < 0.7)
    length *= RNG.choice([-1.0, 1.0], (n, parts)) if gears else 1.0
    x, y, angle = np.zeros((3, n))
    for k, s in zip(bend.T, length.T, strict=True):
        turned = np.where(k == 0.0, 1.0, k)
        x = x + np.where(k == 0.0, s * np.cos(angle), (np.sin(angle + k * s) - np.sin(angle)) / turned)
        y = y + np.where(k == 0.0, s * np.sin(angle), (np.cos(angle) - np.cos(angle + k * s)) / turned)
        angle = angle + k * s
    return np.column_stack([x, y, angle]), np.abs(length).sum(-1)


@BOTH
@pytest.mark.covers("MOB-15")
@pytest.mark.parametrize("parts", [2, 3, 4, 5, 7])
def test_no_admissible_path_is_shorter(paths: Any, parts: int) -> None:
    ends, lengths = random_walks(40_000, parts, paths is reeds_shepp)
    found = paths(np.zeros(3), ends - [0.0, 0.0, 2.0 * np.pi] * np.round(ends / (2.0 * np.pi)), 1.0).length
    assert (found - lengths).max() < 1e-7


@BOTH
def test_the_shortest_of_all_words_is_taken(paths: Any) -> None:
    a, b = poses(2000), poses(2000)
    every = dubins_lengths if paths is dubins else reeds_shepp_lengths
    path, lengths = paths(a, b, 0.7), every(a, b, 0.7)
    assert np.array_equal(path.length, lengths.min(axis=-1))
    words = {w.replace("+", "").replace("-", "") for w in path.words}
    assert words <= {*DUBINS_WORDS} if paths is dubins else words
    goals = np.concatenate([poses(10_000, 1.5), poses(10_000, 6.0)])
    used = {w.replace("+", "").replace("-", "") for w in paths(np.zeros(3), goals, 1.0).words}
    assert {*(DUBINS_WORDS if paths is dubins else REEDS_SHEPP_WORDS)} <= used


def test_symmetries() -> None:
    a, b = poses(3000), poses(3000)
    half = np.array([0.0, 0.0, np.pi])
    assert np.allclose(reeds_shepp(a, b, 1.0).length, reeds_shepp(b, a, 1.0).length, rtol=0.0, atol=1e-7)
    assert np.allclose(dubins(a, b, 1.0).length, dubins(b + half, a + half, 1.0).length, rtol=0.0, atol=1e-7)
    mirror = np.array([1.0, -1.0, -1.0])
    assert np.allclose(dubins(a, b, 1.0).length, dubins(a * mirror, b * mirror, 1.0).length, rtol=0.0, atol=1e-12)
    assert (reeds_shepp(a, b, 1.0).length <= dubins(a, b, 1.0).length + 1e-12).all()
    assert (reeds_shepp(a, b, 1.0).length >= np.linalg.norm((a - b)[:, :2], axis=-1) - 1e-12).all()


def test_straight_lines_are_straight_in_every_direction() -> None:
    angle = RNG.uniform(-np.pi, np.pi, 2000)
    start = np.column_stack([np.zeros((2000, 2)), angle])
    goal = start + np.column_stack([3.0 * np.cos(angle), 3.0 * np.sin(angle), np.zeros(2000)])
    assert np.allclose(dubins(start, goal, 1.0).length, 3.0, rtol=0.0, atol=1e-11)
    assert np.allclose(reeds_shepp(goal, start, 1.0).length, 3.0, rtol=0.0, atol=1e-11)


@BOTH
@pytest.mark.covers("MOB-15")
def test_goals_with_any_heading(paths: Any) -> None:
    a, points = poses(60, 2.0), poses(60, 2.0)[:, :2]
    path = paths(a, points, 1.0)
    assert np.allclose(path.samples(2)[:, 1, :2], points, atol=1e-9)
    headings = np.linspace(-np.pi, np.pi, 1500)
    goals = np.concatenate(
        [np.broadcast_to(points[:, None], (60, 1500, 2)), np.broadcast_to(headings[:, None], (60, 1500, 1))], axis=-1
    )
    least = paths(a[:, None], goals, 1.0).length.min(axis=-1)
    assert (path.length <= least + 1e-9).all()
    assert (least - path.length).max() < 0.02


@BOTH
@pytest.mark.covers("MOB-15")
def test_starts_with_any_heading(paths: Any) -> None:
    b, points = poses(40, 2.0), poses(40, 2.0)[:, :2]
    path = paths(points, b, 1.0)
    assert np.allclose(path.samples(2)[:, 0, :2], points) and np.allclose(
        path.samples(2)[:, 1, :2], b[:, :2], atol=1e-9
    )
    assert np.allclose(paths(path.start, b, 1.0).length, path.length)
    headings = np.linspace(-np.pi, np.pi, 1500)
    starts = np.concatenate(
        [np.broadcast_to(points[:, None], (40, 1500, 2)), np.broadcast_to(headings[:, None], (40, 1500, 1))], axis=-1
    )
    least = paths(starts, b[:, None], 1.0).length.min(axis=-1)
    assert (path.length <= least + 1e-9).all() and (least - path.length).max() < 0.02
    line = paths(points, [0.3, 0.4], 1.0)
    assert np.allclose(line.length, np.hypot(*(points - [0.3, 0.4]).T)) and np.allclose(
        line.start[:, 2], line.goal[:, 2]
    )


@BOTH
def test_bad_input(paths: Any) -> None:
    a = [0.0, 0.0, 0.0]
    with pytest.raises(ArgumentError, match="radius"):
        paths(a, a, 0.0)
    with pytest.raises(ShapeError, match="start"):
        paths([0.0], a, 1.0)
    with pytest.raises(ShapeError, match="start"):
        sv.mobile.rotate_drive_rotate([0.0, 0.0], a)
    with pytest.warns(UserWarning, match=named("math.radians")):
        paths(a, [1.0, 1.0, 90.0], 1.0)
    with pytest.raises(ArgumentError, match="samples"):
        paths(a, [1.0, 1.0, 1.0], 1.0).samples(1)
    broken = paths(a, [[1.0, np.nan, 0.0], [1.0, 0.0, 0.0]], 1.0).length
    assert np.isnan(broken[0]) and np.isclose(broken[1], 1.0)


@pytest.mark.covers("MOB-15")
def test_half_turns_are_to_the_left() -> None:
    assert sv.mobile.rotate_drive_rotate([0.0, 0.0, np.pi], np.zeros(3)).tolist() == [0.0, 0.0, np.pi]
    turns = sv.mobile.rotate_drive_rotate(np.zeros(3), [[0.0, 0.0, k * np.pi] for k in (-3, -1, 1, 3)])
    assert np.allclose(turns[:, 2], np.pi)


def test_rotate_drive_rotate_arrives() -> None:
    a, b = poses(50), poses(50)
    first, distance, second = rotate_drive_rotate(a, b).T
    heading = a[:, 2] + first
    x, y = a[:, 0] + distance * np.cos(heading), a[:, 1] + distance * np.sin(heading)
    assert_same_pose(np.column_stack([x, y, heading + second]), b, 1e-12)
    assert (np.abs(first) + np.abs(second) <= np.pi + 1e-12).all()


def test_a_walk_along_a_path_keeps_its_curvature() -> None:
    path = reeds_shepp([0.0, 0.0, 0.0], [0.0, 1.0, 0.0], 1.0)
    s = np.linspace(0.0, float(path.length), 4001)
    walked = path.at(s)
    ds = np.hypot(*np.diff(walked[:, :2], axis=0).T)
    assert (ds < s[1] * (1.0 + 1e-9)).all()
    assert (ds < s[1] * (1.0 - 1e-6)).sum() <= 3  # at cusps alone
    assert np.abs(np.diff(walked[:, 2])).max() < s[1] * (1.0 + 1e-9)
    assert TURN_OF == {"L": 1.0, "S": 0.0, "R": -1.0}


def ompl_lengths(space: Any, a: Any, b: Any) -> Any:
    s, g = space.allocState(), space.allocState()
    found = np.empty(len(a))
    for k, (p, q) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        for state, pose in ((s, p), (g, q)):
            state.setX(pose[0])
            state.setY(pose[1])
            state.setYaw(pose[2])
        found[k] = space.distance(s, g)
    return found


@BOTH
@pytest.mark.parametrize("n", [3000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_lengths_of_another_library(paths: Any, n: int) -> None:
    ob: Any = pytest.importorskip("ompl.base")
    space = (ob.DubinsStateSpace if paths is dubins else ob.ReedsSheppStateSpace)(0.8)
    a, b = poses(n), poses(n, 5.0)
    assert np.abs(paths(a, b, 0.8).length - ompl_lengths(space, a, b)).max() < 1e-9


def test_a_car_drives_the_path() -> None:
    car = sv.mobile.bicycle(1.0)
    path = reeds_shepp([0.0, 0.0, 0.0], [0.5, 1.5, 2.0], 1.5)
    steer = np.arctan(path.curvature * 1.0)
    end = car.odometry(np.sign(path.segments)[:, None], np.maximum(np.abs(path.segments), 1e-300), steer=steer[:, None])
    assert_same_pose(end.end, np.array([0.5, 1.5, 2.0]), 1e-12)


def words_of(n: int) -> list[str]:
    """All words of n letters in which no letter follows itself."""
    found = [""]
    for _ in range(n):
        found = [w + x for w in found for x in "LSR" if not w.endswith(x)]
    return found


@pytest.mark.slow
@BOTH
@pytest.mark.covers("MOB-15")
def test_an_exhaustive_search_over_all_words_finds_nothing_shorter(paths: Any) -> None:
    """Every word of four letters, five with gears, minimised numerically from several starts, for a few goals."""
    optimize: Any = pytest.importorskip("scipy.optimize")
    gears = paths is reeds_shepp
    letters = 5 if gears else 4
    rng = np.random.default_rng(11)
    reached = 0
    for goal in [*poses(3, 1.5, rng), *poses(2, 4.0, rng)]:
        best = float(paths(np.zeros(3), goal, 1.0).length)

        def missing(s: Any, bends: Any, goal: Any = goal) -> Any:
            x, y, a = 0.0, 0.0, 0.0
            for k, length in zip(bends, s, strict=True):
                h = 0.5 * k * length
                x, y = x + length * np.sinc(h / np.pi) * np.cos(a + h), y + length * np.sinc(h / np.pi) * np.sin(a + h)
                a += 2.0 * h
            turn = a - goal[2]
            return [x - goal[0], y - goal[1], np.sin(turn / 2.0)]

        for word in words_of(letters):
            bends = [TURN_OF[x] for x in word]
            for _ in range(2):
                start = rng.uniform(-2.0 if gears else 0.0, 2.0 if gears else 4.0, letters)
                found = optimize.minimize(
                    lambda s: np.sqrt(s * s + 1e-12).sum(), start, method="SLSQP",
                    bounds=[(None if gears else 0.0, None)] * letters, options={"maxiter": 80},
                    constraints={"type": "eq", "fun": missing, "args": (bends,)},
                )  # fmt: skip
                if np.abs(missing(found.x, bends)).max() < 1e-8:
                    reached += 1
                    assert np.abs(found.x).sum() > best - 1e-5, (goal, word)
    assert reached > 50


@pytest.mark.covers("MOB-15")
@BOTH
def test_paths_of_any_radius_end_at_their_goal(paths: Any) -> None:
    rng = np.random.default_rng(5)
    start, goal = rng.uniform(-3.0, 3.0, (2, 2000, 3))
    radius = 10.0 ** rng.uniform(-50.0, 2.0, 2000)
    path = paths(start, goal, radius)
    for end in (path.samples(7)[:, -1], path.at(path.length), path.at(np.full(2000, 1e9))):
        assert np.abs(end[:, :2] - goal[:, :2]).max() < 1e-12
        assert np.abs(np.sin((end[:, 2] - goal[:, 2]) / 2.0)).max() < 1e-14
    assert np.allclose(np.abs(path.segments).sum(-1), path.length, rtol=1e-14)
    straight = np.linalg.norm(goal[:, :2] - start[:, :2], axis=-1)
    assert (path.length >= straight * (1.0 - 1e-15)).all()
    narrow = radius < 1e-9
    assert np.allclose(path.length[narrow], straight[narrow], atol=1e-8)


@BOTH
def test_radii_that_are_nothing_next_to_the_distance_raise(paths: Any) -> None:
    with pytest.raises(ArgumentError, match="paths"):
        paths([0.0, 0.0, 0.0], [1.0, 0.5, 2.0], 1e-160)
