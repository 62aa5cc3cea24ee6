"""Arrays of others that no method can take: an error of ours that says which argument and what to do instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, DtypeError, KernelNotFound, SixvecError


@pytest.fixture(scope="module")
def robot() -> sv.Robot:
    return sv.load("double_pendulum")


def tensors() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    return {
        "grad": torch.zeros(2, dtype=torch.float64, requires_grad=True),
        "bfloat16": torch.zeros(2, dtype=torch.bfloat16),
        "meta": torch.zeros(2, dtype=torch.float64, device="meta"),
        "sparse": torch.zeros(2, 2, dtype=torch.float64).to_sparse(),
    }


def test_positions_by_name_and_conversions_name_the_argument(robot: sv.Robot) -> None:
    for kind, x in tensors().items():
        if kind != "grad":
            with pytest.raises(SixvecError, match="joint_values: q is "):
                robot.joint_values(x)
        with pytest.raises(SixvecError, match=r"joint_vector(: q0 is | has no derivative, but q0 requires grad)"):
            robot.joint_vector({}, x)
        with pytest.raises(SixvecError, match=r"^convert.* value "):
            sv.convert(x, robot, to="drake")
    assert all(part.requires_grad for part in robot.joint_values(tensors()["grad"]).values())
    with pytest.raises(ArgumentError, match="values must be a dictionary"):
        robot.joint_vector(np.zeros(2))  # type: ignore[arg-type]


def test_methods_that_compute_in_numpy(robot: sv.Robot) -> None:
    found = tensors()
    with pytest.raises(DtypeError, match=r"assemble: q is torch.bfloat16; .*q.double\(\)"):
        robot.assemble(found["bfloat16"])
    for kind in ("bfloat16", "meta", "sparse"):
        with pytest.raises(SixvecError):
            robot.rollout(found[kind], found[kind], np.zeros(2), dt=0.01, steps=2)
    jax = pytest.importorskip("jax")
    with pytest.raises(DtypeError, match="keys of a random generator"):
        robot.assemble(jax.random.key(0))
    assert robot.assemble(np.zeros((0, 2))).q.shape == (0, 2)


def test_random_positions(robot: sv.Robot) -> None:
    for wrong in (-1, "seed", 0.5):
        with pytest.raises(ArgumentError, match=r"random: rng must be a generator .* come after it"):
            robot.random(wrong)  # type: ignore[arg-type]
    for size in (-1, 2.0, "many", (3,)):
        with pytest.raises(ArgumentError, match="random: size 0 of the batch must be a whole number from 0"):
            robot.random(0, size)  # type: ignore[arg-type]


def test_names_that_are_arrays(robot: sv.Robot) -> None:
    jax = pytest.importorskip("jax")
    name = jax.numpy.zeros(2)
    with pytest.raises(KernelNotFound, match="must be a string"):
        robot.kernel(name)
    with pytest.raises(ArgumentError, match="kind of parameters"):
        robot.with_parameters(name)
    with pytest.raises(ArgumentError, match="must be the name of a joint"):
        robot.with_limits(name, lower=0.0)
