"""Damping, friction and springs of large trees: those of the robot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ModelError, ShapeError
from sixvec.large_trees import LargeTree, forward_dynamics, passive_forces
from sixvec.model import Body, FrictionLaw, JointDynamics
from sixvec.model.joints import Universal
from sixvec.spatial import RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(4)


def with_terms(b: Body) -> Body:
    def some() -> Any:
        return tuple(RNG.uniform(0.1, 2.0, size=b.joint.nv).tolist())

    rest = b.joint.integrate(b.joint.neutral(), RNG.normal(size=b.joint.nv).tolist())
    return replace(b, dynamics=JointDynamics((), some(), some(), some(), tuple(float(x) for x in rest)))


@pytest.mark.covers("MODEL-01")
def test_forces_are_those_of_the_robot() -> None:
    base = random_tree(np.random.default_rng(3), 14)
    model = replace(base, bodies=tuple(with_terms(b) if b.joint.nv else b for b in base.bodies))
    robot, tree = Robot(model), LargeTree.from_model(model)
    q, v, tau = robot.random(RNG, 3), RNG.normal(size=(3, robot.nv)), RNG.normal(size=(3, robot.nv))
    found = passive_forces(tree, q, v)
    assert np.allclose(found, robot.passive_forces(q, v), atol=1e-12)
    assert np.allclose(passive_forces(tree, q[0], v, coulomb=False), robot.passive_forces(q[0], v, coulomb=False))
    a = forward_dynamics(tree, q, v, tau + found)
    assert np.allclose(a, robot.forward_dynamics(q, v, tau, passive=True), rtol=1e-7, atol=1e-7)
    assert passive_forces(tree, q.astype(np.float32), v.astype(np.float32)).dtype == np.float32


def test_copies_of_a_link_have_its_terms() -> None:
    ball = RigidInertia(1.0, Vec3(0.0, 0.0, 0.5), Sym3.diagonal(0.3, 0.3, 0.1))
    terms = JointDynamics(damping=(0.3, 0.4), stiffness=(5.0, 6.0), rest=(0.1, -0.2))
    tree = LargeTree.chain(3, [Body("arm", joint=Universal(), inertia=ball, dynamics=terms)])
    q, v = RNG.normal(size=6), RNG.normal(size=6)
    expected = -np.tile([0.3, 0.4], 3) * v - np.tile([5.0, 6.0], 3) * (q - np.tile([0.1, -0.2], 3))
    assert np.allclose(passive_forces(tree, q, v), expected, atol=1e-13)


def test_what_a_large_tree_does_not_have() -> None:
    arm = sixvec.load("planar_2r").model
    law = FrictionLaw("link2", lambda q, v: [v[0]])
    with pytest.raises(ModelError, match="friction"):
        LargeTree.from_model(replace(arm, passive=(law,)))
    with pytest.raises(ShapeError, match="passive_forces: q"):
        passive_forces(LargeTree.from_model(arm), [0.0], [0.0, 0.0])
