"""More legs than freedoms, stiffness, extra sensors, and the dualities with serial arms."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from parallel_robots import HOME, hexapod, pose, ring
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.parallel import RUS, Hexa, ParallelRobot, SingularPose, StewartGough, pose_from_points
from sixvec.parallel.nearest_pose import nearest_pose
from sixvec.parallel.space import Translational
from sixvec.spatial import Vec3
from sixvec.verdict import Verdict

RNG = np.random.default_rng(31)
SEVEN = hexapod(7)
W = RNG.normal(size=6)


@pytest.mark.covers("PAR-12", "Bruyninckx (8.29)", "Bruyninckx (8.31)-(8.32)")
def test_seven_legs_share_a_load_by_their_weights() -> None:
    G = SEVEN.wrench_basis(HOME)
    N = SEVEN.internal_forces(HOME)
    assert N.shape == (7, 1) and np.abs(G @ N).max() < 1e-13
    for K in (np.eye(7), np.diag(RNG.uniform(0.5, 2.0, 7)), np.eye(7) + 0.2):
        tau = SEVEN.inverse_force(HOME, W, weight=K)
        assert np.allclose(G @ tau, W)
        assert np.abs(N.T @ np.linalg.inv(K) @ tau).max() < 1e-12  # stationary
        assert np.allclose(tau, K @ G.T @ np.linalg.solve(G @ K @ G.T, W))
        assert np.allclose(tau, SEVEN.inverse_force(HOME, W, weight=3.0 * K))  # the scale of K says nothing
    batch = SEVEN.inverse_force(np.stack([HOME, HOME]), np.stack([W, 2.0 * W]))
    assert np.allclose(batch[1], 2.0 * batch[0])


@pytest.mark.covers("PAR-12")
def test_forces_within_limits_are_the_optimum_of_a_quadratic_program() -> None:
    """Against all choices along the null space, which has one dimension."""
    G, N = SEVEN.wrench_basis(HOME), SEVEN.internal_forces(HOME)[:, 0]
    free = SEVEN.inverse_force(HOME, W)
    low = np.where(free == free.min(), free.min() + 0.01, -np.inf)  # the least force must be a little larger
    tau = SEVEN.inverse_force(HOME, W, limits=(low, np.inf))
    assert np.allclose(G @ tau, W) and (tau >= low - 1e-12).all()
    along = free[:, None] + N[:, None] * np.linspace(-5, 5, 20001)
    feasible = (along >= low[:, None]).all(axis=0)
    assert tau @ tau <= (along[:, feasible] ** 2).sum(axis=0).min() + 1e-9
    with pytest.warns(SingularPose, match="inverse_force"):
        assert np.isnan(SEVEN.inverse_force(HOME, W, limits=(1e3, 2e3))).all()
    with pytest.raises(ShapeError, match="inverse_force"):
        SEVEN.inverse_force(HOME, W, limits=(np.zeros(6), np.inf))


def test_a_seventh_leg_holds_where_six_are_singular() -> None:
    """A 3-3 platform yawed by a quarter turn lets go; one more leg holds it."""
    base, top = ring(6, 1.0, 0.0, 0.0)[[0, 0, 2, 2, 4, 4]], ring(6, 0.6, 0.0, 0.0, 0.75)[[5, 1, 1, 3, 3, 5]]
    home = pose([0, 0, 0], [0, 0, 0.8])
    six = StewartGough(base, top)
    yaws = np.linspace(-np.pi, np.pi, 721)
    turned = np.stack([home @ pose([0, 0, y], [0, 0, 0]) for y in yaws])
    det = np.linalg.det(six.wrench_basis(turned))
    k = int(np.flatnonzero(det[:-1] * det[1:] < 0.0)[0])
    low, high = yaws[k], yaws[k + 1]
    for _ in range(60):
        middle = 0.5 * (low + high)
        same = np.linalg.det(six.wrench_basis(home @ pose([0, 0, middle], [0, 0, 0]))) * det[k] > 0.0
        low, high = (middle, high) if same else (low, middle)
    X = home @ pose([0, 0, low], [0, 0, 0])
    with pytest.warns(SingularPose):
        assert np.isnan(six.inverse_force(X, W)).all()
    seven = StewartGough(np.vstack([base, [[1.5, 0.3, 0.2]]]), np.vstack([top, [[0.1, 0.5, 0.1]]]))
    tau = seven.inverse_force(X, W)
    assert np.allclose(seven.forward_force(X, tau), W) and np.abs(tau).max() < 1e3


@pytest.mark.covers("PAR-25")
def test_stiffness_is_the_derivative_of_the_springs_wrench() -> None:
    robot, k = hexapod(), np.arange(1.0, 7.0) * 1e3
    K = robot.stiffness(HOME, k)
    assert np.allclose(K, K.T)
    q0 = robot.inverse_position(HOME)

    def wrench(twist: np.ndarray) -> np.ndarray:
        turn, shift = pose(twist[:3], [0, 0, 0]), pose([0, 0, 0], twist[3:])
        X = shift @ pose([0, 0, 0], HOME[:3, 3]) @ turn @ pose([0, 0, 0], -HOME[:3, 3]) @ HOME
        return np.asarray(robot.forward_force(X, k * (robot.inverse_position(X) - q0)))

    h = 1e-6
    columns = [(wrench(h * e) - wrench(-h * e)) / (2 * h) for e in np.eye(6)]
    assert np.allclose(np.stack(columns, axis=-1), K, rtol=1e-6, atol=1e-4)


@pytest.mark.covers("PAR-25")
def test_stiffnesses_are_one_for_all_legs_or_one_each_in_any_batch() -> None:
    robot, each = hexapod(), np.arange(1.0, 7.0) * 1e3
    assert np.array_equal(robot.stiffness(HOME, 2e3), robot.stiffness(HOME, np.full(6, 2e3)))
    several = np.stack([each, 2.0 * each, 3.0 * each])
    K = robot.stiffness(np.stack([HOME, HOME]), several[:, None])
    assert K.shape == (3, 2, 6, 6)
    for k in range(3):
        assert np.allclose(K[k], (k + 1) * robot.stiffness(HOME, each))
    same = robot.stiffness(np.stack([HOME, HOME, HOME]), several[:, :1])  # one number a sample
    assert np.allclose(same[2], robot.stiffness(HOME, 3e3))


@pytest.mark.covers("PAR-20")
def test_extra_legs_are_sensors_that_must_agree() -> None:
    robot = hexapod(8)
    q = robot.inverse_position(HOME)
    start = pose([0, 0, 0], [0, 0, 1.0])
    found = robot.forward_position(q, start)
    assert found and np.allclose(found.pose, HOME, atol=1e-10)
    off = q + 1e-3 * RNG.normal(size=8)
    noisy = robot.forward_position(off, start)
    assert not noisy and 1e-5 < noisy.residual < 1e-2 and np.abs(noisy.pose - HOME).max() < 1e-2
    S = robot.platform @ HOME[:3, :3].T + HOME[:3, 3]
    vectors = S - robot.roots  # of legs whose passive joints are measured, too
    fitted = pose_from_points(robot.platform, robot.roots + vectors)
    X, left = fitted.pose, fitted.residual
    assert np.allclose(X, HOME) and left < 1e-12


def seven_cranks() -> Hexa:
    base = ring(7, 0.5, 0.0, 0.0)
    cranks = np.linspace(0.2, 0.5, 7)
    return Hexa(base, ring(7, 0.3, 0.0, 0.1, 0.7), np.cross([0, 0, 1.0], base), cranks, 0.9)


def test_speeds_of_seven_cranks_that_disagree_give_the_nearest_twist() -> None:
    robot, X = seven_cranks(), pose([0.1, -0.05, 0.2], [0.05, -0.03, 0.7])
    qd = RNG.normal(size=(3, 7))
    G = robot.wrench_basis(X)
    best = np.linalg.lstsq(G.T, qd.T, rcond=None)[0].T
    assert np.allclose(robot.forward_velocity(X, qd), best, rtol=1e-10, atol=1e-12)


@pytest.mark.covers("Bruyninckx (8.19)")
@pytest.mark.parametrize("robot", [seven_cranks(), hexapod(7)], ids=["cranks", "telescopes"])
@pytest.mark.parametrize("noise", [1e-10, 1e-3])
def test_readings_of_seven_legs_that_disagree_give_the_nearest_pose(robot: ParallelRobot, noise: float) -> None:
    X = pose([0.1, -0.05, 0.2], [0.05, -0.03, 0.7])
    q = np.asarray(robot.inverse_position(X)) + noise * RNG.normal(size=(2, 7))
    found = robot.forward_position(q, X)
    assert (found.verdict == Verdict.CONTRADICTORY).all() and not found and (found.leg >= 0).all()
    assert "contradictory" in found.explain(0) and 1e-2 * noise < found.residual.max() < 10 * noise
    for pose_, given in zip(found.pose, q, strict=True):
        error = np.asarray(robot.inverse_position(pose_)) - given
        # Stationary: the error is at right angles to every motion of the platform.
        assert np.abs(robot.wrench_basis(pose_) @ error).max() < 1e-9 * noise + 1e-13
    exact = robot.forward_position(robot.inverse_position(X), X @ pose([0.02, 0, 0], [0, 0.02, 0]))
    assert exact and np.allclose(exact.pose, X, atol=1e-11)


ARM = sixvec.load("puma560")
Q = np.array([0.1, 0.8, -1.0, 0.3, 0.7, 0.2])
SINGULAR_Q = np.array([0.1, 0.8, -1.0, 0.3, 0.0, 0.2])  # the wrist is straight
FLAT = np.eye(4)  # all legs of the hexapod in one plane


@pytest.mark.covers("PAR-21")
def test_velocity_and_force_maps_are_dual_to_those_of_an_arm() -> None:
    """t = J q̇ and τ = Jᵀ w always; q̇ = Gᵀ t and w = G τ always; the inverses where they exist."""
    J, G = np.asarray(ARM.jacobian(Q, "link6")), hexapod().wrench_basis(HOME)
    rates, loads = RNG.normal(size=6), RNG.normal(size=6)
    for forward, backward in ((J, np.linalg.inv(J)), (np.linalg.inv(G).T, G.T)):  # twists from rates, and back
        t = forward @ rates
        assert np.allclose(backward @ t, rates)
        w = backward.T @ loads  # wrenches are dual to twists
        assert w @ t == pytest.approx(loads @ rates)
    assert np.allclose(hexapod().forward_velocity(HOME, rates), np.linalg.inv(G).T @ rates)
    assert np.allclose(hexapod().inverse_force(HOME, W), np.linalg.inv(G) @ W)


@pytest.mark.covers("PAR-21")
def test_what_an_arm_loses_a_platform_gains() -> None:
    """Rank drops: an arm loses motion and bears a force for free, a platform loses force and gains free motion."""
    J = np.asarray(ARM.jacobian(SINGULAR_Q, "link6"))
    assert np.linalg.matrix_rank(J, 1e-9) == 5
    free = np.linalg.svd(J)[0][:, -1]
    assert np.abs(J.T @ free).max() < 1e-12  # a wrench that no motor feels
    report = hexapod().singularity(FLAT)
    assert np.abs(hexapod().wrench_basis(FLAT).T @ report.gained).max() < 1e-12  # a twist that no actuator feels
    assert np.isfinite(hexapod().inverse_velocity(FLAT, W)).all()  # always there for platforms
    with pytest.warns(SingularPose):
        assert np.isnan(hexapod().forward_velocity(FLAT, W)).all()


@pytest.mark.covers("PAR-21")
def test_positions_are_unique_the_other_way_round() -> None:
    """Forward position of an arm and inverse position of a platform are functions; the others have many answers."""
    from sixvec.ik.closed_form import closed_form

    pose_ = ARM.pose(Q, "link6")
    many = closed_form(ARM, "link6")(pose_)
    assert many.count == 8 and np.allclose(ARM.pose(many.q[many.valid], "link6"), pose_, atol=1e-9)
    platform = sixvec.parallel.Parallel321(
        [[1, 0, 0], [-0.5, 0, 0.9], [-0.5, 0, -0.9], [1.5, 0, 1.2], [0.2, 0, 1.9], [1.6, 0, -1.1]],
        [[0, 0, 0], [0.7, 0, 0.35], [0.55, 0, -0.45]],
    )
    q = platform.inverse_position(pose([0.2, 0.3, -0.1], [0.1, 1.4, 0.05]))
    modes = platform.assembly_modes(q)
    assert modes.count == 8 and np.allclose(platform.inverse_position(modes.poses), q)


@pytest.mark.covers("PAR-21")
def test_redundancy_is_of_motion_there_and_of_force_here() -> None:
    """J_{M⁻¹}⁺ = M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ of an arm is G_K⁺ = K Gᵀ (G K Gᵀ)⁻¹ with q̇ → τ, J → G, M → K⁻¹, t → w."""
    panda = sixvec.load("panda")
    q = panda.neutral() + 0.4
    J, M = np.asarray(panda.jacobian(q, "panda_link8")), np.asarray(panda.mass_matrix(q))
    t = RNG.normal(size=6)
    rates = np.linalg.solve(M, J.T @ np.linalg.solve(J @ np.linalg.solve(M, J.T), t))
    assert np.allclose(J @ rates, t)
    G = SEVEN.wrench_basis(HOME)
    K = np.linalg.inv(M)
    tau = SEVEN.inverse_force(HOME, W, weight=0.5 * (K + K.T))
    assert np.allclose(tau, np.linalg.solve(M, G.T @ np.linalg.solve(G @ np.linalg.solve(M, G.T), W)))
    with pytest.raises(DegenerateError, match="inverse_force"):
        StewartGough(ring(5, 1.0, 0.0, 0.0), ring(5, 0.6, 0.0, 0.0, 0.75)).inverse_force(HOME, W)


def test_limits_weights_and_branches_that_make_no_sense_are_named() -> None:
    six, w = hexapod(), np.ones(6)
    for limits in (
        5, (1.0, 2.0, 3.0), (1.0, -1.0), (0.0, np.nan), ([0.0, 0.0, 2.0, 0.0, 0.0, 0.0], 1.0),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=named("inverse_force", "limits")):
            six.inverse_force(HOME, w, limits=limits)
    with pytest.raises(ShapeError, match=named("leg", "weight")):
        six.inverse_force(HOME, w, weight=np.ones(5))
    with pytest.raises(DegenerateError, match="leg"):
        six.inverse_force(HOME, w, weight=-1.0)
    for call in (six.inverse_position, six.wrench_basis, six.singularity):
        with pytest.raises(ArgumentError, match="branch"):
            call(HOME, branch=[0, 1, 0, 0, 0, 0])
    assert np.array_equal(six.inverse_position(HOME, branch=np.zeros(6)), six.inverse_position(HOME))


def test_readings_of_four_cranks_that_disagree_keep_their_branches() -> None:
    """The nearest position is where the differences do no work on any motion, each crank on its own branch."""
    legs = []
    for k, angle in enumerate((0.1, 1.8, 3.3, 4.9)):
        out = Vec3(float(np.cos(angle)), float(np.sin(angle)), 0.0)
        axis = Vec3(-float(np.sin(angle)), float(np.cos(angle)), 0.0)
        legs.append(RUS(base=out * 0.2, platform=out * 0.05, axis=axis, zero=out, crank=0.25, rod=0.6 + 0.01 * k))
    robot, X, branch = ParallelRobot(legs, Translational()), np.array([0.05, 0.02, -0.5]), np.array([1, 0, 1, 1])
    exact = np.asarray(robot.inverse_position(X, branch))
    q = exact + 1e-3 * np.array([1.0, -1.0, 0.5, 0.7])
    (found,), (settled,) = nearest_pose(robot, q[None], X[None] + 0.01)
    left = np.asarray(robot.inverse_position(found, branch)) - q
    slopes = [
        (np.asarray(robot.inverse_position(found + e, branch)) - np.asarray(robot.inverse_position(found - e, branch)))
        / 2e-6
        for e in 1e-6 * np.eye(3)
    ]
    assert settled and 1e-5 < np.abs(left).max() < 2e-3 and np.abs(np.array(slopes) @ left).max() < 1e-9
