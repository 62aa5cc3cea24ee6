"""Kernels as handlers of XLA's foreign function interface: machine code that reads a call frame, without Python.

XLA (the compiler behind JAX) calls `XLA_FFI_Error *handler(XLA_FFI_CallFrame *)` from its own threads.  The frame
holds one buffer for each argument and result: its data, its rank and its dimensions.  Offsets are those of
xla/ffi/api/c_api.h on machines with 64-bit pointers, version 0.3; XLA keeps a minor version for twelve months.

`handle` is the same code for all kernels; what differs is a *plan*, words that never change.  A separate handler for
each kernel, registered in XLA by name, calls `handle` with its plan.
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
        executable.settle()
        one, batch = executable.scalar(), executable.batch()
        loop, self._tiles = batch.for_doors, batch.tiles()
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
    reads = "\n".join(
        f"  %p.{w.name} = getelementptr i64, ptr %plan, i64 {w.value}\n"
        f"  %{w.name} = load {'i64' if w in _COUNTS else 'ptr'}, ptr %p.{w.name}"
        for w in Plan
    )
    text = _HANDLE.replace("@READS@", reads).replace("@ALIGN@", str(ALIGN)).replace("@BELOW@", str(ALIGN - 1))
    return text.replace("@ROWS@", ROWS).replace("@METADATA@", metadata_assembly(0))


def metadata_assembly(traits: int) -> str:
    """The beginning of a handler: the queries of XLA at registration.  A call continues at the label `call`."""
    return _METADATA.replace("@TRAITS@", str(traits))


_COUNTS: Sequence[Plan] = (Plan.INPUTS, Plan.OUTPUTS, Plan.WIDTH, Plan.TEMPLATE_BYTES)

ROWS = """define internal i64 @rows(ptr %buffer, i64 %own) {  ; the product of the dimensions before the last %own
entry:
  %rank.p = getelementptr i8, ptr %buffer, i64 32
  %rank = load i64, ptr %rank.p
  %dims.p = getelementptr i8, ptr %buffer, i64 40
  %dims = load ptr, ptr %dims.p
  %leading = sub i64 %rank, %own
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %body ]
  %n = phi i64 [ 1, %entry ], [ %n.next, %body ]
  %more = icmp slt i64 %k, %leading
  br i1 %more, label %body, label %done
body:
  %d.p = getelementptr i64, ptr %dims, i64 %k
  %d = load i64, ptr %d.p
  %n.next = mul i64 %n, %d
  %k.next = add i64 %k, 1
  br label %loop
done:
  ret i64 %n
}
"""
"""The number of samples in a buffer."""

_METADATA = """entry:
  %extension.p = getelementptr i8, ptr %frame, i64 8
  %extension = load ptr, ptr %extension.p
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %call, label %extended
extended:
  %kind.p = getelementptr i8, ptr %extension, i64 8
  %kind = load i32, ptr %kind.p
  %asked = icmp eq i32 %kind, 1
  br i1 %asked, label %metadata, label %call
metadata:
  %facts.p = getelementptr i8, ptr %extension, i64 24
  %facts = load ptr, ptr %facts.p
  %major = getelementptr i8, ptr %facts, i64 24
  store i32 0, ptr %major
  %minor = getelementptr i8, ptr %facts, i64 28
  store i32 3, ptr %minor
  %traits = getelementptr i8, ptr %facts, i64 32
  store i32 @TRAITS@, ptr %traits
  ret ptr null
