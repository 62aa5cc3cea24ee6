"""The loop over steps: a kernel run again and again on the same tiles, its results fed back as its inputs.

`iterate` has the signature of a kernel, so the loop over a batch (batch.py) takes it in a kernel's place.  What it
needs to know stands in front of the input tiles: `in[-1]` points to the words below.
"""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes


class Word(IntEnum):
    """The 64-bit words that direct one loop; all but STEPS and the counts are addresses.

    The kernel's first CARRIED inputs and outputs are the state that goes round.  It is written to the tiles EVEN and
    ODD in turn and read from where it was written last.  All other pointers in INPUTS and OUTPUTS (the kernel's own
    arguments) start at the tiles of this call and advance by their entry in INPUT_STRIDES or OUTPUT_STRIDES.
    """

    KERNEL = 0
    STEPS = 1
    CARRIED = 2
    INPUT_COUNT = 3
    OUTPUT_COUNT = 4
    INPUTS = 5
    OUTPUTS = 6
    EVEN = 7
    ODD = 8
    CARRIED_BYTES = 9
    INPUT_STRIDES = 10
    OUTPUT_STRIDES = 11
    GO_ON = 12
    """The tile of the kernel's last output: the loop ends when no lane of it is positive.  Zero for no such test."""


def iterate_assembly(t: Lanes) -> str:
    """LLVM assembly of `void iterate(T *const *in, T *const *out)`."""
    bits = t.bytes * 8
    reads = "\n".join(
        f"  %p.{w.name} = getelementptr i64, ptr %words, i64 {w.value}\n"
        f"  %{w.name} = load {'i64' if w in _COUNTS else 'ptr'}, ptr %p.{w.name}"
        for w in Word
    )
    return "\n".join([
        _ITERATE.replace("@READS@", reads).replace("@ANY@", _any_positive(t)),
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        *([f"declare i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask})"] if t.width > 1 else []),
        f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}',
        "",
    ])  # fmt: skip


_COUNTS = {Word.STEPS, Word.CARRIED, Word.INPUT_COUNT, Word.OUTPUT_COUNT}


def _any_positive(t: Lanes) -> str:
    """%any: whether a lane of the tile at %GO_ON is positive.  NaN is not."""
    lines = [
        f"  %flags = load {t.type}, ptr %GO_ON, align {t.bytes}",
        f"  %positive = fcmp ogt {t.type} %flags, zeroinitializer",
    ]
    if t.width == 1:
        lines = [lines[0], f"  %any = fcmp ogt {t.type} %flags, {t.constant(0.0)}"]
    else:
        lines.append(f"  %any = call i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask} %positive)")
    return "\n".join(lines)


