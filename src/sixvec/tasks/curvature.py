"""How the rows of tasks turn with the position: the part of the second derivative that least squares leave out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.algorithms.integrate import integrate
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.solve.active_set import larger_of
from sixvec.spatial.linear import Matrix, dot


def curvature(
    model: Model, rows: Callable[..., Sequence[Any]], q: Sequence[Scalar], push: Sequence[Scalar], targets: Any
) -> list[list[Scalar]]:
    """The symmetric part of ∂(Jᵀ push)/∂q: how the joint forces of a force `push` along the rows J change with q.

    `rows(q, *targets)` are the rows J.
    """
    if not push:
        return [[0.0] * model.nv for _ in range(model.nv)]
    ports = [Port("u", (model.nv,)), Port("q", (model.nq,)), Port("push", (len(push),))]
    ports += [Port(f"target {k}", _shape(x)) for k, x in enumerate(targets)]

    def forces(u: Any, at: Any, along: Any, *targets: Any) -> Any:
        J = rows(integrate(model, list(at), list(u)), *targets)
        return [dot(column, along) for column in zip(*J, strict=True)]

    slopes = CompiledFunction(forces, tuple(ports), (Port("forces", (model.nv,)),)).derivative("u")
    values: dict[str, Any] = {"u": [0.0] * model.nv, "q": list(q), "push": list(push)}
    values |= {f"target {k}": _flat(x) for k, x in enumerate(targets)}
    (flat,) = slopes.program.on(values)
    n = model.nv
    return [[0.5 * (flat[i * n + j] + flat[j * n + i]) for j in range(n)] for i in range(n)]


def growth(M: Matrix, least: Scalar) -> list[Scalar]:
    """What the diagonal of a symmetric matrix lacks to be positive definite: nothing if its pivots are above `least`.

    The modified factorisation of Gill, Murray and Wright (1981, 4.4.2.2): negative pivots change their signs, and no
    entry of the factor is larger than one of a definite matrix with this diagonal could be.

    >>> growth([[2.0, 0.0], [0.0, -3.0]], 1e-7)
    [0.0, 6.0]
    """
    n = len(M)
    largest: Scalar = least
    for i in range(n):
        for j in range(i + 1):
            largest = larger_of(largest, abs(M[i][j]) * (1.0 if i == j else 1.0 / n))
    remainder = [list(row[: i + 1]) for i, row in enumerate(M)]
    lacking: list[Scalar] = []
    for k in range(n):
        widest: Scalar = 0.0
        for i in range(k + 1, n):
            widest = larger_of(widest, abs(remainder[i][k]))
        pivot = larger_of(larger_of(abs(remainder[k][k]), least), widest * widest / largest)
        lacking.append(pivot - remainder[k][k])
        for i in range(k + 1, n):
            factor = remainder[i][k] / pivot
            for j in range(k + 1, i + 1):
                remainder[i][j] = remainder[i][j] - factor * remainder[j][k]
    return lacking


def _flat(x: Any) -> list[Any]:
    return [z for y in x for z in _flat(y)] if isinstance(x, list | tuple) else [x]


def _shape(x: Any) -> tuple[int, ...]:
    return (len(x), *_shape(x[0])) if isinstance(x, list | tuple) else ()
