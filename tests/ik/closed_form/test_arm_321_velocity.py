"""Velocities, forces and accelerations of the 321 structure, against the robot's own algorithms and differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from arms_321_313 import ARMS, BOOK_ARM, BOOK_Q, columns, robot_of

import sixvec as sv
from differences import derivative
from naming import named
from sixvec.algorithms.parts.reference import REFERENCES, Reference
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form.arm_321 import (
    Arm321,
    WristJacobian,
    dual_wrench_basis,
    forward_acceleration,
    forward_force,
    forward_velocity,
    inverse_acceleration,
    inverse_force,
    inverse_velocity,
)
from sixvec.ik.closed_form.arm_321.position import forearm_pose
from sixvec.spatial import Force, Motion, Vec3
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

SAMPLES = 6
by_arm = pytest.mark.parametrize("name", ARMS)


def regular(arm: Arm321, seed: int) -> np.ndarray:
    """Configurations whose factors of det J are all well away from zero."""
    q = robot_of(arm).random(seed, 200)
    J = [WristJacobian(arm, tuple(row)) for row in q.tolist()]
    return q[[min(map(abs, j.factors)) > 0.15 for j in J]][:SAMPLES]


def unit(i: int) -> list[float]:
    return [float(i == j) for j in range(6)]


@pytest.mark.covers("FORM-03", "FORM-04", "KIN-18", "Bruyninckx (7.16)")
@by_arm
def test_forward_velocity_is_the_jacobian_of_the_robot(name: str) -> None:
    arm = ARMS[name]
    q = regular(arm, 1)
    mine = np.stack([columns([forward_velocity(arm, row, unit(i)) for i in range(6)]) for row in q.tolist()])
    assert_close(mine, robot_of(arm).jacobian(q, "tool"), IDENTITY)


@pytest.mark.covers("FORM-03", "KIN-18")
@by_arm
def test_velocity_is_the_derivative_of_position(name: str) -> None:
    arm, rng = ARMS[name], np.random.default_rng(2)
    q, v = regular(arm, 2)[0], rng.normal(size=6)
    rate = derivative(lambda t: robot_of(arm).pose(q + t * v, "tool"))
    spin = rate[:3, :3] @ robot_of(arm).pose(q, "tool")[:3, :3].T
    twist = forward_velocity(arm, q.tolist(), v.tolist())
    assert_close([*twist], [spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]], DIFFERENCE, batched=False)


@pytest.mark.covers("FORM-03", "FORM-04", "FORM-06", "Bruyninckx (7.14)-(7.15)", "Bruyninckx (7.17)")
@by_arm
def test_blocks_and_determinant(name: str) -> None:
    arm = ARMS[name]
    for row in regular(arm, 3).tolist():
        J = WristJacobian(arm, tuple(row))
        dense = columns(J.columns)
        X = forearm_pose(arm, row)
        moved = columns([Motion(X.rot @ c.ang, X.rot @ c.lin) for c in J.columns])
        at_wrist = robot_of(arm).jacobian(row, "link6")  # its origin is the wrist centre
        assert_close(moved, at_wrist, IDENTITY, batched=False)
        assert J.determinant() == pytest.approx(np.linalg.det(dense), rel=1e-11)
        assert J.determinant() == pytest.approx(np.linalg.det(robot_of(arm).jacobian(row, "tool")), rel=1e-11)


@pytest.mark.covers("FORM-03", "Bruyninckx (7.18)")
def test_published_determinants() -> None:
    assert WristJacobian(BOOK_ARM, BOOK_Q).determinant() == pytest.approx(0.0579393, abs=5e-8)
    down = (0.3, 0.853583, -0.5, 0.403635, 1.184036, 1.122360)
    assert WristJacobian(BOOK_ARM, down).determinant() == pytest.approx(-0.0832944, abs=5e-7)


@pytest.mark.covers("FORM-03", "FORM-04", "Bruyninckx (7.33)-(7.37)")
@by_arm
def test_inverse_velocity_solves_with_the_jacobian_of_the_robot(name: str) -> None:
    arm, rng = ARMS[name], np.random.default_rng(4)
    for row in regular(arm, 4):
        t = rng.normal(size=6)
        expected = np.linalg.solve(robot_of(arm).jacobian(row, "tool"), t)
        assert_close(inverse_velocity(arm, row.tolist(), Motion.of(t.tolist())), expected, SOLVED, batched=False)


@pytest.mark.covers("FORM-03", "FORM-04", "KIN-21")
@by_arm
@pytest.mark.parametrize("reference", REFERENCES)
def test_torques_of_a_wrench_and_back(name: str, reference: Reference) -> None:
    arm, rng = ARMS[name], np.random.default_rng(5)
    for row in regular(arm, 5):
        J, w = robot_of(arm).jacobian(row, "tool", reference), rng.normal(size=6)
        torques = inverse_force(arm, row.tolist(), Force.of(w.tolist()), reference)
        assert_close(torques, J.T @ w, IDENTITY, batched=False)
        assert_close([*forward_force(arm, row.tolist(), torques, reference)], w, SOLVED, batched=False)


@pytest.mark.covers("KIN-21")
def test_virtual_work() -> None:
    """The power of the torques is that of the wrench, whatever the rates."""
    arm, rng = ARMS["all"], np.random.default_rng(6)
    for row in regular(arm, 6).tolist():
        rates, w = rng.normal(size=6).tolist(), Force.of(rng.normal(size=6).tolist())
        power = sum(a * b for a, b in zip(inverse_force(arm, row, w, "local_world_aligned"), rates, strict=True))
        assert forward_velocity(arm, row, rates).dot(w) == pytest.approx(power, rel=1e-11)


@pytest.mark.covers("KIN-21")
def test_the_torques_hold_a_weight_in_the_hand() -> None:
    """A wrench *by* the robot: gravity torques of a robot that carries a load are those that push the load upwards."""
    from dataclasses import replace

    from sixvec.model import Body
    from sixvec.spatial import Pose, RigidInertia, Sym3

    model = BOOK_ARM.model()
    load = RigidInertia.from_center_of_mass(2.0, Vec3.zero(), Sym3.zero())
    place = Pose.translation(Vec3(0.0, 0.0, BOOK_ARM.l6))
    loaded = sv.Robot(replace(model, bodies=(*model.bodies, Body("load", "link6", placement=place, inertia=load))))
    up = Force(Vec3.zero(), Vec3(0.0, 0.0, 2.0 * 9.81))
    expected = loaded.gravity_forces(BOOK_Q)
    assert_close(inverse_force(BOOK_ARM, BOOK_Q, up, "local_world_aligned"), expected, IDENTITY, batched=False)


@pytest.mark.covers("KIN-22", "FORM-03", "Bruyninckx (7.42)")
@by_arm
def test_each_partial_wrench_loads_one_joint(name: str) -> None:
    arm = ARMS[name]
    for row in regular(arm, 7).tolist():
        G, J = dual_wrench_basis(arm, row), WristJacobian(arm, tuple(row)).columns
        pairing = [[g.dot(j) for g in G] for j in J]
        assert np.abs(np.array(pairing) - np.eye(6)).max() < SOLVED
        assert_close(columns(G), np.linalg.inv(columns(J)).T, SOLVED, batched=False)


@pytest.mark.covers("KIN-22")
def test_the_geometry_of_the_partial_wrenches() -> None:
    """Through the wrist: parallel to axes 2 and 3, along the forearm, along the line from shoulder to wrist."""
    l2, l3 = BOOK_ARM.l2, BOOK_ARM.l3
    c3, s3 = math.cos(BOOK_Q[2]), math.sin(BOOK_Q[2])
    forward = l2 * math.sin(0.4) + l3 * math.sin(0.9)
    G = dual_wrench_basis(BOOK_ARM, BOOK_Q)
    expected = [(-1 / forward, 0, 0), (0, 0, 1 / (l2 * s3)), (0, 1 / l3, -(l2 * c3 + l3) / (l2 * l3 * s3))]
    for g, f in zip(G[:3], expected, strict=True):
        assert np.allclose([*g.ang], 0.0, atol=1e-14)
        assert np.allclose([*g.lin], f, rtol=1e-12, atol=1e-14)
    shoulder_in_4 = forearm_pose(BOOK_ARM, BOOK_Q).inv() * Vec3(0.0, 0.0, BOOK_ARM.l1)
    assert shoulder_in_4.cross(G[2].lin).norm() < 1e-14


@pytest.mark.covers("KIN-20", "FORM-04")
@by_arm
def test_forward_acceleration_is_that_of_the_robot(name: str) -> None:
    arm, rng = ARMS[name], np.random.default_rng(8)
    for row in regular(arm, 8):
        v, a = rng.normal(size=(2, 6))
        expected = robot_of(arm).classical_acceleration(row, v, a, "tool")
        mine = forward_acceleration(arm, row.tolist(), v.tolist(), a.tolist())
        assert_close([*mine], expected, IDENTITY, batched=False)


@pytest.mark.covers("KIN-20")
@by_arm
def test_acceleration_is_the_derivative_of_velocity(name: str) -> None:
    arm, rng = ARMS[name], np.random.default_rng(9)
    q = regular(arm, 9)[0]
    v, a = rng.normal(size=(2, 6))

    def twist(t: float) -> np.ndarray:
        return np.array([*forward_velocity(arm, (q + t * v + 0.5 * t * t * a).tolist(), (v + t * a).tolist())])

    mine = forward_acceleration(arm, q.tolist(), v.tolist(), a.tolist())
    assert_close([*mine], derivative(twist), DIFFERENCE, batched=False)


@pytest.mark.covers("KIN-20", "FORM-04")
@by_arm
def test_inverse_acceleration_undoes_the_forward(name: str) -> None:
    arm, rng = ARMS[name], np.random.default_rng(10)
    for row in regular(arm, 10):
        v, a = rng.normal(size=(2, 6))
        X = robot_of(arm).classical_acceleration(row, v, a, "tool")
        again = inverse_acceleration(arm, row.tolist(), v.tolist(), Motion.of(X.tolist()))
        assert_close(again, a, 10 * SOLVED, batched=False)  # velocity products are ten times larger than a


@pytest.mark.covers("FORM-06")
@pytest.mark.parametrize(
    ("q", "why"),
    [
        ((0.3, 0.4, 0.0, 0.6, 0.7, 0.8), named("arm", "q3")),
        ((0.3, 0.4, math.pi, 0.6, 0.7, 0.8), named("arm", "q3")),
        ((0.3, 0.4, 0.5, 0.6, 0.0, 0.8), "wrist"),
        (
            (0.3, -math.atan2(0.5 * math.sin(0.8), 0.6 + 0.5 * math.cos(0.8)), 0.8, 0.6, 0.7, 0.8),
            "shoulder",
        ),
    ],
)
def test_the_inverse_names_singularities(q: tuple[float, ...], why: str) -> None:
    with pytest.raises(DegenerateError, match=why):
        inverse_velocity(BOOK_ARM, q, Motion.of((1.0,) * 6))
    with pytest.raises(DegenerateError, match=why):
        forward_force(BOOK_ARM, q, (1.0,) * 6)
    assert all(map(math.isfinite, inverse_force(BOOK_ARM, q, Force.of((1.0,) * 6))))


def test_compiled_in_batches() -> None:
    arm = ARMS["all"]

    @sv.compiled("q[6] v[6] a[6] -> again[6] back[6] torques[6]")
    def round_trip(q: Any, v: Any, a: Any) -> Any:
        twist, moving = forward_velocity(arm, q, v), forward_acceleration(arm, q, v, a)
        torques = inverse_force(arm, q, forward_force(arm, q, a))
        return inverse_velocity(arm, q, twist), inverse_acceleration(arm, q, v, moving), torques

    q = regular(arm, 11)
    v, a = np.random.default_rng(11).normal(size=(2, *q.shape))
    again, back, torques = round_trip(q, v, a)
    assert_close(again, v, SOLVED)
    assert_close(back, a, 10 * SOLVED)
    assert_close(torques, a, SOLVED)
