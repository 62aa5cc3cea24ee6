"""Assembly modes that are written down: the 321, the Delta, planar platforms."""

from __future__ import annotations

import numpy as np
import pytest

from parallel_robots import FAMILIES, HOME, POSE_321, arm_321, delta, hexapod, pose, rpr, rrr, step
from sixvec.errors import DegenerateError, ShapeError
from sixvec.parallel import (
    Delta,
    Planar3RPR,
    angular_velocity_from_points,
    pose_from_points,
    tetrahedron_apex,
    tetrahedron_velocity,
    track,
)
from sixvec.parallel.closed_forms import _first_those_that_exist, _improved, _planar_equation, _repeated
from sixvec.verdict import Verdict

RNG = np.random.default_rng(5)


@pytest.mark.covers("PAR-08", "PAR-09", "PAR-10")
def test_a_321_has_eight_poses_with_eight_labels() -> None:
    robot = arm_321()
    q = robot.inverse_position(POSE_321)
    modes = robot.assembly_modes(q)
    assert modes.count == modes.complex_count == 8 and modes.certified and modes.residual < 1e-13
    assert np.allclose(robot.inverse_position(modes.poses), q, atol=1e-13)
    assert np.abs(modes.poses - POSE_321).max(axis=(1, 2)).min() < 1e-13
    assert len(set(modes.labels)) == 8
    for X, label in zip(modes.poses, modes.labels, strict=True):
        factors = robot.singularity(X).factors
        assert label == " ".join(f"{k}-{'up' if factors[k] > 0 else 'down'}" for k in "321")
    # Force above moment has the determinant of the book; moment first changes the sign of six rows.
    assert np.linalg.det(robot.wrench_basis(POSE_321)) == pytest.approx(-0.0440783385, abs=1e-10)
    assert np.prod([*robot.singularity(POSE_321).factors.values()]) == pytest.approx(0.0440783385, abs=1e-10)


@pytest.mark.covers("PAR-10")
def test_a_321_is_singular_where_four_points_are_coplanar() -> None:
    robot = arm_321()
    flat = pose([0.2, 0.3, -0.1], [0.1, 0.0, 0.05])  # t3 in the plane of b1, b2, b3
    report = robot.singularity(flat)
    assert abs(report.factors["3"]) < 1e-12 and report.rank == 5 and report.types == ("II",)
    assert abs(report.factors["2"]) > 1e-3 and abs(report.factors["1"]) > 1e-3


@pytest.mark.covers("PAR-09")
def test_the_wrench_basis_of_a_321_has_a_zero_block_at_t3_and_a_block_inverse() -> None:
    robot = arm_321()
    G = robot.wrench_basis(POSE_321)  # t3 is the platform's origin here
    assert np.abs(G[:3, :3]).max() < 1e-15
    A, B, C = G[3:, :3], G[3:, 3:], G[:3, 3:]
    inverse = np.zeros((6, 6))
    Ai = np.stack([np.cross(A[:, (k + 1) % 3], A[:, (k + 2) % 3]) for k in range(3)]) / np.linalg.det(A)
    Ci = np.stack([np.cross(C[:, (k + 1) % 3], C[:, (k + 2) % 3]) for k in range(3)]) / np.linalg.det(C)
    inverse[:3, 3:], inverse[:3, :3], inverse[3:, :3] = Ai, -Ai @ B @ Ci, Ci
    w = RNG.normal(size=6)
    assert np.allclose(robot.inverse_force(POSE_321, w), inverse @ w)
    assert np.allclose(inverse @ G, np.eye(6))


@pytest.mark.covers("PAR-08", "Bruyninckx (8.20)-(8.22)")
def test_a_tetrahedron_has_two_mirror_images_or_none() -> None:
    P, Q, R, apex = RNG.normal(size=(4, 3))
    lengths = np.linalg.norm(apex - np.stack([P, Q, R]), axis=1)
    found = tetrahedron_apex(P, Q, R, lengths)
    assert np.abs(found - apex).max(axis=1).min() < 1e-12
    n = np.cross(Q - P, R - P)
    assert np.allclose(np.cross(found[0] - found[1], n), 0.0, atol=1e-10)
    assert np.isnan(tetrahedron_apex(P, Q, R, [0.01, 50.0, 0.01])).all()
    with pytest.raises(DegenerateError, match="line"):
        tetrahedron_apex([0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 1])


