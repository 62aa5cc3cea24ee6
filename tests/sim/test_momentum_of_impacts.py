"""Impacts of free bodies keep momentum, angular momentum and, at most, energy: also while overlaps are corrected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Free
from sixvec.spatial import RigidInertia, Sym3, Vec3

pytestmark = pytest.mark.covers("CON-09")

BOX, BRICK = Box(Vec3(0.1, 0.12, 0.14)), Box(Vec3(0.2, 0.1, 0.15))
ONE = RigidInertia.from_center_of_mass(1.0, Vec3(0.02, -0.01, 0.01), Sym3(0.01, 0.001, 0.0, 0.012, -0.0005, 0.004))
OTHER = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 0.0), Sym3.diagonal(0.02, 0.011, 0.015))


def bodies(*inertias: RigidInertia) -> sv.Robot:
    names = "abc"[: len(inertias)]
    made = tuple(Body(n, joint=Free(), inertia=I) for n, I in zip(names, inertias, strict=True))
    return sv.Robot(Model("bodies", made, tuple(Frame(n, n) for n in names), Vec3.zero()))


def momenta(robot: sv.Robot, q: Any, v: Any) -> Any:
    """Angular momentum about the origin of the world, momentum, and energy, from the bodies' own formulas."""
    total = np.zeros((*q.shape[:-1], 7))
    for k, b in enumerate(robot.model.bodies):
        x, w, u = q[..., 7 * k : 7 * k + 3], v[..., 6 * k : 6 * k + 3], v[..., 6 * k + 3 : 6 * k + 6]
        R = Rotation.from_quat(q[..., 7 * k + 3 : 7 * k + 7].reshape(-1, 4)).as_matrix().reshape(*q.shape[:-1], 3, 3)
        m, c = b.inertia.mass, np.array([*b.inertia.center])
        I = np.array([[*row] for row in b.inertia.about_center.full.rows])
        velocity = np.einsum("...ij,...j->...i", R, u + np.cross(w, c))
        spin, centre = np.einsum("...ij,jk,...k->...i", R, I, w), x + R @ c
        energy = 0.5 * m * (velocity**2).sum(-1) + 0.5 * np.einsum("...i,ij,...j->...", w, I, w)
        total += np.concatenate([spin + m * np.cross(centre, velocity), m * velocity, energy[..., None]], -1)
    return total


def thrown(robot: sv.Robot, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    q, v = np.tile(robot.neutral(), (n, 1)), rng.normal(size=(n, robot.nv)) * 3.0
    q[:, :3], q[:, 7:10], v[:, 3:6], v[:, 9:12] = [-0.3, 0.0, 0.0], [0.0, 0.05, 0.0], [2.0, 0.0, 0.0], 0.0
    return q, v


def require_laws(robot: sv.Robot, q: Any, v: Any) -> None:
    """(n, steps + 1, …): of each sample, relative to its start."""
    H = momenta(robot, q, v)
    for part in (slice(0, 3), slice(3, 6)):
        drift = np.linalg.norm(H[..., part] - H[:, :1, part], axis=-1)
        assert (drift < 1e-11 * np.linalg.norm(H[:, :1, part], axis=-1)).all()
    assert (np.diff(H[..., 6]) <= 1e-12 * H[:, :1, 6]).all()


def path_of(robot: sv.Robot, n: int, h: float, contacts: list[Contact]) -> Any:
    q, v = thrown(robot, n)
    path = robot.rollout(q, v, np.zeros(robot.nv), h, steps=round(0.25 / h), contacts=contacts)
    require_laws(robot, np.concatenate([q[:, None], path.q], 1), np.concatenate([v[:, None], path.v], 1))
    return path


@pytest.mark.parametrize("dimension", [3, 4])
@pytest.mark.parametrize(
    ("restitution", "friction", "h", "first", "second"),
    [
        (1.0, 0.0, 1e-3, BOX, BRICK),
        (0.0, 0.5, 1e-3, BOX, BRICK),
        (0.5, 0.5, 1e-2, BOX, BRICK),
        (0.0, 0.5, 1e-3, Capsule(0.05, 0.2), BRICK),
        (0.0, 0.8, 1e-2, Sphere(0.1), Sphere(0.1)),
    ],
)
def test_two_spinning_bodies_that_collide(
    restitution: float, friction: float, h: float, first: Any, second: Any, dimension: int
) -> None:
    contact = Contact("a", first, second, "b", friction, restitution, dimension=dimension)
    path = path_of(bodies(ONE, OTHER), 12, h, [contact])
    assert (path.force[..., ::3] > 0.0).any(axis=(-1, -2)).sum() >= 10
    if not restitution and first != second:
        assert path.gap.min() < -1e-6  # overlaps are corrected


def test_three_bodies_that_push_each_other() -> None:
    """All pairs overlap at the start, by up to 5 cm, while they spin."""
    robot, rng = bodies(ONE, OTHER, ONE), np.random.default_rng(1)
    contacts = [Contact(a, Sphere(0.1), Sphere(0.1), b, 0.5) for a, b in ("ab", "bc", "ca")]
    q, v = np.tile(robot.neutral(), (8, 1)), rng.normal(size=(8, 18))
    q[:, 7], q[:, 14:16] = 0.15, [0.07, 0.13]
    path = robot.rollout(q, v, np.zeros(18), 1e-3, steps=60, contacts=contacts)
    assert path.gap[:, 0].max() < -0.02 and path.gap[:, -1].min() > -0.01
    require_laws(robot, np.concatenate([q[:, None], path.q], 1), np.concatenate([v[:, None], path.v], 1))


def test_environments_keep_momentum() -> None:
    robot = bodies(ONE, OTHER)
    env = sim.Batch(robot, 12, dt=1e-3, contacts=[Contact("a", BOX, BRICK, "b", 0.5)], start=thrown(robot, 12))
    states = [env.state]
    for _ in range(250):
        states.append(env.step(np.zeros(12)))
    q, v = np.split(np.stack(states, 1), [14], axis=-1)
    require_laws(robot, q, v)
