"""Newton's and Euler's equations of one rigid body, in both forms, and solved for the acceleration."""

from __future__ import annotations

from sixvec.errors import FrameError
from sixvec.spatial.acceleration import AccelerationField
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.linear import solve_symmetric
from sixvec.spatial.matrix import Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.tagged import Tagged
from sixvec.spatial.vector import Vec3


def euler_moment(rot: Sym3, w: Vec3, alpha: Vec3) -> Vec3:
    """n = I α + ω × I ω, about the centre of mass or a fixed point.

    It holds in the body's axes, where I is constant, and equally in the world's, where I = R I_b Rᵀ varies;
    the rates of ω's coordinates are those of one vector α in both, because ω × ω = 0.  Bruyninckx §4.12.7.
    Bruyninckx (4.69), (4.80), (4.81); Lynch-Park (9.20), (9.34).

    >>> from sixvec.geometry.rigid_body import euler_moment
    >>> from sixvec.spatial import Sym3, Vec3
    >>> euler_moment(Sym3.diagonal(1.0, 2.0, 3.0), Vec3(1.0, 1.0, 0.0), Vec3.zero())
    Vec3(x=0.0, y=0.0, z=1.0)
    """
    return rot @ alpha + w.cross(rot @ w)


def euler_acceleration(rot: Sym3, w: Vec3, moment: Vec3) -> Vec3:
    """α = I⁻¹ (n - ω × I ω), the inverse of `euler_moment`; I must be positive definite.

    >>> from sixvec.geometry.rigid_body import euler_acceleration
    >>> from sixvec.spatial import Sym3, Vec3
    >>> euler_acceleration(Sym3.diagonal(1.0, 2.0, 4.0), Vec3.zero(), Vec3(0.0, 0.0, 2.0)).z
    0.5
    """
    return solve_symmetric(rot, moment - w.cross(rot @ w))


def newton_euler(body: RigidInertia, V: Motion, A: Motion | Tagged[Motion]) -> Force:
    """F = I A + V ×* (I V): the wrench on a body with velocity V and *spatial* acceleration A = dV/dt.

    This is the Eulerian form: d/dt of the momentum screw I V, with everything about one origin and in one set of
    axes, inertial or the body's own.  A is not the acceleration of a point; for that use `newton_euler_material`.
    Bruyninckx §4.12.8; Lynch-Park §9.2.2.

    A merry-go-round: a point mass of 2 kg at radius 3 turns with 1 rad/s, dV/dt = 0, and is pulled inward by m r ω².
    Bruyninckx (4.87), (4.88); Lynch-Park (9.17), (9.21), (9.32), (9.33).

    >>> from sixvec.geometry.rigid_body import newton_euler
    >>> from sixvec.spatial import Motion, RigidInertia, Sym3, Vec3
    >>> rider = RigidInertia.from_center_of_mass(2.0, Vec3(3.0, 0.0, 0.0), Sym3.zero())
    >>> newton_euler(rider, Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero()), Motion.zero()).lin.x
    -6.0
    """
    rate = A.value if isinstance(A, Tagged) and A.kind == "spatial acceleration" else A
    if not isinstance(rate, Motion):
        kind = A if isinstance(A, Tagged) else type(A).__name__
        raise FrameError(
            f"the Eulerian form takes the spatial acceleration dV/dt, not {kind}; "
            "newton_euler_material takes the acceleration of body points"
        )
    momentum = body @ V
    return body @ rate + V.cross(momentum)


def bias_force(body: RigidInertia, w: Vec3) -> Force:
    """F_b = (ω × I ω; ω × (ω × m c)), with I about the origin: the wrench on a body that turns with constant ω.

    It vanishes when ω = 0, and when the centre of mass is at the origin and I is a multiple of 1.
    Bruyninckx §4.12.9 prints the two halves in the other order.  Bruyninckx (4.89); Rodriguez-Kreutz (2.23).

    >>> from sixvec.geometry.rigid_body import bias_force
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> bias_force(RigidInertia(2.0, Vec3(6.0, 0.0, 0.0), Sym3.zero()), Vec3(0.0, 0.0, 1.0)).lin.x
    -6.0
    """
    return Force(w.cross(body.rot @ w), w.cross(w.cross(body.moment)))


def newton_euler_material(body: RigidInertia, A: AccelerationField) -> Force:
    """F = M Ẍ + F_b with Ẍ = (α; a), a the acceleration of the *body point* at the origin.

    The practical, Lagrangian form: in terms of what accelerometers measure, without the velocity of any point.  It
    differs from the Eulerian one by M (0; ω × v).  The same value as `RigidInertia.force`, term by term as in
    Bruyninckx §4.12.9.  Bruyninckx (4.89).

    >>> from sixvec.geometry.rigid_body import newton_euler_material
    >>> from sixvec.spatial import AccelerationField, RigidInertia, Sym3, Vec3
    >>> rider = RigidInertia.from_center_of_mass(2.0, Vec3(3.0, 0.0, 0.0), Sym3.zero())
    >>> newton_euler_material(rider, AccelerationField(Vec3(0.0, 0.0, 1.0), Vec3.zero(), Vec3.zero())).lin.x
    -6.0
    """
    if not isinstance(A, AccelerationField):
        raise FrameError(
            f"the material form takes an AccelerationField (ω, α and a body point's acceleration), "
            f"not {type(A).__name__}; `as_field` makes one, and newton_euler takes the spatial acceleration"
        )
    return body @ Motion(A.ang, A.lin) + bias_force(body, A.ang_velocity)


def free_acceleration(body: RigidInertia, V: Motion, F: Force) -> Motion:
    """A = I⁻¹ (F - V ×* I V): the spatial acceleration of a body with velocity V under the wrench F.

    Solved at the centre of mass, where translation and rotation decouple: a_c = f/m and I_c α = n_c.

    >>> from sixvec.geometry.rigid_body import free_acceleration
    >>> from sixvec.spatial import Force, Motion, RigidInertia, Sym3, Vec3
    >>> ball = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    >>> free_acceleration(ball, Motion.zero(), Force(Vec3.zero(), Vec3(0.0, 0.0, 4.0))).lin.z
    2.0
    """
    momentum = body @ V
    return unloaded(body, F - V.cross(momentum))


def unloaded(body: RigidInertia, F: Force) -> Motion:
    """I⁻¹ F: the acceleration from rest, or the velocity with momentum F.

    >>> from sixvec.geometry.rigid_body import unloaded
    >>> from sixvec.spatial import Force, RigidInertia, Sym3, Vec3
    >>> unloaded(RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0)), Force.zero()).ang.x
    0.0
    """
    c = body.center
    alpha = solve_symmetric(body.about_center, F.ang - c.cross(F.lin))
    return Motion(alpha, F.lin * (1.0 / body.mass) + c.cross(alpha))
