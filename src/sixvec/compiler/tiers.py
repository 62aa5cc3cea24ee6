"""Two tiers of machine code, with the same bits: a long program runs as bytecode until its best code is compiled.

LLVM takes seconds for programs of tens of thousands of operations.  Their first answers come from the machine of
runtime/interpreter.py instead, while another process compiles (background.py).  `poll`, called wherever Python starts
work, loads the result, and from then on every address that was given out leads to it.
"""

from __future__ import annotations

import ctypes
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from weakref import ref

from sixvec.border.progress import progress
from sixvec.compiler import background
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

    __slots__ = ("_best", "_bytecode", "_words")

    def run(self, bytecode: Bytecode) -> None:
        """Run this from now on."""
        self._bytecode = bytecode
        self._best: dict[str, Code] = {}
        place = self._engine.get_global_value_address("context")
        self._words = (ctypes.c_int64 * len(Context)).from_address(place)
        self._words[Context.INSTRUCTIONS] = address(bytecode.instructions)
        self._words[Context.CONSTANTS] = address(bytecode.constants)
        self._words[Context.SLOTS] = bytecode.slots

    def run_best(self, best: Code) -> None:
        """Run that from now on.  The first one stays, for other threads may be running it."""
        self._words[Context.BEST] = self._best.setdefault("best", best).address

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
        quick = load_object(_machine(self.order.lanes), "body", Quick)
        quick.run(self.bytecode)
        awaited = _Awaited(ref(quick), self.order)
        _awaited.append(awaited)
        awaited.look()
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

    def look(self) -> None:
        """Use the best code if it is there, have it compiled if that has not begun, or compile it here if it failed."""
        code = self.code()
        if code is None or code.is_best:
            self._leave()
        elif self.order.is_claimed():
            self.begun = True
        elif (made := self.order.stored()) is not None:
            self._use(code, made)
        elif not self.begun and background.running() >= MOST_CHILDREN:
            pass  # later
        elif not self.begun and background.is_begun(self.order):
            self.begun = True
        else:
            with progress(f"compiling {self.order.name}"):
                self._use(code, self.order.carried_out())

    def _use(self, code: Quick, made: Artifact) -> None:
        code.run_best(made.load())
        self._leave()

    def _leave(self) -> None:
        with suppress(ValueError):  # a signal handler may have been here
            _awaited.remove(self)


_awaited: list[_Awaited] = []
_next_look = 0.0


def poll() -> None:
    """Use best code that has arrived, and start what waits."""
    global _next_look
    if not _awaited and not background.children:
        return
    if time.monotonic() < _next_look or not building.acquire(blocking=False):
        return
    try:
        _next_look = time.monotonic() + BETWEEN_LOOKS
        background.running()
        for each in tuple(_awaited):
            each.look()
    finally:
        building.release()


def settled(code: Code) -> Code:
    """The same code, when it is the best: for those who keep its address where nobody polls."""
    with progress("compiling", when=code.slowdown > 1):
        while code.slowdown > 1:
            poll()
            time.sleep(BETWEEN_LOOKS)
    return code
