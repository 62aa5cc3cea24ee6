"""Two equations in two angles, α and β, each linear in the cosines and sines:

    waveα₁(α) + waveβ₁(β) = d₁        waveα₂(α) + waveβ₂(β) = d₂

The α waves depend on the pose, the β waves on the arm alone.  If an equation lacks one of the angles, the two follow
one after the other; otherwise α is a root of a quartic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.ik.closed_form.subproblems import Turn, Wave
from sixvec.ik.closed_form.target import Joints
from sixvec.scalar import Scalar
from sixvec.spatial import Motion, Pose, Vec3
from sixvec.tolerances import RANK

SOME_POSE = Pose.exp(Motion(Vec3(0.5, -0.7, -0.9), Vec3(0.3, 0.4, 0.5)))
"""Any pose: the structure of the equations does not depend on the pose."""


@dataclass(frozen=True)
class TwoAngles:
    """The two equations, and the completion that turns (α, β) into full solutions."""

    alpha: tuple[Wave, Wave]
    beta: tuple[Wave, Wave]
    right: tuple[Scalar, Scalar]
    complete: Callable[[Turn, Turn], list[Joints]]
    second: Callable[[Turn], tuple[Turn, Turn]] | None = None
    """β from the second equation for known α, if there is a more accurate formula than the wave."""


def combined(e: TwoAngles) -> TwoAngles | None:
    """The equations with β missing from the first, or α missing from it; None if neither is possible."""
    B = np.array([[w.cos, w.sin] for w in e.beta], float)
    U, sigma, _ = np.linalg.svd(B)
    if sigma[1] < RANK * max(sigma[0], 1.0):
        (s, t), (o, n) = (map(float, U[:, i]) for i in (1, 0))  # (s, t) B = 0

        def mixed(a: Any, b: Any) -> tuple[Any, Any]:
            return a * s + b * t, a * o + b * n

        first, second = mixed(*e.beta)
        return TwoAngles(mixed(*e.alpha), (Wave(first.constant, 0.0, 0.0), second), mixed(*e.right), e.complete)
    if e.alpha[0].is_flat:
        return e
    if e.alpha[1].is_flat:
        return TwoAngles(e.alpha[::-1], e.beta[::-1], e.right[::-1], e.complete)
    return None


def one_after_the_other(e: TwoAngles) -> list[tuple[Turn, Turn]]:
    """The four (α, β) where the first equation contains only one of them."""
    equation = combined(e)
    assert equation is not None
    (a0, a1), (b0, b1), (d0, d1) = equation.alpha, equation.beta, equation.right
    if b0.is_flat:
        second = e.second or (lambda a: b1.reaching(d1 - a1.at(a)))
        return [(a, b) for a in a0.reaching(d0 - b0.constant) for b in second(a)]
    return [(a, b) for b in b0.reaching(d0 - a0.constant) for a in a1.reaching(d1 - b1.at(b))]


def on_circle(e: TwoAngles) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """(cos β, sin β) = u + v cos α + w sin α, from both equations."""
    (a, b), (c, d) = np.linalg.inv([[x.cos, x.sin] for x in e.beta]).tolist()
    free = [r - x.constant - y.constant for r, x, y in zip(e.right, e.alpha, e.beta, strict=True)]
    columns = free, [-x.cos for x in e.alpha], [-x.sin for x in e.alpha]
    u, v, w = ([a * x + b * y, c * x + d * y] for x, y in columns)
    return u, v, w


def from_root(e: TwoAngles, a: Turn) -> Turn:
    """β for an α that is a root of the quartic."""
    u, v, w = on_circle(e)
    return Turn.along(*(o + c * a.c + s * a.s for o, c, s in zip(u, v, w, strict=True)))
