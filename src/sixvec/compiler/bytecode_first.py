"""Bytecode first, machine code once it is compiled: both give the same bits.

LLVM takes seconds for programs of tens of thousands of operations.  Such a program runs at once as bytecode
(runtime/interpreter.py), while another process compiles it (background.py).  `poll`, called wherever Python starts
work, loads the result; from then on every address handed out before leads to machine code.  If the other process fails,
the next call of the function itself compiles; calls of other functions never do and do not see its errors.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from weakref import ref

from sixvec.arguments.progress import progress
from sixvec.compiler import background, child_limits
from sixvec.compiler.artifact import Artifact, layouts
from sixvec.compiler.background import CompileJob, compile_job
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
"""How many times longer bytecode runs than machine code, about."""

MOST_CHILDREN = 2
"""Processes that compile for this one at a time; each takes some hundred megabytes."""

POLL_INTERVAL = 0.02
"""Seconds between two checks for finished code."""


class BytecodeFunction(Code):
    """Bytecode as a function, which becomes a jump to machine code when that is compiled."""

    __slots__ = ("_bytecode", "_compiled", "_error", "_words")

    def run(self, bytecode: Bytecode) -> None:
        """Run this bytecode from now on."""
        self._bytecode = bytecode
        self._compiled: dict[str, Code] = {}
        self._error: Exception | None = None
        place = self._engine.get_global_value_address("context")
        self._words = (ctypes.c_int64 * len(Context)).from_address(place)
        self._words[Context.INSTRUCTIONS] = address(bytecode.instructions)
        self._words[Context.CONSTANTS] = address(bytecode.constants)
        self._words[Context.SLOTS] = bytecode.slots

    def run_compiled(self, code: Code) -> None:
        """Run machine code from now on.  The first one stays: other threads may be running it."""
        self._words[Context.COMPILED] = self._compiled.setdefault("code", code).address

    def fail(self, error: Exception) -> None:
        """Record that it cannot be compiled."""
        self._error = error.with_traceback(None)  # the frames of a traceback hold this code

    def require(self) -> None:
        """Raise the error of the compilation, if there was one."""
        if self._error is not None:
            raise self._error.with_traceback(None)  # otherwise the traceback would grow with every call

    @property
    def is_compiled(self) -> bool:
        return bool(self._compiled)

    @property
    def slowdown(self) -> int:
        return 1 if self.is_compiled else SLOWDOWN


@dataclass(frozen=True, slots=True)
class BytecodeArtifact:
    """Takes the place of an `Artifact` until that is compiled."""

    job: CompileJob
    bytecode: Bytecode
    operations: int
    layouts: tuple[Layout, ...]

    def load(self) -> Code:
        function = loaded(self.bytecode, self.job.lanes)
        pending = _Pending(ref(function), self.job)
        _pending.append(pending)
        pending.check((function,))
        function.require()
        return function


def loaded(bytecode: Bytecode, lanes: Lanes) -> BytecodeFunction:
    """Bytecode as a function of one register of lanes."""
    function = load_object(_interpreter(lanes), "body", BytecodeFunction)
    function.run(bytecode)
    return function


@cache
def _interpreter(lanes: Lanes) -> bytes:
    return runtime_object(interpreter_assembly(lanes), lanes)


def bytecode_artifact(final: Program, identity: str, lanes: Lanes, whole: bool) -> BytecodeArtifact | None:
    """Bytecode of a lowered program that is long; None if it must be compiled at once."""
    if len(final.nodes) < LONG or (job := compile_job(final, identity, lanes, whole)) is None:
        return None
    return BytecodeArtifact(job, encode(final, lanes, whole), len(final.nodes), layouts(final))


@dataclass(slots=True, eq=False)
class _Pending:
    """Bytecode whose machine code is not compiled yet."""

    code: ref[BytecodeFunction]
    job: CompileJob
    is_begun: bool = False

    def check(self, called: Sequence[Code]) -> None:
        """Use the machine code if it is there; start the compilation if that has not begun.

        If the other process failed, compile here, in a call of this very code.  An error is raised by calls of
        this code only: see `BytecodeFunction.require`.
        """
        code = self.code()
        if code is None or code.is_compiled:
            self._leave()
            return
        try:
            if (artifact := self._artifact(any(code is each for each in called))) is not None:
                code.run_compiled(artifact.load())
                self._leave()
        except Exception as error:
            code.fail(error)
            self._leave()

    def _artifact(self, is_called: bool) -> Artifact | None:
        """The machine code, if it is there or must be compiled here."""
        if self.job.is_claimed():
            self.is_begun = True
            return None
        if (artifact := self.job.stored()) is not None:
            return artifact
        background.running()  # the process may have ended just now
        if seconds := self.job.tried():
            if seconds >= child_limits.allowed():
                self._leave()  # it stays bytecode: a call must not take that long either
                return None
            self.is_begun = False  # by a process that had less time than another will have
        if not self.is_begun:
            if background.running() >= MOST_CHILDREN:
                return None  # later
            self.is_begun = True
            if background.is_begun(self.job):
                return None
        if not is_called:
            return None
        with progress(f"compiling {self.job.name}"):
            return self.job.compile()

    def _leave(self) -> None:
        with suppress(ValueError):  # a signal handler may have been here
            _pending.remove(self)


_pending: list[_Pending] = []
_next_check = 0.0


def poll(*called: Code) -> None:
    """Use machine code that has arrived, and start compilations that are due, before these functions are called."""
    if _pending or background.children:
        _check(called)
    for code in called:
        code.require()


def _check(called: Sequence[Code]) -> None:
    global _next_check
    if time.monotonic() < _next_check or not building.acquire(blocking=False):
        return
    try:
        _next_check = time.monotonic() + POLL_INTERVAL
        background.running()
        for each in tuple(_pending):
            each.check(called)
    finally:
        building.release()


def when_ready(code: Code) -> Code:
    """The same code, once no faster one will follow: for callers that store its address and never poll."""
    with progress("compiling", when=code.slowdown > 1):
        while code.slowdown > 1 and any(each.code() is code for each in _pending):
            poll(code)
            time.sleep(POLL_INTERVAL)
    code.require()
    return code
