"""What `closed_form` recognises and rejects; poses at singularities and out of reach."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from multi_start import angle_gap
from sample_arms import Z, iiwa, random_arm, ur5e

import sixvec
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, FrameNotFound, ShapeError
from sixvec.ik.closed_form import SerialChain, closed_form, geometry
from sixvec.model import Mimic

ACCURACY = 1e-9


def test_swivel_angle_of_a_redundant_arm() -> None:
    robot = iiwa()
    solver = closed_form(robot, "tool")
    assert solver.redundant
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (1000, 7))
    X = robot.pose(q, "tool")
    shoulder = np.array([0.0, 0.0, 0.36])
    elbow, wrist = (robot.pose(q, link)[:, :3, 3] for link in ("link4", "link6"))
    along = (wrist - shoulder) / np.linalg.norm(wrist - shoulder, axis=1, keepdims=True)
    from_axis = np.array(Z) - along * along[:, 2:]
    psi = np.arctan2((along * np.cross(from_axis, elbow - shoulder)).sum(-1), (from_axis * (elbow - shoulder)).sum(-1))
    found = solver(X, psi)
    assert found.valid.all()  # eight for every swivel angle: the iiwa's shoulder and wrist have right angles
    assert np.abs(robot.pose(found.q, "tool") - X[:, None]).max() < ACCURACY
    assert (angle_gap(found.q, q[:, None]).min(-1) < 1e-6).all()
    sampled = solver(X[0], np.linspace(0.0, 6.0, 50))
    assert sampled.q.shape == (50, 8, 7) and sampled.valid.all()
    with pytest.raises(ArgumentError, match="swivel"):
        solver(X)


@pytest.mark.every(2)
@pytest.mark.parametrize("place", [3, 4, 5, 6, 7])
def test_a_seven_joint_arm_with_one_joint_locked(place: int) -> None:
    robot = sixvec.load("panda")
    name = f"panda_joint{place}"
    q = robot.random(2, 300)
    q[:, place - 1] = -0.5
    X = robot.pose(q, "panda_link8")
    found = closed_form(robot, "panda_link8", locked={name: -0.5})(X)
    error = np.abs(robot.pose(found.q, "panda_link8") - X[:, None]).max((-1, -2))
    assert error[found.valid].max() < ACCURACY
    gap = np.where(found.valid, angle_gap(found.q, q[:, None]), np.inf).min(-1)
    assert (gap < 1e-5).all()
    assert (found.q[found.valid][:, place - 1] == -0.5).all()


SINGULAR = {
    "puma560 wrist straight": ("puma560", [0.3, 0.7, -1.1, 0.4, 0.0, 0.9]),
    "puma560 arm stretched": ("puma560", [0.3, 0.7, np.pi / 2 + np.arctan2(0.0203, 0.4318), 0.4, 0.6, 0.9]),
    "puma560 all zero": ("puma560", [0.0] * 6),
    "ur5e wrist aligned": ("ur5e", [0.3, -0.7, 1.1, 0.4, 0.0, 0.9]),
    "ur5e wrist aligned backwards": ("ur5e", [0.3, -0.7, 1.1, 0.4, np.pi, 0.9]),
    "ur5e elbow stretched": ("ur5e", [0.3, -0.7, 0.0, 0.4, 1.2, 0.9]),
    "ur5e elbow folded": ("ur5e", [0.3, -0.7, np.pi, 0.4, 1.2, 0.9]),
    "ur5e all zero": ("ur5e", [0.0] * 6),
    "ur5e upright": ("ur5e", [0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0, 0.0]),
}


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("distance", [0.0, 1e-12, 1e-8, 1e-5])
def test_singular_poses(name: str, distance: float) -> None:
    kind, at = SINGULAR[name]
    robot, frame = (ur5e(), "tool") if kind == "ur5e" else (sixvec.load(kind), "link6")
    X = robot.pose(np.array(at) + distance * np.arange(1.0, 7.0), frame)
    found = closed_form(robot, frame)(X)
    assert np.isfinite(found.q).all()
    assert found.count >= 1  # with every branch at its end, all solutions are one
    assert np.abs(robot.pose(found.q, frame) - X)[found.valid].max() < ACCURACY
    some = found.q[found.valid]
    assert (angle_gap(some[:, None], some[None]) + np.eye(len(some))).min() > 1e-7  # and it is not said twice


@pytest.mark.parametrize("joint", [2, 4])
@pytest.mark.parametrize("at", [0.0, np.pi])
def test_ever_closer_to_a_singularity_there_is_a_solution(joint: int, at: float) -> None:
    """With the wrist aligned the UR's last joint is free, but most of its positions put the pose out of reach."""
    robot, rng = ur5e(), np.random.default_rng(5)
    q = rng.uniform(-np.pi, np.pi, (5000, 6))
    q[:, joint] = at + 10.0 ** rng.uniform(-17.0, -1.0, 5000)
    X = robot.pose(q, "tool")
    found = closed_form(robot, "tool")(X)
    assert found.valid.any(-1).all()
    assert np.abs(robot.pose(found.q, "tool") - X[:, None]).max((-1, -2))[found.valid].max() < ACCURACY


