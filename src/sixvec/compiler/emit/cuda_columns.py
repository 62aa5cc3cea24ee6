"""Columns of results that are computed alike: on a CUDA device, each by a separate thread.

The columns of a product such as M⁻¹ B take the same operations on the same factors.  In one thread per sample, the
factors are loaded again and again, for as many columns at once as there are registers.  Here the operations of a column
are found: those that only its results need.  Columns are compared operation by operation, and become one program, in
which a variable has a value for each column (cuda_column_steps.py).  A step is done for the columns that have it: the
others lack a term of a sum, or the entry is zero.  What the columns need from the program is computed before, in
sections (cuda_sections.py): numbers that all columns share, and entries that each has for itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sixvec.compiler.emit.cuda_column_search import FEWEST, family_of
from sixvec.compiler.emit.cuda_column_steps import Family, Signed
from sixvec.compiler.emit.cuda_tiles import BYTES
from sixvec.compiler.graph import Operand
from sixvec.compiler.program import Program

WORTH = 4
"""Operations of all columns together for each number that they need from the sections, at least."""

SEGMENT = 64
"""Bytes that device memory delivers at once."""

MOST_SHARED, MOST_THREADS = 112 * 1024, 1024
"""Bytes of shared memory, of which a multiprocessor has those of two blocks, and threads of a block."""


@dataclass(frozen=True)
class Columns:
    """The columns of a program, and the numbers that they need from the sections, each a node or its negative."""

    families: tuple[Family, ...]
    common: tuple[Signed, ...]
    """Those that several families need, or all columns of one."""
    separate: tuple[tuple[Signed, ...], ...]
    """The others of each family."""

    @property
    def numbers(self) -> list[Signed]:
        """All, in the order in which they are in device memory."""
        return [x for group in (self.common, *self.separate) for x in group]

    @property
    def size(self) -> int:
        """Numbers of a sample in shared memory: those of a family are where those of the one before were."""
        pairs = zip(self.families, self.separate, strict=True)
        return len(self.common) + max(len(separate) + family.staged for family, separate in pairs)

    @property
    def widest(self) -> int:
        return max(family.count for family in self.families)

    @staticmethod
    def samples(dtype: str) -> int:
        """Samples of a block: of a number, so many are two sectors of device memory."""
        return SEGMENT // BYTES[dtype]


def columns_of(program: Program, dtype: str) -> Columns | None:
    """The outputs of a lowered program whose columns, computed alike, save more operations than numbers they need."""
    found = []
    for k, port in enumerate(program.outputs):
        if (
            len(port.shape) == 2
            and min(port.shape) >= FEWEST
            and port.shape[1] * Columns.samples(dtype) <= MOST_THREADS
        ):
            family = family_of(program, k)
            if _private_operations(program, family) >= WORTH * len({*family.shared, *family.entries}):
                found.append(family)
    found.sort(key=lambda family: family.is_symmetric)
    if not found:
        return None
    users = Counter(x for family in found for x in {*family.entries, *((1, y) for y in family.shared)})
    shared: dict[Signed, None] = dict.fromkeys((1, x) for family in found for x in family.shared)
    common = shared | dict.fromkeys(x for family in found for x in family.entries if users[x] > 1)
    separate = tuple(tuple(x for x in family.entries if x not in common) for family in found)
    columns = Columns(tuple(found), tuple(common), separate)
    return columns if columns.size * SEGMENT <= MOST_SHARED else None


def _private_operations(program: Program, family: Family) -> int:
    """Operations that nothing else needs."""
    needed: set[Operand] = {*family.shared, *(x for _, x in family.entries)}
    for k, entries in enumerate(program.results):
        if k != family.output:
            needed.update(entries)
    for node in reversed(program.nodes):
        if node in needed:
            needed.update(node.args)
    return sum(node not in needed for node in program.nodes)
