"""CUDA C: one thread per row, each row a run of the program.

Arrays are component-major, so that neighbouring threads read neighbouring numbers.  The program is the lowered one of
every target; without contraction (`--fmad=false`) a device computes the same bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

from sixvec.compiler.emit.c import EXPRESSIONS as C_EXPRESSIONS
from sixvec.compiler.emit.c import SUPPORTED, TYPES, far_angle_source, guarded, literal
from sixvec.compiler.emit.cuda_limits import ONE_FUNCTION, require_length
from sixvec.compiler.emit.cuda_spill import Column, SpillPlan
from sixvec.compiler.emit.function import Function, shape
from sixvec.compiler.emit.schedule import Region, Step, schedule
from sixvec.compiler.graph import Node
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program

__all__ = ["PLACE", "SUPPORTED", "emit_cuda"]

PLACE = {"pitch": "int", "rows": "long long", "stride": "long long", "offset": "long long"}
"""The arguments after the pointer of every port.  A short pitch costs one instruction per address."""


EXPRESSIONS = C_EXPRESSIONS | {
    "sin": lambda f, x: f"__sinf(sixvec_turn({x}))",
    "cos": lambda f, x: f"__cosf(sixvec_turn({x}))",
}
"""As in C, with the device's sine and cosine for fast programs that keep them."""

LARGE_EXPRESSIONS = EXPRESSIONS | {"recip": lambda f, x: f"sixvec_recipf({x})" if f else f"1.0 / {x}"}
"""Those of large programs."""

_TURN = """static __device__ __forceinline__ float sixvec_turn(const float x) {
  const float k = rintf(x * 0.15915494309189535f);
  return fmaf(k, 1.7484556e-07f, fmaf(k, -6.2831855f, x));
}
"""
"""The equal angle in [-π, π], where the sines of the device are good to 5e-7."""

RECIPROCAL = """static __device__ __forceinline__ float sixvec_recipf(const float x) {
#ifdef __CUDA_ARCH__
  const double y = x;
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(y));
  const double e = fma(-y, r, 1.0), s = fma(r, e, r);
  return (float)(e == e ? fma(s, fma(-y, s, 1.0), s) : r);
#else
  return 1.0f / x;
#endif
}
"""
"""The rounded reciprocal without a branch, for large programs: a compiler moves nothing across a branch.

The device's division has one, for unusual numbers.  Two Newton steps in double precision have enough bits for every
float to be rounded as by a division; where they are not defined, at 0 and infinity, the estimate is the result.
"""

AGAIN = """static __device__ __forceinline__ double sixvec_again(double x) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+d"(x));
#endif
  return x;
}
"""
"""The same number, of which the compiler does not know that it is the same."""

CONSTANTS = "sixvec_constants"
"""Numbers of large programs: one that is part of the code takes two instructions more, or one if half of it is zero."""

NOT_FINITE = {"inf": "(1.0f / 0.0f)", "-inf": "(-1.0f / 0.0f)", "nan": 'nanf("")'}
"""Compilation in memory has no <math.h> with the names of C."""


def prelude(program: Program, dtype: str, large: bool = False) -> list[str]:
    """The functions that a lowered program calls: for huge angles, kept out of line.

    Of a `large` program, a loop computes the sines (cuda_angles.py).
    """
    return called({node.op for node in program.nodes}, dtype, large)


def called(ops: set[str], dtype: str, large: bool = False) -> list[str]:
    """The functions that operations call."""
    far = [*far_angle_source(dtype, "static __device__ __noinline__"), ""] if large or "wrap" in ops else []
    if large:
        return far + ([RECIPROCAL] if "recip" in ops and dtype == "float32" else [])
    return far + ([_TURN] if ops & {"sin", "cos"} else [])


def emit_cuda(program: Program, dtype: str = "float64", spans: Mapping[str, int] | None = None) -> str:
    """The source of one kernel, named as the program."""
    return emit_kernel(Function(program), dtype, spans)


