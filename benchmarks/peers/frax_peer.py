"""frax, where JAX is installed: each function compiled by `jax.jit` in float64, its answer waited for.

Only robots on a fixed base take part: there all conventions agree.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax_settings  # noqa: F401  # before JAX

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # frax comments on the environment at import
    import frax
    import jax

import numpy as np

from contender import Unavailable
from convention import Convention
from kernels import Kernel
from peers.pinocchio_peer import Pinocchio
from robots import STANDARD_GRAVITY, Robot
from state import Array, State


class Frax:
    """A `frax.Robot` of one URDF."""

    name = "frax"
    gravity = STANDARD_GRAVITY

    def __init__(self, robot: Robot, urdf: Path, reference: Pinocchio) -> None:
        if robot.floating:
            raise Unavailable("compared on fixed bases only")
        model = frax.Robot(str(urdf), joint_ordering=list(reference.joint_names))
        self.convention = Convention(tuple(range(len(reference.joint_names))), "fixed", angular_first=False)
        up = jax.numpy.array([0.0, 0.0, STANDARD_GRAVITY, 0.0, 0.0, 0.0])  # of the base, linear part first
        self._functions = {
            "inverse_dynamics": jax.jit(lambda q, v, a: model.rnea(q, v, a, up, None)),
            "forward_dynamics": jax.jit(lambda q, v, tau: model.forward_dynamics(q, v, tau, None)),
            "mass_matrix": jax.jit(model.mass_matrix),
        }

    def compiled(self, kernel: Kernel) -> Callable[..., Any] | None:
        """What JAX compiled, for one state."""
        return self._functions.get(kernel.name)

    def function(self, kernel: Kernel) -> Callable[..., Any] | None:
        """The compiled function; JAX answers before it is finished, so wait."""
        found = self._functions.get(kernel.name)
        return None if found is None else lambda *arguments: found(*arguments).block_until_ready()

    def arguments(self, kernel: Kernel, state: State) -> tuple[Any, ...]:
        """Inputs as JAX arrays, on the device before the clock starts."""
        return tuple(jax.numpy.asarray(getattr(state, name)) for name in kernel.inputs)

    def unpack(self, kernel: Kernel, raw: Any) -> Sequence[Array]:
        return [np.asarray(raw)]


def build(robot: Robot, urdf: Path, reference: Pinocchio) -> Frax:
    """frax holding `robot`."""
    return Frax(robot, urdf, reference)
