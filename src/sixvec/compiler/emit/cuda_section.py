"""CUDA C for one section of a long program (cuda_sections.py): a thread a row, a warp a block.

The numbers of a warp's rows in device memory are one stretch, number after number, so that neighbouring threads access
neighbouring numbers, at distances that are part of the instructions.  Only the first section reads the user's arrays,
through shared memory.  Results go through shared memory, too, in stretches of neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.emit.cuda import CONSTANTS, prelude, statements
from sixvec.compiler.emit.cuda_angles import inputs_read_by
from sixvec.compiler.emit.cuda_rows import AHEAD, made_near, used_inputs
from sixvec.compiler.emit.cuda_sections import KEPT, PUTS, RESULTS, SCRATCH, Section
from sixvec.compiler.emit.cuda_spill import BEYOND, LOCAL, Column, SpillPlan, spill_plan
from sixvec.compiler.emit.cuda_tiles import BYTES, PREFETCH, WARP, brought, pitch, rows_of_a_warp
from sixvec.compiler.emit.function import Function
from sixvec.compiler.graph import Node

REGISTERS = {"float64": 112, "float32": 216}
"""Numbers in the 255 registers of a thread."""

SHARED = {"float64": 56 * 1024, "float32": 28 * 1024}
"""Bytes of shared memory of a block at most: four or eight blocks of a warp fit into a multiprocessor, or more if they
need less."""

AHEAD_OF_LOADS = 1000
"""Statements between the request that a number be brought to the second-level cache and its load: the wait for device
memory is over by then, without a register that waits for it."""

FEW_RESULTS = 128
"""Results of the largest section that brings its numbers ahead.  Others are bound by writing, and become slower."""

REQUEST = """#ifdef __CUDA_ARCH__
#define SIXVEC_REQUEST(p, bytes) asm volatile("prefetch.global.L2 [%0+%1];" ::"l"(p), "n"(bytes))
#else
#define SIXVEC_REQUEST(p, bytes) (void)(p)
#endif
"""

FAR = frozenset({SCRATCH, RESULTS, KEPT, PUTS})


def on_chip(dtype: str) -> int:
    """Numbers of a thread in registers and in shared memory."""
    return REGISTERS[dtype] + SHARED[dtype] // (WARP * BYTES[dtype])


@dataclass(frozen=True)
class SectionCode:
    """The source of the kernel of a section, `symbol(count, in, in_row, in_step, …, out, …, scratch)`."""

    source: str
    symbol: str
    inputs: tuple[int, ...]
    """Which inputs of the program it takes; all but the first section take none."""
    outputs: tuple[int, ...]
    """Which outputs it writes to."""
    shared_bytes: int
    samples: int = WARP
    """Those of a block."""
    threads: int = WARP


def emit_section(function: Function, section: Section, number: int, scratch_size: int, dtype: str) -> SectionCode:
    """The kernel of section `number` of a program; `scratch_size` is the size of a row in device memory, in numbers."""
    kind, _ = TYPES[dtype]
    names = function.arguments
    input_names = [p.name for p in function.program.inputs]
    taken = tuple(input_names.index(p.name) for p in used_inputs(section.program) if p.name != SCRATCH)
    written = tuple(sorted({stretch.output for stretch in section.stretches.values()}))
    arguments = [f"const {kind} *__restrict__ {n}, long long {n}_row, long long {n}_step" for n in _some(names, taken)]
    arguments += [f"{kind} *__restrict__ {names[len(input_names) + k]}" for k in written]
    signature = ",\n    ".join(["long long count", *arguments, f"{kind} *scratch_"])
    symbol, constants = f"{function.symbol}_{number}", dict[str, int]()
    body, columns = _body(function, section, scratch_size, dtype, constants)
    source = "\n".join([
        *prelude(section.program, dtype, large=True),
        PREFETCH,
        REQUEST,
        *([f"__constant__ {kind} {CONSTANTS}[] = {{{', '.join(constants)}}};"] if constants else ()),
        f'extern "C" __global__ void __launch_bounds__({WARP}) {symbol}(\n    {signature}) {{',
        *body,
        "}",
        "",
    ])  # fmt: skip
    return SectionCode(source, symbol, taken, written, columns * WARP * BYTES[dtype])


def _some(names: list[str], which: tuple[int, ...]) -> list[str]:
    return [names[k] for k in which]


def _body(
    function: Function, section: Section, scratch_size: int, dtype: str, constants: dict[str, int]
) -> tuple[list[str], int]:
    """The statements, and the columns of shared memory: those of results and inputs, and those of spilled numbers."""
    (kind, _), program = TYPES[dtype], section.program
    whole, names = function.program, function.arguments
    of_input = dict(zip((p.name for p in whole.inputs), names, strict=False))
    staged = [(of_input[p.name], p) for p in used_inputs(program) if p.name != SCRATCH and p.size]
    width = pitch(max((len(stretch.entries) for stretch in section.stretches.values()), default=0))
    tiles, columns = list[str](), width
    for name, port in staged:
        tiles.append(f"  {kind} *const {name}_tile = tile_ + {WARP * columns};")
        columns += pitch(port.size)
    sizes = {p.name: pitch(p.size) for p in whole.inputs}

    def load(port: str, component: int) -> str:
        if port == SCRATCH:
            return f"at_[{WARP * component}]"
        return f"{of_input[port]}_tile[lane_ * {sizes[port]} + {component}]"

    def store(output: int, component: int, value: str) -> str:
        if program.outputs[output].name == KEPT:
            return f"at_[{WARP * section.slots[component]}] = {value};"
        return f"results_[{section.columns[component]}] = {value};"

    def put(node: Node, show: Callable[[object], str]) -> Iterator[str]:
        stretch = section.stretches[node]
        for j, x in enumerate(stretch.entries):
            if not isinstance(x, Node) or x in node.args:
                yield f"  results_[{j}] = {show(x)};"
        name, size = names[len(whole.inputs) + stretch.output], whole.outputs[stretch.output].size
        yield from _written(name, size, stretch.first, len(stretch.entries), width)

    angles = [x for x in inputs_read_by(program, {"wrap"}) if x.source[0] != SCRATCH]
    known = {node: load(*node.source) for node in program.nodes if node.op == "input"}
    plan, place = _spills(section, dtype, columns, load)
    lines = list(
        statements(program, dtype, load, store, frozenset(angles), known, (plan, place), constants=constants, put=put)
    )
    if sum(len(stretch.entries) for stretch in section.stretches.values()) <= FEW_RESULTS:
        lines = requested(lines, BYTES[dtype])
    return [
        *rows_of_a_warp(kind, 0),
        *tiles,
        *brought(dtype, staged, AHEAD),
        f"  {kind} *const results_ = tile_ + lane_ * {width}, *const at_ = scratch_ + first_ * {scratch_size} + lane_;",
        "  (void)here_, (void)results_, (void)at_;",
        "  __syncwarp();",
        *made_near(dtype, [load(*x.source) for x in angles]),
        *([f"  volatile {kind} local_[{plan.local}];"] if plan.local else ()),
        *lines,
    ], columns + plan.extra  # fmt: skip


def requested(lines: list[str], size: int) -> list[str]:
    """The statements, with requests ahead of the loads from device memory of numbers of so many bytes.

    >>> requested(["  x = 1.0;", "  const double t0 = at_[64];"], 8)
    ['  SIXVEC_REQUEST(at_, 512);', '  x = 1.0;', '  const double t0 = at_[64];']
    """
    requests: dict[int, list[str]] = {}
    for i, line in enumerate(lines):
        if match := _LOAD.search(line):
            requests.setdefault(max(0, i - AHEAD_OF_LOADS), []).append(
                f"  SIXVEC_REQUEST(at_, {size * int(match[1])});"
            )
    return [x for i, line in enumerate(lines) for x in (*requests.get(i, ()), line)]


_LOAD = re.compile(r" = at_\[(\d+)\];$")


def _written(name: str, size: int, first: int, count: int, width: int) -> Iterator[str]:
    """The warp writes a stretch of its rows, neighbouring threads neighbouring numbers."""
    copy = f"{name}[(first_ + r_) * {size} + {first} + c_] = tile_[r_ * {width} + c_];"
    yield "  __syncwarp();"
    if count >= WARP:
        rows = "for (int r_ = 0; r_ < here_; ++r_)"
        numbers = f"for (int c_ = lane_; c_ < {count}; c_ += {WARP})"
        yield '  _Pragma("unroll 4")'
        yield f"  {rows} {{"
        yield '    _Pragma("unroll")'
        yield f"    {numbers} {copy}"
        yield "  }"
    else:
        step = WARP // count
        yield f"  if (lane_ < {step * count}) {{"
        yield f"    const int c_ = lane_ % {count};"
        yield '    _Pragma("unroll 4")'
        yield f"    for (int r_ = lane_ / {count}; r_ < here_; r_ += {step}) {copy}"
        yield "  }"
    yield "  __syncwarp();"


def _spills(
    section: Section, dtype: str, columns: int, load: Callable[[str, int], str]
) -> tuple[SpillPlan, Callable[[Column], str]]:
    (kind, _), inputs = TYPES[dtype], section.program.inputs
    extra = max(0, SHARED[dtype] // (WARP * BYTES[dtype]) - columns)
    plan = spill_plan(section.program, REGISTERS[dtype], extra, FAR, local=True)

    def place(column: Column) -> str:
        port, component = column
        if port == LOCAL:
            return f"local_[{component}]"
        if port == BEYOND:
            return f"((volatile {kind} *)tile_)[{WARP * (columns + component)} + lane_]"
        return (
            f"*(volatile {kind} *)&{load(inputs[port].name, component)}"  # or the first load would stay in a register
        )

    return plan, place
