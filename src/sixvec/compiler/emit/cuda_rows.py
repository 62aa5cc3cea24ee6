"""CUDA C for row-major arrays of the user: one thread per row.

Neighbouring threads should access neighbouring numbers, but row-major arrays do not allow it.  So a warp copies its 32
rows to shared memory together, whole cache lines at a time; every thread computes its row from there and stores its
results there, and the warp writes them back together.  Warps do not wait for each other: while one copies, others
compute.  Rows are padded to an odd length: then threads access different banks.  Of results that are too large for
that, the distinct numbers are in shared memory (`cuda_distinct`).  If those are too many, a program in sections is
faster (`cuda_sections`); where there must be one kernel, each thread writes its results one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.emit.cuda import AGAIN, CONSTANTS, EXPRESSIONS, prelude, statements
from sixvec.compiler.emit.cuda_angles import Angle, angle_loops, inputs_read_by, looped_angles, sincos_source
from sixvec.compiler.emit.cuda_distinct import WRITERS, distinct, spread_by_block, tables
from sixvec.compiler.emit.cuda_spill import BEYOND, Column, SpillPlan, spill_plan
from sixvec.compiler.emit.cuda_tiles import BYTES, PREFETCH, WARP, brought, pitch, rows_of_a_warp, taken_away
from sixvec.compiler.emit.function import Function, shape
from sixvec.compiler.emit.rematerialisation import Rematerialised, best_cut, rematerialised
from sixvec.compiler.graph import Node
from sixvec.compiler.lower import lowered
from sixvec.compiler.ops import WRAP_BEYOND
from sixvec.compiler.program import Port, Program
from sixvec.errors import ArgumentError

SHARED_BYTES = {64: 48 * 1024, 32: 72 * 1024}
"""Bytes of shared memory for a block of so many threads, the preferred size first."""

FAST = ("sin", "cos")
"""Single-precision operations computed by the device itself in fast mode."""

AHEAD = 8192

DISTINCT_SHARED_BYTES = 96 * 1024
"""Bytes for a block of one warp with the distinct numbers of its results: two blocks fit into a multiprocessor."""

KEPT, KEPT_AT_LEAST = 124, 100
"""Numbers of double precision in the 255 registers of a thread.  The compiler needs some of them for itself, more of
them if it must find places for numbers that exceed the columns for them."""

FEW = (4, 12)
"""Operations for which a number is computed again; a sine takes more.  The second if the first does not suffice."""

WORTH = 0.5
"""The part of the numbers without a column that may be left by computing others again."""

SPILL_SHARED_BYTES = 56 * 1024
"""Bytes for a block that spills to shared memory: four blocks of a warp fit into a multiprocessor."""

ALONE = 4000
"""Operations from which a second warp of a scheduler gains less than both lose by waiting for instructions."""

Results = Literal["rows", "distinct", "one by one"]
"""How results reach their rows: through shared memory, their distinct numbers through it, or each from its thread."""


@dataclass(frozen=True)
class Launch:
    """How a kernel of rows is launched."""

    threads: int
    shared_bytes: int
    results: Results = "rows"
    resident: int = 0
    """Blocks per multiprocessor, which bounds the registers of a thread; 0 leaves them to the compiler."""
    angles: tuple[Angle, ...] = ()
    """Inputs whose sines and cosines a loop computes."""
    ahead: int = AHEAD
    """Rows between those that a warp loads and those that it has fetched into the cache for a later one."""
    registers: int = 0
    """Values kept in registers, others are spilled to shared memory; 0 leaves the choice to the compiler."""
    extra: int = 0
    """Columns of shared memory for spilled values, beyond those of results."""
    cut: int = 0
    """The operation from which some values are computed again; 0 if none are."""
    few: int = 0
    """The operations for which they are."""

    @property
    def staged(self) -> bool:
        return self.results == "rows"

    @property
    def bounds(self) -> str:
        """Options of the compiler."""
        return f"__launch_bounds__({self.threads}{f', {self.resident}' if self.resident else ''})"

    @property
    def rows(self) -> int:
        """Samples of a block."""
        return WARP if self.results == "distinct" else self.threads

    def blocks(self, count: int) -> int:
        return -(-count // self.rows)


def launch(
    program: Program, dtype: str, ways: Sequence[Results] = ("rows", "one by one"), angles: tuple[Angle, ...] = ()
) -> Launch:
    """The block that fits a lowered program: its results go the first way that is possible.

    >>> from sixvec.compiler.program import Port, trace
    >>> plan = launch(trace("sum", [Port("x", (7,))], lambda x: [(Port("y", (1,)), [x[0] + x[1]])]), "float32")
    >>> plan.threads, plan.shared_bytes, plan.results
    (64, 2048, 'rows')
    """
    columns = sum(pitch(p.size) for p in used_inputs(program)) + _columns(angles)
    result_columns = sum(pitch(p.size) for p in program.outputs)
    for way in ways:
        if way == "distinct":
            size = WARP * BYTES[dtype] * (columns + pitch(distinct(program).columns))
            if size <= DISTINCT_SHARED_BYTES:
                return Launch(WRITERS, size, way, angles=angles)
            continue
        for threads, available in SHARED_BYTES.items():
            size = threads * BYTES[dtype] * (columns + result_columns * (way == "rows"))
            if size <= available:
                return Launch(threads, size, way, angles=angles)
    raise ArgumentError(f"{program.name}: {columns} numbers a sample are too many inputs for a block on a CUDA device")


def _columns(angles: tuple[Angle, ...]) -> int:
    """Numbers per row for the cosines."""
    return pitch(len(angles)) if angles else 0


def planned(program: Program, dtype: str, fast: bool, ways: Sequence[Results] = ("rows", "one by one")) -> Launch:
    """As `launch`, for a program that is not lowered yet."""
    angles = () if fast or dtype == "float64" else looped_angles(program)
    prepared = ready(program, dtype, fast, angles)
    plan = launch(prepared, dtype, ways, angles)
    return _with_spilling(plan, prepared) if dtype == "float64" and plan.results == "rows" else plan


def _with_spilling(plan: Launch, program: Program) -> Launch:
    """The plan with columns for spilled values; if there are too few of them, some values are rematerialised."""
    column = BYTES["float64"] * plan.threads
    extra = max(0, SPILL_SHARED_BYTES - plan.shared_bytes) // column
    spilling = whole = spill_plan(program, KEPT, extra)
    if not spilling.columns:
        return plan
    cut = few = 0
    if whole.without_memory:
        for few in FEW:
            cut = best_cut(program, KEPT, few)
            spilling = spill_plan(rematerialised(program, cut, few).program, KEPT, extra)
            if not spilling.without_memory:
                break
    if spilling.without_memory > WORTH * whole.without_memory:
        cut = few = 0
    registers = KEPT_AT_LEAST if spilling.without_memory else KEPT
    used = spill_plan(rematerialised(program, cut, few).program, registers, extra).extra
    shared_bytes = plan.shared_bytes + used * column
    if len(program.nodes) > ALONE:
        shared_bytes = max(shared_bytes, SPILL_SHARED_BYTES)
    return replace(plan, registers=registers, extra=used, cut=cut, few=few, shared_bytes=shared_bytes)


def _has_own_sines(dtype: str, fast: bool) -> bool:
    return fast and dtype == "float32"


def ready(program: Program, dtype: str, fast: bool, angles: tuple[Angle, ...] = ()) -> Program:
    """The program as it is emitted."""
    if angles:
        return lowered(program, dtype, FAST, frozenset(angles))
    return lowered(program, dtype, FAST if _has_own_sines(dtype, fast) else ())


def emit_rows(function: Function, dtype: str = "float64", plan: Launch | None = None, fast: bool = False) -> str:
    """The source of one kernel `name(count, in, in_row, in_step, …, out, …)`.

    Component j of row i of an input is in[i * in_row + j * in_step], which includes row-major arrays, component-major
    ones and one row for all (in_row = 0).  Results are rows, one after the other.
    """
    kind, _ = TYPES[dtype]
    plan = plan or planned(function.program, dtype, fast)
    constants: dict[str, int] | None = {} if plan.registers else None
    prepared, names = (
        rematerialised(ready(function.program, dtype, fast, plan.angles), plan.cut, plan.few),
        function.arguments,
    )
    program = prepared.program
    inputs, outputs = names[: len(program.inputs)], names[len(program.inputs) :]
    arguments = [f"const {kind} *__restrict__ {name}, long long {name}_row, long long {name}_step" for name in inputs]
    arguments += [f"{kind} *__restrict__ {name}" for name in outputs]
    signature = ",\n    ".join(["long long count", *arguments])
    ports = zip(names, (*program.inputs, *program.outputs), strict=True)
    body = list(_body(function, prepared, dtype, plan, constants))
    return "\n".join([
        *function.comment(
            *(f"  {name}: {shape(p)}" for name, p in ports),
            "Generated by sixvec.  Rows one after the other, a thread a row;",
            f"{plan.threads} threads in a block and {plan.shared_bytes} bytes of shared memory.",
            "For the bits that sixvec computes, compile with --fmad=false and without --use_fast_math.",
        ),
        *prelude(program, dtype, bool(plan.angles)),
        PREFETCH,
        *([AGAIN] if prepared.fresh else ()),
        *([f"__constant__ {kind} {CONSTANTS}[] = {{{', '.join(constants)}}};"] if constants else ()),
        *(sincos_source(dtype) if plan.angles else ()),
        *(tables(distinct(program), tuple(outputs)) if plan.results == "distinct" else ()),
        f'extern "C" __global__ void {plan.bounds} {function.symbol}(\n    {signature}) {{',
        *body,
        "}",
        "",
    ])  # fmt: skip


def _body(
    function: Function, prepared: Rematerialised, dtype: str, plan: Launch, constants: dict[str, int] | None
) -> Iterator[str]:
    (kind, _), program = TYPES[dtype], prepared.program
    ports = {p.name: p for p in program.inputs}
    names = dict(zip(ports, function.arguments, strict=False))
    results = function.arguments[len(program.inputs) :]
    staged = [(names[p.name], p) for p in used_inputs(program)]
    whole, leaving = program, [*zip(results, program.outputs, strict=True)] if plan.staged else []
    numbered = distinct(program) if plan.results == "distinct" else None
    if numbered is not None:
        program = replace(numbered.program, outputs=(Port("numbers", (numbered.columns,)),), results=(numbered.row(),))
        leaving = [("numbers", program.outputs[0])]
    numbers = sum(pitch(p.size) for _, p in (*staged, *leaving)) + _columns(plan.angles) + plan.extra
    yield from rows_of_a_warp(kind, numbers, alone=numbered is not None)
    start = 0
    for name, port in (*staged, *leaving):
        yield f"  {kind} *const {name}_tile = tile_ + {start};"
        start += WARP * pitch(port.size)
    rows = {p.name: f"({names[p.name]}_tile + lane_ * {pitch(p.size)})" for p in used_inputs(program)}
    cosines = f"(tile_ + {start} + lane_ * {_columns(plan.angles)})"
    if numbered is not None:
        yield "  if (warp_ == 0) {"
    yield from brought(dtype, [(name, port) for name, port in staged if port.size], plan.ahead)
    yield "  __syncwarp();"
    yield "  if (lane_ < here_) {"

    def load(port: str, component: int) -> str:
        return f"{names[port]}_tile[lane_ * {pitch(ports[port].size)} + {component}]"

    def store(output: int, component: int, value: str) -> str:
        name, port = (*leaving, *zip(results, whole.outputs, strict=True))[output]
        if leaving:
            return f"{name}_tile[lane_ * {pitch(port.size)} + {component}] = {value};"
        return f"{name}[(first_ + lane_) * {port.size} + {component}] = {value};"

    yield from angle_loops(dtype, plan.angles, rows, cosines)
    angles = inputs_read_by(program, {"wrap"})
    yield from made_near(dtype, [load(*x.source) for x in angles])
    turned = {}
    for node in program.nodes:
        if plan.angles and node.op in FAST:
            (x,) = node.args
            assert isinstance(x, Node)
            turned[node] = load(*x.source) if node.op == "sin" else f"{cosines}[{plan.angles.index(x.source)}]"
    spills = _spills(function, program, dtype, plan) if plan.registers else None
    for line in statements(
        program, dtype, load, store, frozenset(angles), turned or None, spills, prepared.fresh, constants
    ):
        yield f"  {line}"
    yield "  }"
    if leaving:
        yield "  __syncwarp();" if numbered is None else "  }\n  __syncthreads();"
    for name, port in zip(results, whole.outputs, strict=True):
        if port.size and numbered is not None:
            yield from spread_by_block(name, port.size, pitch(numbered.columns))
        elif port.size and leaving:
            yield from taken_away(dtype, name, port)


def _spills(
    function: Function, program: Program, dtype: str, plan: Launch
) -> tuple[SpillPlan, Callable[[Column], str]]:
    """Where values are spilled: `volatile`, or the compiler would keep them in registers after all."""
    kind, _ = TYPES[dtype]
    ports = (*program.inputs, *program.outputs)
    beyond = WARP * (sum(pitch(p.size) for p in (*used_inputs(program), *program.outputs)) + _columns(plan.angles))

    def place(column: Column) -> str:
        port, component = column
        if port == BEYOND:
            return f"((volatile {kind} *)tile_)[{beyond + WARP * component} + lane_]"
        width = pitch(ports[port].size)
        return f"((volatile {kind} *){function.arguments[port]}_tile)[lane_ * {width} + {component}]"

    return spill_plan(program, plan.registers, plan.extra), place


def made_near(dtype: str, places: list[str]) -> Iterator[str]:
    """Huge angles, which are rare, are reduced before anything is in registers."""
    if not places:
        return
    _, f = TYPES[dtype]
    yield f"    if (!({' && '.join(f'fabs{f}({x}) < {WRAP_BEYOND}{f}' for x in places)})) {{"
    yield from (f"      {x} = {EXPRESSIONS['wrap'](f, x)};" for x in places)
    yield "    }"


def used_inputs(program: Program) -> list[Port]:
    """The inputs that a program reads."""
    used = {node.source[0] for node in program.nodes if node.op == "input"}
    return [p for p in program.inputs if p.name in used]
