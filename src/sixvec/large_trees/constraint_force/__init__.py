"""Change of basis on dual spaces, and the constraint force algorithm it leads to (Featherstone and Fijany)."""

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.chain_solver import ChainSolver
from sixvec.large_trees.constraint_force.cyclic_reduction import reduction, reduction_levels
from sixvec.large_trees.constraint_force.dynamics import (
    constraint_force_solution,
    forward_dynamics,
)
from sixvec.large_trees.constraint_force.prefix import prefix_levels, prefix_products, suffix_sums
from sixvec.large_trees.constraint_force.prefix_dynamics import inverse_dynamics, poses

__all__ = [
    "ArrayChain", "ChainSolver", "constraint_force_solution", "forward_dynamics", "inverse_dynamics", "poses",
    "prefix_levels", "prefix_products", "reduction", "reduction_levels", "suffix_sums",
]  # fmt: skip
