"""Exponential and logarithm of rotations, their Jacobians, and the rotation to first order.

>>> log(exp(Vec3(0.0, 0.0, 3.0)))
Vec3(x=0.0, y=0.0, z=3.0)
"""

from __future__ import annotations

from math import factorial

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, certainly, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.quaternion import Quaternion, sinc_cosine
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

SERIES_BELOW = 1.0
"""Squared angle up to which the differences 1 - sin θ / θ and the like come from their series, without cancellation."""

FULL_TURN = 1e-15
"""sin(θ/2) / (θ/2) below this is a whole turn, to rounding."""

_SERIES = range(9)
"""Terms enough for 1e-17 at the bound."""

_EXCESS = [(-1) ** k / factorial(2 * k + 3) for k in _SERIES]
_VERSINE = [(-1) ** k / factorial(2 * k + 2) for k in _SERIES]
_SINC_MINUS_COSINE = [(-1) ** k * 2 * (k + 1) / factorial(2 * k + 3) for k in _SERIES]


def exp(rotation_vector: Vec3) -> Rotation:
    """The rotation about the vector's direction by its length: R = exp(ω×) (Bruyninckx §3.10).

        exp(ω×) = 1 + (sin θ / θ) ω× + ((1 - cos θ) / θ²) ω× ω×,   θ = |ω|

    It is the result of turning with the constant angular velocity ω for unit time: R(t) = exp(ω× t) R(0) for ω in the
    axes of reference, R(0) exp(ω× t) for ω in the body's.  Value and derivatives have full precision at every angle;
    the half-angle form, through the quaternion, has no difference 1 - cos θ.  Bruyninckx (3.21), (3.53).

    >>> exp(Vec3.zero()) == Rotation.identity()
    True
    """
    return Quaternion.exp(rotation_vector).as_rotation()


def log(R: Rotation | PlaneRotation) -> Vec3:
    """The rotation vector of R, at most π long: the angular velocity that reaches R in unit time (Bruyninckx §3.18).

    Value and derivatives have full precision at every angle up to π.  At π the two vectors ±π e are the same rotation:
    one of them is chosen, the logarithm is discontinuous there, and the derivatives are those on the chosen side.
    Derivatives are meaningful along rotations; those with respect to single entries of R belong to one of many
    continuations of the logarithm to other matrices.

    >>> log(Rotation.identity())
    Vec3(x=0.0, y=0.0, z=0.0)
    """
    return Quaternion.from_rotation(R).log()


def infinitesimal(delta: Vec3) -> Mat3:
    """R_Δ = 1 + δ×: a rotation by a small vector, to first order (Bruyninckx §3.11, with the sign of entry yz right).

    These factors commute to first order.  The result is a matrix, not a `Rotation`: RᵀR = 1 - δ× δ×.
    Bruyninckx (3.24).

    >>> infinitesimal(Vec3(0.0, 0.0, 0.5)) @ Vec3(1.0, 0.0, 0.0)
    Vec3(x=1.0, y=0.5, z=0.0)
    """
    return Rotation.identity().matrix + Mat3.cross_matrix(delta)


