"""Linkages with names: Watt, Sarrus, Bennett, Bricard.  What each is known for, and its dynamics with dependent rows.

The delta and the five-bar are in tests/parallel and tests/constraints/test_loops.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints import independent_dynamics, velocity_map
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
SHORT, LONG = 0.6, 1.1
"""Twists of a Bennett linkage, rad."""


def rod(along: Vec3) -> RigidInertia:
    return RigidInertia.from_center_of_mass(1.0, along * 0.5, Sym3.diagonal(0.1, 0.11, 0.09))


def at(position: Vec3) -> Pose:
    return Pose(Rotation.identity(), position)


def linkage(name: str, links: Sequence[tuple[float, float]], *frames: Frame) -> sv.Robot:
    """A ring of hinges: each link leads along x to the next hinge and twists it about x; the last is the ground."""
    bodies, place, parent = [], Pose.identity(), None
    for k, (length, twist) in enumerate(links[:-1], 1):
        bodies.append(Body(f"link{k}", parent, Revolute(), place, rod(X * length)))
        place, parent = Pose(Rotation.about(X, twist), X * length), f"link{k}"
    length, twist = links[-1]
    ends = (Frame("end", parent, place), Frame("ground", None, Pose(Rotation.about(X, twist), X * length).inv()))
    return sv.Robot(
        Model(name, tuple(bodies), (*ends, *frames), closures=(Closure("pin", "end", "ground", Revolute()),))
    )


def watt() -> sv.Robot:
    """Two rods of 1 m and a coupler of 0.5 m, whose middle is nearly led along a line."""
    ground = float(np.hypot(2.0, 0.5))
    return linkage("watt", [(1.0, 0.0), (0.5, 0.0), (1.0, 0.0), (ground, 0.0)], Frame("middle", "link2", at(X * 0.25)))


def sarrus() -> sv.Robot:
    """Two pairs of plates, hinged about y and about x, that lead a top plate straight up."""
    up = Z * 1.0
    bodies = (
        Body("a1", None, Revolute(Y), at(X * 0.5), rod(up)),
        Body("a2", "a1", Revolute(Y), at(up), rod(up)),
        Body("top", "a2", Revolute(Y), at(up), rod(X * -1.0)),
        Body("b1", None, Revolute(X), at(Y * 0.5), rod(up)),
        Body("b2", "b1", Revolute(X), at(up), rod(up)),
    )
    frames = (Frame("b_end", "b2", at(up)), Frame("b_top", "top", at(X * -0.5 + Y * 0.5)))
    return sv.Robot(Model("sarrus", bodies, frames, closures=(Closure("pin", "b_end", "b_top", Revolute(X)),)))


def bennett() -> sv.Robot:
    return linkage("bennett", [(1.0, SHORT), (float(np.sin(LONG) / np.sin(SHORT)), LONG)] * 2)


def bricard() -> sv.Robot:
    """The trihedral one: six equal links, twisted by right angles to and fro."""
    return linkage("bricard", [(1.0, np.pi / 2), (1.0, -np.pi / 2)] * 3)


GUESS = {
    watt: [np.pi - np.arctan(0.25), -np.pi / 2, np.pi / 2],
    sarrus: [0.6, -1.2, 0.6, -0.6, 1.2],
    bennett: [1.0, 2.0, -1.0],
    bricard: [0.5, 2.0, 0.5, 2.0, 0.5],
}
LINKAGES = list(GUESS)


@pytest.mark.covers("CON-13")
@pytest.mark.parametrize("make", LINKAGES, ids=lambda f: f.__name__)
def test_one_freedom_and_its_dynamics(make) -> None:
    """Rows depend on each other, in space only at closed positions; the acceleration is that of the one freedom."""
    robot = make()
    q = robot.assemble(GUESS[make]).q
    found = sv.constraints.report(robot, q)
    assert np.abs(robot.closure_error(q)).max() < 1e-12
    assert found.freedoms == 1 and found.rank == robot.nv - 1 and found.redundant
    first = robot.joint_names[0]
    v = 1.5 * velocity_map(robot, q, [first])[:, 0]
    tau = np.linspace(1.0, -0.5, robot.nv)
    reduced = independent_dynamics(robot, q, v, [first])
    a = reduced.K[:, 0] * ((reduced.K.T @ tau - reduced.bias) / reduced.M[0]) + reduced.drift
    for method in ("kkt", "recursion"):
        state = (q.tolist(), v.tolist(), tau.tolist())
        answer, _, residual = robot.evaluate("constrained_dynamics", *state, method=method)
        assert np.allclose(answer, a, rtol=1e-9, atol=1e-9 * np.abs(a).max()), method
        assert residual < 1e-9 * (1.0 + np.abs(a).max())


@pytest.mark.every(4)
@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("make", LINKAGES, ids=lambda f: f.__name__)
def test_rollouts_stay_closed_and_keep_the_energy(make) -> None:
    robot = make().with_gravity([0.0, 0.0, 0.0])
    q = robot.assemble(GUESS[make]).q
    v = 1.5 * velocity_map(robot, q, [robot.joint_names[0]])[:, 0]
    path = robot.rollout(q, v, np.zeros(robot.nv), 1e-3, steps=1000, integrator="rk4")
    energy = robot.kinetic_energy(path.q, path.v)
    assert np.abs(robot.closure_error(path.q)).max() < 1e-9
    assert np.ptp(path.q[:, 0]) > 0.5 and np.ptp(energy) < 1e-8 * energy[0]


def positions(robot: sv.Robot, start: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Closed positions along the first joint, each found from the one before."""
    found, q = [], start
    for step in steps:
        q = robot.assemble(
            q + step * velocity_map(robot, q, [robot.joint_names[0]])[:, 0], fixed=[robot.joint_names[0]]
        ).q
        found.append(q)
    return np.array(found)


