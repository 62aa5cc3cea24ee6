"""Written by `make stubs` from the declarations in sixvec.algorithms; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.momentum import About
from sixvec.algorithms.parts.held_frames import Rolling
from sixvec.algorithms.parts.reference import Reference

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
        """Spatial acceleration of a frame: the derivative of its spatial velocity, gravity not included.

        A spatial acceleration is a vector like a velocity: it changes axes and reference point by the same rule.  The
        acceleration of the frame's origin as a point is `classical_acceleration`  (Featherstone (10)).
        Featherstone (28), (29).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> spin = [1, 0, 0, 0, 0, 0, 0]
        >>> robot.acceleration(robot.neutral(), spin, [0] * 7, "panda_link8").round(3).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        """
    def jacobian(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """The matrix J(q) with  velocity = J v: its columns are the joint axes S, expressed in the reference.

        Joints that do not move the frame have zero columns  (Featherstone (17)-(25)).
        Bruyninckx (5.23); Lynch-Park (9.91).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> abs(robot.jacobian(robot.neutral(), "panda_link8")[:, 0]).round(3).tolist()
        [0.0, 0.0, 1.0, 0.0, 0.088, 0.0]
        """
    def analytical_jacobian(self, q: ArrayLike, frame: str, angles: str = "rpy", *, out: Array | None = None) -> Array:
        """Ĵ = ∂X/∂q for X = (three angles; position of the frame's origin), in the world.

        `angles` is "rpy", or one of the 12 sets of Euler angles about moving axes, such as "zxz".  The geometric Jacobian
        gives ω, which is not the derivative of any coordinates; the angles' rates are E⁻¹ ω, with E's columns the axes of
        the three turns (Bruyninckx §5.5.2, §3.16).  Where the first and third axes are parallel, the set is singular and Ĵ
        is not finite, for every robot.  Bruyninckx (5.24).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> abs(robot.analytical_jacobian(robot.neutral(), "panda_link8")[:, 0]).round(3).tolist()
        [0.0, 0.0, 1.0, 0.0, 0.088, 0.0]
        """
    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """M(q): kinetic energy is ½ vᵀ M v, and M a is the force that accelerations require.  Full and symmetric.

        Composite-rigid-body algorithm (CRBA): Featherstone (44)-(48) and Figure 7.  Entries between joints that
        are not on one path are exactly zero.  Featherstone (36), (42); Lynch-Park (9.61).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> M = robot.mass_matrix(robot.neutral())
        >>> bool((M == M.T).all()), M.shape
        (True, (7, 7))
        """
    crba = mass_matrix
    def articulated_inertia(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """I^A with  f = I^A A + bias:  the wrench needed to accelerate the frame together with all bodies that it carries.

            I^A = I + Σ X (I^A_c - I^A_c S D⁻¹ Sᵀ I^A_c)  over the children c,   D = Sᵀ I^A_c S + diag(d)

        The joint that carries the body itself is cut.  Rows and columns are (angular; linear) at the reference's origin.
        Featherstone (49)-(64); Bruyninckx (6.26), with shafts Bruyninckx (6.21); several freedoms and trees are Bruyninckx
        §6.2.5 and §6.3.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.articulated_inertia(robot.neutral(), "panda_link8")[5, 5].round(6) == robot.model.bodies[7].inertia.mass
        np.True_
        """
    def poses(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Poses of all frames in the world, in the order of `robot.frame_names`.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.poses(robot.neutral()).shape
        (9, 4, 4)
        """
    def passive_forces(self, q: ArrayLike, v: ArrayLike, coulomb: bool = True, *, out: Array | None = None) -> Array:
        """-d v - f sign(v) - k (q ⊖ rest): viscous damping, Coulomb friction and springs of the joints.

        The model's friction laws and springs between bodies (`sixvec.model.passive`) are included.  At
        rest Coulomb friction is zero here; its value within ±f depends on the time step, and `rollout`
        computes it.  `coulomb=False` omits it.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> abs(robot.passive_forces(robot.neutral(), [1.0] * 7)).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        """
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
        """Joint forces that produce the accelerations `a`:  tau = M(q) a + C(q, v) v + g(q) - Σ Jᵀ f_external.

        With `passive=True` the motors must also overcome damping, friction and springs of the joints: tau is reduced by
        `passive_forces(q, v)`.

        Recursive Newton-Euler algorithm (RNEA), O(n): Featherstone (9)-(13) and Figure 5, with the classical
        acceleration in the outward pass, which eliminates the linear velocity (Luh, Walker and Paul 1980), and with
        base inertial parameters.  Panda: 309 multiplications and 286 additions.

        In a mechanism with loops, tau acts only at the joints with a motor: see `MotorForces`.  The forces of joints that
        follow others are added to those of their leaders.
        Bruyninckx (6.32); Featherstone (1); Lynch-Park (9.1); Rodriguez-Kreutz (2.1)-(2.13), (2.28)-(2.30), (b.9).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> zero = robot.neutral()
        >>> robot.inverse_dynamics(zero, zero, zero).shape
        (7,)
        """
    rnea = inverse_dynamics
    def bias_forces(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """C(q, v) v + g(q): inverse dynamics with zero acceleration.

        Featherstone (37).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.bias_forces(robot.neutral(), robot.neutral()).shape
        (7,)
        """
    def velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """Velocity (ω; v) of a frame, in rad/s and m/s.

        The linear part is that of the frame's origin, except for reference "world": there it is the velocity of the
        body-fixed point that passes through the *world's* origin, as spatial vectors have it (Featherstone (9)).
        Bruyninckx (5.15)-(5.17), (7.10)-(7.13); Rodriguez-Kreutz (2.25).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.velocity(robot.neutral(), [1, 0, 0, 0, 0, 0, 0], "panda_link8").round(3).tolist()
        [0.0, 0.0, 1.0, 0.0, 0.088, 0.0]
        """
    def canonical_momenta(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """p = ∂T/∂v = M(q) v, without M: the momentum along each joint's axis of all that it carries.

            h_i = I_i V_i + Σ X h_c  over the children c        p_i = S_iᵀ h_i + d_i v_i

        Momentum recursion, O(n) (Bruyninckx §6.2.8 announces it; the recursion is that of inverse dynamics with momenta in
        place of forces).  `mass_matrix_solve(q, p)` returns the velocities of given momenta.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> numpy.allclose(robot.canonical_momenta(q, v), robot.mass_matrix(q) @ v)
        True
        """
    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Centre of mass of the moving bodies, in world coordinates:  Σ m c / Σ m.

        Links welded to the world are part of it and are not counted.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.center_of_mass(robot.neutral()).shape
        (3,)
        """
    def center_of_mass_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The matrix J(q) with  ċ = J v  for the centre of mass c of the moving bodies, in world axes.

        The column of a joint axis S is  (m_s/m) (v_S + ω_S × c_s), with mass m_s and centre c_s of what the joint carries.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> momentum = robot.momentum(q, v)[3:]
        >>> moving = robot.kinetic_energy(q, v) > 0 and robot.center_of_mass_jacobian(q) @ v
        >>> numpy.allclose(momentum / numpy.linalg.norm(momentum), moving / numpy.linalg.norm(moving))
        True
        """
    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The A(q) with  h = A v: momentum about the centre of mass, world axes, angular part first.

        The column of a joint axis S is the momentum  Ic S  of all that the joint carries, moving as one body (Orin,
        Goswami and Lee, Autonomous Robots 35, 2013).  The lower three rows are the mass times `center_of_mass_jacobian`.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> numpy.allclose(robot.centroidal_momentum_matrix(q) @ v, robot.momentum(q, v))
        True
        """
    def centroidal_momentum_matrix_derivative(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """dA/dt along the velocity v, so that  ḣ = A a + Ȧ v  is the rate of `momentum`.

        In axes that do not move, the column  F = Ic S  of a joint changes by the axis, Ṡ = V × S, and by the inertia,
        İc = B + Bᵀ with the Coriolis form B (`coriolis_matrix`); about the moving centre of mass c also by  -ċ × f  with
        the linear part f of F.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> bias = robot.centroidal_momentum_matrix_derivative(q, v) @ v
        >>> later, before = (robot.momentum(robot.integrate(q, t * v), v) for t in (1e-5, -1e-5))
        >>> numpy.allclose(bias, (later - before) / 2e-5, atol=1e-7)
        True
        """
    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """The C(q, v) with  C v = velocity-product forces  and  Ṁ - 2C skew-symmetric.

        It is the C of the Christoffel symbols where v = q̇ (Lynch-Park (9.87), Prop. 9.1).  With I and B summed over the
        bodies beyond joint i and a joint j on the path below it:  C_ij = S_iᵀ (I Ṡ_j + B S_j)  and
        C_ji = S_jᵀ (I Ṡ_i + B S_i),  Ṡ = V × S  (Echeandia and Wensing, J. Comput. Nonlinear Dynamics 16(9), 2021).
        Lynch-Park (9.88).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.neutral(), numpy.ones(7)
        >>> bias = robot.bias_forces(q, v) - robot.gravity_forces(q)
        >>> numpy.allclose(robot.coriolis_matrix(q, v) @ v, bias)
        True
        """
    def christoffel_symbols(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Γ_ijk with  c_i = Σ Γ_ijk v_j v_k  and  C_ij = Σ Γ_ijk v_k:  Christoffel symbols of the first kind.

            Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)          (Lynch-Park (9.13); Bruyninckx (6.34))

        That is for joints whose velocity is q̇, where Γ_ijk = Γ_ikj.  Ball and free joints have velocities that are not
        rates of coordinates; there Γ_ijk - Γ_ikj = Σ_l M_il [e_k, e_j]_l, and both sums above still hold.

        C(q, v) is linear in v, so Γ_··k is C(q, e_k): with a unit velocity most terms of that program vanish.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("planar_2r")
        >>> robot.christoffel_symbols([0.0, numpy.pi / 2]).round(12).tolist()[0]
        [[0.0, -1.0], [-1.0, -1.0]]
        """
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
        """Angular acceleration of a frame and acceleration of its origin as a point:  a_point = a + ω × v.

        With reference "world" the point is the body-fixed one that passes through the world's origin.  Gravity is not
        included.  Bruyninckx (5.20)-(5.22); Rodriguez-Kreutz (2.26), (2.27), (2.32).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> spin = [1, 0, 0, 0, 0, 0, 0]
        >>> robot.classical_acceleration(robot.neutral(), spin, [0] * 7, "panda_link8").round(3).tolist()
        [0.0, 0.0, 0.0, -0.088, 0.0, 0.0]
        """
    def closure_error(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The position errors of all closures, zero where every loop is closed:  f(q) = 0  (Bruyninckx (5.1), §5.5.4).

        A closure has one entry for each motion that its joint prevents, rotations (rad) before translations (m), in axes of
        its first frame; a gear gives  q_follower - ratio · q_leader - offset, a differential  Σ factor · q - offset.
        Closures are in the order of the model.  A hinge with antiparallel axes also counts as closed: start the search from
        a position where they are not antiparallel.

        >>> import sixvec
        >>> bars = sixvec.load("four_bar")
        >>> bars.closure_error(bars.neutral()).round(3).tolist()
        [0.0, 0.0, 0.02, 0.0, 0.0]
        """
    def constraint_jacobian(
        self, q: ArrayLike, hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None, *, out: Array | None = None
    ) -> Array:
        """A(q) with  ė = A v: the rows of the closures, as in `closure_jacobian`, then those of the frames in `hold`.

        The row of a held frame is its velocity along a direction of its own axes, or of the world's: rad/s for turns, m/s
        for shifts.  If it is held to another frame, it is the velocity against that frame.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.constraint_jacobian(robot.neutral(), hold={"panda_link8": "point"}).shape
        (3, 7)
        """
    def constraint_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        """γ(q, v), the acceleration along each row at a = 0:  A a + γ  is what a constraint keeps at zero.

        γ = Ȧ v, whatever v is and whichever rows are held with it.  Rows of closures are exact where the loop is closed;
        for an "acceleration" of a held frame, A a + γ is the acceleration of its origin.

        >>> import sixvec
        >>> bars = sixvec.load("four_bar")
        >>> bars.constraint_bias(bars.neutral(), [1.0, 0.0, 0.0]).shape
        (5,)
        """
    def closure_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The matrix A(q) with  ė = A v  for the errors e of `closure_error`; the loops stay closed if  A v = 0.

        Along a loop the joints of the branch to the second frame count positively and those of the other branch
        negatively (Bruyninckx (5.28), where that sign is missing).  A is the exact derivative of open loops too.

        >>> import sixvec
        >>> bars = sixvec.load("four_bar")
        >>> A = bars.closure_jacobian(bars.neutral())
        >>> A.shape, A[3].round(3).tolist()  # the vertical gap, seen from the coupler
        ((5, 3), [-0.18, -0.14, 0.08])
        """
    def integrate(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """q ⊕ v: the position reached by moving with constant v for one unit of time (v includes the time step).

        Quaternions stay unit quaternions.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.integrate(robot.neutral(), [0.1] * 7)[0]
        np.float64(0.1)
        """
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
        weight: tuple[float, ...] = (),
        damping: float = 0.0,
        stabilisation: tuple[float, ...] = (),
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> ConstrainedDynamics:
        """Accelerations a, and constraint forces:  M a + c = tau + Aᵀ force  with  A a + γ = target.

        The rows of A are those of `constraint_jacobian`: the closures of the model, then the frames in `hold`, a dictionary
        from a frame, or a pair of frames, to "weld", "point", "vertical", "vertical slide" or a tuple of directions in the
        frame's axes ("x", "turn z", …) or the world's ("world x", "turn world z", …).  A vector may replace the letter:
        (1, 1, 0), ("turn", (1, 1, 0)), ("turn world", (1, 1, 0)); its length does not matter.  `force` acts on the robot
        along the rows, in N or N m; `residual` is the largest |A a + γ - target|, in m/s² or rad/s².

        `target`, zero by default, is the derivative of A v for every row, whichever others are held with it.  Along an axis
        of the frame, which turns with it, that is the rate of a component of its velocity.  The acceleration of the frame's
        origin along such an axis, larger by u · (ω × v), is the row "acceleration x" or ("acceleration", (1, 1, 0)); along
        an axis of the world the two are the same.

        There are two methods; "auto" selects the one with fewer operations for this robot and these rows.  "recursion" is
        Popov's and Vereshchagin's, O(n) with loops solved where their branches join (`popov_vereshchagin.py`).  "kkt" uses
        M = Lᵀ D L, which keeps the zeros of the tree (Featherstone (48)), so  Z = L⁻ᵀ Aᵀ  has entries on the paths
        of the rows only, and  A M⁻¹ Aᵀ = Zᵀ D⁻¹ Z.  Both solve in proximal form, a fixed number of steps without pivoting,
        so rows may depend on each other: a is unique all the same, and `force` has least norm, each row scaled by its
        mobility.  float32 arrays are computed in double precision.

        Where the rank at this state is lower than along the motion, the answer is not unique: `constraint_verdict` says so.
        Loops that are open raise an error, unless `stabilisation` (α, β), in 1/s, closes
        them:  A a + γ = target - 2 α ė - β² e  (Baumgarte 1972), with the rates ė = A v of all rows and the errors e of the
        loops; α = β is critically damped.

        Constraints that cannot be satisfied leave a residual, and their forces have no meaning.  `weight`, a positive
        number for each row, distributes the error:  Σ weight (A a + γ - target)²  is least.  With `damping` the constraints
        are compliant, A a + γ = target - damping / weight force,  and forces stay bounded.
        Bruyninckx (6.36)-(6.50); Featherstone (34).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, zeros = robot.neutral() + 0.3, numpy.zeros(7)
        >>> r = robot.constrained_dynamics(q, zeros, zeros, hold={"panda_link8": "point"})
        >>> r.a.shape, r.force.shape, bool(r.residual < 1e-9)
        ((7,), (3,), True)
        """
    def kinematic_hessian(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """H[i, j, k] = ∂J[i, j]/∂q[k] in tangent coordinates, for the Jacobian of the same reference.

        Joint k carries the axis S_j if it is joint j or precedes it on the path, and moves the reference R along with R_k:

            ∂J_j/∂q_k = ([k carries j] J_k - R_k) × J_j

        "world" does not move (R_k = 0), "local" moves with the frame (R_k = J_k), "local_world_aligned" only translates.
        Summed with v over k it is `jacobian_derivative`  (Featherstone (28)-(33)).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.kinematic_hessian(robot.neutral(), "panda_link8").shape
        (6, 7, 7)
        """
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
        """∂tau/∂q, ∂tau/∂v and ∂tau/∂a = M, each (nv, nv), in tangent coordinates.

        Column j of dq is the change of tau for a step of q along coordinate j of `robot.integrate`.
        Analytic recursion over composite inertias I, Coriolis forms B and forces f, O(n d) for depth d: Singh, Russell and
        Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra", IEEE RA-L 7(2),
        2022, here in body coordinates.  With  Ψ̇ = V_P × S,  Ψ̈ = A_P × S + V_P × Ψ̇,  Ṡ = V_B × S  of each joint.

        `external` wrenches and `passive` forces are those of `inverse_dynamics`.  A wrench in the frame's own axes moves
        with its body and is part of f; one that keeps its direction in the world adds  -Σ (∂J/∂q)ᵀ w.  Coulomb friction is
        constant on each side of v = 0, so it does not contribute to the derivatives.

        In a mechanism with loops these are the derivatives of `inverse_dynamics`, the forces of the motors, at a position
        with closed loops, where q, v and a are free of each other: the derivatives along steps that keep the loops closed,
        and along others the smooth continuation of the same equations.  Motions of the mechanism have  A dq = 0  and
        consistent dv, da.  NaN where the motors cannot produce the motion (`parts/motor_forces.py`).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.neutral()
        >>> d = robot.inverse_dynamics_derivatives(q, q, q)
        >>> numpy.allclose(d.da, robot.mass_matrix(q))
        True
        """
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
        *,
        out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    ) -> ConstrainedDynamicsDerivatives:
        """The derivatives of a and force of `constrained_dynamics` with respect to q, v and tau, in tangent coordinates.

        With  r = ID(q, v, a) - Aᵀ force  and  s = A a + γ,  differentiating  r = tau, s = target  gives

            M da - Aᵀ dforce = dtau - ∂r        A da = -∂s

        ∂r comes from the recursion of `inverse_dynamics_derivatives`, where forces on held frames are external
        wrenches, ∂s from the chains of joints between constrained frames: their columns, rotations and products.  One
        factorisation serves all right-hand sides.  Loops must be closed.  Where rows depend on each other, the derivatives
        are those along motions that keep the loops closed; forces are not unique there and have no derivatives.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, zeros, hold = robot.neutral() + 0.3, numpy.zeros(7), {"panda_link8": "point"}
        >>> d = robot.constrained_dynamics_derivatives(q, zeros, zeros, hold=hold)
        >>> A = robot.constraint_jacobian(q, hold=hold)
        >>> d.dforce_dq.shape, bool(abs(A @ d.da_dtau).max() < 1e-9)  # no joint force moves what is held
        ((3, 7), True)
        """
    def constraint_verdict(
        self, q: ArrayLike, hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None, *, out: Array | None = None
    ) -> Array:
        """SINGULAR where the rank of loops and held frames is lower at q than along the motion, else SOLVED.

        At such a state, a dead point or one where branches of the motion meet, accelerations and forces of
        `constrained_dynamics` are not unique.  It is singular to the tolerance of loops: where the smallest pivot of
        A M⁻¹ Aᵀ is below 1e-10 of the rows' size, which is a relative singular value of 1e-5.

        >>> import sixvec
        >>> from sixvec.verdict import Verdict
        >>> arm = sixvec.load("planar_2r")
        >>> print(Verdict(int(arm.constraint_verdict([0.3, 0.0], hold={"tip": "point"}))))
        singular
        """
    def delassus(
        self,
        q: ArrayLike,
        hold: Mapping[Any, str | Sequence[str] | Rolling] | None = None,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> Delassus:
        """G = A M⁻¹ Aᵀ, the Delassus matrix, with its factors  L D Lᵀ = G.

        Column j holds the accelerations along all rows of `constraint_jacobian` that a unit force along row j causes.
        L is unit lower triangular.  Where a row depends on those before it, its entry of D is zero; the number of nonzero
        entries of D is the rank of A, which is that of `sixvec.constraints.report`.

        Computed from the factors of M or by recursion, whichever needs fewer operations.  The recursion is O(n + m²) for m
        rows: with P and the gains of the joints from the tips and Ω, the mobility of each body, from the root, two rows
        whose wrenches are K and K' where their paths join have  G = Kᵀ Ω K'.  Between junctions all wrenches that pass go
        through the joints as combinations of six (as in Sathya, Carpentier et al. 2023, PV-OSIMr).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> G, L, D = robot.delassus(robot.neutral() + 0.3, hold={"panda_link8": "weld"})
        >>> numpy.allclose(L * D @ L.T, G)
        True
        """
    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
        """q1 ⊖ q0: the velocity that moves q0 to q1 in one unit of time, so q0 ⊕ (q1 ⊖ q0) = q1.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> q = robot.neutral()
        >>> robot.difference(q, q).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        """
    def operational_space_inertia(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """Λ(q) = (J M⁻¹ Jᵀ + damping 1)⁻¹: the wrench per unit acceleration of a frame  (Khatib 1987; Lynch-Park §9.6).

        Without damping it is the operational-space inertia itself, which does not exist where J loses rank (always when
        the robot has fewer than six freedoms): every entry is nan at such a position, and if it exists at no position, as
        for a planar arm, `DegenerateError` is raised.  float32 has too few digits to detect singularities, so near them
        compute in float64.  A small `damping`, in 1/kg and 1/(kg m²), bounds Λ by 1/damping and makes it exist for every
        robot; `sixvec.analysis.task_space_dynamics` instead omits lost directions and reports the rank.  With loops M⁻¹ is
        that of the mechanism: see `wrench_response`.  Lynch-Park (9.98).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> Omega = robot.operational_space_inertia_inverse(q, "panda_link8")
        >>> numpy.allclose(robot.operational_space_inertia(q, "panda_link8") @ Omega, numpy.eye(6))
        True
        >>> stretched = numpy.zeros(7)
        >>> bool(numpy.isnan(robot.operational_space_inertia(stretched, "panda_link8")).all())
        True
        """
    def dynamically_consistent_inverse(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """J̄(q) = M⁻¹ Jᵀ Λ: the joint accelerations of least aᵀ M a that produce a frame's acceleration  (Khatib 1987).

        J J̄ = 1, and joint forces (1 - Jᵀ J̄ᵀ) τ₀ do not accelerate the frame.  nan at singular positions: use `damping`, as
        in `operational_space_inertia`, or `sixvec.analysis.task_space_dynamics`.  With loops J̄ = K Jᵀ Λ opens none,
        A J̄ = 0 (`wrench_response`).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> J, Jbar = robot.jacobian(q, "panda_link8"), robot.dynamically_consistent_inverse(q, "panda_link8")
        >>> numpy.allclose(J @ Jbar, numpy.eye(6))
        True
        """
    def dynamically_consistent_null_space(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        damping: float = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """N(q) = 1 - J̄ J: removes from joint velocities or accelerations the part that moves the frame  (Khatib 1987).

        J N = 0 and N N = N.  Its transpose does the same for joint forces: J M⁻¹ Nᵀ = 0, so Nᵀ τ₀ changes only the posture.
        With loops N = (1 - J̄ J) K M, which also removes the part that opens them: A N = 0.
        With `damping` both hold approximately.  Without it, N does not depend on the reference; with it, N depends on the
        reference's origin.  nan at singular positions: use `damping`, as in `operational_space_inertia`, or
        `sixvec.analysis.task_space_dynamics`.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> N = robot.dynamically_consistent_null_space(q, "panda_link8")
        >>> numpy.allclose(robot.jacobian(q, "panda_link8") @ N, 0.0), round(float(numpy.trace(N)), 9)
        (True, 1.0)
        """
    def kinetic_energy_regressor(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """The Y(q, v) with  T = Y · π  for the kinetic energy without rotors; π as in `inverse_dynamics_regressor`.

        ½ Vᵀ I V of each body with unit parameters (Gautier and Khalil 1988).

        >>> import numpy, sixvec
        >>> from sixvec.identification import inertial_parameters
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> T = robot.kinetic_energy_regressor(q, v) @ inertial_parameters(robot.model)
        >>> numpy.allclose(T, robot.kinetic_energy(q, v))
        True
        """
    def potential_energy_regressor(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The Y(q) with  U = Y · π  for the potential energy; π as in `inverse_dynamics_regressor`.

        U = -g · (m p + R (m c)) of a body at (R, p).

        >>> import numpy, sixvec
        >>> from sixvec.identification import inertial_parameters
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> U = robot.potential_energy_regressor(q) @ inertial_parameters(robot.model)
        >>> numpy.allclose(U, robot.potential_energy(q))
        True
        """
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
        """All accelerations and all joint forces, where each coordinate prescribes one of the two.

        Split M a + h = tau into prescribed accelerations (μ) and given forces (φ):

            M_φφ a_φ = tau_φ - h_φ - M_φμ a_μ        tau_μ = M_μφ a_φ + M_μμ a_μ + h_μ

        `prescribed` holds the names of the joints (or of their bodies) that move with `a`, or coordinates of v, which
        may split a joint of several freedoms.  Entries of `a` at the other coordinates and of `tau` at the prescribed ones
        are ignored, but like all inputs they must be finite: give zeros.  With none prescribed, this is forward dynamics;
        with all prescribed, inverse dynamics.  `passive=True` adds `passive_forces`.
        Loops stay closed and frames in `hold` stay in place, as in `constrained_dynamics`; prescribed accelerations that
        violate these constraints give NaN.

        Articulated-body recursion in one pass out, in and out, O(n): motions are measured relative to the one in which the
        prescribed coordinates accelerate and the others do not, so at a prescribed coordinate the whole inertia is
        transmitted (P = 1) and its force is computed on the way out (Bruyninckx §6.4.3; Featherstone (49)-(68)).
        Joints that follow a joint with the same parent body are handled with it; if a follower is elsewhere, the two
        equations above are solved directly.  Bruyninckx (6.29).

        >>> import sixvec
        >>> robot = sixvec.load("cart_pole")
        >>> q, v = robot.neutral(), [0.0, 0.0]
        >>> moved = robot.hybrid_dynamics(q, v, [2.0, 0.0], [0.0, 0.0], prescribed=(0,))  # pull the cart
        >>> float(moved.a[0]), float(moved.tau[1])
        (2.0, 0.0)
        """
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
        """Joint accelerations under the forces `tau`:  a = M⁻¹ (tau - C v - g + Σ Jᵀ f_external).

        With `passive=True`, `passive_forces(q, v)` are added.  Loops must be closed at q, or `stabilisation` closes them:
        see `constrained_dynamics`.

        Articulated-body algorithm (ABA), O(n): Featherstone (49)-(68) and Figure 9; Bruyninckx (6.26)-(6.30), whose
        signs and indices are corrected; Rodriguez-Kreutz (4.4)-(4.6) and (5.16).  Accelerations are measured relative to
        the motion with a = 0, so the velocity-product terms c of the book vanish from the recursion and its bias forces p
        are the body forces of that motion.  Joints that follow others: see `hybrid_dynamics`; loops: see
        `constrained_dynamics`.  Bruyninckx (6.31); Featherstone (35); Lynch-Park (9.2).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> q, v, tau = robot.neutral(), robot.neutral(), robot.gravity_forces(robot.neutral())
        >>> abs(robot.forward_dynamics(q, v, tau)).max() < 1e-9
        np.True_
        """
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
        """∂a/∂q, ∂a/∂v and ∂a/∂tau = M⁻¹, each (nv, nv), in tangent coordinates.

        Differentiating  tau = ID(q, v, FD(q, v, tau))  gives  ∂FD/∂x = -M⁻¹ ∂ID/∂x  at a = FD(q, v, tau).
        `external` wrenches and `passive` forces are those of `forward_dynamics`.  Loops: see
        `constrained_dynamics_derivatives`, whose first three results these are.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.neutral()
        >>> d = robot.forward_dynamics_derivatives(q, q, q)
        >>> numpy.allclose(d.dtau, robot.mass_matrix_inverse(q))
        True
        """
    def inverse_dynamics_regressor(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """The Y(q, v, a) with  tau = Y π  for inverse dynamics without rotors: joint forces are linear in the parameters.

        π holds ten numbers for each body whose joint moves, in the order of the model's bodies: mass m, first moment
        m c (x, y, z), and rotational inertia about the body's origin (xx, xy, xz, yy, yz, zz), in the body's frame.  Bodies
        fixed to it are part of it (`sixvec.identification.inertial_parameters` adds them up).  Y is also ∂tau/∂π.

        Each body adds  J_Bᵀ W  with its Jacobian J_B and the wrench W that accelerates a body with unit parameters
        (Atkeson, An and Hollerbach 1986), all in body coordinates; the axes are transformed once along the tree.  O(n d)
        for depth d.

        >>> import numpy, sixvec
        >>> from sixvec.identification import inertial_parameters
        >>> robot = sixvec.load("panda")
        >>> q, v, a = robot.random(0), numpy.ones(7), numpy.ones(7)
        >>> Y = robot.inverse_dynamics_regressor(q, v, a)
        >>> numpy.allclose(Y @ inertial_parameters(robot.model), robot.inverse_dynamics(q, v, a))
        True
        """
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
        """∂a/∂π of  a = FD(q, v, tau; π)  for the parameters π of `inverse_dynamics_regressor`.

        Differentiating  tau = ID(q, v, FD(q, v, tau; π); π)  gives  ∂FD/∂π = -M⁻¹ Y  at a = FD(q, v, tau).
        `external` wrenches and `passive` forces are those of `forward_dynamics`.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.forward_dynamics_parameter_derivative(robot.neutral(), numpy.zeros(7), numpy.zeros(7)).shape
        (7, 70)
        """
    def gravity_forces(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """g(q), the gradient of the potential energy: inverse dynamics at rest.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.gravity_forces(robot.neutral()).shape
        (7,)
        """
    def inverse_dynamics_regressor_entries(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """The entries of Y in  tau = Y π  that the tree does not make zero: a body affects only the joints that move it.

        Links are in the order of the columns of Y.  For each velocity coordinate that moves the link, ascending, there are
        the ten numbers of its row.  `sixvec.identification.regressor_pattern` returns their rows and columns.  The
        equations are those of `inverse_dynamics_regressor`; about three quarters of a humanoid's matrix are zeros, and a
        batch would spend most of its time writing them.  O(n d) for depth d.

        >>> import numpy, sixvec
        >>> from sixvec.identification import inertial_parameters, regressor_pattern
        >>> robot = sixvec.load("humanoid")
        >>> q, v, a = robot.random(0), numpy.ones(robot.nv), numpy.ones(robot.nv)
        >>> entries = robot.inverse_dynamics_regressor_entries(q, v, a)
        >>> rows, columns = regressor_pattern(robot)
        >>> tau = numpy.bincount(rows, entries * inertial_parameters(robot)[columns])
        >>> numpy.allclose(tau, robot.inverse_dynamics(q, v, a))
        True
        """
    def jacobian_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """dJ/dt along the velocity v, for J of the same reference.

        A joint axis S is carried along by its body, and the reference R moves too:  J̇ = (V_B - V_R) × S, all in R's
        coordinates.  "world" does not move, "local" moves with the frame, "local_world_aligned" only translates.
        J̇ v + J a is the derivative of `velocity` in that reference  (Featherstone (28)-(33)).  Lynch-Park (9.92).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.jacobian_derivative(robot.neutral(), [1, 0, 0, 0, 0, 0, 0], "panda_link8").shape
        (6, 7)
        """
    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """½ Σ Vᵀ I V over the bodies and ½ I_r v² over the rotors, in joule; equal to ½ vᵀ M(q) v.

        Moving inertia that does not affect a joint to the parent leaves M and thus this sum unchanged.
        Bruyninckx (6.33); Featherstone (38), (39); Lynch-Park (9.10), (9.59).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> float(robot.kinetic_energy(robot.neutral(), [0.0] * 7))
        0.0
        """
    def mass_matrix_ltdl(self, q: ArrayLike, *, out: tuple[Array, Array] | None = None) -> MassMatrixLtdl:
        """L and D with  M = Lᵀ diag(D) L,  L unit lower triangular in the order of the tree: no square roots, no fill-in.

        Elimination starts at the tips, so L is zero wherever branches make M zero (Featherstone (48) and the
        discussion of branch-induced sparsity).  If the coordinates of a model are not ordered parents first,
        L[np.ix_(o, o)] with o = `sparsity.tree_order(model)` is triangular but L, whose rows and columns are in the order
        of v, is not.  `lagrange.solve_with_factors` solves with them.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> L, D = robot.mass_matrix_ltdl(q)
        >>> numpy.allclose(L.T @ numpy.diag(D) @ L, robot.mass_matrix(q))
        True
        """
    def mass_matrix_ltl(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """L with  M = Lᵀ L,  with a positive diagonal and without fill-in: √D times that of `mass_matrix_ltdl`.

        It is lower triangular in the order of the tree, like L of `mass_matrix_ltdl`: a Cholesky factorisation that starts
        at the last row; the usual order would fill in the zeros between branches.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> L = robot.mass_matrix_ltl(q)
        >>> numpy.allclose(L.T @ L, robot.mass_matrix(q))
        True
        """
    def mass_matrix_inverse(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """M(q)⁻¹, full and symmetric, through the sparse factorisation M = Lᵀ D L without fill-in.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.neutral()
        >>> numpy.allclose(robot.mass_matrix_inverse(q) @ robot.mass_matrix(q), numpy.eye(7))
        True
        """
    def mass_matrix_solve(self, q: ArrayLike, tau: ArrayLike, *, out: Array | None = None) -> Array:
        """x with  M(q) x = tau: accelerations from forces at rest, velocities from canonical momenta.

        M = Lᵀ D L, then  Lᵀ y = tau  from the tips,  D z = y,  L x = z  from the root; zeros of the tree cost nothing
        (Featherstone, Int. J. Robotics Research 24(6), 2005).  The factors are recomputed on each call; for several forces
        at the same position keep those of `mass_matrix_ltdl` and use `lagrange.solve_with_factors`.
        Bruyninckx (6.35); Lynch-Park (9.89).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> numpy.allclose(robot.mass_matrix_solve(q, robot.canonical_momenta(q, v)), v)
        True
        """
    def momentum(
        self, q: ArrayLike, v: ArrayLike, about: About = "center_of_mass", *, out: Array | None = None
    ) -> Array:
        """Angular momentum about the centre of mass, or the world's origin, and linear momentum, in world axes.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> abs(robot.momentum(robot.neutral(), [0.0] * 7)).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        """
    def momentum_regressor(
        self, q: ArrayLike, v: ArrayLike, about: About = "center_of_mass", *, out: Array | None = None
    ) -> Array:
        """The Y(q, v) with  h = Y π  for the momentum h of `momentum`, about the same point, angular part first.

        The centre of mass is that of the model as it is: a point given by q, so that h stays linear in π.  For parameters
        that are not the model's own, as in identification, use `about="world"`.  π as in `inverse_dynamics_regressor`; the
        columns are X_WB I V of each body with unit parameters.

        >>> import numpy, sixvec
        >>> from sixvec.identification import inertial_parameters
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> h = robot.momentum_regressor(q, v) @ inertial_parameters(robot.model)
        >>> numpy.allclose(h, robot.momentum(q, v))
        True
        """
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
        """Joint forces of a robot on a base that moves: a vehicle, a lift, a hand that holds it (Lynch-Park §9.3).

        The world frame of the model is the base here.  `base_twist` (ω; v) is its velocity and `base_acceleration` the
        rate of these six numbers, both at its origin and in its own axes; the model's gravity is in these axes too, so a
        base that tilts needs `robot.with_gravity`, or zero gravity and -g in `base_acceleration`.  The force on the base is
        not returned.  All else is as in `inverse_dynamics`, to which this reduces for a base at rest.

        Recursive Newton-Euler algorithm (RNEA), O(n): Featherstone (9)-(13), with the base's motion in place of
        v₀ = 0 and a₀ = -g.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> q, v, a = robot.random(0), numpy.ones(7), numpy.zeros(7)
        >>> rising = numpy.array([0.0, 0.0, 0.0, 0.0, 0.0, 9.81])  # a lift at one g: everything weighs twice as much
        >>> still = numpy.zeros(7)
        >>> tau = robot.moving_base_inverse_dynamics(q, still, a, numpy.zeros(6), rising)
        >>> numpy.allclose(tau, 2.0 * robot.gravity_forces(q))
        True
        """
    def operational_space_inertia_inverse(
        self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned", *, out: Array | None = None
    ) -> Array:
        """Ω(q) = J M⁻¹ Jᵀ: the acceleration of a frame per unit of wrench on it.  Symmetric, of the rank of J.

        O(n), without M or its inverse: articulated inertias inward, then Ω = ψᵀ Ω_parent ψ + Hᵀ D⁻¹ H outward along the
        path to the frame (Rodriguez and Kreutz announce it; Kreutz-Delgado, Jain and Rodriguez 1992).  Unlike its
        inverse Λ it exists at singularities too.  For several frames at once see `sixvec.analysis`.
        With loops M⁻¹ is that of the mechanism: see `wrench_response`.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> J = robot.jacobian(q, "panda_link8")
        >>> numpy.allclose(
        ...     robot.operational_space_inertia_inverse(q, "panda_link8"), J @ robot.mass_matrix_inverse(q) @ J.T
        ... )
        True
        """
    def pose(self, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """Pose of a frame in the world, as a homogeneous 4x4 matrix:  X_WF = Π X_PB(q).

        Composition of link-to-link transforms from the root (Featherstone (3) and (14)).  Bruyninckx (5.2), (5.9), (7.1).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.pose(robot.neutral(), "panda_link8")[:3, 3].round(3).tolist()
        [0.088, 0.0, 0.926]
        """
    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """-g · Σ m c of the moving bodies, in joule, zero with all mass at the world's origin.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> float(robot.potential_energy(robot.neutral())) > 0
        True
        """
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
        """Accelerations a with  A_k a + γ_k = target_k  level by level, each as closely as those above allow.

        `hold` lists the frames and their directions, highest priority first; every frame is a separate level
        unless `levels` gives the number of frames in each.  `target` are accelerations of the rows, as in
        `constrained_dynamics`: that of a point along an axis of its frame is the row "acceleration x".  `tau` are posture
        forces, which act in the null space of all levels.  `force` acts along the projected rows; the joint forces are
        `inverse_dynamics(q, v, a)`.  `residual` is target - A a - γ of every row.

            a = M⁻¹ (tau - c),  N = 1;  for each level:  A' = A N,  X = A' M⁻¹ A'ᵀ,  F = X⁺ (target - γ - A a),
            a ← a + M⁻¹ A'ᵀ F,  N ← N (1 - M⁻¹ A'ᵀ X⁺ A')                                   (Khatib 1987; Sentis 2007)

        so a lower level never affects a higher one, whereas weights would compromise between them.  Targets that
        cannot be reached are approximated by least squares.  X⁺ drops directions that are small against A M⁻¹ Aᵀ, not
        against X: for a level with no freedom left, X is rounding error.  Loops of the model are the highest level.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, zeros = robot.neutral() + 0.3, numpy.zeros(7)
        >>> both = {"panda_link8": "weld", "panda_link4": "point"}                    # 9 directions, 7 joints
        >>> r = robot.prioritised_dynamics(q, zeros, zeros, target=numpy.ones(9), hold=both)
        >>> bool(abs(r.residual[:6]).max() < 1e-9), bool(abs(r.residual[6:]).max() > 0.01)
        (True, True)
        """
    def quaternion_jacobian(self, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """Ĵ = ∂X/∂q for X = (unit quaternion x y z w; position of the frame's origin), in the world.

        Seven rows of rank 6 at most, without representation singularities: the quaternion's rate is ½ (ω, 0) ∘ q, at right
        angles to the quaternion (Bruyninckx §5.5.2, §3.23.5).  The sign of the quaternion is that of
        `Quaternion.from_rotation`.

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> robot.quaternion_jacobian(robot.neutral(), "panda_link8")[:, 0].round(3).tolist()
        [-0.0, 0.5, 0.0, -0.0, -0.0, 0.088, 0.0]
        """
    def relative_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        base: str | None = None,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """The matrix J(q) with J v = the velocity of `frame` relative to `base`.

        The base replaces the world in the reference: "local_world_aligned" is the frame's origin in the base's
        axes, "local" the frame's origin and axes, "world" the base's origin and axes.  So J is the derivative of
        X_BF = X_WB⁻¹ X_WF, and with the world itself as base (None) it is `jacobian`.

        Only the joints between the two have columns:  V_F - V_B = Σ_F S v - Σ_B S v, where joints that carry both cancel
        (Bruyninckx §5.3.4 and §5.5.4, with the minus sign for the branch traversed in reverse).

        >>> import sixvec
        >>> robot = sixvec.load("panda")
        >>> J = robot.relative_jacobian(robot.neutral(), "panda_link8", "panda_link5")
        >>> [bool(column.any()) for column in J.T]
        [False, False, False, False, False, True, True]
        """
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
        """η(q, v) of the task-space dynamics  F = Λ V̇ + η, τ = Jᵀ F  (Lynch-Park §9.6; Khatib 1987).

        V̇ is the derivative of `velocity` in the same reference.  η = Λ (J M⁻¹ (C v + g) - J̇ v): minus Λ times the V̇
        of forward dynamics at zero joint force.  This equals Lynch-Park's  J⁻ᵀ (C v + g) - Λ J̇ J⁻¹ V  where J
        is square, and needs no inverse of J.  nan at singular positions: use `damping`, as in
        `operational_space_inertia`, or `sixvec.analysis.task_space_dynamics`.  Loops are respected at positions where they
        are closed and velocities that keep them so.  Lynch-Park (9.99).

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, rest = robot.random(0), [0.0] * 7
        >>> held = robot.jacobian(q, "panda_link8").T @ robot.task_space_bias(q, rest, "panda_link8")
        >>> numpy.allclose(robot.jacobian(q, "panda_link8") @ robot.forward_dynamics(q, rest, held), 0.0)
        True
        """
    def velocity_product_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        reference: Reference = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """a_vp, the part of the spatial acceleration that is quadratic in v:  acceleration = J a + a_vp.

        It is the acceleration at a = 0 (Featherstone (30)-(33)).  In "world" and "local" coordinates it equals J̇ v.
        In "local_world_aligned" J̇ v is the *point's* acceleration at a = 0, which is a_vp + (0; ω × v).

        >>> import sixvec
        >>> robot = sixvec.load("planar_2r")
        >>> robot.velocity_product_acceleration([0.0, 0.0], [1.0, 1.0], "tip").round(3).tolist()
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
        """
    def wrench_response(
        self, q: ArrayLike, frame: str, reference: Reference = "local", *, out: Array | None = None
    ) -> Array:
        """M⁻¹ Jᵀ: the change of the joint accelerations per unit of wrench on a frame, in O(n) per column.

        The wrench is at the frame's origin in frame axes, as in `forward_dynamics`, unless `reference` is given.

        (1 - H Ψ L)ᵀ D⁻¹ H ψ B in the operators of Rodriguez-Kreutz §5; for robots with few degrees of freedom the
        factors of M are used, which then need fewer operations.

        With loops the result is K Jᵀ,  K = M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹  with the rows A of `closure_jacobian`: the
        change of `forward_dynamics`, in which the loops carry their part of the wrench and stay closed.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q = robot.random(0)
        >>> J = robot.jacobian(q, "panda_link8", "local")
        >>> numpy.allclose(robot.mass_matrix(q) @ robot.wrench_response(q, "panda_link8"), J.T)
        True
        """
