"""Excavator and landing gear against triangles drawn by hand and virtual work; the Hamilton wrist against algebra."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from sixvec.model.robots.excavator import BOOM_ANGLE, FOOT

RNG = np.random.default_rng(5)


def closed(robot: sv.Robot, **joints: float) -> np.ndarray:
    """The closed position with some joints at given values, near q = 0, by small steps."""
    q = np.zeros(robot.nq)
    moved = [b for b in robot.model.moving if b.joint_name in joints]
    fixed = {robot.model.q_slices[b.name].start: joints[b.joint_name] for b in moved}
    for part in np.linspace(0.1, 1.0, 10):
        for k, value in fixed.items():
            q[k] = part * value
        q = np.asarray(robot.assemble(q, fixed=[*joints]).q)
    return q


def angle_of(a: float, b: float, opposite: float) -> float:
    """Of a triangle, between two of its sides."""
    return math.acos((a * a + b * b - opposite * opposite) / (2.0 * a * b))


@pytest.mark.covers("CHAIN-24")
def test_the_boom_of_the_excavator_is_a_triangle() -> None:
    robot = sv.load("excavator")
    assert sv.analysis.mobility(robot, np.zeros(12)).by_rank == 4
    assert np.abs(robot.closure_error(np.zeros(12))).max() < 1e-14
    base, eye = np.array([0.9, 1.4]), (2.6, -0.3)
    c, s = math.cos(BOOM_ANGLE), math.sin(BOOM_ANGLE)
    at = FOOT[0] + c * eye[0] - s * eye[1], FOOT[1] + s * eye[0] + c * eye[1]
    sides = math.dist(FOOT, base), math.dist(FOOT, at), math.dist(base, at)
    for longer in (-0.4, 0.3):
        q = closed(robot, boom_cylinder=longer, stick_cylinder=0.0, bucket_cylinder=0.0, swing=0.3)
        turned = angle_of(*sides[:2], sides[2] + longer) - angle_of(*sides)
        assert math.isclose(q[1], turned, abs_tol=1e-9)
        assert np.allclose(q[[2, 3]], 0.0, atol=1e-9)  # stick and bucket stay on the boom


@pytest.mark.covers("CHAIN-24")
def test_cylinders_of_the_excavator_hold_its_weight() -> None:
    robot = sv.load("excavator")
    lengths = {"boom_cylinder": 0.1, "stick_cylinder": -0.2, "bucket_cylinder": 0.15, "swing": 0.0}
    q = closed(robot, **lengths)
    forces = robot.inverse_dynamics(q, np.zeros(12), np.zeros(12))
    for name in ("boom_cylinder", "stick_cylinder", "bucket_cylinder"):
        ends = [closed(robot, **{**lengths, name: lengths[name] + h}) for h in (1e-4, -1e-4)]
        lift = (robot.potential_energy(ends[0]) - robot.potential_energy(ends[1])) / 2e-4
        k = robot.model.v_slices[f"{name}_rod"].start
        assert math.isclose(forces[k], lift, rel_tol=1e-5), name
    motors = [robot.model.v_slices[b].start for b in ("carriage", *(f"{n}_rod" for n in list(lengths)[:3]))]
    assert np.allclose(np.delete(forces, motors), 0.0, atol=1e-6)


@pytest.mark.covers("CHAIN-24")
def test_the_leg_of_the_landing_gear_retracts_as_a_triangle() -> None:
    robot = sv.load("landing_gear")
    assert sv.analysis.mobility(robot, np.zeros(9)).by_rank == 3
    pivot, horn = np.array([-0.8, 0.25]), np.array([-0.15, -0.35])
    sides = np.linalg.norm(pivot), np.linalg.norm(horn), np.linalg.norm(pivot - horn)
    for shorter in (-0.05, -0.15):
        q = closed(robot, actuator=shorter)
        turned = angle_of(*sides[:2], sides[2] + shorter) - angle_of(*sides)
        assert math.isclose(q[0], turned, abs_tol=1e-9)  # towards the airframe
        wheel = robot.pose(q, "wheel")[:3, 3]
        leg = math.hypot(0.25, 1.9)
        rest = math.atan2(-1.9, 0.25)
        assert np.allclose(wheel, [0.0, leg * math.cos(rest + turned), leg * math.sin(rest + turned)], atol=1e-9)


@pytest.mark.covers("CHAIN-24")
def test_torque_links_fold_as_the_strut_gives_way() -> None:
    robot = sv.load("landing_gear")
    place = {b.joint_name: k for k, b in enumerate(robot.model.moving)}
    link = math.hypot(0.35, 0.38)
    for give in (-0.1, -0.3):
        q = closed(robot, strut=give, actuator=0.0)
        knee = angle_of(link, link, 0.7 + give) - angle_of(link, link, 0.7)
        assert math.isclose(abs(q[place["lower_torque_link_pin"]]), abs(knee), abs_tol=1e-9)
        spring = robot.passive_forces(q, np.zeros(9))[place["strut"]]
        assert math.isclose(spring, -2.0e5 * give)


@pytest.mark.covers("KIN-27")
def test_the_hamilton_wrist_passes_lined_up_axes() -> None:
    """det J Jᵀ = c2² (1 + s3²) + c3² (1 + s2²): the sum of squares of all triple products of the axes."""
    wrist = sv.load("hamilton_wrist")
    q = RNG.uniform(-math.pi, math.pi, (200, 4))
    J = wrist.jacobian(q, "tool")[:, :3]
    c, s = np.cos(q), np.sin(q)
    expected = c[:, 1] ** 2 * (1 + s[:, 2] ** 2) + c[:, 2] ** 2 * (1 + s[:, 1] ** 2)
    assert np.allclose(np.linalg.det(J @ J.swapaxes(-1, -2)), expected, atol=1e-12)
    lined_up = np.array([0.3, math.pi / 2, 0.4, 0.1])
    assert np.linalg.matrix_rank(wrist.jacobian(lined_up, "tool")[:3], tol=1e-9) == 3
    three = wrist.jacobian(lined_up, "tool")[:3, :3]
    assert np.linalg.matrix_rank(three, tol=1e-9) == 2  # without its last joint it is singular there
    both = np.array([0.3, math.pi / 2, math.pi / 2, 0.1])
    assert np.linalg.matrix_rank(wrist.jacobian(both, "tool")[:3], tol=1e-9) == 2
    tool = wrist.pose(q, "tool")
    assert np.allclose(np.linalg.norm(tool[:, :3, 3], axis=-1), 0.12)
