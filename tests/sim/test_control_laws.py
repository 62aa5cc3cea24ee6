"""Control laws in rollouts: what they read may change between calls, and what cannot be traced is explained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError
from sixvec.kernels.function import CompiledProgram
from sixvec.scalar import arctan2, cos, sin, where
from sixvec.sim import rollout
from sixvec.sim.control import traced_law
from sixvec.sim.time_step import step_kernel
from tolerances import IDENTITY, assert_close

START = {"q": [1.0, 0.3], "v": [0.0, 0.0], "tau": np.zeros((50, 2)), "dt": 0.01}
GAINS = (1.0, 10.0, 100.0)
gain = 0.0


@dataclass
class Spring:
    """A law whose gain is an attribute; comparing its fields makes it unhashable."""

    gain: float

    def __call__(self, q: Any, v: Any, u: Any) -> Any:
        return [-self.gain * x for x in q]

    def law(self, q: Any, v: Any, u: Any) -> Any:
        return self(q, v, u)


def by_global(q: Any, v: Any, u: Any) -> Any:
    return [-gain * x for x in q]


@pytest.fixture(scope="module")
def robot() -> Robot:
    return sixvec.load("double_pendulum")


@pytest.fixture(scope="module")
def expected(robot: Robot) -> list[np.ndarray]:
    """The gain as an input of the law, which is right whatever becomes of the law."""
    inputs = [START | {"tau": np.full((50, 1), k)} for k in GAINS]
    return [rollout(robot, **given, control=lambda q, v, u: [-u[0] * x for x in q]).q for given in inputs]


def test_a_changed_attribute_acts(robot: Robot, expected: list[np.ndarray]) -> None:
    spring = Spring(0.0)
    for k, path in zip(GAINS, expected, strict=True):
        spring.gain = k
        assert_close(rollout(robot, **START, control=spring).q, path, IDENTITY)


def test_a_bound_method_reads_its_object_in_every_call(robot: Robot, expected: list[np.ndarray]) -> None:
    spring = Spring(0.0)
    for k, path in zip(GAINS, expected, strict=True):
        spring.gain = k
        assert_close(rollout(robot, **START, control=spring.law).q, path, IDENTITY)


def test_a_changed_global_acts(robot: Robot, expected: list[np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    for k, path in zip(GAINS, expected, strict=True):
        monkeypatch.setitem(globals(), "gain", k)
        assert_close(rollout(robot, **START, control=by_global).q, path, IDENTITY)


def test_an_unchanged_law_compiles_once(robot: Robot) -> None:
    """Other objects that compute the same share the program too."""
    rollout(robot, **START, control=Spring(3.0))
    made = step_kernel.cache_info().misses
    rollout(robot, **START, control=Spring(3.0).law)
    rollout(robot, **START, control=lambda q, v, u: [-3.0 * q[0], -3.0 * q[1]])
    assert step_kernel.cache_info().misses == made
    rollout(robot, **START, control=Spring(4.0))
    assert step_kernel.cache_info().misses == made + 1


def test_gravity_is_compensated_inside_a_law(robot: Robot) -> None:
    still = rollout(robot, **START, control=lambda q, v, u: robot.evaluate("gravity_forces", q))
    assert np.abs(still.q - START["q"]).max() < 1e-12


def test_functions_of_scalars_are_those_of_numpy(robot: Robot) -> None:
    def law(q: Any, v: Any, u: Any) -> Any:
        return [sin(q[0]) * cos(v[1]), where(q[1] > 0.0, 1.0, -1.0)]

    path = rollout(robot, **START, control=law, integrator="euler")
    q, v = np.array([START["q"], *path.q[:-1]]), np.array([START["v"], *path.v[:-1]])
    tau = np.stack([np.sin(q[:, 0]) * np.cos(v[:, 1]), np.sign(q[:, 1])], axis=1)
    assert_close(rollout(robot, **(START | {"tau": tau}), integrator="euler").q, path.q, IDENTITY)


GAIN = np.array([[1.0, 2.0, 0.0, 4.0], [5.0, 0.0, 7.0, 8.0]])
ARRAYS = {
    "proportional and derivative": lambda robot: lambda q, v, u: 10 * (u - q) - 2 * v,
    "gains by row": lambda robot: lambda q, v, u: -GAIN @ np.concatenate([q, v]),
    "constants in lists": lambda robot: lambda q, v, u: [1.0, 2.0] - q - (3, 4) * v,
    "entries and slices": lambda robot: lambda q, v, u: [-q[0] - v[-1], *(-2.0 * q[1:])],
    "clip": lambda robot: lambda q, v, u: np.clip(10.0 * (u - q), -1.0, [1.0, 2.0]),
    "clip a scalar": lambda robot: lambda q, v, u: [np.clip(-9.0 * x, -1.0, np.float64(1.0)) for x in q],
    "functions of an array": lambda robot: lambda q, v, u: -9.0 * np.sin(q) + np.arccos(v / 50.0) * np.cos(q),
    "functions of a scalar": lambda robot: lambda q, v, u: [np.sqrt(q[0] ** 2 + 1.0), np.arctan2(v[0], q[1])],
    "array by scalar": lambda robot: lambda q, v, u: np.array([1.0, 2.0]) * q[0] - np.float64(3.0) * v[1] * np.ones(2),
    "where": lambda robot: lambda q, v, u: np.where(q > 0.0, -q, 2.0 * v),
    "scalars among arrays": lambda robot: lambda q, v, u: np.where(q[0] < 0.9, -1.0, v[1]) - np.stack([q[0], v[0]]),
    "joined": lambda robot: lambda q, v, u: -np.concatenate([q[:1], [v[1]]]) - np.hstack([v[0], 0.0]),
    "functions of sixvec": lambda robot: lambda q, v, u: where(q > 0.5, sin(q), -cos(v)) - [arctan2(q[0], v[0]), 0.0],
    "extremes": lambda robot: lambda q, v, u: np.maximum(-q, -1.0) + np.minimum(0.5, v) - q.max() * np.sign(v),
    "norm and powers": lambda robot: lambda q, v, u: -q * np.linalg.norm(v) - v**3 + (1.0 + q**2) ** -1,
    "sums": lambda robot: lambda q, v, u: -q.sum() - np.array([1.0, 2.0]) @ v * np.ones(2),
    "in place": lambda robot: lambda q, v, u: np.subtract(u, 3.0 * q, out=u),
    "gravity": lambda robot: lambda q, v, u: robot.gravity_forces(q) - 2.0 * v,
    "a list into a method": lambda robot: lambda q, v, u: robot.gravity_forces([q[0], 0.0]) - v,
    "a plain array into a method": lambda robot: lambda q, v, u: robot.gravity_forces(np.array(q)) - v,
    "computed torque": lambda robot: lambda q, v, u: robot.rnea(q, v, 10 * (u - q) - 2 * v),
    "matrices": lambda robot: lambda q, v, u: robot.mass_matrix(q) @ (u - q) + robot.bias_forces(q, v),
    "Jacobian": lambda robot: lambda q, v, u: robot.jacobian(q, "tip").T @ [0, 0, 0, 1.0, 0.0, 0.5] - v,
    "several results": lambda robot: lambda q, v, u: -robot.inverse_dynamics_derivatives(q, v, v).dq @ q,
    "a number of the robot": lambda robot: lambda q, v, u: -robot.kinetic_energy(q, v) * v,
    "wrenches": lambda robot: (
        lambda q, v, u: robot.inverse_dynamics(q, v, u, external={"tip": [0, q[0], 0, 0, 0, v[1]]})
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_laws_compute_with_arrays_as_numpy_does(robot: Robot, name: str) -> None:
    """Step by step, the same lines on arrays of numbers."""
    law, (q, v), dt = ARRAYS[name](robot), (np.array(START[k]) for k in "qv"), START["dt"]
    path = rollout(robot, **START, control=law, integrator="semi_implicit_euler")
    for k in range(50):
        v = v + dt * robot.forward_dynamics(q, v, np.asarray(law(q.copy(), v.copy(), np.zeros(2)), float))
        q = q + dt * v
        assert_close(path.q[k], q, IDENTITY)


def test_numbers_that_are_not_finite_stay(robot: Robot) -> None:
    start = START | {"q": [np.nan, 0.3]}
    law = traced_law(lambda q, v, u: np.clip(q, -1.0, 1.0) + np.maximum(0.0, q) + np.sign(q), robot.model, 2, "")
    given = [np.array(start[k]) for k in "qv"]
    assert np.isnan(CompiledProgram(law.program)(*given, np.zeros(2))[0])


BAD = {
    "exponential": lambda robot: lambda q, v, u: np.exp(q),
    "equality": lambda robot: lambda q, v, u: np.where(q == 0.0, 1.0, 0.0),
    "into an array of numbers": lambda robot: lambda q, v, u: np.zeros(2).__setitem__(0, q[0]),
    "root of a power": lambda robot: lambda q, v, u: q**1.5,
    "math": lambda robot: lambda q, v, u: [math.sin(q[0]), 0.0],
    "in a generator": lambda robot: lambda q, v, u: (math.sin(x) for x in q),
    "branch": lambda robot: lambda q, v, u: [1.0 if q[0] > 0.0 else -1.0, 0.0],
    "branch on an array": lambda robot: lambda q, v, u: q if (q > 0.0).any() else v,
    "max": lambda robot: lambda q, v, u: [max(x, 1.0) for x in q],
    "batches in a law": lambda robot: lambda q, v, u: robot.gravity_forces(np.stack([q, v]))[0],
    "inverse kinematics": lambda robot: lambda q, v, u: robot.ik(robot.pose(q, "tip"), "tip").q,
    "too few arguments": lambda robot: lambda q, v: v,
    "its own mistake": lambda robot: lambda q, v, u: {}["gain"],
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_traced_is_explained(robot: Robot, name: str) -> None:
    message = named("rollout", "control", "np.where", "np.clip")
    with pytest.raises(ArgumentError, match=message) as caught:
        rollout(robot, **START, control=BAD[name](robot))
    assert caught.value.__cause__ is not None


def test_the_cause_names_what_would_be_valid(robot: Robot) -> None:
    with pytest.raises(ArgumentError, match=named("rollout", "control", "exp")):
        rollout(robot, **START, control=lambda q, v, u: np.exp(q))


def test_a_law_has_no_memory(robot: Robot) -> None:
    seen: list[Any] = []

    def law(q: Any, v: Any, u: Any) -> Any:
        seen.extend(q)
        return [sum(seen), 0.0]

    rollout(robot, **START, control=law)
    with pytest.raises(ArgumentError, match=named("rollout", "control")):
        rollout(robot, **START, control=law)