def test_watt_leads_the_middle_along_a_line() -> None:
    robot = watt()
    q = robot.assemble([3.33, -1.51, 1.62]).q  # the middle of the line
    path = positions(
        robot, robot.assemble(q - 0.2 * velocity_map(robot, q, ["link1"])[:, 0], fixed=["link1"]).q, np.full(20, 0.02)
    )
    middle = robot.pose(path, "middle")[:, :2, 3]
    along, across = np.linalg.svd(middle - middle.mean(axis=0), full_matrices=False)[1]
    assert np.ptp(middle, axis=0).max() > 0.3 and across < 2e-3 * along


def test_sarrus_lifts_without_turning() -> None:
    robot = sarrus()
    path = positions(robot, robot.assemble(GUESS[sarrus]).q, np.full(10, -0.03))
    top = robot.pose(path, "top")
    assert np.allclose(top[:, :3, :3], np.eye(3), atol=1e-9)
    assert np.allclose(top[:, :2, 3], [0.5, 0.0], atol=1e-9)
    assert np.allclose(top[:, 2, 3], 2.0 * np.cos(path[:, 0]), atol=1e-9)


def test_bennett_joints_have_one_ratio_of_half_tangents() -> None:
    robot = bennett()
    path = positions(robot, robot.assemble(GUESS[bennett]).q, np.full(10, 0.05))
    ratio = np.tan(path[:, 0] / 2.0) * np.tan(path[:, 1] / 2.0)
    expected = np.sin((LONG + SHORT) / 2.0) / np.sin((LONG - SHORT) / 2.0)
    assert np.allclose(np.abs(ratio), expected, rtol=1e-8)
    assert np.allclose(np.cos(path[:, 0]), np.cos(path[:, 2]), atol=1e-9)


def test_bricard_opens_with_threefold_symmetry() -> None:
    """cos θ cos φ + cos α (sin θ sin φ + …) = 0 is, for right angles, cos θ + cos φ + cos θ cos φ = 0."""
    robot = bricard()
    path = positions(robot, robot.assemble(GUESS[bricard]).q, np.full(10, 0.04))
    assert np.allclose(path[:, [2, 4]], path[:, [0]], atol=1e-8) and np.allclose(path[:, 3], path[:, 1], atol=1e-8)
    c, d = np.cos(path[:, 0]), np.cos(path[:, 1])
    assert np.allclose(c + d + c * d, 0.0, atol=1e-8)
