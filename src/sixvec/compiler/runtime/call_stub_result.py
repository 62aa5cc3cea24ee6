"""What a call stub makes of a kernel's outputs, in LLVM assembly: an array, a number, or a tuple of them."""

from __future__ import annotations

from sixvec.compiler.runtime.call_stub_words import TUPLE_HASH, TUPLE_ITEMS, Cell, Word, fetch


def result_assembly() -> str:
    """From `finish`, where all outputs are written, to the returned object, or to `release`.

    Tuples are allocated as `tuple.__new__` does for their class: what a call of the class would add is Python code that
    does the same.
    """
    unknown_hash = (
        f"  %tuple.hash = getelementptr i8, ptr %tuple.made, i64 {TUPLE_HASH}\n  store i64 -1, ptr %tuple.hash"
        if TUPLE_ITEMS > TUPLE_HASH
        else ""
    )
    return f"""finish:
{fetch(Cell.NEW_NUMBER)}
  br label %finish.next
finish.next:
  %f = phi i64 [ 0, %finish ], [ %f.next, %finish.look ], [ %f.next, %finish.make ]
  %f.more = icmp slt i64 %f, %w.OUTPUTS
  %f.next = add i64 %f, 1
  br i1 %f.more, label %finish.look, label %finished
finish.look:
  %f.p = getelementptr ptr, ptr %made, i64 %f.next
  %f.made = load ptr, ptr %f.p
  %f.is.number = icmp eq ptr %f.made, null
  br i1 %f.is.number, label %finish.make, label %finish.next
finish.make:
  %f.number.p = getelementptr double, ptr %numbers, i64 %f
  %f.number = call ptr %w.NEW_NUMBER(ptr %f.number.p, ptr %w.FLOAT64, ptr null)
  store ptr %f.number, ptr %f.p
  %f.is.made = icmp ne ptr %f.number, null
  br i1 %f.is.made, label %finish.next, label %release
finished:
{fetch(Word.RESULT_TYPE, Word.TUPLE_TYPE)}
  %several = icmp ne ptr %w.RESULT_TYPE, null
  %first.p = getelementptr ptr, ptr %made, i64 1
  br i1 %several, label %tuple, label %single
single:
  %first = load ptr, ptr %first.p
  call void %w.RELEASE(ptr %w.BLOCK)
  ret ptr %first
tuple:
  %is.tuple = icmp ne ptr %w.TUPLE_TYPE, null
  br i1 %is.tuple, label %tuple.new, label %tuple.call
tuple.new:
{fetch(Cell.NEW_TUPLE)}
  %tuple.made = call ptr %w.NEW_TUPLE(ptr %w.TUPLE_TYPE, i64 %w.OUTPUTS)
  %has.tuple = icmp ne ptr %tuple.made, null
  br i1 %has.tuple, label %tuple.fill, label %release
tuple.fill:  ; the tuple owns the items from here on
{unknown_hash}
  %tuple.items = getelementptr i8, ptr %tuple.made, i64 {TUPLE_ITEMS}
  %tuple.bytes = mul i64 %w.OUTPUTS, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %tuple.items, ptr %first.p, i64 %tuple.bytes, i1 false)
  call void %w.RELEASE(ptr %w.BLOCK)
  ret ptr %tuple.made
tuple.call:
  %result = call ptr %w.VECTORCALL(ptr %w.RESULT_TYPE, ptr %first.p, i64 %w.OUTPUTS, ptr null)
  br label %release"""
