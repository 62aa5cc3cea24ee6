"""The loop over the nodes of a tree: for each, the kernel of its kind, on its own entries and its parent's."""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes


class Word(IntEnum):
    """The 64-bit words that direct one sweep; counts, then addresses.

    Node i has the kernel KERNELS[KINDS[i]].  Pointer k of its inputs is IN_BASES[k] + IN_OFFSETS[k][i] bytes, and so
    for its outputs.  Afterwards, sum k adds SUM_COUNTS[k] numbers at SUM_SOURCES[k] to those at SUM_BASES[k] +
    SUM_OFFSETS[k][i]: the contributions of children to their parent.
    """

    FIRST = 0
    PAST = 1
    STRIDE = 2
    INPUT_COUNT = 3
    OUTPUT_COUNT = 4
    SUM_COUNT = 5
    KINDS = 6
    KERNELS = 7
    IN_BASES = 8
    IN_OFFSETS = 9
    OUT_BASES = 10
    OUT_OFFSETS = 11
    INPUTS = 12
    OUTPUTS = 13
    SUM_COUNTS = 14
    SUM_SOURCES = 15
    SUM_BASES = 16
    SUM_OFFSETS = 17


_COUNTS = {w for w in Word if w < Word.KINDS}


def sweep_assembly(t: Lanes) -> str:
    """LLVM assembly of `void sweep(const int64_t *words)`."""
    reads = "\n".join(
        f"  %p.{w.name} = getelementptr i64, ptr %words, i64 {w.value}\n"
        f"  %{w.name} = load {'i64' if w in _COUNTS else 'ptr'}, ptr %p.{w.name}"
        for w in Word
    )
    text = _SWEEP.replace("@READS@", reads)
    for name, side in (("in", "IN"), ("out", "OUT")):
        text = text.replace(f"@AIM.{name}@", _aim(name, side))
    return text.replace("@TYPE@", t.element) + "attributes #0 = { nounwind }\n"


def _aim(name: str, side: str) -> str:
    """Pointer k of node %i: its base plus its offset, for all k."""
    count, pointers = f"%{side}PUT_COUNT", f"%{side}PUTS"
    return f"""
  br label %{name}
{name}:
  %{name}.k = phi i64 [ 0, %{name}.start ], [ %{name}.next, %{name}.one ]
  %{name}.more = icmp slt i64 %{name}.k, {count}
  br i1 %{name}.more, label %{name}.one, label %{name}.done
{name}.one:
  %{name}.base.p = getelementptr ptr, ptr %{side}_BASES, i64 %{name}.k
  %{name}.base = load ptr, ptr %{name}.base.p
  %{name}.offsets.p = getelementptr ptr, ptr %{side}_OFFSETS, i64 %{name}.k
  %{name}.offsets = load ptr, ptr %{name}.offsets.p
  %{name}.offset.p = getelementptr i64, ptr %{name}.offsets, i64 %i
  %{name}.offset = load i64, ptr %{name}.offset.p
  %{name}.pointer = getelementptr i8, ptr %{name}.base, i64 %{name}.offset
  %{name}.to = getelementptr ptr, ptr {pointers}, i64 %{name}.k
  store ptr %{name}.pointer, ptr %{name}.to
  %{name}.next = add i64 %{name}.k, 1
  br label %{name}
{name}.done:"""


_SWEEP = """
define void @sweep(ptr %words) #0 {
entry:
@READS@
  br label %nodes
nodes:
  %i = phi i64 [ %FIRST, %entry ], [ %i.next, %next ]
  %at.end = icmp eq i64 %i, %PAST
  br i1 %at.end, label %finished, label %in.start
in.start:@AIM.in@
  br label %out.start
out.start:@AIM.out@
  %kind.p = getelementptr i64, ptr %KINDS, i64 %i
  %kind = load i64, ptr %kind.p
  %kernel.p = getelementptr ptr, ptr %KERNELS, i64 %kind
  %kernel = load ptr, ptr %kernel.p
  call void %kernel(ptr %INPUTS, ptr %OUTPUTS)
  br label %sums
sums:
  %s = phi i64 [ 0, %out.done ], [ %s.next, %sum.done ]
  %s.more = icmp slt i64 %s, %SUM_COUNT
  br i1 %s.more, label %sum.start, label %next
sum.start:
  %s.count.p = getelementptr i64, ptr %SUM_COUNTS, i64 %s
  %s.count = load i64, ptr %s.count.p
  %s.source.p = getelementptr ptr, ptr %SUM_SOURCES, i64 %s
  %s.source = load ptr, ptr %s.source.p
  %s.base.p = getelementptr ptr, ptr %SUM_BASES, i64 %s
  %s.base = load ptr, ptr %s.base.p
  %s.offsets.p = getelementptr ptr, ptr %SUM_OFFSETS, i64 %s
  %s.offsets = load ptr, ptr %s.offsets.p
  %s.offset.p = getelementptr i64, ptr %s.offsets, i64 %i
  %s.offset = load i64, ptr %s.offset.p
  %s.target = getelementptr i8, ptr %s.base, i64 %s.offset
  br label %sum
sum:
  %j = phi i64 [ 0, %sum.start ], [ %j.next, %sum.one ]
  %j.more = icmp slt i64 %j, %s.count
  br i1 %j.more, label %sum.one, label %sum.done
sum.one:
  %x.p = getelementptr @TYPE@, ptr %s.source, i64 %j
  %x = load @TYPE@, ptr %x.p
  %y.p = getelementptr @TYPE@, ptr %s.target, i64 %j
  %y = load @TYPE@, ptr %y.p
  %z = fadd @TYPE@ %x, %y
  store @TYPE@ %z, ptr %y.p
  %j.next = add i64 %j, 1
  br label %sum
sum.done:
  %s.next = add i64 %s, 1
  br label %sums
next:
  %i.next = add i64 %i, %STRIDE
  br label %nodes
finished:
  ret void
}
"""
