"""Launches of one kernel as a built-in function in machine code: addresses in, the driver's code out.

Calls of one kind, with arrays of the same shapes, differ in the addresses of their arrays and in the stream alone.  All
else is laid out once, in a block of words that the function owns.  The interpreter's lock is released meanwhile: a
launch waits when too many are pending.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from enum import IntEnum

import numpy as np

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.call_stub import MethodDef, built_in
from sixvec.compiler.runtime.call_stub_words import DATA
from sixvec.compiler.runtime.functions import runtime_function

MOST_WORDS = 64
"""Arguments of a kernel."""


class _Word(IntEnum):
    """The block of a function: constants, then the arguments of the kernel, then the places of the addresses."""

    LAUNCH = 0
    KERNEL = 1
    BLOCKS = 2
    THREADS = 3
    SHARED_BYTES = 4
    WORDS = 5
    INTEGER_OF = 6
    NEW_INTEGER = 7
    SAVE_THREAD = 8
    RESTORE_THREAD = 9


_COUNTS = (_Word.BLOCKS, _Word.THREADS, _Word.SHARED_BYTES, _Word.WORDS)
_PYTHON = {
    _Word.INTEGER_OF: "PyLong_AsUnsignedLongLong",
    _Word.NEW_INTEGER: "PyLong_FromLong",
    _Word.SAVE_THREAD: "PyEval_SaveThread",
    _Word.RESTORE_THREAD: "PyEval_RestoreThread",
}


def launching(driver: int, kernel: tuple[int, int, int, int], words: Sequence[int | None]) -> Callable[..., int] | None:
    """The function `launch(*addresses, stream)` for the kernel (handle, blocks, threads, bytes of shared memory).

    `driver` is the address of cuLaunchKernel; `words` are the kernel's arguments, None for each address in turn.  None
    if there are too many.
    """
    if len(words) > MOST_WORDS:
        return None
    handle, blocks, threads, shared_bytes = kernel
    values = {
        _Word.LAUNCH: driver, _Word.KERNEL: handle, _Word.BLOCKS: blocks, _Word.THREADS: threads,
        _Word.SHARED_BYTES: shared_bytes, _Word.WORDS: len(words),
    }  # fmt: skip
    for word, name in _PYTHON.items():
        values[word] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    places = [k for k, x in enumerate(words) if x is None]
    block = np.array([*(values[w] for w in _Word), *(x or 0 for x in words), *places], np.int64)
    call: Callable[..., int] = built_in(_definition(), block)
    return call


_METH_FASTCALL = 0x0080
_definitions: dict[int, MethodDef] = {}
"""Kept by the process: CPython reads it when a function is already being freed."""


def _definition() -> MethodDef:
    address = runtime_function("launch", _assembly(), Lanes(1, "float64")).address
    return _definitions.setdefault(address, MethodDef(b"launch", address, _METH_FASTCALL, b""))


def _assembly() -> str:
    """LLVM assembly of the CPython function `launch(self, args, nargs)`; the last argument is the stream."""
    reads = "\n".join(
        f"  %{w.name}.p = getelementptr i64, ptr %block, i64 {w.value}\n"
        f"  %{w.name} = load {'i64' if w in _COUNTS else 'ptr'}, ptr %{w.name}.p"
        for w in _Word
    )
    return f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @launch(ptr %self, ptr %args, i64 %nargs) {{
entry:
  %words = alloca i64, i64 {MOST_WORDS}
  %places = alloca ptr, i64 {MOST_WORDS}
  %block.p = getelementptr i8, ptr %self, i64 {DATA}
  %block = load ptr, ptr %block.p
{reads}
  %template = getelementptr i64, ptr %block, i64 {len(_Word)}
  %bytes = mul i64 %WORDS, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %words, ptr %template, i64 %bytes, i1 false)
  %targets = getelementptr i64, ptr %template, i64 %WORDS
  %addresses = sub i64 %nargs, 1
  br label %place
place:
  %j = phi i64 [ 0, %entry ], [ %j.next, %placed ]
  %j.more = icmp slt i64 %j, %WORDS
  br i1 %j.more, label %placed, label %address
placed:
  %place.p = getelementptr ptr, ptr %places, i64 %j
  %word.p = getelementptr i64, ptr %words, i64 %j
  store ptr %word.p, ptr %place.p
  %j.next = add i64 %j, 1
  br label %place
address:
  %k = phi i64 [ 0, %place ], [ %k.next, %addressed ]
  %k.more = icmp slt i64 %k, %addresses
  br i1 %k.more, label %addressed, label %run
addressed:
  %arg.p = getelementptr ptr, ptr %args, i64 %k
  %arg = load ptr, ptr %arg.p
  %value = call i64 %INTEGER_OF(ptr %arg)
  %target.p = getelementptr i64, ptr %targets, i64 %k
  %target = load i64, ptr %target.p
  %slot = getelementptr i64, ptr %words, i64 %target
  store i64 %value, ptr %slot
  %k.next = add i64 %k, 1
  br label %address
run:
  %stream.p = getelementptr ptr, ptr %args, i64 %addresses
  %stream.arg = load ptr, ptr %stream.p
  %stream = call i64 %INTEGER_OF(ptr %stream.arg)
  %blocks = trunc i64 %BLOCKS to i32
  %threads = trunc i64 %THREADS to i32
  %shared = trunc i64 %SHARED_BYTES to i32
  %stream.ptr = inttoptr i64 %stream to ptr
  %thread = call ptr %SAVE_THREAD()
  %code = call i32 %LAUNCH(ptr %KERNEL, i32 %blocks, i32 1, i32 1, i32 %threads, i32 1, i32 1, i32 %shared,
      ptr %stream.ptr, ptr %places, ptr null)
  call void %RESTORE_THREAD(ptr %thread)
  %long = sext i32 %code to i64
  %result = call ptr %NEW_INTEGER(i64 %long)
  ret ptr %result
}}
"""
