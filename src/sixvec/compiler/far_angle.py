"""Angles beyond the reach of the fast reduction: the equal angle in [-π, π], in arithmetic alone.

x = (f + 4 m) π/2 with a whole m and |f| <= 2, so that f π/2 is the same angle.  The product x · 2/π is summed in parts,
each an exact pair of floats whose multiples of 4 are dropped before they could mask the rest (Payne and Hanek 1983).
The remainder is summed in two floats.  sin and cos of the result are accurate to three units of the last place of 1.

It is a program like any other: every target computes the same bits, independent of the machine's C library.
"""

from __future__ import annotations

from functools import cache

from sixvec.compiler.graph import Graph, Node, Operand
from sixvec.compiler.program import Port, Program

_TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1d"
    "eb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b"
    "5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b",
    16,
)
"""⌊2/π · 2¹²⁰⁰⌋."""
_BITS = 1200

_FORMATS = {"float64": (53, 128, 22), "float32": (24, 64, 9)}
"""Bits of a float, the power of two that keeps all parts within its range, and how many parts there are."""

_HALF_PI = {
    "float64": (1.5707963267948966, 6.123233995736766e-17),
    "float32": (1.5707963705062866, -4.371138828673793e-08),
}
"""π/2 as a sum of two floats."""


@cache
def far_angle(dtype: str) -> Program:
    """The program: input x, any finite angle; output the equal angle in [-π, π]."""
    graph = Graph()
    x = graph.input("x", 0)
    _, scale, _ = _FORMATS[dtype]
    small = graph.intern("mul", x, 2.0**-scale)
    high: Operand = 0.0
    low: Operand = 0.0
    for constant in reversed(_parts(dtype)):
        product = graph.intern("mul", small, constant)
        remainder = graph.intern("fma", small, constant, graph.intern("neg", product))
        high, error = _sum(graph, high, _modulo_4(graph, product))
        low = graph.intern("add", low, graph.intern("add", error, _modulo_4(graph, remainder)))
    high, low = _sum(graph, _modulo_4(graph, high), low)
    first, second = _HALF_PI[dtype]
    tail = graph.intern("fma", high, second, graph.intern("mul", low, first))
    angle = graph.intern("fma", high, first, tail)
    return Program("far_angle", (Port("x", ()),), (Port("angle", ()),), ((angle,),))


def _parts(dtype: str) -> list[float]:
    """2/π as a sum of floats, scaled."""
    width, scale, count = _FORMATS[dtype]
    remainder, parts = _TWO_OVER_PI, []
    top = _BITS
    for _ in range(count):
        shift = max(0, top - width)
        digits = remainder >> shift
        parts.append(float(digits) * 2.0 ** (shift - _BITS + scale))
        remainder -= digits << shift
        top = shift
    return parts


def _modulo_4(graph: Graph, x: Operand) -> Node:
    """x - 4 m, exactly, with the whole m that leaves least."""
    m = graph.intern("rint", graph.intern("mul", x, 0.25))
    return graph.intern("fma", m, -4.0, x)


def _sum(graph: Graph, a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """a + b and its rounding error (Knuth)."""
    if not isinstance(a, Node):
        return b, a
    s = graph.intern("add", a, b)
    of_b = graph.intern("sub", s, a)
    of_a = graph.intern("sub", s, of_b)
    return s, graph.intern("add", graph.intern("sub", a, of_a), graph.intern("sub", b, of_b))
