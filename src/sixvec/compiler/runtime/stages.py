"""Several kernels in a row as one: each reads and writes tiles of the caller, or separate ones between the stages.

`stages` has the signature of a kernel, so a loop over steps (iterate.py) uses it in place of a kernel; and a stage may
be a loop itself.  The data that it needs are in front of the input tiles: `in[-1]` points to a table of words,
first the number of stages, then for each of them its kernel, the number of its arguments, and the addresses of two
lists: the source and the destination of each argument's pointer.
"""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.notation import expanded, fetched


class Word(IntEnum):
    """The words of a stage: its kernel, how many arguments, where their pointers come from and go to, both tables."""

    KERNEL = 0
    COUNT = 1
    FROM = 2
    TO = 3
    INPUTS = 4
    OUTPUTS = 5


def stages_assembly(t: Lanes) -> str:
    """LLVM assembly of `void stages(T *const *in, T *const *out)`."""
    bits = t.bytes * 8
    reads = fetched(Word, (Word.COUNT,), "%stage")
    return (
        expanded(_STAGES.replace("@READS@", reads).replace("@WORDS@", str(len(Word))))
        + f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}\n'
    )


_STAGES = """
define void @stages(ptr %in, ptr %out) #0 {
entry:
  %words <- ptr %in[-1]
  %n = load i64, ptr %words
  %first = getelementptr i64, ptr %words, i64 1
  for %s below %n
    %offset = mul i64 %s, @WORDS@
    %stage = getelementptr i64, ptr %first, i64 %offset
@READS@
    for %a below %COUNT
      %from <- ptr %FROM[%a]
      %tile = load ptr, ptr %from
      %to <- ptr %TO[%a]
      store ptr %tile, ptr %to
    next %a
    call void %KERNEL(ptr %INPUTS, ptr %OUTPUTS)
  next %s
  ret void
}
"""
