"""Written by `make stubs` from the declarations in sixvec.algorithms; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.momentum import About
from sixvec.algorithms.parts.reference import Reference

Array = NDArray[np.floating[Any]]

class ConstrainedDynamics(NamedTuple):
    a: Array
    force: Array
    residual: Array

class HybridDynamics(NamedTuple):
    acceleration: Array
    force: Array

class InverseDynamicsDerivatives(NamedTuple):
    dq: Array
    dv: Array
    da: Array

class ForwardDynamicsDerivatives(NamedTuple):
    dq: Array
    dv: Array
    dtau: Array

class MassMatrixLtdl(NamedTuple):
    L: Array
    D: Array

class Methods:
    def acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def jacobian(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def analytical_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        angles: str = "rpy",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def crba(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def articulated_inertia(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def poses(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def passive_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        coulomb: bool = True,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def rnea(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def bias_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def canonical_momenta(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def center_of_mass_jacobian(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def centroidal_momentum_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def centroidal_momentum_matrix_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def christoffel_symbols(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def classical_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def closure_error(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def constraint_jacobian(
        self,
        q: ArrayLike,
        hold: Mapping[str | tuple[str, str], str | Sequence[str]] | None = None,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def constraint_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        hold: Mapping[str | tuple[str, str], str | Sequence[str]] | None = None,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def closure_jacobian(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def integrate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def constrained_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        target: ArrayLike | None = None,
        hold: Mapping[str | tuple[str, str], str | Sequence[str]] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> ConstrainedDynamics: ...
    def difference(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def operational_space_inertia(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def dynamically_consistent_inverse(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def dynamically_consistent_null_space(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def kinetic_energy_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def potential_energy_regressor(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        prescribed: tuple[str | int, ...] = (),
        passive: bool = False,
        *,
        out: tuple[Array, Array] | None = None,
    ) -> HybridDynamics: ...
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def aba(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def kinematic_hessian(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> InverseDynamicsDerivatives: ...
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> ForwardDynamicsDerivatives: ...
    def inverse_dynamics_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def forward_dynamics_parameter_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def gravity_forces(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_dynamics_regressor_entries(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def jacobian_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def kinetic_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def mass_matrix_ltdl(
        self,
        q: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
    ) -> MassMatrixLtdl: ...
    def mass_matrix_ltl(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def mass_matrix_inverse(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def mass_matrix_solve(
        self,
        q: ArrayLike,
        tau: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        about: About = "center_of_mass",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def momentum_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        about: About = "center_of_mass",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def moving_base_inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        base_twist: ArrayLike,
        base_acceleration: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def operational_space_inertia_inverse(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def pose(
        self,
        q: ArrayLike,
        frame: str,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def potential_energy(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def quaternion_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def relative_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        base: str | None = None,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def task_space_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array: ...
    def velocity_product_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array: ...
    def wrench_response(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local",
        *,
        out: Array | None = None,
    ) -> Array: ...
