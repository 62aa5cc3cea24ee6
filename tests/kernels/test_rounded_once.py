"""Arrays of float32 are computed in double precision and rounded once: every answer is the rounded float64 answer."""

from __future__ import annotations

import inspect
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.mobile import Platform, mount
from sixvec.parallel import Delta, Planar3RPR, StewartGough
from sixvec.parallel.closure import closure_error, leg_vectors
from sixvec.spatial import RigidInertia, Sym3, Vec3

M, P = sv.mobile, sv.parallel
DRIVE, CAR, SWERVE = M.differential_drive(0.5, 0.1), M.car(1.3, 0.8), M.swerve(0.6, 0.4, 0.05)
CASTERS = Platform([*DRIVE.wheels, M.Caster(-0.35, 0.0, offset=0.04, radius=0.04, name="caster")])
TRUCK, FORM = DRIVE.with_trailer(0.1, length=0.8), M.chained_form(*M.bicycle(1.3).operators.values(), 4)
ANGLES = np.arange(6) * np.pi / 3 + [0.2, -0.1, 0.15, 0.0, -0.2, 0.1]
RING = np.stack([np.cos(ANGLES), np.sin(ANGLES), 0.1 * np.sin(3.0 * ANGLES)], -1)
SIXTHS = np.arange(6) * np.pi / 3
REGULAR = np.stack([np.cos(SIXTHS), np.sin(SIXTHS), 0.0 * SIXTHS], -1)
HEXAPOD, HEXAGON = StewartGough(RING, 0.5 * np.roll(RING, 1, axis=0)), StewartGough(REGULAR, 0.5 * REGULAR)
FLAT = StewartGough(RING * [1.0, 1.0, 0.0], 0.5 * np.roll(RING * [1.0, 1.0, 0.0], 1, axis=0))
DELTA, RPR = Delta(0.2, 0.05, 0.25, 0.6), Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
BODY = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
ROD = RigidInertia.from_center_of_mass(0.4, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.02, 0.02, 0.001))
MOVING = DELTA.dynamics((ROD, ROD), BODY, [0.02, 0.01, -0.5])
PANDA = sv.load("panda")
ARM = mount(PANDA, M.car(0.9, 0.5, radius=0.1), np.eye(4), inertia=BODY)
TIP = "panda_link8"