_ITERATE = """
define void @iterate(ptr %in, ptr %out) #0 {
entry:
  %words.p = getelementptr ptr, ptr %in, i64 -1
  %words = load ptr, ptr %words.p
@READS@
  br label %start.in
start.in:
  %i = phi i64 [ 0, %entry ], [ %i.next, %start.in.one ]
  %i.more = icmp slt i64 %i, %INPUT_COUNT
  br i1 %i.more, label %start.in.one, label %start.out
start.in.one:
  %i.from = getelementptr ptr, ptr %in, i64 %i
  %i.tile = load ptr, ptr %i.from
  %i.to = getelementptr ptr, ptr %INPUTS, i64 %i
  store ptr %i.tile, ptr %i.to
  %i.next = add i64 %i, 1
  br label %start.in
start.out:
  %o = phi i64 [ %CARRIED, %start.in ], [ %o.next, %start.out.one ]
  %o.more = icmp slt i64 %o, %OUTPUT_COUNT
  br i1 %o.more, label %start.out.one, label %steps
start.out.one:
  %o.from = getelementptr ptr, ptr %out, i64 %o
  %o.tile = load ptr, ptr %o.from
  %o.to = getelementptr ptr, ptr %OUTPUTS, i64 %o
  store ptr %o.tile, ptr %o.to
  %o.next = add i64 %o, 1
  br label %start.out
steps:
  %t = phi i64 [ 0, %start.out ], [ %t.next, %again ]
  %t.more = icmp slt i64 %t, %STEPS
  br i1 %t.more, label %aim, label %finish
aim:
  %bit = and i64 %t, 1
  %is.odd = icmp ne i64 %bit, 0
  %side = select i1 %is.odd, ptr %ODD, ptr %EVEN
  br label %aims
aims:
  %c = phi i64 [ 0, %aim ], [ %c.next, %aim.one ]
  %c.more = icmp slt i64 %c, %CARRIED
  br i1 %c.more, label %aim.one, label %run
aim.one:
  %c.from = getelementptr ptr, ptr %side, i64 %c
  %c.tile = load ptr, ptr %c.from
  %c.to = getelementptr ptr, ptr %OUTPUTS, i64 %c
  store ptr %c.tile, ptr %c.to
  %c.next = add i64 %c, 1
  br label %aims
run:
  call void %KERNEL(ptr %INPUTS, ptr %OUTPUTS)
  br label %feed
feed:
  %f = phi i64 [ 0, %run ], [ %f.next, %feed.one ]
  %f.more = icmp slt i64 %f, %CARRIED
  br i1 %f.more, label %feed.one, label %advance.in
feed.one:
  %f.from = getelementptr ptr, ptr %OUTPUTS, i64 %f
  %f.tile = load ptr, ptr %f.from
  %f.to = getelementptr ptr, ptr %INPUTS, i64 %f
  store ptr %f.tile, ptr %f.to
  %f.next = add i64 %f, 1
  br label %feed
advance.in:
  %a = phi i64 [ %CARRIED, %feed ], [ %a.next, %advance.in.one ]
  %a.more = icmp slt i64 %a, %INPUT_COUNT
  br i1 %a.more, label %advance.in.one, label %advance.out
advance.in.one:
  %a.by.p = getelementptr i64, ptr %INPUT_STRIDES, i64 %a
  %a.by = load i64, ptr %a.by.p
  %a.at = getelementptr ptr, ptr %INPUTS, i64 %a
  %a.old = load ptr, ptr %a.at
  %a.new = getelementptr i8, ptr %a.old, i64 %a.by
  store ptr %a.new, ptr %a.at
  %a.next = add i64 %a, 1
  br label %advance.in
advance.out:
  %b = phi i64 [ %CARRIED, %advance.in ], [ %b.next, %advance.out.one ]
  %b.more = icmp slt i64 %b, %OUTPUT_COUNT
  br i1 %b.more, label %advance.out.one, label %test
advance.out.one:
  %b.by.p = getelementptr i64, ptr %OUTPUT_STRIDES, i64 %b
  %b.by = load i64, ptr %b.by.p
  %b.at = getelementptr ptr, ptr %OUTPUTS, i64 %b
  %b.old = load ptr, ptr %b.at
  %b.new = getelementptr i8, ptr %b.old, i64 %b.by
  store ptr %b.new, ptr %b.at
  %b.next = add i64 %b, 1
  br label %advance.out
test:
  %no.test = icmp eq ptr %GO_ON, null
  br i1 %no.test, label %again, label %look
look:
@ANY@
  br i1 %any, label %again, label %finish
again:
  %t.next = add i64 %t, 1
  br label %steps
finish:
  %k = phi i64 [ 0, %steps ], [ 0, %look ], [ %k.next, %finish.one ]
  %k.more = icmp slt i64 %k, %CARRIED
  br i1 %k.more, label %finish.one, label %done
finish.one:
  %k.from = getelementptr ptr, ptr %INPUTS, i64 %k
  %k.tile = load ptr, ptr %k.from
  %k.to = getelementptr ptr, ptr %out, i64 %k
  %k.target = load ptr, ptr %k.to
  %k.size.p = getelementptr i64, ptr %CARRIED_BYTES, i64 %k
  %k.size = load i64, ptr %k.size.p
  call void @llvm.memcpy.p0.p0.i64(ptr %k.target, ptr %k.tile, i64 %k.size, i1 false)
  %k.next = add i64 %k, 1
  br label %finish
done:
  ret void
}
"""
