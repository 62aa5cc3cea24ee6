"""The loop over steps: a kernel run again and again on the same tiles, its results fed back as its inputs.

`iterate` has the signature of a kernel, so the loop over a batch (batch.py) uses it in place of a kernel.  The data
that it needs are in front of the input tiles: `in[-1]` points to the words below.
"""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.notation import expanded, fetched


class Word(IntEnum):
    """The 64-bit words that direct one loop; all but STEPS and the counts are addresses.

    The kernel's first CARRIED inputs and outputs are the state that is fed back.  It is written to the tiles EVEN and
    ODD in turn and read from where it was written last.  All other pointers in INPUTS and OUTPUTS (the kernel's own
    arguments) start at the tiles of this call and advance by their entry in INPUT_STRIDES or OUTPUT_STRIDES; where it
    is negative, they start at the last entry.
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
    """The tile of the kernel's last output: the loop ends when no lane of it is positive.  Zero for no test."""
    FIRST = 13
    """The number of the input that is tested in the same way before the first step; negative for no test."""
    COUNTED = 14
    """Not 0 if another input, behind those of the kernel, says how many of the steps each sample needs."""


def iterate_assembly(t: Lanes) -> str:
    """LLVM assembly of `void iterate(T *const *in, T *const *out)`."""
    bits = t.bytes * 8
    return "\n".join([
        expanded(
            _ITERATE.replace("@READS@", fetched(Word, _COUNTS, "%words"))
            .replace("@ANY@", _any_positive(t, "GO_ON"))
            .replace("@ANY OF FIRST@", _any_positive(t, "first.tile"))
            .replace("@MOST@", _most(t))
        ),
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        *([f"declare i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask})",
           f"declare {t.element} @llvm.vector.reduce.fmax.{t.suffix}({t.type})"] if t.width > 1 else []),
        f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}',
        "",
    ])  # fmt: skip


_COUNTS = {Word.STEPS, Word.CARRIED, Word.INPUT_COUNT, Word.OUTPUT_COUNT, Word.FIRST, Word.COUNTED}


def _any_positive(t: Lanes, tile: str) -> str:
    """%any.TILE: whether a lane of a tile is positive.  NaN is not."""
    load = f"  %flags.{tile} = load {t.type}, ptr %{tile}, align {t.bytes}\n"
    if t.width == 1:
        return f"{load}  %any.{tile} = fcmp ogt {t.type} %flags.{tile}, {t.constant(0.0)}"
    return (
        f"{load}  %positive.{tile} = fcmp ogt {t.type} %flags.{tile}, zeroinitializer\n"
        f"  %any.{tile} = call i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask} %positive.{tile})"
    )


def _most(t: Lanes) -> str:
    """%count.needed: the largest number of the tile at %counts, without NaN."""
    load = f"  %count.lanes = load {t.type}, ptr %counts, align {t.bytes}\n"
    if t.width == 1:
        return f"{load}  %count.needed = fptosi {t.element} %count.lanes to i64"
    return (
        f"{load}  %count.most = call nnan {t.element} @llvm.vector.reduce.fmax.{t.suffix}({t.type} %count.lanes)\n"
        f"  %count.needed = fptosi {t.element} %count.most to i64"
    )


_ITERATE = """
define void @iterate(ptr %in, ptr %out) #0 {
entry:
  %words <- ptr %in[-1]
@READS@
  %last = sub i64 %STEPS, 1
  for %i below %INPUT_COUNT
    %i.tile <- ptr %in[%i]
    %i.by <- i64 %INPUT_STRIDES[%i]
    %i.whole = mul i64 %i.by, %last
    %i.back = sub i64 0, %i.whole
    %i.is.back = icmp slt i64 %i.by, 0
    %i.first = select i1 %i.is.back, i64 %i.back, i64 0
    %i.start = getelementptr i8, ptr %i.tile, i64 %i.first
    %INPUTS[%i] <- ptr %i.start
  next %i
  for %o from %CARRIED below %OUTPUT_COUNT
    %o.tile <- ptr %out[%o]
    %o.by <- i64 %OUTPUT_STRIDES[%o]
    %o.whole = mul i64 %o.by, %last
    %o.back = sub i64 0, %o.whole
    %o.is.back = icmp slt i64 %o.by, 0
    %o.first = select i1 %o.is.back, i64 %o.back, i64 0
    %o.start = getelementptr i8, ptr %o.tile, i64 %o.first
    %OUTPUTS[%o] <- ptr %o.start
  next %o
  %is.tested = icmp sge i64 %FIRST, 0
  br i1 %is.tested, label %test, label %ready
test:
  %first.tile <- ptr %INPUTS[%FIRST]
@ANY OF FIRST@
  %needed = select i1 %any.first.tile, i64 %STEPS, i64 0
  br label %ready
ready:
  %most = phi i64 [ %STEPS, %o.done ], [ %needed, %test ]
  %is.counted = icmp ne i64 %COUNTED, 0
  br i1 %is.counted, label %counting, label %begin
counting:
  %counts <- ptr %in[%INPUT_COUNT]
@MOST@
  %fewer = icmp slt i64 %count.needed, %most
  %counted.steps = select i1 %fewer, i64 %count.needed, i64 %most
  br label %begin
begin:
  %steps.here = phi i64 [ %most, %ready ], [ %counted.steps, %counting ]
  for %t below %steps.here
    %bit = and i64 %t, 1
    %is.odd = icmp ne i64 %bit, 0
    %side = select i1 %is.odd, ptr %ODD, ptr %EVEN
    for %c below %CARRIED
      %c.tile <- ptr %side[%c]
      %OUTPUTS[%c] <- ptr %c.tile
    next %c
    call void %KERNEL(ptr %INPUTS, ptr %OUTPUTS)
    for %f below %CARRIED
      %f.tile <- ptr %OUTPUTS[%f]
      %INPUTS[%f] <- ptr %f.tile
    next %f
    for %a from %CARRIED below %INPUT_COUNT
      %a.by <- i64 %INPUT_STRIDES[%a]
      %a.old <- ptr %INPUTS[%a]
      %a.new = getelementptr i8, ptr %a.old, i64 %a.by
      %INPUTS[%a] <- ptr %a.new
    next %a
    for %b from %CARRIED below %OUTPUT_COUNT
      %b.by <- i64 %OUTPUT_STRIDES[%b]
      %b.old <- ptr %OUTPUTS[%b]
      %b.new = getelementptr i8, ptr %b.old, i64 %b.by
      %OUTPUTS[%b] <- ptr %b.new
    next %b
    %no.test = icmp eq ptr %GO_ON, null
    br i1 %no.test, label %again, label %look
look:
@ANY@
    br i1 %any.GO_ON, label %again, label %t.done
again:
  next %t
  for %k below %CARRIED
    %k.tile <- ptr %INPUTS[%k]
    %k.target <- ptr %out[%k]
    %k.size <- i64 %CARRIED_BYTES[%k]
    call void @llvm.memcpy.p0.p0.i64(ptr %k.target, ptr %k.tile, i64 %k.size, i1 false)
  next %k
  ret void
}
"""
