"""Platforms on a self-motion, or near one: no false certificate, and a margin that shows how near it is."""

from __future__ import annotations

import numpy as np
import pytest
from self_motions import FAMILIES, butterfly

from sixvec.errors import DegenerateError
from sixvec.parallel import StewartGough
from sixvec.verdict import Verdict

ULPS = 3
"""Changes of the last digit tried for each design."""

ON_X_AXIS = (
    ([[.4, -.7, -.3], [-.9, -.8, .9], [0, 0, 0], [-.5, 0, 0], [-.8, 0, 0], [-.8, 0, 0]],
     [[.7, 0, 0], [.9, 0, 0], [.5, .1, -.8], [.2, .1, .5], [.8, -.4, 0], [.4, .1, .3]]),
    ([[.1, .5, 0], [.5, .4, .6], [.8, -.2, -.9], [.5, .7, 0], [-.6, 0, 0], [-.1, 0, 0]],
     [[-.1, 0, 0], [0, 0, 0], [.9, 0, 0], [.1, 0, 0], [.7, -.1, .5], [-.9, -.3, -.1]]),
)  # fmt: skip
"""Platform pivots on a line, the other base pivots on the same line."""


@pytest.mark.parametrize("pivots", ON_X_AXIS)
def test_a_platform_that_turns_about_a_line_moves(pivots: tuple[list[list[float]], list[list[float]]]) -> None:
    robot, X = StewartGough(*pivots), np.eye(4)
    X[1:3, 1:3], X[0, 3] = [[0.6, -0.8], [0.8, 0.6]], 0.3
    modes = robot.assembly_modes(robot.inverse_position(X))
    assert modes.self_motion and not modes.certified and modes.margin < 1e-9
    assert modes.verdict == Verdict.SOLVED and robot.singularity(X).types == ("II",)


def examined(name: str, digits: int, turned: bool, seed: int) -> bool:
    """Whether the design is certified; then its pose is listed, and nothing depends on the last digits."""
    rng = np.random.default_rng([seed, digits, turned, *name.encode()])
    try:
        robot, X = FAMILIES[name](rng, digits, turned)
    except DegenerateError:  # rounding made two legs the same, or put all pivots on a line
        return False
    q = robot.inverse_position(X)
    if not (q > 0.0).all():
        return False
    modes = robot.assembly_modes(q)
    is_exact = not turned  # rounding keeps what lies on an axis on it, and equal points equal
    assert not (modes.certified and is_exact), (name, digits, seed, modes)
    if modes.certified:
        assert np.abs(modes.poses - X).max(axis=(-1, -2)).min(initial=9.0) < 1e-7, (name, digits, seed, modes)
        assert np.isfinite(modes.margin) and modes.margin > 1e-6
    elif not modes.count:
        assert modes.self_motion or modes.verdict == Verdict.NOT_CONVERGED, (name, digits, seed, modes)
    for _ in range(ULPS):
        nearby = robot.assembly_modes(np.nextafter(q, rng.choice([-np.inf, np.inf], size=6)))
        if modes.certified and nearby.certified:
            assert nearby.count == modes.count, (name, digits, seed, modes, nearby)
            gaps = np.abs(nearby.poses[:, None] - modes.poses).max(axis=(-1, -2)).min(axis=1)
            assert gaps.max(initial=0.0) < 1e-8, (name, digits, seed, gaps.max())
        assert not (nearby.certified and is_exact), (name, digits, seed, nearby)
    return bool(modes.certified)


@pytest.mark.parametrize("digits", [1, 3, 6])
@pytest.mark.parametrize("name", FAMILIES)
def test_rounded_self_motions_have_no_false_certificate(name: str, digits: int) -> None:
    for seed in range(4):
        examined(name, digits, bool(seed % 2), seed)


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("digits", [1, 3, 6, 12])
@pytest.mark.parametrize("name", FAMILIES)
def test_hundred_rounded_self_motions_have_no_false_certificate(name: str, digits: int, turned: bool) -> None:
    for seed in range(100, 200):
        examined(name, digits, turned, seed)


def test_a_margin_shows_a_self_motion_nearby() -> None:
    """By a thousand times the change of the dimensions at most."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        robot, X = butterfly(rng, 12)
        A, B = robot.roots + 1e-5 * rng.normal(size=(6, 3)), robot.platform + 1e-5 * rng.normal(size=(6, 3))
        changed = StewartGough(A, B)
        modes = changed.assembly_modes(changed.inverse_position(X))
        assert modes.margin < 1e-2
        if modes.certified and modes.margin < 1e-3:
            assert "margin" in repr(modes)


def test_the_margin_is_the_least_singular_value_of_the_lines() -> None:
    rng = np.random.default_rng(3)
    robot, X = StewartGough(rng.normal(size=(6, 3)), 0.5 * rng.normal(size=(6, 3))), np.eye(4)
    X[:3, 3] = 0.3, -0.2, 1.1
    q = robot.inverse_position(np.stack([X, X + np.pad([[0.0, 0.1, 0.2]], ((3, 0), (0, 1))).T]))
    modes = robot.assembly_modes(q)
    pivots = robot.platform - robot.platform.mean(axis=0)
    for k in range(2):
        values = []
        for Y in modes.poses[k, : modes.count[k]]:
            d = robot.platform @ Y[:3, :3].T + Y[:3, 3] - robot.roots
            e = d / np.linalg.norm(d, axis=-1, keepdims=True)
            s = np.linalg.svd(np.hstack([np.cross(pivots @ Y[:3, :3].T, e) / robot.size, e]), compute_uv=False)
            values.append(s[-1] / s[0])
        assert modes.margin[k] <= min(values) * (1.0 + 1e-9)
        assert modes.margin[k] == pytest.approx(min(*values, modes.complex_margin[k]), rel=1e-9)
        assert robot.assembly_modes(q[k]).margin == pytest.approx(modes.margin[k], rel=1e-9)
