"""Several kernels in a row as one: each reads and writes tiles of the caller, or of its own between the stages.

`stages` has the signature of a kernel, so a loop over steps (iterate.py) uses it in place of a kernel; and a stage may
be a loop itself.  The data that it needs are in front of the input tiles: `in[-1]` points to a table of words,
first the number of stages, then for each of them its kernel, the number of its arguments, and the addresses of two
lists: the source and the destination of each argument's pointer.
"""

from __future__ import annotations

from sixvec.compiler.emit.llvm import Lanes

WORDS_PER_STAGE = 6
"""kernel, number of arguments, list of sources, list of places, the kernel's inputs, its outputs."""


def stages_assembly(t: Lanes) -> str:
    """LLVM assembly of `void stages(T *const *in, T *const *out)`."""
    bits = t.bytes * 8
    fields = ("KERNEL", "COUNT", "FROM", "TO", "INPUTS", "OUTPUTS")
    reads = "\n".join(
        f"  %p.{name} = getelementptr i64, ptr %stage, i64 {k}\n"
        f"  %{name} = load {'i64' if name == 'COUNT' else 'ptr'}, ptr %p.{name}"
        for k, name in enumerate(fields)
    )
    return (
        _STAGES.replace("@READS@", reads).replace("@WORDS@", str(WORDS_PER_STAGE))
        + f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}\n'
    )


_STAGES = """
define void @stages(ptr %in, ptr %out) #0 {
entry:
  %words.p = getelementptr ptr, ptr %in, i64 -1
  %words = load ptr, ptr %words.p
  %n = load i64, ptr %words
  %first = getelementptr i64, ptr %words, i64 1
  br label %stages
stages:
  %s = phi i64 [ 0, %entry ], [ %s.next, %run ]
  %s.more = icmp slt i64 %s, %n
  br i1 %s.more, label %prepare, label %done
prepare:
  %offset = mul i64 %s, @WORDS@
  %stage = getelementptr i64, ptr %first, i64 %offset
@READS@
  br label %arguments
arguments:
  %a = phi i64 [ 0, %prepare ], [ %a.next, %argument ]
  %a.more = icmp slt i64 %a, %COUNT
  br i1 %a.more, label %argument, label %run
argument:
  %from.p = getelementptr ptr, ptr %FROM, i64 %a
  %from = load ptr, ptr %from.p
  %tile = load ptr, ptr %from
  %to.p = getelementptr ptr, ptr %TO, i64 %a
  %to = load ptr, ptr %to.p
  store ptr %tile, ptr %to
  %a.next = add i64 %a, 1
  br label %arguments
run:
  call void %KERNEL(ptr %INPUTS, ptr %OUTPUTS)
  %s.next = add i64 %s, 1
  br label %stages
done:
  ret void
}
"""
