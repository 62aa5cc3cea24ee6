"""Motions between states: closed forms, limits, arrival, and ruckig's durations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError
from sixvec.verdict import Verdict

ARM = sv.load("panda")
N = ARM.nv


def states(seed: int, count: int, way: float = 1.0) -> Any:
    rng = np.random.default_rng(seed)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    q0 = np.broadcast_to(middle, (count, N))
    q1 = middle + way * 0.5 * half * rng.uniform(-1, 1, (count, N))
    limits = {name: rng.uniform(*span, N) for name, span in
              (("velocity", (0.5, 3.0)), ("acceleration", (1.0, 10.0)), ("jerk", (5.0, 100.0)))}  # fmt: skip
    return rng, q0, q1, limits


def assert_within(move: motion.PointToPoint, q1: Any, limits: dict[str, Any], v1: Any = 0.0) -> None:
    ok = move.verdict == Verdict.SOLVED
    duration = np.where(ok, move.duration, 1.0)
    t = np.linspace(0.0, 1.0, 2000) * duration[:, None]
    for name, values in (("velocity", move.v(t)), ("acceleration", move.a(t)), ("jerk", move.jerk(t))):
        if name in limits:
            assert (abs(values[ok]) / limits[name]).max() < 1.0 + 1e-9, name
    end = duration[:, None]
    assert abs(move.q(end)[:, 0] - q1)[ok].max() < 1e-9
    assert abs(move.v(end)[:, 0] - v1)[ok].max() < 1e-9


@pytest.mark.covers("TIME-03")
@pytest.mark.parametrize("profile", ["jerk", "trapezoidal", "bang-bang", "quintic", "cubic"])
@pytest.mark.parametrize("synchronised", ["time", "phase"])
def test_profiles_arrive_within_their_limits_and_use_them(profile: str, synchronised: str) -> None:
    _, q0, q1, limits = states(0, 40)
    used = {"trapezoidal": ("velocity", "acceleration"), "bang-bang": ("acceleration",)}.get(profile, tuple(limits))
    if profile == "cubic":
        used = ("velocity", "acceleration")
    given = {name: limits[name] for name in used}
    move = motion.rest_to_rest(ARM, q0, q1, profile, synchronised=synchronised, **({"velocity": None} | given))
    assert move
    assert_within(move, q1, given)
    t = np.linspace(0.0, 1.0, 4001) * move.duration[:, None]
    values = {"velocity": move.v(t), "acceleration": move.a(t), "jerk": move.jerk(t)}
    reached = [(abs(values[name]) / limit).max(axis=(1, 2)) for name, limit in given.items()]
    assert np.max(reached, axis=0).min() > 0.999
    if synchronised == "phase":
        way = (move.q(t) - q0[:, None]) / (q1 - q0)[:, None]
        assert abs(way - way[..., :1]).max() < 1e-9


def test_durations_are_those_of_closed_forms() -> None:
    arm = sv.load("planar_2r")

    def duration(profile: str, way: float, **limits: Any) -> float:
        return float(
            motion.rest_to_rest(arm, [0.0, 0.0], [way, 0.0], profile, **({"velocity": None} | limits)).duration
        )

    assert duration("bang-bang", 2.0, acceleration=2.0) == pytest.approx(2.0, rel=1e-12)
    assert duration("trapezoidal", 2.0, velocity=1.0, acceleration=2.0) == pytest.approx(2.5, rel=1e-12)
    assert duration("quintic", 1.0, velocity=1.0) == pytest.approx(15.0 / 8.0, rel=1e-12)
    assert duration("cubic", 1.0, velocity=1.0) == pytest.approx(1.5, rel=1e-12)
    jerk_only = duration("jerk", 2.0, acceleration=1e6, jerk=32.0)
    assert jerk_only == pytest.approx(4.0 * (2.0 / (2.0 * 32.0)) ** (1.0 / 3.0), rel=1e-12)


@pytest.mark.parametrize("way", [1.0, 0.1, 0.01])
def test_moving_states_arrive_within_their_limits(way: float) -> None:
    rng, q0, q1, limits = states(int(100 * way), 200, way)
    v0, v1 = (share * limits["velocity"] * rng.uniform(-1, 1, (200, N)) for share in (0.7, 0.9))
    a0 = 0.5 * limits["acceleration"] * rng.uniform(-1, 1, (200, N))
    move = motion.rest_to_rest(ARM, q0, q1, v0=v0, a0=a0, v1=v1, **limits)
    assert_within(move, q1, limits, v1)
    assert set(move.verdict) <= {Verdict.SOLVED, Verdict.INFEASIBLE}
    stops = v0 + a0 * abs(a0) / (2.0 * limits["jerk"])
    assert np.array_equal(move.verdict == Verdict.INFEASIBLE, (abs(stops) > limits["velocity"]).any(axis=1))
    assert abs(move.v(np.zeros((200, 1)))[:, 0] - v0).max() < 1e-12 and abs(move.a(0.0) - a0).max() < 1e-12


def state(moving: str, limits: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Velocities and accelerations at both ends, from which the limits of velocity can be kept."""
    most = limits["velocity"], limits["acceleration"]
    parts = {"v0": most[0], "a0": most[1], "v1": most[0], "a1": most[1]}
    found = {k: (k in moving) * 0.8 * x * rng.uniform(-1, 1, (60, N)) for k, x in parts.items()}
    for v, a in (("v0", "a0"), ("v1", "a1")):
        enough = 0.99 * np.sqrt(2.0 * limits["jerk"] * (limits["velocity"] - abs(found[v])))
        found[a] = np.clip(found[a], -enough, enough)
    return found


