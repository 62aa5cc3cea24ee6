"""LLVM assembly: one function per program, for one sample (scalar) or for a vector of samples (lanes).

A lane is a sample of the batch; there are no operations across lanes, and no fast-math flag is set, so a sample's
result has the same bits in any lane, with any neighbours and any vector width.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sixvec.compiler.emit.residence import Residence, part_ends, registers, residence
from sixvec.compiler.emit.schedule import Branch, FlatStep, Region, Wraps, branches, flat, results_of, schedule, unread
from sixvec.compiler.emit.single import single
from sixvec.compiler.far_angle import far_angle
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.ops import WRAP_BEYOND
from sixvec.compiler.program import Program
from sixvec.compiler.slots import share_slots


@dataclass(frozen=True, slots=True)
class Lanes:
    """The type that every value of a function has: `width` samples of float64 or float32."""

    width: int
    dtype: str

    @property
    def element(self) -> str:
        return {"float64": "double", "float32": "float"}[self.dtype]

    @property
    def type(self) -> str:
        return self.element if self.width == 1 else f"<{self.width} x {self.element}>"

    @property
    def mask(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        """How LLVM spells this type in the name of an intrinsic."""
        bits = {"float64": "f64", "float32": "f32"}[self.dtype]
        return bits if self.width == 1 else f"v{self.width}{bits}"

    @property
    def bytes(self) -> int:
        return self.width * {"float64": 8, "float32": 4}[self.dtype]

    def constant(self, x: float) -> str:
        if self.dtype == "float32":
            x = single(x)
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return bits if self.width == 1 else f"splat ({self.element} {bits})"


# One line per op: the instruction that computes it from its arguments, for values of type t.
INSTRUCTIONS: dict[str, Callable[..., str]] = {
    "neg": lambda t, x: f"fneg {t.type} {x}",
    "add": lambda t, a, b: f"fadd {t.type} {a}, {b}",
    "sub": lambda t, a, b: f"fsub {t.type} {a}, {b}",
    "mul": lambda t, a, b: f"fmul {t.type} {a}, {b}",
    "recip": lambda t, x: f"fdiv {t.type} {t.constant(1.0)}, {x}",
    "fma": lambda t, a, b, c: f"call {t.type} @llvm.fma.{t.suffix}({t.type} {a}, {t.type} {b}, {t.type} {c})",
    "sqrt": lambda t, x: f"call {t.type} @llvm.sqrt.{t.suffix}({t.type} {x})",
    "abs": lambda t, x: f"call {t.type} @llvm.fabs.{t.suffix}({t.type} {x})",
    "rint": lambda t, x: f"call {t.type} @llvm.rint.{t.suffix}({t.type} {x})",
    "lt": lambda t, a, b: f"fcmp olt {t.type} {a}, {b}",
    "where": lambda t, c, a, b: f"select {t.mask} {c}, {t.type} {a}, {t.type} {b}",
    "guard": lambda t, c, a, b: f"select {t.mask} {c}, {t.type} {a}, {t.type} {b}",
}

_LOWERED = {"sin", "cos", "arctan2"}
"""Ops that lower.py has replaced before this pass."""

_GROUPED = {"wrap"}
"""Ops emitted together, behind one shared test (see `_emit_wraps`)."""

SHORT_REACH = 256
"""Vectors within reach of an address of one byte, counted in vectors, on both sides of a pointer."""

PART = 4000
"""Operations of a part of a long program."""

SUPPORTED = INSTRUCTIONS.keys() | _LOWERED | _GROUPED


def emit_llvm(program: Program, lanes: Lanes, name: str = "body", whole: bool = False) -> str:
    """LLVM assembly of `void name(const T *const *in, T *const *out)`.

    Array k of `in` holds the entries of input k one after the other, each as `lanes.width` adjacent samples; so does
    `out`.  Lanes store each distinct entry of an output once, in its slot, and no constants; the scalar function and
    one with `whole` store every entry at its index.
    """
    writer = _Writer(program, lanes, whole or lanes.width == 1)
    return (
        "\n".join(writer.functions(name))
        + "\n\n"
        + declarations(lanes)
        + attributes(lanes)
        + '!0 = !{!0, !"arrays"}\n!1 = !{!1, !0, !"in"}\n!2 = !{!2, !0, !"out"}\n!3 = !{!1}\n!4 = !{!2}\n'
        + '!5 = !{}\n!6 = !{!"branch_weights", i32 1, i32 100000}\n!7 = !{!1, !2}\n'
    )


def attributes(lanes: Lanes) -> str:
    """Spilled vectors are kept on the stack, where none should cross a cache-line boundary either."""
    stack = f"alignstack={lanes.bytes} " if lanes.width > 1 else ""
    bits = lanes.bytes * 8
    vectors = f'"prefer-vector-width"="{max(128, bits)}" "min-legal-vector-width"="{bits}"'
    return f"attributes #0 = {{ nounwind {stack}{vectors} }}\n"


class _Writer:
    """Turns the nodes of one program into lines of assembly."""

    def __init__(self, program: Program, lanes: Lanes, whole: bool) -> None:
        self.program, self.lanes, self.whole = program, lanes, whole
        self.unread: dict[Node, Node] = {}
        self.number = {node: i for i, node in enumerate(program.nodes)}
        self.port = {p.name: k for k, p in enumerate(program.inputs)}
        self.loaded: dict[Node, int] = {}
        self.skipped: dict[Region, list[str]] = {}

    def value(self, x: Operand) -> str:
        """The name of a value, which changes with each reload."""
        if not isinstance(x, Node):
            return self.lanes.constant(x)
        return f"%v{self.number[x]}" + (f".{self.loaded[x]}" if x in self.loaded else "")

    def functions(self, name: str) -> Iterator[str]:
        """The function.  A long one calls its parts: LLVM takes less time for several functions than for one."""
        steps, self.unread = flat(schedule(self.program)), unread(self.program)
        for step in steps:
            if isinstance(step, Branch):
                step.region.unread = frozenset(self.unread).intersection(step.region.guards)
        nodes = [results_of(step) for step in steps]
        planned = registers(len(self.program.nodes), self.lanes.width, self.lanes.bytes)
        ends = part_ends(nodes, PART) if planned < len(nodes) and len(nodes) >= 2 * PART else []
        places, stores = residence(nodes, planned, ends, branches(steps)), self._stores()
        yield f"define void @{name}(ptr noalias %in, ptr noalias %out) #0 {{\nentry:"
        if places.size or ends:
            yield f"  %spill = alloca [{places.size} x {self.lanes.type}], align {self.lanes.bytes}"
        if not ends:
            yield from self._lines(steps, places, stores, range(len(steps)))
        for k in range(len(ends)):
            yield f"  call void @{name}.part{k}(ptr %in, ptr %out, ptr %spill)"
        yield "  ret void\n}"
        for k, (before, end) in enumerate(pairwise([-1, *ends])):
            pointers = "ptr noalias %in, ptr noalias %out, ptr noalias %spill"
            yield f"define internal void @{name}.part{k}({pointers}) #0 {{\nentry:"
            yield from self._lines(steps, places, stores, range(before + 1, end + 1))
            yield "  ret void\n}"

    def _lines(
        self, steps: Sequence[FlatStep], places: Residence, stores: dict[Node | None, list[str]], which: range
    ) -> Iterator[str]:
        """Some of the steps."""
        for k in range(len(self.program.inputs)):
            yield f"  %ip{k} = getelementptr ptr, ptr %in, i64 {k}"
            yield f"  %i{k} = load ptr, ptr %ip{k}, !invariant.load !5"
        for k in range(len(self.program.outputs)):
            yield f"  %op{k} = getelementptr ptr, ptr %out, i64 {k}"
            yield f"  %o{k} = load ptr, ptr %op{k}, !invariant.load !5"
        yield from stores.pop(None, [])
        yield from self._spill_pointers(places.size)
        for i in which:
            step = steps[i]
            for node in places.loads[i]:
                yield from self._load(node, places.slots)
            if isinstance(step, Node):
                yield from self._emit(step)
            elif isinstance(step, Wraps):
                yield from self._emit_wraps(step.nodes, f"w{i}")
            elif isinstance(step, Branch):
                yield from self._enter(step.region)
            else:
                yield from self._leave(step.region)
            for node in results_of(step):
                yield from stores.get(node, [])
                if node in places.slots:
                    yield from self._keep(node, places.slots[node])

    def _enter(self, region: Region) -> Iterator[str]:
        """The branch around a region, taken if no lane needs it."""
        t, label, some = self.lanes, self._label(region), self.value(region.condition)
        if t.width > 1:
            yield f"  %{label}any = call i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask} {some})"
            some = f"%{label}any"
        self.skipped[region] = [self.value(guard.args[2]) for guard in region.joined]
        yield f"  br label %{label}before\n{label}before:"
        yield f"  br i1 {some}, label %{label}body, label %{label}done\n{label}body:"

    def _leave(self, region: Region) -> Iterator[str]:
        """The end of a region: the values of its guards, lane by lane, or those that they have if it is skipped."""
        t, label = self.lanes, self._label(region)
        yield f"  br label %{label}end\n{label}end:"
        for j, guard in enumerate(region.joined):
            chosen = INSTRUCTIONS["guard"](t, *map(self.value, guard.args))
            yield f"  %{label}s{j} = {chosen}"
        yield f"  br label %{label}done\n{label}done:"
        for j, (guard, no) in enumerate(zip(region.joined, self.skipped.pop(region), strict=True)):
            yield f"  {self.value(guard)} = phi {t.type} [ {no}, %{label}before ], [ %{label}s{j}, %{label}end ]"

    def _label(self, region: Region) -> str:
        return f"r{self.number[region.guards[0]]}"

    def _emit(self, node: Node) -> Iterator[str]:
        if node.op == "input":
            yield from self._read(node)
        else:
            arguments = (self.value(a) for a in node.args)
            yield f"  {self.value(node)} = {INSTRUCTIONS[node.op](self.lanes, *arguments)}"

    def _read(self, node: Node) -> Iterator[str]:
        """An input, from its array."""
        t, v = self.lanes, self.value(node)
        name, index = node.source
        yield f"  {v}.p = getelementptr {t.type}, ptr %i{self.port[name]}, i64 {index}"
        yield f"  {v} = load {t.type}, ptr {v}.p, align {t.bytes}, !alias.scope !3, !noalias !4"

    def _spill_pointers(self, size: int) -> Iterator[str]:
        """Pointers into the memory for spilled values, each in the middle of the range of short addresses.

        The pointers pass through memory opaque to LLVM, which would otherwise express them all by the first.
        """
        t = self.lanes
        for k in range(-(-size // SHORT_REACH)):
            yield f"  %base{k}.keep = alloca ptr"
            yield f"  %base{k}.first = getelementptr {t.type}, ptr %spill, i64 {k * SHORT_REACH + SHORT_REACH // 2}"
            yield f"  store volatile ptr %base{k}.first, ptr %base{k}.keep"
            yield f"  %base{k} = load volatile ptr, ptr %base{k}.keep"

    def _place(self, slot: int, name: str) -> str:
        base, offset = f"%base{slot // SHORT_REACH}", slot % SHORT_REACH - SHORT_REACH // 2
        return f"  {name} = getelementptr {self.lanes.type}, ptr {base}, i64 {offset}"

    def _keep(self, node: Node, slot: int) -> Iterator[str]:
        t, v = self.lanes, self.value(node)
        yield self._place(slot, f"{v}.kept")
        yield f"  store {t.type} {v}, ptr {v}.kept, align {t.bytes}, !noalias !7"

    def _load(self, node: Node, slots: dict[Node, int]) -> Iterator[str]:
        self.loaded[node] = self.loaded.get(node, 0) + 1
        if node not in slots:
            yield from self._read(node)
            return
        t, v = self.lanes, self.value(node)
        yield self._place(slots[node], f"{v}.p")
        yield f"  {v} = load {t.type}, ptr {v}.p, align {t.bytes}, !noalias !7"

    def _stores(self) -> dict[Node | None, list[str]]:
        """The stores due once a node is known; those of constants have the key None.

        A function that is not whole stores each value once, and omits constants: its tiles already contain them.
        """
        t, n = self.lanes, 0
        due: dict[Node | None, list[str]] = {}
        for k, entries in enumerate(self.program.results):
            for i, x in enumerate(entries if self.whole else share_slots(entries).values):
                key = self.unread.get(x, x) if isinstance(x, Node) else None
                if key is None and not self.whole:
                    continue
                stored = f"{t.type} {self.value(x if key is None else key)}"
                due.setdefault(key, []).extend(
                    (
                        f"  %s{n} = getelementptr {t.type}, ptr %o{k}, i64 {i}",
                        f"  store {stored}, ptr %s{n}, align {t.bytes}, !alias.scope !4, !noalias !3",
                    )
                )
                n += 1
        return due

    def _emit_wraps(self, wraps: list[Node], label: str) -> Iterator[str]:
        """Angles pass unchanged unless one of them is huge: one test and one never-taken branch for all of them."""
        t, huge = self.lanes, "false"
        for j, node in enumerate(wraps):
            x = self.value(node.args[0])
            yield f"  %{label}a{j} = call {t.type} @llvm.fabs.{t.suffix}({t.type} {x})"
            yield f"  %{label}c{j} = fcmp uge {t.type} %{label}a{j}, {t.constant(WRAP_BEYOND)}"
            if j:
                yield f"  %{label}o{j} = or {t.mask} {huge}, %{label}c{j}"
            huge = f"%{label}o{j}" if j else f"%{label}c{j}"
        if t.width > 1:
            yield f"  %{label}any = call i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask} {huge})"
            huge = f"%{label}any"
        before = f"{label}before"
        yield f"  br label %{before}\n{before}:"
        yield f"  br i1 {huge}, label %{label}slow, label %{label}done, !prof !6"
        yield f"{label}slow:"
        for j, node in enumerate(wraps):
            yield f"  %{label}s{j} = call {t.type} @wrap.{t.suffix}({t.type} {self.value(node.args[0])})"
        yield f"  br label %{label}done\n{label}done:"
        for j, node in enumerate(wraps):
            x = self.value(node.args[0])
            yield f"  {self.value(node)} = phi {t.type} [ {x}, %{before} ], [ %{label}s{j}, %{label}slow ]"


def declarations(t: Lanes) -> str:
    """Intrinsics, and the function for huge angles."""
    lines = [
        f"declare {t.type} @llvm.{f}.{t.suffix}({', '.join([t.type] * n)})"
        for f, n in (("fma", 3), ("sqrt", 1), ("fabs", 1), ("rint", 1))
    ]
    if t.width > 1:
        lines += [f"declare i1 @llvm.vector.reduce.or.v{t.width}i1({t.mask})"]
    return "\n".join([*lines, *_far_angles(t)]) + "\n"


def _far_angles(t: Lanes) -> Iterator[str]:
    """A function that wraps huge angles and returns others unchanged."""
    program = far_angle(t.dtype)
    number = {node: f"%n{i}" if node.op != "input" else "%x" for i, node in enumerate(program.nodes)}
    ((result,),) = program.results

    def show(x: Operand) -> str:
        return number[x] if isinstance(x, Node) else t.constant(x)

    yield f"define internal {t.type} @wrap.{t.suffix}({t.type} %x) noinline #0 {{"
    for node in program.nodes:
        if node.op != "input":
            yield f"  {number[node]} = {INSTRUCTIONS[node.op](t, *map(show, node.args))}"
    yield f"  %size = call {t.type} @llvm.fabs.{t.suffix}({t.type} %x)"
    yield f"  %near = fcmp ult {t.type} %size, {t.constant(WRAP_BEYOND)}"
    yield f"  %angle = select {t.mask} %near, {t.type} %x, {t.type} {show(result)}"
    yield f"  ret {t.type} %angle\n}}"
