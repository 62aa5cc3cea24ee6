"""Refinement on the equation of motion: what the bearings' rounding leaves of tau is solved for once more."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from chains import random_state
from recording_cupy import recording_cupy

from random_trees import random_inertia, random_pose, random_tree
from sixvec import Robot, load
from sixvec.large_trees import LargeTree, constraint_force, inverse_dynamics
from sixvec.large_trees.constraint_force import ArrayChain, ChainSolver, constraint_force_solution
from sixvec.model import Body, Model
from sixvec.model.body import JointDynamics
from sixvec.model.joints import Prismatic, Revolute
from tolerances import IDENTITY, SOLVED, assert_close

Array = Any
Case = tuple[ArrayChain, Array, Array, Array, Array]


def with_rotors(model: Model, inertia: float) -> Model:
    """Every freedom with a rotor of that inertia."""
    return replace(
        model,
        bodies=tuple(replace(b, dynamics=JointDynamics(armature=(inertia,) * b.joint.nv)) for b in model.bodies),
    )


def geared(inertia: float) -> Case:
    """The Panda with such rotors: chain, q, v, a and the tau that makes a."""
    robot, rng = Robot(with_rotors(load("panda").model, inertia)), np.random.default_rng(3)
    q, (v, a) = robot.random(rng), rng.normal(size=(2, 7))
    tau = robot.evaluate("inverse_dynamics", q.tolist(), v.tolist(), a.tolist())
    return ArrayChain.from_model(robot.model), q, v, a, np.array(tau, float)


def long(kind: type[Revolute] | type[Prismatic], count: int = 500) -> Case:
    """A uniform chain of that joint in a random place."""
    rng = np.random.default_rng(3)
    link = Body("link", joint=kind(), placement=random_pose(rng), inertia=random_inertia(rng))
    q, v, a = rng.normal(size=(3, count)) * 0.1
    tau = inverse_dynamics(LargeTree.chain(count, [link]), q, v, a)
    return ArrayChain.chain(count, [link]), q, v, a, tau


def worst(case: Case, refinements: int) -> float:
    chain, q, v, a, tau = case
    return float(np.abs(constraint_force.forward_dynamics(chain, q, v, tau, refinements=refinements) - a).max())


@pytest.mark.covers("CFA-07")
def test_rotors_much_heavier_than_the_links() -> None:
    for inertia, refinements, reached in ((1e2, 1, 1e-14), (1e4, 1, 1e-14), (1e8, 2, 1e-11), (1e8, 3, 1e-14)):
        case = geared(inertia)
        assert worst(case, 0) > 1e-12
        assert worst(case, refinements) < reached, inertia


@pytest.mark.covers("CFA-03")
def test_long_chains_of_sliding_joints() -> None:
    case = long(Prismatic)
    before, after = worst(case, 0), worst(case, 1)
    assert after < 1e-11 and after < 0.01 * before


@pytest.mark.covers("CFA-06", "CFA-07")
@pytest.mark.parametrize("seed", range(3))
def test_branches_wrenches_and_heavy_rotors(seed: int) -> None:
    model = with_rotors(random_tree(seed, bodies=16), 1e4)
    chain, robot, rng = ArrayChain.from_model(model), Robot(model), np.random.default_rng(seed)
    assert chain.side
    q, v, a = random_state(model, seed)
    wrenches = rng.normal(size=(len(chain.names), 6))
    external = {name: w.tolist() for name, w in zip(chain.names, wrenches, strict=True)}
    tau = np.array(robot.evaluate("inverse_dynamics", q.tolist(), v.tolist(), a.tolist(), external=external), float)
    errors = [
        np.abs(constraint_force.forward_dynamics(chain, q, v, tau, external=wrenches, refinements=k) - a).max()
        for k in (0, 2)
    ]
    assert errors[1] < 1e-13 and errors[1] < 0.1 * errors[0]


@pytest.mark.covers("CFA-06")
def test_wrenches_and_body_accelerations_are_refined_with_the_joints() -> None:
    model = random_tree(2, bodies=16)
    chain, state = ArrayChain.from_model(model), random_state(model, 2)
    once, refined = (constraint_force_solution(chain, *state, refinements=k) for k in (0, 2))
    for name in ("a", "joint_wrench", "body_acceleration"):
        assert_close(getattr(refined, name), getattr(once, name), SOLVED, batched=False)
    assert not np.array_equal(refined.a, once.a)
    case = geared(1e8)
    heavy = constraint_force_solution(case[0], *case[1:3], case[4], refinements=3)
    below = constraint_force_solution(case[0], *case[1:3], case[4], refinements=4)
    assert_close(heavy.body_acceleration, below.body_acceleration, IDENTITY, batched=False)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_solvers_refine_too(monkeypatch: pytest.MonkeyPatch, device: Any) -> None:
    monkeypatch.setitem(sys.modules, "cupy", recording_cupy())
    chain, q, v, a, tau = geared(1e4)
    solver = ChainSolver(chain, device=device)
    first = solver(q, v, tau)
    assert np.abs(first - a).max() > 1e-12
    assert np.abs(solver(q, v, tau, refinements=1) - a).max() < 1e-14
    assert np.array_equal(solver(q, v, tau), first)  # gravity is back


@pytest.mark.covers("CFA-03", "CFA-07")
@pytest.mark.slow
def test_refinement_in_jax() -> None:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        chain, q, v, a, tau = geared(1e4)
        there, state = chain.on(jax.numpy.asarray), tuple(map(jax.numpy.asarray, (q, v, tau)))
        once, refined = (constraint_force.forward_dynamics(there, *state, refinements=k) for k in (0, 1))
        assert isinstance(refined, jax.Array)
        assert np.abs(once - a).max() > 1e-12 and np.abs(refined - a).max() < 1e-14
        assert_close(
            constraint_force.inverse_dynamics(there, *state[:2], jax.numpy.asarray(a)), tau, IDENTITY, batched=False
        )
