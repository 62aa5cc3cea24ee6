"""Assembly to object code, and object code into this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sixvec.compiler.target import Target, host, llvm

RESCHEDULE_BELOW = 4000
"""Instructions up to which LLVM's machine scheduler pays.  It is quadratic in the length of a block, and on long
programs the order of the trace is better than what it finds."""

compilations = 0
"""How often this process has compiled something; a warm cache leaves it at zero."""

_lock = threading.Lock()
_engines: list[Any] = []


def compile_object(assembly: str, length: int, target: Target | None = None) -> bytes:
    """Object code for `assembly`, which has about `length` instructions."""
    global compilations
    compilations += 1
    target = target or host()
    binding = llvm()
    with _lock, _scheduler(on=length < RESCHEDULE_BELOW):
        module = binding.parse_assembly(assembly)
        module.verify()
        return bytes(_machine(target).emit_object(module))


def load_object(code: bytes, symbol: str) -> int:
    """Link object code into this process; the address of its function `symbol`."""
    binding = llvm()
    with _lock:
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine(host()))
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)  # the code lives as long as the process
        return int(engine.get_function_address(symbol))


def _machine(target: Target) -> Any:
    return (
        llvm()
        .Target.from_triple(target.triple)
        .create_target_machine(cpu=target.cpu, features=target.features, opt=2, jit=True, codemodel="jitdefault")
    )


@contextmanager
def _scheduler(on: bool) -> Iterator[None]:
    """Switch LLVM's machine scheduler; the option is global to LLVM, so other users get their default back."""
    if on:
        yield
        return
    llvm().set_option("sixvec", "-enable-misched=false")
    try:
        yield
    finally:
        llvm().set_option("sixvec", "-enable-misched=true")