def theirs(q0: Any, q1: Any, ends: dict[str, Any], limits: dict[str, Any], k: int) -> float:
    ruckig = pytest.importorskip("ruckig")
    case, found = ruckig.InputParameter(N), ruckig.Trajectory(N)
    case.current_position, case.target_position = q0[k], q1[k]
    case.current_velocity, case.current_acceleration = ends["v0"][k], ends["a0"][k]
    case.target_velocity, case.target_acceleration = ends["v1"][k], ends["a1"][k]
    case.max_velocity, case.max_acceleration, case.max_jerk = limits.values()
    ruckig.Ruckig(N).calculate(case, found)
    return float(found.duration)


@pytest.mark.parametrize(
    "moving", ["", "v0", "v1", "v0 v1", "v0 a0", "v0 a0 v1", "a1", "a0 a1", "v0 v1 a1", "v0 a0 v1 a1"]
)
@pytest.mark.parametrize("way", [0.3, 0.01])
def test_durations_are_those_of_ruckig(moving: str, way: float) -> None:
    rng, q0, q1, limits = states(7, 60, way)
    ends = state(moving, limits, rng)
    move = motion.rest_to_rest(ARM, q0, q1, **ends, **limits)
    for k in range(60):
        assert move.duration[k] == pytest.approx(theirs(q0, q1, ends, limits, k), rel=1e-9)


@pytest.mark.parametrize("accelerations", [0.5, 0.999, 1.0, 1.1])
def test_states_at_limits_that_are_barely_active_take_as_long_as_with_ruckig(accelerations: float) -> None:
    """All joints have the same limits, of which those of acceleration are just reached, and many states are at them."""
    rng, q0, q1, limits = states(10, 60, 0.2)
    limits = {"velocity": np.full(N, 1.5), "acceleration": np.zeros(N), "jerk": np.full(N, 20.0)}
    limits["acceleration"] = accelerations * np.sqrt(limits["velocity"] * limits["jerk"])
    ends = state("v0 a0 v1 a1", limits, rng)
    for v, a in (("v0", "a0"), ("v1", "a1")):
        at_limit = rng.random(ends[v].shape) < 0.3
        ends[v][at_limit] = (np.sign(ends[v]) * limits["velocity"])[at_limit]
        ends[a][at_limit] = 0.0
    move = motion.rest_to_rest(ARM, q0, q1, **ends, **limits)
    assert move
    assert_within(move, q1, limits, ends["v1"])
    for k in range(60):
        assert move.duration[k] == pytest.approx(theirs(q0, q1, ends, limits, k), rel=1e-9)


