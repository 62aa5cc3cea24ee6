"""A machine that runs programs as bytecode (compiler/bytecode.py): the first results of programs that LLVM compiles for
seconds.

Each operation is the instruction that LLVM's assembly has for it, so results have the same bits.  The object code of
the machine is loaded once for each program, and `context`, its data, says where the program is; so `body` is a function
like the compiled one.  As soon as the compiled one is there, its address in `context` makes `body` a jump to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from sixvec.compiler.bytecode import ARITHMETIC, OPCODES, WORDS
from sixvec.compiler.emit.llvm import INSTRUCTIONS, Lanes, attributes, declarations
from sixvec.compiler.ops import OPS, WRAP_BEYOND
from sixvec.compiler.runtime.notation import expanded


class Context(IntEnum):
    """The words of the machine's data."""

    COMPILED = 0
    """The compiled function, 0 while there is none."""
    INSTRUCTIONS = 1
    CONSTANTS = 2
    SLOTS = 3


def interpreter_assembly(t: Lanes) -> str:
    """LLVM assembly of `void body(const T *const *in, T *const *out)`, and of `context`."""
    cases = "\n".join(f"    i32 {code}, label %{name}" for name, code in OPCODES.items() if name != "end")
    operations = "\n".join(line for op in ARITHMETIC for line in _operation(t, op))
    facts = {
        "@TYPE@": t.type,
        "@BYTES@": t.bytes,
        "@WORDS@": WORDS,
        "@LENGTH@": len(Context),
        "@CASES@": cases,
        "@OPERATIONS@": operations,
        "@FOLLOWING@": ", ".join(f"[ %following, %{name} ]" for name in _ends()),
        "@CONSTANT@": _constant(t),
    }
    text = _MACHINE
    for word in Context:
        text = text.replace(f"@{word.name}@", str(word.value))
    for name, value in facts.items():
        text = text.replace(name, str(value))
    return expanded(text) + declarations(t) + attributes(t)


def _ends() -> Iterator[str]:
    """The blocks that lead to the next instruction."""
    for name in OPCODES:
        if name != "end":
            yield f"{name}.done" if name == "wrap" else name


def _operation(t: Lanes, op: str) -> Iterator[str]:
    """The block of an operation: its arguments from their slots, the result into its own."""
    yield f"{op}:"
    arguments = [f"%{op}.{k}" for k in range(OPS[op].arity)]
    for k, x in enumerate(arguments):
        yield f"  {x}.p = getelementptr i8, ptr %values, i64 %{'abc'[k]}"
        yield f"  {x} = load {t.type}, ptr {x}.p, align {t.bytes}"
    result = f"%{op}.result"
    if op == "wrap":
        yield from _wrap(t, *arguments)
    elif op == "lt":  # conditions are numbers in their slots
        yield f"  %{op}.mask = {INSTRUCTIONS[op](t, *arguments)}"
        yield f"  {result} = select {t.mask} %{op}.mask, {t.type} {t.constant(1.0)}, {t.type} {t.constant(0.0)}"
    elif op == "where":
        yield f"  %{op}.mask = fcmp une {t.type} {arguments[0]}, {t.constant(0.0)}"
        yield f"  {result} = {INSTRUCTIONS[op](t, f'%{op}.mask', *arguments[1:])}"
    else:
        yield f"  {result} = {INSTRUCTIONS[op](t, *arguments)}"
    yield f"  store {t.type} {result}, ptr %to, align {t.bytes}"
    yield "  br label %next"


def _wrap(t: Lanes, x: str) -> Iterator[str]:
    """Huge angles are rare: one test for all lanes."""
    yield f"  %size = call {t.type} @llvm.fabs.{t.suffix}({t.type} {x})"
    yield f"  %far = fcmp uge {t.type} %size, {t.constant(WRAP_BEYOND)}"
    any_far = "%far"
    if t.width > 1:
        any_far = "%any"
        yield f"  %any = call i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask} %far)"
    yield f"  br i1 {any_far}, label %wrap.far, label %wrap.done"
    yield "wrap.far:"
    yield f"  %wrapped = call {t.type} @wrap.{t.suffix}({t.type} {x})"
    yield "  br label %wrap.done"
    yield "wrap.done:"
    yield f"  %wrap.result = phi {t.type} [ {x}, %wrap ], [ %wrapped, %wrap.far ]"


def _constant(t: Lanes) -> str:
    """%constant.x: the number at %constant.p, in all lanes."""
    load = f"load {t.element}, ptr %constant.p"
    if t.width == 1:
        return f"  %constant.x = {load}"
    return (
        f"  %constant.one = {load}\n"
        f"  %constant.first = insertelement {t.type} poison, {t.element} %constant.one, i32 0\n"
        f"  %constant.x = shufflevector {t.type} %constant.first, {t.type} poison, <{t.width} x i32> zeroinitializer"
    )


_MACHINE = """
@context = dso_local global [@LENGTH@ x i64] zeroinitializer, align 8

define void @body(ptr %in, ptr %out) nounwind {
  %compiled.p = getelementptr i64, ptr @context, i64 @COMPILED@
  %compiled = load atomic ptr, ptr %compiled.p acquire, align 8
  %there = icmp ne ptr %compiled, null
  br i1 %there, label %jump, label %run
jump:
  tail call void %compiled(ptr %in, ptr %out)
  ret void
run:
  tail call void @interpret(ptr %in, ptr %out)
  ret void
}

define internal void @interpret(ptr %in, ptr %out) noinline #0 {
entry:
  %first.p = getelementptr i64, ptr @context, i64 @INSTRUCTIONS@
  %first = load ptr, ptr %first.p
  %constants.p = getelementptr i64, ptr @context, i64 @CONSTANTS@
  %constants = load ptr, ptr %constants.p
  %slots.p = getelementptr i64, ptr @context, i64 @SLOTS@
  %slots = load i64, ptr %slots.p
  %values = alloca @TYPE@, i64 %slots, align @BYTES@
  br label %next
next:
  %at = phi ptr [ %first, %entry ], @FOLLOWING@
  %following = getelementptr i32, ptr %at, i64 @WORDS@
  %op = load i32, ptr %at
  %d.short <- i32 %at[1]
  %d = zext i32 %d.short to i64
  %a.short <- i32 %at[2]
  %a = zext i32 %a.short to i64
  %b.short <- i32 %at[3]
  %b = zext i32 %b.short to i64
  %c.short <- i32 %at[4]
  %c = zext i32 %c.short to i64
  %to = getelementptr i8, ptr %values, i64 %d
  switch i32 %op, label %end [
@CASES@
  ]
constant:
  %constant.p = getelementptr i8, ptr %constants, i64 %b
@CONSTANT@
  store @TYPE@ %constant.x, ptr %to, align @BYTES@
  br label %next
input:
  %input.array <- ptr %in + %a
  %input.p = getelementptr i8, ptr %input.array, i64 %b
  %input.x = load @TYPE@, ptr %input.p, align @BYTES@
  store @TYPE@ %input.x, ptr %to, align @BYTES@
  br label %next
output:
  %output.array <- ptr %out + %a
  %output.p = getelementptr i8, ptr %output.array, i64 %b
  %output.x = load @TYPE@, ptr %to, align @BYTES@
  store @TYPE@ %output.x, ptr %output.p, align @BYTES@
  br label %next
@OPERATIONS@
end:
  ret void
}

"""
