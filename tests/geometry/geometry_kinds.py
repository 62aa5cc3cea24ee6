"""The same geometry on every kind of scalar, and random geometry to try it on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import sympy
from hypothesis import strategies as st

import sixvec
from differences import gradient
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.spatial import Pose, Quaternion, Vec3
from tolerances import DIFFERENCE, ROUNDING, assert_close

SAMPLES = 7
"""An odd number, so that the last SIMD lanes are partly empty."""


def same_on_all_scalars(
    spec: str, function: Callable[..., Iterable[Any]], *arrays: np.ndarray, symbolic: bool = True
) -> None:
    """Floats, a batch of arrays, compiled code and SymPy agree; compiled derivatives agree with differences.

    Closed forms of long chains of roots and branches take SymPy minutes; those tests pass `symbolic=False`.
    """
    floats = np.array([[float(y) for y in function(*(a[i].tolist() for a in arrays))] for i in range(len(arrays[0]))])
    batch = np.stack([np.broadcast_to(y, floats.shape[:1]) for y in function(*(list(a.T) for a in arrays))], axis=1)
    compiled = sixvec.compiled(spec)(function)
    assert_close(batch, floats, ROUNDING)
    assert_close(compiled(*arrays), floats, ROUNDING)
    derivative = compiled.derivative(compiled.inputs[0].name)(*arrays)
    assert_close(derivative, gradient(compiled, *arrays), DIFFERENCE)
    if symbolic:
        near(_by_sympy(function, *arrays), floats[0], np.abs(floats[0]).max())


def _by_sympy(function: Callable[..., Iterable[Any]], *arrays: np.ndarray) -> list[float]:
    """The first sample, from closed forms."""
    symbols = [sympy.symbols(f"x{i}_:{a.shape[1]}") for i, a in enumerate(arrays)]
    values = sympy.lambdify(symbols, list(function(*map(list, symbols))), modules="math", cse=True)
    return values(*(a[0].tolist() for a in arrays))


def random_rows(columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(SAMPLES, columns))


def close(a: Iterable[Any], b: Iterable[Any], tolerance: float = 1e-12) -> None:
    """Every number of two values agrees to a fraction of the largest."""
    assert_close(np.array(list(a), dtype=float), np.array(list(b), dtype=float), tolerance, batched=False)


def near(a: Any, b: Any, size: float = 1.0, tolerance: float = 1e-12) -> None:
    """Two numbers, or all numbers of two values, agree to a fraction of a size that is given."""
    left, right = (np.array(list(x) if np.iterable(x) else [x], dtype=float) for x in (a, b))
    gap = np.abs(left - right)
    assert gap.max() <= tolerance * size, f"{a} is not {b}"


coordinates = st.floats(-4.0, 4.0, allow_subnormal=False).map(lambda x: round(x, 9))
"""Rounded, so that no numbers near the bottom of the exponent range occur; singular cases have tests of their own."""

vectors = st.builds(Vec3, coordinates, coordinates, coordinates)
long_vectors = vectors.filter(lambda v: v.norm() > 0.1)
points = st.builds(Point, coordinates, coordinates, coordinates)
directions = long_vectors.map(Direction.from_vector)
lines = st.builds(Line, points, directions.map(lambda d: d.vec))
screws = st.builds(Screw, long_vectors, vectors)


@st.composite
def poses(draw: st.DrawFn) -> Pose:
    turn = draw(st.builds(Quaternion, coordinates, coordinates, coordinates, coordinates).filter(_long)).normalized()
    return Pose(turn.as_rotation(), draw(vectors))


def _long(q: Quaternion) -> bool:
    return sum(x * x for x in q) > 0.01


def matrix(rows: Iterable[Iterable[Any]]) -> np.ndarray:
    return np.array([list(row) for row in rows], dtype=float)
