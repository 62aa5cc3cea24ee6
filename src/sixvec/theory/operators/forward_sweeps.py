"""Forward dynamics in four ways: the algorithms FD1 to FD4 of Rodriguez-Kreutz §4 and §5, on trees.

All solve  tau = 𝓜 a + H φ (M φᵀ a_bias + b)  by  𝓜⁻¹ = (1 - H Ψ L)ᵀ D⁻¹ (1 - H Ψ L), in O(n); they differ in where the
bias enters.  FD4 is the articulated-body algorithm.  Each is a function of scalars, floats or symbols, like the kernels
of `sixvec.algorithms`: q, v and tau are plain sequences; `sweep_kernel` compiles them.  Loops raise an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.errors import ShapeError
from sixvec.model import WORLD, Model
from sixvec.spatial import Force, Motion
from sixvec.theory.operators.link_sweeps import (
    Biases,
    Forces,
    Link,
    Motions,
    biases,
    frame_accelerations,
    inward,
    links_of,
    outward,
)

Row = Sequence[Any]
"""The coordinates of all joints."""


class SweptMotion(NamedTuple):
    """Joint accelerations, and the spatial acceleration of every frame in its own coordinates."""

    a: list[Any]
    frames: list[Motion]


def fd1(
    model: Model, q: Row, v: Row, tau: Row, external: Wrenches | None = None, external_reference: Reference = "local"
) -> list[Any]:
    """Joint accelerations in four sweeps: bias torques first, then the filter and the smoother on the remainder.

    T' = T - H φ (M φᵀ a + b);  ε = (1 - H Ψ L) T';  θ̈ = (1 - H Ψ L)ᵀ D⁻¹ ε.  Algorithm FD1, with T'
    in Rodriguez-Kreutz (4.20).  Rodriguez-Kreutz (3.21)-(3.23), (4.17)-(4.19), (4.21) and (4.22).

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import fd1
    >>> robot = sixvec.load("planar_2r")
    >>> a = fd1(robot.model, [0.3, 0.4], [1.0, -1.0], [0.0, 2.0])
    >>> numpy.allclose(a, robot.forward_dynamics([0.3, 0.4], [1.0, -1.0], [0.0, 2.0]))
    True
    """
    q, v, tau = _joint_vectors(model, q, v, tau)
    links, _, nu = _whitened(model, q, v, tau, external, external_reference)
    return _smoothed(model, links, nu)[0]


def fd2(
    model: Model, q: Row, v: Row, tau: Row, external: Wrenches | None = None, external_reference: Reference = "local"
) -> SweptMotion:
    """FD1 with link and tip accelerations: α = λ + ζ, λ from the smoother and ζ = φᵀ a from the first sweep.

    Algorithm FD2.  Rodriguez-Kreutz (3.15), (4.21b), (4.22b), (4.23), (5.5)-(5.7).

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import fd2
    >>> robot = sixvec.load("planar_2r")
    >>> found = fd2(robot.model, [0.3, 0.4], [1.0, -1.0], [0.0, 2.0])
    >>> numpy.allclose(found.a, robot.forward_dynamics([0.3, 0.4], [1.0, -1.0], [0.0, 2.0]))
    True
    """
    q, v, tau = _joint_vectors(model, q, v, tau)
    return _with_frames(model, *_whitened(model, q, v, tau, external, external_reference))


def fd3(
    model: Model, q: Row, v: Row, tau: Row, external: Wrenches | None = None, external_reference: Reference = "local"
) -> SweptMotion:
    """Three sweeps: the bias enters the filter, so that no torque is computed for it.

    ε = T - H ψ (S L T + M ζ + b), from (1 - H Ψ L) H φ = H ψ (Rodriguez-Kreutz (a.35)).
    Algorithm FD3, with α = λ + ζ as in FD2.  Rodriguez-Kreutz (5.8)-(5.10).

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import fd3
    >>> robot = sixvec.load("planar_2r")
    >>> a, links = fd3(robot.model, [0.3, 0.4], [1.0, -1.0], [0.0, 2.0])
    >>> numpy.allclose(a, robot.forward_dynamics([0.3, 0.4], [1.0, -1.0], [0.0, 2.0]))
    True
    """
    q, v, tau = _joint_vectors(model, q, v, tau)
    links = links_of(model, q)
    bias = biases(model, links, q, v, external, external_reference)
    zeta = outward(links, bias.a)
    return _with_frames(model, links, zeta, _filtered(links, _forces(links, zeta, bias), tau))


def fd4(
    model: Model, q: Row, v: Row, tau: Row, external: Wrenches | None = None, external_reference: Reference = "local"
) -> SweptMotion:
    """Three sweeps that give the link accelerations directly: λ = α.  The articulated-body algorithm.

    z = b + Σ_children (ψ (z + P a) + L T);  ν = D⁻¹ (T - H z);  θ̈ = ν - Gᵀ (φᵀ α + a).  Algorithm FD4.
    Rodriguez-Kreutz (5.13)-(5.17), (b.10).
    """
    q, v, tau = _joint_vectors(model, q, v, tau)
    links = links_of(model, q)
    bias = biases(model, links, q, v, external, external_reference)
    z, nu = dict(bias.b), {}
    for k in reversed(links):
        nu[k.name] = k.gain.drive(_minus(tau[k.body], k.gain.project(z[k.name])))
        if k.body.parent is not WORLD:
            y = z[k.name] + k.gain.P @ bias.a[k.name]
            z[k.body.parent] = z[k.body.parent] + k.X_PB @ k.gain.pass_on(y, tau[k.body])
    alpha: Motions = {WORLD: Motion.zero()}
    acceleration: list[Any] = [0.0] * model.nv
    for k in links:
        free = k.X_PB.inv() @ alpha[k.body.parent] + bias.a[k.name]
        acceleration_ = _minus(nu[k.name], k.gain.yielding(free))
        alpha[k.name] = free + k.gain.spread(acceleration_)
        acceleration[model.v_slices[k.name]] = acceleration_
    return SweptMotion(acceleration, frame_accelerations(model, links, alpha))


FORWARD_SWEEPS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (fd1, fd2, fd3, fd4)}
"""The four algorithms under their names.

