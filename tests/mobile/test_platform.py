"""Platforms from lists of wheels: the golden numbers of the book with its errata, laws, other libraries."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.mobile import Ackermann, Caster, FixedWheel, OmniWheel, Platform, SteeredWheel, bicycle, reduced
from sixvec.verdict import Verdict

RNG = np.random.default_rng(2)
DD = sv.mobile.differential_drive(0.5, 0.1)
CAR = sv.mobile.car(1.3, 0.8, radius=0.3)
MECANUM = sv.mobile.mecanum(0.6, 0.4, 0.05)
SWERVE = sv.mobile.swerve(0.6, 0.4, 0.05)
OMNI = sv.mobile.omni3(0.2, 0.05)
ALL = [DD, CAR, MECANUM, SWERVE, OMNI, bicycle(1.1)]


def steering(base: Platform, *batch: int) -> Any:
    return RNG.uniform(-1.0, 1.0, (*batch, len(base.steering_names))) if base.steering_names else None


def test_slip_is_compared_with_the_greatest_speed_of_a_rim_or_a_wheel() -> None:
    assert np.allclose(DD.forward_velocity([[7.0, -12.0], [3.0, 1.0]]).speed, [1.2, 0.3])
    twist = np.array([2.0, 0.3, 0.0])  # wheels at (0, ±0.25): 0.3 ∓ 0.5 forward
    assert np.allclose(DD.inverse_velocity(twist).speed, 0.8)


@pytest.mark.covers("MOB-05", "MOB-02")
def test_differential_drive_golden_numbers() -> None:
    answer = DD.forward_velocity([7.0, 12.0])  # left 0.7 m/s, right 1.2 m/s
    assert np.allclose(answer.twist, [1.0, 0.95, 0.0], rtol=0.0, atol=1e-14)  # printed with 1/(2d)
    assert np.allclose(answer, answer.twist) and answer.verdict == Verdict.SOLVED
    assert np.allclose(DD.icr(answer), [0.0, 0.95])
    vl, vr, d, rl, rr = RNG.uniform(0.1, 2.0, (5, 8))
    for k in range(8):
        base = sv.mobile.differential_drive(d[k], rl[k], rr[k])
        twist = base.forward_velocity([vl[k] / rl[k], vr[k] / rr[k]]).twist
        assert np.allclose(twist, [(vr[k] - vl[k]) / d[k], (vr[k] + vl[k]) / 2, 0.0], rtol=1e-14, atol=1e-14)
        assert np.isclose(base.icr(twist)[1], d[k] / 2 * (vr[k] + vl[k]) / (vr[k] - vl[k]), rtol=1e-12)


@pytest.mark.covers("MOB-03", "Bruyninckx (9.10)-(9.12)")
def test_wrench_bases_of_the_book() -> None:
    G = DD.wrench_basis()
    assert DD.line_names == ("left: rim", "right: rim", "left: sideways", "right: sideways")
    book = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.25, -0.25, 0.0]])  # right, left, constraint; (fx, fy, m)
    assert np.allclose(G[[1, 2, 0]][:, [1, 0, 2]], book)
    assert np.allclose(G[:, 2], G[:, 3])  # one line for both wheels
    l, angle = 1.3, 0.4
    G = bicycle(l).wrench_basis(steer=angle)[[1, 2, 0]]
    G[:, 1:] *= -1.0  # the book's constraint columns point to the right
    assert np.allclose(G[:, 2], [0.38941834, -0.92106099, -1.19737929], atol=1e-8)
    assert np.isclose(np.linalg.det(G), l * math.cos(angle))
    r = l / math.tan(angle)
    assert np.isclose(r, 3.07478915)
    icr = np.array([[1.0, 0.0, math.sin(angle)], [0.0, -1.0, -math.cos(angle)], [r, 0.0, 0.0]])
    assert np.allclose(G, np.array([[1, 0, 0], [0, 1, 0], [-r, 0, 1]]) @ icr)
    printed = np.array([math.cos(angle), -math.sin(angle), -r * math.cos(angle)])  # sine and cosine swapped
    assert not np.allclose(G[:, 2], printed)
    moment_at_front = G[2, 2] - l * G[1, 2]
    assert np.isclose(moment_at_front, 0.0)  # through the front wheel, which the printed one is not


@pytest.mark.covers("MOB-04", "Bruyninckx (9.13)")
def test_slip_from_a_measured_twist() -> None:
    omega, vx, vy, angle = 0.3, 1.1, 0.2, 0.4
    answer = DD.inverse_velocity([omega, vx, vy])
    assert np.allclose(answer.rates, [(vx - omega * 0.25) / 0.1, (vx + omega * 0.25) / 0.1], atol=1e-14)
    assert np.allclose(answer.slip, [vy, vy]) and np.isclose(answer.residual, vy)
    assert answer.verdict == Verdict.UNREACHABLE and "left: sideways 0.2 m/s" in answer.explain()
    front = bicycle(1.3).inverse_velocity([omega, vx, vy], steer=angle)
    assert np.isclose(front.slip[1], -(vx * math.sin(angle) - vy * math.cos(angle) - omega * 1.3 * math.cos(angle)))


@pytest.mark.covers("MOB-05", "Bruyninckx (9.15)-(9.17)")
def test_car_in_closed_form() -> None:
    l, angle, v = 1.3, 0.4, 2.0
    r = l / math.tan(angle)
    twist = bicycle(l).forward_velocity([v], steer=angle).twist
    assert np.allclose(twist, [v / r, v, 0.0], rtol=0.0, atol=1e-14)
    rear = v * (1.0 - np.array([0.4, -0.4]) / r) / 0.3
    answer = CAR.forward_velocity(rear, steer=[angle])
    assert np.allclose(answer.twist, [v / r, v, 0.0], rtol=0.0, atol=1e-14) and answer
    back = CAR.inverse_velocity(answer.twist)
    assert np.allclose(back.steer, [angle]) and np.allclose(back.rates, rear) and back
    assert np.allclose(reduced(CAR).inverse_velocity(answer.twist).rates, rear.mean())
    assert np.isclose(CAR.icr(answer)[1], r)


@pytest.mark.covers("MOB-14")
def test_ackermann_angles() -> None:
    l, w, angle = 1.3, 0.8, 0.5
    left, right = (np.arctan2(s, c) for c, s in CAR.steering.directions(CAR.steered, [angle]))
    r = l / math.tan(angle)
    assert np.allclose(np.tan([left, right]), [l / (r - w / 2), l / (r + w / 2)])
    assert np.isclose(1 / math.tan(right) - 1 / math.tan(left), w / l)
    assert CAR.rolling_twist(steer=[[angle], [-angle], [0.0], [1.5]]).residual.max() < 1e-15
    assert np.allclose(CAR.wheel_angles(angle), [left, right], rtol=0.0, atol=1e-15)
    steer = RNG.uniform(-1.2, 1.2, (7, 1))
    for wheel, a in zip(CAR.steered, CAR.wheel_angles(steer).T, strict=True):  # each rolls along its own velocity
        twist = np.stack([np.tan(steer[:, 0]) / l, np.ones(7), np.zeros(7)], axis=-1)
        speed = np.array([twist[:, 1] - twist[:, 0] * wheel.y, twist[:, 2] + twist[:, 0] * wheel.x])
        assert np.allclose(np.cos(a) * speed[1], np.sin(a) * speed[0], atol=1e-14)
    with pytest.raises(ArgumentError, match="steered"):
        MECANUM.wheel_angles(0.1)


@pytest.mark.covers("MOB-05", "Bruyninckx (9.15)-(9.17)")
def test_a_differential_gear_turns_its_wheels_at_the_mean_rate() -> None:
    rate, steer = RNG.normal(size=9), RNG.uniform(-1.2, 1.2, (9, 1))
    found = CAR.shaft_velocity(rate, steer)
    l, radius = 1.3, CAR.rolling[0].radius
    expected = np.stack([rate * radius * np.tan(steer[:, 0]) / l, rate * radius, np.zeros(9)], axis=-1)
    assert np.allclose(found.twist, expected, atol=1e-14) and (found.residual < 1e-14).all()
    assert np.allclose(bicycle(l, radius).forward_velocity(rate[:, None], steer).twist, found.twist, atol=1e-14)
    assert np.allclose(CAR.inverse_velocity(found.twist, steer).rates.mean(-1), rate)
    uneven = Platform([replace(CAR.wheels[0], radius=0.2), *CAR.wheels[1:]], CAR.steering)
    assert np.allclose(uneven.inverse_velocity(uneven.shaft_velocity(rate, steer).twist, steer).rates.mean(-1), rate)
    assert DD.shaft_velocity(1.0).verdict == Verdict.SINGULAR


@pytest.mark.covers("Bruyninckx (9.9)")
@pytest.mark.parametrize("base", ALL, ids=lambda b: b.name)
def test_rates_and_forces_have_the_same_power(base: Platform) -> None:
    steer = steering(base, 6)
    twist, forces = RNG.normal(size=(6, 3)), RNG.normal(size=(6, len(base.line_names)))
    answer = base.inverse_velocity(twist, steer=np.zeros(0) if steer is None else steer)
    radii = np.array([w.radius for w in base.rolling if w.driven])
    speeds = np.concatenate([answer.rates * radii, answer.slip], axis=-1)
    assert np.allclose((twist * base.forward_force(forces, steer)).sum(-1), (speeds * forces).sum(-1))
    wrench = base.forward_force(forces, steer)
    assert np.allclose(base.forward_force(base.inverse_force(wrench, steer), steer), wrench)


@pytest.mark.parametrize("base", ALL, ids=lambda b: b.name)
def test_there_and_back(base: Platform) -> None:
    twist = base.filter(RNG.normal(size=(7, 3)))
    answer = base.inverse_velocity(twist)
    assert answer, answer.explain(0)
    back = base.forward_velocity(answer.rates, answer.steer if base.steering_names else None)
    assert np.allclose(back.twist, twist, rtol=0.0, atol=1e-13) and back


@pytest.mark.covers("MOB-16")
def test_redundant_wheels_by_least_squares() -> None:
    steer, rates = steering(SWERVE, 5), RNG.normal(size=(5, 4))
    answer = SWERVE.forward_velocity(rates, steer)
    G = SWERVE.wrench_basis(steer)
    speeds = np.concatenate([rates * 0.05, np.zeros((5, 4))], axis=-1)
    for k in range(5):
        best = np.linalg.lstsq(G[k].T, speeds[k])[0]
        assert np.allclose(answer.twist[k], best)
        assert np.allclose(answer.slip[k], (speeds[k] - G[k].T @ best) * np.repeat([1.0, -1.0], 4))
    assert not answer and (answer.verdict == Verdict.UNREACHABLE).all()
    assert "cannot roll together" in answer.explain(0) and "front_left" in answer.explain(0)
    assert repr(answer) == "<PlatformVelocity: 0 of 5 roll>"


@pytest.mark.covers("MOB-08", "MOB-10")
def test_campion_types() -> None:
    found = {b.name: (b.kind.mobility, b.kind.steerability, b.kind.constraints, b.kind.nonholonomic) for b in ALL}
    assert found == {
        "differential_drive": (2, 0, 1, 1),
        "car": (1, 1, 2, 2),
        "bicycle": (1, 1, 2, 2),
        "mecanum": (3, 0, 0, 0),
        "omni3": (3, 0, 0, 0),
        "swerve": (1, 2, 2, 2),
    }
    one = Platform([SteeredWheel(0.2, 0.0, radius=0.1), OmniWheel(-0.2, 0.1, radius=0.1)])
    assert (one.kind.mobility, one.kind.steerability) == (2, 1)
    linked = Platform([SteeredWheel(1.0, y, radius=0.1) for y in (0.3, -0.3)], Ackermann(1.0))
    assert (linked.kind.mobility, linked.kind.steerability) == (1, 1)  # one input turns both
    tracked = Platform([FixedWheel(x, y, radius=0.1) for x in (-0.3, 0.3) for y in (-0.2, 0.2)])
    assert (tracked.kind.mobility, tracked.kind.nonholonomic) == (1, 0)  # straight on without slip
    assert DD.kind.manoeuvrability == 2 and not DD.kind.holonomic and OMNI.kind.holonomic


@pytest.mark.covers("MOB-10")
def test_an_omni_wheel_of_any_heading_pushes_along_its_roller() -> None:
    heading, roller, x, y = 0.7, -0.5, 0.3, 0.2
    (f,) = Platform([OmniWheel(x, y, heading, radius=0.1, roller_angle=roller)]).wrench_basis().T
    along = np.array([math.cos(heading + roller), math.sin(heading + roller)]) / math.cos(roller)
    assert np.allclose(f, [x * along[1] - y * along[0], *along])
    assert np.isclose(along @ [math.cos(heading), math.sin(heading)], 1.0)  # a unit force of the motor


def test_casters_follow_and_do_not_restrict() -> None:
    trailing = Platform([*DD.wheels, Caster(-0.3, 0.1, offset=0.05, radius=0.04)])
    assert trailing.kind == DD.kind and trailing.line_names == DD.line_names
    twist, angle = np.array([0.7, 0.4, -0.1]), 0.6
    rates = trailing.caster_rates(twist, [angle])
    roll, swivel = rates.roll, rates.swivel
    h = 1e-6
    arm = lambda a: np.array([-0.3, 0.1]) - 0.05 * np.array([math.cos(a), math.sin(a)])  # noqa: E731
    moved = (arm(angle + h * swivel[0]) - arm(angle - h * swivel[0])) / (2 * h)
    x, y = arm(angle)
    contact = np.array([twist[1] - twist[0] * y, twist[2] + twist[0] * x]) + moved
    assert np.isclose(contact @ [-math.sin(angle), math.cos(angle)], 0.0, atol=1e-9)
    assert np.isclose(contact @ [math.cos(angle), math.sin(angle)], roll[0] * 0.04, atol=1e-9)


@pytest.mark.covers("MOB-12")
def test_the_filter_is_a_projection() -> None:
    wanted = RNG.normal(size=(4, 3))
    assert np.allclose(DD.filter(wanted), wanted * [1.0, 1.0, 0.0])
    M = np.array([[2.0, 0.1, 0.5], [0.1, 1.0, 0.3], [0.5, 0.3, 3.0]])
    t = DD.filter(wanted, weight=M)
    assert np.allclose(DD.filter(t, weight=M), t) and np.allclose(t[:, 2], 0.0)
    assert not np.allclose(t[:, :2], wanted[:, :2])  # a coupled weight trades heading for the lost slide
    C = DD.lateral_lines()[:1].T
    Minv = np.linalg.inv(M)
    P = np.eye(3) - Minv @ C @ np.linalg.inv(C.T @ Minv @ C) @ C.T
    assert np.allclose(t, wanted @ P.T)
    steer = steering(CAR, 4)
    assert CAR.inverse_velocity(CAR.filter(wanted, steer=steer), steer=steer).residual.max() < 1e-14


@pytest.mark.covers("MOB-09")
def test_the_equivalent_parallel_robot_has_the_same_velocities() -> None:
    legs = CAR.equivalent_legs(steer=0.3)
    ground, platform = legs.ground, legs.platform
    twist, h = sv.mobile.PlanarTwist(0.4, 0.9, -0.2), 1e-6

    def lengths(t: float) -> Any:
        X = sv.mobile.PlanarPose.exp(twist * t)
        moved = np.array([X.point(p) for p in platform])
        return np.linalg.norm(moved - ground, axis=-1)

    rates = (lengths(h) - lengths(-h)) / (2.0 * h)
    assert np.allclose(rates, CAR.wrench_basis(steer=0.3).T @ list(twist), atol=1e-9)


@pytest.mark.covers("MOB-02", "Bruyninckx (9.8)")
def test_centres_of_rotation_at_infinity_and_on_the_spot() -> None:
    assert np.allclose(DD.icr(DD.forward_velocity([-3.0, 3.0])), 0.0)
    assert DD.icr([0.0, 2.0, 0.0]).tolist() == [0.0, math.inf]
    assert np.isnan(DD.icr([0.0, 0.0, 0.0])).all()


def test_single_precision_and_batches_agree() -> None:
    rates, steer = RNG.normal(size=(3, 2, 4)), steering(SWERVE, 2)
    whole = SWERVE.forward_velocity(rates, steer).twist
    assert whole.shape == (3, 2, 3)
    assert np.array_equal(whole[1, 1], SWERVE.forward_velocity(rates[1, 1], steer[1]).twist)


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: sv.mobile.car(0.0, 0.8), ModelError, "wheelbase"),
    (lambda: sv.mobile.differential_drive(0.5, 0.0), ModelError, "left"),
    (lambda: FixedWheel(0.0, 0.0, radius=-1.0), ModelError, "radius"),
    (lambda: FixedWheel(math.nan, 0.0, radius=1.0), ModelError, "wheel"),
    (lambda: CAR.wrench_basis(steer=1.6), ArgumentError, named("steering", "limit")),
    (lambda: CAR.wrench_basis(), ArgumentError, "steer"),
    (lambda: SWERVE.wrench_basis(steer=[0.0, 0.0]), ShapeError, named("steer", "front_left", "front_right")),
    (lambda: DD.forward_velocity([1.0]), ShapeError, "rates"),
    (lambda: OmniWheel(0.0, 0.0, radius=0.1, roller_angle=math.pi / 2), ModelError, "rollers"),
    (lambda: Caster(0.0, 0.0, offset=0.0, radius=0.1), ModelError, "offset"),
    (lambda: Platform([Caster(0.0, 0.0, offset=0.1, radius=0.1)]), ModelError, "wheel"),
    (lambda: reduced(DD), ArgumentError, "differential_drive"),
    (lambda: Platform([FixedWheel(0.0, 0.0, radius=0.1, name="a")] * 2), ModelError, named("a")),
]


@pytest.mark.parametrize(("make", "error", "text"), BAD)
def test_bad_input_raises_and_is_named(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_wheels_that_cannot_roll_together_are_named() -> None:
    places = [(0.0, 0.2, 0.0, "a"), (0.5, 0.0, 0.7, "b"), (-0.4, 0.1, 1.1, "c")]
    with pytest.raises(ModelError, match=named("c")):
        Platform([FixedWheel(x, y, h, radius=0.1, name=n) for x, y, h, n in places])


def test_verdicts_of_samples() -> None:
    assert DD.inverse_velocity(np.zeros(3)) and DD.forward_velocity(np.zeros(2))  # at rest nothing slips
    one = Platform([OmniWheel(0.0, 0.0, radius=0.1)])
    answer = one.forward_velocity([1.0])
    assert answer.verdict == Verdict.SINGULAR and "do not determine" in answer.explain()
    broken = DD.forward_velocity([[np.nan, 1.0], [1.0, 1.0]])
    assert broken.verdict.tolist() == [Verdict.INVALID, Verdict.SOLVED]
    spot = CAR.inverse_velocity([1.0, 0.0, 0.0])  # on the spot: front wheels at 90°
    assert spot.verdict == Verdict.AT_LIMIT and "beyond their limit" in spot.explain()
    assert CAR.inverse_velocity([-0.5, -1.0, 0.0]) and SWERVE.inverse_velocity([1.0, 0.0, 0.0])


def test_platforms_pickle() -> None:
    truck = CAR.with_trailer(hitch=0.2, length=1.0)
    for made in (CAR, SWERVE, truck):
        assert made.operators
        again = pickle.loads(pickle.dumps(made))
        assert again == made and repr(again) == repr(made)


def test_headings_in_degrees_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=named("math.radians")):
        SWERVE.wrench_basis(steer=[0.0, 45.0, 0.0, 0.0])
    with pytest.warns(UserWarning, match=named("math.radians")):
        FixedWheel(0.0, 0.0, 90.0, radius=0.1)


@pytest.mark.covers("MOB-02")
def test_the_radius_of_a_turn_is_that_of_the_middle_of_the_axle() -> None:
    """l / tan σ to the middle, and not to the centres of the wheels, as printed; right and left are not swapped."""
    l, angle, track = 1.3, 0.4, 0.8
    car = sv.mobile.car(l, track)
    r = l / math.tan(angle)
    center = car.icr(car.rolling_twist([angle]))
    assert np.allclose(center, [0.0, r], atol=1e-12)
    to_wheels = [math.dist(center, (w.x, w.y)) for w in car.wheels[:2]]
    assert np.allclose(to_wheels, [r - track / 2, r + track / 2]) and not np.isclose(to_wheels, r).any()
    drive = sv.mobile.differential_drive(0.5, 0.1)
    left, right = drive.inverse_velocity([1.0, 0.95, 0.0]).rates * 0.1  # turning to the left, the right one is faster
    assert np.isclose(right, 1.2) and np.isclose(left, 0.7)


@pytest.mark.covers("MOB-03")
def test_a_wrench_at_the_centre_of_rotation_is_moved_to_the_axle_by_its_screw_transform() -> None:
    """[[1, 0, 0], [0, 1, 0], [-r, 0, 1]] on (fx, fy, m), and not the factor that is printed in (9.12)."""
    l, angle = 1.3, 0.4
    r = l / math.tan(angle)
    at_center = np.array([[1.0, 0.0, math.sin(angle)], [0.0, -1.0, -math.cos(angle)], [r, 0.0, 0.0]])
    order = [1, 2, 0]  # force first, as in the book
    shift = np.array(sv.mobile.PlanarPose.of([0.0, r, 0.0]).wrench_matrix())[np.ix_(order, order)]
    assert np.allclose(shift, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-r, 0.0, 1.0]])
    found = shift @ at_center
    assert np.allclose(found[:, 2], [0.38941834, -0.92106099, -1.19737929], atol=5e-9)
    G = sv.mobile.bicycle(l).wrench_basis([angle])[order]
    assert np.allclose(found, G * [1.0, -1.0, -1.0], atol=1e-12)  # the book's axles point to the right


@pytest.mark.covers("MOB-13")
def test_the_linearisation_at_rest_cannot_slide() -> None:
    """Rank 2 of 3: no linear law removes an error sideways, while brackets have rank 3."""
    drive = sv.mobile.differential_drive(0.5, 0.1)
    B = np.stack([f(np.zeros(3)) for f in drive.operators.values()], axis=-1)
    assert np.linalg.matrix_rank(B) == 2 and drive.controllability().rank == 3  # at rest the drift is zero: A = 0


@pytest.mark.covers("MOB-04")
def test_two_parallel_omni_wheels_do_not_determine_the_motion() -> None:
    base = Platform([OmniWheel(0.0, 0.2, 0.0, radius=0.1), OmniWheel(0.0, -0.2, 0.0, radius=0.1)])
    found = base.forward_velocity([[1.0, 1.0], [np.nan, 1.0]])
    assert found.verdict.tolist() == [Verdict.SINGULAR, Verdict.INVALID] and np.isnan(found.residual).all()
    assert found.explain(0) == "the wheels do not determine the motion" and np.isnan(found.twist[0, 2])
    forces = base.inverse_force([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.4, 1.0, 1e-3]])
    assert np.isnan(forces[[0, 3]]).all() and np.allclose(forces[[1, 2]], [[1.0, 1.0], [0.0, 0.0]])
    assert np.isclose(base.least_forces([0.4, 1.0, 1e-3]).residual, 1e-3)


C, S = math.cos(2.0 * math.pi / 3.0), math.sin(2.0 * math.pi / 3.0)
BUILT: list[tuple[Platform, list[tuple[str, float, float, float, float, bool]]]] = [
    (sv.mobile.differential_drive(0.5, 0.1), [("left", 0, 0.25, 0, 0.1, True), ("right", 0, -0.25, 0, 0.1, True)]),
    (sv.mobile.differential_drive(0.5, 0.1, 0.2), [("left", 0, 0.25, 0, 0.1, True), ("right", 0, -0.25, 0, 0.2, True)]),
    (sv.mobile.bicycle(1.3), [("rear", 0, 0, 0, 1.0, True), ("front", 1.3, 0, 0, 1.0, False)]),
    (sv.mobile.bicycle(1.3, 0.4), [("rear", 0, 0, 0, 0.4, True), ("front", 1.3, 0, 0, 0.4, False)]),
    (sv.mobile.car(1.3, 0.8), [
        ("rear_left", 0, 0.4, 0, 1.0, True), ("rear_right", 0, -0.4, 0, 1.0, True),
        ("front_left", 1.3, 0.4, 0, 1.0, False), ("front_right", 1.3, -0.4, 0, 1.0, False),
    ]),
    (sv.mobile.car(1.3, 0.8, 0.3, 0.6), [
        ("rear_left", 0, 0.4, 0, 0.3, True), ("rear_right", 0, -0.4, 0, 0.3, True),
        ("front_left", 1.3, 0.3, 0, 0.3, False), ("front_right", 1.3, -0.3, 0, 0.3, False),
    ]),
    (sv.mobile.swerve(0.6, 0.4, 0.05), [
        ("front_left", 0.3, 0.2, 0, 0.05, True), ("front_right", 0.3, -0.2, 0, 0.05, True),
        ("rear_left", -0.3, 0.2, 0, 0.05, True), ("rear_right", -0.3, -0.2, 0, 0.05, True),
    ]),
    (sv.mobile.mecanum(0.6, 0.4, 0.05), [
        ("front_left", 0.3, 0.2, 0, 0.05, True), ("front_right", 0.3, -0.2, 0, 0.05, True),
        ("rear_left", -0.3, 0.2, 0, 0.05, True), ("rear_right", -0.3, -0.2, 0, 0.05, True),
    ]),
    (sv.mobile.omni3(0.2, 0.05), [
        ("", 0.2, 0, math.pi / 2, 0.05, True), ("", 0.2 * C, 0.2 * S, 7 * math.pi / 6, 0.05, True),
        ("", 0.2 * C, -0.2 * S, 11 * math.pi / 6, 0.05, True),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("base", "wheels"), BUILT, ids=[b.name for b, _ in BUILT])
def test_wheels_of_common_platforms(base: Platform, wheels: list[tuple[str, float, float, float, float, bool]]) -> None:
    assert len(base.wheels) == len(wheels)
    for wheel, (name, x, y, heading, radius, driven) in zip(base.wheels, wheels, strict=True):
        assert isinstance(wheel, FixedWheel) and wheel.driven == driven
        assert not name or wheel.name == name
        assert (wheel.x, wheel.y, wheel.heading, wheel.radius) == pytest.approx((x, y, heading, radius), abs=1e-15)
        if isinstance(wheel, SteeredWheel):
            assert wheel.limit == (math.inf if base.name == "swerve" else math.pi / 2)
        if isinstance(wheel, OmniWheel):
            rollers = 0.0 if base.name == "omni3" else -np.sign(wheel.x * wheel.y) * math.pi / 4
            assert wheel.roller_angle == pytest.approx(rollers)


def long_car(axle: float, front: bool, radius: float) -> Platform:
    """With the frame anywhere along its length, driven at either end, and wheels of two sizes."""
    rear = [FixedWheel(axle, y, radius=0.3, driven=not front, name=f"rear{y}") for y in (0.4, -0.4)]
    ahead = [SteeredWheel(axle + 1.3, y, radius=radius, driven=front, limit=1.1, name=f"front{y}") for y in (0.4, -0.4)]
    return Platform([*rear, *ahead], Ackermann(1.3, axle))


@pytest.mark.covers("MOB-09")
@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize("axle", [-0.5, 0.0, 0.7])
def test_the_bicycle_of_a_car_has_its_frame_drive_and_radii(axle: float, front: bool) -> None:
    car = long_car(axle, front, 0.2)
    alike = reduced(car)
    assert [(w.x, w.radius, w.driven) for w in alike.rolling] == [(axle, 0.3, not front), (axle + 1.3, 0.2, front)]
    for angle in (-0.9, 0.0, 0.35):
        twist = car.filter([0.3, 1.0, 0.2], steer=[angle])
        motion = alike.inverse_velocity(twist)
        assert motion and np.allclose(motion.steer, angle) and np.allclose(car.inverse_velocity(twist).steer, angle)
        assert np.allclose(alike.forward_velocity(motion.rates, motion.steer).twist, twist)
        if not front:
            assert np.allclose(motion.rates, car.inverse_velocity(twist).rates.mean())
    with pytest.raises(ArgumentError, match="limit"):
        alike.forward_velocity(np.ones(1), [1.2])
    uneven = Platform([*car.wheels[:3], replace(car.wheels[3], radius=0.25)], car.steering)
    with pytest.raises(ArgumentError, match="reduced"):
        reduced(uneven)
    alone = Platform([replace(w, driven=w.name == "rear0.4") for w in car.rolling], car.steering)
    with pytest.raises(ArgumentError, match="reduced"):
        reduced(alone)
