"""The first `torch.compile` of a process works, whatever it calls, before anything was called without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

CODE = """
import warnings
warnings.simplefilter("ignore")
import torch, sixvec as sv
r = sv.load("planar_2r")
tip, zero = r.frame_names[-1], [0.0, 0.0]
drive = sv.mobile.differential_drive(0.5, 0.1)
cases = {
    "method": lambda q: r.gravity_forces(q * 2) + 1,
    "kernel": lambda q: r.kernel("mass_matrix")(q) * 2,
    "rollout": lambda q: r.rollout(q, zero, [zero] * 3, 0.01).q * 2,
    "ik": lambda q: r.ik(r.pose(q, tip), tip, method="numerical").q,
    "wheels": lambda q: drive.forward_velocity(q).twist,
    "convert": lambda q: sv.convert(q, r, to="drake"),
}
name = NAME
q = torch.tensor([0.1, 0.2], dtype=torch.float64, requires_grad=name in ("method", "rollout"))
found = torch.compile(cases[name], backend="eager")(q)
expected = cases[name](q)
assert torch.equal(found, expected)
if q.requires_grad:
    assert torch.equal(*(torch.autograd.grad(x.sum(), q)[0] for x in (found, expected)))
for other in cases.values():
    torch.compile(other, backend="eager")(q.detach())
"""


@pytest.mark.parametrize(
    "name",
    ["method", *(pytest.param(x, marks=pytest.mark.slow) for x in ("kernel", "rollout", "ik", "wheels", "convert"))],
)
def test_the_first_compile_of_a_process(name: str) -> None:
    code = CODE.replace("NAME", repr(name))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
