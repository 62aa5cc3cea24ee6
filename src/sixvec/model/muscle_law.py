"""The force of a muscle: its dependence on activation, length and velocity.

The curves of MuJoCo (modeling guide, "muscle actuators") are made of parabolas, so they and their first derivatives are
continuous.  Lengths are in units of the optimal length L₀, velocities in L₀ per second.
"""

from __future__ import annotations

import math

from sixvec.model.actuator import Muscle, Range
from sixvec.scalar import Scalar, where

SMALLEST = 1e-15
"""MuJoCo's mjMINVAL, below which a divisor is raised to it."""


def normalised(m: Muscle, length_range: Range, length: Scalar, velocity: Scalar) -> tuple[Scalar, Scalar]:
    """The length in units of the optimal one, and the velocity in units of the largest.

    >>> normalised(Muscle(), (0.75, 1.05), 1.0, 0.0)
    (1.0, 0.0)
    """
    optimal = (length_range[1] - length_range[0]) / max(SMALLEST, m.range[1] - m.range[0])
    L = m.range[0] + (length - length_range[0]) * (1.0 / max(SMALLEST, optimal))
    return L, velocity * (1.0 / max(SMALLEST, optimal * m.vmax))


def active_force(m: Muscle, L: Scalar, V: Scalar) -> Scalar:
    """The force at full activation as a fraction of the peak force: FL(L) FV(V).

    >>> active_force(Muscle(), 1.0, 0.0), active_force(Muscle(), 1.0, -1.0), active_force(Muscle(), 0.4, 0.0)
    (1.0, 0.0, 0.0)
    """
    return _length_curve(m, L) * _velocity_curve(m, V)


def passive_force(m: Muscle, L: Scalar) -> Scalar:
    """The force without activation, which only a stretched muscle has, as a fraction of the peak force.

    >>> passive_force(Muscle(), 1.0), passive_force(Muscle(), 1.6)
    (0.0, 1.9500000000000002)
    """
    b = 0.5 * (1.0 + m.lmax)
    x = (L - 1.0) * (1.0 / max(SMALLEST, b - 1.0))
    beyond = (L - b) * (1.0 / max(SMALLEST, b - 1.0))
    return where(b < L, m.fpmax * (0.5 + beyond), where(L > 1.0, 0.5 * m.fpmax * x * x, 0.0))


def _length_curve(m: Muscle, L: Scalar) -> Scalar:
    """FL: 1 at the optimal length, 0 outside lmin and lmax."""
    a, b = 0.5 * (m.lmin + 1.0), 0.5 * (1.0 + m.lmax)
    rising = (L - m.lmin) * (1.0 / max(SMALLEST, a - m.lmin))
    before, behind = (1.0 - L) * (1.0 / max(SMALLEST, 1.0 - a)), (L - 1.0) * (1.0 / max(SMALLEST, b - 1.0))
    falling = (m.lmax - L) * (1.0 / max(SMALLEST, m.lmax - b))
    long = where(m.lmax < L, 0.0, where(b < L, 0.5 * falling * falling, 1.0 - 0.5 * behind * behind))
    short = where(m.lmin > L, 0.0, where(a < L, 1.0 - 0.5 * before * before, 0.5 * rising * rising))
    return where(L > 1.0, long, short)


def _velocity_curve(m: Muscle, V: Scalar) -> Scalar:
    """FV: 0 where the muscle shortens at its largest speed, 1 at rest, fvmax where it is stretched fast."""
    y = m.fvmax - 1.0
    slack = y - V
    stretched = where(y < V, m.fvmax, m.fvmax - slack * slack * (1.0 / max(SMALLEST, y)))
    return where(V > 0.0, stretched, where(V > -1.0, (V + 1.0) * (V + 1.0), 0.0))


def activation_rate(m: Muscle, control: Scalar, activation: Scalar) -> Scalar:
    """The rate of the activation w under the control u, both limited to [0, 1]:  ẇ = (u - w) / τ(u, w).

    Activation and deactivation have different time constants, which depend on w; `smoothing` is the width of the
    transition between them, over which τ follows a sigmoid of degree five.

    >>> activation_rate(Muscle(), 1.0, 0.0), activation_rate(Muscle(), 0.0, 0.0)
    (200.0, 0.0)
    """
    u, w = (where(x < 0.0, 0.0, where(x > 1.0, 1.0, x)) for x in (control, activation))
    pace = 0.5 + 1.5 * w
    rising, falling = m.time_constants[0] * pace, m.time_constants[1] * (1.0 / pace)
    gap = u - activation
    if m.smoothing < SMALLEST:
        constant = where(gap > 0.0, rising, falling)
    else:
        x = gap * (1.0 / m.smoothing) + 0.5
        x = where(x < 0.0, 0.0, where(x > 1.0, 1.0, x))
        constant = falling + (rising - falling) * (x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0))
    return gap / where(constant < SMALLEST, SMALLEST, constant)


def is_known(length_range: Range | None) -> bool:
    """Whether a range of lengths is there, and not empty."""
    return length_range is not None and -math.inf < length_range[0] < length_range[1] < math.inf
