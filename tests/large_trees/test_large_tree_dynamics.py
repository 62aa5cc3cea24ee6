"""Large trees against the kernels of robots, and the laws of dynamics where no robot's program would end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rod_trees import FLOATING, LINKS, state, tree

from random_states import random_states
from random_trees import random_tree
from sixvec import Robot
from sixvec.large_trees import (
    LargeTree,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix_product,
    mass_matrix_solve,
)
from sixvec.model import Body, Model
from sixvec.model.body import JointDynamics
from subjects import tree as subject
from tolerances import IDENTITY, PEER, SOLVED, assert_close

MANY = 10_000


@pytest.mark.parametrize("name", ["tree", "floating", "forest"])
@pytest.mark.covers("DYN-16", "DYN-18")
def test_equals_the_kernels_of_robots(name: str) -> None:
    robot = subject(name)
    large = LargeTree.from_model(robot.model)
    q, v, a, tau = random_states(robot, 5)
    M = robot.mass_matrix(q)
    assert_close(inverse_dynamics(large, q, v, a), robot.inverse_dynamics(q, v, a), IDENTITY)
    assert_close(forward_dynamics(large, q, v, tau), robot.forward_dynamics(q, v, tau), SOLVED)
    assert_close(mass_matrix_product(large, q, a), np.einsum("bij,bj->bi", M, a), IDENTITY)
    assert_close(mass_matrix_solve(large, q, tau), np.linalg.solve(M, tau[..., None])[..., 0], SOLVED)


def test_armature_and_the_order_of_joints() -> None:
    model = random_tree(8, bodies=10)
    rng = np.random.default_rng(8)
    bodies = tuple(
        replace(b, dynamics=JointDynamics(armature=tuple(rng.uniform(0.1, 1.0, b.joint.nv).tolist())))
        for b in model.bodies
    )
    model = replace(model, bodies=bodies, order=tuple(reversed([b.name for b in bodies])))
    robot, large = Robot(model), LargeTree.from_model(model)
    q, v, a, tau = random_states(robot, 3)
    assert_close(inverse_dynamics(large, q, v, a), robot.inverse_dynamics(q, v, a), IDENTITY)
    assert_close(forward_dynamics(large, q, v, tau), robot.forward_dynamics(q, v, tau), SOLVED)
    assert large.neutral() == pytest.approx(robot.neutral())


def test_external_wrenches_at_named_frames() -> None:
    robot = subject("forest")
    large = LargeTree.from_model(robot.model)
    q, v, a, tau = random_states(robot, 3)
    rng = np.random.default_rng(3)
    wrenches = {f.name: rng.normal(size=6) for f in robot.model.frames}  # fixed bodies and the world among them
    external = large.wrenches(wrenches)
    assert_close(
        inverse_dynamics(large, q, v, a, external), robot.inverse_dynamics(q, v, a, external=wrenches), IDENTITY
    )
    assert_close(
        forward_dynamics(large, q, v, tau, external), robot.forward_dynamics(q, v, tau, external=wrenches), SOLVED
    )


def test_batch_axes_broadcast() -> None:
    large = tree("binary", 7)
    rng = np.random.default_rng(0)
    q, v, a, external = (
        rng.normal(size=7),
        rng.normal(size=(2, 1, 7)),
        rng.normal(size=(3, 7)),
        rng.normal(size=(3, 7, 6)),
    )
    tau = inverse_dynamics(large, q, v, a, external)
    assert tau.shape == (2, 3, 7)
    assert (tau[1, 2] == inverse_dynamics(large, q, v[1, 0], a[2], external[2])).all()


def test_copies_of_links_are_the_tree_written_out() -> None:
    kinds = [replace(b, name=b.name) for b in random_tree(9, bodies=9).bodies if b.joint.nv]
    rng = np.random.default_rng(9)
    pick, parents = rng.integers(len(kinds), size=10), np.array([rng.integers(-1, i) if i else -1 for i in range(10)])
    bodies = tuple(
        replace(kinds[k], name=f"b{i}", parent=f"b{p}" if p >= 0 else None)
        for i, (k, p) in enumerate(zip(pick, parents))
    )
    written, copied = LargeTree.from_model(Model("written", bodies)), LargeTree.from_links(kinds, pick, parents)
    for name in ("parents", "kinds", "pitches", "q_first", "v_first", "armature"):
        assert (getattr(written, name) == getattr(copied, name)).all(), name
    assert_close(copied.placements, written.placements, IDENTITY, batched=False)
    assert_close(copied.inertias, written.inertias, IDENTITY, batched=False)


@pytest.mark.parametrize("shape", ["star", "binary"])
def test_forward_dynamics_undoes_inverse_dynamics(shape: str) -> None:
    large, (q, v, a) = tree(shape, MANY), state(MANY)
    assert_close(forward_dynamics(large, q, v, inverse_dynamics(large, q, v, a)), a, SOLVED, batched=False)
    assert_close(mass_matrix_product(large, q, mass_matrix_solve(large, q, a)), a, SOLVED, batched=False)


def test_forward_dynamics_of_a_long_chain_solves_the_equations_of_motion() -> None:
    """The hinges at the root of such a chain carry 1e10 Nm, of which a rounding alone moves the light links by 1e-3.

    So accelerations do not come back from their forces, but the forces do from the accelerations; and the
    accelerations as far as the perturbation |M⁻¹| ε |tau| leaves them.
    """
    large, (q, v, a) = tree("chain", MANY), state(MANY)
    tau = inverse_dynamics(large, q, v, a)
    found = forward_dynamics(large, q, v, tau)
    assert_close(inverse_dynamics(large, q, v, found), tau, IDENTITY, batched=False)
    response = np.abs(mass_matrix_solve(large, q, np.sign(a))).max()  # at most |M⁻¹|
    assert np.abs(found - a).max() <= response * np.finfo(float).eps * np.abs(tau).max()


def test_a_floating_chain_falls_without_bending() -> None:
    count = 100_000
    i = np.arange(count)
    large = LargeTree.from_links([FLOATING, *LINKS], np.where(i == 0, 0, 1 + i % 2), i - 1)
    q = large.neutral()
    q[7:] = state(count - 1)[0]
    a = forward_dynamics(large, q, np.zeros(large.nv), np.zeros(large.nv))
    assert_close(a, [0.0] * 5 + [-9.81] + [0.0] * (count - 1), IDENTITY, batched=False)


def test_mass_matrix_products_are_those_of_a_symmetric_matrix() -> None:
    large, (q, x, y) = tree("binary", MANY), state(MANY)
    Mx, My = mass_matrix_product(large, q, x), mass_matrix_product(large, q, y)
    assert_close([y @ Mx], [x @ My], IDENTITY, scale=[np.abs(y) @ np.abs(Mx)])
    assert x @ Mx > 0.0


def test_pinocchio_gives_the_same_for_a_long_chain() -> None:
    pin = pytest.importorskip("pinocchio")
    count = 300
    model, at = pin.Model(), 0
    rod = pin.Inertia(0.2, np.array([0.05, 0.0, 0.0]), np.diag([2e-5, 2e-4, 2e-4]))
    for i in range(count):
        joint = pin.JointModelRZ() if i % 2 else pin.JointModelRY()
        at = model.addJoint(at, joint, pin.SE3(np.eye(3), np.array([0.1, 0.0, 0.0])), f"joint{i}")
        model.appendBodyToJoint(at, rod, pin.SE3.Identity())
    large, data = tree("chain", count), model.createData()
    q, v, a = state(count)
    tau = pin.rnea(model, data, q, v, a)
    assert_close(inverse_dynamics(large, q, v, a), tau, PEER, batched=False)
    assert_close(forward_dynamics(large, q, v, a), pin.aba(model, data, q, v, a), PEER, batched=False)


def test_a_chain_may_begin_with_any_body() -> None:
    arm = Body("arm", joint=LINKS[0].joint, placement=LINKS[0].placement, inertia=LINKS[0].inertia)
    assert repr(LargeTree.chain(3, [FLOATING, arm])) == "LargeTree(3 bodies, nq=15, nv=13)"
