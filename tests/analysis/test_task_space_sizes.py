"""Vectors of a wrong size, and treatments that do not exist, raise errors."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.analysis import TaskSpaceDynamics, frames_inertia_inverse, task_space_dynamics
from sixvec.errors import ArgumentError, DtypeError, ModelError, ShapeError
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.solve import spectral_inverse
from sixvec.spatial import RigidInertia, Sym3, Vec3

PANDA, TOOL = sixvec.load("panda"), "panda_link8"


def shapes(task: TaskSpaceDynamics) -> dict[str, tuple[int, ...]]:
    return {name: np.shape(x) for name, x in vars(task).items()}


def test_sizes_of_accelerations_and_forces() -> None:
    robot = sixvec.load("planar_2r")
    task = task_space_dynamics(robot, [0.0, 1.0], np.zeros(2), "tip", directions="x z")
    with pytest.raises(ShapeError, match="acceleration"):
        task.forces(np.zeros(6))
    with pytest.raises(ShapeError, match="secondary"):
        task.forces(np.zeros(2), secondary=np.zeros(3))
    with pytest.raises(ArgumentError, match=named("ignored", "singular")):
        task_space_dynamics(robot, [0.0, 1.0], np.zeros(2), "tip", singular="ignored")  # type: ignore[arg-type]


@pytest.mark.parametrize("batched", ["q", "v", "both"])
def test_every_array_has_the_batch_axes_of_q_and_v(batched: str) -> None:
    q, v = PANDA.random(0), np.linspace(0.1, 0.7, 7)
    many_q, many_v = np.stack([q, q + 0.1, q + 0.2]), np.stack([v, 2.0 * v, 3.0 * v])
    Q, V = (
        (many_q if batched != "v" else q),
        (many_v[:, None] if batched == "both" else many_v if batched == "v" else v),
    )
    task = task_space_dynamics(PANDA, Q, V, TOOL)
    batch = (3, 3) if batched == "both" else (3,)
    assert shapes(task) == {
        "jacobian": (*batch, 6, 7), "inertia": (*batch, 6, 6), "bias": (*batch, 6), "inverse": (*batch, 7, 6),
        "null_space": (*batch, 7, 7), "rank": batch, "singular_values": (*batch, 6),
    }  # fmt: skip
    one = task_space_dynamics(PANDA, *(np.broadcast_to(x, (*batch, 7))[(1,) * len(batch)] for x in (Q, V)), TOOL)
    for name, x in vars(one).items():
        np.testing.assert_allclose(getattr(task, name)[(1,) * len(batch)], x, rtol=1e-12, atol=1e-12)


def test_all_results_have_one_dtype() -> None:
    q, v = PANDA.random(0), np.linspace(0.1, 0.7, 7)
    single = task_space_dynamics(PANDA, q.astype(np.float32), v.astype(np.float32), TOOL)
    assert {x.dtype.name for name, x in vars(single).items() if name != "rank"} == {"float32"}
    double = task_space_dynamics(PANDA, q.astype(np.float32), v, TOOL)
    assert {x.dtype.name for name, x in vars(double).items() if name != "rank"} == {"float64"}
    np.testing.assert_allclose(single.inertia, double.inertia, rtol=1e-5, atol=1e-5)
    with pytest.raises(DtypeError, match=named("v")):
        task_space_dynamics(PANDA, q, v + 1j, TOOL)
    with pytest.raises(ShapeError, match=named("q")):
        task_space_dynamics(PANDA, q[:3], v, TOOL)


def test_damping_that_would_be_ignored() -> None:
    with pytest.raises(ArgumentError, match=named("damping", "singular", "truncated")):
        task_space_dynamics(PANDA, PANDA.random(0), np.zeros(7), TOOL, damping=0.1)
    with pytest.raises(ArgumentError, match="damping"):
        spectral_inverse(np.eye(2), damping=0.1)


def test_a_joint_that_moves_no_mass_is_named() -> None:
    ball = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))
    arm = Model("arm", (Body("link", None, Revolute(), inertia=ball), Body("ghost", "link", Revolute())))
    with pytest.raises(ModelError, match="ghost"):
        task_space_dynamics(Robot(arm), [0.0, 0.0], [0.0, 0.0], "ghost")


def test_frame_names_may_come_as_an_array() -> None:
    names = [TOOL, "panda_link5"]
    found = frames_inertia_inverse(PANDA, PANDA.random(0), np.array(names))  # type: ignore[arg-type]
    assert np.array_equal(found, frames_inertia_inverse(PANDA, PANDA.random(0), names))
    with pytest.raises(ArgumentError, match="frames"):
        frames_inertia_inverse(PANDA, PANDA.random(0), np.array([]))  # type: ignore[arg-type]
