"""The call stub in LLVM assembly; call_stub.py describes its function."""

from __future__ import annotations

from sixvec.compiler.build import Code
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.call_stub_arrays import arrays_assembly
from sixvec.compiler.runtime.call_stub_result import result_assembly
from sixvec.compiler.runtime.call_stub_words import (
    AND_WRITEABLE,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    MOST_ARRAYS,
    MOST_AXES,
    MOST_OUTPUTS,
    ND,
    NPY_DOUBLE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    Cell,
    Word,
    fetch,
)
from sixvec.compiler.runtime.functions import runtime_function
from sixvec.compiler.runtime.notation import expanded


def call_stub_code() -> Code:
    """The machine code that all call stubs share."""
    return runtime_function("call_stub", call_stub_assembly(), Lanes(1, "float64"))


def call_stub_assembly() -> str:
    """LLVM assembly of the CPython function `call_stub(self, args, nargs, kwnames)`."""
    return expanded(f"""
define ptr @call_stub(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
entry:
  %in.all = alloca [{MOST_ARRAYS + 1} x ptr]
  %in = getelementptr ptr, ptr %in.all, i64 1
  %out = alloca [{MOST_OUTPUTS + 1} x ptr]
  %made = alloca [{MOST_OUTPUTS + 1} x ptr]
  %numbers = alloca [{MOST_OUTPUTS} x double]
  %shape = alloca [{MOST_AXES + 1} x i64]
  %place = alloca i64
  %key = alloca ptr
  %value = alloca ptr
  %one = alloca i64
  store i64 1, ptr %one
  %cell <- ptr %self + {DATA}
{fetch(Cell.BLOCK)}
  %words <- ptr %w.BLOCK + {DATA}
{fetch(Word.POSITIONAL, Word.KEYWORDS, Word.ARRAYS, Word.OBJECTS, Word.OUTPUTS)}
{fetch(Cell.ARRAY_TYPE, Cell.FLOAT64, Cell.NEW_ARRAY, Cell.KEEP, Cell.RELEASE, Cell.VECTORCALL)}
  %same.n = icmp eq i64 %nargs, %w.POSITIONAL
  br i1 %same.n, label %keywords, label %python
keywords:
  %none = icmp eq ptr %kwnames, null
  br i1 %none, label %keywords.count, label %keywords.some
keywords.some:
  %size <- i64 %kwnames + {TUPLE_SIZE}
  br label %keywords.count
keywords.count:
  %given = phi i64 [ 0, %keywords ], [ %size, %keywords.some ]
  %same.k = icmp eq i64 %given, %w.KEYWORDS
  br i1 %same.k, label %names, label %python
names:
  for %k below %given
    %items = getelementptr i8, ptr %kwnames, i64 {TUPLE_ITEMS}
    %name.given <- ptr %items[%k]
    %ki = add i64 %k, {Word.NAME.value}
    %name.known <- ptr %words[%ki]
    %is.name = icmp eq ptr %name.given, %name.known
    br i1 %is.name, label %name.good, label %python
name.good:
  next %k
  br label %arrays
{arrays_assembly()}
objects:
  for %o below %w.OBJECTS
    %oa = add i64 %o, %w.ARRAYS
    %object.given <- ptr %args[%oa]
    %oi = add i64 %o, {Word.OBJECT.value}
    %known <- ptr %words[%oi]
    %is.known = icmp eq ptr %object.given, %known
    br i1 %is.known, label %object.good, label %object.other
object.other:  ; a dictionary may change, so its keys and values are compared, in their order
{fetch(Word.DICTIONARIES, Cell.DICT_TYPE, Cell.DICT_NEXT)}
    %o.bits = lshr i64 %w.DICTIONARIES, %o
    %o.bit = trunc i64 %o.bits to i1
    %o.type <- ptr %object.given + {TYPE}
    %o.is.dict = icmp eq ptr %o.type, %w.DICT_TYPE
    %o.ok = and i1 %o.bit, %o.is.dict
    %o.size.p = getelementptr i8, ptr %known, i64 {TUPLE_SIZE}
    %o.items = getelementptr i8, ptr %known, i64 {TUPLE_ITEMS}
    store i64 0, ptr %place
    br i1 %o.ok, label %entries, label %python
entries:
    %x = phi i64 [ 0, %object.other ], [ %x.next, %entry.same ]
    %x.size = load i64, ptr %o.size.p
    %x.left = icmp slt i64 %x, %x.size
    %x.some = call i32 %w.DICT_NEXT(ptr %object.given, ptr %place, ptr %key, ptr %value)
    %x.more = icmp ne i32 %x.some, 0
    %x.agree = icmp eq i1 %x.left, %x.more
    br i1 %x.agree, label %entries.on, label %python
entries.on:
    br i1 %x.more, label %entry.one, label %object.good
entry.one:
    %x.key.p = getelementptr ptr, ptr %o.items, i64 %x
    %x.value.p = getelementptr ptr, ptr %x.key.p, i64 1
    %x.key.known = load ptr, ptr %x.key.p
    %x.value.known = load ptr, ptr %x.value.p
    %x.key = load ptr, ptr %key
    %x.value = load ptr, ptr %value
    %x.same.key = icmp eq ptr %x.key, %x.key.known
    %x.same.value = icmp eq ptr %x.value, %x.value.known
    %x.same = and i1 %x.same.key, %x.same.value
    br i1 %x.same, label %entry.same, label %python
entry.same:
    %x.next = add i64 %x, 2
    br label %entries
object.good:
  next %o
{fetch(Word.KERNEL, Word.LOOP, Word.OPERATIONS, Cell.MOST_WORK)}
  %is.batch = icmp ne i64 %batch.axes, 0
  %has.kernel = icmp ne ptr %w.KERNEL, null
  %is.one = icmp eq i64 %rows, 1
  %is.one.row = and i1 %has.kernel, %is.one  ; also a batch of one sample
  %not.one.row = xor i1 %is.one.row, true
  %is.loop = and i1 %is.batch, %not.one.row
  %code = select i1 %is.loop, ptr %w.LOOP, ptr %w.KERNEL
  %has.code = icmp ne ptr %code, null
  %most = load i64, ptr %w.MOST_WORK
  %work = mul i64 %rows, %w.OPERATIONS
  %is.short = icmp slt i64 %work, %most
  %has.rows = icmp sgt i64 %rows, 0
  %can.1 = and i1 %has.code, %is.short
  %can = and i1 %can.1, %has.rows
  br i1 %can, label %hold, label %python
hold:
  call void %w.KEEP(ptr %w.BLOCK)  ; another thread may expect another call before this one is done
  store i64 %rows, ptr %shape
{fetch(Word.OUT_GIVEN)}
  %has.out = icmp ne i64 %w.OUT_GIVEN, 0
  br i1 %has.out, label %taken, label %make
taken:
  %g.at = add i64 %w.ARRAYS, %w.OBJECTS
  %g <- ptr %args[%g.at]
  %g.type <- ptr %g + {TYPE}
  %g.is.array = icmp eq ptr %g.type, %w.ARRAY_TYPE
  br i1 %g.is.array, label %taken.look, label %let.go
taken.look:
  %g.descr <- ptr %g + {DESCR}
  %g.is.f64 = icmp eq ptr %g.descr, %w.FLOAT64
  %g.flags <- i32 %g + {FLAGS}
  %g.flags.set = and i32 %g.flags, {AND_WRITEABLE}
  %g.is.plain = icmp eq i32 %g.flags.set, {AND_WRITEABLE}
  %g.nd <- i32 %g + {ND}
  %g.nd.64 = zext i32 %g.nd to i64
  %g.axes.p = getelementptr i64, ptr %words, i64 {Word.OUTPUT.value}
  %g.axes = load i64, ptr %g.axes.p
  %g.axes.all = add i64 %g.axes, %batch.axes
  %g.same.nd = icmp eq i64 %g.nd.64, %g.axes.all
  %g.lengths = getelementptr i64, ptr %g.axes.p, i64 1
  %g.lengths.to = getelementptr i64, ptr %shape, i64 %batch.axes
  call void @llvm.memcpy.p0.p0.i64(ptr %g.lengths.to, ptr %g.lengths, i64 {8 * MOST_AXES}, i1 false)
  %g.dims <- ptr %g + {DIMENSIONS}
  %g.data <- ptr %g + {DATA}
  %g.low = ptrtoint ptr %g.data to i64
{fetch(Word.OUT_LENGTH)}
  %row.bytes = mul i64 %rows, 8
  %g.bytes = mul i64 %row.bytes, %w.OUT_LENGTH
  %g.high = add i64 %g.low, %g.bytes
  %g.ok.1 = and i1 %g.is.f64, %g.is.plain
  %g.ok.2 = and i1 %g.ok.1, %g.same.nd
  br i1 %g.ok.2, label %taken.dims, label %let.go
taken.dims:
  for %d below %g.axes.all
    %d.given <- i64 %g.dims[%d]
    %d.known <- i64 %shape[%d]
    %d.same = icmp eq i64 %d.given, %d.known
    br i1 %d.same, label %taken.dim, label %let.go
taken.dim:
  next %d
  for %e below %w.ARRAYS
    %e.data <- ptr %in[%e]
    %e.low = ptrtoint ptr %e.data to i64
    %e.at = add i64 %e, {Word.LENGTH.value}
    %e.length <- i64 %words[%e.at]
    %e.bytes = mul i64 %row.bytes, %e.length
    %e.high = add i64 %e.low, %e.bytes
    %e.before = icmp ule i64 %e.high, %g.low
    %e.after = icmp ule i64 %g.high, %e.low
    %e.apart = or i1 %e.before, %e.after
    br i1 %e.apart, label %taken.apart, label %let.go
taken.apart:
  next %e
  call void %w.KEEP(ptr %g)
  store ptr %g.data, ptr %out
  %made[1] <- ptr %g
  br label %run
make:
  for %m below %w.OUTPUTS
    %m.words = mul i64 %m, {1 + MOST_AXES}
    %m.at = add i64 %m.words, {Word.OUTPUT.value}
    %axes.p = getelementptr i64, ptr %words, i64 %m.at
    %axes = load i64, ptr %axes.p
    %axes.all = add i64 %axes, %batch.axes
    %axes.32 = trunc i64 %axes.all to i32
    %out.p = getelementptr ptr, ptr %out, i64 %m
    %made.at = add i64 %m, 1
    %made.p = getelementptr ptr, ptr %made, i64 %made.at
    %is.number = icmp eq i64 %axes.all, 0
    br i1 %is.number, label %make.number, label %make.array
make.number:  ; a number is written here, and becomes an object when it is known
    %number.p = getelementptr double, ptr %numbers, i64 %m
    br label %make.good
make.array:
    %lengths = getelementptr i64, ptr %axes.p, i64 1
    %lengths.to = getelementptr i64, ptr %shape, i64 %batch.axes
    call void @llvm.memcpy.p0.p0.i64(ptr %lengths.to, ptr %lengths, i64 {8 * MOST_AXES}, i1 false)
    %new = call ptr %w.NEW_ARRAY(ptr %w.ARRAY_TYPE, i32 %axes.32, ptr %shape, i32 {NPY_DOUBLE},
                                 ptr null, ptr null, i32 0, i32 0, ptr null)
    %made.it = icmp ne ptr %new, null
    br i1 %made.it, label %make.data, label %release
make.data:
    %new.data <- ptr %new + {DATA}
    br label %make.good
make.good:
    %made.data = phi ptr [ %number.p, %make.number ], [ %new.data, %make.data ]
    %made.array = phi ptr [ null, %make.number ], [ %new, %make.data ]
    store ptr %made.data, ptr %out.p
    store ptr %made.array, ptr %made.p
  next %m
  br label %run
run:
  br i1 %is.loop, label %run.batch, label %run.one
run.one:  ; a loop over steps reads its words in front of the inputs and writes whether to go on behind the outputs
{fetch(Word.AHEAD, Word.BEHIND)}
  store ptr %w.AHEAD, ptr %in.all
  %out[%w.OUTPUTS] <- ptr %w.BEHIND
  call void %w.KERNEL(ptr %in, ptr %out)
  br label %finish
run.batch:
{fetch(Word.BODY, Word.WIDTH, Word.IN_STRIDES, Word.IN_COLUMNS, Word.OUT_STRIDES, Word.OUT_COLUMNS)}
{fetch(Word.IN_TILES, Word.OUT_TILES, Word.BUSY, Cell.SAVE_THREAD, Cell.RESTORE_THREAD)}
  %was = cmpxchg ptr %w.BUSY, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %was, 1
  br i1 %mine, label %loop, label %release
loop:
  %state = call ptr %w.SAVE_THREAD()
  call void %w.LOOP(ptr %w.BODY, i64 %w.WIDTH, i64 0, i64 %rows,
                    i64 %w.ARRAYS, ptr %in, ptr %w.IN_STRIDES, ptr %w.IN_COLUMNS,
                    i64 %w.OUTPUTS, ptr %out, ptr %w.OUT_STRIDES, ptr %w.OUT_COLUMNS,
                    ptr %w.IN_TILES, ptr %w.OUT_TILES)
  call void %w.RESTORE_THREAD(ptr %state)
  store atomic i64 0, ptr %w.BUSY seq_cst, align 8
  br label %finish
{result_assembly()}
release:  ; of the arrays that were made (or kept), when a tuple holds them, when there is no memory, or no free tiles
  %there = phi i64 [ %w.OUTPUTS, %tuple.call ], [ %w.OUTPUTS, %tuple.new ], [ %w.OUTPUTS, %finish.make ],
                   [ %m, %make.array ], [ %w.OUTPUTS, %run.batch ]
  %why = phi i32 [ 0, %tuple.call ], [ 1, %tuple.new ], [ 1, %finish.make ], [ 1, %make.array ], [ 2, %run.batch ]
  %answer.0 = phi ptr [ %result, %tuple.call ], [ null, %tuple.new ], [ null, %finish.make ], [ null, %make.array ],
                      [ null, %run.batch ]
  for %r below %there
    %r.at = add i64 %r, 1
    %r.array <- ptr %made[%r.at]
    call void %w.RELEASE(ptr %r.array)
  next %r
  %is.busy = icmp eq i32 %why, 2
  br i1 %is.busy, label %let.go, label %done
done:
  call void %w.RELEASE(ptr %w.BLOCK)
  ret ptr %answer.0
let.go:
  call void %w.RELEASE(ptr %w.BLOCK)
  br label %python
python:
{fetch(Cell.PYTHON_PATH)}
  %answer = call ptr %w.VECTORCALL(ptr %w.PYTHON_PATH, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %answer
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
""")
