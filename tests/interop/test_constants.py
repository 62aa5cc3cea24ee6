"""NumPy arrays, lists and numbers next to arrays of torch and JAX are constants of their library and precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DtypeError, ShapeError

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

PANDA = sv.load("panda")
TIP = "panda_link8"
Q, ZERO = PANDA.random(0), np.zeros(7)


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


def arrays_of(kind: str, x: Any, single: bool = False) -> Any:
    if kind == "torch":
        return torch.tensor(x, dtype=torch.float32 if single else torch.float64)
    return jax.numpy.array(x, np.float32 if single else np.float64)


@pytest.mark.parametrize("kind", ["torch", "jax"])
@pytest.mark.parametrize("constant", [ZERO, ZERO.tolist(), np.zeros(7, np.float32), np.zeros(7, int), np.zeros((1, 7))])
def test_kernels_take_constants(kind: str, constant: Any) -> None:
    q = arrays_of(kind, Q)
    found = PANDA.inverse_dynamics(q, constant, constant)
    assert type(found) is type(q) and "64" in str(found.dtype)
    assert np.array_equal(np.asarray(found), PANDA.inverse_dynamics(Q, constant, constant))


@pytest.mark.parametrize("kind", ["torch", "jax"])
def test_constants_do_not_decide_on_the_precision(kind: str) -> None:
    q = arrays_of(kind, Q, single=True)
    for constant in (ZERO, ZERO.tolist(), np.zeros(7, np.float32)):
        assert "32" in str(PANDA.inverse_dynamics(q, constant, ZERO).dtype)
    path = PANDA.rollout(q, ZERO, np.zeros((3, 7)), 1e-3)
    assert "32" in str(path.q.dtype) and path.q.shape == (3, 7)
    assert "32" in str(PANDA.integrate(q, ZERO).dtype) and "32" in str(PANDA.difference(Q, q).dtype)


@pytest.mark.parametrize("kind", ["torch", "jax"])
def test_methods_and_rollouts_take_constants(kind: str) -> None:
    pose, u = PANDA.pose(Q, TIP), np.random.default_rng(0).normal(size=(3, 7))
    exact = PANDA.rollout(Q, ZERO, u, 1e-3, external={TIP: np.ones(6)})
    for given in (
        (arrays_of(kind, Q), ZERO, u, 1e-3, np.ones(6)),
        (Q, ZERO.tolist(), arrays_of(kind, u), np.array(1e-3), [1.0] * 6),
        (Q, ZERO, u, arrays_of(kind, 1e-3), np.ones(6)),
        (Q, ZERO, u, 1e-3, arrays_of(kind, np.ones(6))),
    ):
        path = PANDA.rollout(*given[:4], external={TIP: given[4]})
        assert np.allclose(np.asarray(path.q), exact.q, atol=1e-14) and type(path.q) is type(arrays_of(kind, Q))
    steady = PANDA.rollout(arrays_of(kind, Q), ZERO, ZERO, 1e-3, steps=3)
    assert np.allclose(np.asarray(steady.v), PANDA.rollout(Q, ZERO, ZERO, 1e-3, steps=3).v, atol=1e-14)
    assert PANDA.ik(pose, TIP, q0=arrays_of(kind, Q)).solved.all()
    assert PANDA.ik(arrays_of(kind, pose), TIP, q0=Q).solved.all()
    tracked = PANDA.track(Q, arrays_of(kind, np.stack([pose, pose])), TIP)
    assert type(tracked.q) is type(arrays_of(kind, Q))
    wrench = PANDA.inverse_dynamics(arrays_of(kind, Q), ZERO, ZERO, external={TIP: np.ones(6)})
    assert np.array_equal(np.asarray(wrench), PANDA.inverse_dynamics(Q, ZERO, ZERO, external={TIP: np.ones(6)}))
    robot = sv.mobile.differential_drive(0.5, 0.1)
    angles = robot.operators["drive"].move(np.array([0.0, 0.0, 0.3]), arrays_of(kind, 0.3))
    assert type(angles) is type(arrays_of(kind, Q))


def test_constants_in_transformed_functions() -> None:
    def torques(x: Any) -> Any:
        return PANDA.inverse_dynamics(x, ZERO, np.zeros((7,)))

    def last(x: Any) -> Any:
        return PANDA.rollout(x, ZERO, np.zeros((2, 7)), 1e-3).q[-1]

    for function in (torques, last):
        exact = jax.jacfwd(function)(jax.numpy.array(Q))
        found = torch.func.jacrev(function)(torch.tensor(Q))
        assert np.allclose(found, exact, atol=1e-11)
        assert np.allclose(jax.jit(function)(jax.numpy.array(Q)), function(torch.tensor(Q)), atol=1e-13)
        mapped = torch.func.vmap(function)(torch.tensor(np.stack([Q, ZERO])))
        assert np.allclose(mapped, jax.vmap(function)(jax.numpy.array(np.stack([Q, ZERO]))), atol=1e-13)
        leaf = torch.tensor(Q, requires_grad=True)
        function(leaf).sum().backward()
        assert np.allclose(leaf.grad, np.asarray(exact).sum(axis=0), atol=1e-11)
    drive = sv.mobile.differential_drive(0.5, 0.1).operators["drive"]
    start = np.array([0.0, 0.0, 0.3])
    slope = torch.func.jacrev(lambda a: drive.move(start, a))(torch.tensor(0.3, dtype=torch.float64))
    assert np.allclose(slope, jax.jacfwd(lambda a: drive.move(start, a))(jax.numpy.array(0.3)), atol=1e-12)


def test_inverse_kinematics_inside_jit_with_constants() -> None:
    pose = PANDA.pose(Q, TIP)
    found = jax.jit(lambda q0: PANDA.ik(pose, TIP, q0=q0).q)(jax.numpy.array(Q))
    assert np.allclose(PANDA.pose(np.asarray(found), TIP), pose, atol=1e-9)
    found = jax.jit(lambda X: PANDA.ik(X, TIP, q0=Q).q)(jax.numpy.array(np.stack([pose, pose])))
    assert found.shape == (2, 7)


@pytest.mark.parametrize("kind", ["torch", "jax"])
def test_bad_constants_are_named(kind: str) -> None:
    q = arrays_of(kind, Q)
    with pytest.raises(DtypeError, match=named("inverse_dynamics", "v")):
        PANDA.inverse_dynamics(q, ZERO + 1j, ZERO)
    with pytest.raises(ShapeError, match="inverse_dynamics"):
        PANDA.inverse_dynamics(q, ZERO, np.zeros(6))
    with pytest.raises(DtypeError, match=named("inverse_dynamics", "v")):
        PANDA.inverse_dynamics(q, np.array(["a"] * 7), ZERO)
    other = arrays_of("jax" if kind == "torch" else "torch", ZERO)
    with pytest.raises(ArgumentError, match=named("inverse_dynamics", "v", "NumPy")):
        PANDA.inverse_dynamics(q, ZERO, other)
