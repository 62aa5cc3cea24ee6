"""Steps along paths of solutions, on plain numbers: predictions, lengths, ends; and the problem that paths lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from parallel_robots import BASE_321, Array, hexapod, pose
from sixvec.parallel.complex_scalar import Complex, paired, parts
from sixvec.parallel.homotopy import _merged, normalised
from sixvec.parallel.path_tracking import (
    ARRIVED,
    CONVERGED,
    FIRST,
    LOST,
    SHORTEST,
    TRACKING,
    _extrapolated,
    step,
)
from sixvec.parallel.real_pose import real_pose
from sixvec.parallel.start_system import conjugate_closed, features, squared_lengths

WAY = [0.0, 0.0, 3.0, 0.5]
RNG = np.random.default_rng(4)


@dataclass(frozen=True)
class Root:
    """y² = P₀ + P₁, for any start; corrections can be made worse for tests."""

    name: str = "root"
    unknowns: int = 1
    parameters: int = 2
    first: float = 0.0
    second: float = 0.0

    def corrected(self, y: list[Complex], P: list[Complex]) -> tuple[list[Complex], list[Complex]]:
        d = (P[0] + P[1] - y[0] * y[0]) * (1.0 / (2.0 * y[0]))
        return [y[0] + d], [d + self.first]

    def corrected_and_rate(self, y: Any, P: Any, dP: Any) -> Any:
        d = (P[0] + P[1] - y[0] * y[0]) * (1.0 / (2.0 * y[0]))
        found = y[0] + d
        return [found], [d + self.second], [(dP[0] + dP[1]) * (1.0 / (2.0 * found))]

    def size(self, step: list[Complex], y: list[Complex]) -> float:
        return float(step[0].squared / y[0].squared)


def taken(system: Any, control: list[float], accuracy: float = 2e-2, speed: float = 1.0) -> Any:
    way, rate = [speed * x for x in WAY], [1.5 * speed, 0.25 * speed]
    return step(system)([1.0, 0.0], rate, [1.0, 0.0], [0.0, 0.0], control, accuracy, [0.5, 0.0, 0.5, 0.0], way)


def test_a_path_arrives_in_few_steps() -> None:
    """From the root of 1 to that of 4 + i/2; the first step has no length and finds the rate."""
    run = step(Root())
    state = [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0, 0.0, TRACKING]]
    given = 2e-2, [0.5, 0.0, 0.5, 0.0], WAY
    *state, on = run(*state, *given)
    assert state[0] == [1.0, 0.0] and state[1] == [1.5, 0.25] and state[4] == [0.0, FIRST, 0.0, TRACKING] and on == 1.0
    count = 1
    while on > 0.5 and count < 100:
        *state, on = run(*state, *given)
        count += 1
    assert count < 15 and state[4][0] == 1.0 and state[4][3] == ARRIVED
    assert complex(*state[0]) == pytest.approx(np.sqrt(4.0 + 0.5j), abs=1e-6)
    assert complex(*state[1]) == pytest.approx((3.0 + 0.5j) / (2.0 * np.sqrt(4.0 + 0.5j)), abs=1e-6)
    *after, on = run(*state, *given)
    assert after == state and on == 0.0


@pytest.mark.parametrize("error", [1e-5, 1e-3, 1e-2, 4e-2])
def test_the_next_step_follows_from_the_error(error: float) -> None:
    """(accuracy / error)^(1/4), with a margin, from a quarter to twice; a good step never shortens by more."""
    h, accuracy = 1e-3, 2e-2
    y1 = np.sqrt(1.0 + h * (3.0 + 0.5j))
    *_, control, on = taken(Root(first=error * abs(y1)), [0.0, h, 0.0, TRACKING], accuracy)
    factor = min(2.0, max(0.25, 0.9 * (accuracy / error) ** 0.25))
    assert control == pytest.approx([h, h * factor, h, TRACKING], rel=1e-3) and on == 1.0


@pytest.mark.parametrize(("error", "factor"), [(7e-2, 0.5), (1.0, 0.9 * 0.02**0.25), (1e3, 0.25)])
def test_a_bad_prediction_is_repeated(error: float, factor: float) -> None:
    """With half the step at most; the point stays."""
    h = 1e-3
    y, f, y0, f0, control, on = taken(Root(first=error), [0.0, h, 0.0, TRACKING])
    assert (y, f, y0, f0) == ([1.0, 0.0], [1.5, 0.25], [1.0, 0.0], [0.0, 0.0]) and on == 1.0
    assert control == pytest.approx([0.0, h * factor, 0.0, TRACKING], rel=1e-2)


def test_second_corrections_must_be_small() -> None:
    for size, good in ((0.5 * CONVERGED, True), (2.0 * CONVERGED, False)):
        *_, control, _ = taken(Root(second=size), [0.0, 1e-3, 0.0, TRACKING])
        assert control[0] == (1e-3 if good else 0.0)
    *_, control, on = taken(Root(first=9.0), [0.5, 1.5 * SHORTEST, 0.1, TRACKING])
    assert control[3] == LOST and on == 0.0
    *_, control, on = taken(Root(first=9.0), [0.5, 5.0 * SHORTEST, 0.1, TRACKING])
    assert control[3] == TRACKING and on == 1.0
    *_, control, on = taken(Root(), [0.99, 0.004, 0.0, TRACKING], speed=0.0)  # no further than the end
    assert control[:2] == pytest.approx([0.994, 0.006]) and on == 1.0


def test_predictions_are_exact_for_cubics() -> None:
    c = RNG.normal(size=(2, 4)) + 1j * RNG.normal(size=(2, 4))
    slope = c[:, 1:] * [1.0, 2.0, 3.0]

    def at(k: Array, t: float) -> list[Complex]:
        return paired(np.ascontiguousarray(k @ t ** np.arange(k.shape[1])).view(float).tolist())

    found = _extrapolated(at(c, 0.7), at(slope, 0.7), at(c, 0.3), at(slope, 0.3), 0.25, 0.4)
    assert parts(found) == pytest.approx(parts(at(c, 0.95)))
    line = _extrapolated(at(c, 0.7), at(slope, 0.7), at(c, 0.7), at(slope, 0.3), 0.25, 0.0)
    expected = c @ 0.7 ** np.arange(4) + 0.25 * (slope @ 0.7 ** np.arange(3))
    assert parts(line) == pytest.approx(expected.view(float).tolist())


def test_problems_of_size_one_about_their_middles() -> None:
    robot = hexapod()
    X = np.stack([pose([0.1, 0.2, 0.3], [3.0, 2.0, 1.0]), pose([0.3, 0.0, 0.0], [0.0, 0.1, 0.8])])
    centre, radius = (
        np.stack([robot.roots + np.array([5.0, 6.0, 7.0]), 2.0 * robot.roots]),
        RNG.uniform(1.0, 2.0, (2, 6)),
    )
    target, (middle, inner), size = normalised(robot, centre, radius)
    a, b, squares = target[:, :18].reshape(2, 6, 3), target[:, 18:36].reshape(2, 6, 3), target[:, 36:]
    assert np.allclose(a.mean(axis=1), 0.0) and np.allclose(b.mean(axis=1), 0.0) and (target.imag == 0.0).all()
    assert np.allclose((np.abs(a) ** 2).sum(axis=(1, 2)) + (np.abs(b) ** 2).sum(axis=(1, 2)), 12.0)
    assert np.allclose(a * size[:, None, None] + middle[:, None], centre)
    assert np.allclose(b * size[:, None, None] + inner, robot.platform)
    assert np.allclose(np.sqrt(squares) * size[:, None], radius) and len(X) == 2


def test_solutions_as_poses() -> None:
    """Newton's steps correct a solution that is a little off; its error is that of the worst leg."""
    robot = hexapod()
    X = pose([0.2, -0.3, 0.4], [0.1, 0.2, 0.9])
    radius = np.linalg.norm(robot.platform @ X[:3, :3].T + X[:3, 3] - robot.roots, axis=1)
    middle, inner, size = robot.roots.mean(axis=0), robot.platform.mean(axis=0), 1.7
    turn = np.array([0.2, -0.3, 0.4])
    angle = float(np.linalg.norm(turn))
    quaternion = 2.0 * np.array([*(np.sin(0.5 * angle) * turn / angle), np.cos(0.5 * angle)])  # of any length
    y = np.zeros(14)
    y[:8:2], y[8::2] = quaternion, (X[:3, :3] @ inner + X[:3, 3] - middle) / size
    given = size, middle.tolist(), inner.tolist(), robot.roots.tolist(), robot.platform.tolist(), radius.tolist()
    found, error, start = real_pose.function(y.tolist(), *given)
    assert np.allclose(start, X, atol=1e-14) and np.allclose(found, X, atol=1e-13) and error < 1e-14
    y[8::2] += 1e-4
    found, error, start = real_pose.function(y.tolist(), *given)
    assert np.allclose(found, X, atol=1e-11) and error < 1e-12
    assert np.allclose(np.array(start)[:3, 3] - X[:3, 3], 1e-4 * size)


