"""Steps with contacts on torch and JAX arrays, with derivatives.

The path is that of the NumPy arrays, with steps solved to `PRECISION`.  Its derivatives are those of a second path,
whose steps have the states of contacts that the first one shows (`sixvec.sim.active_step`): the same path while no
state changes.  docs/contact_gradients.md says what they mean where states change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.constraints.contacts.contact import Obstacle
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import alike
from sixvec.kernels.portable import interop, library_of, namespace
from sixvec.model import Actuator
from sixvec.sim.active_step import RESULTS, active_step
from sixvec.sim.adjoint import Loop
from sixvec.sim.contact_rollout import ContactTrajectory
from sixvec.sim.control import TracedLaw
from sixvec.sim.file_rollout import ACCEPTED, impulse_step
from sixvec.sim.impulse_step import ImpulseStep

if TYPE_CHECKING:
    from sixvec.robot import Robot

PRECISION = 1e-12
"""The residual, in m/s, at which sweeps end."""


class FollowedSteps:
    """A number of steps as two loops: one solves them, the other has their impulses as inputs."""

    def __init__(self, step: ImpulseStep, steps: int) -> None:
        self.step = step
        self._solving = Loop(step.staged(path=True, impulses=True), steps, len(step.state), each=1, name="rollout")
        following = active_step(step)
        carried = len(following.outputs) - RESULTS - step.dynamic
        self._following = Loop(following, steps, carried, each=2, name="rollout")

    def path(self, foreign: Any, state: Sequence[Any], dt: Any, numbers: Sequence[Any], u: Any) -> tuple[Any, Any]:
        """What each step returns, with derivatives, and its residual.

        `state` are q, v and activations, if actuators have any, `numbers` those of `step.kept`, and u (..., steps, nu)
        the controls.  Each step returns q, v, force, gap, and activations.
        """
        q, v, *activation = state
        impulses, worst = (foreign.constant(np.zeros(p.shape), q) for p in self.step.state[2:4])
        inputs = [q, v, impulses, worst, *activation, dt, foreign.constant(PRECISION, q), *numbers, u]
        solved = foreign.call(self._solving, [foreign.constant_of(x) for x in inputs])[self._solving.carried :]
        *solution, residual, impulses = solved
        followed = foreign.path(self._following, [q, v, *activation, dt, *numbers, u, impulses])
        exact = [x + (y - foreign.constant_of(y)) for x, y in zip(solution, followed, strict=False)]
        return [*exact, *followed[len(exact) :]], residual


def without_values(library: str, named: Mapping[str, Any], steps: int | None) -> list[Any]:
    """Arrays of NumPy for q, v, tau and dt, as far as their values are known, for checks."""
    if library not in ("torch", "jax"):
        raise ArgumentError("rollout: contacts, actuators and limits take arrays of NumPy, torch and JAX")
    foreign, axes = interop(library), {"q": 1, "v": 1, "tau": 2 if steps is None else 1, "dt": 0}
    return [foreign.placeholder(named[k], 1.0 if k == "dt" else np.nan, own=axes[k]) for k in axes]


def followed_rollout(
    robot: Robot,
    obstacles: tuple[Obstacle, ...],
    actuators: tuple[Actuator, ...],
    law: TracedLaw | None,
    passive: bool,
    named: Mapping[str, Any],
    steps: int,
) -> ContactTrajectory:
    """A path of `steps` steps from the arrays q, v, tau (..., steps, nu) or (..., nu), and dt."""
    arrays = dict(zip(named, alike(*named.values()), strict=True))
    like = max(arrays.values(), key=lambda x: x.dtype.itemsize)
    foreign, xp = interop(str(library_of(like))), namespace(like)
    q, v, u, dt = foreign.double_on_cpu("rollout", list(arrays.items()))
    if u.ndim < 2 or u.shape[-2] != steps:
        u = xp.broadcast_to(u[..., None, :], (*u.shape[:-1], steps, u.shape[-1]))
    key = obstacles, actuators, law, passive, u.shape[-1]
    step = impulse_step(robot, *key)
    followed = robot._kernels.stored(("followed path", *key, steps), lambda: FollowedSteps(step, steps))
    rest = [foreign.constant(np.zeros(p.shape), q) for p in step.state[4:]]
    exact, residual = followed.path(foreign, [q, v, *rest], dt, [], u)
    single = [foreign.constant(x, like) for x in (*exact[:RESULTS], residual)]
    return ContactTrajectory(*single, accepted=ACCEPTED)
