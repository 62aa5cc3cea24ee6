"""The steps of the descent to the closest position, on matrices small enough for mental arithmetic."""

from __future__ import annotations

import numpy as np

from sixvec.ik.closest import LONGEST, _newton, _size, _within, _without
from sixvec.ik.position_solver import newton_step
from sixvec.ik.starts import GROUPS, PER_GROUP, _argmin, pool, start, table
from sixvec.model.robots import BUILT_IN
from sixvec.tolerances import RANK
from tolerances import IDENTITY, assert_close

H = np.array([[[2.0, 1.0], [1.0, 4.0]]])


def test_curvatures_are_positive_and_at_least_a_part_of_the_largest() -> None:
    assert _size(np.array([[-4.0, 1.0, 1e-20]]), 0.5).tolist() == [[4.0, 2.0, 2.0]]
    assert _size(np.array([[-4.0, 1.0, 0.0]]), RANK).tolist() == [[4.0, 1.0, 4.0 * RANK]]


def test_held_joints_have_the_rows_of_the_identity() -> None:
    assert _without(H, np.array([[True, False]])).tolist() == [[[1.0, 0.0], [0.0, 4.0]]]
    assert _without(H, np.array([[False, False]])).tolist() == H.tolist()


def test_newton_steps_lead_down_and_are_bounded_along_each_axis() -> None:
    axes = np.eye(2)[None]
    values = np.array([[-2.0, 4.0]])
    assert_close(_newton(np.array([[0.4, 0.4]]), values, axes), [[-0.2, -0.1]], IDENTITY)
    assert_close(_newton(np.array([[-40.0, 0.4]]), values, axes), [[LONGEST, -0.1]], IDENTITY)
    assert_close(_newton(np.array([[40.0, 0.4]]), values, axes), [[-LONGEST, -0.1]], IDENTITY)
    assert_close(_newton(np.array([[0.4, 0.4]]), values, axes, 1.0), [[-0.1, -0.1]], IDENTITY)  # steepest descent
    assert _newton(np.array([[np.nan, 0.4]]), values, axes).tolist() == [[0.0, 0.0]]


def test_a_joint_that_meets_its_limit_stops_and_the_other_takes_that_into_account() -> None:
    """g = (1.2, 0.4): the free minimum of H is at (-22/35, 2/35); with x ≥ -0.1, y = -(0.4 - 0.1) / 4."""
    slope, held = np.array([[1.2, 0.4]]), np.zeros((1, 2), bool)
    step = -np.linalg.solve(H[0], slope[0])[None]
    assert_close(step, [[-22.0 / 35.0, 2.0 / 35.0]], IDENTITY)
    wide, lower = np.full((1, 2), np.inf), np.array([[-0.1, -np.inf]])
    assert_close(_within(step, slope, H, held, (lower, wide)), [[-0.1, -0.075]], IDENTITY)
    assert_close(_within(-step, -slope, H, held, (-wide, -lower)), [[0.1, 0.075]], IDENTITY)
    assert_close(_within(step, slope, H, held, (-wide, wide)), step, IDENTITY)
    held = np.array([[True, False]])
    assert_close(_within(step, slope, H, held, (-wide, wide)), [[0.0, 2.0 / 35.0]], IDENTITY)


def test_the_first_of_the_least() -> None:
    assert [_argmin(x) for x in ([3.0], [3.0, 1.0, 2.0], [1.0, 1.0], [2.0, 3.0, 1.0, 1.0])] == [0.0, 1.0, 0.0, 2.0]


def test_starts_go_on_after_the_table_and_half_of_the_pool_is_at_limits() -> None:
    model = BUILT_IN["panda"]()
    lower, upper = ([f(b) for b in model.moving] for f in (lambda b: b.limits.lower[0], lambda b: b.limits.upper[0]))
    limits = tuple(lower), tuple(upper)
    size = GROUPS * PER_GROUP
    first = table(model, limits)
    assert first.shape == (size, 7) and (start(model, limits, size - 1) == first[-1]).all()
    many = np.array([start(model, limits, k) for k in range(2 * size + 1)])
    assert (many[:size] == first).all() and len(np.unique(many, axis=0)) == 2 * size + 1
    q = pool(model, limits)
    for bound in (lower, upper):
        assert abs((q == bound).mean() - 0.25) < 0.01
    assert ((q >= lower) & (q <= upper)).all()


def test_a_damped_step_by_hand_with_joints_held_and_a_drift() -> None:
    """One row (1, 2): u = J (J Jᵀ + λ)⁻¹ e; the drift acts beside it."""
    J = [[1.0, 2.0]]
    assert_close(newton_step([3.0], J, [1.0, 1.0], 1.0, None), [0.5, 1.0], IDENTITY)
    assert_close(newton_step([3.0], J, [0.0, 1.0], 1.0, None), [0.0, 1.2], IDENTITY)
    assert_close(newton_step([3.0], J, [1.0, 1.0], 0.0, [2.0, -1.0]), [0.6 + 2.0, 1.2 - 1.0], IDENTITY)
    assert_close(newton_step([3.0], J, [1.0, 0.0], 0.0, [2.0, -1.0]), [3.0, 0.0], IDENTITY)
    tall = [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]]
    expected = np.linalg.solve(np.transpose(tall) @ tall + 0.5 * np.eye(2), np.transpose(tall) @ [1.0, 2.0, 3.0])
    assert_close(newton_step([1.0, 2.0, 3.0], tall, [1.0, 1.0], 0.5, None), expected, IDENTITY)
