"""The loop over steps: a kernel run again and again on the same tiles, its results fed back as its inputs.

`iterate` has the signature of a kernel, so the loop over a batch (batch.py) uses it in place of a kernel.  The data
that it needs are in front of the input tiles: `in[-1]` points to the words below.
"""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes


class Word(IntEnum):
    """The 64-bit words that direct one loop; all but STEPS and the counts are addresses.

    The kernel's first CARRIED inputs and outputs are the state that is fed back.  It is written to the tiles EVEN and
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
    """The tile of the kernel's last output: the loop ends when no lane of it is positive.  Zero for no test."""


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


def _loop(label: str, i: str, before: str, first: str, count: str, then: str, body: str) -> str:
    """i from `first` to `count`, which comes from the label `before` and goes on at `then`."""
    return f"""{label}:
  %{i} = phi i64 [ {first}, %{before} ], [ %{i}.next, %{label}.one ]
  %{i}.more = icmp slt i64 %{i}, %{count}
  br i1 %{i}.more, label %{label}.one, label %{then}
{label}.one:
{body.replace("$", "%" + i)}
  %{i}.next = add i64 %{i}, 1
  br label %{label}"""


def _copied(source: str, target: str) -> str:
    """A pointer from one table to another."""
    return f"""  $.from = getelementptr ptr, ptr %{source}, i64 $
  $.tile = load ptr, ptr $.from
  $.to = getelementptr ptr, ptr %{target}, i64 $
  store ptr $.tile, ptr $.to"""


def _advanced(side: str) -> str:
    """A pointer of inputs or outputs, a stride further."""
    return f"""  $.by.p = getelementptr i64, ptr %{side}_STRIDES, i64 $
  $.by = load i64, ptr $.by.p
  $.at = getelementptr ptr, ptr %{side}S, i64 $
  $.old = load ptr, ptr $.at
  $.new = getelementptr i8, ptr $.old, i64 $.by
  store ptr $.new, ptr $.at"""


_ITERATE = f"""
define void @iterate(ptr %in, ptr %out) #0 {{
entry:
  %words.p = getelementptr ptr, ptr %in, i64 -1
  %words = load ptr, ptr %words.p
@READS@
  br label %start.in
{_loop("start.in", "i", "entry", "0", "INPUT_COUNT", "start.out", _copied("in", "INPUTS"))}
{_loop("start.out", "o", "start.in", "%CARRIED", "OUTPUT_COUNT", "steps", _copied("out", "OUTPUTS"))}
steps:
  %t = phi i64 [ 0, %start.out ], [ %t.next, %again ]
  %t.more = icmp slt i64 %t, %STEPS
  br i1 %t.more, label %aim, label %finish
aim:
  %bit = and i64 %t, 1
  %is.odd = icmp ne i64 %bit, 0
  %side = select i1 %is.odd, ptr %ODD, ptr %EVEN
  br label %aims
{_loop("aims", "c", "aim", "0", "CARRIED", "run", _copied("side", "OUTPUTS"))}
run:
  call void %KERNEL(ptr %INPUTS, ptr %OUTPUTS)
  br label %feed
{_loop("feed", "f", "run", "0", "CARRIED", "advance.in", _copied("OUTPUTS", "INPUTS"))}
{_loop("advance.in", "a", "feed", "%CARRIED", "INPUT_COUNT", "advance.out", _advanced("INPUT"))}
{_loop("advance.out", "b", "advance.in", "%CARRIED", "OUTPUT_COUNT", "test", _advanced("OUTPUT"))}
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
}}
"""