STEER, TWIST, START, GOAL = [0.3], [0.237, 1.0, 0.013], [0.1, 0.2, 0.3], [[1.1, 2.3, 1.0], [-1.2, 0.5, 3.0]]
RATES, WRENCH, POINT = [[7.1, 12.3], [8.2, 3.3]], [1.1, 0.5, 0.3], [0.02, 0.013, -0.5]
C, S = np.cos(0.123), np.sin(0.123)
POSE = [[C, -S, 0.0, 0.11], [S, C, 0.0, 0.23], [0.0, 0.0, 1.0, 1.07], [0.0, 0.0, 0.0, 1.0]]
SIX = [0.11, 0.23, 0.31, 0.41, 0.53, 0.61]
Q = [0.1, 0.2, 0.3, 0.3, *(0.1 * k + 0.07 for k in range(1, 8))]
CORNERS = ([0.0, 0.1, 0.0], [1.0, 0.0, 0.2], [0.0, 1.1, 0.0], [1.5, 1.4, 1.3])

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "Platform.shaft_velocity": (CAR.shaft_velocity, (3.1, STEER)),
    "Platform.wheel_angles": (CAR.wheel_angles, (STEER,)),
    "leg_vectors": (lambda X: leg_vectors(HEXAGON, X), (POSE,)),
    "closure_error": (lambda X, q: closure_error(HEXAGON, X, q), (POSE, [1.0] * 6)),
    "Platform.wrench_basis": (CAR.wrench_basis, (STEER,)),
    "Platform.forward_velocity": (CAR.forward_velocity, ([3.1, 2.9], STEER)),
    "Platform.inverse_velocity": (SWERVE.inverse_velocity, (TWIST,)),
    "Platform.filter": (lambda t, s: CAR.filter(t, steer=s), ([np.tan(0.3) / 1.3, 1.0, 0.0], STEER)),
    "Platform.icr": (DRIVE.icr, (TWIST,)),
    "Platform.rolling_twist": (CAR.rolling_twist, (STEER,)),
    "Platform.forward_force": (SWERVE.forward_force, ([0.1 * k for k in range(8)], [0.3, 0.1, 0.2, 0.7])),
    "Platform.inverse_force": (SWERVE.inverse_force, (WRENCH, [0.3, 0.1, 0.2, 0.7])),
    "Platform.least_forces": (CAR.least_forces, (WRENCH, STEER)),
    "Platform.equivalent_legs": (CAR.equivalent_legs, (STEER,)),
    "Platform.caster_rates": (CASTERS.caster_rates, (TWIST, [0.7])),
    "Platform.odometry": (lambda r, p: DRIVE.odometry(r, 0.1, p), (RATES, START)),
    "Truck.angle_rates": (TRUCK.angle_rates, ([0.2], TWIST)),
    "Truck.speeds": (TRUCK.speeds, ([0.2], TWIST)),
    "Truck.poses": (TRUCK.poses, (START, [0.2])),
    "Truck.steady_angles": (TRUCK.steady_angles, (0.31,)),
    "Truck.steady_radii": (TRUCK.steady_radii, (0.31,)),
    "Truck.jackknifed": (TRUCK.jackknifed, ([0.2],)),
    "Truck.odometry": (lambda r, p, a: TRUCK.odometry(r, 0.1, p, a), (RATES, START, [0.2])),
    "VectorField.__call__": (CAR.operators["drive"], ([*START, 0.2],)),
    "MotionOperator.move": (CAR.operators["drive"].move, ([*START, 0.2], 0.37)),
    "commutator": (lambda q, a: M.commutator(*DRIVE.operators.values(), q, a, a), (START, 0.37)),
    "ChainedForm.coordinates": (FORM.coordinates, ([*START, 0.2],)),
    "ChainedForm.inputs": (FORM.inputs, ([*START, 0.2], 0.3, 0.7)),
    "dubins": (lambda a, b: _along(M.dubins(a, b, 0.71)), (START, GOAL)),
    "reeds_shepp": (lambda a, b: _along(M.reeds_shepp(a, b, 0.71)), (START, GOAL)),
    "dubins to points": (lambda a, b: _along(M.dubins(a, b, 1.0)), ([0.0, 0.0, 0.0], [[1.0, 1.0], [0.3, -0.2]])),
    "reeds_shepp to points": (lambda a, b: _along(M.reeds_shepp(a, b, 1.0)), ([0.0, 0.0, 0.0], [1.0, 1.0])),
    "rotate_drive_rotate": (M.rotate_drive_rotate, (START, GOAL)),
    "approach": (lambda a, b: M.approach(DRIVE, a, b, 0.1, 5), (START, GOAL)),
    "follow": (lambda a, b: M.follow(DRIVE, a, b, 0.1), (START, GOAL)),
    "SupportPolygon.bears": (ARM.supports.bears, ([1.1, 2.3, 0.4, 5.0, 6.0, 300.0],)),
    "MobileRobot.steering": (ARM.steering, (Q,)),
    "MobileRobot.at_poses": (ARM.at_poses, (START, Q)),
    "MobileRobot.motor_basis": (ARM.motor_basis, (Q,)),
    "MobileRobot.input_map": (ARM.input_map, (Q,)),
    "MobileRobot.input_jacobian": (lambda q: ARM.input_jacobian(q, TIP), (Q,)),
    "MobileRobot.inverse_rates": (lambda q, t: ARM.inverse_rates(q, t, TIP), (Q, SIX)),
    "MobileRobot.follow": (lambda q, t: ARM.follow(q, t, TIP, 0.1), (Q, [SIX, SIX])),
    "MobileRobot.ground_wrench": (ARM.ground_wrench, (Q, Q, Q)),
    "MobileRobot.support": (ARM.support, (Q, Q, Q)),
    "MobileRobot.inverse_force": (lambda q, w: ARM.inverse_force(q, {TIP: w}), (Q, SIX)),
    "ParallelRobot.inverse_position": (HEXAPOD.inverse_position, (POSE,)),
    "ParallelRobot.working_modes": (DELTA.working_modes, (POINT,)),
    "ParallelRobot.branch": (DELTA.branch, (POINT, [0.3, 0.2, 0.1])),
    "ParallelRobot.wrench_basis": (HEXAPOD.wrench_basis, (POSE,)),
    "ParallelRobot.singularity": (HEXAPOD.singularity, (POSE,)),
    "ParallelRobot.internal_forces": (HEXAGON.internal_forces, (np.eye(4) + np.outer([1, 2, 9, 0], [0, 0, 0, 0.1]),)),
    "ParallelRobot.stiffness": (HEXAPOD.stiffness, (POSE, 100.3)),
    "ParallelRobot.forward_position": (HEXAPOD.forward_position, (HEXAPOD.inverse_position(POSE), POSE)),
    "ParallelRobot.assembly_modes": (DELTA.assembly_modes, ([0.3, 0.2, 0.1],)),
    "ParallelRobot.inverse_velocity": (HEXAPOD.inverse_velocity, (POSE, SIX)),
    "ParallelRobot.forward_velocity": (HEXAPOD.forward_velocity, (POSE, SIX)),
    "ParallelRobot.forward_force": (HEXAPOD.forward_force, (POSE, SIX)),
    "ParallelRobot.inverse_force": (HEXAPOD.inverse_force, (POSE, SIX)),
    "forces within limits": (lambda X, w: HEXAPOD.inverse_force(X, w, limits=(-50.0, 50.0)), (POSE, SIX)),
    "a branch": (lambda X, t: DELTA.inverse_velocity(X, t, [0, 1, 0]), (POINT, TWIST)),
    "Delta.forward_position": (DELTA.forward_position, ([0.3, 0.2, 0.1],)),
    "PlatformDynamics.position": (MOVING.position, (POINT,)),
    "PlatformDynamics.velocity": (MOVING.velocity, (POINT, TWIST)),
    "PlatformDynamics.wrench": (MOVING.wrench, (POINT, TWIST, WRENCH)),
    "PlatformDynamics.inverse_dynamics": (MOVING.inverse_dynamics, (POINT, TWIST, WRENCH)),
    "PlatformDynamics.mass_matrix": (MOVING.mass_matrix, (POINT,)),
    "PlatformDynamics.forward_dynamics": (MOVING.forward_dynamics, (POINT, TWIST, WRENCH)),
    "mirrored": (lambda X: P.mirrored(FLAT, X), (POSE,)),
    "is_convex": (lambda X: P.is_convex(FLAT, X), (POSE,)),
    "tetrahedron_apex": (P.tetrahedron_apex, CORNERS),
    "tetrahedron_velocity": (P.tetrahedron_velocity, (CORNERS[:3], CORNERS[3], CORNERS[:3])),
    "angular_velocity_from_points": (P.angular_velocity_from_points, (CORNERS[:3], CORNERS[1:])),
    "pose_from_points": (P.pose_from_points, (CORNERS[:3], CORNERS[1:])),
    "quality": (lambda X: P.quality(HEXAPOD, X), (POSE,)),
    "reach": (lambda X: P.reach(HEXAPOD, X), (POSE,)),
    "singularity_free_radius": (lambda X: P.singularity_free_radius(HEXAPOD, X, 0.3, 9, 5), (POSE,)),
    "workspace": (lambda b: P.workspace(DELTA, b, count=3), ([(-0.3, 0.3), (-0.3, 0.3), (-0.7, -0.3)],)),
    "track": (lambda q, X: P.track(RPR, q, X), ([[1.5, 2.2, 1.1], [1.6, 2.2, 1.2]], [1.0, 1.0, 0.0])),
    "leg_jacobian": (lambda p: P.leg_jacobian(HEXAPOD.legs[0], 1.1, p), ([0.1, 0.2, 1.0],)),
    "partial_wrenches": (P.partial_wrenches, (np.eye(6) + 0.1 * np.outer(SIX, SIX),)),
}  # fmt: skip

