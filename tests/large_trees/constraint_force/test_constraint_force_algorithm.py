"""The constraint force algorithm against sequential forward dynamics, and the wrenches that it finds in the joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from chains import random_chain, random_state, sequential

from naming import named
from random_trees import JOINTS, random_inertia, random_pose, random_tree
from sixvec import Robot, load
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.errors import ArgumentError, DtypeError, FrameNotFound, ModelError, ShapeError
from sixvec.large_trees.constraint_force import (
    ArrayChain,
    ChainSolver,
    constraint_force_solution,
    forward_dynamics,
    inverse_dynamics,
    poses,
)
from sixvec.large_trees.constraint_force.chain_system import ChainSystem
from sixvec.large_trees.constraint_force.welded import is_singular
from sixvec.model import WORLD, Body, JointDynamics, Model
from sixvec.model.joints import Fixed, Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3
from tolerances import IDENTITY, SOLVED, assert_close

LONG = 1e-11
"""Chains of thousands of joints: 1e-12 from extended precision, and more on other random numbers."""


@pytest.mark.covers("CFA-03", "Featherstone-Fijany (16)")
@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_type(kind: str) -> None:
    model = random_chain(3, 4, ["revolute", kind])
    state = random_state(model, 1)
    assert_close(
        forward_dynamics(ArrayChain.from_model(model), *state),
        sequential(model, *state),
        SOLVED,
        batched=False,
    )


@pytest.mark.covers("CFA-03", "CFA-05")
@pytest.mark.parametrize("count", [1, 2, 3, 9, 20])
@pytest.mark.parametrize("seed", [1, 2])
def test_chains_with_all_joint_types(seed: int, count: int) -> None:
    model = random_chain(seed, count)
    state = random_state(model, seed)
    assert_close(
        forward_dynamics(ArrayChain.from_model(model), *state),
        sequential(model, *state),
        SOLVED,
        batched=False,
    )


@pytest.mark.covers("CFA-05")
def test_a_floating_chain_feels_nothing_in_its_base_joint() -> None:
    model = random_chain(5, 12, ["free", *["revolute", "universal", "spherical"] * 4])
    q, v, tau = random_state(model, 2)
    tau[:6] = 0.0
    found = constraint_force_solution(ArrayChain.from_model(model), q, v, tau)
    assert_close(found.a, sequential(model, q, v, tau), SOLVED, batched=False)
    assert np.abs(found.joint_wrench[0]).max() <= SOLVED * np.abs(found.joint_wrench).max()


@pytest.mark.covers("CFA-06")
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_side_branches(seed: int, floating: bool) -> None:
    model = random_tree(seed, bodies=16, floating=floating)
    chain = ArrayChain.from_model(model)
    assert chain.side
    state = random_state(model, seed)
    assert_close(forward_dynamics(chain, *state), sequential(model, *state), SOLVED, batched=False)


@pytest.mark.covers("CFA-06")
def test_branches_press_on_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the articulated inertias alone, as the paper has it, branch torques never reach the chain."""
    model = random_tree(1, bodies=16)
    state, chain = random_state(model, 1), ArrayChain.from_model(model)
    complete = ChainSystem._pressed

    def forgetful(system, loads, drive):
        _, pressed = complete(system, loads, drive)
        return loads.force[: chain.length], pressed

    right = forward_dynamics(chain, *state)
    monkeypatch.setattr(ChainSystem, "_pressed", forgetful)
    wrong = forward_dynamics(chain, *state)
    assert np.abs(wrong - right).max() > 0.01 * np.abs(right).max()


@pytest.mark.covers("CFA-07")
@pytest.mark.parametrize("rotors", [0.5, 1.0])
def test_rotor_inertia(rotors: float) -> None:
    model = random_chain(4, 18, rotors=rotors)
    q, v, tau = random_state(model, 4)
    found = constraint_force_solution(ArrayChain.from_model(model), q, v, tau)
    assert_close(found.a, sequential(model, q, v, tau), SOLVED, batched=False)
    without = replace(model, bodies=tuple(replace(b, dynamics=type(b.dynamics)()) for b in model.bodies))
    assert np.abs(found.a - sequential(without, q, v, tau)).max() > 1e-3


