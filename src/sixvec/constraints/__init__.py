"""Constraints that need decisions on numbers: ranks, null spaces, integrability.

The constraints themselves are values of `sixvec.spatial`.
"""

from sixvec.constraints.holonomy import Holonomy, is_holonomic, symbolic_holonomy
from sixvec.constraints.reciprocal import constraint_of_joint, constraint_of_twists, constraint_of_wrenches

__all__ = [
    "Holonomy",
    "constraint_of_joint",
    "constraint_of_twists",
    "constraint_of_wrenches",
    "is_holonomic",
    "symbolic_holonomy",
]
