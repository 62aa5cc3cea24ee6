"""Visits of the entries of all lists of contacts, as stages of a step (`sixvec.sim.contact_lists`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.constraints.contacts.block_sweeps import Block, BlockTerms, misfit
from sixvec.kernels import Compiled, Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.sim.contact_lists import ContactLists
from sixvec.sim.impulse_problem import ImpulseProblem
from sixvec.spatial.norm import larger_or_nan

Compile = Callable[[Any, Sequence[Port], Sequence[Port], str], CompiledFunction]
Joined = Callable[[Sequence[Block], Any, Any, Any], list[BlockTerms]]


class Stages:
    """Stages that are added one after the other, with the shapes of all arrays between them."""

    def __init__(self, ports: Sequence[Port]) -> None:
        self.ports = {p.name: p for p in ports}
        self.stages: list[Stage] = []

    def add(self, function: Compiled, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.stages.append(Stage(function, tuple(inputs), tuple(outputs)))
        self.ports |= {n: Port(n, p.shape) for n, p in zip(outputs, function.outputs, strict=False)}

    def named(self, names: Sequence[str]) -> list[Port]:
        return [self.ports[n] for n in names]


class ListVisits:
    """What stages of a problem have in common; `compiled` compiles a function, `joined` are the terms of single blocks.

    `most` are the numbers of sweeps, of rounds of Newton's method, and of the sweeps in each of them.
    """

    def __init__(
        self, problem: ImpulseProblem, lists: ContactLists, singles: Sequence[Block], most: tuple[int, int, int],
        compiled: Compile, joined: Joined,
    ) -> None:  # fmt: skip
        self.lists, self.singles, self.compiled, self._joined = lists, list(singles), compiled, joined
        self.most, self.most_newton, self.sweeps_between = most
        self.nv, self.order = problem.model.nv, tree_order(problem.tree)
        self.count = len(lists.kinds)
        self.rows = sum(b.rows for b in singles)
        self._loops: dict[tuple[str, int], Iterated] = {}

    def each(self, name: str) -> list[str]:
        """An array of each list."""
        return [f"{name}_{k}" for k in range(self.count)]

    def _ports(self, *shapes: tuple[str, tuple[int, ...]]) -> list[Port]:
        return [Port(*x) for x in shapes]

    @property
    def _w(self) -> tuple[int, ...]:
        return (self.nv,)

    def visit(
        self, to: Stages, title: str, body: Callable[..., Any], state: Sequence[tuple[str, tuple[int, ...], str]],
        constants: Sequence[tuple[str, tuple[int, ...], str]], arrays: Sequence[str], results: Sequence[str] = (),
        count: str = "count",
    ) -> list[str]:  # fmt: skip
        """Add loops over the entries of all lists; the names of the state after them.

        `body` takes the state, the constants, the terms of an entry, its gap and the impulses of `arrays`, and returns
        the state and the impulses of `results`; `state` and `constants` are names, shapes, and the arrays passed.  Of
        one `title` the loops are the same.
        """
        sources = [source for _, _, source in state]
        for k in range(self.count):
            loop = self._loop(title, body, k, state, constants, len(arrays), len(results))
            ends = [f"{title}_{name}_{k}_{len(to.stages)}" for name, _, _ in state]
            places = [f"{x}_{k}" for x in ("entries", *arrays, count)]
            to.add(loop, (*sources, *(x for _, _, x in constants), *places), (*ends, *(f"{x}_{k}" for x in results)))
            sources = ends
        return sources

    def _loop(self, title: str, body: Any, k: int, state: Any, constants: Any, arrays: int, results: int) -> Iterated:
        if (title, k) not in self._loops:
            lists, rows = self.lists, self.lists.kinds[k].rows
            known = [*(Port(n, shape) for n, shape, _ in (*state, *constants)), Port("entry", (lists.size(k),))]
            inputs = [*known, *(Port(f"p{i}", (rows,)) for i in range(arrays))]
            outputs = [*known[: len(state)], *(Port(f"x{i}", (rows,)) for i in range(results))]
            first = len(known)

            def visit(*values: Any) -> Any:
                entry = values[first - 1]
                outcome = body(*values[: first - 1], lists.terms(k, entry), entry[-1], *values[first:])
                return outcome if len(outputs) > 1 else outcome[0]

            visit.__name__ = f"contact_{title}"
            compiled = self.compiled(visit, inputs, outputs, f"{title} {k}")
            self._loops[title, k] = Iterated(compiled, lists.most(k), len(state), 1 + arrays, counted=True)
        return self._loops[title, k]

    def _terms(self, z: Any, laws: Any, mobilities: Any) -> list[BlockTerms]:
        return self._joined(self.singles, z, laws, mobilities)

    @property
    def _constants(self) -> list[Port]:
        sizes = [(b.rows * len(b.columns), b.numbers, b.mobilities) for b in self.singles]
        z, numbers, mobilities = (sum(x) for x in zip((0, 0, 0), *sizes, strict=True))
        shapes: list[tuple[str, tuple[int, ...]]] = [
            ("z", (z,)),
            ("laws", (numbers,)),
            ("own", (mobilities,)),
            ("tolerance", ()),
        ]
        for k in range(self.count):
            shapes += [(f"entries_{k}", (self.lists.most(k), self.lists.size(k))), (f"count_{k}", ())]
        return self._ports(*shapes)

    @property
    def constants(self) -> list[str]:
        """The arrays that the loops need besides their state."""
        return [p.name for p in self._constants]

    def _iterated(self, to: Stages, name: str, state: Sequence[Port], most: int, counted: bool = False) -> Iterated:
        """A loop until `go_on` is not positive."""
        outputs = [Port(ahead(p.name), p.shape) for p in state] + [Port("go_on", ())]
        staged = Staged(f"contact_{name}", (*state, *self._constants), outputs, to.stages, f"{self.identity} {name}")
        return Iterated(staged, most, len(state), until=True, counted=counted)

    @property
    def identity(self) -> str:
        """That of the step."""
        return self.compiled(nothing, (), (Port("nothing", ()),), "lists").identity

    def _missed(self, to: Stages, w: str, p: str, worst: str, count: str = "count") -> str:
        """The name of the largest misfit of all entries."""

        def body(worst: Any, w: Any, t: BlockTerms, gap: Any, p: Any) -> Any:
            return (larger_or_nan(worst, misfit([t], w, p)),)

        return self.visit(to, "missed", body, [("worst", (), worst)], [("w", self._w, w)], [p], count=count)[0]


def ahead(name: str) -> str:
    """The name of a state after a step; numbers of lists stay at the end."""
    title, _, k = name.rpartition("_")
    return f"{title}_next_{k}" if k.isdigit() else f"{name}_next"


def nothing() -> float:
    return 0.0