LEFT_OUT = {
    "calibrate_drive": "its runs are slow; it calls no other one",
    "calibrated": "of measurements, which are not those of one pose; it calls no other one",
    "slipping_rollout": "steps whose forces are found by iteration; it calls no other one",
    "MobileRobot.reach": "a search from a start",
    "singularity_free_path": "a search on a grid; it calls no other one",
    "leg_factors": "numbers of Python",
    "convert": "of a robot, not of these rooms",
    "segments": "of a path: in dubins", "curvature": "of a path: in dubins",
    "at": "of a path: in dubins", "samples": "of a path: in dubins",
}  # fmt: skip


def _along(path: Any) -> Any:
    return (
        path,
        path.segments,
        path.curvature,
        path.at(np.full(path.length.shape, 0.25, path.length.dtype)),
        path.samples(4),
    )


def arrays(x: Any) -> Iterator[Any]:
    """All arrays of floats of an answer."""
    if isinstance(x, np.ndarray | np.floating):
        yield np.asarray(x)
    elif is_dataclass(x) and type(x).__eq__ is object.__eq__:
        yield from (y for f in fields(x) for y in arrays(getattr(x, f.name)))
    elif isinstance(x, tuple | list):
        yield from (z for y in x for z in arrays(y))


@pytest.mark.parametrize("name", CALLS)
def test_single_precision_is_double_precision_rounded_once(name: str) -> None:
    function, given = CALLS[name]
    single = [np.array(x, np.float32) for x in given]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [*arrays(function(*single))]
        exact = [*arrays(function(*(x.astype(float) for x in single)))]
    assert len(found) == len(exact)
    for x, y in zip(found, exact, strict=True):
        assert x.dtype == (np.float32 if y.dtype == np.float64 else y.dtype)
        assert np.array_equal(x, y.astype(x.dtype), equal_nan=x.dtype.kind == "f")


def test_legs_that_depend_on_each_other_are_found_in_single_precision() -> None:
    X = np.array(np.eye(4) + np.outer([1, 2, 9, 0], [0, 0, 0, 0.1]), np.float32)
    assert HEXAGON.internal_forces(X).shape == (6, 3)
    steer, twist = np.array([0.3], np.float32), np.array([np.tan(0.3) / 1.3, 1.0, 0.0], np.float32)
    assert np.allclose(CAR.filter(twist, steer=steer), twist, atol=1e-6)


def test_every_function_of_these_packages_is_here() -> None:
    known = set()
    for room in (sv.mobile, sv.parallel):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for _, x in inspect.getmembers(import_module(module.name)):
                members = vars(x).values() if inspect.isclass(x) else [x]
                mine = (m for m in members if str(getattr(m, "__module__", "")).startswith(room.__name__))
                known |= {m.__qualname__ for m in mine if getattr(m, "keeps_precision", False)}
    assert known - CALLS.keys() - LEFT_OUT.keys() == set()
