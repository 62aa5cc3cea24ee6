"""Control laws in rollouts: what they read may change between calls, and what cannot be traced is explained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.errors import ArgumentError, DtypeError
from sixvec.scalar import cos, sin, where
from sixvec.sim import rollout
from sixvec.sim.rollout import step_kernel
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


def test_a_bound_method_reads_its_object_anew(robot: Robot, expected: list[np.ndarray]) -> None:
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


BAD = {
    "numpy on a scalar": lambda robot: lambda q, v, u: [np.sin(q[0]), 0.0],
    "numpy on an array": lambda robot: lambda q, v, u: np.sin(np.array(q)),
    "clip": lambda robot: lambda q, v, u: np.clip(np.array(v), -1.0, 1.0),
    "clip a scalar": lambda robot: lambda q, v, u: [np.clip(x, -1.0, 1.0) for x in v],
    "math": lambda robot: lambda q, v, u: [math.sin(q[0]), 0.0],
    "in a generator": lambda robot: lambda q, v, u: (math.sin(x) for x in q),
    "branch": lambda robot: lambda q, v, u: [1.0 if q[0] > 0.0 else -1.0, 0.0],
    "max": lambda robot: lambda q, v, u: [max(x, 1.0) for x in q],
    "difference of lists": lambda robot: lambda q, v, u: u - q,
    "a method of the robot": lambda robot: lambda q, v, u: robot.gravity_forces(q),
    "too few arguments": lambda robot: lambda q, v: v,
    "its own mistake": lambda robot: lambda q, v, u: {}["gain"],
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_traced_is_explained(robot: Robot, name: str) -> None:
    message = r"^rollout: the control law failed with .*where of sixvec\.scalar.*robot\.evaluate\(name"
    with pytest.raises(ArgumentError, match=message) as caught:
        rollout(robot, **START, control=BAD[name](robot))
    assert caught.value.__cause__ is not None


def test_the_cause_is_told(robot: Robot) -> None:
    with pytest.raises(ArgumentError, match="q must hold real numbers") as caught:
        rollout(robot, **START, control=lambda q, v, u: robot.gravity_forces(q))
    assert isinstance(caught.value.__cause__, DtypeError)


def test_a_law_has_no_memory(robot: Robot) -> None:
    seen: list[Any] = []

    def law(q: Any, v: Any, u: Any) -> Any:
        seen.extend(q)
        return [sum(seen), 0.0]

    rollout(robot, **START, control=law)
    with pytest.raises(ArgumentError, match="rollout: the control law uses scalars that it kept from an earlier call"):
        rollout(robot, **START, control=law)
