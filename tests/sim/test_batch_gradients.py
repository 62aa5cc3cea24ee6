"""Derivatives of steps of batches with a given state, against differences of these steps and closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import sim
from sixvec.errors import ArgumentError, ShapeError
from sixvec.formats import parse_model

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

BY_DIFFERENCES = 1e-6
"""Relative error of central differences of order 4, whose steps are short: states of contacts must not change."""

G = 9.81

PUCK = """<body><joint name="x" type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
  <geom type="sphere" size=".1" mass="2" friction=".3"/></body>"""

HOPPER = """<body pos="0 0 .6"><joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
  <geom type="capsule" fromto="0 0 0 0 0 .2" size=".05" mass="2"/>
  <body name="leg"><joint name="hip" axis="0 1 0" damping=".5" armature=".01"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03" mass=".5" friction=".4"/></body></body>"""
MOTOR = '<actuator><motor joint="hip" gear="10" ctrlrange="-1 1"/></actuator>'
FILTER = '<actuator><general joint="x" dyntype="filter" dynprm=".05" gainprm="9"/></actuator>'


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    """For all threads: JAX calls loops from others."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def robot(bodies: str, others: str = "") -> Any:
    floor = '<geom type="plane" size="9 9 1" friction=".1"/>'
    return sv.Robot(parse_model(f'<mujoco model="m"><worldbody>{floor}{bodies}</worldbody>{others}</mujoco>', "m.xml"))


def hopper(library: str = "torch", **options: Any) -> Any:
    made = robot(HOPPER, MOTOR)
    return sim.Batch(made, 3, dt=0.004, substeps=4, contacts="file", actuators="file", library=library, **options)


def puck(actuator: str, library: str = "torch", substeps: int = 3) -> Any:
    made = robot(PUCK, actuator)
    return sim.Batch(made, 2, dt=0.004, substeps=substeps, contacts="file", actuators="file", library=library)


SLIDING = np.array([[0.0, 0.0999, 0.5, 0.0], [0.1, 0.0999, -0.2, 0.0]])

STANCE = np.array([[0.0, -0.1705, 0.02, 0.5, 0.0, 0.2], [0.1, -0.1706, 0.05, 0.0, 0.0, 0.0], [0.0, 0.2, 0, 1, 0, 2]])
"""One slides on its leg, one stands, and one is in flight."""


def tensor(x: Any) -> Any:
    return torch.tensor(np.asarray(x, float), dtype=torch.float64)


def test_a_puck_slides_as_far_as_coulomb_says() -> None:
    """v²/(2 μ g), to first order in the time step; its derivatives are those of the computed distance."""
    env = sim.Batch(robot(PUCK), 1, dt=1e-3, substeps=1000, contacts="file", library="torch")
    numbers = {"factor": 1.0, "speed": 2.0, "g": G}
    given = {name: tensor(x).requires_grad_() for name, x in numbers.items()}
    state = torch.stack([tensor(0.0), tensor(0.1), given["speed"], tensor(0.0)])
    gravity = torch.stack([tensor(0.0), tensor(0.0), -given["g"]])
    distance = env.step(np.zeros(2), state, friction=given["factor"], gravity=gravity)[0]
    distance.backward()
    mu = 0.3
    expected = 2.0**2 / (2.0 * mu * G)
    assert float(distance.detach()) == pytest.approx(expected, abs=2e-3)
    assert float(given["factor"].grad) == pytest.approx(-expected, abs=2e-3)
    assert float(given["speed"].grad) == pytest.approx(2.0 / (mu * G), abs=2e-3)
    assert float(given["g"].grad) == pytest.approx(-expected / G, abs=2e-3)


@pytest.mark.parametrize("name", ["action", "state", "friction", "gravity", "gain", "dt"])
def test_gradients_are_those_of_differences(name: str) -> None:
    env, rng = hopper(), np.random.default_rng(0)
    arrays = {
        "action": rng.uniform(-0.5, 0.5, (3, 1)), "state": STANCE, "friction": np.array([0.9, 1.1, 1.0]),
        "gravity": np.tile([0.3, 0.0, -9.0], (3, 1)), "gain": np.ones((3, 1)), "dt": np.full(3, 0.004),
    }  # fmt: skip
    weight = tensor(rng.normal(size=(3, 6)))

    def value(**changed: Any) -> Any:
        return (env.step(**{k: tensor(x) for k, x in arrays.items()} | changed) * weight).sum(1)

    x = arrays[name]
    given = tensor(x).requires_grad_()
    value(**{name: given}).sum().backward()
    along = rng.normal(size=x.shape)
    h = 1e-7 if name == "dt" else 1e-5
    steps = ((tensor(x + s * along), tensor(x - s * along), 2 * s) for s in (h, h / 2))
    far, near = ((value(**{name: ahead}) - value(**{name: behind})) / length for ahead, behind, length in steps)
    expected = ((4 * near - far) / 3).detach().numpy()
    gradient = (given.grad.numpy() * along).reshape(3, -1).sum(1)
    assert np.abs(gradient - expected).max() <= BY_DIFFERENCES * max(1.0, np.abs(expected).max())
    assert name in ("friction", "gain") or np.abs(expected).min() > 1e-6


def test_the_function_is_the_step() -> None:
    """States and activations are those of steps that change the batch; it is not changed by the function."""
    for env, start in ((hopper(tolerance=1e-9), STANCE), (puck(FILTER), SLIDING)):
        action, size = tensor(np.linspace(0.3, -0.2, len(start))[:, None]), start.shape[1]
        env.q[:], env.v[:] = (tensor(x) for x in np.split(start, 2, axis=1))
        state = torch.cat([env.state, torch.zeros(len(start), int(size == 4), dtype=torch.float64)], 1)
        for _ in range(3):
            before = env.state
            state = env.step(action, state)
            assert torch.equal(env.state, before)
            assert torch.allclose(env.step(action), state[:, :size], atol=1e-7)


def test_transformations_agree() -> None:
    env, other, rng = puck(FILTER), puck(FILTER, "jax"), np.random.default_rng(1)
    state, action = np.concatenate([SLIDING, rng.normal(size=(2, 1))], 1), rng.uniform(-0.5, 0.5, (2, 1))
    arrays = action, state, np.array([0.9, 1.1])

    def after(u: Any, x: Any, f: Any) -> Any:
        return env.step(u, x, friction=f)

    def later(u: Any, x: Any, f: Any) -> Any:
        return other.step(u, x, friction=f)

    places = (0, 1, 2)
    found = torch.func.vmap(torch.func.jacrev(after, places))(*map(tensor, arrays))
    assert found[1].shape == (2, 5, 5) and found[2].shape == (2, 5) and found[2].abs().max() > 1e-3
    for jacobian in (jax.jacrev, jax.jacfwd):
        again = jax.jit(jax.vmap(jacobian(later, places)))(*map(jax.numpy.asarray, arrays))
        assert all(np.allclose(x, y, atol=1e-11) for x, y in zip(found, again, strict=True))


def test_gradients_go_through_many_steps() -> None:
    """By a loop in torch and a scan in JAX: both are those of one call with more substeps."""
    motor = '<actuator><motor joint="x" gear="3"/></actuator>'
    env, other, long = puck(motor), puck(motor, "jax"), puck(motor, substeps=9)
    action, state = tensor([[0.2], [0.3]]).requires_grad_(), tensor(SLIDING)
    for _ in range(3):
        state = env.step(action, state)
    (gradient,) = torch.autograd.grad(state[:, 0].sum(), action)
    (expected,) = torch.autograd.grad(long.step(action, tensor(SLIDING))[:, 0].sum(), action)

    def end(u: Any) -> Any:
        x, _ = jax.lax.scan(lambda x, _: (other.step(u, x), None), jax.numpy.asarray(SLIDING), None, length=3)
        return x[:, 0].sum()

    assert torch.allclose(gradient, expected, atol=1e-10) and float(abs(expected).max()) > 1e-4
    assert np.allclose(jax.jit(jax.grad(end))(jax.numpy.asarray([[0.2], [0.3]])), expected, atol=1e-10)


def test_masses_of_bodies() -> None:
    made = robot(HOPPER, MOTOR)
    varied = made.with_parameters("inertia", ["leg"]) if hasattr(made, "with_parameters") else None
    assert varied is not None
    values = np.tile(np.asarray(varied.parameter_values, float), (3, 1))
    env = sim.Batch(varied.at(values), 3, dt=0.004, contacts="file", actuators="file", library="torch")
    along = np.zeros_like(values)
    along[:, 0] = 1.0  # the mass

    def value(x: Any) -> Any:
        return env.step(np.array([0.3]), tensor(STANCE), parameters=x)[:, 3:].sum(1)

    given = tensor(values).requires_grad_()
    value(given).sum().backward()
    h = 1e-5
    expected = ((value(tensor(values + h * along)) - value(tensor(values - h * along))) / (2 * h)).detach()
    assert np.allclose(given.grad[:, 0], expected, atol=1e-7) and float(abs(expected).max()) > 1e-4
    with pytest.raises(ArgumentError, match=named("parameters", "with_parameters")):
        hopper().step(np.zeros(1), STANCE, parameters=values)


def test_single_precision_and_unsolved_states() -> None:
    env = hopper(dtype="float32")
    state = torch.tensor(STANCE, dtype=torch.float32)
    after = env.step(torch.zeros(3, 1), state)
    exact = hopper().step(np.zeros(1), state.double(), dt=float(np.float32(0.004)))
    assert after.dtype == torch.float32 and torch.equal(after, exact.float())
    action = torch.tensor([[0.1], [torch.nan], [0.2]], dtype=torch.float64, requires_grad=True)
    broken = hopper().step(action, tensor(STANCE))
    assert torch.isnan(broken[1]).all() and torch.isfinite(broken[[0, 2]]).all()
    broken[[0, 2]].sum().backward()
    assert torch.isfinite(action.grad[[0, 2]]).all()


def test_what_does_not_fit_is_named() -> None:
    env, state = hopper(), tensor(STANCE)
    with pytest.raises(ArgumentError, match=named("env.step(action, state)")):
        env.step(torch.zeros(3, 1, requires_grad=True))
    with pytest.raises(ArgumentError, match=named("env.step(action, state)")):
        jax.jit(hopper(library="jax").step)(jax.numpy.zeros((3, 1)))
    with pytest.raises(ArgumentError, match=named("friction=")):
        env.step(np.zeros(1), friction=0.5)
    with pytest.raises(ArgumentError, match=named("fricton", "friction")):
        env.step(np.zeros(1), state, fricton=0.5)
    with pytest.raises(ArgumentError, match=named("latency")):
        hopper(latency=1).step(np.zeros(1), state)
    with pytest.raises(ArgumentError, match=named("torch", "jax")):
        hopper(library="numpy").step(np.zeros(1), STANCE)
    with pytest.raises(ShapeError, match=named("state", "6")):
        env.step(np.zeros(1), state[:, :3])
    with pytest.raises(ShapeError, match=named("gravity", "3")):
        env.step(np.zeros(1), state, gravity=-9.81)
    with pytest.raises(ArgumentError, match=named("state", "jax")):
        env.step(np.zeros(1), jax.numpy.asarray(STANCE))
    with pytest.raises(ShapeError, match=named("state", "action", "broadcast")):
        env.step(np.zeros((2, 1)), state)
    for numbers, name in (({"dt": 0.0}, "dt"), ({"dt": np.inf}, "dt"), ({"friction": tensor([-1.0])}, "friction")):
        with pytest.raises(ArgumentError, match=named(name)):
            env.step(np.zeros(1), state, **numbers)


def test_states_of_whole_numbers_do_not_round() -> None:
    state = torch.tensor([0, 1, 0, 1, 2, 1])
    assert torch.equal(hopper().step(np.zeros(1), state), hopper().step(np.zeros(1), state.double()))
