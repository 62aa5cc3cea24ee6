"""`sixvec.compiled`: functions of scalars on arrays."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.scalar import cos, sin, where
from sixvec.spatial import Rotation, Vec3


@sv.compiled("axis[3] angle -> R[3,3]")
def turn(axis, angle):
    """Rodrigues' formula."""
    return Rotation.about(Vec3.of(axis), angle).matrix.rows


@sv.compiled("R[3,3] -> trace")
def trace(R):
    return R[0][0] + R[1][1] + R[2][2]


@sv.compiled("x[2] -> s c")
def both(x):
    return sin(x[0]), cos(x[1])


@sv.compiled("x -> y")
def bent(x):
    return where(x < 0.0, -x, 2.0 * x)


def test_shapes() -> None:
    z = np.array([0.0, 0.0, 1.0])
    for _ in range(3):
        assert turn(z, 0.3).shape == (3, 3)
        assert turn(z, np.linspace(0, 1, 5)).shape == (5, 3, 3)
        assert turn(z, np.array([0.3])).shape == (1, 3, 3)
        assert turn(np.tile(z, (4, 1, 1)), np.zeros(5)).shape == (4, 5, 3, 3)
        assert np.ndim(trace(np.eye(3))) == 0
        assert trace(np.zeros((3, 3, 3))).shape == (3,)
    with pytest.raises(ValueError, match=named("trace", "R")):
        trace(np.zeros(9))
    with pytest.raises(ValueError, match=named("trace", "R")):
        trace(np.zeros((3, 9)))


def test_values() -> None:
    x = np.linspace(-2, 2, 9)
    assert np.allclose(bent(x), np.where(x < 0, -x, 2 * x))
    s, c = both(np.stack([x, x], axis=-1))
    assert np.allclose(s, np.sin(x))
    assert np.allclose(c, np.cos(x))


def test_derivatives() -> None:
    x = np.linspace(-2, 2, 8)
    assert np.allclose(bent.derivative("x")(x), np.where(x < 0, -1, 2))
    for mode in ("forward", "reverse"):
        ds, dc = both.derivative("x", mode)(np.stack([x, x], axis=-1))
        assert np.allclose(ds, np.stack([np.cos(x), 0 * x], axis=-1))
        assert np.allclose(dc, np.stack([0 * x, -np.sin(x)], axis=-1))


def test_documentation_and_errors() -> None:
    assert turn.__doc__ == "Rodrigues' formula."
    assert turn.count()["sin"] == 1
    with pytest.raises(sv.SixvecError, match=named("->")):
        sv.compiled("x y")
    with pytest.raises(sv.SixvecError, match=named("y")):
        bent.derivative("y")
    with pytest.raises(TypeError, match="turn"):
        turn(np.zeros(3))


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda x: x < 1.0, "y is a comparison"),
        (lambda x: (x < 1.0) * 2.0 + x, "argument of mul"),
        (lambda x: abs(x > 1.0), "argument of abs"),
        (lambda x: where(x < 1.0, x < 0.0, x), "argument of where"),
        (lambda x: where((x < 1.0) < x, x, 1.0), "argument of lt"),
        (lambda x: where(x, 1.0, 2.0), "condition of a where is a number"),
    ],
)
def test_comparisons_are_not_numbers(function, found) -> None:
    function.__name__ = "flag"
    with pytest.raises(sv.SixvecError, match=named("flag", "where")) as caught:
        sv.compiled("x -> y")(function)(0.5)
    assert isinstance(caught.value, TypeError)


def test_a_fast_function_is_another_with_the_same_results() -> None:
    @sv.compiled("x -> y")
    def twice(x):
        return 2.0 * x

    fast = twice.fast
    assert fast is twice.fast and fast is not twice and fast.is_fast and not twice.is_fast
    assert fast.token == f"{twice.identity} fast" and twice.token == twice.identity
    assert fast(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert "fast" not in fast.__dict__