@pytest.mark.covers("PAR-18", "Bruyninckx (8.25)-(8.28)")
def test_velocities_of_a_321_by_tetrahedra() -> None:
    """Point after point, then the angular velocity from the three."""
    robot = arm_321()
    qd = RNG.normal(size=6)
    twist = robot.forward_velocity(POSE_321, qd)
    b, S = robot.roots, robot.platform @ POSE_321[:3, :3].T + POSE_321[:3, 3]
    still = np.zeros(3)
    v3 = tetrahedron_velocity(b[:3], S[0], np.zeros((3, 3)), qd[:3])
    v2 = tetrahedron_velocity([b[3], b[4], S[0]], S[3], [still, still, v3], [qd[3], qd[4], 0.0])
    v1 = tetrahedron_velocity([b[5], S[3], S[0]], S[5], [still, v2, v3], [qd[5], 0.0, 0.0])
    turning = angular_velocity_from_points([S[0], S[3], S[5]], [v3, v2, v1])
    omega, left = turning.omega, turning.residual
    assert np.allclose(v3, twist[3:]) and np.allclose(omega, twist[:3]) and left < 1e-12


@pytest.mark.covers("PAR-23")
def test_a_delta_has_eight_working_modes_and_two_poses() -> None:
    robot = delta()
    X = np.array([0.05, 0.02, -0.5])
    modes = robot.working_modes(X)
    assert modes.q.shape == (8, 3) and modes.solved.all()
    found = robot.assembly_modes(modes.q)
    assert (found.count == 2).all() and found.certified.all()
    assert np.abs(found.poses[..., :3, 3] - X).max(axis=-1).min(axis=-1).max() < 1e-13
    near = robot.forward_position(robot.inverse_position(X), X + 0.03)
    assert np.allclose(near.pose[:3, 3], X, atol=1e-12)
    assert np.allclose(robot.forward_position(robot.inverse_position(X)).pose, near.pose, atol=1e-12)
    short = Delta(0.2, 0.05, 0.25, 0.3).forward_position([[0.0, 0.0, 0.0], [1.3, 1.3, 1.3]])
    assert short.verdict.tolist() == [Verdict.UNREACHABLE, Verdict.SOLVED]  # elbows 0.4 from the axis, rods 0.3
    flat = Delta(0.2, 0.05, 0.25, 0.4).assembly_modes([[0.0, 0.0, 0.0], [1.3, 1.3, 1.3]])
    assert flat.certified.tolist() == [False, True]  # both poses are one: their number is in doubt


@pytest.mark.parametrize("robot", [rpr(), rrr()], ids=["3-RPR", "3-RRR"])
def test_planar_platforms_have_up_to_six_poses(robot: object) -> None:
    from sixvec.parallel import ParallelRobot

    assert isinstance(robot, ParallelRobot)
    X = np.array([1.0, 1.0, 0.3]) + 0.3 * RNG.normal(size=(20, 3))
    reached = robot.inverse_position(X)
    q = np.asarray(reached)[np.isfinite(np.asarray(reached)).all(axis=-1)]
    modes = robot.assembly_modes(q)
    X = X[np.isfinite(np.asarray(reached)).all(axis=-1)]
    assert modes.certified.all() and (modes.complex_count == 6).all() and modes.residual.max() < 1e-12
    gaps = np.nan_to_num(np.abs(modes.poses - X[:, None]), nan=np.inf).max(axis=-1)
    assert gaps.min(axis=-1).max() < 1e-9
    # No pose is missed: from many starts none but these is found.
    starts = np.stack([*RNG.uniform(-1, 4, size=(2, 200)), RNG.uniform(-np.pi, np.pi, 200)], axis=-1)
    found = robot.forward_position(q[0], starts)
    for pose_ in found.pose[found.solved]:
        turn = ((pose_ - modes.poses[0])[..., 2] + np.pi) % (2 * np.pi) - np.pi
        gaps = np.abs((pose_ - modes.poses[0])[..., :2]).max(axis=-1) + np.abs(turn)
        assert np.nanmin(gaps) < 1e-6


