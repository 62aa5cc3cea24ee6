"""Rebounds depend on the velocity along their own normal, stay between two stops, and add no energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
import sixvec.formats
from sixvec import sim
from sixvec.constraints.contacts import Contact, stops
from sixvec.constraints.contacts.contact import Obstacle
from sixvec.geometry.rigid_body import Sphere
from sixvec.spatial import Pose

SLIDERS = """<mujoco><worldbody>
  <body name="a"><joint type="slide" axis="1 0 0"/><geom type="sphere" size=".05" mass="1"/></body>
  <body name="b" pos=".2 0 0"><joint type="slide" axis="1 0 0"/><geom type="sphere" size=".05" mass="1"/></body>
</worldbody></mujoco>"""

NARROW = """<mujoco><option gravity="0 0 0"/><worldbody><body>
  <joint type="slide" axis="1 0 0" limited="true" range="-.001 .001"/><geom type="sphere" size=".05" mass="1"/>
</body></worldbody></mujoco>"""

ROD = """<mujoco><worldbody><body><freejoint/>
  <geom type="capsule" size=".05 .2" mass="1"/></body></worldbody></mujoco>"""


def robot(text: str) -> sv.Robot:
    return sv.Robot(sv.formats.parse_model(text, "small.xml"))


def paths(
    r: sv.Robot, q: Any, v: Any, dt: float, steps: int, contacts: list[Obstacle], way: str
) -> tuple[np.ndarray, np.ndarray]:
    """States after each step, by a rollout or by a batch of environments."""
    q, v = np.atleast_2d(q).astype(float), np.atleast_2d(v).astype(float)
    if way == "rollout":
        path = r.rollout(q, v, np.zeros(r.nv), dt, steps=steps, contacts=contacts)
        return path.q, path.v
    env = sim.Batch(r, len(q), dt=dt, contacts=contacts, limits=False, start=(q, v))
    found = []
    for _ in range(steps):
        env.step(np.zeros(r.nv))
        found.append((env.q.copy(), env.v.copy()))
    return np.stack([x for x, _ in found], axis=1), np.stack([x for _, x in found], axis=1)


@pytest.mark.parametrize("way", ["rollout", "batch"])
def test_slow_hits_across_gravity_rebound(way: str) -> None:
    contact = Contact("a", Sphere(0.05), Sphere(0.05), "b", friction=0.0, restitution=1.0)
    for speed in (0.01, 0.15, 1.0):
        steps = int(0.12 / speed / 1e-2) + 5
        _, v = paths(robot(SLIDERS), [0.0, 0.0], [speed, 0.0], 1e-2, steps, [contact], way)
        assert v[0, -1] / speed == pytest.approx([0.0, 1.0], abs=1e-12)


@pytest.mark.parametrize("way", ["rollout", "batch"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_narrow_stops_hold_at_any_speed(way: str, restitution: float) -> None:
    r = robot(NARROW)
    for speed in (1.5, -10.0, 100.0):
        q, v = paths(r, [0.0003], [speed], 1e-3, 40, [*stops(r, restitution)], way)
        assert abs(q).max() < 0.001 * (1.0 + 1e-9) and abs(v).max() <= abs(speed)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_rebounds_of_environments_add_no_energy(friction: float) -> None:
    """But for the free fall of a step, and the weight of overlaps that are taken back."""
    r, rng, n, h, g = robot(ROD), np.random.default_rng(3), 16, 1e-3, 9.81
    q, v = r.random(rng, n), rng.normal(size=(n, 6)) * 3.0
    q[:, :3] = [0.0, 0.0, 0.4]
    contact = Contact(r.model.geoms[0].frame, r.model.geoms[0].shape, friction=friction, restitution=1.0)
    Q, V = paths(r, q, v, h, 500, [contact], "batch")
    weight = r.potential_energy(np.concatenate([q[:, None], Q], axis=1))
    gained = np.diff(r.kinetic_energy(Q, V) + 0.5 * (weight[:, 1:] + weight[:, :-1]), axis=1)
    assert gained.max() <= r.mass * g * (0.25 * g * h**2 + 1e-7)


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_rebounds_of_loops_add_no_energy(friction: float) -> None:
    """A four-bar whose coupler hits a plane across its path, again and again, without weight."""
    r = sv.load("four_bar").with_gravity([0.0, 0.0, 0.0])
    q = r.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v = 20.0 * sv.constraints.velocity_map(r, q)[:, 0]
    X, way = r.pose(q, "coupler_end"), r.velocity(q, v, "coupler_end")[3:]
    normal = -way / np.linalg.norm(way)
    side = np.cross([0.0, 1.0, 0.0], normal)
    plane = np.eye(4)
    plane[:3, :3] = np.column_stack([side, np.cross(normal, side), normal])
    plane[:3, 3] = X[:3, 3] - 0.005 * normal
    contact = Contact(
        "coupler_end", Sphere(0.0), on_placement=Pose.from_matrix(plane), friction=friction, restitution=1.0
    )
    path = r.rollout(q, v, np.zeros(r.nv), 1e-3, steps=150, contacts=[contact])
    energy = r.kinetic_energy(np.vstack([q, path.q]), np.vstack([v, path.v]))
    assert (path.force[..., 0] > 0.0).sum() >= 2 and path.verdict == 0
    assert np.diff(energy).max() < 1e-12 * energy[0]
    assert friction or energy[-1] == pytest.approx(energy[0], rel=1e-12)


MARBLES = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="a"><freejoint/><geom type="sphere" size=".005" mass=".01"/></body>
  <body name="b"><freejoint/><geom type="sphere" size=".005" mass=".01"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("aside", "hits"), [(0.0102, False), (0.0098, True), (0.0, True)])
def test_marbles_of_environments_hit_only_what_is_in_their_way(aside: float, hits: bool) -> None:
    r, rng, n = robot(MARBLES), np.random.default_rng(0), 12
    env = sim.Batch(r, n, dt=1e-3, contacts="file")
    for speed in (2.5, 10.0, 50.0):
        env.reset()
        env.q[:, 0], env.q[:, 1], env.v[:, 3] = -0.02 - rng.random(n) * speed * 1e-3, aside, speed
        for _ in range(int(0.05 / speed / 1e-3) + 4):
            env.step(np.zeros(12))
        pushed = np.abs(env.v[:, 9:]).max(axis=1) / speed
        assert (env.verdict == 0).all() and ((pushed > 1e-3).all() if hits else (pushed == 0.0).all())
