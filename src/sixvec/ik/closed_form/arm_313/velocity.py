"""Velocities of the 313 structure: forward, inverse, and the self-motion that leaves the hand in place."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.ik.closed_form.arm_313.geometry import Arm313
from sixvec.ik.closed_form.arm_313.position import shoulder_rotation, wrist_from_shoulder
from sixvec.ik.closed_form.arm_input import require_regular
from sixvec.ik.closed_form.zxz import ZXZ
from sixvec.scalar import Scalar, cos, sin, sqrt
from sixvec.spatial import Motion, Rotation, Vec3
from sixvec.spatial.linear import dot
from sixvec.tolerances import ROUNDING


def wrist_twists(arm: Arm313, q: Sequence[Scalar]) -> tuple[Motion, ...]:
    """The columns of J in axes of the base with the wrist centre as reference point."""
    R_03 = shoulder_rotation(q)
    R_04 = R_03 @ Rotation.about_x(-q[3])
    w, forearm = wrist_from_shoulder(arm, q), R_04 @ Vec3(0.0, 0.0, arm.l3)
    elbow = R_03 @ Vec3(-1.0, 0.0, 0.0)
    shoulder = (Motion(a, a.cross(w)) for a in ZXZ(*q[:3]).axes)
    wrist = (Motion(R_04 @ a, Vec3.zero()) for a in ZXZ(*q[4:]).axes)
    return (*shoulder, Motion(elbow, elbow.cross(forearm)), *wrist)


def hand_from_wrist(arm: Arm313, q: Sequence[Scalar]) -> Vec3:
    """From the wrist centre to the hand, in the base."""
    return shoulder_rotation(q) @ Rotation.about_x(-q[3]) @ (ZXZ(*q[4:]).axes[2] * arm.l7)


def forward_velocity(arm: Arm313, q: Sequence[Scalar], rates: Sequence[Scalar]) -> Motion:
    """The twist of the hand: reference point at its origin, axes of the base.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_velocity
    >>> arm = Arm313(0.36, 0.42, 0.40, 0.126)
    >>> round(forward_velocity(arm, (0.0,) * 7, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)).lin.y, 12)
    0.946
    """
    columns = wrist_twists(arm, q)
    at_wrist = sum((c * rate for c, rate in zip(columns, rates, strict=True)), Motion.zero())
    return at_wrist.shifted(hand_from_wrist(arm, q))


def inverse_velocity(arm: Arm313, q: Sequence[Scalar], twist: Motion, self_motion: Scalar = 0.0) -> tuple[Scalar, ...]:
    """Joint rates of a twist of the hand: the smallest ones, plus `self_motion` times `null_vector`.

    The elbow alone changes the distance of wrist and shoulder, so q̇4 = -L (u·v_w) / (l2 l3 sin q4).  The shoulder then
    turns with ω_s = w × v / L² + k u, in which the rate k about the line from shoulder to wrist is free.  Here k makes
    q̇3² + q̇7² smallest: with n the normals of the outer axes,

        q̇3 = s2 δ (αδ + βγ) / D,  q̇7 = s6 β (αδ + βγ) / D,  D = s6² β² + s2² δ²

    with α = n_s·ω_s at k = 0, γ = n_w·ω for the wrist at k = 0, β = n_s·u, δ = n_w·u.  There is no division by s2 or
    s6, where single spherical joints are singular and the arm is not; the denominators vanish where the arm is
    singular: there plain numbers raise DegenerateError, batches become infinite or NaN for that sample.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_velocity, inverse_velocity
    >>> arm, q = Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)
    >>> twist = forward_velocity(arm, q, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0))
    >>> again = forward_velocity(arm, q, inverse_velocity(arm, q, twist))
    >>> max(abs(a - b) for a, b in zip(again, twist)) < 1e-12
    True
    """
    at_wrist = twist.shifted(-hand_from_wrist(arm, q))
    n = null_vector(arm, q)
    require_regular((
        (abs(sin(q[3])) < ROUNDING, "the elbow is stretched or folded (sin q4 = 0)"),
        (dot(n, n) < ROUNDING * ROUNDING, "a straight shoulder or wrist is locked, or both are straight"),
    ))  # fmt: skip
    p = _particular(arm, q, at_wrist)
    excess = self_motion - dot(n, p) / dot(n, n)
    return tuple(a + excess * b for a, b in zip(p, n, strict=True))


def null_vector(arm: Arm313, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Rates that leave the hand in place: the elbow circles, its joint does not turn.

    Shoulder B_s⁻¹ u, wrist -B_w⁻¹ u, both times s2 s6 so that it stays finite; zero where two or more self-motions
    or none of this kind exist: s2 = 0 with cos q3 = 0, s6 = 0 with cos q5 = 0, or s2 = s6 = 0.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_velocity, null_vector
    >>> arm, q = Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)
    >>> n = null_vector(arm, q)
    >>> n[3], max(abs(x) for x in forward_velocity(arm, q, n)) < 1e-15
    (0.0, True)
    """
    shoulder, wrist, u_s, u_w, _ = _line(arm, q)
    s2, s6 = sin(shoulder.bend), sin(wrist.bend)
    first = shoulder.rates_with_twist(u_s * (s2 * s6), shoulder.normal.dot(u_s) * s6)
    last = wrist.rates_with_twist(u_w * (s2 * s6), wrist.normal.dot(u_w) * s2)
    return (*first, 0.0, *(-last))


