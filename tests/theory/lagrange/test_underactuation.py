"""Partial feedback linearisation: accelerations asked of some joints, forces only where there are motors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.model import Body, JointDynamics, Limits, Model
from sixvec.model.joints import Prismatic
from sixvec.model.robots.shapes import point_mass
from sixvec.spatial import Vec3
from sixvec.theory.lagrange import collocated, noncollocated
from sixvec.theory.lagrange.underactuation import actuated_coordinates
from tolerances import SOLVED, assert_close


@pytest.mark.covers("DYN-07")
@pytest.mark.parametrize("name", ["cart_pole", "acrobot"])
@pytest.mark.parametrize("asks", [collocated, noncollocated])
def test_asked_accelerations_with_forces_at_motors_only(name: str, asks) -> None:
    robot = sv.load(name)
    known = actuated_coordinates(robot)
    rng = np.random.default_rng(0)
    q, v = 0.4 * rng.normal(size=(2, 9, robot.nv))
    asked = rng.normal(size=(9, 1))
    found = asks(robot, q, v, asked)
    at = known.active if asks is collocated else known.passive
    assert_close(found.a[:, at], asked, SOLVED)
    assert not found.tau[:, known.passive].any()
    assert_close(robot.inverse_dynamics(q, v, found.a), found.tau, SOLVED)
    assert_close(robot.forward_dynamics(q, v, found.tau), found.a, SOLVED)


@pytest.mark.covers("DYN-07")
def test_a_free_base_follows_nobody() -> None:
    """Arms accelerate as asked on a base that floats; nothing pushes the base, so its momentum stays."""
    robot = sv.load("panda", floating=True).with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(1)
    q, v, asked = robot.random(rng), rng.normal(size=13), rng.normal(size=7)
    found = collocated(robot, q, v, asked)
    assert not found.tau[:6].any()
    h, a = 1e-5, found.a
    after, before = (robot.momentum(robot.integrate(q, s * v + 0.5 * s * s * a), v + s * a) for s in (h, -h))
    assert np.abs((after - before) / (2 * h)).max() < 1e-6 * np.abs(after).max()
    with pytest.raises(ShapeError, match="acceleration"):
        collocated(robot, q, v, asked[:6])


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ArgumentError, match="panda"):
        noncollocated(sv.load("panda"), np.zeros(7), np.zeros(7), [])
    mass = point_mass(1.0, Vec3.zero())
    apart = (
        Body("driven", None, Prismatic(Vec3(1.0, 0.0, 0.0)), inertia=mass),
        Body("loose", "driven", Prismatic(Vec3(0.0, 1.0, 0.0)), inertia=mass, limits=Limits(effort=(0.0,))),
    )
    with pytest.raises(DegenerateError, match="slides"):
        noncollocated(sv.Robot(Model("slides", apart)), np.zeros(2), np.zeros(2), [1.0])
    loose = (
        *apart,
        Body("looser", "loose", Prismatic(Vec3(1.0, 1.0, 0.0)), inertia=mass, limits=Limits(effort=(0.0,))),
    )
    with pytest.raises(DegenerateError, match="slides"):
        noncollocated(sv.Robot(Model("slides", loose)), np.zeros(3), np.zeros(3), [1.0, 1.0])


@pytest.mark.parametrize("asks", [collocated, noncollocated])
def test_passive_forces_and_external_wrenches_act(asks) -> None:
    bare = sv.load("acrobot").model
    own = JointDynamics(damping=(0.7,), stiffness=(2.0,))
    robot = sv.Robot(replace(bare, bodies=tuple(replace(b, dynamics=own) if b.joint.nv else b for b in bare.bodies)))
    rng = np.random.default_rng(4)
    q, v, asked = *rng.normal(size=(2, 5, 2)), rng.normal(size=(5, 1))
    acting = {"external": {robot.frame_names[-1]: rng.normal(size=(5, 6))}, "passive": True}
    found = asks(robot, q, v, asked, **acting)
    assert not found.tau[:, actuated_coordinates(robot).passive].any()
    assert_close(robot.inverse_dynamics(q, v, found.a, **acting), found.tau, SOLVED)
    assert np.abs(found.tau - asks(robot, q, v, asked).tau).max() > 0.1