def left_jacobian(rotation_vector: Vec3) -> Mat3:
    """J_l with ω_space = J_l(r) ṙ, where R = exp(r): the derivative of exp in the axes of reference.

        J_l(r) = (sin θ / θ) 1 + ((1 - cos θ) / θ²) r× + ((θ - sin θ) / θ³) r rᵀ,   θ = |r|

    exp((r + δ)×) = exp((J_l δ)×) exp(r×) to first order.  Its determinant, 2 (1 - cos θ) / θ², vanishes at whole turns.

    >>> left_jacobian(Vec3.zero()) @ Vec3(1.0, 2.0, 3.0)
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    r = rotation_vector
    tt = r.dot(r)
    sinc, cosine = sinc_cosine(0.25 * tt)
    a, b = sinc * cosine, 0.5 * sinc * sinc
    return _combination(r, a, b, _unless_small(tt, horner(_EXCESS, tt), 1.0 - a))


def right_jacobian(rotation_vector: Vec3) -> Mat3:
    """J_r with ω_body = J_r(r) ṙ, where R = exp(r): J_r(r) = J_l(-r) = J_l(r)ᵀ = Rᵀ J_l(r)."""
    return left_jacobian(rotation_vector).T


def left_jacobian_inverse(rotation_vector: Vec3) -> Mat3:
    """J_l⁻¹ with ṙ = J_l⁻¹(r) ω_space, where r = log R: the derivative of log in the axes of reference.

        J_l⁻¹(r) = (θ/2) cot(θ/2) 1 - ½ r× + ((1 - (θ/2) cot(θ/2)) / θ²) r rᵀ,   θ = |r|

    It is regular at θ = π and has a pole at θ = 2π, where plain numbers raise DegenerateError.

    >>> left_jacobian_inverse(Vec3.zero()) @ Vec3(1.0, 2.0, 3.0)
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    r = rotation_vector
    tt = r.dot(r)
    sinc, cosine = sinc_cosine(0.25 * tt)
    if certainly(abs(sinc) < FULL_TURN):
        raise DegenerateError("at a whole turn exp cannot be inverted; use log(exp(r)), which is at most π long")
    a = cosine / sinc
    return _combination(r, a, -0.5, _unless_small(tt, horner(_SINC_MINUS_COSINE, 0.25 * tt) / (4.0 * sinc), 1.0 - a))


def right_jacobian_inverse(rotation_vector: Vec3) -> Mat3:
    """J_r⁻¹ with ṙ = J_r⁻¹(r) ω_body, where r = log R: J_r⁻¹(r) = J_l⁻¹(r)ᵀ."""
    return left_jacobian_inverse(rotation_vector).T


def body_rates(r: Vec3, rate: Vec3, bend: Vec3) -> tuple[Vec3, Vec3]:
    """ω and ω̇ in the body's axes, ω = J_r(r) ṙ, from a rotation vector and its first and second derivatives.

        ω = a ṙ - b r × ṙ + c r (r · ṙ),   a = sin θ / θ,  b = (1 - cos θ) / θ²,  c = (1 - a) / θ²

    Derivatives of the coefficients with respect to θ² are (c - b) / 2, (a / 2 - b) / θ² and (b - 3 c) / (2 θ²).

    >>> body_rates(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 2.0), Vec3(0.0, 0.0, 3.0))
    (Vec3(x=0.0, y=0.0, z=2.0), Vec3(x=0.0, y=0.0, z=3.0))
    """
    tt = r.dot(r)
    sinc, cosine = sinc_cosine(0.25 * tt)
    a, b = sinc * cosine, 0.5 * sinc * sinc
    c = _unless_small(tt, horner(_EXCESS, tt), 1.0 - a)
    of_b = _unless_small(tt, horner(_derivative(_VERSINE), tt), 0.5 * a - b)
    of_c = _unless_small(tt, horner(_derivative(_EXCESS), tt), 0.5 * (b - 3.0 * c))
    along, turn = r.dot(rate), r.cross(rate)
    speed = rate * a - turn * b + r * (c * along)
    change = (rate * (0.5 * (c - b)) - turn * of_b + r * (of_c * along)) * (2.0 * along)
    moved = rate * (c * along) + r * (c * (rate.dot(rate) + r.dot(bend)))
    return speed, bend * a - r.cross(bend) * b + moved + change


def _derivative(coefficients: list[float]) -> list[float]:
    """Those of the derivative of a polynomial."""
    return [k * c for k, c in enumerate(coefficients)][1:]


def _combination(r: Vec3, a: Scalar, b: Scalar, c: Scalar) -> Mat3:
    """a 1 + b r× + c r rᵀ."""
    one: Mat3 = Rotation.identity().matrix * a
    return one + Mat3.cross_matrix(r * b) + Mat3.outer(r, r * c)


def _unless_small(tt: Scalar, series: Scalar, difference: Scalar) -> Scalar:
    """`difference` / θ², or its series where θ is small."""
    small = tt < SERIES_BELOW
    return where(small, series, difference / where(small, 1.0, tt))


def horner(coefficients: list[float], x: Scalar) -> Scalar:
    """Σ cₖ xᵏ."""
    y: Scalar = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        y = y * x + c
    return y
