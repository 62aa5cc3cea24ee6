"""Singular values, rank and pseudo-inverse in norms that mean something."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, ShapeError
from sixvec.solve import Metric, spectrum
from sixvec.solve.metric import require_metric
from sixvec.spatial import Pose, Rotation, Vec3
from sixvec.tolerances import EQUAL
from tolerances import IDENTITY, SOLVED, assert_close

TOOL = "panda_link8"


@pytest.fixture
def arm() -> sixvec.Robot:
    return sixvec.load("panda")


def random_metric(seed: int, nv: int = 7, rows: int = 6) -> Metric:
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(rows, rows)), rng.normal(size=(nv, nv))
    return Metric(A @ A.T + np.eye(rows), B @ B.T + np.eye(nv))


@pytest.mark.covers("KIN-04")
def test_the_parts_make_the_jacobian_and_are_orthonormal_in_their_norms(arm: sixvec.Robot) -> None:
    J, metric = arm.jacobian(arm.random(0, 9), TOOL), random_metric(1)
    s = spectrum(J, metric)
    t, v = s.twists, s.rates
    assert_close(np.swapaxes(t, 1, 2) @ metric.task @ t, np.broadcast_to(np.eye(6), (9, 6, 6)), SOLVED)
    assert_close(np.swapaxes(v, 1, 2) @ metric.joint @ v, np.broadcast_to(np.eye(7), (9, 7, 7)), SOLVED)
    assert_close(J @ v[..., :6], t * s.values[:, None, :], SOLVED)
    assert np.abs(J @ v[..., 6:]).max() < 1e-12


@pytest.mark.covers("KIN-04")
def test_weighted_jacobians_hold_for_lists_and_batches(arm: sixvec.Robot) -> None:
    """Both roots take their norms away: (Lᵀ J K⁻ᵀ)(Lᵀ J K⁻ᵀ)ᵀ = Lᵀ J N⁻¹ Jᵀ L."""
    J, metric = arm.jacobian(arm.random(0, 3), TOOL), random_metric(2)
    A, L = metric.weighted(J), metric.task_root
    assert_close(A @ np.swapaxes(A, 1, 2), L.T @ J @ np.linalg.solve(metric.joint, np.swapaxes(J, 1, 2)) @ L, SOLVED)
    assert np.array_equal(metric.weighted(J.tolist()), A)
    assert np.array_equal(Metric(metric.task.tolist(), metric.joint.tolist()).weighted(J[0].tolist()), A[0])


@pytest.mark.covers("KIN-04", "Bruyninckx (5.32)")
def test_unit_weights_give_numpys_decomposition(arm: sixvec.Robot) -> None:
    J = arm.jacobian(arm.random(0, 9), TOOL)
    s = spectrum(J, Metric.from_length(1.0, 7))
    assert_close(s.values, np.linalg.svd(J, compute_uv=False), IDENTITY)
    assert_close(s.inverse(), np.linalg.pinv(J), SOLVED)
    assert_close(s.condition, np.linalg.cond(J), SOLVED)


@pytest.mark.covers("KIN-04")
def test_weighted_inverse_is_the_closed_form(arm: sixvec.Robot) -> None:
    """J⁺ = N⁻¹ Jᵀ (J N⁻¹ Jᵀ)⁻¹ for full row rank, and (Jᵀ W J)⁻¹ Jᵀ W for full column rank."""
    J, metric = arm.jacobian(arm.random(0), TOOL), random_metric(2)
    N = np.linalg.inv(metric.joint)
    assert_close(spectrum(J, metric).inverse(), N @ J.T @ np.linalg.inv(J @ N @ J.T), 1e-9, batched=False)
    tall, metric = J[:, :4], random_metric(3, nv=4)
    W = metric.task
    assert_close(spectrum(tall, metric).inverse(), np.linalg.solve(tall.T @ W @ tall, tall.T @ W), 1e-9, batched=False)


@pytest.mark.covers("KIN-04")
def test_penrose_conditions_where_rank_is_lost() -> None:
    """At the stretched PUMA wrist: J J⁺ and J⁺ J are projections, symmetric in the weights."""
    arm = sixvec.load("puma560")
    q = arm.random(0)
    q[4] = 0.0
    J, metric = arm.jacobian(q, arm.frame_names[-1]), random_metric(4, nv=6)
    s = spectrum(J, metric)
    assert s.rank() == 5
    P = s.inverse()
    assert_close(J @ P @ J, J, 1e-10, batched=False)
    assert_close(P @ J @ P, P, 1e-10, batched=False)
    for product, weight in ((J @ P, metric.task), (P @ J, metric.joint)):
        assert_close(weight @ product, (weight @ product).T, 1e-10, batched=False)


@pytest.mark.covers("KIN-03", "KIN-04")
def test_free_wrenches_do_no_work_and_need_no_motor() -> None:
    """The metric changes the basis of lost twists, never the space of wrenches that are borne free."""
    arm = sixvec.load("puma560")
    tool = arm.frame_names[-1]
    q = arm.random(0)
    q[4] = 0.0
    J = arm.jacobian(q, tool)
    found = [spectrum(J, random_metric(seed, nv=6)) for seed in (5, 6)]
    wrenches = [s.free_wrenches() for s in found]
    for s, f in zip(found, wrenches, strict=True):
        assert f.shape == (6, 1)
        assert np.abs(J.T @ f).max() < 1e-12
        assert np.abs(s.reachable_twists().T @ s.metric.task @ s.lost_twists()).max() < 1e-12
    assert abs(float(wrenches[0][:, 0] @ wrenches[1][:, 0])) == pytest.approx(1.0)
    lost = [s.lost_twists()[:, 0] / np.linalg.norm(s.lost_twists()) for s in found]
    assert abs(float(lost[0] @ lost[1])) < 0.999


@pytest.mark.covers("KIN-04", "CHAIN-15")
def test_singular_values_depend_on_units_but_not_if_the_weight_follows(arm: sixvec.Robot) -> None:
    """Millimetres instead of metres, and another reference frame: X J with weight X⁻ᵀ W X⁻¹ is the same."""
    J, metric = arm.jacobian(arm.random(0), TOOL), Metric.from_length(0.2, 7)
    X = Pose(Rotation.about_x(0.7), Vec3(0.4, -0.3, 0.2))
    shift = adjoint(X) @ np.diag([1.0] * 3 + [1000.0] * 3)
    back = np.linalg.inv(shift)
    moved = Metric(back.T @ metric.task @ back, metric.joint)
    assert_close(spectrum(shift @ J, moved).values, spectrum(J, metric).values, 1e-9, batched=False)
    assert np.abs(spectrum(shift @ J, metric).values / spectrum(J, metric).values - 1.0).max() > 1.0
    assert spectrum(shift @ J, metric).rank() == spectrum(J, metric).rank() == 6


def test_a_sample_that_is_not_finite_spoils_only_itself(arm: sixvec.Robot) -> None:
    J = arm.jacobian(arm.random(0, 3), TOOL)
    clean = spectrum(J, Metric.from_length(1.0, 7)).values
    J[1, 0, 0] = np.nan
    s = spectrum(J, Metric.from_length(1.0, 7))
    assert np.isnan(s.values[1]).all() and s.rank().tolist() == [6, 0, 6]
    np.testing.assert_array_equal(s.values[[0, 2]], clean[[0, 2]])


def test_a_chain_without_joints_has_rank_zero() -> None:
    s = spectrum(np.zeros((6, 0)), Metric.from_length(1.0, 0))
    assert s.rank() == 0 and s.condition == np.inf and s.inverse().shape == (0, 6)
    assert s.free_wrenches().shape == (6, 6)


@pytest.mark.parametrize(
    ("task", "joint", "message"),
    [
        (-np.eye(6), np.eye(7), "task"),
        (np.eye(6), np.triu(np.ones((7, 7))), named("weight", "symmetric")),
        (np.full((6, 6), np.nan), np.eye(7), "task"),
    ],
)
def test_weights_that_are_none_raise(task: np.ndarray, joint: np.ndarray, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Metric(task, joint)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_symmetry_is_relative(size: float) -> None:
    skew = np.zeros((7, 7))
    skew[0, 1] = size
    Metric(np.eye(6), size * np.eye(7) + 0.9 * EQUAL * skew)
    with pytest.raises(ArgumentError, match=named("weight", "symmetric")):
        Metric(np.eye(6), size * np.eye(7) + 1.1 * EQUAL * skew)


def test_batches_of_weights_are_their_samples(arm: sixvec.Robot) -> None:
    metrics = [random_metric(k) for k in range(3)]
    J = arm.jacobian(arm.random(0, 3), TOOL)
    both = Metric(np.stack([m.task for m in metrics]), np.stack([m.joint for m in metrics]))
    together = spectrum(J, both)
    for k, metric in enumerate(metrics):
        alone = spectrum(J[k], metric)
        assert_close(both.weighted(J)[k], metric.weighted(J[k]), IDENTITY)
        assert_close(together.values[k], alone.values, IDENTITY)
        assert_close(together.inverse()[k], alone.inverse(), SOLVED)
        assert together.condition[k] == alone.condition and together.smallest[k] == alone.smallest == alone.values[-1]
        assert_close(both.of_rows([3, 4]).task[k], metric.of_rows([3, 4]).task, IDENTITY)
    assert both.of_rows(range(6)) is both
    inverse = np.linalg.inv(metrics[0].task)[np.ix_([0, 5], [0, 5])]
    assert_close(np.linalg.inv(metrics[0].of_rows([0, 5]).task), inverse, SOLVED)


def test_lengths_and_rates() -> None:
    metric = Metric.from_length(0.5, 3, [1.0, 2.0, 4.0])
    assert metric.task.tolist() == np.diag([0.25] * 3 + [1.0] * 3).tolist()
    assert metric.joint.tolist() == np.diag([1.0, 0.25, 0.0625]).tolist()
    assert Metric.from_length(1e-3, 2, 2.0).joint.tolist() == np.diag([0.25, 0.25]).tolist()
    for length, rates in ((-1.0, 1.0), (np.nan, 1.0), (np.inf, 1.0), (1.0, 0.0), (1.0, [1.0, -1.0]), (1.0, np.inf)):
        with pytest.raises(ArgumentError):
            Metric.from_length(length, 2, rates)
    with pytest.raises(ArgumentError, match=named("acrobot", "rates")):
        Metric.from_limits(sixvec.load("acrobot"), 1.0)
    with pytest.raises(ShapeError, match="metric"):
        require_metric(Metric(np.eye(3), np.eye(2)), 2)
    for task in (np.ones(6), np.ones((6, 5))):
        with pytest.raises(ShapeError, match="task"):
            Metric(task, np.eye(2))


def test_wrong_sizes_are_named(arm: sixvec.Robot) -> None:
    J = arm.jacobian(arm.neutral(), TOOL)
    with pytest.raises(ShapeError, match="Jacobian"):
        spectrum(J, Metric.from_length(1.0, 6))
    with pytest.raises(ShapeError, match="Jacobian"):
        spectrum(J, Metric(np.eye(3), np.eye(7)))
    with pytest.raises(ShapeError, match="bases"):
        spectrum(J[None], Metric.from_length(1.0, 7)).lost_twists()
    with pytest.raises(TypeError, match="Metric"):
        spectrum(J, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="length"):
        Metric.from_length(0.0, 7)
    for tolerance in (2.0, 1.0, -0.1, np.nan):
        with pytest.raises(ArgumentError, match="tolerance"):
            spectrum(J, Metric.from_length(1.0, 7)).rank(tolerance)
    assert spectrum(np.eye(6), Metric.from_length(1.0, 6)).rank(0.0) == 6


def adjoint(X: Pose) -> np.ndarray:
    """The 6x6 matrix that moves motions, from its action on the six unit motions."""
    from sixvec.spatial import Motion

    return np.array([[*(X @ Motion.of(row))] for row in np.eye(6).tolist()]).T
