"""Two tiers of machine code, with the same bits: a long program runs as bytecode until its best code is compiled.

LLVM takes seconds for programs of tens of thousands of operations.  Their first answers come from the machine of
runtime/interpreter.py instead, while another process compiles (background.py).  `poll`, called wherever Python starts
work, loads the result, and from then on every address that was given out leads to it.  If that process fails, a call of
the function itself compiles; calls of others never do, nor do they get its errors.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from weakref import ref

from sixvec.border.progress import progress
from sixvec.compiler import background, child_limits
from sixvec.compiler.artifact import Artifact, layouts
from sixvec.compiler.background import Order, ordered
from sixvec.compiler.build import Code, load_object
from sixvec.compiler.bytecode import Bytecode, encode
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.forks import building
from sixvec.compiler.memory import address
from sixvec.compiler.program import Program
from sixvec.compiler.runtime.functions import runtime_object
from sixvec.compiler.runtime.interpreter import Context, interpreter_assembly
from sixvec.compiler.slots import Layout

LONG = 12_000
"""Operations from which LLVM takes about a second."""

SLOWDOWN = 20
"""How many times longer bytecode runs than the best code, about."""

MOST_CHILDREN = 2
"""Processes that compile for this one at a time; each takes some hundred megabytes."""

BETWEEN_LOOKS = 0.02
"""Seconds between two looks whether code has arrived."""


class Quick(Code):
    """Bytecode as a function, which becomes a jump to the best code when that has arrived."""

    __slots__ = ("_best", "_bytecode", "_problem", "_words")

    def run(self, bytecode: Bytecode) -> None:
        """Run this from now on."""
        self._bytecode = bytecode
        self._best: dict[str, Code] = {}
        self._problem: Exception | None = None
        place = self._engine.get_global_value_address("context")
        self._words = (ctypes.c_int64 * len(Context)).from_address(place)
        self._words[Context.INSTRUCTIONS] = address(bytecode.instructions)
        self._words[Context.CONSTANTS] = address(bytecode.constants)
        self._words[Context.SLOTS] = bytecode.slots

    def run_best(self, best: Code) -> None:
        """Run that from now on.  The first one stays, for other threads may be running it."""
        self._words[Context.BEST] = self._best.setdefault("best", best).address

    def fail(self, problem: Exception) -> None:
        """The best code cannot be made."""
        self._problem = problem.with_traceback(None)  # whose frames hold this code

    def require(self) -> None:
        if self._problem is not None:
            raise self._problem.with_traceback(None)  # that of the last time would grow

    @property
    def is_best(self) -> bool:
        return bool(self._best)

    @property
    def slowdown(self) -> int:
        return 1 if self.is_best else SLOWDOWN


@dataclass(frozen=True, slots=True)
class Draft:
    """In place of an `Artifact` that is to be compiled."""

    order: Order
    bytecode: Bytecode
    operations: int
    layouts: tuple[Layout, ...]

    def load(self) -> Code:
        quick = loaded(self.bytecode, self.order.lanes)
        awaited = _Awaited(ref(quick), self.order)
        _awaited.append(awaited)
        awaited.look((quick,))
        quick.require()
        return quick


def loaded(bytecode: Bytecode, lanes: Lanes) -> Quick:
    """Bytecode as a function of one register of lanes."""
    quick = load_object(_machine(lanes), "body", Quick)
    quick.run(bytecode)
    return quick


@cache
def _machine(lanes: Lanes) -> bytes:
    return runtime_object(interpreter_assembly(lanes), lanes)


def draft(final: Program, identity: str, lanes: Lanes, whole: bool) -> Draft | None:
    """Bytecode of a lowered program that is long; None if it is to be compiled at once."""
    if len(final.nodes) < LONG or (order := ordered(final, identity, lanes, whole)) is None:
        return None
    return Draft(order, encode(final, lanes, whole), len(final.nodes), layouts(final))


@dataclass(slots=True, eq=False)
class _Awaited:
    """Bytecode that is waiting for its best code."""

    code: ref[Quick]
    order: Order
    begun: bool = False

    def look(self, called: Sequence[Code]) -> None:
        """Use the best code if it is there, have it compiled if that has not begun.

        If that failed, compile it here, in a call of this very code.  Errors are its own, too: see `Quick.require`.
        """
        code = self.code()
        if code is None or code.is_best:
            self._leave()
            return
        try:
            if (made := self._made(any(code is each for each in called))) is not None:
                code.run_best(made.load())
                self._leave()
        except Exception as problem:
            code.fail(problem)
            self._leave()

    def _made(self, is_called: bool) -> Artifact | None:
        """The result, if it is there or is to be made here."""
        if self.order.is_claimed():
            self.begun = True
            return None
        if (made := self.order.stored()) is not None:
            return made
        background.running()  # it may have ended just now
        if seconds := self.order.tried():
            if seconds >= child_limits.allowed():
                self._leave()  # bytecode for good: a call must not take that long either
                return None
            self.begun = False  # by a process that had less time than another will have
        if not self.begun:
            if background.running() >= MOST_CHILDREN:
                return None  # later
            self.begun = True
            if background.is_begun(self.order):
                return None
        if not is_called:
            return None
        with progress(f"compiling {self.order.name}"):
            return self.order.carried_out()

    def _leave(self) -> None:
        with suppress(ValueError):  # a signal handler may have been here
            _awaited.remove(self)


_awaited: list[_Awaited] = []
_next_look = 0.0


def poll(*called: Code) -> None:
    """Use best code that has arrived, and start what waits, before these are called."""
    if _awaited or background.children:
        _look(called)
    for code in called:
        code.require()


def _look(called: Sequence[Code]) -> None:
    global _next_look
    if time.monotonic() < _next_look or not building.acquire(blocking=False):
        return
    try:
        _next_look = time.monotonic() + BETWEEN_LOOKS
        background.running()
        for each in tuple(_awaited):
            each.look(called)
    finally:
        building.release()


def settled(code: Code) -> Code:
    """The same code, when it is the best that there will be: for those who keep its address where nobody polls."""
    with progress("compiling", when=code.slowdown > 1):
        while code.slowdown > 1 and any(each.code() is code for each in _awaited):
            poll(code)
            time.sleep(BETWEEN_LOOKS)
    code.require()
    return code
