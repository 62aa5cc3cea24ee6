"""Built-in arms against their closed forms, their makers' figures and the files of other packages."""

from __future__ import annotations

import math
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.model.robots.iiwa14 import iiwa14
from sixvec.model.robots.stanford_arm import HAND
from tolerances import PEER, ROUNDING, assert_close

SAMPLES = 50


def turn(axis: int, angle: np.ndarray | float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    T = np.zeros((*np.shape(angle), 4, 4))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T[..., 3, 3] = T[..., axis, axis] = 1.0
    T[..., i, i], T[..., i, j], T[..., j, i], T[..., j, j] = c, -s, s, c
    return T


def shift(*xyz: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = xyz
    return T


def standard(rows: list[tuple[float, float, float]], q: np.ndarray) -> np.ndarray:
    """The product of the transforms (d, a, alpha) of the standard convention."""
    T = np.eye(4)
    for (d, a, alpha), angle in zip(rows, np.moveaxis(q, -1, 0), strict=True):
        T = T @ turn(2, angle) @ shift(a, 0.0, d) @ turn(0, alpha)
    return T


def published(package: str, name: str) -> Path:
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"the package {package} is not installed")
    return Path(str(next(f for f in files if f.name == name).locate())).resolve()


LEFT = math.pi / 2
UR5 = [(0.089159, 0, LEFT), (0, -0.425, 0), (0, -0.39225, 0), (0.10915, 0, LEFT), (0.09465, 0, -LEFT), (0.0823, 0, 0)]
UR5E = [(0.1625, 0, LEFT), (0, -0.425, 0), (0, -0.3922, 0), (0.1333, 0, LEFT), (0.0997, 0, -LEFT), (0.0996, 0, 0)]
"""The maker's tables (d, a, alpha)."""


def test_the_makers_convention_is_that_of_the_published_ur5() -> None:
    file = published("example-robot-data", "ur5_robot.urdf")
    robot = sixvec.load(file)
    q = robot.random(0, SAMPLES)
    # ROS turned the base by half a turn, and the frame that it calls tool0 has the axes of the table.
    assert_close(robot.pose(q, "tool0"), turn(2, math.pi) @ standard(UR5, q), PEER)


def test_ur5e_is_the_product_of_the_makers_transforms() -> None:
    robot = sixvec.load("ur5e")
    q = robot.random(1, SAMPLES)
    assert_close(robot.pose(q, "tool0"), standard(UR5E, q), ROUNDING)
    for i, link in enumerate(("shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link"), start=1):
        assert_close(robot.pose(q, link), standard(UR5E[:i], q[:, :i]), ROUNDING)


def test_ur5e_centres_of_mass_stand_where_the_makers_other_frames_have_them() -> None:
    """The ROS description states the same centres in frames at the joints, which differ from the table's."""
    ros = {
        "shoulder_link": (0.0, -0.00193, -0.02561 + 0.1625),
        "upper_arm_link": (-0.2125, 0.0, 0.11336),
        "forearm_link": (-0.2422, 0.0, 0.0265),
        "wrist_1_link": (0.0, -0.01634, -0.0018 + 0.1333),
        "wrist_2_link": (0.0, 0.01634, -0.0018 + 0.0997),
        "wrist_3_link": (0.0, 0.0, -0.001159 + 0.0996),
    }
    for b in sixvec.load("ur5e").model.moving:
        assert [x / b.inertia.mass for x in b.inertia.moment] == pytest.approx(ros[b.name], abs=1e-12), b.name


def test_iiwa_is_the_published_file() -> None:
    file = published("frax", "iiwa14.urdf")
    ours, theirs = Robot(iiwa14()), sixvec.load(file)
    rng = np.random.default_rng(2)
    q, v, a = ours.random(rng, SAMPLES), *rng.normal(size=(2, SAMPLES, 7))
    for i in range(8):
        assert_close(ours.pose(q, f"iiwa_link_{i}"), theirs.pose(q, f"iiwa_link_{i}"), PEER)
    assert_close(ours.inverse_dynamics(q, v, a), theirs.inverse_dynamics(q, v, a), PEER)
    for limit in ("lower", "upper", "velocity_limits", "effort_limits"):
        np.testing.assert_allclose(getattr(ours, limit), getattr(theirs, limit), rtol=1e-12)


def test_iiwa_in_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(published("frax", "iiwa14.urdf")))
    data, robot, rng = model.createData(), sixvec.load("iiwa14"), np.random.default_rng(3)
    for q in robot.random(rng, 10):
        v, a = rng.normal(size=(2, 7))
        assert_close(robot.inverse_dynamics(q, v, a), pin.rnea(model, data, q, v, a), PEER, batched=False)
        pin.framesForwardKinematics(model, data, q)
        pose = data.oMf[model.getFrameId("iiwa_link_7")].homogeneous
        assert_close(robot.pose(q, "iiwa_link_7"), pose, PEER, batched=False)


