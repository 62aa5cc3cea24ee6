"""What every contender, ours and the peers', offers to the suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from convention import Convention
from kernels import Kernel
from state import Array, State


class Unavailable(Exception):
    """A contender cannot take part; the message says why."""


class Contender(Protocol):
    """A library holding one robot.

    A timed call is `function(kernel)(*arguments(kernel, state))`. Arguments are prepared outside the timing, in the
    contender's own convention and layout; the call ends with the finished answer in the contender's own form.
    """

    name: str
    convention: Convention
    gravity: float
    """The gravity it computes with, for it may not be configurable."""

    def function(self, kernel: Kernel) -> Callable[..., Any] | None:
        """The call to time, or None where the library has no such function."""

    def arguments(self, kernel: Kernel, state: State) -> tuple[Any, ...]:
        """Arguments of `function(kernel)` for one state given in Pinocchio's convention."""

    def unpack(self, kernel: Kernel, raw: Any) -> Sequence[Array]:
        """The answer as arrays of the usual shapes, still in the contender's convention."""


def answer(contender: Contender, kernel: Kernel, state: State) -> list[Array]:
    """The contender's answer for one state, in Pinocchio's convention."""
    function = contender.function(kernel)
    assert function is not None
    raw = function(*contender.arguments(kernel, state))
    return contender.convention.to_pinocchio(kernel, contender.unpack(kernel, raw), state)
