"""Passes that prepare a program for machine code: sin, cos and arctan2 become arithmetic, products and sums are fused.

Both happen in the graph, not in a back end, so every target computes the same bits.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from weakref import ref

from sixvec.compiler.arctangent import arctan2
from sixvec.compiler.graph import BUILD, Graph, Node, Operand, fma, rint, wrap
from sixvec.compiler.program import Program, Replacements, Rule


@dataclass(frozen=True, slots=True)
class _Trigonometry:
    """π/2 in three parts, and minimax coefficients on |r| <= π/4.

    sin r = r + r³ S(r²) and cos r = 1 - r²/2 + r⁴ C(r²); S and C interpolate at Chebyshev points of the interval.
    """

    half_pi: tuple[float, float, float]
    S: tuple[float, ...]
    C: tuple[float, ...]


_TRIGONOMETRY: dict[str, _Trigonometry] = {
    "float64": _Trigonometry(
        (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
        (-0.16666666666666663, 0.008333333333330627, -0.00019841269836278898,
         2.755731585691312e-06, -2.5051081300319015e-08, 1.5914533820346306e-10),
        (0.041666666666666664, -0.0013888888888887196, 2.4801587298465612e-05,
         -2.7557317118060557e-07, 2.0876114647930045e-09, -1.1380383100821594e-11),
    ),
    "float32": _Trigonometry(
        (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
        (-0.166666641831398, 0.008332718163728714, -0.00019581439846660942),
        (0.0416666641831398, -0.0013888272223994136, 2.4541477614548057e-05),
    ),
}  # fmt: skip


_latest: tuple[ref[Program], object, Program] | None = None
"""The program that was lowered last, how, and the result: code for batches often follows that for one sample."""


Angles = frozenset[tuple[str, int]]
"""Components of inputs."""


def lowered(program: Program, dtype: str, unlowered: tuple[str, ...] = (), of: Angles | None = None) -> Program:
    """The program in the form of the back ends: all passes, in order.

    Operations in `unlowered`, sin or cos, are kept; with `of`, only those of these inputs.
    """
    global _latest
    latest = _latest
    if latest is not None and latest[0]() is program and latest[1] == (dtype, unlowered, of):
        return latest[2]
    final = lower_arctangent(program)
    rebuilt = spread_non_finite(final.rebuild(_sines(final, dtype, unlowered, of) | _sums_of_products(final)))
    _latest = (ref(program, _forget), (dtype, unlowered, of), rebuilt)
    return rebuilt


def _forget(dead: ref[Program]) -> None:
    """The result is dropped together with its program."""
    global _latest
    if _latest is not None and _latest[0] is dead:
        _latest = None


def lower_arctangent(program: Program) -> Program:
    """Replace arctan2 by branch-free arithmetic, whose products are then fused like those of the program."""
    if all(node.op != "arctan2" for node in program.nodes):
        return program
    rules = BUILD | {"arctan2": arctan2}

    def again(graph: Graph, node: Node, new: Replacements) -> Operand:
        return rules[node.op](*[new.get(x, x) for x in node.args])  # which may be constants, or have a sign now

    return program.rebuild({node: again for node in program.nodes if node.op != "input"})


def _sines(program: Program, dtype: str, unlowered: tuple[str, ...], of: Angles | None) -> dict[Node, Rule]:
    """Rules that replace sin and cos by branch-free arithmetic; those of one angle share everything they can.

    Nothing in it remains to be fused, and its result is not a product: so this and fusing need one pass.
    """
    table, done = _TRIGONOMETRY[dtype], dict[Node, tuple[Operand, Operand]]()

    def rule(graph: Graph, node: Node, new: Replacements) -> Operand:
        x = new[node.args[0]]
        assert isinstance(x, Node)
        if x not in done:
            done[x] = _sincos(x, table)
        return done[x][node.op == "cos"]

    def is_left(op: str, x: Operand) -> bool:
        return op in unlowered and (of is None or (isinstance(x, Node) and x.op == "input" and x.source in of))

    return {n: rule for n in program.nodes if n.op in ("sin", "cos") and not is_left(n.op, n.args[0])}


def _sincos(x: Node, table: _Trigonometry) -> tuple[Operand, Operand]:
    """(sin x, cos x): x = k π/2 + r with |r| <= π/4, then the rotation by k right angles.

    The first fused multiply-subtract is exact: k·half_pi cancels all leading bits of x.  The rotation uses the exact
    integers cos(k π/2) and sin(k π/2), computed from k mod 4 in floating point, so there is no branch, no mask and
    no integer: one of the two products in each result is zero.
    """
    x = wrap(x)
    k = rint(x * (2.0 / math.pi))
    r: Operand = x
    for constant in table.half_pi:
        r = fma(-k, constant, r)
    z = r * r
    sin_r = fma(r * z, _horner(z, table.S), r)
    cos_r = fma(z, fma(z, _horner(z, table.C), -0.5), 1.0)
    mod4 = fma(rint(k * 0.25), -4.0, k)  # in {-2, -1, 0, 1, 2}
    size = abs(mod4)
    cos_k, sin_k = 1.0 - size, mod4 * (2.0 - size)
    return fma(sin_k, cos_r, cos_k * sin_r), fma(cos_k, cos_r, -(sin_k * sin_r))


def _horner(z: Operand, coefficients: tuple[float, ...]) -> Operand:
    y: Operand = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        y = fma(y, z, c)
    return y


def _sums_of_products(program: Program) -> dict[Node, Rule]:
    """Rules that turn a·b + c into fma(a, b, c) where every use of the product a·b can absorb it.

    Then the product itself disappears; fusing only some of its uses would save nothing.
    """
    absorbed = _absorbable(program)

    def rule(graph: Graph, node: Node, new: Replacements) -> Operand:
        product = absorbed[node]
        side = node.args.index(product)
        (x, y), z = product.args, node.args[1 - side]
        a, b, other = new.get(x, x), new.get(y, y), new.get(z, z)
        if type(b) is Node and a.id > b.id:  # type: ignore[union-attr]
            a, b = b, a
        if node.op == "sub" and side == 0:
            other = -other  # type: ignore[operator]
        if node.op == "sub" and side == 1:
            a = -a  # type: ignore[operator]
        return graph.intern("fma", a, b, other)  # type: ignore[arg-type]

    twice = {product for node, product in absorbed.items() if node.args[0] is node.args[1]}  # a·b + a·b
    return dict.fromkeys(set(absorbed.values()) - twice, _vanish) | dict.fromkeys(absorbed, rule)


def _vanish(graph: Graph, node: Node, new: Replacements) -> None:
    """The rule for a product that is part of each sum that used it."""


def _absorbable(program: Program) -> dict[Node, Node]:
    """Which sums absorb which product: each sum at most one, each product by all its users or by none."""
    uses = Counter(chain.from_iterable(node.args for node in program.nodes))
    uses.update(chain.from_iterable(program.results))
    users: dict[Node, list[Node]] = {}
    for node in program.nodes:
        if node.op in ("add", "sub"):
            for a in node.args:
                if type(a) is Node and a.op == "mul":
                    users.setdefault(a, []).append(node)
    taken: dict[Node, Node] = {}
    for product in sorted(users, key=attrgetter("id"), reverse=True):
        sums = users[product]
        if len(sums) == uses[product] and not any(s in taken for s in sums):
            taken.update(dict.fromkeys(sums, product))
    return taken


def spread_non_finite(program: Program) -> Program:
    """Let inputs that no result depends on still make their sample non-finite when they are.

    A NaN in the angle of a vertical first joint would otherwise not be detected.  0·x is zero for every finite x, so
    the first result keeps its value.  This must be the last pass: any other would fold 0·x.
    """
    used = {node.source for node in program.nodes if node.op == "input"}
    unused = [(p.name, i) for p in program.inputs for i in range(p.size) if (p.name, i) not in used]
    if not unused or not (program.results and program.results[0]):
        return program
    graph = program.nodes[0].graph if program.nodes else Graph()
    zero = graph.intern("mul", graph.input(*unused[0]), 0.0)
    for source in unused[1:]:
        zero = graph.intern("fma", graph.input(*source), 0.0, zero)
    first, *others = program.results[0]
    return replace(program, results=((graph.intern("add", zero, first), *others), *program.results[1:]))
