"""Dynamics of parallel robots: the tree with loops, virtual work in the platform's motion, and Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naming import named
from parallel_robots import FAMILIES, HOME, Array, hexapod, step
from sixvec import Robot
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Cylinder, Sphere
from sixvec.model.joints import Free, Prismatic, Revolute, Universal
from sixvec.parallel.dynamics import PlatformDynamics
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(23)


def body(mass: float, center: tuple[float, float, float]) -> RigidInertia:
    return RigidInertia.from_center_of_mass(mass, Vec3(*center), Sym3.diagonal(0.02 * mass, 0.03 * mass, 0.025 * mass))


INERTIAS = (body(1.0, (0.05, 0.02, 0.1)), body(0.5, (0.01, 0.03, -0.2)))
PLATFORM = body(4.0, (0.02, 0.01, 0.05))


def with_masses(name: str) -> tuple[PlatformDynamics, Array, Array, Array]:
    """Dynamics around the family's pose, and a pose, a twist and actuator forces nearby."""
    parallel, X = FAMILIES[name]
    m = parallel.space.freedoms
    dynamics: PlatformDynamics = parallel.dynamics(INERTIAS, PLATFORM, X)
    return dynamics, step(parallel, X, 0.05 * RNG.normal(size=m)), RNG.normal(size=m), 5.0 * RNG.normal(size=parallel.n)


def all_forces(robot: Robot, tau: Array) -> Array:
    """Forces of all joints, those of the actuators given."""
    full = np.zeros(robot.nv)
    for b in robot.model.moving:
        if b.joint_name in [f"leg{k}" for k in range(len(tau))]:
            full[robot.model.v_slices[b.name]] = tau[int(b.joint_name[3:])]
    return full


def platform_acceleration(dynamics: PlatformDynamics, q: Array, v: Array, a: Array) -> Array:
    classical = np.asarray(dynamics.robot.classical_acceleration(q, v, a, "platform"))
    if (space := dynamics.parallel.space).freedoms == 6:
        return classical
    return classical[{0: [3, 4, 5], 1: [2, 3, 4], 3: [0, 1, 2]}[space.turns]]


def check(name: str) -> None:
    dynamics, X, twist, tau = with_masses(name)
    robot = dynamics.robot
    q, v = dynamics.position(X), dynamics.velocity(X, twist)
    assert np.abs(robot.closure_error(q)).max() < 1e-14
    assert np.abs(robot.closure_jacobian(q) @ v).max() < 1e-13
    a = robot.forward_dynamics(q, v, all_forces(robot, tau))
    A = dynamics.forward_dynamics(X, twist, tau)
    assert np.abs(platform_acceleration(dynamics, q, v, a) - A).max() < 1e-9 * (1.0 + np.abs(A).max())
    assert np.allclose(dynamics.inverse_dynamics(X, twist, A), tau, atol=1e-9)
    M = dynamics.mass_matrix(X)
    assert np.allclose(M, M.T, atol=1e-12) and np.linalg.eigvalsh(M).min() > 0.0
    energy = robot.kinetic_energy(q, v)
    assert twist @ M @ twist / 2.0 == pytest.approx(float(energy), rel=1e-10)


