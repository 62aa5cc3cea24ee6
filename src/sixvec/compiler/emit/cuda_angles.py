"""Sines and cosines of joint angles on a CUDA device: a loop, instead of the same operations once for every joint.

The code of a large program does not fit into the instruction cache of a multiprocessor (128 KiB, some 8000
operations), and then every warp waits for its instructions.  In a loop, the sines of all joints are a few dozen
operations.  An angle in shared memory is replaced by its sine; the cosines have separate columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from sixvec.compiler.emit.c import EXPRESSIONS, TYPES, literal
from sixvec.compiler.graph import Node, cos, sin
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program, trace

LARGE = 5000
"""Operations of a program from which the loop is faster, in single precision; in double it is not."""

Angle = tuple[str, int]
"""An input and a component of it."""

_SINCOS = "sixvec_sincos"


def looped_angles(program: Program) -> tuple[Angle, ...]:
    """The inputs of a large program that only sines and cosines read, by port and component.

    >>> p = trace("f", [Port("x", (2,))], lambda x: [(Port("y", (2,)), [sin(x[0]) * x[1], cos(x[1])])])
    >>> looped_angles(p), only_angles(p)
    ((), (('x', 0),))
    """
    return only_angles(program) if len(program.nodes) > LARGE else ()


def only_angles(program: Program) -> tuple[Angle, ...]:
    order = {p.name: k for k, p in enumerate(program.inputs)}
    sources = [x.source for x in inputs_read_by(program, {"sin", "cos"})]
    return tuple(sorted(sources, key=lambda source: (order[source[0]], source[1])))


def inputs_read_by(program: Program, ops: set[str]) -> list[Node]:
    """Inputs that are arguments of these operations alone."""
    users: dict[Node, set[str]] = {}
    for node in program.nodes:
        for x in node.args:
            if isinstance(x, Node) and x.op == "input":
                users.setdefault(x, set()).add(node.op)
    results = {x for entries in program.results for x in entries}
    return [x for x, readers in users.items() if readers <= ops and x not in results]


def sincos_source(dtype: str) -> Iterator[str]:
    """A function with the operations that sines and cosines have everywhere."""
    kind, f = TYPES[dtype]
    whole = trace("sincos", [Port("x", (1,))], lambda x: [(Port("y", (2,)), [sin(x[0]), cos(x[0])])])
    program = lowered(whole, dtype)
    number = {node: "x" if node.op == "input" else f"t{i}" for i, node in enumerate(program.nodes)}

    def show(x: object) -> str:
        return number[x] if isinstance(x, Node) else literal(x, f)

    yield f"static __device__ __forceinline__ void {_SINCOS}(const {kind} x, {kind} *s, {kind} *c) {{"
    for node in program.nodes:
        if node.op != "input":
            yield f"  const {kind} {number[node]} = {EXPRESSIONS[node.op](f, *map(show, node.args))};"
    ((sine, cosine),) = program.results
    yield f"  *s = {show(sine)};"
    yield f"  *c = {show(cosine)};"
    yield "}"


def angle_loops(dtype: str, angles: tuple[Angle, ...], at: dict[str, str], cosines: str) -> Iterator[str]:
    """The loops, one for each run of neighbouring components; `at` gives the address of a thread's row of a port."""
    kind, _ = TYPES[dtype]
    first = 0
    for (port, start), run in groupby(enumerate(angles), key=lambda item: (item[1][0], item[1][1] - item[0])):
        count = sum(1 for _ in run)
        yield '    _Pragma("unroll 1")'
        yield f"    for (int k_ = 0; k_ < {count}; ++k_) {{"
        yield f"      {kind} s_, c_;"
        yield f"      {_SINCOS}({at[port]}[{start + first} + k_], &s_, &c_);"
        yield f"      {at[port]}[{start + first} + k_] = s_;"
        yield f"      {cosines}[{first} + k_] = c_;"
        yield "    }"
        first += count
