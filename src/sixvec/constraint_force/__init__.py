"""Change of basis on dual spaces, and the constraint force algorithm it leads to (Featherstone and Fijany 1999)."""

from sixvec.constraint_force.array_chain import ArrayChain
from sixvec.constraint_force.chain_solver import ChainSolver
from sixvec.constraint_force.change_of_basis import (
    AdaptedBasis,
    DualTransform,
    Subspace,
    change_of_basis,
    constrained_by_force,
    constrained_by_motion,
    constrained_coordinates,
    inertia_split,
    inverse_inertia_split,
    reciprocal_basis,
    reciprocal_complement,
)
from sixvec.constraint_force.cyclic_reduction import Reduction, reduction, reduction_levels
from sixvec.constraint_force.dynamics import (
    ConstraintForceSolution,
    constraint_force_dynamics,
    constraint_force_solution,
)
from sixvec.constraint_force.prefix import prefix_levels, prefix_products, prefix_sums, suffix_sums
from sixvec.constraint_force.prefix_dynamics import chain_inverse_dynamics, chain_poses

__all__ = [
    "AdaptedBasis",
    "ArrayChain",
    "ChainSolver",
    "ConstraintForceSolution",
    "DualTransform",
    "Reduction",
    "Subspace",
    "chain_inverse_dynamics",
    "chain_poses",
    "change_of_basis",
    "constrained_by_force",
    "constrained_by_motion",
    "constrained_coordinates",
    "constraint_force_dynamics",
    "constraint_force_solution",
    "inertia_split",
    "inverse_inertia_split",
    "prefix_levels",
    "prefix_products",
    "prefix_sums",
    "reciprocal_basis",
    "reciprocal_complement",
    "reduction",
    "reduction_levels",
    "suffix_sums",
]
