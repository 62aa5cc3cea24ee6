"""Dynamics of trees too large for an unrolled program: one kernel per kind of joint, swept over flat arrays."""

from sixvec.large_trees.dynamics import (
    forward_dynamics,
    inverse_dynamics,
    mass_matrix_product,
    mass_matrix_solve,
)
from sixvec.large_trees.joint_kinds import KINDS
from sixvec.large_trees.large_tree import LargeTree
from sixvec.large_trees.passive_forces import passive_forces
from sixvec.lazy import modules_on_demand

__all__ = [
    "KINDS", "LargeTree", "forward_dynamics", "inverse_dynamics", "mass_matrix_product", "mass_matrix_solve",
    "passive_forces",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__, "constraint_force")