def test_solutions_are_merged_without_repetition() -> None:
    """Solutions come first, then ends that did not converge."""
    y = RNG.normal(size=(1, 5, 7)) + 1j * RNG.normal(size=(1, 5, 7))
    good = np.ones((1, 5), bool)
    once, f, corrections, converged = _merged(None, (y, features(y), np.arange(5.0)[None], good))
    assert np.array_equal(once, y) and corrections.tolist() == [[0.0, 1.0, 2.0, 3.0, 4.0]] and converged.all()
    assert np.array_equal(f, features(y))
    known, other = np.arange(5) < 2, y[:, [4, 1, 3, 2, 0]]
    old = y, np.where(known[None, :, None], f, np.nan), np.array([[5.0, 6.0, 0, 0, 0]]), good & [True, False, 0, 0, 0]
    there = (np.arange(5) > 0)[None]
    new = other, np.where(there[..., None], features(other), np.nan), np.arange(10.0, 15.0)[None], good & there
    both, f, corrections, converged = _merged(old, new)
    assert np.allclose(both[0, :4], y[0, [0, 3, 2, 1]]) and np.isnan(f[0, 4]).all()
    assert corrections[0, :4].tolist() == [5.0, 12.0, 13.0, 6.0]
    assert converged.tolist() == [[True, True, True, False, False]]


