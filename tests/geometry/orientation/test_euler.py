"""All 24 conventions of Euler angles: both ways, both solutions, the singularity, and the rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as SciPy

import sixvec
from naming import named
from rotation_samples import SHARP, SINGULAR_TRIP, batch_rotation, columns, entries, matrix, near, numbers, rotations
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.geometry.orientation.euler import SETS, EulerAngles, EulerRates
from sixvec.spatial import Mat3, Rotation, Vec3
from tolerances import ROUNDING

CONVENTIONS = [(axes, frame) for axes in SETS for frame in ("moving", "fixed")]
every_convention = pytest.mark.parametrize(("axes", "frame"), CONVENTIONS)
RIGHT_ANGLES = [k * math.pi / 2 for k in range(-2, 3)]
NEAR = [0.0, 1e-15, -1e-9, 1e-6, -1e-3]


def scipy_name(axes: str, frame: str) -> str:
    return axes.upper() if frame == "moving" else axes


def samples(n: int = 60) -> np.ndarray:
    """Random angles, and second angles at and around all multiples of π/2."""
    rng = np.random.default_rng(11)
    special = np.array([a + d for a in RIGHT_ANGLES for d in NEAR])
    angles = rng.uniform(-math.pi, math.pi, (n + len(special), 3))
    angles[n:, 1] = special
    return angles


@pytest.mark.covers("ROT-06")
def test_there_are_twelve_sets() -> None:
    assert len(SETS) == 12
    with pytest.raises(ArgumentError, match="zzx"):
        EulerAngles(0.0, 0.0, 0.0, "zzx")
    with pytest.raises(ArgumentError, match=named("moving", "fixed", "static")):
        EulerAngles(0.0, 0.0, 0.0, "zyx", "static")  # type: ignore[arg-type]


@pytest.mark.covers("ROT-06", "Bruyninckx (3.31)", "Bruyninckx (3.33)")
@every_convention
def test_forward_agrees_with_scipy(axes: str, frame: str) -> None:
    angles = samples()
    expected = SciPy.from_euler(scipy_name(axes, frame), angles).as_matrix()
    singly = np.array([matrix(EulerAngles(*map(float, a), axes, frame).as_rotation()) for a in angles])
    together = matrix(EulerAngles(*columns(angles), axes, frame).as_rotation())
    assert near(singly, expected, SHARP)
    assert near(together, expected, SHARP)


@pytest.mark.covers("ROT-06")
@every_convention
def test_both_solutions_give_the_rotation_back_also_at_the_singularity(axes: str, frame: str) -> None:
    for a in samples():
        R = EulerAngles(*map(float, a), axes, frame).as_rotation()
        angles = EulerAngles.from_rotation(R, axes, frame)
        allowed = ROUNDING if angles.singular else SHARP
        for solution in (angles, angles.other()):
            assert near(matrix(solution.as_rotation()), matrix(R), allowed)
            assert all(abs(x) <= math.pi for x in solution)
        assert angles.other().second != angles.second or angles.singular
        low, high = (0.0, math.pi) if angles.proper else (-math.pi / 2, math.pi / 2)
        assert low <= angles.second <= high
        assert not angles.singular or angles.third == 0.0


@pytest.mark.covers("ROT-06", "Bruyninckx (3.28)-(3.30)", "Bruyninckx (3.37)-(3.39)")
@every_convention
def test_angles_agree_with_scipy_away_from_the_singularity(axes: str, frame: str) -> None:
    rng = np.random.default_rng(2)
    r = rng.normal(size=(50, 3))
    expected = SciPy.from_rotvec(r).as_euler(scipy_name(axes, frame))
    batch = EulerAngles.from_rotation(batch_rotation(r), axes, frame)
    assert not batch.singular.any()
    turns = (entries(batch) - expected) / (2.0 * math.pi)
    assert np.abs(turns - np.rint(turns)).max() < ROUNDING


@pytest.mark.covers("ROT-06")
@every_convention
def test_the_singularity_is_flagged_exactly_where_it_is(axes: str, frame: str) -> None:
    proper = axes[0] == axes[2]
    for k, angle in enumerate(RIGHT_ANGLES):
        here = (k % 2 == 0) == proper
        angles = EulerAngles(0.4, angle, 0.9, axes, frame)
        assert bool(angles.singular) is here
        found = EulerAngles.from_rotation(angles.as_rotation(), axes, frame)
        assert bool(found.singular) is here
        assert bool(found.other().singular) is here
    assert not EulerAngles(0.4, RIGHT_ANGLES[0 if proper else 1] + 10.0 * ROUNDING, 0.9, axes, frame).singular


@pytest.mark.covers("ROT-06")
def test_all_conventions_compiled() -> None:
    @sixvec.compiled("R[3,3] -> angles[24,3]")
    def all_angles(R):
        return [EulerAngles.from_rotation(Rotation.from_matrix(R), axes, frame) for axes, frame in CONVENTIONS]

    @sixvec.compiled("angles[24,3] -> R[24,3,3]")
    def all_rotations(angles):
        return [EulerAngles(*a, *c).as_rotation().as_matrix() for a, c in zip(angles, CONVENTIONS, strict=True)]

    r = np.vstack(
        [np.random.default_rng(4).normal(size=(40, 3)), np.pi / 2 * np.eye(3), np.pi * np.eye(3), [[0, 0, 0]]]
    )
    R = matrix(batch_rotation(r))
    angles = all_angles(R)
    singly = np.array(
        [[[*EulerAngles.from_rotation(Rotation(Mat3(*map(float, m.ravel()))), *c)] for c in CONVENTIONS] for m in R]
    )
    assert near(np.exp(1j * angles), np.exp(1j * singly), ROUNDING)
    assert near(all_rotations(angles), R[:, None], ROUNDING)


@pytest.mark.covers("ROT-06")
def test_derivatives_are_finite_and_right() -> None:
    @sixvec.compiled("a[3] -> b[24,3]")
    def round_trip(a):
        return [EulerAngles.from_rotation(EulerAngles(*a, *c).as_rotation(), *c) for c in CONVENTIONS]

    slope = round_trip.derivative("a")
    assert near(slope(np.array([0.4, 0.7, -1.1])), np.eye(3), ROUNDING)
    for second in (0.0, math.pi / 2):
        assert np.isfinite(slope(np.array([0.4, second, -1.1]))).all()


@pytest.mark.covers("ROT-06", "Bruyninckx (3.25)")
def test_zxz_in_closed_form() -> None:
    a, b, c = sympy.symbols("alpha beta gamma", real=True)
    ca, sa, cb, sb, cc, sc = (f(x) for x in (a, b, c) for f in (sympy.cos, sympy.sin))
    expected = [
        ca * cc - sa * cb * sc, -ca * sc - sa * cb * cc, sa * sb,
        sa * cc + ca * cb * sc, -sa * sc + ca * cb * cc, -ca * sb,
        sb * sc, sb * cc, cb,
    ]  # fmt: skip
    moving = EulerAngles(a, b, c, "zxz").as_rotation().matrix
    assert all(sympy.simplify(x - y) == 0 for x, y in zip(moving, expected, strict=True))
    fixed = EulerAngles(c, b, a, "zxz", "fixed").as_rotation().matrix
    assert all(sympy.simplify(x - y) == 0 for x, y in zip(fixed, expected, strict=True))


@pytest.mark.covers("ROT-08", "Bruyninckx (3.36)")
@settings(deadline=None, max_examples=50)
@given(numbers, st.floats(-1.5, 1.5), numbers)
def test_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> None:
    R = Rotation.from_rpy(roll, pitch, yaw)
    assert near(matrix(EulerAngles.rpy(roll, pitch, yaw).as_rotation()), matrix(R), SHARP)
    assert near(matrix(EulerAngles(yaw, pitch, roll, "zyx").as_rotation()), matrix(R), SHARP)
    found = EulerAngles.from_rotation(R, "xyz", "fixed")
    assert [*found] == pytest.approx([roll, pitch, yaw], abs=ROUNDING)
    turns = (entries(found.other()) - [roll + math.pi, math.pi - pitch, yaw + math.pi]) / (2.0 * math.pi)
    assert np.abs(turns - np.rint(turns)).max() < ROUNDING


@pytest.mark.covers("ROT-08")
@settings(deadline=None, max_examples=30)
@given(numbers, st.floats(-1.5, 1.5), numbers)
def test_bryant_angles(a: float, b: float, c: float) -> None:
    R = EulerAngles.bryant(a, b, c).as_rotation()
    by_hand = Rotation.about_x(a) @ Rotation.about_y(b) @ Rotation.about_z(c)
    assert near(matrix(R), matrix(by_hand), SHARP)
    assert [*EulerAngles.from_rotation(R, "xyz")] == pytest.approx([a, b, c], abs=ROUNDING)


@pytest.mark.covers("ROT-08")
@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_gimbal_lock(pitch: float) -> None:
    found = EulerAngles.from_rotation(Rotation.from_rpy(0.3, pitch, 0.8), "xyz", "fixed")
    assert found.singular
    assert [*found] == pytest.approx([0.3 - math.copysign(0.8, pitch), pitch, 0.0], abs=SHARP)


@pytest.mark.covers("ROT-09", "Bruyninckx (3.40)")
@every_convention
def test_rates_and_angular_velocity_against_the_derivative_of_the_matrix(axes: str, frame: str) -> None:
    t = sympy.Symbol("t")
    rng = np.random.default_rng(8)
    start, speed = (rng.uniform(0.2, 1.2, 3) for _ in range(2))
    moving = EulerAngles(
        *(float(a) + float(v) * t for a, v in zip(start, speed, strict=True)), axes, frame
    ).as_rotation()
    R = Rotation(
        Mat3(*(float(x.subs(t, 0)) if x.free_symbols else float(x) for x in map(sympy.sympify, moving.matrix)))
    )
    R_dot = Mat3(*(float(sympy.diff(sympy.sympify(x), t).subs(t, 0)) for x in moving.matrix))
    angles, rates = EulerAngles(*map(float, start), axes, frame), EulerRates(*map(float, speed))
    in_space, in_body = angles.space_velocity(rates), angles.body_velocity(rates)
    assert near(entries(in_space), entries(R.space_velocity(R_dot)), SHARP)
    assert near(entries(in_body), entries(R.body_velocity(R_dot)), SHARP)
    assert near(entries(angles.rate_from_space(in_space)), speed, ROUNDING)
    assert near(entries(angles.rate(in_body)), speed, ROUNDING)


@pytest.mark.covers("ROT-09")
@pytest.mark.parametrize("axes", SETS)
def test_determinant_of_the_rate_matrix(axes: str) -> None:
    a, b, c = sympy.symbols("a b c", real=True)
    x, y, z = EulerAngles(a, b, c, axes).turning_axes()
    size = sympy.sin(b) if axes[0] == axes[2] else sympy.cos(b)
    assert sympy.simplify(x.dot(y.cross(z)) ** 2 - size**2) == 0
    if axes == "zxz":
        assert sympy.simplify(x.dot(y.cross(z)) + sympy.sin(b)) == 0


@pytest.mark.covers("ROT-09", "Bruyninckx (3.41)")
def test_zxz_rates_entry_by_entry() -> None:
    """The inverse of E for ZXZ, whose entry (2, 2) is printed wrong in the book: it is sin α, not sin α / sin β."""
    a, b, c = sympy.symbols("alpha beta gamma", real=True)
    second = [EulerAngles(a, b, c, "zxz").rate_from_space(w).second for w in map(Vec3.of, np.eye(3))]
    assert [sympy.simplify(x - y) for x, y in zip(second, [sympy.cos(a), sympy.sin(a), 0], strict=True)] == [0, 0, 0]


@pytest.mark.covers("ROT-09")
@every_convention
def test_rates_at_the_singularity_raise(axes: str, frame: str) -> None:
    angles = EulerAngles(0.4, 0.0 if axes[0] == axes[2] else math.pi / 2, 0.9, axes, frame)
    with pytest.raises(DegenerateError, match="singular"):
        angles.rate_from_space(Vec3(1.0, 0.0, 0.0))


@pytest.mark.covers("ROT-09")
def test_rates_compiled_and_on_batches() -> None:
    @sixvec.compiled("a[3] w[3] -> space[24,3] body[24,3]")
    def rates(a, w):
        sets = [EulerAngles(*a, *c) for c in CONVENTIONS]
        return [s.rate_from_space(Vec3.of(w)) for s in sets], [s.rate(Vec3.of(w)) for s in sets]

    rng = np.random.default_rng(9)
    a, w = rng.uniform(0.2, 1.3, (20, 3)), rng.normal(size=(20, 3))
    space, body = rates(a, w)
    for k, c in enumerate(CONVENTIONS):
        batch = EulerAngles(*columns(a), *c)
        assert near(entries(batch.rate_from_space(Vec3(*columns(w)))), space[:, k], ROUNDING)
        assert near(entries(batch.rate(Vec3(*columns(w)))), body[:, k], ROUNDING)
        assert near(entries(batch.space_velocity(EulerRates(*columns(space[:, k])))), w, ROUNDING)


@settings(deadline=None, max_examples=30)
@given(rotations)
def test_every_convention_describes_the_same_rotation(R: Rotation) -> None:
    for axes, frame in CONVENTIONS:
        assert near(matrix(EulerAngles.from_rotation(R, axes, frame).as_rotation()), matrix(R), SINGULAR_TRIP)


def test_angles_have_no_arithmetic() -> None:
    with pytest.raises(TypeError):
        EulerAngles.rpy(0.0, 0.0, 0.0) + EulerAngles.rpy(0.0, 0.0, 0.0)  # type: ignore[operator]
