"""Kernels as handlers of XLA's foreign function interface: machine code that reads a call frame, without Python.

XLA (the compiler behind JAX) calls `XLA_FFI_Error *handler(XLA_FFI_CallFrame *)` from its own threads.  The frame
holds one buffer for each argument and result: its data, its rank and its dimensions.  Offsets are those of
xla/ffi/api/c_api.h on machines with 64-bit pointers, version 0.3; XLA keeps a minor version for twelve months.

`handle` is the same code for all kernels; what differs is a *plan*, words that never change.  A separate handler for
each kernel, registered in XLA under a name, calls `handle` with its plan.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from sixvec.compiler.build import Code, compile_object, load_object
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.memory import ALIGN, address, integers
from sixvec.compiler.runtime.functions import runtime_function
from sixvec.compiler.runtime.notation import expanded, fetched

if TYPE_CHECKING:
    from sixvec.compiler.call import Compiled


class Plan(IntEnum):
    """The words of a plan; all but the counts are addresses."""

    INPUTS = 0
    OUTPUTS = 1
    ONE = 2
    """The kernel for a single sample."""
    LOOP = 3
    BODY = 4
    WIDTH = 5
    TEMPLATE = 6
    """The initial tiles of a batch, and their size in bytes."""
    TEMPLATE_BYTES = 7
    INPUT_RANKS = 8
    """The number of axes of each array that belong to a sample; those before them are the batch."""
    OUTPUT_RANKS = 9
    INPUT_BYTES = 10
    INPUT_COLUMNS = 11
    OUTPUT_BYTES = 12
    OUTPUT_COLUMNS = 13
    TILES = 14
    """Where each tile begins."""


class Handler:
    """The handler of one function for one dtype.  Keep it after registration: XLA has only its address."""

    def __init__(self, function: Compiled, dtype: str) -> None:
        executable = function.executable(dtype)
        executable.make_ready()
        one, batch = executable.scalar(), executable.batch()
        loop, self._tiles = batch.for_call_stubs, batch.tiles()
        ranks = [integers([len(p.shape) for p in ports]) for ports in (function.inputs, function.outputs)]
        offsets = integers(self._tiles.offsets)
        input_bytes, input_columns, output_bytes, output_columns, *_ = loop.arguments
        words = {
            Plan.INPUTS: len(function.inputs), Plan.OUTPUTS: len(function.outputs), Plan.ONE: one.address,
            Plan.LOOP: loop.loop, Plan.BODY: loop.body, Plan.WIDTH: loop.width,
            Plan.TEMPLATE: address(self._tiles.template), Plan.TEMPLATE_BYTES: self._tiles.template.size,
            Plan.INPUT_RANKS: ctypes.addressof(ranks[0]), Plan.OUTPUT_RANKS: ctypes.addressof(ranks[1]),
            Plan.INPUT_BYTES: input_bytes, Plan.INPUT_COLUMNS: input_columns,
            Plan.OUTPUT_BYTES: output_bytes, Plan.OUTPUT_COLUMNS: output_columns, Plan.TILES: ctypes.addressof(offsets),
        }  # fmt: skip
        self._plan = integers([words[w] for w in Plan])
        self._kept: Any = (one, loop, ranks, offsets, handle())
        self._code = _thunk(handle().address, ctypes.addressof(self._plan))

    @property
    def address(self) -> int:
        return self._code.address

    def scratch(self, samples: int) -> int:
        """Numbers of a buffer that the code needs besides the results: none."""
        return 0


def handle() -> Code:
    """The code that all handlers share."""
    return runtime_function("handle", handle_assembly(), Lanes(1, "float64"))


def _thunk(shared: int, plan: int) -> Code:
    text = f"""
