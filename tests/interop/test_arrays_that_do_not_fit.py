"""Arrays of others that no method can take: an error of ours that says which argument and what to do instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
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
            with pytest.raises(SixvecError, match=named("joint_values", "q")):
                robot.joint_values(x)
        with pytest.raises(SixvecError, match="joint_vector"):
            robot.joint_vector({}, x)
        with pytest.raises(SixvecError, match="convert"):
            sv.convert(x, robot, to="drake")
    assert all(part.requires_grad for part in robot.joint_values(tensors()["grad"]).values())
    with pytest.raises(ArgumentError, match=named("joint_vector", "values")):
        robot.joint_vector(np.zeros(2))  # type: ignore[arg-type]


def test_methods_that_compute_in_numpy(robot: sv.Robot) -> None:
    found = tensors()
    with pytest.raises(DtypeError, match=named("assemble", "torch.bfloat16", "q.double")):
        robot.assemble(found["bfloat16"])
    for kind in ("bfloat16", "meta", "sparse"):
        with pytest.raises(SixvecError):
            robot.rollout(found[kind], found[kind], np.zeros(2), dt=0.01, steps=2)
    jax = pytest.importorskip("jax")
    with pytest.raises(DtypeError, match="random"):
        robot.assemble(jax.random.key(0))
    assert robot.assemble(np.zeros((0, 2))).q.shape == (0, 2)


def test_random_positions(robot: sv.Robot) -> None:
    for wrong in (-1, "seed", 0.5):
        with pytest.raises(ArgumentError, match=named("random", "rng")):
            robot.random(wrong)  # type: ignore[arg-type]
    for size in (-1, 2.0, "many", (3,)):
        with pytest.raises(ArgumentError, match="random"):
            robot.random(0, size)  # type: ignore[arg-type]


def test_names_that_are_arrays(robot: sv.Robot) -> None:
    jax = pytest.importorskip("jax")
    name = jax.numpy.zeros(2)
    with pytest.raises(KernelNotFound):
        robot.kernel(name)
    with pytest.raises(ArgumentError, match="parameters"):
        robot.with_parameters(name)
    with pytest.raises(ArgumentError, match=named("with_limits", "joint")):
        robot.with_limits(name, lower=0.0)
