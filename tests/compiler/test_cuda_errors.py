"""What is said where there is no device, or too little of one: a CuPy that fails in every way."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.compiler.runtime import cuda
from sixvec.errors import DeviceMemoryError, DtypeError, MissingExtra, ShapeError


class Refused(Exception):
    """What CuPy raises."""


def library(count: Any = 1, **names: Any) -> Any:
    def devices() -> int:
        if isinstance(count, str):
            raise Refused(count)
        return int(count)

    runtime = SimpleNamespace(getDeviceCount=devices, CUDARuntimeError=Refused)
    memory = SimpleNamespace(OutOfMemoryError=Refused)
    return SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, memory=memory), **names)


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (0, "CuPy"),
        ("cudaErrorNoDevice: no CUDA-capable device is detected", "cudaErrorNoDevice"),
        ("cudaErrorInsufficientDriver: driver version is insufficient", "driver"),
    ],
)
def test_no_device(monkeypatch: pytest.MonkeyPatch, count: Any, message: str) -> None:
    monkeypatch.setitem(sys.modules, "cupy", library(count))
    with pytest.raises(MissingExtra, match=message):
        cuda.cupy_with_device("CUDA arrays need")


def test_no_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtra, match="CuPy"):
        cuda.cupy_with_device("CUDA arrays need")


def test_bad_arrays_and_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise Refused("out of memory allocating 9,000,000,000,000 bytes")

    monkeypatch.setattr(cuda, "cupy", lambda: library(ascontiguousarray=np.ascontiguousarray, empty=full))
    kernel = cuda.CudaKernel(sv.load("planar_2r").kernel("mass_matrix"))
    with pytest.raises(DeviceMemoryError, match=named("memory", "samples")):
        kernel(np.zeros((5, 2)))
    with pytest.raises(MemoryError):
        kernel(np.zeros((5, 2)))
    with pytest.raises(DtypeError, match="float16"):
        kernel(np.zeros((5, 2), "float16"))
    with pytest.raises(ShapeError, match=named("mass_matrix", "q")):
        kernel(np.zeros((5, 3)))