def test_real_poses_of_a_planar_platform_come_in_pairs() -> None:
    robot = rpr()
    most = 0
    for _ in range(4):
        X = RNG.uniform([0, 0, -3], [4, 3, 3], size=(200, 3))
        modes = robot.assembly_modes(robot.inverse_position(X))
        assert (modes.count % 2 == 0).all() and (modes.count <= 6).all()
        most = max(most, int(modes.count.max()))
    assert most >= 4


@pytest.mark.covers("PAR-20")
def test_measured_points_give_the_pose_and_how_well_they_agree() -> None:
    b = RNG.normal(size=(5, 3))
    X = pose([0.3, 0.2, -0.9], [1.0, 2.0, 3.0])
    S = b @ X[:3, :3].T + X[:3, 3]
    exact = pose_from_points(b, S)
    found, left = exact.pose, exact.residual
    assert np.allclose(found, X) and left < 1e-12
    nearest = pose_from_points(b, S + 1e-3 * RNG.normal(size=S.shape))
    noisy, left = nearest.pose, nearest.residual
    assert 1e-4 < left < 5e-3 and np.abs(noisy - X).max() < 5e-3
    with pytest.raises(DegenerateError, match="line"):
        pose_from_points(np.outer([0.0, 1.0, 2.0], [1, 2, 3]), S[:3])


@pytest.mark.covers("PAR-07", "PAR-16", "Bruyninckx (8.15)-(8.18)")
@pytest.mark.parametrize("name", FAMILIES)
def test_newton_finds_the_pose_from_nearby(name: str) -> None:
    robot, X = FAMILIES[name]
    q = np.asarray(robot.inverse_position(X))
    off = 0.05 * RNG.normal(size=(50, robot.space.freedoms))
    if X.shape == (4, 4):
        starts = np.stack([X @ pose(t[:3], t[3:]) for t in off])
    else:
        starts = np.array([step(robot, X, x) for x in off]) if robot.space.only_turns else X + off
    found = robot.forward_position(q, starts)
    assert found and found.residual.max() < 1e-12
    here = robot.space.checked(found.pose, "pose")
    assert np.abs(here - X).max() < 1e-10
    if X.shape == (4, 4):  # rotations stay rotations
        R = found.pose[:, :3, :3]
        assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-14


def test_no_pose_is_found_that_is_not_finite() -> None:
    """From a start with a pivot at the centre of its sphere the search goes on; a start that is no pose is invalid."""
    flat, target = rpr(), [1.0, 1.0, 0.2]
    q = flat.inverse_position(target)
    found = flat.forward_position(q, [*flat.roots[0, :2] - flat.platform[0, :2], 0.0])
    assert found and found.residual < 1e-11
    assert np.allclose(flat.inverse_position(found.pose), q, atol=1e-11)
    lost = flat.forward_position(q, [target, [np.nan, 1.0, 0.2], [np.inf, 1.0, 0.2], [1e200, 1.0, 0.2]])
    assert lost.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID, Verdict.INVALID]
    assert lost.explain(1) == "invalid: X0 is not finite"
    assert not flat.forward_position(q, [np.nan] * 3).solved
    way = track(flat, np.stack([q, q]), [np.nan, 1.0, 0.2])
    assert way.switch == 0 and np.isnan(way.poses).all()
    six = hexapod()
    assert six.forward_position(six.inverse_position(HOME), HOME * np.nan).verdict == Verdict.INVALID


def test_scaled_points_have_the_pose_of_their_middle() -> None:
    """Measured points twice as far from their middle: the pose is that of the rest, and they are off by as much."""
    local = np.array([[1.0, 0.0, 0.2], [-0.5, 0.8, 0.2], [-0.5, -0.8, 0.2]])  # in a plane: either side would do
    X = pose([0.4, -0.7, 0.3], [0.1, 0.2, 0.3])
    middle = local.mean(axis=0)
    found = pose_from_points(local, (middle + 2.0 * (local - middle)) @ X[:3, :3].T + X[:3, 3])
    assert np.allclose(found.pose, X, atol=1e-12) and found.residual == pytest.approx(1.0)
    spun = angular_velocity_from_points(local, np.cross([0.3, -0.2, 0.5], local) + np.array([1.0, 2.0, 3.0]))
    assert np.allclose(spun.omega, [0.3, -0.2, 0.5]) and spun.residual < 1e-12
    grown = angular_velocity_from_points(local, 0.5 * (local - middle))
    assert np.allclose(grown.omega, 0.0) and grown.residual == pytest.approx(0.5)
    for points in (local[:2], local[0], local[:, :2]):
        with pytest.raises(ShapeError, match="points"):
            angular_velocity_from_points(points, points)
        with pytest.raises(ShapeError, match="local"):
            pose_from_points(points, points)
    line = np.outer([0.0, 1.0, 3.0], [1.0, 2.0, 2.0])
    with pytest.raises(DegenerateError, match="line"):
        angular_velocity_from_points(line, line)
    with pytest.raises(DegenerateError, match="line"):
        pose_from_points(line, line)


