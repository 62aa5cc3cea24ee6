"""DRIVE, ROTATE, SLIDE, STEER: commutators, Lie brackets, what can be reached, and the chained form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.mobile import (
    Ackermann,
    FixedWheel,
    PlanarPose,
    Platform,
    SteeredWheel,
    VectorField,
    bicycle,
    chained_form,
    commutator,
    controllability,
    lie_bracket,
)
from sixvec.scalar import cos, sin

RNG = np.random.default_rng(6)
DD = sv.mobile.differential_drive(0.5, 0.1)
CAR = sv.mobile.car(1.3, 0.8)


@pytest.mark.covers("MOB-07")
def test_slide_by_a_commutator() -> None:
    drive, rotate = DD.operators["drive"], DD.operators["rotate"]
    end = commutator(drive, rotate, np.zeros(3), 0.1, 0.2)
    assert np.allclose(end, [0.1 * (1 - math.cos(0.2)), -0.1 * math.sin(0.2), 0.0], rtol=0.0, atol=1e-16)
    assert np.allclose(end, [0.00199334, -0.01986693, 0.0], atol=5e-9)
    D, R = PlanarPose.of([0.1, 0.0, 0.0]), PlanarPose.of([0.0, 0.0, 0.2])
    assert np.allclose((D @ R @ D.inv() @ R.inv()).as_vector(), end)
    wrong = (R.inv() @ D.inv() @ R @ D).as_vector()  # the same letters read as a product: the other way
    assert wrong[1] > 0.0
    h = 1e-4
    assert np.allclose(
        commutator(drive, rotate, np.zeros(3), h, h) / h**2, lie_bracket(drive, rotate)([0, 0, 0]), atol=h
    )


@pytest.mark.covers("MOB-07", "MOB-13")
def test_brackets_of_a_car() -> None:
    drive, steer = CAR.operators["drive"], CAR.operators["steer"]
    q = RNG.uniform(-1.0, 1.0, (5, 4))
    phi, sigma, l = q[:, 2], q[:, 3], 1.3
    rotate = lie_bracket(steer, drive)
    zero, size = np.zeros(5), 1.0 / (l * np.cos(sigma) ** 2)
    assert np.allclose(rotate(q), np.stack([zero, zero, size, zero], axis=-1), rtol=0.0, atol=1e-14)
    slide = lie_bracket(rotate, drive)
    expected = np.stack([-np.sin(phi) * size, np.cos(phi) * size, zero, zero], axis=-1)
    assert np.allclose(slide(q), expected, rtol=0.0, atol=1e-14)
    four = np.stack([f(q) for f in (drive, steer, rotate, slide)], axis=-1)
    assert np.allclose(np.linalg.det(four), -1.0 / (l**2 * np.cos(sigma) ** 4))
    assert np.allclose(commutator(steer, drive, [0.3, 0.2, 0.1, 0.0], 1e-4, 1e-4)[2] - 0.1, 1e-8 / l, rtol=1e-3)


@pytest.mark.covers("MOB-07")
def test_a_speed_at_the_front_wheel_does_not_give_a_pure_rotation() -> None:
    front = VectorField(lambda q: [cos(q[2]) * cos(q[3]), sin(q[2]) * cos(q[3]), sin(q[3]) / 1.3, 0.0])
    found = lie_bracket(CAR.operators["steer"], front)([0.0, 0.0, 0.3, 0.4])
    assert np.abs(found[:2]).max() > 0.1


@pytest.mark.covers("MOB-13")
def test_brackets_of_any_fields_against_differences() -> None:
    f = VectorField(lambda q: [q[1] * q[2], sin(q[0]), q[0] * q[0] / (2.0 + cos(q[1]))])
    g = lambda q: [cos(q[2]), q[0] - q[1] * q[2], 1.0]  # noqa: E731
    q, h = RNG.normal(size=3), 1e-6
    slope = lambda F, d: (F(q + h * d) - F(q - h * d)) / (2.0 * h)  # noqa: E731
    G = VectorField(g)
    assert np.allclose(lie_bracket(f, g)(q), slope(G, f(q)) - slope(f, G(q)), atol=1e-9)
    a, b, c = f, G, VectorField(lambda q: [q[2] * q[0], q[1], sin(q[1])])
    jacobi = sum(lie_bracket(x, lie_bracket(y, z))(q) for x, y, z in ((a, b, c), (b, c, a), (c, a, b)))
    assert np.allclose(jacobi, 0.0, atol=1e-13)
    assert np.allclose(lie_bracket(a, b)(q), -lie_bracket(b, a)(q))


def test_fields_may_be_written_with_numpy() -> None:
    drive = lambda q: np.array([np.cos(q[2]), np.sin(q[2]), np.tan(q[3]) / 1.3, 0.0])  # noqa: E731
    steer = lambda q: np.array([0.0, 0.0, 0.0, 1.0])  # noqa: E731
    q = RNG.uniform(-1.0, 1.0, (5, 4))
    own = lie_bracket(CAR.operators["steer"], CAR.operators["drive"])
    assert np.allclose(lie_bracket(steer, drive)(q), own(q))
    assert np.allclose(lie_bracket(lie_bracket(steer, drive), drive)(q), lie_bracket(own, CAR.operators["drive"])(q))
    odd = VectorField(lambda q: [2.0 - q[0] ** 3, np.sqrt(1.0 + q[1] * q[1]), np.arctan2(q[0], 2.0), abs(-q[2])])
    x, y, z, _ = q.T
    expected = np.stack([2.0 - x**3, np.sqrt(1.0 + y * y), np.arctan2(x, 2.0), np.abs(z)], axis=-1)
    assert np.allclose(odd(q), expected)


def test_other_functions_of_numpy() -> None:
    def field(q: Any) -> Any:
        x, y, z = q[0] * 0.5, q[1] + 3.0, q[2]
        return [np.arcsin(x) + np.arctan(z) + np.hypot(y, 2.0), np.arccos(x) * y**-2, y**0.5 + y**-1.5 * z**2]

    q, step = RNG.uniform(-1.0, 1.0, 3), 1e-6
    unit = VectorField(lambda q: [0.0, 1.0, 0.0])
    assert np.allclose(VectorField(field)(q), field(q))
    ahead, behind = (np.array(field(q + s * step * np.eye(3)[1])) for s in (1.0, -1.0))
    assert np.allclose(lie_bracket(unit, field)(q), (ahead - behind) / (2 * step), atol=1e-8)
    with pytest.raises(ArgumentError, match="field"):
        VectorField(lambda q: [np.sin(q[0]) ** 0.3])([0.1])


@pytest.mark.covers("MOB-13")
def test_what_can_be_reached() -> None:
    assert DD.controllability().growth == (2, 3) and CAR.controllability().growth == (2, 3, 4)
    assert sv.mobile.mecanum(0.6, 0.4, 0.05).controllability().growth == (3,)
    only = controllability([DD.operators["drive"]], [0.0, 0.0, 0.3])
    assert not only and only.rank == 1
    rest = np.stack([f(np.zeros(3)) for f in DD.operators.values()])
    assert (
        np.linalg.matrix_rank(rest) == 2
    )  # linearised at rest there is no drift: two of three, so no linear law will do
    truck = CAR.with_trailer(length=2.0).with_trailer(length=1.5)
    found = truck.controllability([0.0, 0.0, 0.1, 0.1, 0.2, -0.1])
    assert found and found.dimension == 6 and "not" not in str(found)


@pytest.mark.parametrize("trailers", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("base", [DD, bicycle(1.3)], ids=lambda b: b.name)
def test_chained_form_is_a_row_of_integrators(base: Any, trailers: int) -> None:
    truck: Any = base
    for _ in range(trailers):
        truck = truck.with_trailer(length=1.1)
    drive, turn = truck.operators.values()
    n = len(truck.controllability(np.full(3 + (base is not DD) + trailers, 0.1)).fields)
    form = chained_form(drive, turn, n, truck.last_axle if trailers else None)
    q, v, w, h = RNG.uniform(-0.4, 0.4, n), 0.7, -0.3, 1e-5
    qd = drive(q) * v + turn(q) * w
    zd = (form.coordinates(q + h * qd) - form.coordinates(q - h * qd)) / (2 * h)
    z, (u1, u2) = form.coordinates(q), form.inputs(q, v, w).T
    assert np.allclose(zd, [u1, u2, *(z[1:-1] * u1)], rtol=1e-6, atol=1e-6)


def test_off_axle_trailers_have_no_chained_form() -> None:
    truck = DD.with_trailer(hitch=0.4, length=0.8)
    with pytest.raises(DegenerateError, match="rotate"):
        chained_form(*truck.operators.values(), 4, truck.last_axle)


def test_unicycle_and_car_in_closed_form() -> None:
    q = RNG.uniform(-0.5, 0.5, 4)
    unicycle = chained_form(*DD.operators.values(), 3).coordinates(q[:3])
    assert np.allclose(unicycle, [q[0], math.tan(q[2]), q[1]])
    car = chained_form(*CAR.operators.values(), 4).coordinates(q)
    assert np.allclose(car, [q[0], math.tan(q[3]) / (1.3 * math.cos(q[2]) ** 3), math.tan(q[2]), q[1]])


def test_bad_fields_raise() -> None:
    with pytest.raises(ArgumentError, match=r"sixvec\.scalar"):
        lie_bracket(lambda q: [math.cos(q[0])], lambda q: [1.0])([0.0])
    with pytest.raises(ArgumentError, match="field"):
        VectorField(lambda q: [np.exp(q[0])])([0.0])
    with pytest.raises(ShapeError, match="field"):
        VectorField(lambda q: [1.0, 0.0])(np.zeros(3))
    with pytest.raises(ArgumentError, match="operators"):
        commutator(VectorField(lambda q: q), DD.operators["drive"], np.zeros(3), 0.1, 0.1)


@pytest.mark.covers("MOB-13")
def test_a_tricycle_drives_as_its_wheel_is_steered() -> None:
    rear = [sv.mobile.FixedWheel(0.1, y, radius=0.1) for y in (0.25, -0.25)]
    base = sv.mobile.Platform([*rear, sv.mobile.SteeredWheel(1.4, 0.2, 0.3, radius=0.1, driven=False)])
    assert [*base.operators] == ["drive", "steer"] and base.controllability([0.0, 0.0, 0.0, 0.1]).growth == (2, 3, 4)
    for angle in (-1.2, -0.3, 0.0, 0.8, 1.2):
        v = base.operators["drive"]([0.0, 0.0, 0.0, angle])
        answer = base.inverse_velocity([v[2], v[0], v[1]], [angle])
        assert answer and np.linalg.norm(v) > 0.1


def test_a_linkage_with_its_axle_elsewhere() -> None:
    wheels = [FixedWheel(0.4, 0.0, radius=0.1, name="rear"),
              SteeredWheel(1.7, 0.0, radius=0.1, driven=False, limit=np.pi / 2, name="front")]  # fmt: skip
    do = Platform(wheels, Ackermann(1.3, axle=0.4)).operators
    bend = np.tan(0.5) / 1.3
    assert np.allclose(do["drive"]([3.0, 2.0, 0.0, 0.5]), [1.0, -0.4 * bend, bend, 0.0])
    assert np.allclose(do["drive"]([3.0, 2.0, np.pi / 2, 0.5]), [0.4 * bend, 1.0, bend, 0.0])
    assert do["steer"]([3.0, 2.0, 0.3, 0.5]).tolist() == [0.0, 0.0, 0.0, 1.0]
    assert do["steer"].move([3.0, 2.0, 0.3, 0.5], 0.25).tolist() == [3.0, 2.0, 0.3, 0.75]  # type: ignore[attr-defined]


def test_growth_of_what_fields_span() -> None:
    def ahead(q: Any) -> list[Any]:
        return [1.0 + 0.0 * q[0], 0.0, 0.0]

    def bent(q: Any) -> list[Any]:
        return [0.0, 1.0, q[0] * q[0] * 0.5]

    def still(q: Any) -> list[Any]:
        return [0.0 * q[0], 0.0, 0.0]

    at = [0.5, 0.2, 0.3]
    whole = controllability([ahead, bent], at)
    assert whole and (whole.rank, whole.dimension, whole.growth) == (3, 3, (2, 3))
    assert whole.fields == ("ahead", "bent", "[ahead, bent]")
    shallow = controllability([ahead, bent], at, depth=1)
    assert not shallow and shallow.growth == (2,) and shallow.fields == ("ahead", "bent")
    alone = controllability([ahead, still, ahead], at)
    assert not alone and alone.growth == (1,) and alone.fields == ("ahead",)
    with pytest.raises(ArgumentError, match=named("controllability", "fields")):
        controllability([], at)
    with pytest.raises(ArgumentError, match=named("controllability", "q")):
        controllability([ahead], [np.nan, 0.0, 0.0])


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_brackets_that_vanish_at_q_have_brackets_that_do_not(power: int) -> None:
    """Of ∂x and ∂y + xᵏ ∂z / k! at x = 0 the k-fold bracket is the first that is ∂z."""
    fields = [
        VectorField(lambda q: [1.0, 0.0, 0.0], "f"),
        VectorField(lambda q: [0.0, 1.0, q[0] ** power / math.factorial(power)], "g"),
    ]
    found = controllability(fields, [0.0, 0.0, 0.0])
    assert found and found.growth == (2,) * power + (3,)
    assert not controllability(fields, [0.0, 0.0, 0.0], depth=power)
    assert controllability(fields, [0.5, 0.0, 0.0]).growth == (2, 3)
