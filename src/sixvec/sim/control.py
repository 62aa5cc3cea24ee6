"""Control laws: functions on arrays of scalars, run on symbols, so that their operations identify the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from sixvec.compiler.graph import Graph, Node, Operand
from sixvec.compiler.program import trace
from sixvec.compiler.scalar_arrays import scalar_array
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.kernels import Port, Program
from sixvec.model import Model

Control = Callable[[Any, Any, Any], Any]
"""A control law: joint forces from the arrays (q, v, u) of scalars, where u is this step's entry of the inputs."""

_ADVICE = (
    "q, v and u are arrays of scalars without values yet: write np.where, np.clip, np.sin instead of if, max and math, "
    "make a list of results instead of writing into np.zeros, and call those methods of the robot that are in "
    "sixvec.algorithms"
)


@dataclass(frozen=True)
class TracedLaw:
    """The operations of a control law.  Laws with the same operations are equal, even if they are different objects."""

    digest: str
    program: Program = field(compare=False, repr=False)

    def __call__(self, q: Any, v: Any, u: Any) -> list[Operand]:
        """The same operations on other scalars."""
        (tau,) = self.program.on({"q": q, "v": v, "u": u})
        return tau


def traced_law(control: Control, model: Model, width: int, what: str) -> TracedLaw:
    """A snapshot of a control law: the numbers that it reads from objects and globals are constants of its program.

    >>> import sixvec
    >>> model = sixvec.load("double_pendulum").model
    >>> laws = [traced_law(lambda q, v, u: [-k * x for x in q], model, 2, "joint forces") for k in (1.0, 1.0, 5.0)]
    >>> laws[0] == laws[1], laws[0] == laws[2]
    (True, False)
    """
    inputs = (Port("q", (model.nq,)), Port("v", (model.nv,)), Port("u", (width,)))
    graphs: list[Graph] = []

    def run(q: list[Node], v: list[Node], u: list[Node]) -> list[tuple[Port, list[Any]]]:
        graphs.extend(x.graph for x in v[:1])
        arrays = [scalar_array(x) for x in (q, v, u)]
        return [(Port("tau", (model.nv,)), _checked(_returned(control, *arrays), model.nv, what))]

    program = trace("control", inputs, run)
    if any(node.graph is not graphs[0] for node in program.nodes):
        raise ArgumentError(
            "rollout: the control law uses scalars that it kept from an earlier call; it is a function of (q, v, u) "
            "alone, and has no memory from step to step"
        )
    return TracedLaw(program.digest, program)


def _returned(control: Control, q: Any, v: Any, u: Any) -> Any:
    try:
        tau = control(q, v, u)
        return [*tau] if isinstance(tau, Iterator) else tau  # a generator is evaluated only when it is consumed
    except Exception as problem:
        raise ArgumentError(
            f"rollout: the control law failed with {type(problem).__name__}: {problem}; {_ADVICE}"
        ) from problem


def _checked(forces: Any, nv: int, what: str) -> list[Any]:
    """The result of a control law: one scalar per coordinate of v."""
    try:
        tau = list(forces)
    except TypeError:
        raise ShapeError(
            f"rollout: the control law returned a {type(forces).__name__}; {nv} {what} are needed"
        ) from None
    if len(tau) != nv:
        raise ShapeError(f"rollout: the control law returned {len(tau)} {what}; {nv} are needed")
    for k, x in enumerate(tau):
        if not isinstance(x, Node | Real):
            raise DtypeError(
                f"rollout: entry {k} of what the control law returned is a {type(x).__name__}, not a number"
            )
    return tau
