"""`SIXVEC_CPU`: machine code for a lesser processor has the same bits, and unknown processors raise an error."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Any

import pytest

from naming import named
from sixvec.compiler import target
from sixvec.errors import ArgumentError

x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of x86 processors")

CODE = """
import numpy, sixvec, hashlib
robot = sixvec.load("double_pendulum")
q = numpy.random.default_rng(0).normal(size=(9, 2)) * numpy.array([[1.0], [1e6], [1e20]] * 3)
print(hashlib.sha256(robot.inverse_dynamics(q, q, q).tobytes() + robot.mass_matrix(q).tobytes()).hexdigest())
"""


def _run(cpu: str) -> Any:
    environment = os.environ | {"SIXVEC_CPU": cpu}
    return subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=False)


@x86
def test_the_same_bits_on_lesser_processors() -> None:
    own, old = _run(""), _run("x86-64-v2")
    assert own.returncode == old.returncode == 0, own.stderr + old.stderr
    assert own.stdout == old.stdout
    assert "x86-64-v2 has no fused multiply-add" in old.stderr


@x86
def test_unknown_processors_raise() -> None:
    assert 'SIXVEC_CPU is "pentium"; on x86_64' in _run("pentium").stderr


def test_processors_that_may_be_named() -> None:
    everything = dict.fromkeys(
        ["sse4.2", "popcnt", "avx2", "fma", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl"], True
    )
    bits = {"x86-64": 128, "x86-64-v2": 128, "nehalem": 128, "x86-64-v3": 256, "haswell": 256, "x86-64-v4": 512}
    for name, width in bits.items():
        assert target._restricted(name, "x86_64-linux", everything).vector_bits == width
    assert target._restricted("x86-64", "x86_64-linux", {}).cpu == "x86-64"
    assert target._restricted("generic", "aarch64-linux", {}).vector_bits == 128
    for name, triple, features in (
        ("generic", "x86_64-linux", everything),
        ("haswell", "aarch64-linux", everything),
        ("haswell", "x86_64-linux", everything | {"fma": False}),
        ("x86-64-v4", "x86_64-linux", {"avx512f": True}),
    ):
        with pytest.raises(ArgumentError, match=named("SIXVEC_CPU", name)):
            target._restricted(name, triple, features)