@pytest.mark.covers("CFA-07")
@pytest.mark.parametrize("kinds", [["spherical"], ["free"], ["free", "spherical"], ["spherical", "free"]])
def test_rotors_that_turn_with_the_body(kinds: list[str]) -> None:
    """The first kind of joint has rotors, others none; those of ball and free joints need ω × A ω besides."""
    bodies = random_chain(4, 5, kinds, rotors=1.0).bodies
    still = [b if kinds[0] in b.name else replace(b, dynamics=type(b.dynamics)()) for b in bodies]
    model = Model("turning", tuple(still))
    chain, (q, v, tau) = ArrayChain.from_model(model), random_state(model, 4)
    a = sequential(model, q, v, tau)
    assert_close(forward_dynamics(chain, q, v, tau), a, SOLVED, batched=False)
    assert_close(inverse_dynamics(chain, q, v, a), tau, SOLVED, batched=False)
    assert_close(ChainSolver(chain)(q, v, tau), a, SOLVED, batched=False)


@pytest.mark.covers("CFA-07")
def test_rotor_inertia_on_side_branches() -> None:
    tree = random_tree(2, bodies=14)
    rng = np.random.default_rng(0)
    bodies = [
        replace(b, dynamics=replace(b.dynamics, armature=tuple(rng.uniform(0.1, 1.0, b.joint.nv).tolist())))
        for b in tree.bodies
    ]
    model = replace(tree, bodies=tuple(bodies))
    state = random_state(model, 4)
    assert_close(
        forward_dynamics(ArrayChain.from_model(model), *state),
        sequential(model, *state),
        SOLVED,
        batched=False,
    )


@pytest.mark.covers("CFA-03")
def test_joint_wrenches_contain_the_drive() -> None:
    """Sᵀ F + d a = tau at every joint, and what turning rotors need besides."""
    model = random_chain(6, 15, rotors=0.5)
    q, v, tau = random_state(model, 6)
    chain = ArrayChain.from_model(model)
    found = constraint_force_solution(chain, q, v, tau)
    tau = tau - np.array(rotor_bias(model, v.tolist()))
    for row, name in enumerate(chain.names):
        b = model.by_name[name]
        mine_q, mine = q[model.q_slices[name]], model.v_slices[name]
        S = np.array([[*s] for s in b.joint.subspace(mine_q.tolist())]).reshape(-1, 6)
        drive = S @ found.joint_wrench[row] + np.array(b.armature) * found.a[mine]
        np.testing.assert_allclose(drive, tau[mine], atol=SOLVED * np.abs(found.joint_wrench).max())


@pytest.mark.covers("CFA-03")
def test_the_base_carries_the_weight_at_rest() -> None:
    model = random_chain(7, 10, ["revolute", "universal", "spherical", "revolute"])
    robot = Robot(model)
    q, v, _ = random_state(model, 7, speed=0.0)
    tau = np.array(robot.evaluate("gravity_forces", q.tolist()))
    found = constraint_force_solution(ArrayChain.from_model(model), q, v, tau)
    assert np.abs(found.a).max() <= SOLVED * np.abs(tau).max()
    force = np.linalg.norm(found.joint_wrench[0, 3:])
    assert force == pytest.approx(robot.mass * 9.81, rel=SOLVED)


@pytest.mark.covers("CFA-03", "CFA-04")
@pytest.mark.parametrize("count", [512, pytest.param(4096, marks=pytest.mark.slow)])
def test_thousands_of_bodies(count: int) -> None:
    model = random_chain(1, count, ["revolute"])
    state = random_state(model, 3, speed=0.1)
    expected = sequential(model, *state, scalar=np.longdouble)
    assert_close(forward_dynamics(ArrayChain.from_model(model), *state), expected, LONG, batched=False)


@pytest.mark.covers("CFA-03")
def test_uniform_chains_repeat_their_links() -> None:
    pattern = random_chain(8, 3, ["revolute", "spherical", "planar"]).bodies
    bodies: list[Body] = []
    for i in range(11):
        bodies.append(replace(pattern[i % 3], name=f"b{i}", parent=bodies[-1].name if bodies else WORLD))
    model = Model("repeated", tuple(bodies))
    state = random_state(model, 8)
    chain = ArrayChain.chain(11, pattern)
    assert (chain.nq, chain.nv) == (model.nq, model.nv)
    assert_close(forward_dynamics(chain, *state), sequential(model, *state), SOLVED, batched=False)