def test_iiwa_has_the_makers_distances() -> None:
    robot = sixvec.load("iiwa14")
    q = robot.random(4, SAMPLES)
    # A turn about its own axis leaves the centres where they are: shoulder, elbow, wrist are 360, 420, 400 mm apart.
    shoulder, elbow, wrist = (robot.pose(q, f"iiwa_link_{i}")[:, :3, 3] for i in (2, 4, 6))
    flange = robot.pose(q, "flange")[:, :3, 3]
    assert_close(shoulder, np.broadcast_to([0.0, 0.0, 0.36], shoulder.shape), ROUNDING)
    for a, b, distance in ((shoulder, elbow, 0.42), (elbow, wrist, 0.40), (wrist, flange, 0.126)):
        np.testing.assert_allclose(np.linalg.norm(b - a, axis=-1), distance, rtol=1e-12)


def test_stanford_arm_by_the_book() -> None:
    """Paul 1981 writes out the wrist position and the approach vector of the arm."""
    robot = sixvec.load("stanford_arm")
    q = robot.random(5, SAMPLES)
    (c1, c2, _, c4, c5, _), (s1, s2, _, s4, s5, _) = np.cos(q).T, np.sin(q).T
    d2, d3 = 0.154, q[:, 2]
    wrist = np.stack([c1 * s2 * d3 - s1 * d2, s1 * s2 * d3 + c1 * d2, c2 * d3 + 0.412], axis=-1)
    approach = np.stack(
        [
            c1 * (c2 * c4 * s5 + s2 * c5) - s1 * s4 * s5,
            s1 * (c2 * c4 * s5 + s2 * c5) + c1 * s4 * s5,
            -s2 * c4 * s5 + c2 * c5,
        ],
        axis=-1,
    )
    pose = robot.pose(q, "link6")
    assert_close(pose[:, :3, 3], wrist, ROUNDING)
    assert_close(pose[:, :3, 2], approach, ROUNDING)
    assert_close(robot.pose(q, "tool")[:, :3, 3], wrist + HAND * approach, ROUNDING)


def test_stanford_drives_add_to_the_mass_matrix() -> None:
    robot = sixvec.load("stanford_arm")
    M = robot.mass_matrix(robot.random(6, SAMPLES))
    assert (np.diagonal(M, axis1=-2, axis2=-1) > [0.953, 2.193, 0.782 + 4.25, 0.106, 0.097, 0.020]).all()


def test_cobra_moves_as_a_planar_arm_with_a_quill() -> None:
    robot = sixvec.load("cobra600")
    q = robot.random(7, SAMPLES)
    t1, t2, z, t4 = q.T
    x = 0.325 * np.cos(t1) + 0.275 * np.cos(t1 + t2)
    y = 0.325 * np.sin(t1) + 0.275 * np.sin(t1 + t2)
    pose = robot.pose(q, "flange")
    assert_close(pose[:, :3, 3], np.stack([x, y, 0.387 - z], axis=-1), ROUNDING)
    # Seen from above the quill turns backwards, since its axis points down.
    down = turn(2, t1 + t2 - t4) @ turn(0, math.pi)
    assert_close(pose[:, :3, :3], down[:, :3, :3], ROUNDING)


