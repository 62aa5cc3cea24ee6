"""Frames that are held and joints that are driven while others touch: one contact problem for all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints.contacts import Contact, Stop
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Box, Sphere
from sixvec.model import Body, Limits, Model
from sixvec.model.body import Frame
from sixvec.model.edits import with_closure
from sixvec.model.joints import Free, Spherical
from sixvec.spatial import Pose, Vec3

BLOCK = Box(Vec3(0.4, 0.3, 0.2))
G = 9.81
STEP = 1e-3


def block(mass: float = 2.0) -> sv.Robot:
    """A free block; its left lower edge has the frame "left", its right one "right"."""
    frames = (
        Frame("b", "b"),
        Frame("left", "b", Pose.translation(Vec3(-0.2, 0.0, -0.1))),
        Frame("catch", "b", Pose.translation(Vec3(-0.2, 0.0, -0.1))),
        Frame("right", "b", Pose.translation(Vec3(0.2, 0.0, -0.1))),
    )
    return sv.Robot(Model("block", (Body("b", None, Free(), inertia=BLOCK.inertia(mass)),), frames=frames))


def above(height: float) -> Any:
    q = block().neutral()
    q[2] = 0.1 + height
    return q


FLOOR = Contact("right", Sphere(0.0), friction=0.5)


def test_a_block_on_one_held_edge_falls_on_the_other_and_rests() -> None:
    robot, q, zero = block(), above(0.02), np.zeros(6)
    path = robot.rollout(q, zero, zero, STEP, steps=1500, contacts=[FLOOR], hold={"left": ("x", "y", "z", "turn x")})
    left, right = (robot.pose(path.q, name)[:, :3, 3] for name in ("left", "right"))
    assert np.abs(left - left[0]).max() < 1e-9 and not path.verdict.any()
    assert path.gap[:, 0].min() > -1e-5 and right[-1, 2] == pytest.approx(0.0, abs=1e-6)
    assert np.abs(path.v[-1]).max() < 1e-9
    assert path.force[-1, 0] == pytest.approx(2.0 * G / 2, rel=2e-2)  # half of the weight
    energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
    assert np.diff(energy).max() < 1e-3


def test_phases_of_holds_are_those_of_flags_and_samples_do_not_mix() -> None:
    robot, q, zero = block(), above(0.02), np.zeros(6)
    kind = ("x", "y", "z", "turn x")
    options: dict[str, Any] = {"steps": 400, "contacts": [FLOOR]}
    phases = robot.rollout(
        q, zero, zero, STEP, hold=[(0, 150, {"left": kind}), (300, None, {"catch": "weld"})], **options
    )
    holding = np.zeros((3, 400, 2), bool)
    holding[1, :150, 0] = holding[1, 300:, 1] = holding[2] = True
    flags = robot.rollout(q, zero, zero, STEP, hold={"left": kind, "catch": "weld"}, holding=holding, **options)
    alone = robot.rollout(q, zero, zero, STEP, steps=400, contacts=[FLOOR])
    assert np.allclose(flags.q[1], phases.q, atol=1e-12)
    assert np.allclose(flags.q[0], alone.q, atol=1e-6)
    assert np.abs(flags.q[2] - q).max() < 1e-9  # held from the start
    left = robot.pose(phases.q, "left")[:, :3, 3]
    assert np.ptp(left[:150], axis=0).max() < 1e-9 < np.ptp(left[150:300], axis=0).max()
    assert np.abs(phases.v[300:]).max() < 1e-9


def test_a_hold_is_the_loop_that_it_replaces() -> None:
    """A block that hangs on a ball at one edge and falls on the other."""
    robot, q, zero = block(), above(0.02), np.zeros(6)
    options: dict[str, Any] = {"steps": 300, "contacts": [FLOOR]}
    held = robot.rollout(q, zero, zero, STEP, hold={"left": "point"}, **options)
    closed = sv.Robot(with_closure(robot.model, "left", joint=Spherical(), q=q))
    looped = closed.rollout(q, zero, zero, STEP, **options)
    assert not held.verdict and not looped.verdict and held.force.max() > 0.0
    assert np.allclose(held.q, looped.q, atol=1e-9) and np.ptp(held.q[:, 2]) > 0.005


def test_where_a_hold_begins_an_impact_takes_no_more_than_the_velocity() -> None:
    """A thrown block is caught at one edge while the other touches: the energy never grows."""
    robot = block()
    q, v = above(0.0), np.array([0.0, 2.0, 0.0, 1.0, 0.0, -1.0])
    path = robot.rollout(q, v, np.zeros(6), STEP, steps=300, contacts=[FLOOR], hold=[(20, None, {"left": "point"})])
    energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
    assert energy[20] < energy[19] and np.diff(energy).max() < 1e-3 * energy[0] and not path.verdict.any()
    left = robot.pose(path.q, "left")[20:, :3, 3]
    assert np.ptp(left, axis=0).max() < 1e-9


@pytest.mark.parametrize("bound", [{"prescribed": ["joint1"]}, {"hold": {"on_link": ("world y",)}}])
def test_limits_of_files_go_with_driven_joints_and_holds(bound: dict[str, Any]) -> None:
    """As the same stops in a list do."""
    arm = sv.load("planar_2r")
    last = arm.model.bodies[-1]
    bodies = (*arm.model.bodies[:-1], replace(last, limits=Limits((-0.5,), (1.0,))))
    tip = Frame("on_link", last.name, Pose.translation(Vec3(0.3, 0.0, 0.0)))
    robot = sv.Robot(replace(arm.model, bodies=bodies, frames=(*arm.model.frames, tip)))
    start = (np.array([0.2, 0.8]), np.zeros(2), np.array([-0.5, 0.0]), STEP)
    listed = robot.rollout(*start, steps=700, contacts=[Stop("joint2")], **bound)
    limited = robot.rollout(*start, steps=700, limits=True, passive=False, **bound)
    assert not listed.verdict and not limited.verdict and limited.force.max() > 0.0
    assert np.allclose(listed.q, limited.q, atol=1e-5)
    assert limited.q[:, 1].min() > -0.5 - 1e-9 and limited.q[:, 1].max() < 1.0 + 1e-9


def test_driven_joints_have_no_controls() -> None:
    with pytest.raises(ArgumentError, match=r"prescribed= .* actuators="):
        sv.load("planar_2r").rollout([0.0] * 2, [0.0] * 2, [0.0] * 2, STEP, steps=1, actuators="file", prescribed=[0])