@pytest.mark.covers("CFA-03")
def test_external_wrenches() -> None:
    model = random_chain(9, 6)
    q, v, tau = random_state(model, 9)
    chain = ArrayChain.from_model(model)
    rng = np.random.default_rng(1)
    wrenches = rng.normal(size=(6, 6))
    external = {name: wrench.tolist() for name, wrench in zip(chain.names, wrenches, strict=True)}
    expected = Robot(model).evaluate("forward_dynamics", q.tolist(), v.tolist(), tau.tolist(), external=external)
    assert_close(forward_dynamics(chain, q, v, tau, external=wrenches), expected, SOLVED, batched=False)


@pytest.mark.covers("CFA-04")
def test_inverse_dynamics_and_poses_by_prefix() -> None:
    model = random_chain(10, 21, rotors=0.5)
    q, v, a = random_state(model, 10)
    chain, robot = ArrayChain.from_model(model), Robot(model)
    expected = robot.evaluate("inverse_dynamics", q.tolist(), v.tolist(), a.tolist())
    assert_close(inverse_dynamics(chain, q, v, a), expected, IDENTITY, batched=False)
    wrenches = np.random.default_rng(1).normal(size=(21, 6))
    external = {name: wrench.tolist() for name, wrench in zip(chain.names, wrenches, strict=True)}
    expected = robot.evaluate("inverse_dynamics", q.tolist(), v.tolist(), a.tolist(), external=external)
    assert_close(inverse_dynamics(chain, q, v, a, external=wrenches), expected, IDENTITY, batched=False)
    tip = np.array(robot.evaluate("pose", q.tolist(), frame=chain.names[-1]), float)
    assert_close(poses(chain, q)[-1], tip, IDENTITY, batched=False)


@pytest.mark.covers("CFA-06")
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_inverse_dynamics_of_side_branches(seed: int, floating: bool) -> None:
    model = random_tree(seed, bodies=16, floating=floating)
    chain, (q, v, a) = ArrayChain.from_model(model), random_state(model, seed)
    assert chain.side
    external = {f.name: np.random.default_rng(seed).normal(size=6).tolist() for f in model.frames}
    expected = Robot(model).evaluate("inverse_dynamics", q.tolist(), v.tolist(), a.tolist(), external=external)
    found = inverse_dynamics(chain, q, v, a, external=chain.wrenches(external))
    assert_close(found, expected, IDENTITY, batched=False)


@pytest.mark.covers("CFA-03")
def test_massless_bodies_raise_and_are_named_unless_welded() -> None:
    rng = np.random.default_rng(2)
    solid, nothing = random_inertia(rng), RigidInertia.zero()
    rod = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(0.0, 1.0, 1.0))
    place = random_pose(rng)
    for bad in (nothing, rod):
        model = Model("m", (Body("thin", WORLD, Revolute(), place, bad), Body("b", "thin", Revolute(), place, solid)))
        with pytest.raises(ModelError, match="thin"):
            ArrayChain.from_model(model)
    bodies = (
        Body("base"),
        Body("hub", "base", Revolute(), place, nothing),
        Body("shell", "hub", Fixed(), place, solid),
        Body("mount", "shell", Fixed(), place),
        Body("arm", "mount", Revolute(), place, solid),
    )
    model = Model("welded", bodies)
    chain = ArrayChain.from_model(model)
    assert chain.names == ("hub", "arm")
    state = random_state(model, 1)
    assert_close(forward_dynamics(chain, *state), sequential(model, *state), SOLVED, batched=False)


def test_wrong_input_is_named() -> None:
    chain = ArrayChain.from_model(load("panda").model)
    good = np.zeros(7)
    with pytest.raises(ShapeError, match="tau"):
        forward_dynamics(chain, good, good, np.zeros(6))
    with pytest.raises(ShapeError, match="external"):
        forward_dynamics(chain, good, good, good, external=np.zeros((3, 6)))
    with pytest.raises(ShapeError, match="external"):
        inverse_dynamics(chain, good, good, good, external=np.zeros((3, 6)))
    for wrong in (-1, 1.5):
        for solve in (ChainSolver(chain), lambda *x, **k: forward_dynamics(chain, *x, **k)):
            with pytest.raises(ArgumentError, match="refinements"):
                solve(good, good, good, refinements=wrong)