define ptr @handler(ptr %frame) {{
  %error = tail call ptr inttoptr (i64 {shared} to ptr)(ptr %frame, ptr inttoptr (i64 {plan} to ptr))
  ret ptr %error
}}
"""
    return load_object(compile_object(text, 2), "handler")


def handle_assembly() -> str:
    """LLVM assembly of `XLA_FFI_Error *handle(XLA_FFI_CallFrame *frame, const int64_t *plan)`."""
    text = _HANDLE.replace("@READS@", fetched(Plan, _COUNTS, "%plan")).replace("@METADATA@", metadata_assembly(0))
    return ROWS + expanded(text.replace("@ALIGN@", str(ALIGN)).replace("@BELOW@", str(ALIGN - 1)))


def metadata_assembly(traits: int) -> str:
    """The beginning of a handler: the queries of XLA at registration.  A call continues at the label `call`."""
    return _METADATA.replace("@TRAITS@", str(traits))


_COUNTS: Sequence[Plan] = (Plan.INPUTS, Plan.OUTPUTS, Plan.WIDTH, Plan.TEMPLATE_BYTES)

ROWS = expanded("""define internal i64 @rows(ptr %buffer, i64 %own) {  ; the product of all but the last %own dimensions
entry:
  %rank <- i64 %buffer + 32
  %dims <- ptr %buffer + 40
  %leading = sub i64 %rank, %own
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %body ]
  %n = phi i64 [ 1, %entry ], [ %n.next, %body ]
  %more = icmp slt i64 %k, %leading
  br i1 %more, label %body, label %done
body:
  %d <- i64 %dims[%k]
  %n.next = mul i64 %n, %d
  %k.next = add i64 %k, 1
  br label %loop
done:
  ret i64 %n
}
""")
"""The number of samples in a buffer."""

_METADATA = expanded("""entry:
  %extension <- ptr %frame + 8
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %call, label %extended
extended:
  %kind <- i32 %extension + 8
  %asked = icmp eq i32 %kind, 1
  br i1 %asked, label %metadata, label %call
metadata:
  %facts <- ptr %extension + 24
  %versions = getelementptr i8, ptr %facts, i64 24
  %versions[0] <- i32 0
  %versions[1] <- i32 3
  %versions[2] <- i32 @TRAITS@
  ret ptr null
""")

_HANDLE = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @handle(ptr %frame, ptr %plan) {
@METADATA@call:
@READS@
  %in = alloca ptr, i64 %INPUTS
  %strides = alloca i64, i64 %INPUTS
  %tin = alloca ptr, i64 %INPUTS
  %out = alloca ptr, i64 %OUTPUTS
  %tout = alloca ptr, i64 %OUTPUTS
  %args <- ptr %frame + 72
  %rets <- ptr %frame + 112
  %first = load ptr, ptr %rets
  %first.own = load i64, ptr %OUTPUT_RANKS
  %n = call i64 @rows(ptr %first, i64 %first.own)
  for %i below %INPUTS
    %arg <- ptr %args[%i]
    %arg.data <- ptr %arg + 24
    %in[%i] <- ptr %arg.data
    %own <- i64 %INPUT_RANKS[%i]
    %count = call i64 @rows(ptr %arg, i64 %own)
    %shared = icmp eq i64 %count, 1
    %bytes <- i64 %INPUT_BYTES[%i]
    %stride = select i1 %shared, i64 0, i64 %bytes
    %strides[%i] <- i64 %stride
  next %i
  for %j below %OUTPUTS
    %ret <- ptr %rets[%j]
    %ret.data <- ptr %ret + 24
    %out[%j] <- ptr %ret.data
  next %j
  switch i64 %n, label %many [ i64 0, label %done
                               i64 1, label %one ]
one:
  call void %ONE(ptr %in, ptr %out)
  br label %done
many:
  %size = add i64 %TEMPLATE_BYTES, @ALIGN@
  %memory = call ptr @malloc(i64 %size)
  %place = ptrtoint ptr %memory to i64
  %up = add i64 %place, @BELOW@
  %start = and i64 %up, -@ALIGN@
  %tiles = inttoptr i64 %start to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %tiles, ptr %TEMPLATE, i64 %TEMPLATE_BYTES, i1 false)
  for %s below %INPUTS
    %s.offset <- i64 %TILES[%s]
    %s.tile = getelementptr i8, ptr %tiles, i64 %s.offset
    %tin[%s] <- ptr %s.tile
  next %s
  for %m below %OUTPUTS
    %m.at = add i64 %INPUTS, %m
    %m.offset <- i64 %TILES[%m.at]
    %m.tile = getelementptr i8, ptr %tiles, i64 %m.offset
    %tout[%m] <- ptr %m.tile
  next %m
  call void %LOOP(ptr %BODY, i64 %WIDTH, i64 0, i64 %n, i64 %INPUTS, ptr %in, ptr %strides, ptr %INPUT_COLUMNS,
                  i64 %OUTPUTS, ptr %out, ptr %OUTPUT_BYTES, ptr %OUTPUT_COLUMNS, ptr %tin, ptr %tout)
  call void @free(ptr %memory)
  br label %done
done:
  ret ptr null
}
"""
