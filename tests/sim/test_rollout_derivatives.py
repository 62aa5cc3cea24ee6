"""Derivatives of rollouts in torch and JAX: every mode, every order, any number of steps, against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.model.edits import lock

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

ARM = sv.load("double_pendulum")
Q, V = np.array([0.4, -0.3]), np.array([0.2, 0.5])
DT, SMALL = 0.05, 1e-5
BY_DIFFERENCES = 1e-7
"""Central differences of this step: second derivatives are of differences of exact gradients."""


def tensor(x: Any) -> Any:
    return torch.tensor(x, dtype=torch.float64)


def forces(steps: int) -> Any:
    return np.random.default_rng(1).normal(size=(steps, 2))


def cost(u: Any) -> Any:
    """A function of the whole path with derivatives of every order."""
    path = ARM.rollout(tensor(Q), tensor(V), u, DT)
    return (path.q**3).sum() + (path.v * path.q).sum()


def numbers(u: Any) -> float:
    path = ARM.rollout(Q, V, u, DT)
    return float((path.q**3).sum() + (path.v * path.q).sum())


def differences(function: Callable[[Any], Any], x: Any) -> Any:
    found = []
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = SMALL
        step = step.reshape(x.shape)
        found.append((np.asarray(function(x + step)) - np.asarray(function(x - step))) / (2.0 * SMALL))
    return np.moveaxis(np.array(found), 0, -1)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_gradients_of_any_number_of_steps(steps: int) -> None:
    u = tensor(forces(steps)).requires_grad_()
    cost(u).backward()
    expected = differences(numbers, forces(steps)).reshape(steps, 2)
    assert np.allclose(u.grad, expected, atol=BY_DIFFERENCES)
    assert u.grad.is_contiguous() and all(s > 0 for s in u.grad.stride())


@pytest.mark.parametrize("steps", [1, 3])
def test_jacobians_of_both_modes_agree(steps: int) -> None:
    u = tensor(forces(steps))
    expected = differences(lambda x: ARM.rollout(Q, V, x, DT).q[-1], forces(steps)).reshape(2, steps, 2)

    def last(x: Any) -> Any:
        return ARM.rollout(tensor(Q), tensor(V), x, DT).q[-1]

    for found in (torch.func.jacrev(last)(u), torch.func.jacfwd(last)(u), torch.autograd.functional.jacobian(last, u)):
        assert np.allclose(found, expected, atol=BY_DIFFERENCES)


@pytest.mark.parametrize("wrt", range(4))
def test_forward_mode_with_respect_to_every_input(wrt: int) -> None:
    given = [tensor(Q), tensor(V), tensor(forces(3)), tensor(DT)]

    def path(*inputs: Any) -> Any:
        q, v, tau, dt = inputs
        made = ARM.rollout(q, v, tau, dt, integrator="rk4", external={ARM.frame_names[-1]: tensor(np.ones(6))})
        return torch.cat([made.q.flatten(), made.v.flatten()])

    forward, back = (f(path, argnums=wrt)(*given) for f in (torch.func.jacfwd, torch.func.jacrev))
    assert torch.allclose(forward, back, atol=1e-12) and forward.abs().max() > 1e-3


@pytest.mark.parametrize("steps", [1, 3])
def test_second_derivatives(steps: int) -> None:
    u = forces(steps)

    def gradient(x: Any) -> Any:
        leaf = tensor(x).requires_grad_()
        return torch.autograd.grad(cost(leaf), leaf)[0].numpy().ravel()

    expected = differences(gradient, u)
    n = 2 * steps
    ways = (
        torch.func.hessian(cost),
        torch.func.jacrev(torch.func.jacrev(cost)),
        torch.func.jacfwd(torch.func.jacfwd(cost)),
        lambda x: torch.autograd.functional.hessian(cost, x),
    )
    for way in ways:
        found = way(tensor(u)).reshape(n, n)
        assert np.allclose(found, expected, atol=BY_DIFFERENCES)
        assert torch.allclose(found, found.T, atol=1e-12)


def test_gradients_pass_the_checks_of_torch() -> None:
    u, q = tensor(forces(2)).requires_grad_(), tensor(Q).requires_grad_()

    def path(q: Any, u: Any) -> Any:
        made = ARM.rollout(q, tensor(V), u, DT)
        return made.q, made.v

    assert torch.autograd.gradcheck(path, (q, u), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(path, (q, u))


def test_what_the_old_vmap_of_torch_cannot_do_is_an_error_that_names_the_new_one() -> None:
    with pytest.raises(sv.SixvecError, match=named("vectorize", "torch.func")):
        torch.autograd.functional.jacobian(cost, tensor(forces(2)), vectorize=True)


def test_third_derivatives() -> None:
    """Of one number: a pendulum pushed by a constant force."""

    def last(x: Any) -> Any:
        return ARM.rollout(tensor(Q), tensor(V), x * tensor([1.0, 0.5]), DT, steps=4).q[-1, 0]

    second = torch.func.grad(torch.func.grad(last))
    third = torch.func.grad(second)(tensor(0.3))
    expected = (second(tensor(0.3 + 1e-3)) - second(tensor(0.3 - 1e-3))) / 2e-3
    assert torch.allclose(third, expected, rtol=1e-5) and abs(third) > 0.0


def test_mapped_rollouts_are_batches() -> None:
    many = tensor(np.random.default_rng(0).normal(size=(4, 3, 2)))
    q = tensor(Q) + tensor(np.linspace(0.0, 1.0, 4))[:, None]
    path = torch.func.vmap(lambda q, u: ARM.rollout(q, tensor(V), u, DT))(q, many)
    expected = ARM.rollout(q, tensor(V), many, DT)
    assert torch.equal(path.q, expected.q) and torch.equal(path.v, expected.v)
    each = torch.func.vmap(torch.func.grad(cost))(many)
    assert torch.allclose(each, torch.stack([torch.func.grad(cost)(u) for u in many]), atol=1e-13)
    twice = torch.func.vmap(torch.func.hessian(cost))(many[:2])
    assert torch.allclose(twice[1], torch.func.hessian(cost)(many[1]), atol=1e-12)


def test_batches_of_rollouts_have_gradients_of_shared_inputs() -> None:
    many, q = tensor(np.random.default_rng(0).normal(size=(4, 3, 2))), tensor(Q).requires_grad_()
    ARM.rollout(q, tensor(V), many, DT).q.square().sum().backward()
    parts = [torch.func.grad(lambda q, u=u: ARM.rollout(q, tensor(V), u, DT).q.square().sum())(tensor(Q)) for u in many]
    assert torch.allclose(q.grad, sum(parts), atol=1e-12)


def test_robots_with_loops_and_single_precision() -> None:
    """Their steps are computed in double precision: gradients in float32 are those in float64, rounded."""
    bar = sv.load("four_bar")
    q = bar.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    u = torch.zeros(1, 3, dtype=torch.float64)

    def last(u: Any) -> Any:
        return bar.rollout(torch.tensor(q, dtype=u.dtype), torch.zeros(3, dtype=u.dtype), u, 1e-2).q[-1]

    exact, rounded = torch.func.jacrev(last)(u), torch.func.jacrev(last)(u.float())
    assert rounded.dtype == torch.float32 and torch.allclose(exact.float(), rounded, rtol=1e-4, atol=1e-9)
    assert torch.allclose(torch.func.jacfwd(last)(u), exact, atol=1e-12)


@pytest.mark.parametrize("steps", [1, 3])
def test_jax(steps: int) -> None:
    with jax.enable_x64(True):
        u = jax.numpy.array(forces(steps))

        def cost_of(u: Any) -> Any:
            path = ARM.rollout(jax.numpy.array(Q), jax.numpy.array(V), u, DT)
            return (path.q**3).sum() + (path.v * path.q).sum()

        expected = torch.func.hessian(cost)(tensor(forces(steps)))
        assert np.allclose(jax.hessian(cost_of)(u), expected, atol=1e-11)
        assert np.allclose(jax.jacrev(cost_of)(u), jax.jacfwd(cost_of)(u), atol=1e-12)
        assert np.allclose(jax.grad(cost_of)(u), torch.func.grad(cost)(tensor(forces(steps))), atol=1e-12)
        both = jax.vmap(cost_of)(jax.numpy.stack([u, 2.0 * u]))
        assert np.allclose(both, [cost_of(u), cost_of(2.0 * u)], atol=1e-13)
        path = jax.vmap(lambda u: ARM.rollout(jax.numpy.array(Q), jax.numpy.array(V), u, DT))(u[None])
        assert path.q.shape == (1, steps, 2)


@pytest.mark.parametrize(("hold", "locked"), [("point", (3, 5, 7)), pytest.param("weld", (), marks=pytest.mark.slow)])
def test_held_frames_in_every_library(hold: str, locked: tuple[int, ...]) -> None:
    """The path is that of NumPy, and so are its derivatives."""
    arm = sv.Robot(lock(sv.load("panda").model, [f"panda_joint{k}" for k in locked]))
    q, held = arm.random(2), {"panda_link8": hold}
    rest, u = np.zeros(arm.nv), np.random.default_rng(2).normal(size=(3, arm.nv))
    path = arm.rollout(q, rest, u, 0.005, hold=held)

    def of(u: Any, xp: Callable[[Any], Any]) -> Any:
        return (arm.rollout(xp(q), xp(rest), u, 0.005, hold=held).q ** 2).sum()

    expected = differences(lambda u: of(u, np.asarray), u).reshape(u.shape)
    scale = np.abs(expected).max()
    with jax.enable_x64(True):
        for xp in (tensor, jax.numpy.asarray):
            other = arm.rollout(xp(q), xp(rest), xp(u), 0.005, hold=held)
            assert np.allclose(other.q, path.q, atol=1e-10) and np.allclose(other.v, path.v, atol=1e-10)
        gradient = jax.grad(lambda u: of(u, jax.numpy.asarray))(jax.numpy.asarray(u))
    assert np.allclose(gradient, expected, atol=1e-5 * scale)
    forces = tensor(u).requires_grad_()
    of(forces, tensor).backward()
    assert np.allclose(forces.grad, expected, atol=1e-5 * scale)
