"""Derivatives of quadratic programs by torch and JAX: those by differences of the solver, wherever rows stay active."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_quadratic_program import Program, at_a_vertex, equations, fixed, of_inverse_kinematics, ordinary, repeated

from sixvec.solve import quadratic_program
from sixvec.verdict import Verdict

COUNT, STEP = 30, 1e-6
FAMILIES = [ordinary, of_inverse_kinematics, repeated, equations, fixed]


def some(family: Any, seed: int = 0) -> Program:
    H, g, A, lower, upper = (x[:COUNT] for x in family(np.random.default_rng(seed)))
    return H, g, A, lower, upper


def along(program: Program, k: int, seed: int = 1) -> Any:
    """A direction for argument k that keeps equations equations and repeated rows the same."""
    d = np.random.default_rng(seed).normal(size=program[k].shape)
    return np.where(np.isfinite(program[k]), d, 0.0)


@pytest.mark.parametrize("k", range(5), ids=["H", "g", "A", "lower", "upper"])
def test_torch_has_the_derivatives_of_x_and_of_the_multipliers(k: int) -> None:
    torch = pytest.importorskip("torch")
    for family in (ordinary, of_inverse_kinematics):
        program = some(family)
        tensors = [torch.tensor(x, requires_grad=True) for x in program]
        solution = quadratic_program(*tensors)
        plain = quadratic_program(*program)
        assert np.array_equal(solution.x.detach(), plain.x)
        assert np.array_equal(solution.multipliers.detach(), plain.multipliers)
        d = along(program, k)
        ends = [[x + (s * STEP * d if i == k else 0.0) for i, x in enumerate(program)] for s in (1.0, -1.0)]
        up, down = (quadratic_program(*end) for end in ends)
        same = (up.active == plain.active).all(-1) & (down.active == plain.active).all(-1)
        assert same.mean() > 0.9
        for name in ("x", "multipliers"):
            w = torch.tensor(np.random.default_rng(2).normal(size=getattr(plain, name).shape))
            (slope,) = torch.autograd.grad((getattr(solution, name) * w).sum(), tensors[k], retain_graph=True)
            found = (slope.numpy() * d).reshape(COUNT, -1).sum(1)
            rate = (getattr(up, name) - getattr(down, name)) / (2.0 * STEP)
            expected = (rate * w.numpy()).sum(1)
            assert abs(found - expected)[same].max() < 1e-5 * max(1.0, abs(expected[same]).max())


@pytest.mark.covers("TASK-01")
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_jax_has_the_same_derivatives_as_torch(family: Any) -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    program = some(family)
    with jax.enable_x64(True):
        arrays = [jax.numpy.asarray(x) for x in program]
        slopes = jax.jit(jax.grad(lambda *p: (quadratic_program(*p).x ** 2).sum(), argnums=(0, 1, 2)))(*arrays)
    tensors = [torch.tensor(x, requires_grad=True) for x in program]
    theirs = torch.autograd.grad((quadratic_program(*tensors).x ** 2).sum(), tensors[:3])
    for a, b in zip(slopes, theirs, strict=True):
        assert np.isfinite(a).all() and np.allclose(a, b, rtol=1e-9, atol=1e-9 * float(abs(b).max()))


def test_derivatives_at_degenerate_vertices_are_finite_and_feasible() -> None:
    """Ten rows through one point: the minimum moves along the active rows only."""
    jax = pytest.importorskip("jax")
    program = some(at_a_vertex)
    with jax.enable_x64(True):
        H, g, A, lower, upper = map(jax.numpy.asarray, program)
        slopes = jax.vmap(jax.jacobian(lambda *p: quadratic_program(*p).x, argnums=1))(H, g, A, lower, upper)
    active = quadratic_program(*program).active
    moved = np.concatenate([np.broadcast_to(np.eye(7), (COUNT, 7, 7)), program[2]], 1) @ np.asarray(slopes)
    assert np.isfinite(slopes).all() and abs(moved[active != 0]).max() < 1e-9 * abs(np.asarray(slopes)).max()


def test_second_derivatives() -> None:
    """x of a box is piecewise linear in g, so that of its square is twice JᵀJ."""
    jax = pytest.importorskip("jax")
    H, g, _, lower, upper = (x[3] for x in some(ordinary))
    with jax.enable_x64(True):

        def x(g: Any) -> Any:
            return quadratic_program(jax.numpy.asarray(H), g, None, lower[:7], upper[:7]).x

        J = jax.jacfwd(x)(jax.numpy.asarray(g))
        second = jax.hessian(lambda g: (x(g) ** 2).sum())(jax.numpy.asarray(g))
        assert np.allclose(second, 2.0 * J.T @ J, atol=1e-12)
        bent = jax.hessian(lambda a: (quadratic_program(a * H, g, None, lower[:7], upper[:7]).x ** 2).sum())
        ends = [
            jax.grad(lambda a: (quadratic_program(a * H, g, None, lower[:7], upper[:7]).x ** 2).sum())(2.0 + s)
            for s in (1e-5, -1e-5)
        ]
        assert np.allclose(bent(2.0), (ends[0] - ends[1]) / 2e-5, atol=1e-7)


def test_samples_without_a_minimum_have_no_derivative_and_others_keep_theirs() -> None:
    torch = pytest.importorskip("torch")
    program = [np.array(x) for x in some(ordinary)]
    clean = [torch.tensor(x, requires_grad=True) for x in program]
    expected = torch.autograd.grad((quadratic_program(*clean).x ** 2).sum(), clean)
    program[1][4, 2] = np.nan
    program[2][7, 1, 1] = np.inf
    program[3][9, 0], program[4][9, 0] = 1.0, -1.0
    tensors = [torch.tensor(x, requires_grad=True) for x in program]
    solution = quadratic_program(*tensors)
    bad = np.isin(np.arange(COUNT), (4, 7, 9))
    assert (np.asarray(solution.verdict)[bad] != Verdict.SOLVED).all() and not solution
    good = torch.tensor(~bad)
    slopes = torch.autograd.grad((solution.x[good] ** 2).sum(), tensors)
    for a, b in zip(slopes, expected, strict=True):
        assert np.array_equal(a[good], b[good]) and not a[torch.tensor(bad)].any()


def test_flat_programs_have_the_derivative_of_the_nearest_minimum() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    J, b = rng.normal(size=(COUNT, 3, 7)), torch.tensor(rng.normal(size=(COUNT, 3)), requires_grad=True)
    Jt = torch.tensor(J)
    g = -(Jt.transpose(1, 2) @ b[..., None])[..., 0]
    free = np.full(7, 1e3)
    solution = quadratic_program(Jt.transpose(1, 2) @ Jt, g, None, -free, free)
    assert solution and (J @ solution.x.detach().numpy()[..., None])[..., 0] == pytest.approx(b.detach().numpy())
    w = rng.normal(size=(COUNT, 7))
    (slope,) = torch.autograd.grad((solution.x * torch.tensor(w)).sum(), b)
    assert np.allclose(slope, (np.linalg.pinv(J).swapaxes(1, 2) @ w[..., None])[..., 0], atol=1e-6)


def test_single_precision_lists_and_broadcasting() -> None:
    torch = pytest.importorskip("torch")
    g = torch.tensor([[1.5, -4.0], [0.5, 0.5]], requires_grad=True)
    solution = quadratic_program([[1.0, 0.0], [0.0, 2.0]], g, None, [-1.0, -1.0], [1.0, 1.0])
    assert solution.x.dtype == torch.float32 and solution.x.tolist() == [[-1.0, 1.0], [-0.5, -0.25]]
    (slope,) = torch.autograd.grad(solution.x.sum(), g)
    assert slope.tolist() == [[0.0, 0.0], [-1.0, -0.5]]


@pytest.mark.parametrize("batch", [(0,), (2, 0)], ids=str)
def test_empty_batches_have_empty_results_and_derivatives(batch: tuple[int, ...]) -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    H, g, lower, upper = np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)), -np.ones(3), np.ones(3)
    tensor = torch.tensor(g, requires_grad=True)
    solution = quadratic_program(torch.tensor(H), tensor, None, lower, upper)
    (slope,) = torch.autograd.grad(solution.x.sum(), tensor)
    assert tuple(solution.x.shape) == tuple(slope.shape) == (*batch, 3)

    def x(g: Any) -> Any:
        return quadratic_program(H, g, None, lower, upper).x

    with jax.enable_x64(True):
        for f in (x, jax.jit(x), jax.grad(lambda g: x(g).sum()), jax.jit(jax.grad(lambda g: x(g).sum()))):
            assert f(jax.numpy.asarray(g)).shape == (*batch, 3)