def test_samples_of_a_321_that_are_improved() -> None:
    """Certain ones are polished, others computed anew, but not those without lengths."""
    robot = arm_321()
    q0 = np.asarray(robot.inverse_position(POSE_321))
    true = robot.assembly_modes(q0)
    assert true.count == 8
    q = np.stack([q0] * 5)
    q[2, 2] = np.nan
    q[3, 5] = -0.01  # a leg shorter than nothing
    poses = np.stack([true.poses] * 5)
    poses[[1, 2, 3]] = 7.0
    poses[0, :, :3, 3] += 1e-7
    poses[4, :, :3, 3] += 1e-7
    names = np.full((5, 8), "as before", object)
    count, error, certified = np.array([8, 3, 3, 3, 2]), np.full(5, 0.5), np.array([1, 0, 0, 0, 1], bool)
    _improved(robot, q, poses, names, count, error, certified)
    assert count.tolist() == [8, 8, 3, 3, 2] and certified.tolist() == [True, True, False, False, True]
    assert (poses[[2, 3]] == 7.0).all() and (error < 1e-13 * robot.size).all()
    assert np.abs(poses[0] - true.poses).max() < 1e-12 and np.abs(poses[4, :2] - true.poses[:2]).max() < 1e-12
    assert np.abs(poses[4, 2:] - true.poses[2:]).max() > 1e-8
    assert (names[[0, 2, 3, 4]] == "as before").all() and set(names[1]) == set(true.labels)
    for X, name in zip(poses[1], names[1], strict=True):
        k = true.labels.index(name)
        assert np.abs(X - true.poses[k]).max() < 1e-10


