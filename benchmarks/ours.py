"""sixvec as a contender."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from contender import Unavailable
from convention import FREE_NQ, Base, Convention
from kernels import Kernel
from peers.pinocchio_peer import Pinocchio
from robots import STANDARD_GRAVITY, Robot
from state import Array, State

try:
    import sixvec as sv
except ImportError as error:
    sv, reason = None, f"not installed ({error})"
else:
    reason = "" if hasattr(sv, "load") else "not installed (sixvec has no load)"


ENTRIES = "inverse_dynamics_regressor_entries"

PARAMETERS = (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)
"""Ours are m, mc; xx, xy, xz, yy, yz, zz."""


class Ours:
    """`sixvec.load(urdf)` of one robot."""

    name = "sixvec"
    gravity = STANDARD_GRAVITY

    def __init__(self, robot: Robot, urdf: Path, reference: Pinocchio) -> None:
        if reason:
            raise Unavailable(reason)
        self.robot = sv.load(str(urdf), floating=True) if robot.floating else sv.load(str(urdf))
        self.floating = robot.floating
        self.frame = robot.frame
        names = [name for name in self.robot.joint_names if name in reference.joint_names]
        base: Base = "angular body, linear body" if robot.floating else "fixed"
        self.convention = Convention(reference.order(names), base, angular_first=True, parameters=PARAMETERS)
        frames = list(self.robot.frame_names)
        self.frames = [frames.index(name) for name in reference.frame_names]

    def function(self, kernel: Kernel) -> Callable[..., Any] | None:
        """The bound method of the robot."""
        method: Callable[..., Any] = getattr(self.robot, kernel.name)
        return method

    def arguments(self, kernel: Kernel, state: State) -> tuple[Any, ...]:
        """Inputs in our joint order, for one state or a batch of them; the frame's name last."""
        S = self.convention.basis(np.atleast_2d(state.q)[0])  # constant: both base velocities are in body axes
        base = state.q[..., : FREE_NQ if self.floating else 0]
        q = np.concatenate([base, self.convention.joint_q(state.q)], axis=-1)
        inputs = {"q": q, "v": state.v @ S.T, "a": state.a @ S.T, "tau": state.tau @ S.T}
        arrays = tuple(np.ascontiguousarray(inputs[name]) for name in kernel.inputs)
        return (*arrays, self.frame) if kernel.framed else arrays

    def unpack(self, kernel: Kernel, raw: Any) -> Sequence[Array]:
        """Named tuples become lists, entries a matrix; of all frames, those that Pinocchio knows."""
        if kernel.name == "poses":
            return [np.asarray(raw)[..., self.frames, :, :]]
        if kernel.name == ENTRIES:
            return [self._scattered(np.asarray(raw))]
        return [np.asarray(x) for x in raw] if isinstance(raw, tuple) else [np.asarray(raw)]

    def _scattered(self, entries: Array) -> Array:
        """The dense regressor with these entries."""
        from sixvec.identification import inertial_parameters, regressor_pattern

        parameters = len(inertial_parameters(self.robot))
        Y = np.zeros((*entries.shape[:-1], self.robot.nv, parameters), entries.dtype)
        Y[..., *regressor_pattern(self.robot)] = entries
        return Y

    def answer_bytes(self, kernel: Kernel) -> int:
        """Of one state, in float64; known without compiling anything."""
        return sum(np.dtype(np.float64).itemsize * math.prod(port.shape) for port in self._kernel(kernel).outputs)

    def batch(self, kernel: Kernel, states: State) -> Callable[[], Any]:
        """A call for the whole batch that writes into the arrays of its first answer."""
        function, arguments = getattr(self.robot, kernel.name), self.arguments(kernel, states)
        out = function(*arguments)
        return lambda: function(*arguments, out=out)

    def batch_in_place(self, kernel: Kernel, states: State) -> Callable[[], Any]:
        """The same into arrays of our own making, whose constant entries stay."""
        arrays = [x for x in self.arguments(kernel, states) if not isinstance(x, str)]
        function = self._kernel(kernel).in_place(len(states))
        return lambda: function(*arrays)

    def _kernel(self, kernel: Kernel) -> Any:
        return self.robot.kernel(kernel.name, **({"frame": self.frame} if kernel.framed else {}))

    def batch_answers(
        self, kernel: Kernel, states: State, dtype: type = np.float64, in_place: bool = False
    ) -> list[list[Array]]:
        """The answers of one batch call for each of its states, in Pinocchio's convention."""
        arguments = [x if isinstance(x, str) else x.astype(dtype) for x in self.arguments(kernel, states)]
        called = self.batch_in_place(kernel, states) if in_place else lambda: self.function(kernel)(*arguments)
        answers = self.unpack(kernel, called())
        return [self.convention.to_pinocchio(kernel, [x[i] for x in answers], states[i]) for i in range(len(states))]


def set_threads(threads: int) -> None:
    """Bound the threads of our batch calls."""
    if not reason:
        sv.set_threads(threads)
