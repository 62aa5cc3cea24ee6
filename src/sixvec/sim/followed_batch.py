"""The step of a batch as a function, state in and state out, with derivatives in torch and JAX."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from sixvec.arguments import common_batch, real_array
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import alike
from sixvec.kernels.portable import as_one_array, interop, library_of, namespace
from sixvec.sim.followed_contacts import FollowedSteps
from sixvec.sim.impulse_problem import ImpulseProblem
from sixvec.sim.impulse_step import VARYING, ImpulseStep


class FollowedBatch:
    """Steps of a problem; `numbers` are the dictionary of the batch: "dt", of `VARYING`, "parameters" of bodies."""

    def __init__(
        self, problem: ImpulseProblem, most: int, substeps: int, tolerance: float, numbers: Mapping[str, Any]
    ) -> None:
        self._problem, self._most, self._substeps, self._tolerance = problem, most, substeps, tolerance
        self._numbers = dict(numbers)
        self._made: dict[tuple[str, ...], FollowedSteps] = {}

    def state_after(self, like: Any, state: Any, action: Any, numbers: Mapping[str, Any]) -> Any:
        """The state (..., nq + nv, then activations) after all substeps, NaN where they are not solved.

        `numbers` replace those of the batch, and `like` is an array of its library.
        """
        library, names = library_of(like), ("dt", *VARYING, "parameters")
        if wrong := [name for name in numbers if name not in names]:
            raise ArgumentError("Batch: " + unknown("number", wrong[0], names))
        if state is None:
            name = next(iter(numbers))
            raise ArgumentError(f"Batch: {name}= goes with a state; Batch(…, {name}=…) sets it for all steps")
        if library not in ("torch", "jax"):
            raise ArgumentError('Batch: steps from a given state are of library="torch" and "jax"; write into q and v')
        if "parameters" in numbers and self._problem.parameters is None:
            raise ArgumentError('Batch: parameters= needs a robot of robot.with_parameters("inertia")')
        known = self._numbers | dict(numbers)
        steps = self._steps([name for name in VARYING if name in known])
        step, foreign, xp = steps.step, interop(library), namespace(like)
        sizes = [step.state[k].shape[0] for k in (0, 1, *range(4, len(step.state)))]
        ports = [Port("state", (sum(sizes),)), Port("action", (step.controls,)), step.inputs[0], *step.kept]
        given = [state, action, *(known[p.name] for p in ports[2:])]
        values = [as_one_array("Batch", p.name, x) for p, x in zip(ports, given, strict=True)]
        for port, x in zip(ports, values, strict=True):
            if library_of(x) not in (None, "numpy", library):
                raise ArgumentError(
                    f"Batch: {port.name} is an array of {library_of(x)}; the batch has those of {library}"
                )
            known_values = real_array(f"Batch: {port.name}", foreign.placeholder(x), *port.shape)  # NaN where traced
            if port.name == "dt" and ((known_values <= 0.0) | np.isinf(known_values)).any():
                raise ArgumentError(f"Batch: dt is {known_values}; a time step must be positive and finite, in seconds")
            if port.name == "friction" and (known_values < 0.0).any():
                raise ArgumentError(f"Batch: friction is {known_values}; a factor of friction is zero or more")
        arrays = alike(like, *values)[1:]
        shapes = [tuple(y.shape) for y in arrays]
        leads = [shape[: len(shape) - len(p.shape)] for shape, p in zip(shapes, ports, strict=True)]
        common_batch("Batch", leads, [p.name for p in ports], shapes)
        x, u, dt, *rest = foreign.double_on_cpu("Batch", [(p.name, y) for p, y in zip(ports, arrays, strict=True)])
        u = xp.broadcast_to(u[..., None, :], (*u.shape[:-1], self._substeps, u.shape[-1]))
        ends = [sum(sizes[:k]) for k in range(len(sizes) + 1)]
        parts = [x[..., a:b] for a, b in pairwise(ends)]
        exact, residual = steps.path(foreign, parts, dt, rest, u)
        after = xp.concatenate([y[..., -1, :] for y in (*exact[:2], *exact[4:])], -1)
        solved = (residual <= self._tolerance).all(-1)[..., None]
        return foreign.constant(xp.where(solved, after, xp.nan), arrays[0] if "float" in str(arrays[0].dtype) else like)

    def _steps(self, varying: list[str]) -> FollowedSteps:
        """The steps with these numbers as inputs."""
        key = tuple(varying)
        if key not in self._made:
            self._made[key] = FollowedSteps(ImpulseStep(self._problem, self._most, key), self._substeps)
        return self._made[key]