def test_motions_between_any_states_arrive() -> None:
    rng, q0, q1, limits = states(8, 60, 0.5)
    ends = state("v0 a0 v1 a1", limits, rng)
    move = motion.rest_to_rest(ARM, q0, q1, **ends, **limits)
    assert move
    assert_within(move, q1, limits, ends["v1"])
    t = move.duration[:, None]
    for name, get in (("0", 0.0 * t), ("1", t)):
        assert abs(move.v(get)[:, 0] - ends[f"v{name}"]).max() < 1e-9
        assert abs(move.a(get - (get > 0.0) * 1e-12)[:, 0] - ends[f"a{name}"]).max() < 1e-6


@pytest.mark.parametrize("passed", [0.2, 0.7, 0.9, 0.97])
def test_a_motion_that_is_planned_again_on_its_way_arrives_at_the_same_time(passed: float) -> None:
    """Bellman's principle.  Towards the end nothing else is possible any more, and rounding must not decide."""
    two = sv.load("planar_2r")
    rng = np.random.default_rng(11)
    limits = {name: rng.uniform(*span, 2) for name, span in
              (("velocity", (0.5, 3.0)), ("acceleration", (1.0, 10.0)), ("jerk", (5.0, 100.0)))}  # fmt: skip
    v0, v1 = (0.8 * limits["velocity"] * rng.uniform(-1, 1, (80, 2)) for _ in range(2))
    a0, a1 = (
        np.sqrt(2.0 * limits["jerk"] * (limits["velocity"] - abs(v))) * rng.uniform(-1, 1, (80, 2)) for v in (v0, v1)
    )
    a0, a1 = (np.clip(a, -limits["acceleration"], limits["acceleration"]) for a in (a0, a1))
    q1 = rng.choice([0.01, 0.1, 1.0], (80, 1)) * rng.uniform(-1, 1, (80, 2))
    move = motion.rest_to_rest(two, np.zeros(2), q1, v0=v0, a0=a0, v1=v1, a1=a1, **limits)
    t = (passed * move.duration)[:, None]
    q, v, a = (x(t)[:, 0] for x in (move.q, move.v, move.a))
    rest = motion.rest_to_rest(two, q, q1, v0=v, a0=a, v1=v1, a1=a1, **limits)
    assert move and rest
    assert abs(rest.duration - (1.0 - passed) * move.duration).max() < 1e-9


def test_accelerations_of_one_sign_have_durations_between_which_there_is_no_motion() -> None:
    """A joint brakes from start to end.  It cannot wait a little: it must brake less, speed up and brake again."""
    two = sv.load("planar_2r")
    limits = {"velocity": 10.0, "acceleration": 10.0, "jerk": 10.0}
    ends = {"v0": [1.0, 0.0], "a0": [-2.0, 0.0], "v1": [0.78, 0.0], "a1": [-2.0, 0.0]}
    straight = motion.rest_to_rest(two, [0.0, 0.0], [0.0979, 0.0], **ends, **limits)
    assert 0.1 < straight.duration < 0.12
    again = motion.rest_to_rest(two, [0.0, 0.0], [0.0979, 0.0], duration=0.2, **ends, **limits)
    assert again and again.duration > 4.0 * 2.0 / 10.0  # to an acceleration of 2 and back
    assert abs(again.q(again.duration) - [0.0979, 0.0]).max() < 1e-9


