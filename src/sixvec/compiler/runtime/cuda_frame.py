"""Kernels of a CUDA device as handlers of XLA's foreign function interface: machine code that launches, no Python.

The frame is that of `call_frame.py`; its buffers are on the device, and the stream is obtained from XLA.  Offsets are
those of xla/ffi/api/c_api.h, version 0.3.
"""

from __future__ import annotations

import ctypes
from typing import Any

from sixvec.compiler.build import compile_object, load_object
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.cuda_limits import ONE_FUNCTION, require_length
from sixvec.compiler.lower import lowered
from sixvec.compiler.runtime.call_frame import ROWS, metadata_assembly
from sixvec.compiler.runtime.cuda import CudaProgram, cupy
from sixvec.compiler.runtime.cuda_launch import launch_address

_RECORDABLE = 1
"""The trait of handlers that CUDA graphs may record."""

_REFUSED = b"the CUDA driver refused to launch a kernel of sixvec; kernels run on the device that was current first"


class CudaHandler:
    """The handler of one function for one dtype.  Keep it after registration: XLA has only its address."""

    def __init__(self, function: Compiled, dtype: str, fast: bool = False) -> None:
        require_length(
            lowered(function.program, dtype), ONE_FUNCTION,
            "JAX launches a single kernel; CuPy arrays and torch tensors can have several, NumPy arrays none",
        )  # fmt: skip
        self._program = CudaProgram(function.program, dtype, fast)
        kernel = self._program.kernel
        cupy().cuda.runtime.deviceSynchronize()  # the module is loaded when this returns
        self._message = ctypes.create_string_buffer(_REFUSED)
        plan = self._program.launch
        text = handler_assembly(
            [(len(p.shape), p.size) for p in function.inputs], [len(p.shape) for p in function.outputs],
            (int(kernel.kernel.ptr), plan.rows, plan.threads, plan.shared_bytes),
            launch_address(), ctypes.addressof(self._message),
        )  # fmt: skip
        self._code: Any = load_object(compile_object(text, text.count("\n")), "handler")

    @property
    def address(self) -> int:
        return int(self._code.address)


def handler_assembly(
    inputs: list[tuple[int, int]], outputs: list[int], kernel: tuple[int, int, int, int], launch: int, message: int
) -> str:
    """LLVM assembly of `XLA_FFI_Error *handler(XLA_FFI_CallFrame *)`.

    `inputs` and `outputs` give the number of axes of each array that belong to a sample, and of inputs the numbers
    along them; `kernel` is the driver's handle, the rows and threads of a block and its bytes of shared memory;
    `launch` is the address of the driver's cuLaunchKernel.
    """
    handle, rows, threads, shared_bytes = kernel
    words = 1 + 3 * len(inputs) + len(outputs)
    lines: list[str] = []

    def field(name: str, base: str, offset: int, kind: str = "ptr") -> str:
        lines.append(f"  %{name}.p = getelementptr i8, ptr {base}, i64 {offset}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.p")
        return f"%{name}"

    def word(k: int, kind: str, value: str) -> None:
        lines.append(f"  %word{k} = getelementptr i64, ptr %words, i64 {k}")
        lines.append(f"  store {kind} {value}, ptr %word{k}")
        lines.append(f"  %place{k} = getelementptr ptr, ptr %places, i64 {k}")
        lines.append(f"  store ptr %word{k}, ptr %place{k}")

    word(0, "i64", "%n")
    for k, (rank, size) in enumerate(inputs):
        buffer = field(f"in{k}", "%args", 8 * k)
        word(1 + 3 * k, "ptr", field(f"in{k}.data", buffer, 24))
        lines.append(f"  %in{k}.rows = call i64 @rows(ptr {buffer}, i64 {rank})")
        lines.append(f"  %in{k}.one = icmp eq i64 %in{k}.rows, 1")
        lines.append(f"  %in{k}.row = select i1 %in{k}.one, i64 0, i64 {size}")
        word(2 + 3 * k, "i64", f"%in{k}.row")
        word(3 + 3 * k, "i64", "1")
    for k in range(len(outputs)):
        buffer = field(f"out{k}", "%rets", 8 * k)
        word(1 + 3 * len(inputs) + k, "ptr", field(f"out{k}.data", buffer, 24))
    stores = "\n".join(lines)
    return f"""
{ROWS}
define ptr @handler(ptr %frame) {{
{metadata_assembly(_RECORDABLE)}
call:
  %words = alloca i64, i64 {words}
  %places = alloca ptr, i64 {words}
  %request = alloca i64, i64 4
  %api.p = getelementptr i8, ptr %frame, i64 16
  %api = load ptr, ptr %api.p
  %ctx.p = getelementptr i8, ptr %frame, i64 24
  %ctx = load ptr, ptr %ctx.p
  %args.p = getelementptr i8, ptr %frame, i64 72
  %args = load ptr, ptr %args.p
  %rets.p = getelementptr i8, ptr %frame, i64 112
  %rets = load ptr, ptr %rets.p
  %first = load ptr, ptr %rets
  %n = call i64 @rows(ptr %first, i64 {outputs[0]})
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
  %up = add i64 %n, {rows - 1}
  %blocks64 = udiv i64 %up, {rows}
  %blocks = trunc i64 %blocks64 to i32
  %code = call i32 inttoptr (i64 {launch} to ptr)(ptr inttoptr (i64 {handle} to ptr), i32 %blocks, i32 1, i32 1,
      i32 {threads}, i32 1, i32 1, i32 {shared_bytes}, ptr %stream, ptr %places, ptr null)
  %launched = icmp eq i32 %code, 0
  br i1 %launched, label %done, label %refused
refused:
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
