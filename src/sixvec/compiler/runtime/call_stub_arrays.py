"""The arrays that a call stub accepts, in LLVM assembly: one sample each, or the same number of samples each."""

from __future__ import annotations

from sixvec.compiler.runtime.call_stub_words import (
    C_CONTIGUOUS_AND_ALIGNED,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    MOST_INPUT_AXES,
    ND,
    TYPE,
    Word,
)


def arrays_assembly() -> str:
    """From `arrays`, after the keywords, to `objects`, with the addresses of the data in %in, or to `python`.

    %batch.axes is then 1 for a batch, else 0, and %rows the number of samples.
    """
    return f"""arrays:
  %i = phi i64 [ 0, %k.done ], [ %i.next, %array.good ]
  %batch.axes = phi i64 [ 0, %k.done ], [ %a.batch, %array.good ]
  %rows = phi i64 [ 1, %k.done ], [ %a.rows, %array.good ]
  %i.more = icmp slt i64 %i, %w.ARRAYS
  br i1 %i.more, label %array, label %objects
array:
  %a <- ptr %args[%i]
  %type <- ptr %a + {TYPE}
  %is.array = icmp eq ptr %type, %w.ARRAY_TYPE
  br i1 %is.array, label %array.look, label %python
array.look:
  %descr <- ptr %a + {DESCR}
  %is.f64 = icmp eq ptr %descr, %w.FLOAT64
  %nd.32 <- i32 %a + {ND}
  %nd = zext i32 %nd.32 to i64
  %a.words = mul i64 %i, {1 + MOST_INPUT_AXES}
  %a.at = add i64 %a.words, {Word.INPUT.value}
  %a.axes.p = getelementptr i64, ptr %words, i64 %a.at
  %a.axes = load i64, ptr %a.axes.p
  %a.batch = sub i64 %nd, %a.axes
  %is.row.or.batch = icmp ult i64 %a.batch, 2
  %flags <- i32 %a + {FLAGS}
  %flags.set = and i32 %flags, {C_CONTIGUOUS_AND_ALIGNED}
  %is.plain = icmp eq i32 %flags.set, {C_CONTIGUOUS_AND_ALIGNED}
  %ok.1 = and i1 %is.f64, %is.row.or.batch
  %ok.2 = and i1 %ok.1, %is.plain
  br i1 %ok.2, label %array.rows, label %python
array.rows:
  %dims <- ptr %a + {DIMENSIONS}
  %a.is.batch = icmp ne i64 %a.batch, 0
  %rows.p = select i1 %a.is.batch, ptr %dims, ptr %one  ; an array without axes has no dimensions to read
  %a.rows = load i64, ptr %rows.p
  %is.first = icmp eq i64 %i, 0
  %same.batch = icmp eq i64 %a.batch, %batch.axes
  %same.rows = icmp eq i64 %a.rows, %rows
  %same.lead = and i1 %same.batch, %same.rows
  %lead.ok = or i1 %is.first, %same.lead
  br i1 %lead.ok, label %array.axes, label %python
array.axes:
  %x.i = phi i64 [ 0, %array.rows ], [ %x.i.next, %array.axis ]
  %x.i.more = icmp slt i64 %x.i, %a.axes
  br i1 %x.i.more, label %array.axis, label %array.good
array.axis:
  %x.i.next = add i64 %x.i, 1
  %x.known <- i64 %a.axes.p[%x.i.next]
  %x.at = add i64 %a.batch, %x.i
  %x.given <- i64 %dims[%x.at]
  %x.fits = icmp eq i64 %x.given, %x.known
  br i1 %x.fits, label %array.axes, label %python
array.good:
  %data <- ptr %a + {DATA}
  %in[%i] <- ptr %data
  %i.next = add i64 %i, 1
  br label %arrays"""
