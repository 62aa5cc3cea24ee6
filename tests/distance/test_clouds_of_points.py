"""The distance of a ball from a cloud is that of its centre from the nearest point, less the radii."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom

CLOUD = np.random.default_rng(0).uniform(-3.0, 3.0, (500, 3))


@pytest.mark.parametrize("radius", [0.0, 0.05])
@pytest.mark.parametrize("ball", [0.0, 0.1])
def test_a_ball_is_as_far_from_a_cloud_as_from_its_nearest_point(ball: float, radius: float) -> None:
    """A ball without radius is a point, whose upper and lower bounds of the distance are equal."""
    arm = sv.load("planar_2r")
    robot = sv.Robot(replace(arm.model, geoms=(Geom("tip", Sphere(ball)),)))
    world = sv.World()
    world.points(CLOUD, radius)
    for q in arm.random(0, 5):
        nearest = np.linalg.norm(CLOUD - robot.pose(q, "tip")[:3, 3], axis=1).min() - ball - radius
        assert float(robot.distance(q, world).distance) == pytest.approx(nearest, abs=1e-12)
        assert robot.distances(q, world).distance.tolist() == pytest.approx([nearest], abs=1e-12)
