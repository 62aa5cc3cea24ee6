"""JAX arrays in the same calls: inside jit, vmap, grad, jacfwd, jvp and scan."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from tolerances import SOLVED, assert_close

jax = pytest.importorskip("jax")
pytest.importorskip("jax.export")


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def robot() -> Robot:
    return sixvec.load("double_pendulum")


def _state(robot: Robot, count: int = 5) -> tuple[list[np.ndarray], list[Any]]:
    rng = np.random.default_rng(0)
    arrays = [robot.random(rng, count), *rng.normal(size=(2, count, robot.nv))]
    return arrays, [*map(jax.numpy.asarray, arrays)]


def test_results_are_arrays_with_the_bits_of_numpy(robot: Robot) -> None:
    plain, given = _state(robot)
    expected = robot.forward_dynamics(*plain)
    for function in (robot.forward_dynamics, jax.jit(robot.forward_dynamics), jax.vmap(robot.forward_dynamics)):
        found = function(*given)
        assert isinstance(found, jax.Array) and np.array_equal(found, expected)
    shared = jax.vmap(robot.forward_dynamics, (None, 0, None))(given[0][0], given[1], given[2][0])
    assert np.array_equal(shared, robot.forward_dynamics(plain[0][0], plain[1], plain[2][0]))
    single = [x.astype(np.float32) for x in given]
    assert np.array_equal(robot.forward_dynamics(*single), robot.forward_dynamics(*map(np.asarray, single)))
    parts = jax.jit(robot.forward_dynamics_derivatives)(*given)
    assert_close(np.asarray(parts.dq), robot.forward_dynamics_derivatives(*plain).dq, SOLVED)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (1001,), (2, 3)])
def test_batches_of_every_shape(robot: Robot, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=(*shape, 2)), rng.normal(size=2)
    found = robot.inverse_dynamics(*map(jax.numpy.asarray, (q, v, v)))
    assert np.array_equal(found, robot.inverse_dynamics(q, v, v))


def test_results_of_another_rank_than_the_arguments(robot: Robot) -> None:
    (q, v, _), (theirs_q, theirs_v, _) = _state(robot)
    assert np.array_equal(robot.mass_matrix(theirs_q), robot.mass_matrix(q))
    assert np.array_equal(robot.pose(theirs_q, frame="tip"), robot.pose(q, frame="tip"))
    assert np.array_equal(robot.kinetic_energy(theirs_q, theirs_v), robot.kinetic_energy(q, v))


@pytest.mark.covers("DYN-05")
def test_derivatives_of_both_modes_and_orders(robot: Robot) -> None:
    plain, given = _state(robot)
    parts = robot.forward_dynamics_derivatives(*plain)
    for jacobian in (jax.jacfwd, jax.jacrev):
        for k, expected in enumerate(parts):
            assert_close(np.asarray(jax.vmap(jacobian(robot.forward_dynamics, k))(*given)), expected, SOLVED)
    second = np.asarray(jax.hessian(robot.potential_energy)(given[0][0]))
    assert_close(second, robot.kernel("gravity_forces").derivative("q")(plain[0][0]), SOLVED, batched=False)
    one = [given[0][0], *given[1:]]
    gradient = jax.grad(lambda q: robot.forward_dynamics(q, *one[1:]).sum())(one[0])
    expected = robot.forward_dynamics_derivatives(plain[0][0], *plain[1:]).dq.sum(axis=(0, 1))
    assert_close(np.asarray(gradient), expected, SOLVED, batched=False)


def test_rollouts_and_scans(robot: Robot) -> None:
    plain, (q, v, _) = _state(robot, 2)
    tau = np.random.default_rng(2).normal(size=(4, 2))
    path = jax.jit(lambda q, v: robot.rollout(q, v, jax.numpy.asarray(tau), 0.01))(q, v)
    assert np.array_equal(path.q, robot.rollout(plain[0], plain[1], tau, 0.01).q)

    def step(state: Any, force: Any) -> Any:
        q, v = state
        v = v + 0.01 * robot.forward_dynamics(q, v, force)
        return (q + 0.01 * v, v), q + 0.01 * v

    def scanned(q: Any) -> Any:
        return jax.lax.scan(step, (q, v), jax.numpy.asarray(tau))[1].sum()

    euler = {"integrator": "semi_implicit_euler"}
    own = jax.grad(lambda q: robot.rollout(q, v, jax.numpy.asarray(tau), 0.01, **euler).q.sum())(q)
    assert_close(np.asarray(own), np.asarray(jax.jit(jax.grad(scanned))(q)), 1e-10)


def test_inverse_kinematics_inside_jit() -> None:
    arm = sixvec.load("ur5e")
    frame, q = arm.frame_names[-1], arm.random(1, 2)
    X = jax.numpy.asarray(arm.pose(q, frame))
    found = jax.jit(lambda X: arm.ik(X, frame, q0=jax.numpy.asarray(q)).q)(X)
    np.testing.assert_allclose(found, arm.ik(np.asarray(X), frame, q0=q).q, atol=1e-9)
    along = jax.numpy.arange(6.0)
    one = jax.numpy.asarray(q[0])
    back = jax.jvp(lambda x: arm.ik(arm.pose(x, frame), frame, q0=one).q, (one,), (along,))[1]
    np.testing.assert_allclose(back, along, atol=1e-7)


def test_loads_wrenches_and_loops() -> None:
    robot, bar = sixvec.load("double_pendulum"), sixvec.load("four_bar")
    plain, given = _state(robot)
    frame = robot.frame_names[-1]
    loaded, wrench = robot.with_payload(frame, 2.0), np.ones(6)
    found = jax.jit(lambda *x: loaded.forward_dynamics(*x[:3], external={frame: x[3]}))(*given, wrench)
    assert np.array_equal(found, loaded.forward_dynamics(*plain, external={frame: wrench}))
    q = bar.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q.astype(np.float32)
    state = [jax.numpy.asarray(x) for x in (q, 0 * q, q)]
    assert bar.forward_dynamics(*state).dtype == np.float32
    with jax.enable_x64(False), pytest.raises(DtypeError, match=named("forward_dynamics", "jax.config.update")):
        bar.forward_dynamics(*state)


def test_memory_between_kernels_is_one_more_result(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """On CUDA devices; its size depends on the number of samples, and nobody else sees it."""
    from sixvec.interop import jax_primitives

    class WithScratch:
        def scratch(self, samples: int) -> int:
            return 1000 * samples

    monkeypatch.setattr(jax_primitives, "_target", lambda *_: ("nobody", WithScratch()))
    function = jax_primitives.Known(robot.kernel("inverse_dynamics_derivatives"))
    x = jax.numpy.zeros((3, 4, robot.nv))
    made = jax.make_jaxpr(lambda *x: jax_primitives._run(*x, function=function, platform="cuda"))(x, x, x[0, 0])
    (call,) = made.jaxpr.eqns
    assert [v.aval.shape for v in call.outvars] == [(3, 4, robot.nv, robot.nv)] * 3 + [(12000,)]
    assert len(made.jaxpr.outvars) == 3


def test_mixtures_and_bad_arrays(robot: Robot) -> None:
    plain, (q, v, tau) = _state(robot)
    assert np.array_equal(robot.forward_dynamics(q, plain[1], tau), robot.forward_dynamics(q, v, tau))
    with pytest.raises(DtypeError, match=named("gravity_forces", "q.astype")):
        robot.gravity_forces(jax.numpy.zeros(2, int))
    with pytest.raises(DtypeError, match=named("gravity_forces", "q")):
        robot.gravity_forces(jax.numpy.zeros(2, jax.numpy.float16))
    with pytest.raises(ShapeError, match=named("gravity_forces", "q")):
        jax.jit(robot.gravity_forces)(jax.numpy.zeros(3))
    with pytest.raises(ShapeError, match="bias_forces"):
        robot.bias_forces(q, v[:4])
    with pytest.raises(ArgumentError, match=named("gravity_forces", "out")):
        robot.gravity_forces(q, out=q)
    with pytest.raises(ArgumentError, match=named("assemble", "q")):
        jax.jit(lambda q: sixvec.load("four_bar").assemble(q).q)(jax.numpy.zeros(3))


def test_shapes_that_are_not_known(robot: Robot) -> None:
    (n,) = jax.export.symbolic_shape("n,")
    x = jax.ShapeDtypeStruct((n, 2), np.float64)
    with pytest.raises(ShapeError, match=named("bias_forces", "shapes")):
        jax.export.export(jax.jit(robot.bias_forces))(x, x)


def test_evaluate_warns_of_tracers(robot: Robot) -> None:
    with pytest.warns(UserWarning, match=named("evaluate", "robot.gravity_forces")):
        jax.jit(lambda q: jax.numpy.stack(robot.evaluate("gravity_forces", q)))(jax.numpy.zeros(2))


def test_importing_the_library_imports_neither() -> None:
    code = "import sixvec, sys; sixvec.load('panda').mass_matrix([0.0] * 7); print({'jax', 'torch'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_lists_of_tracers(robot: Robot) -> None:
    zero = [0.0, 0.0]
    slope = jax.grad(lambda x: robot.potential_energy([x, 0.4]))(0.3)
    assert abs(float(slope) - robot.gravity_forces([0.3, 0.4])[0]) < 1e-12
    path = robot.rollout(jax.numpy.array([0.3, 0.4]), zero, zero, 0.1, steps=3)
    assert np.array_equal(path.q, robot.rollout([0.3, 0.4], zero, zero, 0.1, steps=3).q)


@pytest.mark.parametrize(
    ("shapes", "axes", "made"),
    [
        ([(4, 2), (4, 2)], [0, 0], [(4, 2), (4, 2)]),
        ([(4, 2), (2,)], [0, None], [(4, 2), (2,)]),
        ([(2, 4), (4, 2)], [1, 0], [(4, 2), (4, 2)]),
        ([(4, 2), (3, 2)], [0, None], [(4, 3, 2), (4, 3, 2)]),
        ([(3, 2), (4, 2)], [None, 0], [(4, 3, 2), (4, 3, 2)]),
        ([(3, 4, 2), (4, 2)], [1, 0], [(4, 3, 2), (4, 3, 2)]),
        ([(4, 2), (3, 4, 2)], [0, 1], [(4, 3, 2), (4, 3, 2)]),
        ([(3, 4, 2), (2,)], [1, None], [(4, 3, 2), (2,)]),
        ([(3, 5, 2, 4), (3, 5, 2)], [3, None], [(4, 3, 5, 2), (4, 3, 5, 2)]),
    ],
)
def test_mapped_axes_come_first(
    shapes: list[tuple[int, ...]], axes: list[int | None], made: list[tuple[int, ...]]
) -> None:
    """Operands with other batch axes get the mapped one too; those without any stay as they are."""
    from types import SimpleNamespace

    from sixvec.interop.jax_primitives import _batched

    ports = [SimpleNamespace(shape=(2,))] * 2
    rng = np.random.default_rng(0)
    given = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    found = _batched(
        [jax.numpy.asarray(x) for x in given], axes, SimpleNamespace(function=SimpleNamespace(inputs=ports))
    )
    assert [x.shape for x in found] == made
    for x, axis, y in zip(given, axes, found, strict=True):
        front = x if axis is None else np.moveaxis(x, axis, 0)
        if axis is not None and front.ndim < y.ndim:
            front = front.reshape(4, *(1,) * (y.ndim - front.ndim), 2)
        assert np.array_equal(np.asarray(y), np.broadcast_to(front, y.shape))
