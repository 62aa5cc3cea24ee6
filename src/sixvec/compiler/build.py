"""Assembly to object code, and object code into this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sixvec.compiler.forks import building
from sixvec.compiler.interrupts import interrupts_held
from sixvec.compiler.target import Target, host, llvm

RESCHEDULE_BELOW = 4000
"""Instructions up to which LLVM's machine scheduler is used.  It is quadratic in the length of a block, and on long
programs the order of the trace is better than its result."""

OPTIMISATION = 1
"""LLVM's level.  Programs are already simplified, so level 2 finds no more: machine code of the same speed, and long
programs take 2 to 4 times as long to compile."""

compilations = 0
"""How often this process has compiled something; zero with a warm cache."""


class Code:
    """Machine code in this process, freed with the last reference to this object.

    An address does not keep it alive: code that stores `address` must also store the object.
    """

    __slots__ = ("__weakref__", "_engine", "address")

    def __init__(self, engine: Any, address: int) -> None:
        self._engine, self.address = engine, address

    @property
    def slowdown(self) -> int:
        """How many times longer it runs than machine code."""
        return 1

    def require(self) -> None:
        """Raise the error of a compilation that failed."""

    def __del__(self) -> None:
        # Objects may be freed in any thread and between any two calls of LLVM, so the engine is closed later.
        if _pending is not None:  # the interpreter may be ending
            _pending.append(self._engine)


_pending: deque[Any] = deque()
"""Engines whose code is unreachable."""


def compile_object(assembly: str, length: int) -> bytes:
    """Object code for `assembly`, which has about `length` instructions."""
    global compilations
    target = host()
    with building, interrupts_held(), _scheduler(on=length < RESCHEDULE_BELOW):
        compilations += 1
        return _object(assembly, target)


def _object(assembly: str, target: Target) -> bytes:
    # A separate function, so that the module and the machine are freed before an interrupt is handled.
    module = llvm().parse_assembly(assembly)
    module.verify()
    return bytes(_machine(target).emit_object(module))


AnyCode = TypeVar("AnyCode", bound=Code)


def load_object(code: bytes, symbol: str, kind: type[AnyCode] = Code) -> AnyCode:  # type: ignore[assignment]
    """Link object code into this process: its function `symbol`."""
    machine = host()
    with building, interrupts_held():
        while _pending:
            _pending.popleft().close()
        return _loaded(code, symbol, machine, kind)


def _loaded(code: bytes, symbol: str, target: Target, kind: type[AnyCode]) -> AnyCode:
    binding = llvm()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine(target))
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return kind(engine, int(engine.get_function_address(symbol)))


def _machine(target: Target) -> Any:
    kind = llvm().Target.from_triple(target.triple)
    return kind.create_target_machine(
        cpu=target.cpu, features=target.features, opt=OPTIMISATION, jit=True, codemodel="jitdefault"
    )


@contextmanager
def _scheduler(on: bool) -> Iterator[None]:
    """Switch LLVM's machine scheduler; the option is global to LLVM, so the default is restored for other users."""
    if on:
        yield
        return
    llvm().set_option("sixvec", "-enable-misched=false")
    try:
        yield
    finally:
        llvm().set_option("sixvec", "-enable-misched=true")
