"""Priorities: whatever a lower task asks for, a higher one does not notice."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from planar_arms import planar
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.redundancy import RateTask, damped_inverse, prioritised_rates, task_jacobian, weighted_inverse
from tolerances import SOLVED, assert_close

RNG = np.random.default_rng(11)
PANDA = sixvec.load("panda")


def tasks(batch: int, *sizes: int, joints: int = 7, seed: int = 0) -> list[RateTask]:
    rng = np.random.default_rng(seed)
    return [RateTask(rng.normal(size=(batch, m, joints)), rng.normal(size=(batch, m))) for m in sizes]


def achieved(task: RateTask, v: np.ndarray) -> np.ndarray:
    return (task.jacobian @ v[..., None])[..., 0]


@pytest.mark.covers("KIN-05")
@pytest.mark.parametrize("method", ["recursive", "singularity_robust"])
@pytest.mark.parametrize("damping", [0.0, 0.2])
def test_lower_tasks_never_disturb_higher_ones(method: str, damping: float) -> None:
    stack = tasks(20, 3, 2, 4, 3)  # 12 directions for 7 joints: the last two tasks conflict
    for k in range(1, len(stack)):
        alone = prioritised_rates(stack[:k], method=method, damping=damping).v
        together = prioritised_rates(stack, method=method, damping=damping).v
        for task in stack[:k]:
            assert_close(achieved(task, together), achieved(task, alone), 1e-10, scale=np.abs(together).max(axis=1))


@pytest.mark.covers("KIN-05")
def test_compatible_tasks_are_all_done_and_ranks_tell_conflicts() -> None:
    found = prioritised_rates(tasks(20, 3, 2, 2))
    for residual in found.residuals:
        assert np.abs(residual).max() < 1e-9
    assert [np.unique(r).tolist() for r in found.ranks] == [[3], [2], [2]]
    crowded = prioritised_rates(tasks(20, 3, 2, 4))
    assert np.unique(crowded.ranks[2]).tolist() == [2]
    assert np.abs(crowded.residuals[1]).max() < 1e-9 < np.abs(crowded.residuals[2]).max()


@pytest.mark.covers("KIN-05")
def test_recursion_is_the_lexicographic_least_squares_solution() -> None:
    """Independent route: eliminate with explicit null-space bases and solve each task by lstsq."""
    stack = [RateTask(t.jacobian[0], t.velocity[0]) for t in tasks(1, 3, 2, 4)]
    v, N = np.zeros(7), np.eye(7)
    for task in stack:
        z = np.linalg.lstsq(task.jacobian @ N, task.velocity - task.jacobian @ v, rcond=1e-10)[0]
        v = v + N @ z
        _, s, Vt = np.linalg.svd(task.jacobian @ N)
        N = N @ Vt[(s > 1e-10).sum() :].T
    assert_close(prioritised_rates(stack).v, v, 1e-10, batched=False)


@pytest.mark.covers("KIN-05")
def test_the_same_task_twice_adds_nothing() -> None:
    first = tasks(5, 3)[0]
    again = prioritised_rates([first, RateTask(first.jacobian, first.velocity + 1.0)])
    assert_close(again.v, prioritised_rates([first]).v, SOLVED)
    assert np.unique(again.ranks[1]).tolist() == [0]


def test_one_task_is_the_pseudo_inverse() -> None:
    (task,) = tasks(5, 4)
    expected = achieved(RateTask(weighted_inverse(task.jacobian), 0), task.velocity)
    assert_close(prioritised_rates([task]).v, expected, SOLVED)


def test_near_a_conflict_the_robust_method_stays_bounded_and_recursion_needs_damping() -> None:
    """Two almost parallel directions: an algorithmic singularity, while each task alone is harmless."""
    gap = 1e-7
    high, low = RateTask([[1.0, 0.0, 0.0]], [0.0]), RateTask([[1.0, gap, 0.0]], [1.0])
    assert np.abs(prioritised_rates([high, low]).v).max() > 1e6
    assert np.abs(prioritised_rates([high, low], method="singularity_robust").v).max() < 1.0
    assert np.abs(prioritised_rates([high, low], damping=0.1).v).max() <= 5.0 + 1e-9


def test_at_a_singularity_of_the_first_task_everything_stays_finite() -> None:
    arm = planar(3)
    q = [0.4, 0.0, 0.0]
    J = task_jacobian(arm, q, "tip", "x y")
    found = prioritised_rates([RateTask(J, [0.1, 0.2]), RateTask(np.eye(3), [1.0, -1.0, 0.5])])
    assert np.isfinite(found.v).all() and int(found.ranks[0]) == 1
    reachable = J @ np.linalg.pinv(J) @ [0.1, 0.2]
    assert_close(J @ found.v, reachable, 1e-9, batched=False)


def test_not_a_number_stays_in_its_sample() -> None:
    stack = tasks(4, 3, 2)
    stack[1].jacobian[1, 0, 0] = np.nan
    v = prioritised_rates(stack).v
    assert np.isnan(v[1]).all() and np.isfinite(np.delete(v, 1, axis=0)).all()


def test_bad_tasks_are_explained() -> None:
    with pytest.raises(ArgumentError, match="tasks"):
        prioritised_rates([])
    with pytest.raises(ShapeError, match="joints"):
        prioritised_rates([RateTask(np.eye(2), [0.0, 0.0]), RateTask(np.eye(3), [0.0] * 3)])
    with pytest.raises(ArgumentError, match=named("fast", "singularity_robust")):
        prioritised_rates([RateTask(np.eye(2), [0.0, 0.0])], method="fast")


def test_damping_that_raises() -> None:
    task = RateTask([[1.0, 0.0]], [2.0])
    with pytest.raises(ArgumentError, match="damps_below"):
        prioritised_rates([task], damps_below=-1.0)
    with pytest.raises(ArgumentError, match="damping"):
        prioritised_rates([task], damping=-1.0)
    assert_close(prioritised_rates([task], damping=0.0, damps_below=0.0).v, [2.0, 0.0], SOLVED)
    with pytest.raises(ShapeError, match="damping"):
        damped_inverse(np.eye(2), np.eye(3))
    with pytest.raises(ShapeError, match="damping"):
        damped_inverse(np.eye(2), np.ones(3))