def emit_kernel(function: Function, dtype: str = "float64", spans: Mapping[str, int] | None = None) -> str:
    """The source of one kernel `name(count, pointer, pitch, rows, stride, offset, …)`, five arguments a port.

    Thread i < count computes row i.  Component j of a port is at pointer[j * pitch + i * stride + offset]; rows
    outside [0, rows) read as 0 and are not written.  A port in `spans` uses so many consecutive rows at once, the
    first part of its components from the first of them.
    """
    kind, _ = TYPES[dtype]
    program, ports = function.program, function.arguments
    arguments = [f"const {kind} *__restrict__ {name}" for name in ports[: len(program.inputs)]]
    arguments += [f"{kind} *__restrict__ {name}" for name in ports[len(program.inputs) :]]
    places = [", ".join(f"{PLACE[word]} {name}_{word}" for word in PLACE) for name in ports]
    signature = ",\n    ".join(f"{a}, {p}" for a, p in zip(arguments, places, strict=True))
    ready = lowered(program, dtype)
    require_length(ready, ONE_FUNCTION, "emit a smaller program, or C, which has no such limit")
    return "\n".join([
        *function.comment(
            *(f"  {name}: {shape(p)}" for name, p in zip(ports, (*program.inputs, *program.outputs), strict=True)),
            "Generated by sixvec.  Thread i computes row i: component j of a port is at",
            "pointer[j * pitch + i * stride + offset], and rows outside [0, rows) count as 0.",
            "For the bits that sixvec computes, compile with --fmad=false and without --use_fast_math.",
        ),
        *prelude(ready, dtype),
        f'extern "C" __global__ void {function.symbol}(long long count,\n    {signature}) {{',
        "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        "  if (i >= count) return;",
        *_body(ready, dtype, ports, spans or {}),
        "}",
        "",
    ])  # fmt: skip


def _body(program: Program, dtype: str, ports: list[str], spans: Mapping[str, int]) -> Iterator[str]:
    kind, f = TYPES[dtype]
    port_of = {p.name: (name, p) for p, name in zip(program.inputs, ports, strict=False)}
    results = list(zip(ports[len(program.inputs) :], program.outputs, strict=True))
    used = {port_of[node.source[0]][0] for node in program.nodes if node.op == "input"}
    for name in (name for k, name in enumerate(ports) if name in used or k >= len(program.inputs)):
        yield f"  const long long {name}_row = i * {name}_stride + {name}_offset;"
        constant = "const " if name in ports[: len(program.inputs)] else ""
        yield f"  {constant}{kind} *const {name}_at = {name} + {name}_row;"

    def place(name: str, port: Port, component: int) -> tuple[str, str]:
        """The condition that the row exists, and the address of the component."""
        columns = port.size // spans.get(port.name, 1)
        ahead, column = divmod(component, columns)
        row = f"{name}_row + {ahead}" if ahead else f"{name}_row"
        return f"{row} >= 0 && {row} < {name}_rows", f"{name}_at[{column} * (long long){name}_pitch + {ahead}]"

    def load(port: str, component: int) -> str:
        inside, where = place(*port_of[port], component)
        return f"{inside} ? {where} : 0.0{f}"

    def store(output: int, component: int, value: str) -> str:
        inside, where = place(*results[output], component)
        return f"if ({inside}) {where} = {value};"

    yield from statements(program, dtype, load, store)


def _is_short(x: object) -> bool:
    """Whether this number fits into an instruction: only the first half of its bits is not zero."""
    return isinstance(x, float) and struct.pack(">d", x)[4:] == bytes(4)


def _read_later(program: Program, spill: SpillPlan) -> frozenset[Node]:
    """Numbers that are not stored in a column, and of which the first use is after a load from there."""
    loaded, read_again = set[Node](), set[Node]()
    used = set[Node]()
    for loads, node in zip(spill.loads, program.nodes, strict=True):
        loaded.update(loads)
        new = {a for a in node.args if isinstance(a, Node)} - used
        read_again |= new & loaded
        used |= new
    return frozenset(read_again - spill.stored)


Load = Callable[[str, int], str]
"""The expression for a component of an input."""
Store = Callable[[int, int, str], str]
"""The statement that stores a component of an output."""