def test_rows_that_exist_come_first() -> None:
    rows = [[0.0, 1.0], [1.0, 2.0], [0.0, 3.0], [1.0, 4.0]]
    assert _first_those_that_exist(rows) == [[1.0, 2.0], [1.0, 4.0], [0.0, 1.0], [0.0, 3.0]]
    rows = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 4.0]]
    assert _first_those_that_exist(rows) == [[1.0, 4.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]


def test_the_equation_of_planar_platforms() -> None:
    """In complex numbers: the pivots are at w, w + u₁ and w + u₂ from the centres of their circles."""
    robot = rpr()
    phi, centre, radius = np.array([0.4, -1.1]), RNG.normal(size=(1, 3, 2)), RNG.uniform(1.0, 2.0, (1, 3))
    value, w, terms, sine = _planar_equation(robot, centre, radius, phi)
    b, c, (r0, r1, r2) = robot.platform[:, 0] + 1j * robot.platform[:, 1], centre[0] @ [1.0, 1.0j], radius[0]
    for k, angle in enumerate(phi):
        u1, u2 = (np.exp(1j * angle) * (b[i] - b[0]) - (c[i] - c[0]) for i in (1, 2))
        h1, h2 = r1**2 - r0**2 - abs(u1) ** 2, r2**2 - r0**2 - abs(u2) ** 2
        at = complex(*w[k])
        assert 2.0 * (u1.conjugate() * at).real == pytest.approx(h1)
        assert 2.0 * (u2.conjugate() * at).real == pytest.approx(h2)
        cross = (u1.conjugate() * u2).imag
        assert value[k] == pytest.approx(4.0 * cross**2 * (abs(at) ** 2 - r0**2))
        expected = h1**2 * abs(u2) ** 2 + h2**2 * abs(u1) ** 2 + 4.0 * r0**2 * abs(u1 * u2) ** 2
        assert terms[k] == pytest.approx(expected)
        sizes = [abs(b[i] - b[0]) ** 2 + abs(c[i] - c[0]) ** 2 for i in (1, 2)]
        assert sine[k] == pytest.approx(cross / (sizes[0] * sizes[1]) ** 0.5)


def test_poses_that_repeat_another_one() -> None:
    poses = np.array(
        [[0.1, 0.2, 3.0], [0.1, 0.2, 3.0 - 2.0 * np.pi], [0.1, 0.2, 3.0], [0.1, 0.3, 3.0], [0.1, 0.3, 3.1]]
    )
    assert _repeated(poses, np.ones(5, bool)).tolist() == [False, True, True, False, False]
    assert _repeated(poses, np.array([False, True, True, True, True])).tolist() == [False, False, True, False, False]
    assert _repeated(poses, np.array([True, False, True, False, False])).tolist() == [False, False, True, False, False]
    near = poses[[0, 0]] + [[0, 0, 0], [0, 2e-7, 0]]
    assert not _repeated(near, np.ones(2, bool)).any()
    near = poses[[0, 0]] + [[0, 0, 0], [0, 5e-8, 0]]
    assert _repeated(near, np.ones(2, bool)).tolist() == [False, True]


def test_arms_of_a_delta_that_cannot_meet() -> None:
    """The arm whose sphere is farthest from the middle of all is named, or the one without an angle."""
    robot = Delta(0.2, 0.05, 0.25, 0.3)
    q = np.array(
        [[1.3, 1.3, 1.3], [0.0, 0.0, 0.0], [0.3, 0.3, -0.4], [0.3, -0.4, 0.3], [1.3, np.nan, 1.3], [np.inf, 1, 1]]
    )
    found = robot.forward_position(q)
    S, U, I = Verdict.SOLVED, Verdict.UNREACHABLE, Verdict.INVALID
    assert found.verdict.tolist() == [S, U, U, U, I, I] and (found.other == -1).all()
    angle, reach = 2.0 * np.pi * np.arange(3) / 3.0, 0.15 + 0.25 * np.cos(q[2:4])
    elbows = np.stack([reach * np.cos(angle), reach * np.sin(angle), -0.25 * np.sin(q[2:4])], axis=-1)
    far = np.linalg.norm(elbows - elbows.mean(axis=1, keepdims=True), axis=-1).argmax(axis=-1)
    assert found.leg[[0, 4, 5]].tolist() == [-1, 1, 0] and found.leg[2:4].tolist() == far.tolist()
    assert np.isfinite(found.residual).tolist() == [True] + [False] * 5
    alone = robot.forward_position(q[0])
    assert (alone.verdict, alone.leg, alone.other) == (S, -1, -1) and alone.pose[2, 3] < -0.25 * np.sin(1.3)


def test_both_positions_of_a_delta_are_the_upper_and_the_lower() -> None:
    robot = delta()
    modes = robot.assembly_modes([[0.3, 0.3, 0.3], [-2.6, -2.6, -2.6], [0.1, 0.4, 0.2]])
    assert modes.labels.tolist() == [["up", "down"]] * 3 and modes.certified.all()
    assert (modes.poses[:, 0, 2, 3] > modes.poses[:, 1, 2, 3]).all()
    for q, X in zip(modes.q, modes.poses, strict=True):
        assert np.allclose(robot.forward_position(q).pose, X[1], atol=1e-12)
        for Y in X:
            assert np.abs(np.asarray(robot.working_modes(Y[:3, 3]).q) - q).max(axis=-1).min() < 1e-9


@pytest.mark.covers("PAR-27")
def test_readings_below_zero_are_lengths_if_offsets_make_them_so() -> None:
    plain, X = rpr(), np.array([1.0, 1.0, 0.3])
    robot = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]], offsets=10.0)
    q = np.asarray(robot.inverse_position(X))
    assert np.allclose(q, np.asarray(plain.inverse_position(X)) - 10.0) and (q < 0.0).all()
    modes = robot.assembly_modes(np.stack([q, q - [0.0, 9.0, 0.0], q + np.array([0.0, 0.0, np.inf])]))
    assert modes.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID]
    assert modes.leg.tolist() == [-1, 1, 2] and modes.count.tolist() == [plain.assembly_modes(q + 10.0).count, 0, 0]
    assert "leg 1 has no positive finite length" in modes.explain(1)
