"""Gradients through rollouts, against central differences of whole rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from cupy_shim import cupy_without_device
from sixvec.compiler.runtime.cuda import on_device
from sixvec.errors import ArgumentError
from sixvec.sim.adjoint import AdjointLoop, Loop
from sixvec.sim.rollout import prepared, step_kernel


def _prepared(robot: Any, *arrays: Any, external: Any = None, integrator: str) -> Any:
    step, count, each, given = prepared(robot, *arrays, None, external, integrator, False, None, "local", (), False)
    return Loop(step_kernel(robot.model, step), count, 2, each, name="rollout"), given


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
    found = AdjointLoop(loop, names).call_numpy(*arrays, *weights)

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
    found = AdjointLoop(loop, ["tau"]).call_numpy(*single, *weights)
    exact = AdjointLoop(loop, ["tau"]).call_numpy(*arrays, *map(np.float64, weights))
    assert found[0].dtype == np.float32 and found[0].shape == (2, 4, 2)
    np.testing.assert_allclose(found[0], exact[0], rtol=1e-4, atol=1e-5)


def test_a_rollout_has_no_other_derivatives() -> None:
    loop, _ = _loop("double_pendulum", 2, "semi_implicit_euler")
    with pytest.raises(ArgumentError, match="reverse mode"):
        loop.pushforward(["q"])
    with pytest.raises(ArgumentError, match="first derivatives only"):
        loop.pullback(["q"]).pullback(["q"])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gradients_of_arrays_on_a_device(dtype: str) -> None:
    loop, arrays = _loop("double_pendulum", 3, "semi_implicit_euler")
    rng, given = np.random.default_rng(1), [np.asarray(x, dtype) for x in arrays]
    given += [rng.normal(size=np.shape(x)).astype(dtype) for x in loop.call(*given)]
    gradient = AdjointLoop(loop, ["q", "tau"])
    expected = gradient.call_numpy(*given)
    with cupy_without_device() as xp:
        call = on_device(gradient)
        found = call(*map(xp.asarray, given))
        made: list[Any] = []

        def empty(shape: tuple[int, ...], kind: str) -> Any:
            made.append(xp.empty(shape, kind))
            return made[-1]

        again = call(*map(xp.asarray, given), empty=empty)
        assert all(a is b for a, b in zip(again, made, strict=True)) and len(made) == 2
        one = [xp.asarray(x) for x in (*given[:-1], given[-1].astype("float64"))]
        assert [str(x.dtype) for x in call(*one)] == ["float64"] * 2  # one of them in double decides
    for x, y, z in zip(found, expected, again, strict=True):
        assert x.shape == y.shape and str(x.dtype) == dtype == str(y.dtype)
        assert np.allclose(x.get(), y, rtol=1e-12 if dtype == "float64" else 1e-4) and np.array_equal(x.get(), z.get())
