"""Constants that single precision lacks: zero or infinity, on every target."""

from __future__ import annotations

import numpy as np

import sixvec as sv
from sixvec.compiler.emit.c import literal
from sixvec.scalar import where


def test_constants_that_are_too_small_or_too_large() -> None:
    """As text; compilers of C and CUDA reject `1e-290f`."""
    assert [literal(x, "f") for x in (1e-290, -1e-290, 1e60, -1e60, 0.1)] == [
        "0.0f", "(-0.0f)", "INFINITY", "(-INFINITY)", "0.1f",
    ]  # fmt: skip
    assert [literal(x, "") for x in (1e-290, 1e60)] == ["1e-290", "1e+60"]


def test_they_mean_the_same_in_machine_code() -> None:
    @sv.compiled("x -> y z")
    def compared(x):  # type: ignore[no-untyped-def]
        return where(x > 1e-290, 1.0, 2.0), where(x < 1e60, 1.0, 2.0)

    x = np.array([0.0, 1e-30, 1e30], np.float32)
    y, z = compared(x)
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, [2.0, 1.0, 1.0])
    np.testing.assert_array_equal(z, [1.0, 1.0, 1.0])
