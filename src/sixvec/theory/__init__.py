"""Other routes to the same equations: energies, spatial operators, change of basis, symbols."""

from sixvec.lazy import modules_on_demand
from sixvec.theory.change_of_basis import (
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

__all__ = [
    "AdaptedBasis", "DualTransform", "Subspace", "change_of_basis", "constrained_by_force", "constrained_by_motion",
    "constrained_coordinates", "inertia_split", "inverse_inertia_split", "reciprocal_basis", "reciprocal_complement",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__, "lagrange", "operators")
