"""The fastest motions of joints with viscous friction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.model import JointDynamics
from sixvec.verdict import Verdict

ARM = sv.load("panda")


def rubbing(robot: sv.Robot, damping: float, friction: float = 0.0) -> sv.Robot:
    dynamics = JointDynamics(damping=(damping,), friction=(friction,))
    bodies = [replace(b, dynamics=dynamics) if b.joint.nv else b for b in robot.model.bodies]
    return sv.Robot(replace(robot.model, bodies=tuple(bodies)))


def paths(*shape: int) -> motion.Path:
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    return motion.spline(ARM, middle + 0.5 * half * np.random.default_rng(3).uniform(-1, 1, (*shape, 7)))


@pytest.mark.parametrize("velocity", [True, None])
@pytest.mark.parametrize(("damping", "friction"), [(0.01, 0.0), (5.0, 1.0), (30.0, 0.0)])
def test_torques_stay_within_their_limits(velocity: Any, damping: float, friction: float) -> None:
    """Also without limits of speed, as in MJCF, and where friction at these takes all of the torque."""
    path = replace(paths(8, 5), robot=rubbing(ARM, damping, friction))
    fast = motion.time_optimal(path, torque=True, velocity=velocity)
    assert (fast.verdict == Verdict.SOLVED).all()
    t = fast.duration[:, None] * np.linspace(0.0, 1.0, 2000)
    assert (abs(fast.tau(t[:, :-1])) / ARM.effort_limits).max() < 1.0 + 1e-3
    alone = motion.time_optimal(paths(8, 5), torque=True, velocity=velocity)
    ratio = fast.duration / alone.duration
    assert (ratio > 1.0 - 1e-3).all() and ratio.max() < (1.01 if damping < 1.0 else 30.0)


@pytest.mark.parametrize("length", [0.4, 4.0])
@pytest.mark.parametrize("drag", [0.3, 3.0, 30.0])
def test_a_sliding_joint_against_its_drag(drag: float, length: float) -> None:
    """m dv/dt = ±f - c v has the speed v = (f/c)(1 - exp(-c t/m)) while it accelerates; the motion is a little longer,
    because friction counts as that at a larger speed, and does not help to brake."""
    mass, force = 2.0, 10.0
    slide = sv.model.joints.Prismatic(sv.spatial.Vec3(1.0, 0.0, 0.0))
    load = sv.spatial.RigidInertia.from_center_of_mass(mass, sv.spatial.Vec3.zero(), sv.spatial.Sym3.diagonal(1, 1, 1))
    body = sv.model.Body("load", joint=slide, inertia=load, dynamics=JointDynamics(damping=(drag,)))
    robot = sv.Robot(sv.model.Model("slide", (body,)))
    path = motion.spline(robot, [[0.0], [length]])
    fast = motion.time_optimal(path, torque=force, velocity=None)
    # Bang-bang: a time a of acceleration, then braking, where drag helps, to rest at the end.
    accelerate = np.linspace(1e-3, 20.0, 400_000)
    v = force / drag * (1.0 - np.exp(-drag * accelerate / mass))
    brake = mass / drag * np.log1p(drag * v / force)
    x = force / drag * (accelerate - mass / drag * (1.0 - np.exp(-drag * accelerate / mass)))
    x += mass / drag * v - force / drag * brake
    shortest = float(np.interp(length, x, accelerate + brake))
    assert shortest <= float(fast.duration) < 1.25 * shortest


@pytest.mark.parametrize(("damping", "friction"), [(0.0, 3.0), (5.0, 2.0)])
def test_motions_are_solved_or_friction_stops_a_joint_that_is_named(damping: float, friction: float) -> None:
    """Long paths and weak motors: some cannot move against gravity and dry friction, the others keep their limits."""
    robot = rubbing(ARM, damping, friction)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    path = motion.spline(robot, middle + 0.8 * half * np.random.default_rng(5).uniform(-1, 1, (6, 12, 7)))
    most = 0.55 * ARM.effort_limits
    fast = motion.time_optimal(path, torque=most)
    s = np.linspace(0.0, 1.0, 1000) * path.length[:, None]
    slope = path.dq(s)
    need = abs(robot.gravity_forces(path.q(s)) + friction * np.sign(slope)) / most
    solved = fast.verdict == Verdict.SOLVED
    assert solved.any() and not solved.all()
    assert (need[solved].max(axis=(1, 2)) < 1.0 + 1e-3).all() and (need[~solved].max(axis=(1, 2)) > 1.0).all()
    assert all("panda_joint" in x for x in fast.reason[~solved])
    t = np.nan_to_num(fast.duration)[:, None] * np.linspace(0.0, 1.0, 2000)
    assert (abs(fast.tau(t[:, 1:-1]))[solved] / most).max() < 1.0 + 1e-3
    assert fast.duration[solved].max() < 100.0


def test_paths_do_not_depend_on_their_neighbours() -> None:
    robot = rubbing(ARM, 5.0)
    path = replace(paths(5, 4), robot=robot)
    together = motion.time_optimal(path, torque=True)
    for k in range(5):
        alone = motion.time_optimal(replace(path, knots=path.knots[k], coefficients=path.coefficients[k]), torque=True)
        assert abs(together.duration[k] / alone.duration - 1.0) < 1e-12


@pytest.mark.parametrize(("damping", "once"), [(0.0, True), (1e-6, True), (1.0, False)])
def test_little_friction_costs_no_time(damping: float, once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from sixvec.motion import timing

    calls, timed = [], timing._timed
    monkeypatch.setattr(timing, "_timed", lambda *x: calls.append(x) or timed(*x))
    motion.time_optimal(replace(paths(1, 4), robot=rubbing(ARM, damping)), torque=True)
    assert (len(calls) == 1) == once
