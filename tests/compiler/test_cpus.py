"""Other CPUs than this one: narrower vectors and no fused multiply-add give the same bits, only later."""

from __future__ import annotations

import platform

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler import build, executable, fingerprint, target

X86 = platform.machine().lower() in ("x86_64", "amd64")
CPUS = {"haswell": 256, "nehalem": 128, "x86-64": 128}
"""AVX2 with fused multiply-add; SSE4 without; the oldest 64-bit x86.  Each runs on every newer one."""


@pytest.mark.every(2)
@pytest.mark.skipif(not X86, reason="names of x86 CPUs")
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_older_cpu_computes_the_same_bits(cpu: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    state = [rng.normal(size=(37, 7)).astype(dtype) for _ in range(3)]
    expected = sv.load("panda").kernel("forward_dynamics").call(*state)
    if cpu == "haswell" and not target.llvm().get_host_cpu_features().get("avx2"):
        pytest.skip("this CPU has no AVX2")
    other = target.Target(target.host().triple, cpu, "", CPUS[cpu])
    for module in (target, build, executable, fingerprint):
        monkeypatch.setattr(module, "host", lambda: other)
    kernel = sv.load("panda").kernel("forward_dynamics")
    assert np.array_equal(kernel.call(*state), expected)
    assert np.array_equal(kernel.call(*(x[0] for x in state)), expected[0])
