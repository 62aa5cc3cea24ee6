"""Change of basis on dual spaces, and the constraint force algorithm it leads to (Featherstone and Fijany 1999)."""

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.chain_solver import ChainSolver
from sixvec.large_trees.constraint_force.cyclic_reduction import Reduction, reduction, reduction_levels
from sixvec.large_trees.constraint_force.dynamics import (
    ConstraintForceSolution,
    constraint_force_dynamics,
    constraint_force_solution,
)
from sixvec.large_trees.constraint_force.prefix import prefix_levels, prefix_products, prefix_sums, suffix_sums
from sixvec.large_trees.constraint_force.prefix_dynamics import chain_inverse_dynamics, chain_poses

__all__ = [
    "ArrayChain",
    "ChainSolver",
    "ConstraintForceSolution",
    "Reduction",
    "chain_inverse_dynamics",
    "chain_poses",
    "constraint_force_dynamics",
    "constraint_force_solution",
    "prefix_levels",
    "prefix_products",
    "prefix_sums",
    "reduction",
    "reduction_levels",
    "suffix_sums",
]
