"""Blocks of rows of which only the Delassus matrix G = J M⁻¹ Jᵀ is known: w are the velocities of the rows themselves.

A row reads its own entry of  w = G p + b,  and an impulse along it changes w by its column of G, so that sweeps and
Newton's steps are the same as in whitened velocities (`block_sweeps.py`).  G may be singular: nothing is factorised.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from sixvec.constraints.contacts.block_sweeps import AWAY, Block, BlockTerms, core_mobility, misfit
from sixvec.scalar import Scalar, where
from sixvec.spatial.linear import dot
from sixvec.spatial.norm import larger_or_nan

Kind = Literal["contact", "stop", "friction", "disc"]
WIDTH: dict[Kind, int] = {"contact": 3, "stop": 1, "friction": 1, "disc": 2}
"""The number of rows of a block; here a stop only pushes."""

BILATERAL: tuple[Kind, ...] = ("friction", "disc")
"""Kinds whose rows resist both ways, within a fixed limit."""

VANISHING = 1e-10
"""A normal with less than this fraction of the mean mobility is fixed, and its impulse is zero."""

NEVER_ZERO = 1e-300
"""Avoids division by zero where no row can move."""

Matrix = Sequence[Sequence[Any]]


@lru_cache(maxsize=64)
def blocks_of(kinds: tuple[Kind, ...]) -> tuple[Block, ...]:
    """The blocks of these kinds, one after the other; a stop is a contact without tangents."""
    m = sum(WIDTH[k] for k in kinds)
    blocks, start = [], 0
    for kind in kinds:
        columns = tuple(range(start, start + WIDTH[kind]))
        blocks.append(Block("contact" if kind == "stop" else kind, columns, WIDTH[kind], pushed=tuple(range(m))))
        start += WIDTH[kind]
    return tuple(blocks)


def mean_mobility(G: Matrix) -> Scalar:
    """The mean of the diagonal, and more than zero."""
    return sum((row[i] for i, row in enumerate(G)), 0.0) * (1.0 / max(1, len(G))) + NEVER_ZERO


def row_terms(G: Matrix, kinds: Sequence[Kind], limits: Sequence[Scalar]) -> list[BlockTerms]:
    """The terms of all blocks; `limits` are μ of contacts and the largest impulses of friction and discs."""
    blocks = blocks_of(tuple(kinds))
    laws = [law_of(G, block, limit) for block, limit in zip(blocks, limits, strict=True)]
    return joined_terms(blocks, G, laws, [own_mobility_of(G, b, x) for b, x in zip(blocks, limits, strict=True)])


def own_mobility_of(G: Matrix, block: Block, limit: Scalar) -> list[Any]:
    """The mobility of a block (`BlockTerms.mobility`)."""
    return core_mobility(block, [[G[i][j] for j in block.columns] for i in block.columns], limit)


def joined_terms(
    blocks: Sequence[Block], G: Matrix, laws: Sequence[list[Any]], mobilities: Sequence[list[Any]]
) -> list[BlockTerms]:
    """The terms of blocks from their parts: rows are unit vectors, pushes the rows of the symmetric G."""
    terms = []
    for block, law, mobility in zip(blocks, laws, mobilities, strict=True):
        rows = [[float(i == j) for j in block.columns] for i in block.columns]
        terms.append(BlockTerms(block, rows, law, mobility, [list(G[i]) for i in block.columns]))
    return terms


def is_fixed(G: Matrix, block: Block) -> Scalar:
    """Whether no impulse changes the velocity along the normal of a contact or stop: 1 or 0."""
    i = block.columns[0]
    return where(G[i][i] > VANISHING * mean_mobility(G), 0.0, 1.0)


def row_misfit(
    G: Matrix, b: Sequence[Scalar], p: Sequence[Scalar], kinds: Sequence[Kind], limits: Sequence[Scalar]
) -> tuple[Scalar, list[Scalar]]:
    """The largest violation of the laws (`block_sweeps.misfit`), and the velocities G p + b."""
    u = rates(G, b, p)
    terms = row_terms(G, kinds, limits)
    return larger_or_nan(misfit(terms, u, p), unstopped(G, blocks_of(tuple(kinds)), u)), u


def unstopped(G: Matrix, blocks: Sequence[Block], u: Sequence[Scalar]) -> Scalar:
    """The largest velocity at which a normal closes that no impulse can stop."""
    worst: Scalar = 0.0
    for block in blocks:
        if block.kind == "contact":
            x = u[block.columns[0]]
            worst = larger_or_nan(worst, where(is_fixed(G, block) > 0.5, where(x < 0.0, -x, 0.0 * x), 0.0))
    return worst


def rates(G: Matrix, b: Sequence[Scalar], p: Sequence[Scalar]) -> list[Scalar]:
    """G p + b."""
    return [x + dot(row, p) for row, x in zip(G, b, strict=True)]


def law_of(G: Matrix, block: Block, limit: Scalar) -> list[Any]:
    """The numbers of a block's law; what is fixed is far away, and has no impulse."""
    if block.kind != "contact":
        return [limit]
    return [AWAY * is_fixed(G, block), limit, 0.0, 0.0]


def without_energy(p: Sequence[Scalar], Gp: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """s p with the largest s ≤ 1 for which these impulses add no kinetic energy: 1 wherever they satisfy the laws.

    They add  p·b + ½ pᵀ G p,  with the velocities b without them.
    """
    work, needed = -2.0 * dot(p, b), dot(p, Gp)
    gains = needed > work
    s = where(gains, where(work > 0.0, work, 0.0) / where(gains, where(needed > 0.0, needed, 1.0), 1.0), 1.0)
    return [s * x for x in p]
