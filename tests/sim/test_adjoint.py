"""Gradients through rollouts, against central differences of whole rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from cupy_shim import cupy_without_device
from sixvec.compiler.runtime.cuda import on_device
from sixvec.sim.adjoint import Loop
from sixvec.sim.rollout_inputs import prepared
from sixvec.sim.time_step import step_kernel


def _prepared(robot: Any, *arrays: Any, external: Any = None, integrator: str) -> Any:
    step, count, each, given = prepared(robot, *arrays, None, external, integrator, False, None, "local", (), False)
    return Loop(step_kernel(robot.model, step), count, 2, each, name="rollout"), given


def _gradient(loop: Any, wrt: list[str], *arrays: Any) -> list[Any]:
    return loop.pullback(wrt).composed(np, lambda function, given: function.call(*given), arrays)  # type: ignore[no-any-return]


def _loop(name: str, steps: int, integrator: str, frame: str | None = None) -> Any:
    robot = sixvec.load(name)
    rng = np.random.default_rng(0)
    q, v, tau = robot.random(rng, 2), rng.normal(size=(2, robot.nv)), rng.normal(size=(steps, robot.nv))
    external = None if frame is None else {frame: rng.normal(size=(steps, 6))}
    return _prepared(robot, q, v, tau, 0.01, external=external, integrator=integrator)


@pytest.mark.parametrize(
    ("name", "integrator", "frame"),
    [("double_pendulum", "rk4", "tip"), ("solo12", "semi_implicit_euler", None), ("four_bar", "euler", None)],
)
@pytest.mark.covers("DYN-05")
def test_the_gradient_is_that_of_differences(name: str, integrator: str, frame: str | None) -> None:
    robot = sixvec.load(name)
    if frame is not None:
        frame = robot.frame_names[-1]
    if name == "four_bar":
        q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
        loop, arrays = _prepared(robot, q, np.zeros(3), np.ones((3, 3)), 0.01, integrator=integrator)
    else:
        loop, arrays = _loop(name, 3, integrator, frame)
    names = [p.name for p in loop.inputs]
    rng = np.random.default_rng(1)
    results = loop.call(*arrays)
    weights = [rng.normal(size=x.shape) for x in results]
    found = _gradient(loop, names, *arrays, *weights)

    def value(k: int, moved: np.ndarray) -> np.ndarray:
        given = [*arrays[:k], moved, *arrays[k + 1 :]]
        return sum((w * x).reshape(*w.shape).sum() for w, x in zip(weights, loop.call(*given), strict=True))

    for k, (name_, gradient) in enumerate(zip(names, found, strict=True)):
        x = np.asarray(arrays[k], float)
        direction = rng.normal(size=x.shape)
        if name == "four_bar" and name_ in ("q", "v"):
            continue  # off the loop the step first closes it: differences there are not those along it
        h = 2e-5
        far, near = ((value(k, x + s * direction) - value(k, x - s * direction)) / (2 * s) for s in (h, h / 2))
        expected = (4 * near - far) / 3
        own = gradient.sum(axis=tuple(range(gradient.ndim - x.ndim))) if gradient.ndim > x.ndim else gradient
        assert abs((own * direction).sum() - expected) <= 1e-7 * max(1.0, abs(expected)), name_


def test_float32_stays() -> None:
    loop, arrays = _loop("double_pendulum", 4, "semi_implicit_euler")
    single = [np.asarray(x, np.float32) for x in arrays]
    weights = [np.ones((2, *p.shape), np.float32) for p in loop.outputs]
    found = _gradient(loop, ["tau"], *single, *weights)
    exact = _gradient(loop, ["tau"], *arrays, *map(np.float64, weights))
    assert found[0].dtype == np.float32 and found[0].shape == (2, 4, 2)
    np.testing.assert_allclose(found[0], exact[0], rtol=1e-4, atol=1e-5)


def test_derivatives_are_made_once() -> None:
    """Otherwise each call would load its machine code again."""
    loop, _ = _loop("double_pendulum", 2, "semi_implicit_euler")
    assert loop.pullback(["q"]) is loop.pullback(["q"]) is not loop.pullback(["v"])
    assert loop.pushforward(["q"]) is loop.pushforward(["q"])


def test_loops_without_states_among_their_results_have_derivatives_too() -> None:
    """The adjoint of a rollout is such a loop; its states are recorded by one more loop."""
    loop, arrays = _loop("double_pendulum", 3, "semi_implicit_euler")
    weights = [np.ones((2, *p.shape)) for p in loop.outputs]
    back = loop.pullback(["tau"])._back
    assert loop.pullback(["tau"])._states is None and back.pullback(["tau"])._states is not None
    assert _gradient(loop, ["tau"], *arrays, *weights)[0].shape == (2, 3, 2)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gradients_of_arrays_on_a_device(dtype: str) -> None:
    loop, arrays = _loop("double_pendulum", 3, "semi_implicit_euler")
    rng, given = np.random.default_rng(1), [np.asarray(x, dtype) for x in arrays]
    given += [rng.normal(size=np.shape(x)).astype(dtype) for x in loop.call(*given)]
    expected = _gradient(loop, ["q", "tau"], *given)
    with cupy_without_device() as xp:
        gradient = loop.pullback(["q", "tau"])
        found = gradient.composed(xp, lambda f, x: on_device(f)(*x), [xp.asarray(x) for x in given])
        results = [x.get() for x in found]
    for x, y in zip(results, expected, strict=True):
        assert x.shape == y.shape and str(x.dtype) == dtype == str(y.dtype)
        assert np.allclose(x, y, rtol=1e-12 if dtype == "float64" else 1e-4)