def test_321_arm_by_its_closed_form() -> None:
    """Bruyninckx (7.3) to (7.6) with the signs that the book's own senses of rotation require."""
    robot = sixvec.load("arm_321")
    q = robot.random(8, SAMPLES)
    l1, l2, l3, l6 = 0.7, 0.6, 0.5, 0.1
    q1, q2, q3, q4, q5, q6 = q.T
    ahead, above = l2 * np.sin(q2) + l3 * np.sin(q2 + q3), l2 * np.cos(q2) + l3 * np.cos(q2 + q3)
    wrist = np.stack([-np.sin(q1) * ahead, np.cos(q1) * ahead, l1 + above], axis=-1)
    forearm = turn(2, q1) @ turn(0, -q2 - q3)
    R = forearm @ turn(2, q4) @ turn(0, -q5) @ turn(2, q6)
    pose = robot.pose(q, "tool")
    assert_close(pose[:, :3, :3], R[:, :3, :3], ROUNDING)
    assert_close(pose[:, :3, 3], wrist + l6 * R[:, :3, 2], ROUNDING)
    assert_close(robot.pose(q, "forearm")[:, :3, 3], wrist, ROUNDING)
    assert_close(robot.pose(q, "forearm")[:, :3, :3], forearm[:, :3, :3], ROUNDING)


def test_321_arm_at_one_position() -> None:
    pose = sixvec.load("arm_321").pose([0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "tool")
    np.testing.assert_allclose(pose[:3, 3], [-0.247016, 0.675447, 1.569336], atol=1e-6)
    np.testing.assert_allclose(pose[2, :3], [-0.950135, -0.306216, 0.058942], atol=1e-6)


def test_321_arm_is_singular_where_its_factors_vanish() -> None:
    """det J = d_h l2 l3 sin q3 sin q5: distance of the wrist from the first axis, stretched arm, stretched wrist."""
    robot = sixvec.load("arm_321")
    q = robot.random(9, SAMPLES)
    ahead = 0.6 * np.sin(q[:, 1]) + 0.5 * np.sin(q[:, 1] + q[:, 2])
    expected = ahead * 0.6 * 0.5 * np.sin(q[:, 2]) * np.sin(q[:, 4])
    # The determinant does not depend on the reference, but on the order of angular and linear part it may.
    np.testing.assert_allclose(np.abs(np.linalg.det(robot.jacobian(q, "tool"))), np.abs(expected), atol=1e-12)


def test_313_arm_by_its_closed_form() -> None:
    robot = sixvec.load("arm_313")
    q = robot.random(10, SAMPLES)
    l1, l2, l3, l7 = 0.36, 0.42, 0.40, 0.126
    upper = turn(2, q[:, 0]) @ turn(0, -q[:, 1]) @ turn(2, q[:, 2])
    lower = upper @ turn(0, -q[:, 3])
    R = lower @ turn(2, q[:, 4]) @ turn(0, -q[:, 5]) @ turn(2, q[:, 6])
    at = [0.0, 0.0, l1] + l2 * upper[:, :3, 2] + l3 * lower[:, :3, 2] + l7 * R[:, :3, 2]
    pose = robot.pose(q, "tool")
    assert_close(pose[:, :3, 3], at, ROUNDING)
    assert_close(pose[:, :3, :3], R[:, :3, :3], ROUNDING)
    one = robot.pose([0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6], "tool")
    np.testing.assert_allclose(one[:3, 3], [-0.051852, 0.694890, 0.748131], atol=1e-6)
    np.testing.assert_allclose(one[0, :3], [0.833276, 0.552781, 0.009203], atol=1e-6)
