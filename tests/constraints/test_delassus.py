"""A M⁻¹ Aᵀ by both routes, its factors, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from random_trees import random_inertia, random_tree
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.delassus import ROUTES
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.model import Body, Closure, Frame, Gear, Model
from sixvec.model.canonical import canonical
from sixvec.model.joints import Revolute, Spherical
from sixvec.scalar import operations
from sixvec.spatial import Pose, Vec3


def expected(robot: sv.Robot, q: list[float], hold: dict) -> tuple[np.ndarray, np.ndarray]:
    A = np.array(robot.evaluate("constraint_jacobian", q, hold=held_frames(robot.model, hold)), float)
    return A, A @ np.linalg.solve(np.array(robot.evaluate("mass_matrix", q), float), A.T)


@pytest.mark.covers("CON-05")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_rows_at_many_places(seed: int, route: str) -> None:
    robot = sv.Robot(random_tree(seed, 9, floating=bool(seed % 2)))
    moving = [b.name for b in robot.model.bodies if b.joint.nv]
    hold = {moving[-1]: "point", "tool0": "weld", "tool1": ("x", "turn world y"), moving[2]: ("x",)}
    hold[moving[4]] = ("z", "y")
    q, model = robot.random(seed).tolist(), canonical(robot.model)
    A, G = expected(robot, q, hold)
    found = np.array(ROUTES[route](model, JointVector(q, model.q_slices), held_frames(robot.model, hold)), float)
    assert np.abs(found - G).max() < 1e-12 * np.abs(G).max()
    assert np.array_equal(found, found.T)
    _, L, D = map(np.array, robot.evaluate("delassus", q, hold=held_frames(robot.model, hold)))
    assert np.abs(L * D @ L.T - G).max() < 1e-11 * np.abs(G).max()
    assert (D > 0.0).sum() == np.linalg.matrix_rank(A)
    assert np.array_equal(np.triu(L), np.eye(len(L)))


def test_loops_and_gears_have_rows_too() -> None:
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    found = bars.delassus(np.stack([q, q]), hold={"rocker_end": ("x",)})
    A, G = expected(bars, q.tolist(), {"rocker_end": ("x",)})
    assert np.allclose(found.G[1], G, atol=1e-12) and (found.D[0] > 0.0).sum() == np.linalg.matrix_rank(A)
    model = sv.load("planar_2r").model
    geared = sv.Robot(Model("geared", model.bodies, model.frames, closures=(Gear("pair", "link1", "link2", -0.5),)))
    assert np.allclose(geared.evaluate("delassus", [0.4, -0.2])[0], expected(geared, [0.4, -0.2], {})[1])


def chain(bodies: int) -> Model:
    """A chain with a loop over the middle, alike at any length."""
    rng = np.random.default_rng(0)
    inertia, axis = random_inertia(rng), Vec3(0.6, 0.0, 0.8)
    at = Pose.translation(Vec3(0.1, 0.2, 0.3))
    links = tuple(Body(f"link{i}", f"link{i - 1}" if i else None, Revolute(axis), at, inertia) for i in range(bodies))
    frames = (Frame("middle", f"link{bodies // 2}", at), Frame("tip", links[-1].name, at), Frame("ground", None, at))
    return Model("chain", links, frames, closures=(Closure("ball", "middle", "tip", Spherical()),))


def test_the_recursion_takes_a_constant_number_of_operations_a_body() -> None:
    def count(route: str, bodies: int) -> int:
        model = canonical(chain(bodies))
        hold = held_frames(model, {"tip": "weld", ("middle", "ground"): "point"})

        def run(q):
            return [x for row in ROUTES[route](model, JointVector(q, model.q_slices), hold) for x in row]

        return operations(run, model.nq)

    recursion = [count("recursion", n) for n in (8, 16, 24)]
    factors = [count("factors", n) for n in (8, 16, 24)]
    assert np.diff(recursion)[1] == pytest.approx(np.diff(recursion)[0], rel=0.02)
    assert np.diff(factors)[1] > 1.5 * np.diff(factors)[0]
    assert recursion[-1] < factors[-1]
