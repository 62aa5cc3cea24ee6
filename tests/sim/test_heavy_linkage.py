"""Half a thousand tons on light rods with a loop: the fall passes stretched positions at a radian in a few steps."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from loop_samples import X, planar
from sixvec import Robot
from sixvec.model.joints import Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.verdict import Verdict

HEAVY = RigidInertia.from_center_of_mass(654e3, X * 1.0, Sym3.diagonal(160.0, 160.0, 160.0))
ROD = RigidInertia.from_center_of_mass(25.0, X * 0.5, Sym3.diagonal(0.05, 2.0, 2.0))


def linkage() -> Robot:
    """A five-bar in a vertical plane, with the mass at the joint that its two arms share."""
    model = planar([1.0, 1.0, 1.0, 1.0], 0.6, Revolute(), "five_bar")
    bodies = tuple(replace(b, inertia=HEAVY if b.name == "b1" else ROD) for b in model.bodies)
    return Robot(replace(model, bodies=bodies, gravity=Vec3(0.0, -9.81, 0.0)))


@pytest.mark.parametrize("dt", [0.001, 0.004, 0.01])
def test_its_fall_is_bounded_in_energy_or_stops_with_a_verdict(dt: float) -> None:
    robot = linkage()
    start = robot.assemble([2.2, -1.6, -1.2, -1.4])
    assert start
    rest = np.zeros(robot.nv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a verdict comes with one
        path = robot.rollout(start.q, rest, rest, dt, steps=round(2.0 / dt))
    assert np.isfinite(path.q).all() and np.isfinite(path.v).all()
    kinetic = robot.kinetic_energy(path.q, path.v)
    gain = kinetic + robot.potential_energy(path.q) - robot.potential_energy(start.q)
    assert kinetic.max() > 1e5
    assert gain.max() <= 0.01 * kinetic.max()
    if not path:
        assert path.verdict in (Verdict.OPEN, Verdict.DIVERGED, Verdict.SINGULAR) and path.stopped > 0