@pytest.mark.covers("PAR-28")
@pytest.mark.parametrize("name", ["delta", "3-RPR", pytest.param("spherical", marks=pytest.mark.covers("PAR-26"))])
def test_virtual_work_and_the_tree_with_loops_agree(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hexapod", "hexa", "hexaglide", "321", "3-RRR"])
def test_virtual_work_and_the_tree_with_loops_agree_for_every_family(name: str) -> None:
    check(name)


def test_forces_at_rest_hold_the_weight() -> None:
    """By the maps alone: massless legs, a platform whose weight acts at its centre of mass."""
    parallel = hexapod()
    still = np.zeros(6)
    nothing = (RigidInertia.zero(), RigidInertia.zero())
    tau = parallel.dynamics(nothing, PLATFORM, HOME).inverse_dynamics(HOME, still, still)
    weight = np.array([0.0, 0.0, -4.0 * 9.81])
    moment = np.cross(HOME[:3, :3] @ np.array([*PLATFORM.center]), weight)
    assert np.allclose(parallel.forward_force(HOME, tau), -np.concatenate([moment, weight]))
    with pytest.raises(ArgumentError, match=named("leg_inertias", "RigidInertia")):
        parallel.dynamics([INERTIAS] * 5, PLATFORM, HOME)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_a_robot_with_as_many_freedoms(name: str) -> None:
    parallel, _ = FAMILIES[name]
    robot = parallel.robot(leg_inertias=INERTIAS, platform_inertia=PLATFORM)
    rows = sum(c.constraints for c in robot.model.closures)
    planar = parallel.n if parallel.space.turns == 1 else 0  # balls in a plane repeat what the plane says
    assert robot.nv - rows + planar == parallel.mobility


def in_pinocchio(robot: Robot) -> tuple[Any, Any, list[int], dict[str, int]]:
    """The tree in Pinocchio with its closures; the order of its velocities; the joint that moves each body."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle")
    model, joint_of, order = pin.Model(), {"base": 0}, []

    def placed(pose: Any) -> Any:
        return pin.SE3(np.array([[*row] for row in pose.rot.matrix.rows], float), np.array([*pose.pos], float))

    for b in robot.model.bodies[1:]:
        here = placed(b.placement)
        parent = joint_of[b.parent]
        kinds = {
            Free: lambda j: [pin.JointModelFreeFlyer()],
            Universal: lambda j: [pin.JointModelRX(), pin.JointModelRY()],
            Revolute: lambda j: [pin.JointModelRevoluteUnaligned(np.array([*j.axis], float))],
            Prismatic: lambda j: [pin.JointModelPrismaticUnaligned(np.array([*j.axis], float))],
        }
        for k, joint in enumerate(kinds[type(b.joint)](b.joint)):
            parent = model.addJoint(parent, joint, here if k == 0 else pin.SE3.Identity(), f"{b.name}{k}")
        joint_of[b.name] = parent
        I = b.inertia
        if float(I.mass) > 0.0:
            full = np.array([[*row] for row in I.about_center.full.rows], float)
            model.appendBodyToJoint(parent, pin.Inertia(float(I.mass), np.array([*I.center]), full), pin.SE3.Identity())
        v = list(range(robot.nv))[robot.model.v_slices[b.name]]
        order += [v[i] for i in (3, 4, 5, 0, 1, 2)] if len(v) == 6 else v
    model.gravity.linear = np.array([*robot.model.gravity], float)
    constraints = pin.StdVec_RigidConstraintModel()
    for closure in robot.model.closures:
        first, second = (robot.model.frame(n) for n in (closure.first, closure.second))
        constraints.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, model, joint_of[first.body], placed(first.placement),
                joint_of[second.body], placed(second.placement), pin.LOCAL,
            )
        )  # fmt: skip
    return model, constraints, order, joint_of


@pytest.mark.parametrize("name", ["delta", pytest.param("hexapod", marks=pytest.mark.slow)])
def test_pinocchio_finds_the_same_accelerations(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle")
    dynamics, X, twist, tau = with_masses(name)
    robot = dynamics.robot
    model, constraints, order, _ = in_pinocchio(robot)
    q, v = dynamics.position(X), dynamics.velocity(X, twist)
    datas = pin.StdVec_RigidConstraintData()
    for c in constraints:
        datas.append(c.createData())
    data = model.createData()
    pin.initConstraintDynamics(model, data, constraints, datas)
    settings = pin.ProximalSettings(1e-14, 1e-12, 100)
    theirs = pin.constraintDynamics(
        model, data, q, v[order], all_forces(robot, tau)[order], constraints, datas, settings
    )
    back = np.argsort(order)
    A = dynamics.forward_dynamics(X, twist, tau)
    found = platform_acceleration(dynamics, q, v, np.asarray(theirs)[back])
    assert np.abs(found - A).max() < 1e-8 * (1.0 + np.abs(A).max())


COLORS = {
    "rods": (0.85, 0.85, 0.88, 1.0), "cylinders": (0.45, 0.5, 0.58, 1.0), "pivots": (0.15, 0.35, 0.6, 1.0),
    "base": (0.55, 0.55, 0.55, 1.0), "platform": (0.85, 0.45, 0.1, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", ["hexapod", "hexa", "hexaglide", "3-RPR", "321"])
def test_shapes_have_the_sizes_of_the_legs(name: str) -> None:
    parallel, X = FAMILIES[name]
    dynamics = parallel.dynamics(INERTIAS, PLATFORM, X)
    geoms, rods = dynamics.robot.model.geoms, dynamics._rods
    roots = parallel.roots
    r = 0.016 * (np.abs(rods).max() + np.linalg.norm(roots - roots.mean(axis=0), axis=-1).max())
    assert {g.material.name: g.material.color for g in geoms if g.material}.items() <= COLORS.items()
    assert not any(g.collision for g in geoms)
    along = np.array([1.0, 0.0, 0.0] if name == "3-RPR" else [0.0, 0.0, 1.0])

    def bar(frame: str) -> tuple[float, float, Array, Array]:
        (g,) = (g for g in geoms if g.frame == frame and isinstance(g.shape, Cylinder))
        way = g.placement.rot @ Vec3(0.0, 0.0, 1.0)
        return float(g.shape.radius), float(g.shape.length), np.array([*g.placement.pos]), np.array([*way])

    for k, (leg, length) in enumerate(zip(parallel.legs, rods.tolist(), strict=True)):
        if leg.kind == "UPS":
            expected = {
                "cylinder": (1.7 * r, 0.6 * length, 0.3 * length * along, along),
                "rod": (r, 0.75 * length, -0.375 * length * along, along),
            }
        else:
            expected = {"rod": (r, leg.rod, 0.5 * leg.rod * along, along)}
            (ball,) = (g for g in geoms if g.frame == f"leg{k}_rod" and isinstance(g.shape, Sphere))
            assert ball.shape.radius == pytest.approx(2.2 * r) and ball.placement == Pose.identity()
        if leg.kind == "RUS":
            x = np.array([1.0, 0.0, 0.0])
            expected["crank"] = (1.7 * r, leg.crank, 0.5 * leg.crank * x, x)
        for part, numbers in expected.items():
            for found, wanted in zip(bar(f"leg{k}_{part}"), numbers, strict=True):
                assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)
    for frame, pivots in (("base", roots), ("platform", parallel.platform)):
        balls = [g for g in geoms if g.frame == frame and isinstance(g.shape, Sphere)]
        bars = [g for g in geoms if g.frame == frame and isinstance(g.shape, Cylinder)]
        places = {tuple(p) for p in pivots.tolist()}
        assert {tuple(map(float, g.placement.pos)) for g in balls} == places and len(balls) == len(bars) == len(places)
        assert {round(g.shape.radius / r, 9) for g in balls} == {2.2}
        assert {round(g.shape.radius / r, 9) for g in bars} == {1.7}
        middle = np.mean([[*g.placement.pos] for g in bars], axis=0)  # each pivot begins a bar and ends one
        assert np.allclose(middle, np.mean([*places], axis=0))


def test_velocities_of_a_hexapod_are_rates_of_its_positions() -> None:
    """Of the platform in its own axes, of the legs by differences."""
    parallel = hexapod()
    dynamics = parallel.dynamics(INERTIAS, PLATFORM, HOME)
    twist, h = np.array([0.3, -0.5, 0.4, 0.2, 0.1, -0.6]), 1e-6
    v, R = dynamics.velocity(HOME, twist), HOME[:3, :3]
    assert np.allclose(v[:6], [*(R.T @ twist[:3]), *(R.T @ twist[3:])], atol=1e-12)
    ahead, behind = (dynamics.position(step(parallel, HOME, s * h * twist)) for s in (1.0, -1.0))
    assert np.allclose(v[6:], (ahead - behind)[7:] / (2.0 * h), atol=1e-8)
    q = dynamics.position(HOME)
    assert np.allclose(q[:3], HOME[:3, 3]) and np.isclose(np.linalg.norm(q[3:7]), 1.0)
    x, y, z, w = q[3:7]
    assert np.allclose(R[:, 0], [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)])
    batch = dynamics.velocity(np.stack([HOME, HOME]), np.stack([twist, 2.0 * twist]))
    assert np.allclose(batch, [v, 2.0 * v])
