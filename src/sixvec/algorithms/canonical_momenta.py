"""The momentum conjugate to each joint coordinate."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model


@kernel("q v -> p[nv]", loops="ignored", regroup=True)
def canonical_momenta(model: Model, q: JointVector, v: JointVector) -> Any:
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
    V = body_velocities(model.bodies, q, v)
    h = {b.name: b.inertia @ V[b.name] for b in model.bodies}
    p: list[Any] = [0.0] * model.nv
    for b in reversed(model.bodies):
        S, rotor = b.subspace(q), b.armature
        p[model.v_slices[b.name]] = [s.dot(h[b.name]) + d * x for s, d, x in zip(S, rotor, v[b], strict=True)]
        if b.parent is not WORLD:
            h[b.parent] = h[b.parent] + b.pose_in_parent(q) @ h[b.name]
    return p
