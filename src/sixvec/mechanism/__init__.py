"""What the dimensions of a mechanism decide once: its size, states with closed loops, the rank of its constraints."""

import sixvec.algorithms as _algorithms  # noqa: F401  first: its equations use the rank, which uses its equations
from sixvec.mechanism.row_rank import RowGroup, RowRank, row_rank

__all__ = ["RowGroup", "RowRank", "row_rank"]
