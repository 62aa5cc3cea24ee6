"""The angles α for which u + v cos α + w sin α lies on the unit circle: a quartic in tan(α/2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.scalar import Scalar

REAL = 1e-5
"""Largest imaginary part of an angle that is real up to rounding at a double root, which is √2⁻⁵³ and more."""

SAME = 1e-7
"""Angles this close are the same root."""

_STEPS = 3
_OFFSETS = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)


def circle_equation(u: Sequence[Scalar], v: Sequence[Scalar], w: Sequence[Scalar]) -> list[Scalar]:
    """|u + v cos α + w sin α|² - 1 as a Fourier series: the factors of 1, cos α, sin α, cos 2α, sin 2α."""
    uu, vv, ww = (a[0] * a[0] + a[1] * a[1] for a in (u, v, w))
    uv, uw, vw = (a[0] * b[0] + a[1] * b[1] for a, b in ((u, v), (u, w), (v, w)))
    return [uu - 1.0 + (vv + ww) * 0.5, uv * 2.0, uw * 2.0, (vv - ww) * 0.5, vw]


def angles(series: Any) -> Array:
    """All α (..., 4) where a Fourier series is zero; if fewer are real, the rest are near misses or NaN.

    The half-angle is measured from the direction in which the series is largest, so that no root is at infinity.  Roots
    are eigenvalues of the companion matrix, polished on the series itself; a root found twice is kept once.
    """
    f = np.asarray(series, float)
    a0, a1, b1, a2, b2 = np.moveaxis(f, -1, 0)
    far = _value(f[..., None, :], _OFFSETS)
    offset = _OFFSETS[np.abs(np.nan_to_num(far)).argmax(-1)] - np.pi  # so α = offset + π is not a root
    c1, s1, c2, s2 = np.cos(offset), np.sin(offset), np.cos(2 * offset), np.sin(2 * offset)
    a1, b1 = a1 * c1 + b1 * s1, b1 * c1 - a1 * s1
    a2, b2 = a2 * c2 + b2 * s2, b2 * c2 - a2 * s2
    poly = np.stack([a0 - a1 + a2, 2 * b1 - 4 * b2, 2 * a0 - 6 * a2, 2 * b1 + 4 * b2, a0 + a1 + a2], -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        companion = np.zeros((*f.shape[:-1], 4, 4))
        companion[..., 0, :] = -poly[..., 1:] / poly[..., :1]
    companion[..., 1, 0] = companion[..., 2, 1] = companion[..., 3, 2] = 1.0
    usable = np.asarray(np.isfinite(companion).all((-1, -2)))
    companion[~usable] = 0.0
    t = np.linalg.eigvals(companion).astype(complex)
    roots = 2.0 * np.arctan(t) + offset[..., None]
    alpha, real = roots.real, np.abs(roots.imag) < REAL
    for _ in range(_STEPS):
        slope = _slope(f[..., None, :], alpha)
        step = _value(f[..., None, :], alpha) / np.where(slope == 0.0, np.inf, slope)
        alpha = alpha - np.where(real & (np.abs(step) < 0.1), step, 0.0)
    for i in range(1, 4):
        for j in range(i):
            gap = np.abs(np.remainder(alpha[..., i] - alpha[..., j] + np.pi, 2 * np.pi) - np.pi)
            alpha[..., i] = np.where(gap < SAME, np.nan, alpha[..., i])
    return np.asarray(np.where(usable[..., None], alpha, np.nan))


def _value(f: Array, x: Any) -> Array:
    value = f[..., 0] + f[..., 1] * np.cos(x) + f[..., 2] * np.sin(x) + f[..., 3] * np.cos(2 * x)
    return np.asarray(value + f[..., 4] * np.sin(2 * x))


def _slope(f: Array, x: Any) -> Array:
    first = f[..., 2] * np.cos(x) - f[..., 1] * np.sin(x)
    return np.asarray(first + 2 * (f[..., 4] * np.cos(2 * x) - f[..., 3] * np.sin(2 * x)))
