"""`SIXVEC_CPU`: machine code for a lesser processor has the same bits, and what cannot be is refused."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Any

import pytest

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
def test_unknown_processors_are_refused() -> None:
    assert 'SIXVEC_CPU is "pentium"; on x86_64' in _run("pentium").stderr
