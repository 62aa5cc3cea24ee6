"""Large matrices of sums of products, computed in blocks.  There are no kernels here.

Compiled code computes in the order of the trace.  A block of a product A B has all its sums in registers, and each
factor that is loaded serves a row or a column of them; blocks follow each other down a panel of some columns, whose
factors stay in the fastest cache.  Each sum adds its own products in their order: blocks change no bit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

ROWS, COLUMNS = 4, 5
"""Of a block: its sums, a row of factors and one more fit into 32 registers."""

PANEL = 10
"""Columns of a panel: with 64 bytes for a factor, those of ten columns take less than half of 32 kB."""

Products = Sequence[tuple[Any, Any]]


def sums_by_blocks(products: Mapping[tuple[int, int], Products]) -> dict[tuple[int, int], Any]:
    """The sum of the products of each (row, column).

    >>> sums_by_blocks({(0, 0): [(2.0, 3.0), (1.0, 4.0)], (0, 1): []})
    {(0, 0): 10.0, (0, 1): 0.0}
    """
    blocks: dict[Hashable, list[tuple[int, int]]] = {}
    for i, j in sorted(products):
        blocks.setdefault((j // PANEL, i // ROWS, j // COLUMNS), []).append((i, j))
    sums: dict[tuple[int, int], Any] = {}
    for _, places in sorted(blocks.items()):
        sums.update(zip(places, interleaved_sums([products[at] for at in places]), strict=True))
    return sums


def interleaved_sums(products: Sequence[Products]) -> list[Any]:
    """Several sums of products, one product of each at a time.

    >>> interleaved_sums([[(2.0, 3.0), (1.0, 4.0)], [(5.0, 5.0)], []])
    [10.0, 25.0, 0.0]
    """
    sums: list[Any] = [0.0] * len(products)
    for n in range(max(map(len, products), default=0)):
        for k, pairs in enumerate(products):
            if n < len(pairs):
                x, y = pairs[n]
                sums[k] = sums[k] + x * y if n else x * y
    return sums
