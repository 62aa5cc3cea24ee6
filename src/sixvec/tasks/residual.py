"""A task of the user: any function of the position on scalars, whose matrix comes from its operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.integrate import integrate
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.tasks.task import Mismatch, Shape, Task, squares


@dataclass(frozen=True, repr=False)
class Residual(Task):
    """A function e(q), or e(q, target), that should be zero.

    It is written like an algorithm: q and the target are lists of scalars, `where` takes the place of `if`, and
    `robot.evaluate` calls algorithms.  `size` is the number of residuals, `target_shape` that of the target in one
    sample.

    >>> import sixvec as sv
    >>> from sixvec.tasks import Residual, Stack
    >>> arm = sv.load("planar_2r")
    >>> level = Residual(lambda q: [q[0] + q[1]], size=1, name="level")   # the last link stays level
    >>> step = Stack(arm, level)([0.3, -0.2], {}, dt=0.1)
    >>> bool(abs(step.q.sum()) < 1e-6)
    True
    """

    function: Callable[..., Any]
    size: int
    target_shape: Shape | None = None

    def shape(self, model: Model) -> Shape | None:
        return self.target_shape

    @property
    def identity(self) -> str:
        """None: the function is known by its operations only."""
        return ""

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {k}" for k in range(self.size))

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        arguments = (q,) if self.target_shape is None else (q, target)
        ports = [Port("u", (model.nv,)), Port("q", (model.nq,))]
        entries = [] if self.target_shape is None else [*_flat(target)]
        ports += [Port("target", (len(entries),))] if entries else []

        def moved(u: list[Any], at: list[Any], *more: Any) -> Any:
            position = integrate(model, list(at), list(u))
            results = self.function(*(position, *(_shaped(list(x), self.target_shape or ()) for x in more)))
            if len(results := list(results)) != self.size:
                raise ArgumentError(f"Residual {self.name}: the function has {len(results)} results, not {self.size}")
            return results

        derivative = CompiledFunction(moved, tuple(ports), (Port("e", (self.size,)),)).derivative("u")
        values: dict[str, Any] = {"u": [0.0] * model.nv, "q": list(q)} | ({"target": entries} if entries else {})
        (flat,) = derivative.program.on(values)
        J = [flat[k * model.nv : (k + 1) * model.nv] for k in range(self.size)]
        missing = [-x for x in self.function(*arguments)]
        return Mismatch(missing, J, squares(missing), 0.0)


def _flat(x: Any) -> list[Any]:
    return [z for y in x for z in _flat(y)] if isinstance(x, list | tuple) else [x]


def _shaped(values: list[Any], shape: Shape) -> Any:
    if len(shape) < 2:
        return values if shape else values[0]
    step = len(values) // shape[0]
    return [_shaped(values[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]
