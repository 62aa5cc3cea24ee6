"""The spatial operator algebra of Rodriguez and Kreutz on trees: operators, identities, sweeps.

`SpatialOperators` gives the factors of the mass matrix as explicit matrices; the sweeps FD1 to FD4 apply the same
operators without forming a matrix.
"""

from sixvec.theory.operators.forward_sweeps import FORWARD_SWEEPS, fd1, fd2, fd3, fd4
from sixvec.theory.operators.innovations import Innovations, innovations, random_forces
from sixvec.theory.operators.link_blocks import LinkBlocks, link_blocks
from sixvec.theory.operators.spatial_operators import SpatialOperators, spatial_operators
from sixvec.theory.operators.sweep_kernel import sweep_kernel

__all__ = [
    "FORWARD_SWEEPS", "Innovations", "LinkBlocks", "SpatialOperators", "fd1", "fd2", "fd3", "fd4", "innovations",
    "link_blocks", "random_forces", "spatial_operators", "sweep_kernel",
]  # fmt: skip
