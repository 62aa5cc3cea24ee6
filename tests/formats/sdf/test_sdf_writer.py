"""A robot that is written as SDF and read again is the same robot, with its loops."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_axis, random_inertia, random_pose
from sixvec.cli.equivalence import differences
from sixvec.errors import ModelError
from sixvec.formats import parse_model
from sixvec.formats.sdf.write import write_sdf
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import Body, Closure, Frame, Gear, Geom, JointDynamics, Limits, Material, Mimic, Model
from sixvec.model.geom import z_towards
from sixvec.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from sixvec.spatial import Pose, Rotation, Vec3

ROUNDINGS = 1e-13


def written(model: Model) -> Model:
    return parse_model(write_sdf(model), "written.sdf")


def assert_same(model: Model, again: Model, samples: int = 3) -> None:
    for d in differences(model, again, samples):
        assert d.relative <= ROUNDINGS, d


def random_joint(rng: np.random.Generator) -> Joint:
    axis = random_axis(rng)
    across = z_towards(axis) @ Vec3(1.0, 0.0, 0.0)
    kinds = (Revolute(axis), Prismatic(axis), Helical(axis, 0.3), Universal(axis, across), Spherical(), Fixed())
    return kinds[rng.integers(len(kinds))]


def random_model(seed: int) -> Model:
    """A tree of all joints that SDF has, with frames beside the bodies' own, limits, springs and friction."""
    rng = np.random.default_rng(seed)
    bodies = [Body("root", None, Fixed(), random_pose(rng), random_inertia(rng))]
    for i in range(6):
        joint, parent = random_joint(rng), f"b{rng.integers(i)}" if i else "root"
        n = 0 if isinstance(joint, Spherical) else joint.nv
        bodies.append(Body(
            f"b{i}", parent, joint, random_pose(rng), random_inertia(rng), f"j{i}",
            Limits((-1.5,) * n, (2.0,) * n, (3.0,) * n, (4.0,) * n),
            JointDynamics((), (0.1,) * n, (0.2,) * n, (0.3,) * n, (0.4,) * n),
        ))  # fmt: skip
    frames = [Frame(b.name, b.name, random_pose(rng) if i % 2 else Pose.identity()) for i, b in enumerate(bodies)]
    return Model("tree", tuple(bodies), (*frames, Frame("tool", "b3", random_pose(rng))), Vec3(0.1, 0.2, -9.0))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_survive(seed: int) -> None:
    model = random_model(seed)
    again = written(model)
    assert {b.name: b.parent for b in again.bodies} == {b.name: b.parent for b in model.bodies}
    assert again.gravity == model.gravity and again.name == model.name
    for b in again.bodies:
        before = model.by_name[b.name]
        assert (b.joint_name, b.limits, b.dynamics) == (before.joint_name, before.limits, before.dynamics)
    assert {f.name for f in model.frames} <= {f.name for f in again.frames}
    assert_same(model, again)


@pytest.mark.parametrize("name", ["panda", "planar_2r", "four_bar"])
def test_built_in_robots_survive(name: str, tmp_path: Path) -> None:
    robot = sv.load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sv.save(robot, tmp_path / "r.sdf")
    again = sv.load(tmp_path / "r.sdf")
    assert [c.name for c in again.model.closures] == [c.name for c in robot.model.closures]
    assert again.nv == robot.nv


def parallelogram(joint: Joint, turn: float = 0.0) -> Model:
    """A four-bar that is closed at zero; the end of the rocker may be turned about the axis of the pin."""
    rng = np.random.default_rng(1)
    bodies = (
        Body("base"),
        Body("crank", "base", Revolute(), Pose.identity(), random_inertia(rng), "shoulder"),
        Body("coupler", "crank", Revolute(), Pose.translation(Vec3(0.0, 1.0, 0.0)), random_inertia(rng), "elbow"),
        Body("rocker", "base", Revolute(), Pose.translation(Vec3(2.0, 0.0, 0.0)), random_inertia(rng), "pivot"),
    )
    end = Pose(Rotation.about(Vec3(0.0, 0.0, 1.0), turn), Vec3(0.0, 1.0, 0.0))
    frames = (
        *(Frame(b.name, b.name) for b in bodies),
        Frame("c", "coupler", Pose.translation(Vec3(2.0, 0.0, 0.0))),
        Frame("r", "rocker", end),
    )
    return Model("bar", bodies, frames, closures=(Closure("pin", "c", "r", joint),))


@pytest.mark.covers("CON-13")
@pytest.mark.parametrize("turn", [0.0, 0.6])
@pytest.mark.parametrize("joint", [Revolute(), Spherical(), Universal()], ids=lambda j: type(j).__name__)
def test_loops_survive_and_move_alike(joint: Joint, turn: float) -> None:
    if isinstance(joint, Universal):
        turn = 0.0
    model = parallelogram(joint, turn)
    again = written(model)
    (closure,) = again.closures
    assert isinstance(closure, Closure) and closure.name == "pin" and type(closure.joint) is type(joint)
    assert_same(model, again)
    if isinstance(joint, Universal):
        return
    q, v, tau = [0.5, -0.5, 0.5], [0.2, -0.2, 0.2], [1.0, 0.0, 0.0]
    before, after = (sv.Robot(m).forward_dynamics(q, v, tau) for m in (model, again))
    assert after == pytest.approx(before, abs=1e-9)


