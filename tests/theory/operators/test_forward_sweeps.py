"""FD1 = FD2 = FD3 = FD4 = forward dynamics, with the accelerations of links and tips."""

from __future__ import annotations

import numpy as np
import pytest
from operator_robots import ROBOTS, robot

from naming import named
from random_states import random_states
from sixvec.algorithms.declaration import JointVector
from sixvec.errors import KernelNotFound
from sixvec.theory.operators import FORWARD_SWEEPS, sweep_kernel
from tolerances import IDENTITY, SOLVED, assert_close, solved

SAMPLES = 3
WRENCHES = {"tool0": "local", "tool1": "local"}


SWEEPS = ("fd1", "fd2", "fd3", "fd4")


def uncompiled(name: str, sweep: str, index: int) -> tuple[np.ndarray, np.ndarray | None, tuple]:
    """The sweep on the model as it stands (joints of several freedoms whole), on floats, with wrenches on the tips."""
    r = robot(name)
    states = random_states(r, SAMPLES)
    q, v, _, tau = (x[index] for x in states)
    external = {frame: np.random.default_rng(5).normal(size=6) for frame in WRENCHES}
    m = r.model
    result = FORWARD_SWEEPS[sweep](
        m,
        JointVector(q.tolist(), m.q_slices), JointVector(v.tolist(), m.v_slices), JointVector(tau.tolist(), m.v_slices),
        {frame: w.tolist() for frame, w in external.items()},
    )  # fmt: skip
    a, links = (result, None) if sweep == "fd1" else (result[0], np.array([[*x] for x in result[1]]))
    return np.array(a), links, (q, v, tau, external)


@pytest.mark.every(3)
@pytest.mark.covers(
    "OP-03",
    "OP-06",
    "Rodriguez-Kreutz (3.15)",
    "Rodriguez-Kreutz (3.21)-(3.23)",
    "Rodriguez-Kreutz (4.17)-(4.23)",
    "Rodriguez-Kreutz (5.5)-(5.10)",
    "Rodriguez-Kreutz (5.13)-(5.17)",
    "Rodriguez-Kreutz (b.10)",
)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("sweep", SWEEPS)
def test_sweeps_give_the_accelerations_of_forward_dynamics(name: str, sweep: str) -> None:
    r = robot(name)
    for index in range(SAMPLES):
        a, links, (q, v, tau, external) = uncompiled(name, sweep, index)
        M = r.mass_matrix(q)
        expected = np.linalg.solve(M, tau - r.inverse_dynamics(q, v, np.zeros(r.nv), external=external))
        tolerance = solved(SOLVED, M)
        assert_close(a, expected, tolerance, batched=False)
        assert_close(a, r.forward_dynamics(q, v, tau, external=external), tolerance, batched=False)
        if links is not None:
            moved = np.array([r.acceleration(q, v, expected, frame, "local") for frame in r.frame_names])
            assert_close(links, moved, tolerance, batched=False)


@pytest.mark.every(2)
@pytest.mark.covers("OP-03")
@pytest.mark.parametrize("sweep", SWEEPS)
def test_sweeps_compile(sweep: str) -> None:
    """Batches, wrenches in world coordinates, and the frames' accelerations, on the canonical model."""
    from random_trees import random_tree
    from sixvec import Robot

    r = Robot(random_tree(4, bodies=5))
    q, v, _, tau = random_states(r)
    wrench = np.random.default_rng(1).normal(size=(len(q), 6))
    result = sweep_kernel(r, sweep, external=["tool0"], external_reference="world")(q, v, tau, wrench)
    a = result if sweep == "fd1" else result.a
    expected = r.forward_dynamics(q, v, tau, external={"tool0": wrench}, external_reference="world")
    assert_close(a, expected, SOLVED)
    if sweep != "fd1":
        moved = np.stack([r.acceleration(q, v, a, frame, "local") for frame in r.frame_names], axis=1)
        assert_close(result.accelerations, moved, IDENTITY)


@pytest.mark.covers("OP-03")
def test_filter_and_articulated_body_need_fewer_operations_than_four_sweeps() -> None:
    """The reason to have FD3 and FD4: the bias torques of FD1 and FD2 cost a sweep."""
    import sixvec

    count = {name: sum(sweep_kernel(sixvec.load("panda"), name).count().values()) for name in ("fd2", "fd3", "fd4")}
    assert count["fd4"] < count["fd3"] < count["fd2"]


def test_unknown_sweeps_are_named() -> None:
    with pytest.raises(KernelNotFound, match=named("fdd4", "fd4")):
        sweep_kernel(robot("tree"), "fdd4")