"""

_HANDLE = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

@ROWS@
define ptr @handle(ptr %frame, ptr %plan) {
@METADATA@call:
@READS@
  %in = alloca ptr, i64 %INPUTS
  %strides = alloca i64, i64 %INPUTS
  %tin = alloca ptr, i64 %INPUTS
  %out = alloca ptr, i64 %OUTPUTS
  %tout = alloca ptr, i64 %OUTPUTS
  %args.p = getelementptr i8, ptr %frame, i64 72
  %args = load ptr, ptr %args.p
  %rets.p = getelementptr i8, ptr %frame, i64 112
  %rets = load ptr, ptr %rets.p
  %first = load ptr, ptr %rets
  %first.own = load i64, ptr %OUTPUT_RANKS
  %n = call i64 @rows(ptr %first, i64 %first.own)
  br label %inputs
inputs:
  %i = phi i64 [ 0, %call ], [ %i.next, %input ]
  %i.more = icmp slt i64 %i, %INPUTS
  br i1 %i.more, label %input, label %outputs
input:
  %arg.p = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg.p
  %arg.data.p = getelementptr i8, ptr %arg, i64 24
  %arg.data = load ptr, ptr %arg.data.p
  %in.p = getelementptr ptr, ptr %in, i64 %i
  store ptr %arg.data, ptr %in.p
  %own.p = getelementptr i64, ptr %INPUT_RANKS, i64 %i
  %own = load i64, ptr %own.p
  %count = call i64 @rows(ptr %arg, i64 %own)
  %shared = icmp eq i64 %count, 1
  %bytes.p = getelementptr i64, ptr %INPUT_BYTES, i64 %i
  %bytes = load i64, ptr %bytes.p
  %stride = select i1 %shared, i64 0, i64 %bytes
  %stride.p = getelementptr i64, ptr %strides, i64 %i
  store i64 %stride, ptr %stride.p
  %i.next = add i64 %i, 1
  br label %inputs
outputs:
  %j = phi i64 [ 0, %inputs ], [ %j.next, %output ]
  %j.more = icmp slt i64 %j, %OUTPUTS
  br i1 %j.more, label %output, label %choose
output:
  %ret.p = getelementptr ptr, ptr %rets, i64 %j
  %ret = load ptr, ptr %ret.p
  %ret.data.p = getelementptr i8, ptr %ret, i64 24
  %ret.data = load ptr, ptr %ret.data.p
  %out.p = getelementptr ptr, ptr %out, i64 %j
  store ptr %ret.data, ptr %out.p
  %j.next = add i64 %j, 1
  br label %outputs
choose:
  switch i64 %n, label %many [ i64 0, label %done
                               i64 1, label %one ]
one:
  call void %ONE(ptr %in, ptr %out)
  br label %done
many:
  %room = add i64 %TEMPLATE_BYTES, @ALIGN@
  %memory = call ptr @malloc(i64 %room)
  %place = ptrtoint ptr %memory to i64
  %up = add i64 %place, @BELOW@
  %start = and i64 %up, -@ALIGN@
  %tiles = inttoptr i64 %start to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %tiles, ptr %TEMPLATE, i64 %TEMPLATE_BYTES, i1 false)
  br label %input.tiles
input.tiles:
  %s = phi i64 [ 0, %many ], [ %s.next, %input.tile ]
  %s.more = icmp slt i64 %s, %INPUTS
  br i1 %s.more, label %input.tile, label %output.tiles
input.tile:
  %s.offset.p = getelementptr i64, ptr %TILES, i64 %s
  %s.offset = load i64, ptr %s.offset.p
  %s.tile = getelementptr i8, ptr %tiles, i64 %s.offset
  %s.p = getelementptr ptr, ptr %tin, i64 %s
  store ptr %s.tile, ptr %s.p
  %s.next = add i64 %s, 1
  br label %input.tiles
output.tiles:
  %m = phi i64 [ 0, %input.tiles ], [ %m.next, %output.tile ]
  %m.more = icmp slt i64 %m, %OUTPUTS
  br i1 %m.more, label %output.tile, label %run
output.tile:
  %m.at = add i64 %INPUTS, %m
  %m.offset.p = getelementptr i64, ptr %TILES, i64 %m.at
  %m.offset = load i64, ptr %m.offset.p
  %m.tile = getelementptr i8, ptr %tiles, i64 %m.offset
  %m.p = getelementptr ptr, ptr %tout, i64 %m
  store ptr %m.tile, ptr %m.p
  %m.next = add i64 %m, 1
  br label %output.tiles
run:
  call void %LOOP(ptr %BODY, i64 %WIDTH, i64 0, i64 %n, i64 %INPUTS, ptr %in, ptr %strides, ptr %INPUT_COLUMNS,
                  i64 %OUTPUTS, ptr %out, ptr %OUTPUT_BYTES, ptr %OUTPUT_COLUMNS, ptr %tin, ptr %tout)
  call void @free(ptr %memory)
  br label %done
done:
  ret ptr null
}
"""