def test_durations_between_which_a_joint_dips_too_far_are_exceeded_exactly() -> None:
    """One joint must wait, and cannot: a little longer it would go too far.  Its dip is not to zero speed."""
    two = sv.load("planar_2r")
    limits = {"velocity": np.array([2.0, 1.5]), "acceleration": np.array([6.0, 4.0]), "jerk": np.array([30.0, 50.0])}
    way, v0, v1 = [-0.24813140778, -0.12490720474], [-0.8428, -0.6462], [-0.1517, -0.4605]
    move = motion.rest_to_rest(two, np.zeros(2), way, v0=v0, v1=v1, **limits)
    alone = motion.rest_to_rest(two, np.zeros(2), [way[0], 0.0], v0=[v0[0], 0.0], v1=[v1[0], 0.0], **limits)
    assert bool(move) and alone.duration < move.duration < 1.05 * alone.duration
    ruckig = pytest.importorskip("ruckig")
    case, found = ruckig.InputParameter(2), ruckig.Trajectory(2)
    case.current_position, case.target_position = [0.0, 0.0], way
    case.current_velocity, case.target_velocity = v0, v1
    case.max_velocity, case.max_acceleration, case.max_jerk = limits.values()
    ruckig.Ruckig(2).calculate(case, found)
    assert move.duration == pytest.approx(found.duration, rel=1e-9)


def test_moving_states_on_a_line_stay_on_it() -> None:
    rng, q0, _, limits = states(9, 40, 0.3)
    line = rng.normal(size=(40, N))
    line /= abs(line / limits["velocity"]).max(axis=1, keepdims=True)
    ends = {k: size * rng.uniform(-1, 1, (40, 1)) * line for k, size in (("v0", 0.4), ("v1", 0.4), ("a0", 0.3))}
    q1 = q0 + 0.3 * rng.uniform(-1, 1, (40, 1)) * line
    ends["v1"][0] += [0.01] + [0.0] * (N - 1)  # not on the line: this one is synchronised in time
    move = motion.rest_to_rest(ARM, q0, q1, **ends, **limits, synchronised="phase")
    together = motion.rest_to_rest(ARM, q0, q1, **ends, **limits)
    assert bool(move) and (move.duration >= together.duration * (1.0 - 1e-9)).all()
    assert move.duration[0] == together.duration[0]
    assert_within(move, q1, limits, ends["v1"])
    off = move.q(np.linspace(0.0, 1.0, 50) * move.duration[:, None]) - q0[:, None]
    along = (off * line[:, None]).sum(axis=-1) / (line**2).sum(axis=-1)[:, None]
    away = abs(off - along[..., None] * line[:, None]).max(axis=(1, 2))
    assert (away[1:] < 1e-12).all() and away[0] > 1e-6


def test_joints_that_do_not_move_stay_and_longer_durations_are_kept() -> None:
    q0 = 0.5 * (ARM.lower + ARM.upper)
    q1 = q0 + np.array([0.3, 0, 0, 0, 0, 0, 0])
    for profile in ("jerk", "trapezoidal", "quintic"):
        limits = {"acceleration": 2.0} | ({"jerk": 20.0} if profile == "jerk" else {})
        move = motion.rest_to_rest(ARM, q0, q1, profile, duration=5.0, **limits)
        assert move.duration == 5.0 and np.array_equal(move.q(2.2)[1:], q0[1:])
        assert abs(move.q(5.0) - q1).max() < 1e-12 and not move.v(99.0).any() and not move.v(-1.0).any()
        still = motion.rest_to_rest(ARM, q0, q0, profile, **limits)
        assert still.duration == 0.0 and np.array_equal(still.q(1.0), q0)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"profile": "S"}, "profile"),
        ({"jerk": None}, "jerk"),
        ({"acceleration": -1.0}, "acceleration"),
        ({"velocity": np.nan}, "velocity"),
        ({"jerk": [1.0, 2.0]}, "jerk"),
        ({"q1": np.zeros(6)}, "q1"),
        ({"q1": 9.0 + np.zeros(7)}, "q1"),
        ({"v0": np.full(7, np.inf)}, "v0"),
        ({"v0": np.full(7, 0.1), "profile": "quintic"}, "v0"),
        ({"duration": 0.0}, "duration"),
        ({"synchronised": "no"}, "synchronised"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], name: str) -> None:
    q = 0.5 * (ARM.lower + ARM.upper)
    arguments = {"q0": q, "q1": q + 0.1, "acceleration": 1.0, "jerk": 10.0} | change
    with pytest.raises(SixvecError, match=name):
        motion.rest_to_rest(ARM, **arguments)
