"""The fastest motion along a path: closed forms, limits between points, replayed torques, and what cannot be done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError
from sixvec.model import JointDynamics
from sixvec.verdict import Verdict

ARM = sv.load("panda")
STRONG = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])


def paths(seed: int, *shape: int, **options: Any) -> motion.Path:
    rng = np.random.default_rng(seed)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    return motion.spline(ARM, middle + 0.5 * half * rng.uniform(-1, 1, (*shape, 7)), **options)


def straight(length: float) -> motion.Path:
    arm = sv.load("planar_2r")
    return motion.spline(arm, [[0.0, 0.0], [length, 0.0]])


@pytest.mark.covers("TIME-02")
@pytest.mark.parametrize("length", [0.01, 1.0, 30.0])
def test_one_joint_accelerates_and_brakes_as_fast_as_it_may(length: float) -> None:
    fast = motion.time_optimal(straight(length), velocity=2.0, acceleration=4.0, torque=None, points=1000)
    ramp = 2.0 / 4.0
    expected = 2.0 * np.sqrt(length / 4.0) if length < 4.0 * ramp**2 else length / 2.0 + ramp
    assert fast.duration == pytest.approx(expected, rel=2e-3)
    without = motion.time_optimal(straight(length), velocity=None, acceleration=4.0, torque=None, points=100)
    assert without.duration == pytest.approx(2.0 * np.sqrt(length / 4.0), rel=1e-9)
    assert set(without.limiting) == {"joint1: acceleration"}


@pytest.mark.parametrize("limits", [{"acceleration": STRONG, "torque": None}, {"torque": 0.6 * ARM.effort_limits}])
def test_no_limit_is_exceeded_between_points(limits: dict[str, Any]) -> None:
    path = paths(0, 12, 5)
    fast = motion.time_optimal(path, **limits)
    t = np.linspace(0.0, 1.0, 4000) * fast.duration[:, None]
    assert fast
    worst = [(abs(fast.v(t)) / ARM.velocity_limits).max()]
    worst.append((abs(fast.a(t)) / STRONG).max() if "acceleration" in limits else 0.0)
    worst.append((abs(fast.tau(t)) / limits["torque"]).max() if limits["torque"] is not None else 0.0)
    assert max(worst) < 1.0 + 1e-3 and max(worst) > 0.999


def test_more_points_are_little_faster() -> None:
    """100 points against 400: the price of limits that hold between them."""
    path = paths(1, 8, 5)
    coarse, fine = (motion.time_optimal(path, acceleration=STRONG, torque=None, points=n) for n in (100, 400))
    ratio = coarse.duration / fine.duration
    assert ratio.min() > 0.999 and ratio.max() < 1.035


def test_nothing_is_faster_at_the_switching_points() -> None:
    """In every interval some limit is reached, up to the uniform slowing."""
    fast = motion.time_optimal(paths(2, 5), acceleration=STRONG, torque=None, points=300)
    t = np.linspace(0.0, fast.duration, 3000)
    used = np.maximum(abs(fast.v(t)) / ARM.velocity_limits, abs(fast.a(t)) / STRONG).max(axis=1)
    assert np.quantile(used, 0.1) > 0.97


def test_the_motion_goes_through_the_waypoints_and_its_derivatives_fit() -> None:
    path = paths(3, 5)
    fast = motion.time_optimal(path, acceleration=STRONG, torque=None)
    assert abs(fast.q(0.0) - path.q(0.0)).max() < 1e-12
    assert abs(fast.q(fast.duration) - path.q(path.length)).max() < 1e-9
    assert not fast.v(0.0).any() and abs(fast.v(fast.duration)).max() < 1e-6
    t, h = np.linspace(0.05, 0.95, 200) * fast.duration, 1e-6
    assert abs((fast.q(t + h) - fast.q(t - h)) / (2 * h) - fast.v(t)).max() < 1e-5
    slope = (fast.v(t + h) - fast.v(t - h)) / (2 * h)
    assert np.quantile(abs(slope - fast.a(t)), 0.98) < 1e-4  # but where an interval ends
    assert np.array_equal(fast.q(-1.0), fast.q(0.0)) and np.array_equal(fast.q(99.0), fast.q(fast.duration))


def test_replaying_the_torques_follows_the_path() -> None:
    path = paths(4, 4)
    fast = motion.time_optimal(path, torque=0.6 * ARM.effort_limits)
    t = np.linspace(0.0, fast.duration, 50)[1:-1]
    a = ARM.forward_dynamics(fast.q(t), fast.v(t), fast.tau(t))
    assert abs(a - fast.a(t)).max() < 1e-8 * abs(a).max()


def test_friction_costs_time_and_torque() -> None:
    """On a straight path; before sharp turns it may help to slow down."""
    dynamics = JointDynamics(damping=(1.0,), friction=(2.0,))
    rubbing = tuple(replace(b, dynamics=dynamics) if b.joint.nv else b for b in ARM.model.bodies)
    rough = sv.Robot(replace(ARM.model, bodies=rubbing))
    path = paths(5, 2)
    limits = {"torque": 0.5 * ARM.effort_limits}
    smooth = motion.time_optimal(path, **limits)
    slow = motion.time_optimal(replace(path, robot=rough), **limits)
    assert slow.duration > smooth.duration
    t = np.linspace(0.0, slow.duration, 4000)
    expected = ARM.inverse_dynamics(slow.q(t), slow.v(t), slow.a(t)) + slow.v(t) + 2.0 * np.sign(slow.v(t))
    assert abs(slow.tau(t) - expected)[1:-1].max() < 1e-9
    assert (abs(slow.tau(t)) / limits["torque"]).max() < 1.0 + 1e-3


def test_joints_that_cannot_hold_their_load_are_named() -> None:
    path = paths(6, 6, 4)
    weak = np.where(np.arange(7) == 1, 5.0, ARM.effort_limits)
    fast = motion.time_optimal(path, torque=weak)
    gravity = abs(ARM.gravity_forces(path.q(path.length[:, None] * np.linspace(0, 1, 400))))[..., 1].max(axis=1)
    assert np.array_equal(fast.verdict == Verdict.INFEASIBLE, gravity > 5.0) and (gravity > 5.0).any()
    k = int(np.flatnonzero(fast.verdict == Verdict.INFEASIBLE)[0])
    assert "panda_joint2" in fast.reason[k] and np.isnan(fast.duration[k])


def test_paths_do_not_depend_on_their_neighbours() -> None:
    rng = np.random.default_rng(7)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    Q = middle + 0.5 * half * rng.uniform(-1, 1, (300, 5, 7))
    many = motion.time_optimal(motion.spline(ARM, Q), acceleration=STRONG, torque=None)
    one = motion.time_optimal(motion.spline(ARM, Q[299]), acceleration=STRONG, torque=None)
    assert one.duration == many.duration[299] and one.limiting.shape == (100,) and np.ndim(one.duration) == 0


def test_last_digits_change_the_duration_by_as_little() -> None:
    rng = np.random.default_rng(8)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    Q = middle + 0.5 * half * rng.uniform(-1, 1, (20, 5, 7))
    durations = [
        motion.time_optimal(motion.spline(ARM, x), acceleration=STRONG, torque=None).duration
        for x in (Q, Q + 1e-12 * rng.normal(size=Q.shape))
    ]
    assert abs(durations[1] / durations[0] - 1.0).max() < 1e-8


def test_last_digits_do_not_divide_equal_pieces_otherwise() -> None:
    """100 intervals for 32 equal pieces: four pieces have one more, the same ones for all roundings."""
    rng = np.random.default_rng(16)
    knots = np.linspace(0.0, 1.0, 33)
    Q = 0.5 * (ARM.lower + ARM.upper) + np.sin(3.0 * knots[:, None] + np.arange(7.0))
    noisy = [knots * (1.0 + 1e-15 * rng.uniform(-1, 1, 33)) for _ in range(20)]
    paths = motion.spline(ARM, np.broadcast_to(Q, (20, 33, 7)), knots=noisy)
    durations = motion.time_optimal(paths, acceleration=STRONG, torque=None).duration
    assert np.ptp(durations) < 1e-10 * durations.min()


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        ({"velocity": None, "torque": None}, "limit"),
        ({"acceleration": True}, "acceleration"),
        ({"acceleration": 0.0}, "acceleration"),
        ({"acceleration": [1.0, 2.0]}, "acceleration"),
        ({"torque": -1.0}, "torque"),
        ({"velocity": np.nan}, "velocity"),
        ({"points": 5}, "points"),
    ],
)
def test_wrong_arguments_are_named(limits: dict[str, Any], name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        motion.time_optimal(paths(9, 5), **limits)


@pytest.mark.parametrize("kind", [{"kind": "linear"}, {"kind": "linear", "blend": 0.05}, {"kind": "quintic"}])
@pytest.mark.parametrize("limits", [{"acceleration": STRONG, "torque": None}, {"torque": 0.6 * ARM.effort_limits}])
def test_limits_hold_on_paths_of_all_kinds(kind: dict[str, Any], limits: dict[str, Any]) -> None:
    fast = motion.time_optimal(paths(10, 6, 5, **kind), **limits)
    t = np.linspace(0.0, 1.0, 4000) * fast.duration[:, None]
    worst = [(abs(fast.v(t)) / ARM.velocity_limits).max()]
    worst.append((abs(fast.a(t)) / STRONG).max() if "acceleration" in limits else 0.0)
    worst.append((abs(fast.tau(t)) / limits["torque"]).max() if limits["torque"] is not None else 0.0)
    assert fast and 0.99 < max(worst) < 1.0 + 1e-3


def test_motions_stop_at_corners_and_nowhere_else() -> None:
    """Three straight pieces from rest to rest take as long as each by itself."""
    rng = np.random.default_rng(11)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    Q = middle + 0.5 * half * rng.uniform(-1, 1, (4, 7))
    limits = {"acceleration": STRONG, "torque": None}
    whole = motion.time_optimal(motion.spline(ARM, Q, "linear"), **limits, points=600)
    parts = [motion.time_optimal(motion.spline(ARM, Q[k : k + 2]), **limits, points=200) for k in range(3)]
    assert whole.duration == pytest.approx(sum(float(p.duration) for p in parts), rel=1e-3)
    blended = motion.time_optimal(motion.spline(ARM, Q, "linear", blend=0.05), **limits)
    assert blended.duration < whole.duration
    assert (whole.speed == 0.0).sum() == 4 and (blended.speed == 0.0).sum() == 2


def test_speeds_at_the_ends_are_those_requested() -> None:
    limits = {"acceleration": STRONG, "torque": None}
    path = paths(12, 6, 5)
    fast = motion.time_optimal(path, **limits, speeds=(0.3, np.full(6, 0.5)))
    assert fast and np.allclose(fast.speed[:, 0], 0.3, 1e-12) and np.allclose(fast.speed[:, -1], 0.5, 1e-9)
    t = np.linspace(0.0, 1.0, 4000) * fast.duration[:, None]
    assert (abs(fast.a(t)) / STRONG).max() < 1.001 and (abs(fast.v(t)) / ARM.velocity_limits).max() < 1.001
    assert (fast.duration < motion.time_optimal(path, **limits).duration).all()
    one = motion.time_optimal(straight(1.0), velocity=None, acceleration=2.0, torque=None, speeds=(1.0, 1.0))
    assert one.duration == pytest.approx(2.0 * (np.sqrt(3.0) - 1.0) / 2.0, rel=1e-9)  # up to √3 and down again
    for speeds, word in (((99.0, 0.0), "start"), ((0.0, 99.0), "end")):
        never = motion.time_optimal(path, **limits, speeds=speeds)
        assert (never.verdict == Verdict.INFEASIBLE).all() and all(word in why for why in never.reason)


def test_frames_keep_their_limits_of_speed_and_acceleration() -> None:
    limit = motion.frame_limits("panda_link8", speed=0.3, acceleration=2.0)
    fast = motion.time_optimal(paths(13, 4, 4), acceleration=STRONG, torque=None, limits=[limit])
    t = np.linspace(0.0, 1.0, 4000) * fast.duration[:, None]
    v = ARM.velocity(fast.q(t), fast.v(t), "panda_link8")[..., 3:]
    a = ARM.classical_acceleration(fast.q(t), fast.v(t), fast.a(t), "panda_link8")[..., 3:]
    speed = np.linalg.norm(v, axis=-1).max()
    assert 0.299 < speed < 0.3003 and abs(a).max() < 2.002
    assert "panda_link8" in fast.limiting


def test_a_base_that_stands_neither_slides_nor_tips_over() -> None:
    """The force and its place on the floor, from the momentum of the robot by differences."""
    square, place = 0.2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), np.array([0.05, 0.0, 0.1])
    limit = motion.standing_limits(square, 0.05, mass=30.0, centre=place)
    path = paths(17, 4)
    fast = motion.time_optimal(path, acceleration=STRONG, torque=None, limits=[limit])
    assert fast and fast.duration > 1.02 * motion.time_optimal(path, acceleration=STRONG, torque=None).duration
    t, h = np.linspace(0.002, 0.998, 4000) * fast.duration, 1e-6
    t = t[np.abs(t[:, None] - fast.times).min(axis=1) > 2.0 * h]
    before, after = (ARM.momentum(fast.q(x), fast.v(x), about="world") for x in (t - h, t + h))
    rate, down = (after - before) / (2.0 * h), np.array([0.0, 0.0, -9.81])
    weights = ARM.mass * down, 30.0 * down
    force = rate[:, 3:] - sum(weights)
    moment = rate[:, :3] - np.cross(ARM.center_of_mass(fast.q(t)), weights[0]) - np.cross(place, weights[1])
    slide = abs(force[:, :2]).max(axis=1) / (0.05 / np.sqrt(2.0) * force[:, 2])
    tip = abs(moment[:, :2] / force[:, 2:]).max(axis=1) / 0.2
    assert 0.98 < max(slide.max(), tip.max()) < 1.001
    assert "standing" in fast.limiting


def test_limits_of_users_that_exclude_rest_are_named() -> None:
    def always_moving(robot: sv.Robot, q: Any, dq: Any, ddq: Any) -> Any:
        one = np.ones((*q.shape[:-1], 1))
        return 0.0 * one, one, 0.5 * one, 2.0 * one

    fast = motion.time_optimal(paths(14, 4), torque=None, limits=[always_moving])
    assert fast.verdict == Verdict.INFEASIBLE and "always_moving" in str(fast.reason)


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        ({"speeds": 1.0}, "speeds"),
        ({"speeds": (-1.0, 0.0)}, "start"),
        ({"speeds": (0.0, np.nan)}, "end"),
        ({"limits": [3]}, "limits"),
        ({"limits": [lambda robot, q, d, e: (q, q)]}, r"limits\[0\]"),
        ({"limits": [lambda robot, q, d, e: (q[0], q[0], q[0], q[0])]}, r"limits\[0\]"),
    ],
)
def test_wrong_speeds_and_limits_are_named(limits: dict[str, Any], name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        motion.time_optimal(paths(9, 5), **limits)


@pytest.mark.parametrize("limits", [{"acceleration": STRONG, "torque": None}, {"torque": 0.6 * ARM.effort_limits}])
def test_no_rate_above_the_maximum_velocity_curve_satisfies_the_limits(limits: dict[str, Any]) -> None:
    """At the curve some s̈ does, a little above it none: the rows are solved for s̈ by themselves."""
    path = paths(19, 3, 5)
    fast = motion.time_optimal(path, velocity=None, **limits)
    assert (fast.largest[:, :-1] <= fast.highest[:, :-1] * (1.0 + 1e-9)).all()
    q, d, e = path.q(fast.s), path.dq(fast.s), path.ddq(fast.s)
    if limits["torque"] is None:
        a, b, rest, most = d, e, 0.0 * d, STRONG
    else:
        zero = np.zeros_like(d)
        rest = ARM.gravity_forces(q)
        a, b, most = (*(ARM.inverse_dynamics(q, *x) - rest for x in ((zero, d), (d, e))), limits["torque"])
    for share, possible in ((1.0 - 1e-9, True), (1.0 + 1e-6, False)):
        held = rest + b * (share * fast.highest[..., None]) ** 2
        ends = np.sort([(-most - held) / a, (most - held) / a], axis=0)
        room = ends[1].min(axis=-1) - ends[0].max(axis=-1)
        finite = fast.highest < 1e6
        assert finite.mean() > 0.5 and ((room > 0.0) == possible)[finite].all()


def test_the_phase_plane_shows_the_rate_below_the_largest() -> None:
    figure = pytest.importorskip("matplotlib.figure")
    fast = motion.time_optimal(paths(15, 5), acceleration=STRONG, torque=None)
    assert (fast.speed <= fast.largest * (1.0 + 1e-9)).all()
    assert (fast.largest - fast.speed).max() > 0.1 and fast.largest[-1] == 0.0
    highest, largest, rate = fast.plot_phase(figure.Figure().subplots()).lines
    assert np.array_equal(highest.get_ydata(), fast.highest)
    assert np.array_equal(rate.get_ydata(), fast.speed) and np.array_equal(largest.get_ydata(), fast.largest)
    with pytest.raises(SixvecError, match="plot_phase"):
        motion.time_optimal(paths(15, 2, 5), acceleration=STRONG, torque=None).plot_phase()