@pytest.mark.parametrize("joint", [Revolute(), Spherical()], ids=lambda j: type(j).__name__)
def test_a_loop_that_is_open_at_zero_is_made_of_balls(joint: Joint) -> None:
    model = parallelogram(joint)
    turned = Frame("r", "rocker", random_pose(np.random.default_rng(2)))
    wide = replace(model, frames=(*model.frames[:-1], turned))
    (closure,) = written(wide).closures
    assert isinstance(closure, Closure) and type(closure.joint) is type(joint) and closure.name == "pin"
    q, v, tau = [0.5, -0.4, 0.3], [0.0] * 3, [1.0, 0.0, 0.0]
    rows = [sv.Robot(m).constrained_dynamics(q, v, tau, stabilisation=(0.0, 0.0)) for m in (wide, written(wide))]
    assert rows[0].a == pytest.approx(rows[1].a, abs=1e-8)
    with pytest.raises(ModelError, match=named("pin", "joints")):
        write_sdf(replace(wide, closures=(Closure("pin", "c", "r", Fixed()),)))


def test_gears_come_back_as_joints_that_follow() -> None:
    model = parallelogram(Revolute())
    geared = replace(model, closures=(Gear("pair", "crank", "rocker", -2.0, 0.25),))
    assert written(geared).by_name["rocker"].mimic == Mimic("crank", -2.0, 0.25)
    twice = replace(geared, closures=(*geared.closures, Gear("again", "coupler", "rocker")))
    with pytest.raises(ModelError, match="again"):
        write_sdf(twice)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (Body("a", joint=Free()), named("a")),
        (Body("a", joint=Planar()), named("a")),
        (Body("a", joint=Revolute(), dynamics=JointDynamics(armature=(0.1,))), "inertia"),
        (Body("a", joint=Spherical(), dynamics=JointDynamics(damping=(0.1,) * 3)), named("a")),
        (Body("a::b", joint=Revolute()), named("a::b")),
    ],
)
def test_what_sdf_cannot_say(body: Body, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        write_sdf(Model("r", (body,)))


def test_robots_without_bodies() -> None:
    with pytest.raises(ModelError, match=named("scenery", "SDF", "link")):
        write_sdf(Model("scenery", ()))


def test_shapes_survive(tmp_path: Path) -> None:
    shapes = (
        Box(Vec3(1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.1, 0.4), Capsule(0.1, 0.4), Cone(0.2, 0.6),
        Ellipsoid(Vec3(0.1, 0.2, 0.3)),
    )  # fmt: skip
    rng = np.random.default_rng(0)
    red = Material("", (1.0, 0.0, 0.0, 1.0))
    geoms = tuple(Geom("a", shape, random_pose(rng), f"g{i}", red, collision=False) for i, shape in enumerate(shapes))
    off = Frame("a", "a", random_pose(rng))
    model = Model("r", (Body("a", joint=Revolute(), inertia=random_inertia(rng), joint_name="j"),), (off,), geoms=geoms)
    sv.save(sv.Robot(model), tmp_path / "r.sdf")
    again = sv.load(tmp_path / "r.sdf").model
    assert [g.shape for g in again.geoms] == [*shapes]
    for g, h in zip(model.geoms, again.geoms, strict=True):
        assert np.allclose(g.placement.as_matrix(), h.placement.as_matrix(), atol=1e-14)
        assert h.material.color == red.color


def test_unlimited_joints_stay_so() -> None:
    model = Model("r", (Body("a", joint=Revolute()), Body("b", "a", Prismatic(), joint_name="s")))
    again = written(model)
    assert all(not math.isfinite(x) for b in again.bodies for x in (*b.limits.lower, *b.limits.upper))


def test_loops_that_end_in_the_world() -> None:
    """The child of a joint is a link, so the two sides are exchanged, if the joint is the same from both."""
    model = parallelogram(Revolute())
    assert not model.bodies[0].joint_name  # and yet its fixed joint is written: the loop is not what holds it
    post = Frame("post", None, Pose.translation(Vec3(2.0, 1.0, 0.0)))
    frames = (*model.frames, post)
    for joint in (Revolute(), Spherical()):
        held = replace(model, frames=frames, closures=(Closure("pin", "c", "post", joint),))
        again = written(held)
        (closure,) = again.closures
        assert isinstance(closure, Closure) and type(closure.joint) is type(joint) and again.nv == 3
        bodies = {again.frame(name).body for name in (closure.first, closure.second)}
        assert "coupler" in bodies and bodies <= {"coupler", "base", None}
    for joint in (Universal(), Helical(pitch=0.1)):
        with pytest.raises(ModelError, match=named("frames", "pin", "SDF", "child")):
            write_sdf(replace(model, frames=frames, closures=(Closure("pin", "c", "post", joint),)))
        write_sdf(replace(model, frames=frames, closures=(Closure("pin", "post", "c", joint),)))
    for joint in (Planar(), Cylindrical()):
        with pytest.raises(ModelError, match=named("pin", type(joint).__name__.lower())):
            write_sdf(replace(model, closures=(Closure("pin", "c", "r", joint),)))


def test_a_link_that_stands_for_the_world_is_the_world() -> None:
    """ROS often begins with such a link."""
    arm = (
        Body("world"),
        Body("arm", "world", Revolute(), random_pose(np.random.default_rng(1)), joint_name="shoulder"),
    )
    model = Model("r", arm, (Frame("world", "world"), Frame("arm", "arm"), Frame("camera", "world")))
    again = parse_model(write_sdf(model), "r.sdf")
    assert [b.name for b in again.bodies] == ["arm"] and again.bodies[0].parent is None
    assert again.bodies[0].joint_name == "shoulder"
    assert [*again.bodies[0].placement.pos] == [*arm[1].placement.pos]
    assert again.frame("camera").body is None
    for kept in (replace(arm[0], placement=Pose.translation(Vec3(0.0, 0.0, 1.0))), replace(arm[0], joint=Revolute())):
        with pytest.raises(ModelError, match=named("SDF", "cannot", "world")):
            write_sdf(Model("r", (kept, arm[1])))
