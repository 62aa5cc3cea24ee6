"""Quadratic programs: optimality from the program alone, other solvers, and programs that are nearly something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.solve import quadratic_program
from sixvec.solve.active_set_loop import active_set_loop
from sixvec.verdict import Verdict

Program = tuple[Any, Any, Any, Any, Any]
N, n, ROWS = 400, 7, 10
SMALL = 1e-9


def ordinary(rng: np.random.Generator) -> Program:
    G = rng.normal(size=(N, n, n))
    bounds = rng.uniform(0.05, 1.0, (2, N, n + ROWS))
    H = G @ G.swapaxes(1, 2) + 1e-3 * np.eye(n)
    return H, rng.normal(size=(N, n)), rng.normal(size=(N, ROWS, n)), -bounds[0], bounds[1]


def of_inverse_kinematics(rng: np.random.Generator) -> Program:
    J = rng.normal(size=(N, 6, n))
    lower, upper = np.full((N, n + ROWS), -0.02), np.full((N, n + ROWS), 0.02)
    lower[:, n:], upper[:, n:] = -np.inf, rng.uniform(0.0, 0.05, (N, ROWS))
    g = -(J.swapaxes(1, 2) @ rng.normal(size=(N, 6, 1)))[..., 0]
    return J.swapaxes(1, 2) @ J + 1e-3 * np.eye(n), g, rng.normal(size=(N, ROWS, n)), lower, upper


def with_condition(exponent: int) -> Any:
    def made(rng: np.random.Generator) -> Program:
        Q = np.linalg.qr(rng.normal(size=(N, n, n)))[0]
        _, g, A, lower, upper = ordinary(rng)
        return (Q * 10.0 ** -np.linspace(0, exponent, n)) @ Q.swapaxes(1, 2), 0.1 * g, A, lower, upper

    made.__name__ = f"condition_{exponent}"
    return made


def repeated(rng: np.random.Generator) -> Program:
    H, g, A, lower, upper = ordinary(rng)
    A[:, 5:] = A[:, :5]
    lower[:, 12:], upper[:, 12:] = lower[:, 7:12], upper[:, 7:12]
    return H, g, A, lower, upper


def equations(rng: np.random.Generator) -> Program:
    """Three of which the third follows from the others."""
    H, g, A, lower, upper = ordinary(rng)
    A[:, 2] = A[:, 0] - 2.0 * A[:, 1]
    values = rng.uniform(-0.05, 0.05, (N, 2))
    upper[:, 7:10] = lower[:, 7:10] = np.column_stack([values, values[:, 0] - 2.0 * values[:, 1]])
    return H, g, A, lower, upper


def fixed(rng: np.random.Generator) -> Program:
    H, g, A, lower, upper = ordinary(rng)
    lower[:, :3] = upper[:, :3] = 0.0
    return H, g, A, lower, upper


def at_a_vertex(rng: np.random.Generator) -> Program:
    H, g, A, lower, upper = ordinary(rng)
    upper[:, 7:] = 0.0
    return H, g, A, lower, upper


def with_empty_row(rng: np.random.Generator) -> Program:
    H, g, A, lower, upper = ordinary(rng)
    A[:, 3] = 0.0
    return H, g, A, lower, upper


FAMILIES = [
    ordinary, of_inverse_kinematics, *map(with_condition, (4, 6, 7)), repeated, equations, fixed, at_a_vertex,
    with_empty_row,
]  # fmt: skip


def violation(program: Program, solution: Any) -> Any:
    """The largest error of the conditions of Karush, Kuhn and Tucker, in the units of the program."""
    H, g, A, lower, upper = program
    A = np.concatenate([np.broadcast_to(np.eye(n), (*A.shape[:-2], n, n)), A], axis=-2)
    y, multipliers = (A @ solution.x[..., None])[..., 0], solution.multipliers
    balance = (H @ solution.x[..., None])[..., 0] + g + (A.swapaxes(-1, -2) @ multipliers[..., None])[..., 0]
    bound = np.where(multipliers > 0.0, upper, np.where(multipliers < 0.0, lower, y))
    parts = [np.maximum(np.maximum(y - upper, lower - y), 0.0), abs(balance), abs(y - bound)]
    return np.max([x.max(axis=-1) for x in parts], axis=0)


@pytest.mark.covers("TASK-01")
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_solutions_satisfy_the_conditions_of_a_minimum(family: Any) -> None:
    program = family(np.random.default_rng(3))
    solution = quadratic_program(*program)
    assert (solution.verdict == Verdict.SOLVED).all() and solution
    assert violation(program, solution).max() < SMALL and solution.residual.max() < SMALL
    assert (solution.active * solution.multipliers >= 0.0).all()


def daqp_solutions(program: Program) -> tuple[Any, Any]:
    daqp = pytest.importorskip("daqp")
    options = {"primal_tol": 1e-12, "dual_tol": 1e-12, "zero_tol": 1e-13}
    kinds = np.zeros(program[3].shape[-1], np.int32)
    H, g, A, lower, upper = (np.ascontiguousarray(x) for x in program)
    found = [daqp.solve(*parts, kinds.copy(), **options) for parts in zip(H, g, A, upper, lower, strict=True)]
    return np.array([x for x, *_ in found]), np.array([flag for _, _, flag, *_ in found])


@pytest.mark.parametrize("family", FAMILIES[:5], ids=lambda f: f.__name__)
def test_minima_are_those_of_daqp(family: Any) -> None:
    program = family(np.random.default_rng(4))
    x, flag = daqp_solutions(program)
    assert (flag == 1).all()
    assert abs(quadratic_program(*program).x - x).max() < 1e-8


def test_infeasible_programs_are_those_of_a_linear_program_and_their_rows_contradict_each_other() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    H, g, A, lower, upper = ordinary(rng)
    lower[:, 7:] = upper[:, 7:] = 0.5 * rng.normal(size=(N, ROWS))
    lower[::2, 12:], upper[::2, 12:] = -np.inf, np.inf
    solution = quadratic_program(H, g, A, lower, upper)
    assert set(solution.verdict.tolist()) == {Verdict.SOLVED, Verdict.INFEASIBLE}
    for k in range(0, N, 4):
        rows = np.vstack([A[k], -A[k]])
        ends = np.concatenate([upper[k, 7:], -lower[k, 7:]])
        finite = np.isfinite(ends)
        box = list(zip(lower[k, :7], upper[k, :7], strict=True))
        status = optimize.linprog(np.zeros(n), rows[finite], ends[finite], bounds=box).status
        assert (status == 2) == (solution.verdict[k] == Verdict.INFEASIBLE)
    for k in np.flatnonzero(solution.verdict == Verdict.INFEASIBLE)[:40]:
        y, whole = solution.multipliers[k], np.vstack([np.eye(n), A[k]])
        least = np.where(y > 0.0, upper[k], np.where(y < 0.0, lower[k], 0.0)) @ y
        assert abs(y @ whole).max() < 1e-8 and least < -1e-6
        used = np.flatnonzero(y)
        assert solution.contradiction(k) == tuple(solution.names[i] for i in used)
        alone = np.isin(np.arange(n + ROWS), used)
        again = quadratic_program(
            H[k], g[k], A[k], np.where(alone, lower[k], -np.inf), np.where(alone, upper[k], np.inf)
        )
        assert again.verdict == Verdict.INFEASIBLE


def test_equations_that_contradict_each_other() -> None:
    H, g, A, lower, upper = equations(np.random.default_rng(6))
    lower[:, 9] = upper[:, 9] = lower[:, 9] + 1e-3
    solution = quadratic_program(H, g, A, lower, upper)
    assert (solution.verdict == Verdict.INFEASIBLE).all() and not solution
    assert {solution.contradiction(k) for k in range(N)} == {("row 0", "row 1", "row 2")}


@pytest.mark.parametrize("family", [ordinary, equations, repeated, with_condition(7)], ids=lambda f: f.__name__)
def test_equations_known_beforehand_change_no_result(family: Any) -> None:
    """Among the first rows some are equations, some follow from others, some contradict each other, some are none."""
    program = [np.array(x) for x in family(np.random.default_rng(15))]
    program[4][::3, 7:10] = program[3][::3, 7:10]
    known = active_set_loop(n, n, ROWS, False, 4)
    x, multipliers, active, residual, verdict = known(*program)
    plain = quadratic_program(*program)
    solved, infeasible = (verdict[:, 0] == kind for kind in (Verdict.SOLVED, Verdict.INFEASIBLE))
    assert np.array_equal(solved, plain.verdict == Verdict.SOLVED) and solved.any()
    assert (plain.verdict[infeasible] == Verdict.INFEASIBLE).all()  # some others are proven after the loop alone
    assert abs(x[:, 0] - plain.x)[solved].max() < 1e-9 and residual[solved].max() < SMALL
    assert (active * multipliers)[solved].min() > -SMALL
    whole = np.concatenate([np.broadcast_to(np.eye(n), (N, n, n)), program[2]], axis=1)
    forces, others = ((y[:, None] @ whole)[:, 0] for y in (multipliers[:, 0], plain.multipliers))
    assert abs(forces - others)[solved].max() < 1e-7  # multipliers of rows that depend on each other are not unique
    assert abs(forces[infeasible]).max(initial=0.0) < 1e-8  # a proof


def test_bounds_the_wrong_way_round_contradict_themselves() -> None:
    solution = quadratic_program(np.eye(2), [1.0, 1.0], None, [0.0, 1.0], [1.0, 0.5], names=("a", "b"))
    assert solution.verdict == Verdict.INFEASIBLE and solution.contradiction() == ("b",)


@pytest.mark.parametrize("rank", [1, 3, 6])
@pytest.mark.parametrize("in_range", [True, False])
def test_of_the_minima_of_a_semidefinite_program_one_is_returned(rank: int, in_range: bool) -> None:
    rng = np.random.default_rng(7)
    J = rng.normal(size=(N, rank, n))
    _, g, A, lower, upper = ordinary(rng)
    if in_range:
        g = (J.swapaxes(1, 2) @ rng.normal(size=(N, rank, 1)))[..., 0]
    program = J.swapaxes(1, 2) @ J, g, A, lower, upper
    solution = quadratic_program(*program)
    assert solution and violation(program, solution).max() < 1e-7
    k = 17
    alone = quadratic_program(*(x[k] for x in program))
    assert alone.verdict == Verdict.SOLVED
    assert alone.x.tolist() == solution.x[k].tolist() and alone.residual == solution.residual[k]


def test_programs_that_are_unbounded_below_are_not_solved() -> None:
    half = quadratic_program(np.diag([1.0, 0.0]), [0.0, 1.0], None, [-1.0, -np.inf], [1.0, np.inf])
    assert half.verdict == Verdict.NOT_CONVERGED
    ended = quadratic_program(np.diag([1.0, 0.0]), [0.0, 1.0], None, [-1.0, -1e3], [1.0, np.inf])
    assert ended and ended.x.tolist() == [0.0, -1e3]


def test_a_variable_whose_bounds_are_equal_stays_on_the_side_that_pushes_it() -> None:
    rng, size, count = np.random.default_rng(2), 5, 4000
    G = rng.normal(size=(count, size, size))
    H = G @ G.swapaxes(1, 2) + 0.1 * np.eye(size)
    g = rng.normal(size=(count, size)) * np.where(rng.random((count, size)) < 0.4, 1.0, 1e-9)
    upper = np.where(rng.random((count, size)) < 0.5, 0.0, 1.0)
    search = active_set_loop(size, size, 0, False)  # of `quadratic_program`, which would search again where this fails
    x = search(H, g, -np.ones((count, size)), upper)[0][:, 0]
    *_, verdict = search(H, g, -abs(x), np.minimum(upper, abs(x)))
    assert (verdict == Verdict.SOLVED).all()


def test_multipliers_at_vertices_of_programs_with_a_large_condition() -> None:
    rng, size = np.random.default_rng(7), 2
    U = np.linalg.qr(rng.normal(size=(4000, size, size)))[0]
    H = (U * [1.0, 1e-7]) @ U.swapaxes(1, 2)
    bounds = rng.uniform(0.05, 1.0, (2, 4000, 5))
    assert quadratic_program(H, rng.normal(size=(4000, size)), rng.normal(size=(4000, 5, size)), -bounds[0], bounds[1])


@pytest.mark.parametrize("size", [7, 20])
def test_a_search_in_a_box_may_begin_at_any_point(size: int) -> None:
    """Near another minimum, at a wrong corner, or at numbers that are outside: the minimum is the same."""
    rng, count = np.random.default_rng(14), 200
    Q = np.linalg.qr(rng.normal(size=(count, size, size)))[0]
    H, g = (Q * 10.0 ** -np.linspace(0, 5, size)) @ Q.swapaxes(1, 2), 0.1 * rng.normal(size=(count, size))
    lower, upper = np.where(rng.random((2, count, size)) < 0.1, np.inf, rng.uniform(0.0, 1.0, (2, count, size)))
    lower = -lower
    plain = quadratic_program(H, g, None, lower, upper)
    corner = rng.integers(-1, 2, (count, size))
    for active in (plain.active, -plain.active, corner):
        other = quadratic_program(H, g, None, lower, upper, start=active)
        assert other and abs(other.x - plain.x).max() < 1e-9 * max(1.0, abs(plain.x).max())
    search = active_set_loop(size, size, 0, True)
    for point in (plain.x, rng.normal(size=(count, size)), np.full((count, size), 1e6)):
        x, *_, verdict = search(H, g, lower, upper, point)
        assert (verdict == Verdict.SOLVED).all() and abs(x[:, 0] - plain.x).max() < 1e-9 * max(1.0, abs(plain.x).max())


def test_linear_programs_end_at_a_vertex() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    _, g, A, lower, upper = ordinary(np.random.default_rng(8))
    solution = quadratic_program(np.zeros((n, n)), g, A, lower, upper)
    for k in range(0, N, 20):
        rows, ends = np.vstack([A[k], -A[k]]), np.concatenate([upper[k, 7:], -lower[k, 7:]])
        other = optimize.linprog(g[k], rows, ends, bounds=list(zip(lower[k, :7], upper[k, :7], strict=True)))
        assert solution.verdict[k] == Verdict.SOLVED and g[k] @ solution.x[k] == pytest.approx(other.fun, rel=1e-9)


@pytest.mark.parametrize("factor", [1e-8, 1e-3, 1e6])
def test_units_do_not_matter(factor: float) -> None:
    H, g, A, lower, upper = ordinary(np.random.default_rng(9))
    plain = quadratic_program(H, g, A, lower, upper)
    objective = quadratic_program(H * factor, g * factor, A, lower, upper)
    lengths = quadratic_program(H, g * factor, A, lower * factor, upper * factor)
    scales = np.r_[np.ones(n), np.full(ROWS, factor)]
    rows = quadratic_program(H, g, A * factor, lower * scales, upper * scales)
    for other, scale in ((objective, 1.0), (lengths, factor), (rows, 1.0)):
        assert other and abs(other.x / scale - plain.x).max() < 1e-10
        assert (other.active == plain.active).all()


def test_last_digits_change_the_result_by_as_little() -> None:
    rng = np.random.default_rng(10)
    program = ordinary(rng)
    plain = quadratic_program(*program)
    moved = quadratic_program(*(x * (1.0 + 1e-7 * rng.uniform(-1, 1, x.shape)) for x in program))
    assert moved and abs(moved.x - plain.x).max() < 1e-3 * 1e-7 * 1e6  # a condition of 1e3, 1e6 in the worst of N


def test_nan_stays_in_its_sample_and_bits_do_not_depend_on_the_batch() -> None:
    program = [np.array(x) for x in ordinary(np.random.default_rng(11))]
    plain = quadratic_program(*program)
    program[0][0, 1, 1] = program[1][8, 0] = program[3][24, 2] = np.nan
    program[2][16, 0, 0] = np.inf
    bad = np.isin(np.arange(N), (0, 8, 16, 24))
    solution = quadratic_program(*program)
    assert (solution.verdict[bad] == Verdict.INVALID).all()
    assert np.array_equal(solution.x[~bad], plain.x[~bad])
    alone = quadratic_program(*(x[5:6] for x in program))
    one = quadratic_program(*(x[5] for x in program))
    assert np.array_equal(alone.x[0], plain.x[5]) and np.array_equal(one.x, plain.x[5])
    assert one.x.shape == (n,) and one.verdict.shape == () and one.residual.shape == ()


def test_rows_of_a_similar_program_are_tried_first() -> None:
    H, g, A, lower, upper = ordinary(np.random.default_rng(12))
    before = quadratic_program(H, g, A, lower, upper)
    after = quadratic_program(H, 1.01 * g, A, lower, upper, start=before.active)
    assert after and abs(after.x - quadratic_program(H, 1.01 * g, A, lower, upper).x).max() < 1e-11


def test_batch_axes_broadcast_and_rows_may_be_missing() -> None:
    H, g = np.diag([1.0, 2.0]), np.array([[[1.0, -4.0]], [[0.0, 1.0]]])
    free = quadratic_program(H, g, None, np.zeros(0), np.zeros(0))
    assert np.allclose(free.x, -g / [1.0, 2.0]) and free.active.shape == (2, 1, 0)
    boxed = quadratic_program(H, g, None, -np.ones((3, 2)), [1.0, 1.0])
    assert boxed.x.shape == (2, 3, 2) and np.allclose(boxed.x, np.clip(-g / [1.0, 2.0], -1, 1) + np.zeros((2, 3, 2)))
    empty = quadratic_program(H, np.zeros((0, 2)), np.ones((1, 2)), [0.0], [1.0])
    assert empty.x.shape == (0, 2) and bool(empty)
    assert repr(boxed) == "<QuadraticProgram: 6 solved, x (2, 3, 2)>"


def test_only_the_symmetric_part_of_the_quadratic_term_counts() -> None:
    H, g, A, lower, upper = ordinary(np.random.default_rng(13))
    twisted = H + (A[:, :7] - A[:, :7].swapaxes(1, 2))
    assert (
        abs(quadratic_program(twisted, g, A, lower, upper).x - quadratic_program(H, g, A, lower, upper).x).max() < 1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize(("variables", "rows"), [(1, 1), (2, 30), (20, 20), (41, 12), (64, 100)])
def test_programs_of_many_sizes(variables: int, rows: int) -> None:
    rng = np.random.default_rng(variables)
    G, A = rng.normal(size=(16, variables, variables)), rng.normal(size=(16, rows, variables))
    H = G @ G.swapaxes(1, 2) / variables + 1e-2 * np.eye(variables)
    bounds = rng.uniform(0.2, 1.0, (2, 16, variables + rows))
    program = H, rng.normal(size=(16, variables)), A, -bounds[0], bounds[1]
    solution = quadratic_program(*program)
    assert solution and solution.residual.max() < SMALL
    x, flag = daqp_solutions(program)
    assert (flag == 1).all() and abs(solution.x - x).max() < 1e-8


@pytest.mark.parametrize(
    ("change", "error", "name"),
    [
        ({"H": np.zeros((2, 3))}, ShapeError, "H"),
        ({"H": np.zeros((0, 0))}, ArgumentError, "H"),
        ({"H": np.eye(65)}, ArgumentError, "H"),
        ({"g": [1.0]}, ShapeError, "g"),
        ({"A": np.ones((1, 3))}, ShapeError, "A"),
        ({"lower": [0.0, 0.0]}, ShapeError, "lower"),
        ({"upper": [0.0, 0.0]}, ShapeError, "upper"),
        ({"upper": "high"}, DtypeError, "upper"),
        ({"start": [1.0, 0.0]}, ShapeError, "start"),
        ({"names": "r"}, ArgumentError, "names"),
        ({"names": ("r", "s")}, ArgumentError, "names"),
        ({"g": np.ones((3, 2)), "lower": np.ones((2, 1))}, ShapeError, "lower"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], error: type[Exception], name: str) -> None:
    arguments: dict[str, Any] = {"H": np.eye(2), "g": [1.0, 1.0], "A": [[1.0, 1.0]], "lower": [0.0], "upper": [1.0]}
    with pytest.raises(error, match=f"quadratic_program.*{name}"):
        sv.solve.quadratic_program(**arguments | change)