def test_pairs_whose_projections_are_the_same() -> None:
    """They are compared one by one."""
    a = RNG.normal(size=12) + 1j * RNG.normal(size=12)
    b = a.real + 1j * RNG.normal(size=12)
    c = a.real + 1j * RNG.normal(size=12)
    f = np.stack([[a, b, a.conj(), b.conj()], [a, b, a.conj(), c], [a, a.conj(), b, c], [b, a, b.conj(), a.conj()]])
    all_, none = np.ones((4, 4), bool), np.zeros((4, 4), bool)
    assert conjugate_closed(f, none, all_).tolist() == [True, False, False, True]


def test_lengths_of_complex_platforms() -> None:
    """With a real pose they are those of the legs."""
    X = pose([0.2, -0.3, 0.4], [0.1, 0.2, 0.9])
    turn = np.array([0.2, -0.3, 0.4])
    angle = float(np.linalg.norm(turn))
    y = np.array([*(np.sin(0.5 * angle) * turn / angle), np.cos(0.5 * angle), *X[:3, 3]], complex)
    assert np.allclose(features(y), [*X[:3, :3].ravel(), *X[:3, 3]])
    b = RNG.normal(size=(6, 3))
    P = np.concatenate([BASE_321.ravel(), b.ravel(), np.zeros(6)]).astype(complex)
    expected = ((b @ X[:3, :3].T + X[:3, 3] - BASE_321) ** 2).sum(axis=1)
    assert np.allclose(squared_lengths(y, P), expected)