def test_unreachable_poses_have_marked_near_misses() -> None:
    robot = ur5e()
    X = robot.pose(robot.random(0), "tool")
    X[:3, 3] = [5.0, 0.0, 0.0]
    found = closed_form(robot, "tool")(X)
    assert not found.valid.any() and found.least_squares.all()
    assert np.isfinite(found.q).all() and (found.error > 1.0).all()


@pytest.mark.parametrize("name", ["ur5e", "meeting", "general"])
def test_what_is_no_number_stays_in_its_sample_and_what_is_not_a_pose_raises(name: str) -> None:
    robot = {"ur5e": ur5e(), "meeting": random_arm(4, meet=(3, 4, 5)), "general": random_arm(20)}[name]
    solver = closed_form(robot, "tool")
    X = robot.pose(robot.random(0, 8), "tool")
    good = solver(X)
    bad = X.copy()
    bad[1, 0, 0] = np.nan
    bad[2, 1, 3] = np.nan
    bad[5, :3, 3] = np.inf
    found = solver(bad)
    assert not found.valid[[1, 2, 5]].any() and np.isnan(found.q[[1, 2, 5]]).all()
    np.testing.assert_allclose(found.q[[0, 3, 4, 6, 7]], good.q[[0, 3, 4, 6, 7]], rtol=0.0, atol=1e-9)
    assert found.valid[0].any()
    scaled, mirrored, row = X.copy(), X.copy(), X.copy()
    scaled[3, :3, :3] *= 1.1
    mirrored[4, :3, 0] *= -1.0
    row[6, 3, 0] = 0.5
    for no_pose, why in ((scaled, named("pose[3]")), (mirrored, named("pose[4]")), (row, "pose")):
        with pytest.raises(ArgumentError, match=why):
            solver(no_pose)
    with pytest.raises(ArgumentError, match="pose"):
        solver(2.0 * X[0])


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["ur5e", "meeting", "general", "seven"])
def test_rotations_with_few_digits_are_taken_to_the_nearest(name: str) -> None:
    """Single precision and rounded decimals: all solutions, each at the nearest rotation and so within the rounding."""
    arms = {"ur5e": ur5e(), "meeting": random_arm(4, meet=(3, 4, 5)), "general": random_arm(20)}
    robot, frame = (arms[name], "tool") if name in arms else (sixvec.load("arm_313"), "tool")
    solver = closed_form(robot, frame)
    swivel = (0.3,) if solver.redundant else ()
    X = robot.pose(robot.random(0, 6), frame)
    exact = solver(X, *swivel)
    for rough, rounding in ((X.astype(np.float32), 1e-7), (np.round(X, 7), 1e-7)):
        assert np.abs(np.swapaxes(rough, -1, -2)[:, :3, :3] @ rough[:, :3, :3] - np.eye(3)).max() > 1e-8
        found = solver(rough, *swivel)
        assert (found.valid.sum(-1) == exact.valid.sum(-1)).all() and found.valid.any()
        gap = np.abs(robot.pose(found.q[found.valid], frame) - X[np.nonzero(found.valid)[0]]).max()
        assert gap < 5 * rounding
        assert (found.error[found.valid] < 1e-8).all()  # against the pose that was solved, the nearest
        one = solver(rough[0], *swivel)
        np.testing.assert_array_equal(one.valid, found.valid[0])


def test_six_decimals_of_a_ur5e_pose_have_its_solutions() -> None:
    robot = sixvec.load("ur5e")
    q = np.array([0.4, -1.3, 1.4, -1.2, -1.2, 0.3])
    X = np.round(robot.pose(q, "tool0"), 6)
    found = closed_form(robot, "tool0")(X)
    assert found.valid.sum() == 8
    assert angle_gap(found.q, q).min() < 1e-5
    assert robot.ik(X, "tool0", q0=q).solved


