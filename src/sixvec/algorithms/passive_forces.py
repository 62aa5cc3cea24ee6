"""Passive joint forces: damping, friction, springs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.poses import body_poses
from sixvec.errors import ModelError
from sixvec.model import BodySpring, FrictionLaw, Model
from sixvec.model.joints import Joint
from sixvec.scalar import Scalar, is_zero, slopes, where
from sixvec.spatial import Force, Motion, Pose
from sixvec.spatial.linear import dot, times, transpose
from sixvec.spatial.se3 import left_jacobian_inverse

Entry: TypeAlias = tuple[int, int, Scalar]
"""Row, column and value of an entry of a matrix."""

_SIX = 6


@kernel("q v -> tau", loops="ignored")
def passive_forces(model: Model, q: JointVector, v: JointVector, coulomb: bool = True) -> Any:
    """-d v - f sign(v) - k (q ⊖ rest): viscous damping, Coulomb friction and springs of the joints.

    The model's friction laws and springs between bodies (`sixvec.model.passive`) are included.  At
    rest Coulomb friction is zero here; its value within ±f depends on the time step, and `rollout`
    computes it.  `coulomb=False` omits it.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.passive_forces(robot.neutral(), [1.0] * 7)).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    tau: list[Scalar] = [0.0] * model.nv
    for b in model.bodies:
        d, nothing = b.dynamics, (0.0,) * b.joint.nv
        stretch = b.joint.difference(d.rest or b.joint.neutral(), q[b]) if d.stiffness else nothing
        friction = d.friction if coulomb and d.friction else nothing
        tau[model.v_slices[b.name]] = [
            -(damping * rate + f * _sign(rate) + stiffness * x)
            for damping, f, stiffness, rate, x in zip(
                d.damping or nothing, friction, d.stiffness or nothing, v[b], stretch, strict=True
            )
        ]
    for p in model.passive:
        if isinstance(p, FrictionLaw):
            _resist(model, q, v, p, tau)
        else:
            _pull(model, q, p, tau)
    return tau


def _resist(model: Model, q: JointVector, v: JointVector, law: FrictionLaw, tau: list[Scalar]) -> None:
    """Subtract the resistance of a friction law from the forces."""
    joint = [model.by_name[name] for name in law.bodies]
    places = [i for b in joint for i in range(*model.v_slices[b.name].indices(model.nv))]
    forces = list(law.resistance([x for b in joint for x in q[b]], [x for b in joint for x in v[b]]))
    if len(forces) != len(places):
        raise ModelError(
            f'{model.name}: the friction law of "{law.bodies[-1]}" returns {len(forces)} forces; '
            f"its joint has {len(places)} freedoms"
        )
    for i, force in zip(places, forces, strict=True):
        tau[i] = tau[i] - force


def _pull(model: Model, q: JointVector, spring: BodySpring, tau: list[Scalar]) -> None:
    """Add the joint forces of a spring between two frames: minus the gradient of ½ tᵀ K t.

    A step δ of the second frame, in its own axes, changes t by J_l⁻¹(-t) δ; so its wrench is  w = -J_l⁻¹(-t)ᵀ K t.
    """
    first, second = model.frame(spring.first), model.frame(spring.second)
    X = body_poses(model, q)
    X_12, t = _displacement(model, X, spring)
    w = -Force.of(times(transpose(list(left_jacobian_inverse(-t))), times(spring.stiffness, [*t])))
    felt = {name: Force.zero() for name in X}
    felt[second.body] = felt[second.body] + second.placement @ w
    felt[first.body] = felt[first.body] - first.placement @ (X_12 @ w)
    for b in reversed(model.bodies):
        for i, S in zip(range(*model.v_slices[b.name].indices(model.nv)), b.subspace(q), strict=True):
            tau[i] = tau[i] + S.dot(felt[b.name])
        felt[b.parent] = felt[b.parent] + b.pose_in_parent(q) @ felt[b.name]


def _displacement(model: Model, X: Mapping[str | None, Pose], spring: BodySpring) -> tuple[Pose, Motion]:
    """The pose of the second frame in the first one, and its displacement from rest."""
    first, second = model.frame(spring.first), model.frame(spring.second)
    X_12 = (X[first.body] @ first.placement).inv() @ (X[second.body] @ second.placement)
    return X_12, (spring.rest.inv() @ X_12).log()


