"""Modes along a way, workspace, and calibration."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from parallel_robots import FAMILIES, HOME, hexapod, pose, ring, rpr
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.parallel import (
    Planar3RPR,
    StewartGough,
    calibrated,
    reach,
    singularity_free_path,
    singularity_free_radius,
    track,
    workspace,
)
from sixvec.parallel.calibration import _deviations, _leg_equations
from sixvec.parallel.reach import REASONS, segment_distance

RNG = np.random.default_rng(41)


def test_a_mode_is_kept_along_a_way_and_its_end_is_found() -> None:
    robot = rpr()
    X = np.linspace([1.0, 1.0, 0.0], [1.6, 1.2, 0.4], 9)
    kept = track(robot, robot.inverse_position(X), X[0])
    assert kept.kept and np.allclose(kept.poses, X, atol=1e-10)
    # From one mode towards the lengths at which two modes have met and gone: the way ends at a singularity.
    q0 = robot.inverse_position(X[0])
    modes = robot.assembly_modes(q0)
    gone = q0 * np.array([1.0, 1.0, 3.0])
    way = q0 + np.linspace(0.0, 1.0, 21)[:, None] * (gone - q0)
    counts = robot.assembly_modes(way).count
    assert counts[0] == modes.count and counts[-1] == 0
    lost = track(robot, way, X[0])
    assert not lost.kept and counts[lost.switch] < counts[0]
    assert np.isnan(lost.poses[lost.switch :]).all() and np.isfinite(lost.poses[: lost.switch]).all()
    assert "lost between" in repr(lost)


@pytest.mark.parametrize("name", ["hexapod", "hexa", "delta"])
def test_modes_of_every_space_can_be_followed(name: str) -> None:
    robot, X = FAMILIES[name]
    shift = np.linspace(0.0, 0.1, 5)
    way = np.stack([X @ pose([0, 0, s], [s, 0, s]) if X.shape == (4, 4) else X + s for s in shift])
    found = track(robot, np.asarray(robot.inverse_position(way)), way[0])
    assert found.kept and np.allclose(robot.space.checked(found.poses, "X"), way, atol=1e-9)
    with pytest.raises(DegenerateError, match="track"):
        track(hexapod(7), np.ones((3, 7)), HOME)


@pytest.mark.covers("PAR-29")
def test_reach_names_the_leg_and_the_reason() -> None:
    plain = hexapod()
    q = plain.inverse_position(HOME)
    robot = StewartGough(plain.roots, plain.platform, limits=(q - 0.2, q + 0.2))
    far = pose([0, 0, 0], [0, 0, 3.0])
    near = pose([0, 0, 0], [0, 0, 0.3])
    found = reach(robot, np.stack([HOME, far, near]))
    assert [REASONS[k] for k in found.reason] == ["reached", "leg too long", "leg too short"]
    assert found.leg.tolist()[0] == -1 and min(found.leg.tolist()[1:]) >= 0
    assert not reach(robot, HOME, base_cone=([0, 0, 1.0], 0.01)).reached
    assert reach(robot, HOME, base_cone=([0, 0, 1.0], 1.5), platform_cone=([0, 0, -1.0], 1.5)).reached
    assert reach(robot, HOME, leg_radius=0.01).reached
    assert REASONS[int(reach(robot, HOME, leg_radius=0.3).reason)] == "legs touch"


def test_rods_are_as_far_apart_as_sampling_says() -> None:
    P = RNG.normal(size=(20, 4, 3))
    s = np.linspace(0, 1, 201)
    one = P[:, 0, None] + s[:, None] * (P[:, 1] - P[:, 0])[:, None]
    two = P[:, 2, None] + s[:, None] * (P[:, 3] - P[:, 2])[:, None]
    sampled = np.linalg.norm(one[:, :, None] - two[:, None], axis=-1).min(axis=(1, 2))
    exact = segment_distance(*np.moveaxis(P, 1, 0))
    assert (exact <= sampled + 1e-12).all() and np.abs(exact - sampled).max() < 0.02


@pytest.mark.covers("PAR-29")
def test_the_workspace_of_constant_orientation_is_that_of_the_legs() -> None:
    plain = hexapod()
    q = plain.inverse_position(HOME)
    robot = StewartGough(plain.roots, plain.platform, limits=(q.min() - 0.3, q.max() + 0.3))
    box = ((-0.8, 0.8), (-0.8, 0.8), (0.2, 1.6))
    space = workspace(robot, box, count=12)
    X = np.tile(np.eye(4), (*space.points.shape[:3], 1, 1))
    X[..., :3, 3] = space.points
    lengths = robot.inverse_position(X)
    inside = ((lengths >= robot.lower) & (lengths <= robot.upper)).all(axis=-1)
    assert np.array_equal(inside, space.reached) and 0 < inside.sum() < inside.size
    assert space.volume == pytest.approx(inside.mean() * 1.6 * 1.6 * 1.4)
    assert (space.dexterity[inside] > 0.0).all() and (space.dexterity[~inside] == 0.0).all()
    tilted = pose([0.3, 0, 0], [0, 0, 0])[:3, :3]
    both = workspace(robot, box, np.stack([np.eye(3), tilted]), count=12)
    assert (both.reached >= space.reached).all() and both.reached.sum() > space.reached.sum()
    with pytest.raises(ArgumentError, match="box"):
        workspace(robot, ((1, 0), (0, 1), (0, 1)))


def test_no_singularity_is_inside_the_free_radius() -> None:
    robot = hexapod()
    home = pose([0, 0, 0], [0, 0, 0.9])
    radius = singularity_free_radius(robot, home, 2.0)
    assert 0.3 < radius <= 0.9  # at height zero all legs are in one plane
    rays = RNG.normal(size=(200, 3))
    points = home[:3, 3] + rays / np.linalg.norm(rays, axis=-1, keepdims=True) * 0.9 * radius
    X = np.tile(home, (200, 1, 1))
    X[:, :3, 3] = points
    det = np.linalg.det(robot.wrench_basis(np.concatenate([home[None], X])))
    assert (det * det[0] > 0.0).all()


@pytest.mark.covers("PAR-30")
def test_calibration_finds_pivots_and_offsets() -> None:
    nominal = hexapod()
    offsets = 0.01 * RNG.normal(size=6)
    true = StewartGough(
        nominal.roots + 0.01 * RNG.normal(size=(6, 3)), nominal.platform + 0.01 * RNG.normal(size=(6, 3)),
        offsets=offsets,
    )  # fmt: skip
    X = np.stack([HOME @ pose(0.4 * RNG.normal(size=3), 0.2 * RNG.normal(size=3)) for _ in range(40)])
    q = true.inverse_position(X)
    found = calibrated(nominal, X, q)
    assert found.identified and found.residual.max() < 1e-12
    assert np.allclose(found.mechanism.roots, true.roots, atol=1e-9)
    assert np.allclose(found.mechanism.platform, true.platform, atol=1e-9)
    assert np.allclose([leg.offset for leg in found.mechanism.legs], offsets, atol=1e-9)
    noise = 1e-4
    noisy = calibrated(nominal, X, q + noise * RNG.normal(size=q.shape))
    miss = np.abs(
        np.concatenate([noisy.mechanism.roots - true.roots, noisy.mechanism.platform - true.platform], axis=-1)
    )
    assert (miss < 5.0 * noisy.deviation[:, :6]).all() and noisy.residual.max() < 2.0 * noise


def test_poses_that_do_not_turn_leave_pivots_undetermined() -> None:
    nominal = hexapod()
    X = np.tile(np.eye(4), (30, 1, 1))
    X[:, :3, 3] = [0, 0, 0.9] + 0.2 * RNG.normal(size=(30, 3))
    found = calibrated(nominal, X, nominal.inverse_position(X))
    assert not found.identified and (found.rank == 4).all() and np.isinf(found.deviation).any()
    assert np.allclose(found.mechanism.roots, ring(6, 1.0, 0.0, 0.0))  # what is not known stays as it was
    with pytest.raises(ArgumentError, match="calibrated"):
        calibrated(FAMILIES["hexa"][0], X, np.ones((30, 6)))


@pytest.mark.covers("PAR-31")
def test_a_planar_platform_changes_its_mode_without_a_singularity() -> None:
    """Three modes of a general 3-RPR are on one side of its singularities; ways around cusps join them."""
    robot = Planar3RPR([[0, 0], [15.9, 0], [0, 10]], [[0, 0], [17.04, 0], [11.2, 14.6]])
    X = RNG.uniform([-10, -10, -np.pi], [20, 20, np.pi], (300, 3))
    modes = robot.assembly_modes(robot.inverse_position(X))
    k = int(np.flatnonzero(modes.count == 6)[0])
    poses, labels = modes.poses[k], modes.labels[k]
    same = np.flatnonzero(labels == "+")
    other = np.flatnonzero(labels == "-")
    assert len(same) == len(other) == 3
    box = ((-25, 30), (-25, 30))
    ways = [singularity_free_path(robot, poses[same[i]], poses[same[j]], box) for i, j in ((0, 1), (1, 2), (0, 2))]
    way = next(w for w in ways if w is not None)
    q = robot.inverse_position(way)
    assert np.allclose(q[0], q[-1], atol=1e-9)  # the same lengths, another pose
    fine = np.concatenate([a + np.linspace(0, 1, 20)[:, None] * (b - a) for a, b in pairwise(way)])
    det = np.linalg.det(robot.wrench_basis(fine))
    assert (det * det[0] > 0.0).all()
    assert singularity_free_path(robot, poses[same[0]], poses[other[0]], box) is None  # the sign would have to change
    assert track(robot, robot.inverse_position(fine), way[0]).kept
    with pytest.raises(ArgumentError, match="singularity_free_path"):
        singularity_free_path(hexapod(), HOME, HOME, box)


SEGMENTS = [  # the ends of one, the ends of the other, their distance
    ([0, 0, 0], [2, 0, 0], [1, 1, -1], [1, 1, 1], 1.0),  # they cross
    ([0, 0, 0], [2, 0, 0], [1, 3, 0], [5, 3, 0], 3.0),  # side by side
    ([0, 0, 0], [2, 0, 0], [5, 3, 0], [1, 3, 0], 3.0),
    ([0, 0, 0], [2, 0, 0], [5, 4, 0], [9, 4, 0], 5.0),  # parallel, one after the other
    ([0, 0, 0], [2, 0, 0], [9, 4, 0], [5, 4, 0], 5.0),
    ([0, 0, 0], [2, 0, 0], [-3, 4, 0], [-7, 4, 0], 5.0),
    ([0, 0, 0], [2, 0, 0], [5, 0, 4], [5, 0, 9], 5.0),  # from end to end
    ([0, 0, 0], [2, 0, 0], [1, 2, 0], [1, 5, 0], 2.0),  # from an end to the middle
    ([0, 0, 0], [2, 0, 0], [1, -5, 0], [1, -2, 0], 2.0),
    ([1, 2, 0], [1, 5, 0], [0, 0, 0], [2, 0, 0], 2.0),
    ([0, 0, 0], [2, 0, 0], [1, -1, 0], [1, 1, 0], 0.0),
]


def test_rods_are_as_far_apart_as_drawn() -> None:
    *ends, gaps = (np.array(x, float) for x in zip(*SEGMENTS, strict=True))
    assert np.allclose(segment_distance(*ends), gaps, rtol=0.0, atol=1e-12)
    P0, P1, Q0, Q1 = ends
    assert np.allclose(segment_distance(Q0, Q1, P0, P1), gaps, rtol=0.0, atol=1e-12)


def test_free_radii_are_counted_in_steps() -> None:
    robot, home = hexapod(), pose([0, 0, 0], [0, 0, 0.9])
    assert singularity_free_radius(robot, home, 0.04, count=5, steps=4) == 0.04
    for steps in (8, 40):
        part = singularity_free_radius(robot, home, 2.0, 300, steps) / (2.0 / steps)
        assert part == pytest.approx(round(part), abs=1e-9)
        assert 0.0 < part * 2.0 / steps <= 0.95
    assert singularity_free_radius(robot, home, 2.0) == singularity_free_radius(robot, home, 2.0, 200, 64)


def test_the_grid_of_a_workspace() -> None:
    robot, box = hexapod(), ((-0.1, 0.3), (0.2, 0.4), (0.8, 1.6))
    one = workspace(robot, box, count=1)
    assert one.points.shape == (1, 1, 1, 3) and np.allclose(one.points[0, 0, 0], [0.1, 0.3, 1.2])
    assert one.volume == pytest.approx(0.4 * 0.2 * 0.8)
    two = workspace(robot, box, count=2)
    assert np.allclose(two.points[1, 0, 1], [0.2, 0.25, 1.4]) and two.volume == pytest.approx(0.064)
    assert np.array_equal(two.centers, two.points.reshape(-1, 3))
    assert np.allclose(workspace(robot, box, count=2, stiffness=3.0).stiffness, 3.0 * two.stiffness)


def test_the_leg_and_the_joint_that_stop_a_platform() -> None:
    """The axis of one cone alone points away from its rod."""
    robot = hexapod()
    S = robot.platform @ HOME[:3, :3].T + HOME[:3, 3]
    e = (S - robot.roots) / np.linalg.norm(S - robot.roots, axis=-1, keepdims=True)
    for k in range(6):
        sign = np.where(np.arange(6) == k, -1.0, 1.0)[:, None]
        for option, axes, reason in (
            ("base_cone", e * sign, "base joint"), ("platform_cone", -e @ HOME[:3, :3] * sign, "platform joint"),
        ):  # fmt: skip
            found = reach(robot, HOME, **{option: (3.0 * axes, 0.01)})
            assert (REASONS[int(found.reason)], int(found.leg)) == (reason, k)
            assert reach(robot, HOME, **{option: (3.0 * axes * sign, 0.01)}).reached


def test_deviations_of_a_leg_by_hand() -> None:
    """Twice the identity, measured twice: s² = 8, and as many equations to spare as unknowns."""
    J, errors = np.concatenate([2.0 * np.eye(7)] * 2), np.full(14, 0.1)
    assert _deviations(J, errors) == pytest.approx([np.sqrt(0.14 / 7.0 / 8.0)] * 7)
    J[:, 6] = 0.0
    assert _deviations(J, errors) == pytest.approx([np.sqrt(0.14 / 8.0 / 8.0)] * 6 + [np.inf])
    assert np.isinf(_deviations(np.eye(7)[:5], np.zeros(5))).all()
    assert _deviations(2.0 * np.eye(7), np.full(7, 0.1)) == pytest.approx([np.sqrt(0.07 / 4.0)] * 7)  # none to spare


def test_equations_of_a_leg_by_differences() -> None:
    X = np.stack([HOME, FAMILIES["321"][1]])
    R, p, x = X[:, :3, :3], X[:, :3, 3], RNG.normal(size=(1, 7))
    q = np.array([[0.7, 0.9]])

    def residual(x: np.ndarray) -> np.ndarray:
        return _leg_equations(X, x, q)[0]

    d = p + R @ x[0, 3:6] - x[0, :3]
    assert np.allclose(residual(x), np.linalg.norm(d, axis=1) - x[0, 6] - q)
    h = 1e-6
    slopes = [(residual(x + e) - residual(x - e)) / (2.0 * h) for e in h * np.eye(7)]
    assert np.allclose(_leg_equations(X, x, q)[1], np.stack(slopes, axis=-1), atol=1e-8)
