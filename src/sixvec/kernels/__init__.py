"""An algorithm as a call: binding, options, derivatives, payloads, functions of the user.

The packages above take the types of compiled functions from here, not from the compiler.
"""

from sixvec.compiler.call import Compiled
from sixvec.compiler.farthest_vertex import FarthestVertex, VertexTable
from sixvec.compiler.iteration import Iterated, iterated
from sixvec.compiler.packing import Item as PackingItem
from sixvec.compiler.packing import Kind as PackingKind
from sixvec.compiler.packing import Packing
from sixvec.compiler.program import Port, Program
from sixvec.compiler.staged import Stage, Staged

__all__ = [
    "Compiled", "FarthestVertex", "Iterated", "Packing", "PackingItem", "PackingKind", "Port", "Program", "Stage",
    "Staged", "VertexTable", "iterated",
]  # fmt: skip
