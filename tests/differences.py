"""Derivatives by central differences of order 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

STEP = 1e-3
"""Balances truncation, step⁴, with rounding, 2⁻⁵³/step."""

OFFSETS = STEP * np.array([-2.0, -1.0, 1.0, 2.0])
WEIGHTS = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * STEP)


def derivative(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """f'(0) of a function of time."""
    return sum(w * f(t) for w, t in zip(WEIGHTS, OFFSETS, strict=True))


def gradient(f: Callable[..., np.ndarray], x: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """∂f/∂x of f(x, *others) for plain vectors x (n, k): entry [..., j] belongs to coordinate j."""
    return _gradient(f, np.add, x.shape[-1], x, *others)


def tangent_gradient(robot: Any, f: Callable[..., np.ndarray], q: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """∂f/∂q of f(q, *others) in tangent coordinates: entry [..., j] belongs to coordinate j of `robot.integrate`."""
    return _gradient(f, robot.integrate, robot.nv, q, *others)


def _gradient(f: Any, move: Any, freedoms: int, x: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """All steps along all coordinates as one batch."""
    n = len(x)
    steps = OFFSETS[:, None, None, None] * np.eye(freedoms)[:, None, :]
    steps = np.broadcast_to(steps, (len(OFFSETS), freedoms, n, freedoms)).reshape(-1, freedoms)

    def spread(y: np.ndarray) -> np.ndarray:
        return np.tile(y, (len(OFFSETS) * freedoms, 1))

    values = f(move(spread(x), steps), *map(spread, others))
    values = values.reshape(len(OFFSETS), freedoms, n, *values.shape[1:])
    return np.moveaxis(np.tensordot(WEIGHTS, values, 1), 0, -1)
