"""Written by `make stubs` from the declarations in sixvec.algorithms; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.joint_wrenches import JointReference
from sixvec.algorithms.momentum import About
from sixvec.algorithms.parts.reference import Reference
from sixvec.model.held_frame import Rolling

Array = NDArray[np.floating[Any]]

class ConstrainedDynamics(NamedTuple):
    a: Array
    force: Array
    residual: Array

class InverseDynamicsDerivatives(NamedTuple):
    dq: Array
    dv: Array
    da: Array

class ConstrainedDynamicsDerivatives(NamedTuple):
    da_dq: Array
    da_dv: Array
    da_dtau: Array
    dforce_dq: Array
    dforce_dv: Array
    dforce_dtau: Array

class Delassus(NamedTuple):
    G: Array
    L: Array
    D: Array

class HybridDynamics(NamedTuple):
    a: Array
    tau: Array

class ForwardDynamicsDerivatives(NamedTuple):
    dq: Array
    dv: Array
    dtau: Array

class MassMatrixLtdl(NamedTuple):
    L: Array
    D: Array

class PrioritisedDynamics(NamedTuple):
    a: Array
    force: Array
    residual: Array

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
    ) -> Array:
        """Spatial acceleration of a frame: the derivative of its spatial velocity, gravity not included."""
    def jacobian(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """The matrix J(q) with velocity = J v: its columns are the joint axes S, expressed in the reference."""
    def analytical_jacobian(self, q: ArrayLike, frame: str, angles: str = "rpy", *, out: Array | None = None) -> Array:
        """Ĵ = ∂X/∂q for X = (three angles; position of the frame's origin), in the world."""
    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """M(q): kinetic energy is ½ vᵀ M v, and M a is the force that accelerations require."""
    crba = mass_matrix
    def articulated_inertia(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """I^A with f = I^A A + bias: the wrench needed to accelerate the frame together with all bodies that it
        carries."""
    def poses(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Poses of all frames in the world, in the order of `robot.frame_names`."""
    def passive_forces(self, q: ArrayLike, v: ArrayLike, coulomb: bool = True, *, out: Array | None = None) -> Array:
        """-d v - f sign(v) - k (q ⊖ rest): viscous damping, Coulomb friction and springs of the joints."""
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
    ) -> Array:
        """Joint forces that produce the accelerations `a`: tau = M(q) a + C(q, v) v + g(q) - Σ Jᵀ f_external."""
    rnea = inverse_dynamics
    def bias_forces(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """C(q, v) v + g(q): inverse dynamics with zero acceleration."""
    def velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """Velocity (ω; v) of a frame, in rad/s and m/s."""
    def canonical_momenta(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """p = ∂T/∂v = M(q) v, without M: the momentum along each joint's axis of all that it carries."""
    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Centre of mass of the moving bodies, in world coordinates: Σ m c / Σ m."""
    def center_of_mass_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The matrix J(q) with ċ = J v for the centre of mass c of the moving bodies, in world axes."""
    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The A(q) with h = A v: momentum about the centre of mass, world axes, angular part first."""
    def centroidal_momentum_matrix_derivative(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """dA/dt along the velocity v, so that ḣ = A a + Ȧ v is the rate of `momentum`."""
    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """The C(q, v) with C v = velocity-product forces and Ṁ - 2C skew-symmetric."""
    def christoffel_symbols(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Γ_ijk with c_i = Σ Γ_ijk v_j v_k and C_ij = Σ Γ_ijk v_k: Christoffel symbols of the first kind."""
    def classical_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """Angular acceleration of a frame and acceleration of its origin as a point: a_point = a + ω × v."""
    def closure_error(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The position errors of all closures, zero where every loop is closed: f(q) = 0 (Bruyninckx (5.1),
        §5.5.4)."""
    def constraint_jacobian(
        self, q: ArrayLike, hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None, *, out: Array | None = None
    ) -> Array:
        """A(q) with ė = A v: rows of the closures, as in `closure_jacobian`, of wheels that roll, of frames in
        `hold`."""
    def constraint_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        """γ(q, v), the acceleration along each row at a = 0: A a + γ is what a constraint keeps at zero."""
    def closure_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The matrix A(q) with ė = A v for the errors e of `closure_error`; the loops stay closed if A v = 0."""
    def constrained_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        target: ArrayLike | None = None,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        method: str = "auto",
        weight: tuple[Any, ...] = (),
        damping: float = 0.0,
        stabilisation: tuple[float, ...] = (),
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> ConstrainedDynamics:
        """Accelerations a, and constraint forces: M a + c = tau + Aᵀ force with A a + γ = target."""
    def kinematic_hessian(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """H[i, j, k] = ∂J[i, j]/∂q[k] in tangent coordinates, for the Jacobian of the same reference."""
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
    ) -> InverseDynamicsDerivatives:
        """∂tau/∂q, ∂tau/∂v and ∂tau/∂a = M, each (nv, nv), in tangent coordinates."""
    def constrained_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        target: ArrayLike | None = None,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        weight: tuple[Any, ...] = (),
        damping: float = 0.0,
        *,
        out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    ) -> ConstrainedDynamicsDerivatives:
        """The derivatives of a and force of `constrained_dynamics` with respect to q, v and tau, in tangent
        coordinates."""
    def constraint_verdict(
        self, q: ArrayLike, hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None, *, out: Array | None = None
    ) -> Array:
        """SINGULAR where the rank of loops and held frames is lower at q than along the motion, else SOLVED."""
    def delassus(
        self,
        q: ArrayLike,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> Delassus:
        """G = A M⁻¹ Aᵀ, the Delassus matrix, with its factors L D Lᵀ = G."""
    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
        """q1 ⊖ q0: the velocity that moves q0 to q1 in one unit of time, so q0 ⊕ (q1 ⊖ q0) = q1."""
    def operational_space_inertia(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """Λ(q) = (J M⁻¹ Jᵀ + damping 1)⁻¹: the wrench per unit acceleration of a frame (Khatib 1987; Lynch-Park
        §9.6)."""
    def dynamically_consistent_inverse(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """J̄(q) = M⁻¹ Jᵀ Λ: the joint accelerations of least aᵀ M a that produce a frame's acceleration (Khatib
        1987)."""
    def dynamically_consistent_null_space(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """N(q) = 1 - J̄ J: removes from joint velocities or accelerations the part that moves the frame (Khatib
        1987)."""
    def kinetic_energy_regressor(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """The Y(q, v) with T = Y · π for the kinetic energy without rotors; π as in `inverse_dynamics_regressor`."""
    def potential_energy_regressor(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The Y(q) with U = Y · π for the potential energy; π as in `inverse_dynamics_regressor`."""
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
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        *,
        out: tuple[Array, Array] | None = None,
    ) -> HybridDynamics:
        """All accelerations and all joint forces, where each coordinate prescribes one of the two."""
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
        stabilisation: tuple[float, ...] = (),
        *,
        out: Array | None = None,
    ) -> Array:
        """Joint accelerations under the forces `tau`: a = M⁻¹ (tau - C v - g + Σ Jᵀ f_external)."""
    aba = forward_dynamics
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
    ) -> ForwardDynamicsDerivatives:
        """∂a/∂q, ∂a/∂v and ∂a/∂tau = M⁻¹, each (nv, nv), in tangent coordinates."""
    def inverse_dynamics_regressor(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """The Y(q, v, a) with tau = Y π for inverse dynamics without rotors: joint forces are linear in the
        parameters."""
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
    ) -> Array:
        """∂a/∂π of a = FD(q, v, tau; π) for the parameters π of `inverse_dynamics_regressor`."""
    def gravity_forces(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """g(q), the gradient of the potential energy: inverse dynamics at rest."""
    def integrate(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """q ⊕ v: the position reached by moving with constant v for one unit of time (v includes the time step)."""
    def inverse_dynamics_regressor_entries(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """The entries of Y in tau = Y π that the tree does not make zero: a body affects only the joints that move
        it."""
    def jacobian_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """dJ/dt along the velocity v, for J of the same reference."""
    def joint_wrenches(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        external_reference: Reference = "local",
        reference: JointReference = "joint",
        *,
        out: Array | None = None,
    ) -> Array:
        """Wrench (moment; force) that the parent exerts on each body through its joint, in N m and N."""
    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """½ Σ Vᵀ I V over the bodies and ½ I_r v² over the rotors, in joule; equal to ½ vᵀ M(q) v."""
    def mass_matrix_ltdl(self, q: ArrayLike, *, out: tuple[Array, Array] | None = None) -> MassMatrixLtdl:
        """L and D with M = Lᵀ diag(D) L, L unit lower triangular in the order of the tree: no square roots, no
        fill-in."""
    def mass_matrix_ltl(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """L with M = Lᵀ L, with a positive diagonal and without fill-in: √D times that of `mass_matrix_ltdl`."""
    def mass_matrix_inverse(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """M(q)⁻¹, full and symmetric, through the sparse factorisation M = Lᵀ D L without fill-in."""
    def mass_matrix_solve(self, q: ArrayLike, tau: ArrayLike, *, out: Array | None = None) -> Array:
        """x with M(q) x = tau: accelerations from forces at rest, velocities from canonical momenta."""
    def momentum(
        self, q: ArrayLike, v: ArrayLike, about: About = "center_of_mass", *, out: Array | None = None
    ) -> Array:
        """Angular momentum about the centre of mass, or the world's origin, and linear momentum, in world axes."""
    def momentum_regressor(
        self, q: ArrayLike, v: ArrayLike, about: About = "center_of_mass", *, out: Array | None = None
    ) -> Array:
        """The Y(q, v) with h = Y π for the momentum h of `momentum`, about the same point, angular part first."""
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
    ) -> Array:
        """Joint forces of a robot on a base that moves: a vehicle, a lift, a hand that holds it (Lynch-Park §9.3)."""
    def operational_space_inertia_inverse(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """Ω(q) = J M⁻¹ Jᵀ: the acceleration of a frame per unit of wrench on it."""
    def pose(self, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """Pose of a frame in the world, as a homogeneous 4x4 matrix: X_WF = Π X_PB(q)."""
    def potential_energy(self, q: ArrayLike, passive: bool = False, *, out: Array | None = None) -> Array:
        """-g · Σ m c of the moving bodies, in joule, zero with all mass at the world's origin."""
    def prioritised_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: Mapping[str, ArrayLike] | None = None,
        target: ArrayLike | None = None,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        levels: tuple[int, ...] = (),
        external_reference: Reference = "local",
        passive: bool = False,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> PrioritisedDynamics:
        """Accelerations a with A_k a + γ_k = target_k level by level, each as closely as those above allow."""
    def quaternion_jacobian(self, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """Ĵ = ∂X/∂q for X = (unit quaternion x y z w; position of the frame's origin), in the world."""
    def relative_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        base: str | None = None,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """The matrix J(q) with J v = the velocity of `frame` relative to `base`."""
    def task_space_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """η(q, v) of the task-space dynamics F = Λ V̇ + η, τ = Jᵀ F (Lynch-Park §9.6; Khatib 1987)."""
    def tendon_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The matrix J(q) with l̇ = J v for the lengths of the tendons; a muscle's moment arms are -J, in m."""
    def tendon_velocities(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """Rate of change of each tendon's length, in m/s, negative while it shortens: l̇ = J v."""
    def tendon_lengths(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Length of each tendon of `robot.model.tendons`, in m: muscles, cables, and weighted sums of joint
        positions."""
    def velocity_product_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """a_vp, the part of the spatial acceleration that is quadratic in v: acceleration = J a + a_vp."""
    def wrench_response(
        self, q: ArrayLike, frame: str, reference: Reference = "local", *, out: Array | None = None
    ) -> Array:
        """M⁻¹ Jᵀ: the change of the joint accelerations per unit of wrench on a frame, in O(n) per column."""