>>> list(FORWARD_SWEEPS)
['fd1', 'fd2', 'fd3', 'fd4']
"""


def _joint_vectors(model: Model, q: Row, v: Row, tau: Row) -> tuple[JointVector, JointVector, JointVector]:
    """Plain sequences, indexed by body from here on; the rotor forces of ball joints are subtracted from tau."""
    q_at = _joint_vector(model, "q", q, model.nq, model.q_slices)
    v_at = _joint_vector(model, "v", v, model.nv, model.v_slices)
    residual = _minus(_joint_vector(model, "tau", tau, model.nv, model.v_slices), rotor_bias(model, v_at))
    return q_at, v_at, JointVector(residual, model.v_slices)


def _joint_vector(model: Model, name: str, values: Row, size: int, slices: Mapping[str, slice]) -> JointVector:
    if isinstance(values, JointVector):
        return values
    if len(values) != size:
        raise ShapeError(f"{model.name}: {name} has {len(values)} entries; sweeps take one state, ({size},)")
    return JointVector(values, slices)


def _with_frames(model: Model, links: tuple[Link, ...], zeta: Motions, nu: dict[str, list[Any]]) -> SweptMotion:
    """Joint accelerations and, by α = λ + ζ, those of the frames."""
    acceleration, lam = _smoothed(model, links, nu)
    return SweptMotion(
        acceleration, frame_accelerations(model, links, {name: x + zeta[name] for name, x in lam.items()})
    )


def _whitened(
    model: Model, q: JointVector, v: JointVector, tau: JointVector, external: Wrenches | None, reference: Reference
) -> tuple[tuple[Link, ...], Motions, dict[str, list[Any]]]:
    """The first three sweeps of FD1 and FD2: ζ = φᵀ a, f = φ (M ζ + b), and ν = D⁻¹ (1 - H Ψ L)(T - H f)."""
    links = links_of(model, q)
    bias = biases(model, links, q, v, external, reference)
    zeta = outward(links, bias.a)
    f = inward(links, _forces(links, zeta, bias))
    residual: list[Any] = [0.0] * model.nv
    for k in links:
        residual[model.v_slices[k.name]] = _minus(tau[k.body], k.gain.project(f[k.name]))
    no_force = {k.name: Force.zero() for k in links}
    return links, zeta, _filtered(links, no_force, JointVector(residual, model.v_slices))


def _forces(links: tuple[Link, ...], zeta: Motions, bias: Biases) -> Forces:
    """M ζ + b: the force that each link needs to move with ζ."""
    return {k.name: k.body.inertia @ zeta[k.name] + bias.b[k.name] for k in links}


def _filtered(links: tuple[Link, ...], forces: Forces, T: JointVector) -> dict[str, list[Any]]:
    """ν = D⁻¹ (T - H ẑ), with ẑ = own + Σ_children (ψ ẑ + L T): the Kalman filter, tips to base."""
    z, nu = dict(forces), {}
    for k in reversed(links):
        nu[k.name] = k.gain.drive(_minus(T[k.body], k.gain.project(z[k.name])))
        if k.body.parent is not WORLD:
            z[k.body.parent] = z[k.body.parent] + k.X_PB @ k.gain.pass_on(z[k.name], T[k.body])
    return nu


def _smoothed(model: Model, links: tuple[Link, ...], nu: dict[str, list[Any]]) -> tuple[list[Any], Motions]:
    """θ̈ = ν - Lᵀ λ and λ = ψᵀ λ + Hᵀ ν = φᵀ λ + Hᵀ θ̈, base to tips."""
    lam: Motions = {WORLD: Motion.zero()}
    acceleration: list[Any] = [0.0] * model.nv
    for k in links:
        carried = k.X_PB.inv() @ lam[k.body.parent]
        acceleration_ = _minus(nu[k.name], k.gain.yielding(carried))
        lam[k.name] = carried + k.gain.spread(acceleration_)
        acceleration[model.v_slices[k.name]] = acceleration_
    return acceleration, lam


def _minus(x: Any, y: Any) -> list[Any]:
    return [a - b for a, b in zip(x, y, strict=True)]
