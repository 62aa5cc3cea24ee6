"""One path by itself has the bits that it has in a batch, and the same verdicts and errors."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError

ARM = sv.load("panda")
FIELDS = ("duration", "verdict", "s", "speed", "largest", "times", "numbers", "faults")
ACCELERATION: dict[str, Any] = {"acceleration": 10.0, "torque": None}
TORQUE: dict[str, Any] = {"torque": 0.5 * ARM.effort_limits}


def dry(robot: Any) -> Any:
    """The robot with dry friction."""
    bodies = [replace(b, dynamics=replace(b.dynamics, friction=(3.0,) * b.joint.nv)) for b in robot.model.bodies]
    return sv.Robot(replace(robot.model, bodies=tuple(bodies)))


RUBBING = dry(sv.load("planar_2r"))


def waypoints(count: int, k: int = 3, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.9 * ARM.lower, 0.9 * ARM.upper, (count, k, 7))


def same(one: motion.TimedPath, many: motion.TimedPath, k: int) -> bool:
    pairs = [(np.asarray(getattr(one, name)), np.asarray(getattr(many, name)[k])) for name in FIELDS]
    return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() and x.shape == y.shape for x, y in pairs)


@pytest.mark.parametrize("limits", [ACCELERATION, TORQUE], ids=["acceleration", "torque"])
def test_one_path_has_the_bits_of_a_batch(limits: dict[str, Any]) -> None:
    Q = waypoints(9)
    many = motion.time_optimal(motion.spline(ARM, Q), **limits)
    for _ in range(2):
        assert all(same(motion.time_optimal(motion.spline(ARM, x), **limits), many, k) for k, x in enumerate(Q))


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
@pytest.mark.parametrize("between", [True, False])
@pytest.mark.parametrize("limits", [{"acceleration": 3.0, "torque": None}, {"torque": 200.0},
                                    {"torque": 200.0, "acceleration": 8.0}])  # fmt: skip
def test_what_one_path_computes_in_lanes_has_the_bits_of_the_loops(
    limits: dict[str, Any], between: bool, kind: str
) -> None:
    """One path knows its intervals before its loops; a program that fuses other products would differ."""
    rubbing = RUBBING if kind == "cubic" else sv.load("planar_2r")
    Q = np.random.default_rng(5).uniform(-1.5, 1.5, (4, 4, 2))
    many = motion.time_optimal(motion.spline(rubbing, Q, kind), 1.5, **limits, between=between)
    for k, x in enumerate(Q):
        assert same(motion.time_optimal(motion.spline(rubbing, x, kind), 1.5, **limits, between=between), many, k)


def test_results_are_not_those_of_the_next_call() -> None:
    first, second = (motion.spline(ARM, x) for x in waypoints(2))
    one = motion.time_optimal(first, **TORQUE)
    kept = [np.array(getattr(one, name)) for name in FIELDS]
    motion.time_optimal(second, **TORQUE)
    assert all(np.array_equal(x, getattr(one, name)) for x, name in zip(kept, FIELDS, strict=True))


def test_limits_of_each_call_count() -> None:
    path = motion.spline(ARM, waypoints(1)[0])
    slow, fast = (motion.time_optimal(path, velocity=v, **ACCELERATION).duration for v in (0.5, 1.0))
    assert slow > 1.2 * fast
    assert motion.time_optimal(path, velocity=0.5, **ACCELERATION).duration == slow


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_paths_that_cannot_be_travelled_have_their_reasons(share: float) -> None:
    Q, limits = waypoints(4), {"torque": share * ARM.effort_limits}
    many = motion.time_optimal(motion.spline(ARM, Q), **limits)
    for k, x in enumerate(Q):
        one = motion.time_optimal(motion.spline(ARM, x), **limits)
        assert same(one, many, k) and one.reason == many.reason[k]
    assert not many


def test_threads_do_not_share_arrays() -> None:
    Q = waypoints(6)
    many, wrong = motion.time_optimal(motion.spline(ARM, Q), **TORQUE), []

    def work(k: int) -> None:
        for _ in range(20):
            if not same(motion.time_optimal(motion.spline(ARM, Q[k]), **TORQUE), many, k):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_paths_of_many_lengths_have_the_bits_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """More numbers of intervals than arrays are kept for, and again the first of them."""
    monkeypatch.setattr("sixvec.motion.one_path.MOST", 2)
    Q, two = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 4, 2)), sv.load("planar_2r")
    for points in (10, 11, 12, 13, 10, 1000):
        many, one = (
            motion.time_optimal(motion.spline(two, x), velocity=1.0, acceleration=2.0, torque=None, points=points)
            for x in (Q, Q[0])
        )
        assert same(one, many, 0)


def test_speeds_at_the_ends_of_one_path() -> None:
    path = motion.spline(ARM, waypoints(1)[0])
    rest = motion.time_optimal(path, **ACCELERATION)
    assert motion.time_optimal(path, **ACCELERATION, speeds=(np.zeros(()), 0)).duration == rest.duration
    assert motion.time_optimal(path, **ACCELERATION, speeds=(0.1, 0.0)).duration < rest.duration
    for speeds in ((0.0,), (0.0, 0.0, 0.0), (0.0, float("nan")), (0.0, -1.0)):
        with pytest.raises(SixvecError, match="speed"):
            motion.time_optimal(path, **ACCELERATION, speeds=speeds)  # type: ignore[arg-type]
