"""The search of a CUDA device, with NumPy for CuPy: answers and verdicts are those of the CPU, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
import sixvec.ik.on_device as device
from naming import named
from sixvec.errors import ArgumentError, ShapeError

PANDA, LAST = sv.load("panda"), "panda_link8"
FIELDS = ("q", "verdict", "starts", "joint", "position_error", "rotation_error")


@pytest.fixture(autouse=True)
def numpy_for_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_device(function: Any) -> Callable[..., list[Any]]:
        def run(*arrays: Any) -> list[Any]:
            found = function.call(*arrays)
            return list(found) if isinstance(found, tuple) else [found]

        return run

    library = SimpleNamespace(**vars(np) | {"asnumpy": np.asarray})
    monkeypatch.setattr(device, "cupy", lambda: library)
    monkeypatch.setattr(device, "on_device", on_device)


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
def test_the_answers_of_the_cpu(options: dict[str, Any]) -> None:
    found = device.ik_on_device(PANDA, poses(), LAST, **options)
    expected = PANDA.ik(poses(), LAST, method="numerical", **options)
    for field in FIELDS:
        assert np.array_equal(getattr(found, field), getattr(expected, field), equal_nan=True), field


def test_batch_axes() -> None:
    found = device.ik_on_device(PANDA, poses().reshape(10, 15, 4, 4), LAST, starts=2)
    assert found.q.shape == (10, 15, 7) and found.verdict.shape == (10, 15)
    one = device.ik_on_device(PANDA, poses()[0], LAST)
    assert one.q.shape == (7,) and bool(one)
    none = device.ik_on_device(PANDA, np.empty((0, 4, 4)), LAST)
    assert none.q.shape == (0, 7)


def test_what_is_refused() -> None:
    with pytest.raises(ArgumentError, match=named("method", "closed_form")):
        device.ik_on_device(PANDA, poses(), LAST, method="closed_form")
    with pytest.raises(ArgumentError, match=named("method", "magic")):
        device.ik_on_device(PANDA, poses(), LAST, method="magic")
    with pytest.raises(ShapeError, match="pose"):
        device.ik_on_device(PANDA, np.zeros((3, 4)), LAST)
    with pytest.raises(ShapeError, match="batch"):
        device.ik_on_device(PANDA, poses(), LAST, q0=np.zeros((7, 7)))
    with pytest.raises(ArgumentError, match="pose"):
        device.ik_on_device(PANDA, np.ones((2, 4, 4)), LAST)


def test_what_the_device_cannot_do_is_named() -> None:
    X = poses()[:2]
    for options, said in (
        ({"swivel": 0.3}, "swivel"),
        ({"method": "closed_form"}, named("method", "closed_form")),
        ({"method": "closed_form", "swivel": 0.3}, "swivel"),
    ):
        with pytest.raises(ArgumentError, match=said):
            device.ik_on_device(PANDA, X, LAST, **options)
    with pytest.raises(ArgumentError, match=named("ik", "poses")):
        device.ik_on_device(PANDA, np.eye(4, dtype=int), LAST)
    single = device.ik_on_device(PANDA, X.astype("float32"), LAST)
    assert single.q.dtype == np.float64 and single.solved.all()
    with pytest.raises(ArgumentError, match="start"):
        device.ik_on_device(PANDA, X, LAST, q0=np.full(7, np.nan))
    with pytest.raises(ShapeError, match="batch"):
        device.ik_on_device(PANDA, X, LAST, q0=PANDA.random(0, 3))
