"""Weights of twists and joint velocities: values, both norms of a Jacobian, and every weight that raises an error."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.model.body import Limits
from sixvec.solve.metric import Metric, require_metric


class Elsewhere:
    """An array of another library, as NumPy sees it."""

    def __init__(self, *numbers: Any) -> None:
        self.numbers = np.array(numbers[0] if len(numbers) == 1 else numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.numbers


def test_a_length_without_axes_may_be_of_another_library() -> None:
    assert np.array_equal(Metric.from_length(Elsewhere(0.5), 2).task, Metric.from_length(0.5, 2).task)  # type: ignore[arg-type]
    for wrong in (Elsewhere(0.5, 0.5), Elsewhere(True), Elsewhere("long")):
        with pytest.raises(DtypeError, match="length"):
            Metric.from_length(wrong, 2)  # type: ignore[arg-type]


def random_weight(rng: np.random.Generator, n: int, *batch: int) -> np.ndarray:
    root = rng.normal(size=(*batch, n, n)) + 2.0 * np.eye(n)
    return root @ np.swapaxes(root, -1, -2)


def test_weights_from_a_length_and_rates() -> None:
    found = Metric.from_length(0.5, 2)
    assert np.array_equal(found.task, np.diag([0.25] * 3 + [1.0] * 3)) and np.array_equal(found.joint, np.eye(2))
    assert np.array_equal(Metric.from_length(2.0, 3, [1.0, 2.0, 4.0]).joint, np.diag([1.0, 0.25, 0.0625]))
    for rate in (0.5, [0.5], [0.5, 0.5]):
        assert np.array_equal(Metric.from_length(2.0, 2, rate).joint, np.diag([4.0, 4.0]))
    for bad in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ArgumentError, match="length"):
            Metric.from_length(bad, 2)
        with pytest.raises(ArgumentError, match=named("rates", "joints")):
            Metric.from_length(1.0, 2, [1.0, bad])


def test_weights_from_a_robot() -> None:
    robot = sv.load("planar_2r")
    limited = []
    for second in (4.0, np.inf):
        speeds = dict(zip([b.name for b in robot.model.moving], (2.0, second), strict=True))
        bodies = (
            replace(b, limits=Limits(velocity=(speeds[b.name],))) if b.name in speeds else b for b in robot.model.bodies
        )
        limited.append(sv.Robot(replace(robot.model, bodies=tuple(bodies))))
    assert np.array_equal(Metric.from_limits(limited[0], 1.0).joint, np.diag([0.25, 0.0625]))
    with pytest.raises(ArgumentError, match="rates"):
        Metric.from_limits(limited[1], 1.0)
    q = np.array([[0.3, 0.5], [0.1, -0.4]])
    found = Metric.from_inertia(robot, q, np.eye(6) * 2.0)
    assert np.array_equal(found.joint, robot.mass_matrix(q)) and np.array_equal(found.task, np.eye(6) * 2.0)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_a_weighted_jacobian_has_both_norms_euclidean(batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    metric = Metric(random_weight(rng, 4, *batch), random_weight(rng, 3, *batch))
    J, v = rng.normal(size=(*batch, 4, 3)), rng.normal(size=(*batch, 3))
    K, L, found = metric.joint_root, metric.task_root, metric.weighted(J)
    assert np.allclose(L @ np.swapaxes(L, -1, -2), metric.task)
    assert np.allclose(K @ np.swapaxes(K, -1, -2), metric.joint)
    y = (np.swapaxes(K, -1, -2) @ v[..., None])[..., 0]  # |y|² = vᵀ N v
    t = (J @ v[..., None])[..., 0]
    assert np.allclose((y * y).sum(-1), np.einsum("...i,...ij,...j", v, metric.joint, v))
    image = (found @ y[..., None])[..., 0]
    assert np.allclose((image * image).sum(-1), np.einsum("...i,...ij,...j", t, metric.task, t))


def test_rows_of_a_task() -> None:
    rng = np.random.default_rng(1)
    W = random_weight(rng, 6, 2)
    metric = Metric(W, np.eye(3))
    assert metric.of_rows(range(6)) is metric
    rows = [5, 0, 3]
    found = metric.of_rows(rows)
    for k in range(2):  # the least norm of all twists with these entries
        others = [i for i in range(6) if i not in rows]
        schur = W[k][np.ix_(rows, rows)] - W[k][np.ix_(rows, others)] @ np.linalg.solve(
            W[k][np.ix_(others, others)], W[k][np.ix_(others, rows)]
        )
        assert np.allclose(found.task[k], schur)
    assert np.array_equal(found.joint, np.eye(3))


@pytest.mark.parametrize(
    ("weight", "error", "words"),
    [
        (np.ones(3), ShapeError, "has shape"),
        (np.ones((3, 2)), ShapeError, "has shape"),
        (5.0, ShapeError, "has shape"),
        (np.diag([1.0, np.inf]), ArgumentError, "not finite"),
        (np.diag([1.0, np.nan]), ArgumentError, "not finite"),
        ([[1.0, 1e-8], [0.0, 1.0]], ArgumentError, "not symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], ArgumentError, "not positive definite"),
        (np.diag([1.0, 0.0]), ArgumentError, "not positive definite"),
        (-np.eye(2), ArgumentError, "not positive definite"),
    ],
)
def test_weights_that_raise(weight: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"the task weight .*{words}"):
        Metric(weight, np.eye(2))
    with pytest.raises(error, match=f"the joint weight .*{words}"):
        Metric(np.eye(6), weight)


def test_rounding_is_no_asymmetry_and_no_joints_are_a_weight() -> None:
    Metric(np.eye(6), [[1.0, 5e-10], [0.0, 1.0]])
    Metric(np.eye(6), [[1e6, 5e-4], [0.0, 1.0]])
    assert Metric(np.eye(6), np.zeros((0, 0))).joint.shape == (0, 0)


def test_metrics_of_other_sizes() -> None:
    metric = Metric.from_length(0.5, 3)
    with pytest.raises(ShapeError, match="Jacobian"):
        metric.weighted(np.zeros((5, 3)))
    with pytest.raises(ShapeError, match="Jacobian"):
        metric.weighted(np.zeros((6, 4)))
    require_metric(metric)
    require_metric(metric, 3)
    require_metric(Metric(np.eye(2), np.eye(3)))
    with pytest.raises(ShapeError, match=named("Metric.from_length")):
        require_metric(metric, 4)
    with pytest.raises(ShapeError, match=named("rows", "twist")):
        require_metric(Metric(np.eye(2), np.eye(3)), 3)
    with pytest.raises(TypeError, match="Metric"):
        require_metric(0.5, 3)
