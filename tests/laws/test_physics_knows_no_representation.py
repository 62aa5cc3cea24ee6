"""The same robot in another world frame, other units, another order of joints: the same physics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from random_states import random_states
from random_trees import random_pose, random_tree
from sixvec import Robot
from sixvec.model import Body, Model
from sixvec.model.edits import reorder
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from tolerances import IDENTITY, SOLVED, assert_close


@pytest.mark.covers("MODEL-02")
def test_another_world_frame() -> None:
    """A robot that stands elsewhere, with gravity turned as well, needs the same joint forces."""
    model = random_tree(7, bodies=8)
    X = random_pose(np.random.default_rng(0))
    moved = replace(
        model,
        bodies=tuple(b if b.parent is not None else replace(b, placement=X @ b.placement) for b in model.bodies),
        gravity=X.rot @ model.gravity,
    )
    here, there = Robot(model), Robot(moved)
    q, v, a = random_states(here, 5)[:3]
    assert_close(there.inverse_dynamics(q, v, a), here.inverse_dynamics(q, v, a), IDENTITY)
    assert_close(there.kinetic_energy(q, v), here.kinetic_energy(q, v), IDENTITY)
    assert_close(there.forward_dynamics(q, v, a), here.forward_dynamics(q, v, a), SOLVED)
    body = model.bodies[-1].name
    assert_close(there.velocity(q, v, body, reference="local"), here.velocity(q, v, body, reference="local"), IDENTITY)


def _arm(length: float, mass: float) -> Model:
    """A turning and a sliding joint, with all lengths in units of 1/length m and masses in units of 1/mass kg."""
    rod = RigidInertia.from_center_of_mass(
        2.0 * mass, Vec3(0.3, 0.1, 0.0) * length, Sym3.diagonal(0.1, 0.2, 0.3) * (mass * length**2)
    )
    place = Pose.translation(Vec3(0.0, 0.2, 0.5) * length)
    bodies = (
        Body("arm", None, Revolute(Vec3(0.0, 1.0, 0.0)), Pose.identity(), rod),
        Body("slide", "arm", Prismatic(Vec3(1.0, 0.0, 0.0)), place, rod),
    )
    return Model("arm", bodies, gravity=Vec3(0.0, 0.0, -9.81) * length)


@pytest.mark.covers("MODEL-02")
def test_other_units() -> None:
    """In millimetres and grams, a torque is 1e9 and a force 1e6 times the number that it is in SI units."""
    length, mass = 1e3, 1e3
    si, other = Robot(_arm(1.0, 1.0)), Robot(_arm(length, mass))
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, 6, 2))
    scale = np.array([1.0, length])
    tau = si.inverse_dynamics(q, v, a)
    found = other.inverse_dynamics(q * scale, v * scale, a * scale)
    assert_close(found / np.array([mass * length**2, mass * length]), tau, IDENTITY)
    energy = other.kinetic_energy(q * scale, v * scale) / (mass * length**2)
    assert_close(energy, si.kinetic_energy(q, v), IDENTITY)


@pytest.mark.covers("MODEL-02")
def test_another_order_of_joints() -> None:
    model = random_tree(8, bodies=7)
    names = [b.joint_name for b in model.moving]
    turned = Robot(reorder(model, names[::-1]))
    here = Robot(model)
    q, v, a = random_states(here, 4)[:3]

    def reordered(x: np.ndarray, slices: str) -> np.ndarray:
        out = np.empty_like(x)
        for b in model.moving:
            out[:, getattr(turned.model, slices)[b.name]] = x[:, getattr(model, slices)[b.name]]
        return out

    found = turned.inverse_dynamics(reordered(q, "q_slices"), reordered(v, "v_slices"), reordered(a, "v_slices"))
    assert_close(found, reordered(here.inverse_dynamics(q, v, a), "v_slices"), IDENTITY)
