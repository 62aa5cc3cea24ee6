"""sin and cos: one to two units in the last place up to 1e5, and right beyond, on every width and type."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

from sixvec.compiler import far_angle as far_angle_module
from sixvec.compiler import graph
from sixvec.compiler.call import Compiled
from sixvec.compiler.program import Port, trace

ULPS = 2.0
"""What the documentation promises."""

BEYOND = 4.0
"""Units of the last place of 1 for huge angles, where the angle is wrapped first."""


class SinCos(Compiled):
    name, inputs, outputs = "sincos", (Port("x", (1,)),), (Port("s", (2,)),)

    @property
    def program(self):
        return trace("sincos", self.inputs, lambda x: [(self.outputs[0], [graph.sin(x[0]), graph.cos(x[0])])])


def angles(dtype: type) -> np.ndarray:
    rng = np.random.default_rng(0)
    spread = [rng.uniform(-s, s, 400) for s in (1e-3, 1.0, 10.0, 1e3, 1e5)]
    near = np.arange(-300, 300) * (np.pi / 2)
    far = rng.integers(1, 63000, 400) * (np.pi / 2)
    return np.concatenate([*spread, near, np.nextafter(near, 10), far, [0.0, -0.0, 1e-300]]).astype(dtype)


def exact(x: np.ndarray) -> np.ndarray:
    with mpmath.workdps(60):
        return np.array([[mpmath.sin(mpmath.mpf(float(a))), mpmath.cos(mpmath.mpf(float(a)))] for a in x], object)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_accuracy(dtype: type) -> None:
    x = angles(dtype)
    found = SinCos()(x[:, None])
    truth = exact(x)
    unit = np.spacing(np.abs(truth.astype(float)).astype(dtype)).astype(float)
    error = np.abs((truth - found.astype(float)).astype(float)) / unit
    assert error.max() <= ULPS, x[np.unravel_index(error.argmax(), error.shape)[0]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_huge_angles_are_still_right(dtype: type) -> None:
    x = np.array([1e5, 1.0001e5, 2.0**20, 1e9, 1e15, 1e22 if dtype is np.float64 else 1e10, 1e30, -1e30]).astype(dtype)
    error = np.abs((exact(x) - SinCos()(x[:, None]).astype(float)).astype(float))
    assert error.max() <= BEYOND * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_magnitude(dtype: type) -> None:
    """6381956970095103 · 2^797 is the double closest to a multiple of π/2."""
    most = np.log10(np.finfo(dtype).max)
    x = 10 ** np.random.default_rng(1).uniform(5.0, most, 300)
    x = np.concatenate([x, -x, [6381956970095103 * 2.0**797] if dtype is np.float64 else [1e6]]).astype(dtype)
    error = np.abs((exact(x) - SinCos()(x[:, None]).astype(float)).astype(float))
    assert error.max() <= BEYOND * np.finfo(dtype).eps


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_huge_angles_have_the_same_bits_in_c(dtype: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SinCos().source("c", dtype))
    assert not re.search(r"\b(sin|cos|atan2)f?\(", (tmp_path / "k.c").read_text())
    subprocess.run(["cc", "-std=c99", "-O1", "-shared", "-fPIC", "k.c", "-o", "k.so", "-lm"], cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "k.so")).sincos_
    x = np.array([1e5, -2e5, 1e9, 1e22, 1e30, 3e38]).astype(dtype)
    for one, expected in zip(x, SinCos()(x[:, None]), strict=True):
        out = np.empty(2, dtype)
        function(np.array([one]).ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p))
        assert np.array_equal(out, expected)


def test_not_finite_gives_nan_for_that_sample_only() -> None:
    x = np.linspace(-1, 1, 16)[:, None]
    clean = SinCos()(x)
    for bad in (np.nan, np.inf, -np.inf):
        y = x.copy()
        y[5] = bad
        found = SinCos()(y)
        assert np.isnan(found[5]).all()
        assert np.array_equal(np.delete(found, 5, 0), np.delete(clean, 5, 0))


def test_zero_is_exact() -> None:
    assert SinCos()(np.array([0.0])).tolist() == [0.0, 1.0]


def test_a_lane_with_a_huge_angle_leaves_the_others_alone() -> None:
    x = np.linspace(-3, 3, 37)[:, None]
    clean = SinCos()(x)
    x[20] = 1e12
    assert np.array_equal(np.delete(SinCos()(x), 20, 0), np.delete(clean, 20, 0))


@pytest.mark.parametrize(("dtype", "width", "scale", "count"), [("float64", 53, 128, 22), ("float32", 24, 64, 9)])
def test_parts_of_two_over_pi_are_exact(dtype: str, width: int, scale: int, count: int) -> None:
    parts = far_angle_module._parts(dtype)
    assert len(parts) == count
    with mpmath.workprec(1400):
        digits = int(mpmath.floor(2 / mpmath.pi * 2 ** (width * count)))
    assert sum(map(Fraction, parts)) * Fraction(2) ** (width * count - scale) == digits
    for k, part in enumerate(parts[:-1]):  # the last of float32 is subnormal
        assert float(np.dtype(dtype).type(part)) == part
        assert part < 2.0 ** (scale - width * k)
    first, second = far_angle_module._HALF_PI[dtype]
    with mpmath.workprec(200):
        assert abs(mpmath.pi / 2 - first - second) < abs(second) * 2.0**-width
