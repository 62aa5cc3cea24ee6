"""Chained form: coordinates in which a driftless platform is a chain of integrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, real_array, whole_number
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.differentiation import differentiated
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.vector_field import Law, VectorField
from sixvec.scalar import Scalar

_LEAK = 1e-8
"""Largest rate at which the turning input may change a coordinate that must not depend on it, at test positions."""


@lru_cache(64)
def _kernel(form: ChainedForm) -> CompiledFunction:
    def chained_form(q: Sequence[Scalar]) -> Any:
        z, J = differentiated(form._z, q)
        return z, *([sum((a * b for a, b in zip(row, f.at(q), strict=True)), 0.0) for row in J]
                    for f in (form.drive, form.turn))  # fmt: skip

    n = form.n
    return CompiledFunction(chained_form, (Port("q", (n,)),), tuple(Port(k, (n,)) for k in ("z", "driven", "turned")))


@dataclass(frozen=True)
class ChainedForm:
    """z with  ż₁ = u₁, ż₂ = u₂, ż₃ = z₂ u₁, …, żₙ = zₙ₋₁ u₁,  for q̇ = drive v + turn w.

    The point of `output` (x, y of the last axle) traces the path:  zₙ = y,  and each zₖ₋₁ = dzₖ/dx  along it.
    It exists while the last axle does not head along the y-axis.

    >>> import sixvec
    >>> from sixvec.mobile import chained_form
    >>> form = chained_form(*sixvec.mobile.bicycle(1.3).operators.values(), 4)
    >>> form.coordinates([0.5, 0.2, 0.0, 0.0]).tolist()
    [0.5, 0.0, 0.0, 0.2]
    """

    drive: VectorField
    turn: VectorField
    n: int
    output: Law

    def _z(self, q: Sequence[Scalar]) -> list[Scalar]:
        """z₁ first: y, then derivatives along the drive with respect to x."""
        law: Law = lambda p: [self.output(p)[1]]  # noqa: E731
        coordinates = [law(q)[0]]
        for _ in range(self.n - 2):
            law = self._slope(law)
            coordinates.append(law(q)[0])
        return [self.output(q)[0], *reversed(coordinates)]

    def _slope(self, law: Law) -> Law:
        """d(law)/dx along the drive."""

        def slope(p: Sequence[Scalar]) -> list[Scalar]:
            f = self.drive.at(p)
            rows = differentiated(lambda r: [law(r)[0], self.output(r)[0]], p)[1]
            top, bottom = (sum((a * b for a, b in zip(row, f, strict=True)), 0.0) for row in rows)
            return [top / bottom]

        return slope

    @any_arrays_same_dtype
    @differentiable(lambda self, q: _kernel(self)(q)[0])
    def coordinates(self, q: ArrayLike) -> Array:
        """z (..., n)."""
        return np.asarray(_kernel(self)(q)[0])

    @any_arrays_same_dtype
    def inputs(self, q: ArrayLike, v: ArrayLike, w: ArrayLike) -> Array:
        """(u₁, u₂) (..., 2) for the inputs v (...) of the drive and w (...) of the turn."""
        _, driven, turned = _kernel(self)(q)
        v, w = real_array("v", v), real_array("w", w)
        try:
            return np.asarray(driven[..., :2] * v[..., None] + turned[..., :2] * w[..., None])
        except ValueError:
            common_batch("inputs", [driven.shape[:-1], v.shape, w.shape], ["q", "v", "w"])
            raise


def _first_two(q: Sequence[Scalar]) -> list[Scalar]:
    return [q[0], q[1]]


def chained_form(drive: VectorField, turn: VectorField, n: int, output: Law | None = None) -> ChainedForm:
    """The chained form of two fields on n coordinates, with the given flat output, else (q₁, q₂).

    Raises an error if the turning input affects more than the second coordinate: off-axle trailers have no chained
    form.
    """
    for name, field in (("drive", drive), ("turn", turn)):
        if not isinstance(field, VectorField):
            raise ArgumentError(f"chained_form: {name} must be a VectorField, not {field!r}")
    whole_number("chained_form: n", n, 3)
    if output is not None and not callable(output):
        raise ArgumentError(f"chained_form: output must be a function of q, not {output!r}")
    form = ChainedForm(drive, turn, n, output or _first_two)
    q = np.random.default_rng(0).uniform(-0.3, 0.3, (4, n))
    z, driven, turned = _kernel(form)(q)
    leak = np.abs(turned[:, [0, *range(2, n)]]).max()
    chain = np.abs(driven[:, 2:] - z[:, 1:-1] * driven[:, :1]).max()
    if not max(leak, chain) < _LEAK:
        raise DegenerateError(
            f"{turn.name} moves coordinates beyond the second one by {leak:.3g}: no chained form with this output"
        )
    return form