def swivel_rate(arm: Arm313, q: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
    """k = u · ω_s: how fast the upper arm turns about the line from shoulder to wrist.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, null_vector, swivel_rate
    >>> arm, q = Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)
    >>> round(swivel_rate(arm, q, null_vector(arm, q)), 9)
    0.308854412
    """
    shoulder, _, u_s, _, _ = _line(arm, q)
    return u_s.dot(shoulder.jacobian() @ Vec3.of(rates[:3]))


def _line(arm: Arm313, q: Sequence[Scalar]) -> tuple[ZXZ, ZXZ, Vec3, Vec3, Scalar]:
    """Shoulder, wrist, the unit vector from one to the other before the shoulder and before the wrist, the distance."""
    w = wrist_from_shoulder(arm, q)
    size = sqrt(arm.l2 * arm.l2 + arm.l3 * arm.l3 + 2.0 * arm.l2 * arm.l3 * cos(q[3]))
    u = w * (1.0 / size)
    R_04 = shoulder_rotation(q) @ Rotation.about_x(-q[3])
    return ZXZ(*q[:3]), ZXZ(*q[4:]), u, R_04.inv() @ u, size


def _particular(arm: Arm313, q: Sequence[Scalar], at_wrist: Motion) -> tuple[Scalar, ...]:
    shoulder, wrist, u, u_w, size = _line(arm, q)
    R_03 = shoulder_rotation(q)
    R_04 = R_03 @ Rotation.about_x(-q[3])
    w, axis = u * size, R_03 @ Vec3(-1.0, 0.0, 0.0)
    rate4 = -size * u.dot(at_wrist.lin) / (arm.l2 * arm.l3 * sin(q[3]))
    by_elbow = axis.cross(R_04 @ Vec3(0.0, 0.0, arm.l3)) * rate4
    w_s = w.cross(at_wrist.lin - by_elbow) * (1.0 / (size * size))
    w_w = R_04.inv() @ (at_wrist.ang - w_s - axis * rate4)

    s2, s6 = sin(shoulder.bend), sin(wrist.bend)
    alpha, beta = shoulder.normal.dot(w_s), shoulder.normal.dot(u)
    gamma, delta = wrist.normal.dot(w_w), wrist.normal.dot(u_w)
    scale = 1.0 / (s6 * s6 * beta * beta + s2 * s2 * delta * delta)
    k = (s2 * s2 * gamma * delta - s6 * s6 * alpha * beta) * scale
    common = (alpha * delta + beta * gamma) * scale
    first = shoulder.rates_with_twist(w_s + u * k, s2 * delta * common)
    last = wrist.rates_with_twist(w_w - u_w * k, s6 * beta * common)
    return (*first, rate4, *last)
