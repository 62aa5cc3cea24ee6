"""Exponential and logarithm of rigid displacements, and their derivatives, precise at every angle.

The coefficients are functions of x = θ², written so that value and derivatives keep full precision through θ = 0:
a power series below x = 1, closed forms above.
"""

from __future__ import annotations

from math import factorial

from sixvec.scalar import Scalar, cos, sin, sqrt, where
from sixvec.spatial import so3
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.six_matrix import SixMatrix
from sixvec.spatial.vector import Vec3

SERIES_BELOW = 1.0
"""Squared angle below which the series are used: they leave a remainder under 1e-17 there, and above it the closed
forms cancel by less than two digits."""

_TERMS = range(9)
_BERNOULLI = (
    1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6,
    3617 / 510, 43867 / 798, 174611 / 330, 854513 / 138, 236364091 / 2730, 8553103 / 6,
)  # fmt: skip

_VERSINE = [(-1) ** k / factorial(2 * k + 2) for k in _TERMS]
_EXCESS = [(-1) ** k / factorial(2 * k + 3) for k in _TERMS]
_COTANGENT = [b / factorial(2 * k + 2) for k, b in enumerate(_BERNOULLI)]


def exp(t: Motion) -> tuple[Rotation, Vec3]:
    """The displacement reached by moving with the constant twist t = (ω; v) for unit time: rotation and position.

        R = exp(ω×),   p = J(ω) v,   J = 1 + ((1 - cos θ) / θ²) ω× + ((θ - sin θ) / θ³) ω× ω×,   θ = |ω|

    t is a *screw* twist (velocity of the point at the origin), not a pose twist; Bruyninckx §4.5.  Users call
    `Pose.exp`.
    """
    return so3.exp(t.ang), so3.left_jacobian(t.ang) @ t.lin


def log(R: Rotation | PlaneRotation, p: Vec3) -> Motion:
    """The twist that reaches the displacement (R, p) in unit time, with a rotation vector at most π long.

        ω = log R,   v = J⁻¹(ω) p,   J⁻¹ = 1 - ½ ω× + ((1 - (θ/2) cot(θ/2)) / θ²) ω× ω×

    It is precise at θ = 0 and up to θ = π; at θ = π both senses of the axis are valid, one is chosen, and the logarithm
    is discontinuous.  Users call `Pose.log`.
    """
    w = so3.log(R)
    return Motion(w, so3.left_jacobian_inverse(w) @ p)


def left_jacobian(t: Motion) -> SixMatrix[Motion, Motion]:
    """The derivative of exp: if X = exp(t), then the velocity of X in *fixed* coordinates is J(t) ṫ.

    With the 3-D Jacobian J₃(ω) of `exp` it is [J₃ 0; Q J₃], where Q is the derivative of J₃ along v
    (the dual part of J₃ at the dual vector ω + ε v, by the principle of transference).  J(-t) is the right Jacobian,
    which gives the velocity in the displaced body's coordinates.

    >>> left_jacobian(Motion.zero()) @ Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    Motion(ang=Vec3(x=1.0, y=2.0, z=3.0), lin=Vec3(x=4.0, y=5.0, z=6.0))
    """
    J, x, wv = so3.left_jacobian(t.ang), t.ang.dot(t.ang), t.ang.dot(t.lin)
    W, V, WW, both = _products(t.ang, t.lin)
    Q = V * versine(x) + both * sine_excess(x) + (W * versine_slope(x) + WW * sine_excess_slope(x)) * wv
    return SixMatrix(J, Mat3.zero(), Q, J, Motion, Motion)


def left_jacobian_inverse(t: Motion) -> SixMatrix[Motion, Motion]:
    """The derivative of log: if t = log X, then ṫ = J⁻¹(t) V with V the velocity of X in fixed coordinates.

    J₃⁻¹ = 1 - ½ ω× + k ω× ω×, and the lower-left block is its derivative along v.  It exists for every angle but the
    full turns 2π, 4π …, where plain numbers raise DegenerateError and other scalars diverge.
    """
    J, x, wv = so3.left_jacobian_inverse(t.ang), t.ang.dot(t.ang), t.ang.dot(t.lin)
    _, V, WW, both = _products(t.ang, t.lin)
    Q = V * -0.5 + both * half_cotangent(x) + WW * (half_cotangent_slope(x) * wv)
    return SixMatrix(J, Mat3.zero(), Q, J, Motion, Motion)


def versine(x: Scalar) -> Scalar:
    """(1 - cos θ) / θ² as a function of x = θ²."""
    small, t = _guarded(x)
    half_sine = sin(t * 0.5) / t
    return where(small, so3.horner(_VERSINE, x), 2.0 * half_sine * half_sine)


def versine_slope(x: Scalar) -> Scalar:
    """2 d/dx of `versine`: (θ sin θ - 2 (1 - cos θ)) / θ⁴."""
    small, t = _guarded(x)
    half_sine = sin(t * 0.5) / t
    closed = (sin(t) / t - 4.0 * half_sine * half_sine) / (t * t)
    return where(small, so3.horner(_slope(_VERSINE), x), closed)


def sine_excess(x: Scalar) -> Scalar:
    """(θ - sin θ) / θ³ as a function of x = θ²."""
    small, t = _guarded(x)
    return where(small, so3.horner(_EXCESS, x), (t - sin(t)) / (t * t * t))


def sine_excess_slope(x: Scalar) -> Scalar:
    """2 d/dx of `sine_excess`: (3 sin θ - 2 θ - θ cos θ) / θ⁵."""
    small, t = _guarded(x)
    tt = t * t
    return where(small, so3.horner(_slope(_EXCESS), x), (3.0 * sin(t) - t * (2.0 + cos(t))) / (tt * tt * t))


def half_cotangent(x: Scalar) -> Scalar:
    """(1 - (θ/2) cot(θ/2)) / θ² as a function of x = θ²; finite up to θ = 2π."""
    small, t = _guarded(x)
    half = t * 0.5
    return where(small, so3.horner(_COTANGENT, x), (1.0 - half * cos(half) / sin(half)) / (t * t))


def half_cotangent_slope(x: Scalar) -> Scalar:
    """2 d/dx of `half_cotangent`: ((θ/2) cot(θ/2) + (θ/2)² / sin²(θ/2) - 2) / θ⁴."""
    small, t = _guarded(x)
    half, tt = t * 0.5, t * t
    ratio = half / sin(half)
    return where(small, so3.horner(_slope(_COTANGENT), x), (ratio * (cos(half) + ratio) - 2.0) / (tt * tt))


def _products(w: Vec3, v: Vec3) -> tuple[Mat3, Mat3, Mat3, Mat3]:
    """ω×, v×, ω× ω×, and ω× v× + v× ω×."""
    W, V = Mat3.cross_matrix(w), Mat3.cross_matrix(v)
    WV = W.product(V)
    return W, V, W.product(W), WV + WV.T


def _guarded(x: Scalar) -> tuple[Scalar, Scalar]:
    """Whether to use the series, and an angle at which the unused closed form is well defined."""
    small = x < SERIES_BELOW
    return small, sqrt(where(small, 1.0, x))


def _slope(coefficients: list[float]) -> list[float]:
    """Twice the derivative of a power series."""
    return [2.0 * k * c for k, c in enumerate(coefficients)][1:]
