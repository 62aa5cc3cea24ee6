"""Dynamics from the energies: Lagrange's equations numerically and symbolically, and closed forms for checking."""

from sixvec.theory.lagrange.action import action, action_gradient, action_variation
from sixvec.theory.lagrange.christoffel import christoffel_by_differentiation, coriolis_and_centrifugal, velocity_forces
from sixvec.theory.lagrange.condition import mass_condition
from sixvec.theory.lagrange.constrained import ConstrainedLagrange
from sixvec.theory.lagrange.euler_lagrange import EulerLagrange, structure_constants
from sixvec.theory.lagrange.factor_solve import solve_with_factors
from sixvec.theory.lagrange.screw_chain import ScrewChain
from sixvec.theory.lagrange.stacked import StackedDynamics
from sixvec.theory.lagrange.symbolic import equations_of_motion, latex, symbolic, symbols
from sixvec.theory.lagrange.underactuation import collocated, noncollocated

__all__ = [
    "ConstrainedLagrange", "EulerLagrange", "ScrewChain", "StackedDynamics", "action", "action_gradient",
    "action_variation", "christoffel_by_differentiation", "collocated", "coriolis_and_centrifugal",
    "equations_of_motion", "latex", "mass_condition", "noncollocated", "solve_with_factors", "structure_constants",
    "symbolic", "symbols", "velocity_forces",
]  # fmt: skip