def test_angles_are_moved_by_a_turn_into_the_limits() -> None:
    robot = ur5e(limits=(0.1, 2 * np.pi + 0.05))
    q = robot.random(3, 200)
    found = closed_form(robot, "tool")(robot.pose(q, "tool"))
    kept = np.where(found.within_limits, np.abs(found.q - q[:, None]).max(-1), np.inf).min(-1)
    assert (kept < 1e-6).all()
    assert found.within_limits.sum() < found.valid.sum()  # the gap of the limits excludes some
    nearest, any_ = found.nearest(q).q, found.nearest(q).solved
    assert any_.all() and np.abs(nearest - q).max() < 1e-6
    wide = ur5e(limits=(-2 * np.pi, 2 * np.pi))
    assert np.abs(closed_form(wide, "tool")(wide.pose(q, "tool")).q).max() <= np.pi


@pytest.mark.covers("FORM-01")
@pytest.mark.parametrize("first", range(4))
def test_pieper_report_finds_the_three_axes(first: int) -> None:
    block = (first, first + 1, first + 2)
    for parallel in (False, True):
        robot = random_arm(first, parallel=block) if parallel else random_arm(first, meet=block)
        (triple,) = geometry(SerialChain.of(robot.model, "tool")).triples
        assert (triple.first, triple.parallel) == (first, parallel)
    assert not geometry(SerialChain.of(random_arm(20).model, "tool")).triples


@pytest.mark.every(2)
@pytest.mark.parametrize("limits", [(7.0, 12.0), (-20.0, -16.0), (-4.0, -3.5), (-3.0, 3.5), (3.0, 4.0)])
def test_limits_that_are_not_about_zero(limits: tuple[float, float]) -> None:
    robot = ur5e(limits=limits)
    q = np.random.default_rng(4).uniform(*limits, (300, 6))
    found = closed_form(robot, "tool")(robot.pose(q, "tool"))
    kept = np.where(found.within_limits, angle_gap(found.q, q[:, None]), np.inf).min(-1)
    assert (kept < 1e-6).all()


@pytest.mark.parametrize("at", [np.pi, -np.pi])
def test_half_a_turn_is_within_limits_that_end_there(at: float) -> None:
    """An angle of π may come out as -π, and be that much beyond the limit."""
    robot = ur5e(limits=(-np.pi, np.pi)) if at > 0.0 else ur5e(limits=(-np.pi, 3.0))
    q = np.array([at, -0.7, 1.1, 0.4, 1.2, 0.9])
    found = closed_form(robot, "tool")(robot.pose(q, "tool"))
    assert angle_gap(found.q, q)[found.within_limits].min() < 1e-9


def test_wrong_names_and_shapes() -> None:
    with pytest.raises(ArgumentError, match=named("panda_joint7", "panda_link3", "panda_joint1")):
        closed_form(sixvec.load("panda"), "panda_link3", locked={"panda_joint7": 0.1})
    with pytest.raises(FrameNotFound, match="panda_link88"):
        closed_form(sixvec.load("panda"), "panda_link88")
    with pytest.raises(ShapeError, match="pose"):
        closed_form(ur5e(), "tool")(np.eye(3))
    with pytest.raises(ArgumentError, match=named("panda_joint7", "locked")) as raised:
        closed_form(sixvec.load("panda"), "panda_link8", locked={"panda_joint7": np.nan})
    assert len(str(raised.value)) < 120


def test_joints_that_no_closed_form_has() -> None:
    solo = sixvec.load("solo12")
    with pytest.raises(DegenerateError, match=named("base_link", "HR_FOOT")):
        SerialChain.of(solo.model, "HR_FOOT")
    arm = sixvec.load("planar_2r").model
    bodies = [replace(b, mimic=Mimic("link1")) if b.name == "link2" else b for b in arm.bodies]
    with pytest.raises(DegenerateError, match=named("link2", "tip")):
        SerialChain.of(replace(arm, bodies=tuple(bodies)), "tip")


def test_straight_programs_find_the_same() -> None:
    arm = sixvec.load("planar_2r")
    solver, X = closed_form(arm, "tip"), arm.pose([0.3, 0.4], "tip")
    for single in (False, True):
        q, error, reached = solver.straight_line(single)(X.reshape(16))
        assert np.allclose(q, solver(X).q, atol=1e-12) and reached.tolist() == [1.0, 1.0] and error.max() < 1e-12
