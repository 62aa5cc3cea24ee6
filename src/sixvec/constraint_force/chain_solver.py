"""Forward dynamics of a long unbranched chain by fused stages, on a CPU or a CUDA device."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from sixvec.constraint_force.array_chain import ArrayChain
from sixvec.constraint_force.row_executors import CpuRows, RecordedCudaRows
from sixvec.constraint_force.row_schedule import schedule
from sixvec.errors import ArgumentError, ShapeError

Array: TypeAlias = Any
Device: TypeAlias = Literal["cpu", "cuda"]

_EXECUTORS: dict[str, Any] = {"cpu": CpuRows, "cuda": RecordedCudaRows}


class ChainSolver:
    """The constraint force algorithm of one chain, prepared for many calls: `solver(q, v, tau)` gives accelerations.

    What `constraint_force_dynamics` computes by array operations is here one compiled function per stage, with all
    bodies at once in SIMD lanes and threads ("cpu") or in a thread each ("cuda", float64, through CuPy), in
    2 ⌈log₄ N⌉ + 2 ⌈log₂(N+1)⌉ + 3 steps; on a device they are recorded once and started together.  Joints of every type
    and rotors are welcome, side branches are not.

    Memory: some 3 kB a body, allocated once; a solver therefore serves one caller at a time.

    >>> from sixvec import load
    >>> arm = load("panda")
    >>> solver = ChainSolver(ArrayChain.from_model(arm.model))
    >>> q, v, tau = np.linspace(-1.0, 1.0, 7), np.ones(7), np.zeros(7)
    >>> bool(np.allclose(solver(q, v, tau), arm.forward_dynamics(q, v, tau)))
    True
    """

    def __init__(self, chain: ArrayChain, device: Device = "cpu") -> None:
        if device not in _EXECUTORS:
            raise ArgumentError(f'no device "{device}"; devices: {", ".join(_EXECUTORS)}')
        self._sizes = {"q": chain.nq, "v": chain.nv, "tau": chain.nv}
        self.schedule = schedule(chain)
        self.device = device
        self._run = _EXECUTORS[device](self.schedule)

    @property
    def steps(self) -> int:
        """How many stages run one after the other."""
        return len(self.schedule.steps)

    @property
    def mode(self) -> str:
        """How the stages are started: "calls", or on a device "CUDA graph" or "launches"."""
        return str(self._run.mode)

    def __call__(self, q: Array, v: Array, tau: Array) -> Array:
        """Joint accelerations: a NumPy array on the CPU, a CuPy array on a device (which takes arrays of either)."""
        given = {"q": q, "v": v, "tau": tau}
        for name, x in given.items():
            if tuple(np.shape(x)) != (self._sizes[name],):
                raise ShapeError(f"{name} has shape {tuple(np.shape(x))}; this chain needs ({self._sizes[name]},)")
        return self._run(**given)
