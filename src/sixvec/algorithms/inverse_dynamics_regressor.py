"""How the joint forces of inverse dynamics depend on the inertial parameters."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.inertial_parameter import UNITS, links
from sixvec.model import WORLD, Model
from sixvec.spatial import AccelerationField, Force, Motion, RigidInertia


@kernel("q v a -> Y[nv,nparameters]", loops="unsupported", original_bodies=True)
def inverse_dynamics_regressor(model: Model, q: JointVector, v: JointVector, a: JointVector) -> Any:
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
    tree = links(model)
    q, v, a = tree.coordinates(q, v, a)
    A: dict[str | None, AccelerationField] = {WORLD: AccelerationField.at_rest(-model.gravity)}
    axes: dict[str | None, dict[int, Motion]] = {WORLD: {}}
    for b in tree.model.bodies:  # root to tips
        X_BP = b.pose_in_parent(q).inv()
        A[b.name] = (X_BP @ A[b.parent]).then(b.joint_velocity(q, v), b.joint_acceleration(q, v, a))
        at = tree.model.v_slices[b.name]
        carried = {j: X_BP @ S for j, S in axes[b.parent].items()}
        axes[b.name] = carried | dict(zip(range(at.start, at.stop), b.subspace(q), strict=True))
    Y: list[list[Any]] = [[0.0] * (len(UNITS) * len(tree.frames)) for _ in range(model.nv)]
    for k, link in enumerate(tree.frames):
        X_LB = link.placement.inv()
        W = [_wrench(unit, X_LB @ A[link.body]) for unit in UNITS]
        for j, S in axes[link.body].items():
            J = X_LB @ S
            Y[j][k * len(UNITS) : (k + 1) * len(UNITS)] = [J.dot(w) for w in W]
    return Y


def _wrench(I: RigidInertia, A: AccelerationField) -> Force:
    """Newton and Euler about the origin: f = m a + U (mc),  n = I α + ω × I ω + mc × a.

    As `RigidInertia.force`, in the form with fewest operations for unit parameters.
    """
    w = A.ang_velocity
    return Force(I.rot @ A.ang + w.cross(I.rot @ w) + I.moment.cross(A.lin), A.lin * I.mass + A.tensor @ I.moment)
