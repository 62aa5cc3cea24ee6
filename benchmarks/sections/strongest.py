"""Peers at their strongest: what an expert would use instead of a library call, on batches of an arm, one thread.

CasADi-generated C called in a loop of C, frax compiled and batched by JAX, pytorch_kinematics on tensors.  Pinocchio's
native batch is beside them; the wheel on PyPI is a generic x86-64 build, without AVX, which a build from source is not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import CHECK_TOLERANCE, CHECKED_STATES, Bench
from contender import Unavailable, answer
from convention import scaled_error, worst
from kernels import KERNELS, NATIVE_BATCH, Kernel
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from timing import Effort, interleaved

SECTION, OURS = "strongest", "sixvec"
NATIVE = "Pinocchio native batch"
NOTE = "PyPI's Pinocchio is a generic x86-64 build"
SHOWN = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian", "pose")

TOLERANCES = {"pytorch_kinematics": 1e-6}
"""Scaled: it computes in double precision with numbers of the URDF that it rounded to single precision."""


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """One row per kernel, each contender checked against Pinocchio before it is timed."""
    wanted = [KERNELS[name] for name in SHOWN if selection.wants(SECTION, bench.robot.name, name)]
    if not wanted or bench.robot.floating or bench.ours is None:
        return
    set_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        contenders = _contenders(bench, Path(folder))
        for kernel in wanted:
            calls = {OURS: bench.ours.batch(kernel, bench.states)}
            for name, make in contenders.items():
                if (made := make(kernel)) is not None:
                    calls[name] = made
            errors = {name: _error(bench, kernel, name, call) for name, call in calls.items()}
            for name, error in errors.items():
                if not error <= TOLERANCES.get(name, CHECK_TOLERANCE):
                    bench.left_out[f"{name}, {kernel.name} ({SECTION})"] = f"differs by {error:.1e}: not timed"
                    del calls[name]
            note = ""
            if kernel.name in NATIVE_BATCH:
                calls[NATIVE], note = bench.reference.native_batch(kernel, bench.states, 1), NOTE
            seconds = {name: each / len(bench.states) for name, each in interleaved(calls, effort).items()}
            yield timing_row(SECTION, bench.robot.name, kernel.name, seconds, OURS, errors=errors, note=note)


def _contenders(bench: Bench, folder: Path) -> dict[str, Callable[[Kernel], Callable[[], Any] | None]]:
    """By name, what makes a contender's call for a kernel, or None where it has none."""
    found: dict[str, Callable[[Kernel], Callable[[], Any] | None]] = {}
    for name, build in (("CasADi C", _casadi), ("frax", _frax), ("pytorch_kinematics", _pytorch_kinematics)):
        try:
            found[name] = build(bench, folder)
        except (ImportError, Unavailable) as problem:
            bench.left_out[f"{name} ({SECTION})"] = f"not installed ({problem})"
    return found


def _casadi(bench: Bench, folder: Path) -> Callable[[Kernel], Callable[[], Any] | None]:
    from peers.casadi_peer import GeneratedC

    made = GeneratedC(bench.urdf, list(bench.reference.joint_names), folder)

    def call(kernel: Kernel) -> Callable[[], Any] | None:
        if kernel.name not in made.operations:
            return None
        shape = answer(bench.reference, kernel, bench.states[0])[0].shape
        out = np.empty((len(bench.states), *shape))
        batch = made.batch(kernel.name, bench.states, kernel.inputs, out)

        def run() -> Any:
            batch()
            return out

        return run

    return call


def _frax(bench: Bench, folder: Path) -> Callable[[Kernel], Callable[[], Any] | None]:
    if "frax" not in bench.peers:
        raise Unavailable(bench.left_out.get("frax", "frax"))
    import jax

    peer: Any = bench.peers["frax"]

    def call(kernel: Kernel) -> Callable[[], Any] | None:
        single = peer.compiled(kernel)
        if single is None:
            return None
        batched, arguments = jax.jit(jax.vmap(single)), peer.arguments(kernel, bench.states)
        return lambda: batched(*arguments).block_until_ready()

    return call


def _pytorch_kinematics(bench: Bench, folder: Path) -> Callable[[Kernel], Callable[[], Any] | None]:
    from peers.pytorch_kinematics_peer import PytorchKinematics

    made = PytorchKinematics(bench.urdf, bench.robot.frame)
    return lambda kernel: made.batch(kernel.name, bench.states) if kernel.name in ("pose", "jacobian") else None


def _error(bench: Bench, kernel: Kernel, name: str, call: Callable[[], Any]) -> float:
    """The largest scaled difference from Pinocchio's answers, at the first states."""
    if name == OURS:
        return bench.check_batch(kernel)
    result = np.asarray(call())
    return worst(
        scaled_error([result[i]], answer(bench.reference, kernel, bench.states[i])) for i in range(CHECKED_STATES)
    )