def spring_energy(model: Model, q: JointVector) -> Scalar:
    """½ Σ k (q ⊖ rest)² of the joints, and ½ tᵀ K t of springs between frames."""
    total: Scalar = 0.0
    for b in model.bodies:
        if b.dynamics.stiffness:
            stretch = b.joint.difference(b.dynamics.rest or b.joint.neutral(), q[b])
            total = total + sum((x * x * (0.5 * k) for k, x in zip(b.dynamics.stiffness, stretch, strict=True)), 0.0)
    springs = [p for p in model.passive if isinstance(p, BodySpring)]
    X = body_poses(model, q) if springs else {}
    for spring in springs:
        t = [*_displacement(model, X, spring)[1]]
        total = total + dot(t, times(spring.stiffness, t)) * 0.5
    return total


def passive_slopes(model: Model, q: JointVector, v: JointVector) -> tuple[list[Entry], list[Entry]]:
    """∂/∂q and ∂/∂v of `passive_forces`, their nonzero entries, in tangent coordinates.

    Coulomb friction jumps where a joint velocity changes sign and is constant elsewhere: it does not contribute.
    Friction laws and springs between frames are differentiated by rule.
    """
    dq: list[Entry] = []
    dv: list[Entry] = []
    for b in model.bodies:
        first = model.v_slices[b.name].start
        dv += [(first + i, first + i, -d) for i, d in enumerate(b.dynamics.damping)]
        if b.dynamics.stiffness:
            slope = _stretch_slope(b.joint, b.dynamics.rest or b.joint.neutral(), q[b])
            dq += [
                (first + i, first + j, -k * x)
                for i, (k, row) in enumerate(zip(b.dynamics.stiffness, slope, strict=True))
                for j, x in enumerate(row)
            ]
    if model.passive:
        _add_slopes_of_laws(model, q, v, dq, dv)
    return dq, dv


def _add_slopes_of_laws(model: Model, q: JointVector, v: JointVector, dq: list[Entry], dv: list[Entry]) -> None:
    """Those of `model.passive`, with steps in tangent coordinates: column j of q̇ is the rate at the unit velocity j."""

    def forces(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        at, moving = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
        tau: list[Scalar] = [0.0] * model.nv
        for p in model.passive:
            if isinstance(p, FrictionLaw):
                _resist(model, at, moving, p, tau)
            else:
                _pull(model, at, p, tau)
        return tau

    along_q, along_v = slopes(forces, list(q), list(v))
    dv += [(i, j, x) for i, row in enumerate(along_v) for j, x in enumerate(row) if not is_zero(x)]
    for b in model.moving:
        first, places = model.v_slices[b.name].start, range(model.nq)[model.q_slices[b.name]]
        for j in range(b.joint.nv):
            rate = b.joint.rate(q[b], [float(j == k) for k in range(b.joint.nv)])
            for i, row in enumerate(along_q):
                x = dot([row[k] for k in places], rate)
                dq += [] if is_zero(x) else [(i, first + j, x)]


def _stretch_slope(joint: Joint, rest: Sequence[float], q: Sequence[Scalar]) -> list[list[Scalar]]:
    """∂(q ⊖ rest)/∂q in tangent coordinates: one for plain positions, else the derivative of the logarithm.

    log(X exp δ) = log X + J_l⁻¹(-log X) δ, since the step δ is taken in the body's own axes.
    """
    if joint.nq == joint.nv:
        return [[float(i == j) for j in range(joint.nv)] for i in range(joint.nv)]
    back = [-x for x in joint.difference(rest, q)]
    six = Motion.of(back if joint.nv == _SIX else [*back, 0.0, 0.0, 0.0])
    return [row[: joint.nv] for row in list(left_jacobian_inverse(six))[: joint.nv]]


def _sign(x: Scalar) -> Scalar:
    return where(x < 0.0, -1.0, where(x > 0.0, 1.0, 0.0))


def subtracted(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a - b, entry by entry."""
    return [x - y for x, y in zip(a, b, strict=True)]


def added(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a + b, entry by entry."""
    return [x + y for x, y in zip(a, b, strict=True)]
