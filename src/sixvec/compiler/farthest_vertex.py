"""The farthest vertices of convex hulls as a stage of a program: one machine code for all hulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.build import Code
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.memory import address
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.farthest import farthest_assembly
from sixvec.compiler.runtime.functions import runtime_function

WORK = 100
"""Operations of a lane, more or less: some twenty vertices are compared."""


@dataclass(frozen=True, eq=False)
class VertexTable:
    """The vertices (n, 3) of a hull, and for each of 6 x `cells` x `cells` cells of directions those that can be the
    farthest: cell k has the `entries`, three times the number of a vertex, from starts[k] to starts[k + 1]."""

    vertices: NDArray[np.float64]
    starts: NDArray[np.int32]
    entries: NDArray[np.int32]
    cells: int

    @property
    def words(self) -> list[int]:
        return [address(self.vertices), address(self.starts), address(self.entries), self.cells]


class FarthestVertex(Compiled):
    """A direction and the number of a hull -> its farthest vertex; for stages, in double precision."""

    needs_double = True

    def __init__(self, tables: Sequence[VertexTable]) -> None:
        self.name = "farthest_vertex"
        self.inputs = (Port("direction", (3,)), Port("hull", ()))
        self.outputs = (Port("vertex", (3,)),)
        self._tables = tuple(tables)
        self._words = np.array([t.words for t in tables], np.int64)

    def executable(self, dtype: str) -> Any:
        return self

    @property
    def ahead(self) -> int:
        return address(self._words)

    def step(self, lanes: Lanes) -> tuple[Code, int]:
        return runtime_function("farthest", farthest_assembly(lanes), lanes), WORK

    def codes(self, lanes: Lanes) -> list[Code]:
        return [self.step(lanes)[0]]

    def __reduce__(self) -> Any:
        return FarthestVertex, (self._tables,)

    def check_options(self) -> None:
        """It has none."""
