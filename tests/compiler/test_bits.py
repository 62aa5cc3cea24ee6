"""The same bits, whatever the batch: position, size, threads, scalar or lanes, C or machine code."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler import threads

KERNELS = ["inverse_dynamics", "forward_dynamics"]


@pytest.fixture(scope="module")
def panda() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def states(panda: sv.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(200, n)) for n in (panda.nq, panda.nv, panda.nv))


@pytest.mark.every(2)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_position_and_size_of_the_batch_do_not_matter(panda, states, name: str, dtype: str) -> None:
    kernel = panda.kernel(name)
    arrays = [x.astype(dtype) for x in states]
    whole = kernel(*arrays)
    assert whole.dtype == dtype
    for n in (1, 2, 3, 7, 8, 9, 31):
        for start in (0, 1, 5, 100):
            part = kernel(*(x[start : start + n] for x in arrays))
            assert np.array_equal(part, whole[start : start + n])
    singles = np.array([kernel(*(x[i] for x in arrays)) for i in range(20)])
    assert np.array_equal(singles, whole[:20])


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    q, v, a = (rng.normal(size=(3001, 7)) for _ in range(3))
    monkeypatch.setattr(threads, "WORK_PER_THREAD", 100_000)
    fresh = sv.load("panda")
    before = sv.set_threads(1)
    try:
        one = fresh.inverse_dynamics(q, v, a)
        sv.set_threads(5)
        for method in (fresh.inverse_dynamics, fresh.kernel("inverse_dynamics")):
            assert np.array_equal(method(q, v, a), one)
    finally:
        sv.set_threads(before)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("name", KERNELS)
def test_c_computes_the_same_bits(panda, states, name: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(panda.kernel(name).source("c", name=name))
    flags = ["-std=c99", "-O2", "-Wall", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "k.c", "-o", "k.so", "-lm"], cwd=tmp_path, check=True)
    function = getattr(ctypes.CDLL(str(tmp_path / "k.so")), name)
    machine = panda.kernel(name)(*states)
    for i in range(20):
        out = np.empty(7)
        function(*(x[i].ctypes.data_as(ctypes.c_void_p) for x in states), out.ctypes.data_as(ctypes.c_void_p))
        assert np.array_equal(out, machine[i])


def test_bad_samples_stay_alone(panda, states) -> None:
    q, v, a = (x.copy() for x in states)
    clean = panda.inverse_dynamics(q, v, a)
    q[13, 3], v[14, 0], a[15, 6] = np.nan, np.inf, -np.inf
    found = panda.inverse_dynamics(q, v, a)
    hit = [13, 14, 15]
    assert all(not np.isfinite(found[i]).all() for i in hit)
    assert np.array_equal(np.delete(found, hit, 0), np.delete(clean, hit, 0))


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "pose", "gravity_forces"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_every_entry_counts(panda, states, name: str, value: float) -> None:
    """Also one that the result does not depend on, such as the angle of the vertical first joint."""
    kernel = panda.kernel(name, **({"frame": "panda_link3"} if name == "pose" else {}))
    clean = kernel(*states[: len(kernel.inputs)])
    for which in range(len(kernel.inputs)):
        for entry in range(7):
            arrays = [x.copy() for x in states[: len(kernel.inputs)]]
            arrays[which][3, entry] = value
            found = kernel(*arrays)
            assert not np.isfinite(found[3]).all()
            assert not np.isfinite(kernel(*(x[3] for x in arrays))).all()
            assert np.array_equal(np.delete(found, 3, 0), np.delete(clean, 3, 0))
