"""The terms of blocks as arrays between the stages of a step, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.constraints.contacts.block_sweeps import BlockTerms
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.sim.impulse_problem import ImpulseProblem


def lower_entries(problem: ImpulseProblem) -> list[Any]:
    """The entries of L, to count them."""
    counted: list[Any] = []

    def factors(q: Any, parameters: Any) -> Any:
        tree = problem.tree_of(parameters)
        counted[:] = Factors([list(row) for row in mass_matrix(tree, q)], tree_order(tree)).lower
        return 0.0

    count = problem.parameters.count if problem.parameters else 0
    inputs = (Port("q", (problem.model.nq,)), Port("parameters", (count,)))
    _ = CompiledFunction(factors, inputs, (Port("nothing", ()),), f"{problem.identity} factors").program
    return counted


def parts(blocks: Sequence[BlockTerms]) -> list[list[list[Any]]]:
    """Entries of rows, laws and mobilities of all blocks."""
    return [
        [[x for z in b.rows for x in z] for b in blocks],
        [list(b.law) for b in blocks],
        [list(b.mobility) for b in blocks],
    ]


def split(blocks: Sequence[Any], x: Sequence[Any], what: str) -> list[Sequence[Any]]:
    ends, parts = 0, []
    for b in blocks:
        size = getattr(b, what)
        parts.append(x[ends : ends + size])
        ends += size
    return parts


def joined(blocks: Sequence[Any], z: Sequence[Any], laws: Sequence[Any], own: Sequence[Any]) -> list[BlockTerms]:
    at, terms = 0, []
    for b, law, mobility in zip(blocks, split(blocks, laws, "numbers"), split(blocks, own, "mobilities"), strict=True):
        n = len(b.columns)
        rows = [list(z[at + k * n : at + (k + 1) * n]) for k in range(b.rows)]
        at += b.rows * n
        terms.append(BlockTerms(b, rows, list(law), list(mobility)))
    return terms
