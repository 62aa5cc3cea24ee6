"""Vector fields on configurations, and their Lie brackets by exact differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, ShapeError, SixvecError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.differentiation import differentiated
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.numpy_scalar import FUNCTIONS, NumPyScalar, plain
from sixvec.scalar import Scalar
from sixvec.verdict import Verdict

Law = Callable[[Sequence[Scalar]], Sequence[Scalar]]


class VectorField:
    """q ↦ q̇, written like an algorithm, or with functions of NumPy; called with arrays (..., n) it is compiled.

    >>> from sixvec.mobile import VectorField
    >>> from sixvec.scalar import cos, sin
    >>> drive = VectorField(lambda q: [cos(q[2]), sin(q[2]), 0.0], "drive")
    >>> drive([0.0, 0.0, 0.0]).tolist()
    [1.0, 0.0, 0.0]
    """

    def __init__(self, law: Law, name: str = "field") -> None:
        self.law, self.name = law, name
        self._compiled: dict[int, CompiledFunction] = {}

    @any_arrays_same_dtype
    @differentiable(lambda self, q: self.compiled(q.shape[-1])(q))
    def __call__(self, q: ArrayLike) -> Array:
        q = real_array(f"{self.name}: q", q, "n ≥ 1")
        return np.asarray(self.compiled(q.shape[-1])(q))

    def compiled(self, n: int) -> CompiledFunction:
        """The field on configurations of n coordinates, as a compiled function."""
        if n not in self._compiled:

            def field(q: Sequence[Scalar]) -> list[Scalar]:
                return self.at(q)

            self._compiled[n] = CompiledFunction(field, (Port("q", (n,)),), (Port("v", (n,)),))
        return self._compiled[n]

    def at(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The field at scalars of any kind."""
        try:
            values = list(self.law(q))
        except SixvecError:
            raise
        except (TypeError, AttributeError):
            values = self._with_numpy(q)
        except (IndexError, ValueError) as problem:
            raise ShapeError(f"{self.name} cannot be run on {len(q)} coordinates ({problem})") from problem
        if len(values) != len(q):
            raise ShapeError(f"{self.name} has {len(values)} components for {len(q)} coordinates")
        return values

    def _with_numpy(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The field of a law that calls functions of NumPy."""
        wrapped: Any = np.empty(len(q), object)
        wrapped[:] = [NumPyScalar(x) for x in q]
        try:
            return [plain(x) for x in self.law(wrapped)]
        except SixvecError:
            raise
        except (TypeError, AttributeError, IndexError, ValueError) as problem:
            raise ArgumentError(
                f"{self.name} cannot be run on symbols ({problem}); write it with sin, cos, sqrt, arctan2 and where of "
                f"sixvec.scalar, or with NumPy's {', '.join(FUNCTIONS)}, and whole and half powers"
            ) from problem

    def __getstate__(self) -> dict[str, Any]:
        """What was compiled is compiled again."""
        return {**self.__dict__, "_compiled": {}}

    def __repr__(self) -> str:
        return f"<VectorField {self.name}>"


def lie_bracket(f: VectorField | Law, g: VectorField | Law) -> VectorField:
    """[f, g] = (∂g/∂q) f - (∂f/∂q) g: the direction of motion if f, g, -f, -g are followed for a short time each.

    Derivatives are exact, and the bracket is again a field, so brackets can be nested.

    >>> from sixvec.mobile import VectorField, lie_bracket
    >>> from sixvec.scalar import cos, sin
    >>> drive = VectorField(lambda q: [cos(q[2]), sin(q[2]), 0.0], "drive")
    >>> rotate = VectorField(lambda q: [0.0, 0.0, 1.0], "rotate")
    >>> lie_bracket(drive, rotate)([0.0, 0.0, 0.0]).round(12).tolist()  # to the right
    [0.0, -1.0, 0.0]
    """
    a, b = as_field(f), as_field(g)
    return VectorField(partial(_bracket, a, b), f"[{a.name}, {b.name}]")


def _bracket(a: VectorField, b: VectorField, q: Sequence[Scalar]) -> list[Scalar]:
    (va, Ja), (vb, Jb) = differentiated(a.at, q), differentiated(b.at, q)
    return [
        sum((Jb[i][k] * va[k] - Ja[i][k] * vb[k] for k in range(len(q))), 0.0)
        for i in range(len(q))
    ]  # fmt: skip


def as_field(f: VectorField | Law) -> VectorField:
    if not callable(f):
        raise ArgumentError(f"a vector field is a function of q, or a VectorField, not {f!r}")
    return f if isinstance(f, VectorField) else VectorField(f, getattr(f, "__name__", "field"))


@dataclass(frozen=True)
class Controllability:
    """The span of fields and their brackets at a configuration; true if it is controllable there."""

    dimension: int
    growth: tuple[int, ...]
    """The rank with the fields alone, with brackets of two, of three, …"""
    fields: tuple[str, ...]
    """Fields and brackets that are independent."""
    closed: bool = True
    """Whether further brackets are combinations of these: the rank is final."""
    depth: int = 0
    """The largest number of fields in a bracket that was computed."""
    margin: float = math.nan
    """The least singular value of the scaled fields and brackets, each as a fraction of its size at configurations
    around: small where they nearly fail to span all, 0 where they do not."""

    @property
    def rank(self) -> int:
        return self.growth[-1]

    @property
    def verdict(self) -> Verdict:
        """SOLVED if controllable; UNREACHABLE if not, since the algebra is closed; NOT_CONVERGED if undecided."""
        if self.rank == self.dimension:
            return Verdict.SOLVED
        return Verdict.UNREACHABLE if self.closed else Verdict.NOT_CONVERGED

    def __bool__(self) -> bool:
        """Whether every configuration nearby can be reached (Chow)."""
        return self.verdict == Verdict.SOLVED

    def __str__(self) -> str:
        word = {
            Verdict.SOLVED: "controllable",
            Verdict.UNREACHABLE: "not controllable",
            Verdict.NOT_CONVERGED: f"undecided with brackets of up to {self.depth} fields",
        }[self.verdict]
        return f"{word}: rank {self.rank} of {self.dimension}, growth {self.growth}, by {', '.join(self.fields)}"
