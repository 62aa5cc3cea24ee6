"""Kernels of a CUDA device as handlers of XLA's foreign function interface: machine code that launches, no Python.

The frame is that of `call_frame.py`; its buffers are on the device, and the stream is obtained from XLA.  Offsets are
those of xla/ffi/api/c_api.h, version 0.3.  A long program is a series of kernels: the numbers that one leaves for later
ones are in a buffer that XLA provides as one more result, and large batches are computed piece by piece.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from sixvec.compiler.build import compile_object, load_object
from sixvec.compiler.call import Compiled
from sixvec.compiler.runtime.call_frame import ROWS, metadata_assembly
from sixvec.compiler.runtime.cuda import CudaProgram, cupy, device_program
from sixvec.compiler.runtime.cuda_launch import KernelLaunch, launch_address

_RECORDABLE = 1
"""The trait of handlers that CUDA graphs may record."""

_NOT_LAUNCHED = b"the CUDA driver failed to launch a kernel of sixvec; kernels run on the device that was current first"

ALL = 2**40
"""Samples of a piece where all are computed at once."""


class CudaHandler:
    """The handler of one function for one dtype.  Keep it after registration: XLA has only its address."""

    def __init__(self, function: Compiled, dtype: str, fast: bool = False) -> None:
        self._program = device_program(function.program, dtype, fast)
        launches = self._program.launches()
        cupy().cuda.runtime.deviceSynchronize()  # the modules are loaded when this returns
        self._message = ctypes.create_string_buffer(_NOT_LAUNCHED)
        self._piece = ALL if isinstance(self._program, CudaProgram) else self._program.rows
        text = handler_assembly(
            [(len(p.shape), p.size) for p in function.inputs], [(len(p.shape), p.size) for p in function.outputs],
            launches, dtype, self._piece, launch_address(), ctypes.addressof(self._message),
        )  # fmt: skip
        self._code: Any = load_object(compile_object(text, text.count("\n")), "handler")

    @property
    def address(self) -> int:
        return int(self._code.address)

    def scratch(self, samples: int) -> int:
        """Numbers of the buffer for so many samples that XLA provides as the last result; 0 if there is none."""
        return 0 if isinstance(self._program, CudaProgram) else self._program.numbers(min(samples, self._piece))


def handler_assembly(
    inputs: Sequence[tuple[int, int]],
    outputs: Sequence[tuple[int, int]],
    kernels: Sequence[KernelLaunch],
    dtype: str,
    piece: int,
    launch: int,
    message: int,
) -> str:
    """LLVM assembly of `XLA_FFI_Error *handler(XLA_FFI_CallFrame *)`.

    `inputs` and `outputs` give the number of axes of each array that belong to a sample, and the numbers along them;
    `piece` is the number of samples for which all kernels are launched before those for the next ones; `launch` is the
    address of the driver's cuLaunchKernel.
    """
    first_output = 1 + 3 * len(inputs)
    words = first_output + len(outputs) + 1
    number = {"float64": "double", "float32": "float"}[dtype]
    lines: list[str] = []
    of_piece: list[str] = []

    def field(name: str, base: str, offset: int, kind: str = "ptr") -> str:
        lines.append(f"  %{name}.p = getelementptr i8, ptr {base}, i64 {offset}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.p")
        return f"%{name}"

    def word(k: int, kind: str, value: str) -> None:
        lines.append(f"  %word{k} = getelementptr i64, ptr %words, i64 {k}")
        lines.append(f"  store {kind} {value}, ptr %word{k}")

    def array(name: str, k: int, data: str, row: str) -> None:
        """The rows of a piece: where they begin."""
        word(k, "ptr", data)
        of_piece.append(f"  %{name}.numbers = mul i64 %first, {row}")
        of_piece.append(f"  %{name}.here = getelementptr {number}, ptr {data}, i64 %{name}.numbers")
        of_piece.append(f"  store ptr %{name}.here, ptr %word{k}")

    word(0, "i64", "%n")
    for k, (rank, size) in enumerate(inputs):
        buffer = field(f"in{k}", "%args", 8 * k)
        data = field(f"in{k}.data", buffer, 24)
        lines.append(f"  %in{k}.rows = call i64 @rows(ptr {buffer}, i64 {rank})")
        lines.append(f"  %in{k}.one = icmp eq i64 %in{k}.rows, 1")
        lines.append(f"  %in{k}.row = select i1 %in{k}.one, i64 0, i64 {size}")
        array(f"in{k}", 1 + 3 * k, data, f"%in{k}.row")
        word(2 + 3 * k, "i64", f"%in{k}.row")
        word(3 + 3 * k, "i64", "1")
    for k, (_, size) in enumerate(outputs):
        buffer = field(f"out{k}", "%rets", 8 * k)
        array(f"out{k}", first_output + k, field(f"out{k}.data", buffer, 24), str(size))
    if any(kernel.uses_scratch for kernel in kernels):
        buffer = field("scratch", "%rets", 8 * len(outputs))
        word(words - 1, "ptr", field("scratch.data", buffer, 24))
    launched: list[str] = []
    for m, kernel in enumerate(kernels):
        taken = [
            0,
            *(1 + 3 * k + i for k in kernel.inputs for i in range(3)),
            *(first_output + k for k in kernel.outputs),
        ]
        taken += [words - 1] * kernel.uses_scratch
        lines.append(f"  %places{m} = alloca ptr, i64 {len(taken)}")
        for i, k in enumerate(taken):
            lines.append(f"  %place{m}.{i} = getelementptr ptr, ptr %places{m}, i64 {i}")
            lines.append(f"  store ptr %word{k}, ptr %place{m}.{i}")
        launched.append(_launched(m, kernel, launch))
    stores, pieces = "\n".join(lines), "\n".join(of_piece)
    return f"""
{ROWS}
define ptr @handler(ptr %frame) {{
{metadata_assembly(_RECORDABLE)}
call:
  %words = alloca i64, i64 {words}
  %request = alloca i64, i64 4
  %api.p = getelementptr i8, ptr %frame, i64 16
  %api = load ptr, ptr %api.p
  %ctx.p = getelementptr i8, ptr %frame, i64 24
  %ctx = load ptr, ptr %ctx.p
  %args.p = getelementptr i8, ptr %frame, i64 72
  %args = load ptr, ptr %args.p
  %rets.p = getelementptr i8, ptr %frame, i64 112
  %rets = load ptr, ptr %rets.p
  %result = load ptr, ptr %rets
  %n = call i64 @rows(ptr %result, i64 {outputs[0][0]})
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %some
some:
  %request.next = getelementptr i64, ptr %request, i64 1
  %request.ctx = getelementptr i64, ptr %request, i64 2
  %request.stream = getelementptr i64, ptr %request, i64 3
  store i64 32, ptr %request
  store ptr null, ptr %request.next
  store ptr %ctx, ptr %request.ctx
  store ptr null, ptr %request.stream
  %stream_get.p = getelementptr i8, ptr %api, i64 80
  %stream_get = load ptr, ptr %stream_get.p
  %problem = call ptr %stream_get(ptr %request)
  %good = icmp eq ptr %problem, null
  br i1 %good, label %launch, label %failed
failed:
  ret ptr %problem
launch:
  %stream = load ptr, ptr %request.stream
{stores}
  br label %piece
piece:
  %first = phi i64 [ 0, %launch ], [ %next, %more ]
  %remaining = sub i64 %n, %first
  %is_last = icmp ule i64 %remaining, {piece}
  %count = select i1 %is_last, i64 %remaining, i64 {piece}
  store i64 %count, ptr %word0
{pieces}
  br label %kernel0
{"".join(launched)}
kernel{len(kernels)}:
  br label %more
more:
  %next = add i64 %first, {piece}
  br i1 %is_last, label %done, label %piece
not_launched:
  store i64 32, ptr %request
  store ptr null, ptr %request.next
  store i64 {message}, ptr %request.ctx
  store i64 13, ptr %request.stream
  %error_create.p = getelementptr i8, ptr %api, i64 48
  %error_create = load ptr, ptr %error_create.p
  %error = call ptr %error_create(ptr %request)
  ret ptr %error
done:
  ret ptr null
}}
"""


def _launched(m: int, kernel: KernelLaunch, launch: int) -> str:
    """The launch of kernel m for a piece, after which comes the next one."""
    return f"""
kernel{m}:
  %up{m} = add i64 %count, {kernel.rows - 1}
  %blocks64.{m} = udiv i64 %up{m}, {kernel.rows}
  %blocks{m} = trunc i64 %blocks64.{m} to i32
  %code{m} = call i32 inttoptr (i64 {launch} to ptr)(ptr inttoptr (i64 {kernel.handle} to ptr),
      i32 %blocks{m}, i32 1, i32 1, i32 {kernel.threads}, i32 1, i32 1, i32 {kernel.shared_bytes},
      ptr %stream, ptr %places{m}, ptr null)
  %launched{m} = icmp eq i32 %code{m}, 0
  br i1 %launched{m}, label %kernel{m + 1}, label %not_launched"""