def statements(
    program: Program,
    dtype: str,
    load: Load,
    store: Store,
    near: frozenset[Node] = frozenset(),
    known: Mapping[Node, str] | None = None,
    spill: tuple[SpillPlan, Callable[[Column], str]] | None = None,
    fresh: frozenset[Node] = frozenset(),
    constants: dict[str, int] | None = None,
    put: Callable[[Node, Callable[[object], str]], Iterator[str]] | None = None,
) -> Iterator[str]:
    """The program, one operation per line; angles in `near` are known not to be huge.

    Of large programs, some nodes are `known`: they have been computed already, or are read from these places.  With
    `spill`, a plan and the place of each of its columns, some values are spilled.  Nodes in `fresh` are computed
    again (rematerialisation.py).  Numbers are part of the code, or entries of a table that is filled here, `constants`.
    Operations without an expression are written by `put`.
    A thread has few registers: numbers are loaded where first needed, results are stored as soon as they are known.
    """
    kind, f = TYPES[dtype]
    expressions, ready = EXPRESSIONS if known is None else LARGE_EXPRESSIONS, known or {}
    names = {node: f"t{i}" for i, node in enumerate(program.nodes)}

    def show(x: object) -> str:
        if isinstance(x, Node):
            return names[x]
        written = literal(x, f, NOT_FINITE)
        if constants is None or _is_short(x):
            return written
        return f"{CONSTANTS}[{constants.setdefault(written, len(constants))}]"

    def back(step: int) -> Iterator[str]:
        """Spilled values, reloaded under new names."""
        for x in spill[0].loads[step] if spill else ():
            names[x] = f"t{number[x]}_{step}"
            loaded.add(x)
            yield f"  const {kind} {names[x]} = {spill[1](spill[0].columns[x])};"  # type: ignore[index]

    number = {node: i for i, node in enumerate(program.nodes)}
    loaded: set[Node] = set(ready)

    def loads(operands: tuple[object, ...]) -> Iterator[str]:
        for x in operands:
            if isinstance(x, Node) and x.op == "input" and x not in loaded:
                loaded.add(x)
                yield f"  const {kind} {show(x)} = {load(*x.source)};"

    unread = _read_later(program, spill[0]) if spill else frozenset[Node]()
    stores: dict[object, list[str]] = {}
    for k, entries in enumerate(program.results):
        for j, x in enumerate(entries):
            computed = x if isinstance(x, Node) and (x.op != "input" or x in ready) else None
            if computed is None or computed.op in expressions or computed in ready:
                stores.setdefault(computed, []).append(f"  {store(k, j, show(x))}")

    def operation(node: Node) -> Iterator[str]:
        yield from back(number[node])
        if node in ready and node in unread and node not in stores:
            pass
        elif node in ready:
            yield f"  const {kind} {show(node)} = {ready[node]};"
            yield from stores.get(node, ())
        elif put is not None and node.op not in expressions:
            yield from put(node, show)
        elif node.op != "input":
            yield from loads(node.args)
            declared = "int" if node.op == "lt" else kind
            is_near = node.op == "wrap" and node.args[0] in near
            operands = [show(x) for x in node.args]
            if node in fresh:
                operands = [f"sixvec_again({y})" if isinstance(x, Node) else y for x, y in zip(node.args, operands)]
            expression = operands[0] if is_near else expressions[node.op](f, *operands)
            yield f"  const {declared} {show(node)} = {expression};"
            yield from stores.get(node, ())
        if spill and node in spill[0].stored:
            yield f"  {spill[1](spill[0].columns[node])} = {show(node)};"

    def lines(steps: Sequence[Step]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Region):
                yield from loads(tuple(guard.args[2] for guard in step.guards))
                outside = set(loaded)
                body = [*lines(step.body), *loads(tuple(guard.args[1] for guard in step.guards))]
                loaded.intersection_update(outside)  # what the block has read is unknown after it
                yield from guarded(step, show, kind, (f"  {line}" for line in body), "  ")
                for guard in step.guards:
                    yield from stores.get(guard, ())
            elif isinstance(step, Node):
                yield from operation(step)

    # places in memory are planned for the operations in their order, without branches
    yield from lines(program.nodes if spill or put else schedule(program, group_wraps=False))
    yield from loads(tuple(x for entries in program.results for x in entries))
    yield from stores.get(None, ())
