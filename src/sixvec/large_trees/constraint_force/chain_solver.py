"""Forward dynamics of a long unbranched chain by fused stages, on a CPU or a CUDA device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from sixvec.errors import ArgumentError
from sixvec.large_trees.constraint_force.array_chain import ArrayChain, coordinates, require_chain, wrenches_on
from sixvec.large_trees.constraint_force.batches import over_batch
from sixvec.large_trees.constraint_force.dynamics import count_of
from sixvec.large_trees.constraint_force.prefix_dynamics import inverse_dynamics
from sixvec.large_trees.constraint_force.rotor_bias import rotor_bias
from sixvec.large_trees.constraint_force.row_executors import CpuRows, RecordedCudaRows
from sixvec.large_trees.constraint_force.row_schedule import schedule
from sixvec.lazy import lazy

Array: TypeAlias = Any
Device: TypeAlias = Literal["cpu", "cuda"]

_ON_BODIES = ("rows", "six")
"""The axes of the external wrenches of one state."""

_EXECUTORS: dict[str, Any] = {"cpu": CpuRows, "cuda": RecordedCudaRows}


class ChainSolver:
    """The constraint force algorithm of one chain, prepared for many calls: `solver(q, v, tau)` gives accelerations.

    `forward_dynamics` uses array operations; here each stage is one compiled function, with all bodies at once in SIMD
    lanes and threads ("cpu") or in a thread each ("cuda", float64, through CuPy), in 2 ⌈log₄ N⌉ + 2 ⌈log₂(N+1)⌉ + 3
    steps; on a device they are recorded once and started together.  Joints of every type and rotors are supported, side
    branches are not.  External wrenches and refinements, as in `forward_dynamics`, add array operations of O(log N)
    steps; each refinement runs all stages once more.

    Memory: about 3 kB per body, allocated once; a solver therefore serves one caller at a time.

    >>> import numpy as np
    >>> from sixvec import load
    >>> from sixvec.large_trees.constraint_force import ArrayChain, ChainSolver
    >>> arm = load("panda")
    >>> solver = ChainSolver(ArrayChain.from_model(arm.model))
    >>> q, v, tau = np.linspace(-1.0, 1.0, 7), np.ones(7), np.zeros(7)
    >>> bool(np.allclose(solver(q, v, tau), arm.forward_dynamics(q, v, tau)))
    True
    """

    def __init__(self, chain: ArrayChain, device: Device = "cpu") -> None:
        if device not in _EXECUTORS:
            raise ArgumentError(f'no device "{device}"; devices: {", ".join(_EXECUTORS)}')
        require_chain(chain, "ChainSolver")
        self._chain = chain
        self.schedule = schedule(chain)
        self.device = device
        self._run = _EXECUTORS[device](self.schedule)

    @property
    def steps(self) -> int:
        """The number of sequential stages."""
        return len(self.schedule.steps)

    @property
    def mode(self) -> str:
        """How the stages are started: "calls", or on a device "CUDA graph" or "launches"."""
        return str(self._run.mode)

    def __call__(self, q: Array, v: Array, tau: Array, *, external: Any = None, refinements: int = 0) -> Array:
        """Joint accelerations: a NumPy array on the CPU, a CuPy array on a device (which accepts both).

        States of a batch, (..., n), are processed in sequence.
        """
        q, v, tau = coordinates(self._chain, q=q, v=v, tau=tau)
        state = {"q": q, "v": v, "tau": tau}
        refinements = count_of(refinements)
        external = wrenches_on(self._chain, external) if isinstance(external, Mapping) else external
        pushed = len(np.shape(external)) > len(_ON_BODIES)
        if pushed or any(len(np.shape(x)) > 1 for x in state.values()):
            return self._batch(state, external, refinements)
        if external is None and self._chain.joints.rotor is None and not refinements:
            return self._run(**state)
        xp, chain = self._run.xp, self._there
        q, v, tau = (xp.asarray(x, dtype=np.float64) for x in (q, v, tau))
        wrenches = None if external is None else xp.asarray(wrenches_on(self._chain, external))
        a = self._run(q=q, v=v, tau=self._drive(q, v, tau, wrenches))
        for _ in range(refinements):
            residual = tau - inverse_dynamics(chain, q, v, a, external=wrenches, xp=xp)
            a = a + self._at_rest(q, v * 0.0, residual)
        return a

    def _batch(self, state: dict[str, Array], external: Array | None, refinements: int) -> Array:
        xp = self._run.xp

        def one(q: Array, v: Array, tau: Array, external: Array | None = None) -> tuple[Array]:
            return (xp.array(self(q, v, tau, external=external, refinements=refinements)),)

        arrays = {name: xp.asarray(x, dtype=np.float64) for name, x in state.items()}
        wrenches = None if external is None else xp.asarray(wrenches_on(self._chain, external))
        (result,) = over_batch(xp, "ChainSolver", one, arrays | {"external": wrenches})
        return result

    @lazy
    def _there(self) -> ArrayChain:
        """The chain on the device."""
        return self._chain.on(self._run.xp.asarray)

    def _drive(self, q: Array, v: Array, tau: Array, wrenches: Array | None) -> Array:
        """tau for the stages: minus the rotors' bias, plus the joint forces equivalent to the external wrenches."""
        xp, chain = self._run.xp, self._there
        bias = rotor_bias(xp, chain.joints, v)
        if bias is not None:
            tau = tau - bias
        if wrenches is None:
            return tau
        weightless = replace(chain, base_acceleration=chain.base_acceleration * 0.0)
        return tau - inverse_dynamics(weightless, q, v * 0.0, v * 0.0, external=wrenches, xp=xp)

    def _at_rest(self, q: Array, zero: Array, tau: Array) -> Array:
        """M⁻¹ tau: the stages without gravity."""
        base = self.schedule.constants["base"]
        self._run.put("base", base * 0.0)
        try:
            return self._run(q=q, v=zero, tau=tau)
        finally:
            self._run.put("base", base)
