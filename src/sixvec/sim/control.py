"""Control laws: functions on scalars, run on symbols, so that their operations identify the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from sixvec.compiler.graph import BUILD, Graph, Node, Operand
from sixvec.compiler.program import Port, Program, trace
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.model import Model

Control = Callable[[Any, Any, Any], Any]
"""A control law on scalars: joint forces from (q, v, u), where u is this step's entry of the inputs."""

_ADVICE = (
    "q, v and u are lists of scalars without values yet: use sin, cos, sqrt, arccos, arctan2 and where of "
    "sixvec.scalar instead of NumPy, math and if, and robot.evaluate(name, …) instead of the robot's methods"
)


@dataclass(frozen=True)
class TracedLaw:
    """The operations of a control law.  Laws with the same operations are equal, even if they are different objects."""

    digest: str
    program: Program = field(compare=False, repr=False)

    def __call__(self, q: Any, v: Any, u: Any) -> list[Operand]:
        """The same operations on other scalars."""
        given, found = {"q": q, "v": v, "u": u}, dict[Node, Operand]()
        for node in self.program.nodes:
            if node.op == "input":
                name, index = node.source
                found[node] = given[name][index]
            else:
                found[node] = BUILD[node.op](*(found[a] if isinstance(a, Node) else a for a in node.args))
        (results,) = self.program.results
        return [found[x] if isinstance(x, Node) else x for x in results]


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
        return [(Port("tau", (model.nv,)), _checked(_returned(control, q, v, u), model.nv, what))]

    program = trace("control", inputs, run)
    if any(node.graph is not graphs[0] for node in program.nodes):
        raise ArgumentError(
            "rollout: the control law uses scalars that it kept from an earlier call; it is a function of (q, v, u) "
            "alone, and has no memory from step to step"
        )
    return TracedLaw(program.digest, program)


def _returned(control: Control, q: Any, v: Any, u: Any) -> Any:
    try:
        given = control(q, v, u)
        return [*given] if isinstance(given, Iterator) else given  # a generator is evaluated only when it is consumed
    except Exception as problem:
        raise ArgumentError(
            f"rollout: the control law failed with {type(problem).__name__}: {problem}; {_ADVICE}"
        ) from problem


def _checked(given: Any, nv: int, what: str) -> list[Any]:
    """The result of a control law: one scalar per coordinate of v."""
    try:
        tau = list(given)
    except TypeError:
        raise ShapeError(
            f"rollout: the control law returned a {type(given).__name__}; {nv} {what} are needed"
        ) from None
    if len(tau) != nv:
        raise ShapeError(f"rollout: the control law returned {len(tau)} {what}; {nv} are needed")
    for k, x in enumerate(tau):
        if not isinstance(x, Node | Real):
            raise DtypeError(
                f"rollout: entry {k} of what the control law returned is a {type(x).__name__}, not a number"
            )
    return tau
