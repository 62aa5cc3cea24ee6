"""The loop over the nodes of a tree: for each, the kernel of its kind, on its own entries and its parent's."""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.notation import expanded, fetched


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
    text = _SWEEP.replace("@READS@", fetched(Word, _COUNTS, "%words")).replace("@TYPE@", t.element)
    return expanded(text) + "attributes #0 = { nounwind }\n"


def _aim(k: str, side: str) -> str:
    """Pointer k of node %i: its base plus its offset, for all k."""
    return f"""  for %{k} below %{side}PUT_COUNT
    %{k}.base <- ptr %{side}_BASES[%{k}]
    %{k}.offsets <- ptr %{side}_OFFSETS[%{k}]
    %{k}.offset <- i64 %{k}.offsets[%i]
    %{k}.pointer = getelementptr i8, ptr %{k}.base, i64 %{k}.offset
    %{side}PUTS[%{k}] <- ptr %{k}.pointer
  next %{k}"""


_SWEEP = f"""
define void @sweep(ptr %words) #0 {{
entry:
@READS@
  br label %nodes
nodes:
  %i = phi i64 [ %FIRST, %entry ], [ %i.next, %s.done ]
  %at.end = icmp eq i64 %i, %PAST
  br i1 %at.end, label %finished, label %node
node:
{_aim("in", "IN")}
{_aim("out", "OUT")}
  %kind <- i64 %KINDS[%i]
  %kernel <- ptr %KERNELS[%kind]
  call void %kernel(ptr %INPUTS, ptr %OUTPUTS)
  for %s below %SUM_COUNT
    %s.count <- i64 %SUM_COUNTS[%s]
    %s.source <- ptr %SUM_SOURCES[%s]
    %s.base <- ptr %SUM_BASES[%s]
    %s.offsets <- ptr %SUM_OFFSETS[%s]
    %s.offset <- i64 %s.offsets[%i]
    %s.target = getelementptr i8, ptr %s.base, i64 %s.offset
    for %j below %s.count
      %x <- @TYPE@ %s.source[%j]
      %y <- @TYPE@ %s.target[%j]
      %z = fadd @TYPE@ %x, %y
      store @TYPE@ %z, ptr %y.p
    next %j
  next %s
  %i.next = add i64 %i, %STRIDE
  br label %nodes
finished:
  ret void
}}
"""