@pytest.mark.covers("CFA-06")
def test_a_side_branch_without_mass_raises_and_is_named() -> None:
    rng = np.random.default_rng(2)
    solid, place = random_inertia(rng), random_pose(rng)
    trunk = [Body("a", WORLD, Revolute(), place, solid)]
    trunk += [Body(name, parent, Revolute(), place, solid) for name, parent in (("b", "a"), ("c", "b"))]
    with pytest.raises(ModelError, match="side"):
        ArrayChain.from_model(Model("m", (*trunk, Body("side", "a", Revolute(), place))))


def test_plain_sequences_are_as_good_as_arrays() -> None:
    model = load("panda").model
    q, v, tau = (x.tolist() for x in random_state(model, 1))
    chain = ArrayChain.from_model(model)
    wrenches = np.ones((7, 6))
    assert_close(
        forward_dynamics(chain, q, v, tau, external=wrenches.tolist()),
        forward_dynamics(chain, *map(np.array, (q, v, tau)), external=wrenches),
        IDENTITY,
        batched=False,
    )
    assert poses(chain, q).shape == (7, 4, 4)
    assert_close(ChainSolver(chain)(q, v, tau), forward_dynamics(chain, q, v, tau), SOLVED, batched=False)
    assert_close(inverse_dynamics(chain, q, v, forward_dynamics(chain, q, v, tau)), tau, SOLVED, batched=False)


def test_what_is_no_array_or_no_chain_is_named() -> None:
    robot = load("panda")
    chain, zero = ArrayChain.from_model(robot), np.zeros(7)
    with pytest.raises(FrameNotFound, match="panda_link77"):
        forward_dynamics(chain, zero, zero, zero, external={"panda_link77": np.zeros(6)})
    with pytest.raises(DtypeError, match=named("q")):
        forward_dynamics(chain, ["a"] * 7, zero, zero)
    with pytest.raises(ShapeError, match=named("q")):
        poses(chain, np.zeros(6))
    for call in (
        lambda x: forward_dynamics(x, zero, zero, zero),
        lambda x: inverse_dynamics(x, zero, zero, zero),
        lambda x: poses(x, zero),
        ChainSolver,
    ):
        with pytest.raises(ArgumentError, match=named("ArrayChain.from_model")):
            call(robot)  # type: ignore[operator]
    with pytest.raises(ArgumentError, match="panda"):
        ArrayChain.from_model("panda")  # type: ignore[arg-type]


def test_inertias_that_cannot_be_inverted() -> None:
    def body(mass: float, *moments: float) -> RigidInertia:
        return RigidInertia.from_center_of_mass(mass, Vec3.zero(), Sym3.diagonal(*moments))

    assert not is_singular(body(1.0, 1e-16, 1e-16, 1e-16))  # small, but about every axis
    assert not is_singular(body(1e-9, 1e3, 1e3, 1e3))
    assert not is_singular(body(40.0, 0.25, 0.5, 0.5))
    assert (
        is_singular(body(1.0, 0.0, 2.0, 2.0))
        and is_singular(body(0.0, 1.0, 1.0, 1.0))
        and is_singular(body(2.0, 0.0, 0.0, 0.0))
    )


@pytest.mark.parametrize("refinements", [0, 1])
def test_external_wrenches_on_a_solver_of_one_chain(refinements: int) -> None:
    model = random_chain(9, 6)
    model = replace(
        model, bodies=tuple(replace(b, dynamics=JointDynamics(armature=(0.25,) * b.joint.nv)) for b in model.bodies)
    )
    q, v, tau = random_state(model, 9)
    solver, wrenches = ChainSolver(ArrayChain.from_model(model)), np.random.default_rng(1).normal(size=(6, 6))
    external = {b.name: wrench.tolist() for b, wrench in zip(model.bodies, wrenches, strict=True)}
    for given, mapping in ((None, None), (wrenches, external), (external, external)):
        expected = Robot(model).evaluate("forward_dynamics", q.tolist(), v.tolist(), tau.tolist(), external=mapping)
        assert_close(solver(q, v, tau, external=given, refinements=refinements), expected, SOLVED, batched=False)
