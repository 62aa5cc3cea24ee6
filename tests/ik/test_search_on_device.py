"""The search of a CUDA device, with a stand-in for CuPy: answers and verdicts are those of the CPU, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from cupy_shim import cupy_without_device
from naming import named
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.choose import ik

PANDA, LAST = sv.load("panda"), "panda_link8"
FIELDS = ("q", "verdict", "starts", "joint", "position_error", "rotation_error")


@pytest.fixture(autouse=True)
def xp() -> Any:
    with cupy_without_device() as module:
        yield module


def on_device(xp: Any, X: np.ndarray, **options: Any) -> Any:
    """The answer to poses on the device, with its arrays back in NumPy."""
    moved = {k: xp.asarray(x) if isinstance(x, np.ndarray) else x for k, x in options.items()}
    found = ik(PANDA, xp.asarray(X), LAST, **moved)
    assert isinstance(found.q, xp.ndarray)
    return replace(found, **{field: getattr(found, field).get() for field in FIELDS})


def poses() -> np.ndarray:
    found = np.asarray(PANDA.pose(PANDA.random(3, 150), LAST))
    found[5, 0, 3] += 9.0  # out of reach
    found[6, 0, 3] = np.nan
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"starts": 1},
        {"starts": 4, "tolerance": (1e-5, 1e-7)},
        {"q0": PANDA.random(4, 150)},
        {"limits": False},
        {"posture": np.zeros(7), "starts": 20},
    ],
    ids=lambda x: "_".join(x) or "plain",
)
def test_the_results_of_the_cpu(xp: Any, options: dict[str, Any]) -> None:
    found = on_device(xp, poses(), **options)
    expected = PANDA.ik(poses(), LAST, method="numerical", **options)
    for field in FIELDS:
        assert np.array_equal(getattr(found, field), getattr(expected, field), equal_nan=True), field


def test_batch_axes(xp: Any) -> None:
    found = on_device(xp, poses().reshape(10, 15, 4, 4), starts=2)
    assert found.q.shape == (10, 15, 7) and found.verdict.shape == (10, 15)
    one = on_device(xp, poses()[0])
    assert one.q.shape == (7,) and bool(one)
    none = on_device(xp, np.empty((0, 4, 4)))
    assert none.q.shape == (0, 7)


def test_wrong_arguments_raise(xp: Any) -> None:
    with pytest.raises(ArgumentError, match=named("method", "closed_form")):
        on_device(xp, poses(), method="closed_form")
    with pytest.raises(ArgumentError, match=named("method", "magic")):
        on_device(xp, poses(), method="magic")
    with pytest.raises(ShapeError, match="pose"):
        on_device(xp, np.zeros((3, 4)))
    with pytest.raises(ShapeError, match="batch"):
        on_device(xp, poses(), q0=np.zeros((7, 7)))
    with pytest.raises(ArgumentError, match="pose"):
        on_device(xp, np.ones((2, 4, 4)))


def test_what_the_device_cannot_do_is_named(xp: Any) -> None:
    X = poses()[:2]
    for options, said in (
        ({"swivel": 0.3}, "swivel"),
        ({"method": "closed_form"}, named("method", "closed_form")),
        ({"method": "closed_form", "swivel": 0.3}, "swivel"),
    ):
        with pytest.raises(ArgumentError, match=said):
            on_device(xp, X, **options)
    with pytest.raises(ArgumentError, match=named("ik", "poses")):
        on_device(xp, np.eye(4, dtype=int))
    single = on_device(xp, X.astype("float32"))
    assert single.q.dtype == np.float64 and single.solved.all()
    with pytest.raises(ArgumentError, match="q0"):
        on_device(xp, X, q0=np.full(7, np.nan))
    with pytest.raises(ShapeError, match="batch"):
        on_device(xp, X, q0=PANDA.random(0, 3))
