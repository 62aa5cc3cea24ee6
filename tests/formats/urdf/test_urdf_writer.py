"""A robot that is written as URDF and read again is the same robot."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from package_files import published_urdf
from random_trees import random_axis, random_inertia, random_pose
from sixvec.cli.equivalence import differences
from sixvec.errors import ModelError
from sixvec.formats import load_model, parse_model
from sixvec.formats.number_text import roll_pitch_yaw
from sixvec.formats.urdf.write import WORLD_LINK, write_urdf
from sixvec.formats.xml import parse_xml
from sixvec.model import Body, Frame, JointDynamics, Limits, Mimic, Model
from sixvec.model.joints import Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

ROUNDINGS = 1e-13
"""A few roundings of angles and of the parallel-axis theorem; the worst of the published robots is 7e-16."""

REFUSED = {"falcon.urdf", "ur3.urdf"}
"""Files of the package that describe no robot."""


def published() -> list[Path]:
    return [f for f in published_urdf() if f.name not in REFUSED]


def written(model: Model) -> Model:
    return parse_model(write_urdf(model), "written.urdf")


def assert_same(model: Model, again: Model, samples: int = 5) -> None:
    for d in differences(model, again, samples):
        assert d.relative <= ROUNDINGS, d


@pytest.mark.every(8)
@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize("path", published(), ids=lambda p: f"{p.parts[-3]}/{p.stem}")
def test_published_robots_survive(path: Path) -> None:
    model = load_model(path)
    again = written(model)
    assert [b.name for b in again.bodies] == [b.name for b in model.bodies]
    assert [b.joint_name for b in again.moving] == [b.joint_name for b in model.moving]
    for b, c in zip(model.bodies, again.bodies, strict=True):
        assert finite(b.limits) == finite(c.limits)
        assert (b.dynamics.damping, b.dynamics.friction, b.mimic) == (c.dynamics.damping, c.dynamics.friction, c.mimic)
    assert_same(model, again)


def finite(limits: Limits) -> list[float]:
    values = (*limits.lower, *limits.upper, *limits.velocity, *limits.effort)
    return [x for x in values if abs(x) < 1e300]


@pytest.mark.every(4)
@pytest.mark.parametrize("path", published()[::6], ids=lambda p: f"{p.parts[-3]}/{p.stem}")
def test_floating_robots_survive(path: Path) -> None:
    model = load_model(path, floating=True)
    again = written(model)
    assert again.nv == model.nv and again.bodies[0].name.startswith(WORLD_LINK)
    assert_same(model, again)


def test_writing_again_changes_nothing() -> None:
    for make in (BUILT_IN["panda"], BUILT_IN["puma560"]):
        once = written(replace_dynamics(make()))
        assert_same(once, written(once))


def replace_dynamics(model: Model) -> Model:
    """The same robot without what URDF has no word for."""
    kept = tuple(replace(b, dynamics=replace(b.dynamics, armature=(), stiffness=(), rest=())) for b in model.bodies)
    return replace(model, bodies=kept)


def test_a_frame_keeps_its_name_before_a_body() -> None:
    away = Pose(Rotation.identity(), Vec3(1.0, 2.0, 3.0))
    model = Model("r", (Body("a"), Body("b", "a", Revolute())), (Frame("b", "b", away), Frame("world", "a", away)))
    again = written(model)
    assert [b.name for b in again.bodies] == ["a", "b_body", "b", "world"]
    assert_same(model, again)


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(20))
def test_random_trees_survive(seed: int) -> None:
    """Every joint type of the format, any pose and inertia, several roots, frames on bodies and on the world."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    for i in range(8):
        joint = [Fixed(), Free(), Revolute(random_axis(rng)), Prismatic(random_axis(rng)), Planar(random_axis(rng))]
        parent = None if i < 2 else f"b{rng.integers(i)}"
        bodies.append(Body(f"b{i}", parent, joint[i % 5], random_pose(rng), random_inertia(rng), f"j{i}"))
    own = tuple(Frame(b.name, b.name) for b in bodies)
    frames = (*own, Frame("tool", "b7", random_pose(rng)), Frame("ground", None, random_pose(rng)))
    model = Model("tree", tuple(bodies), frames)
    again = written(model)
    assert {f.name for f in again.frames} == {f.name for f in model.frames} | {WORLD_LINK}
    assert_same(model, again)


def test_angles_are_exact_also_where_two_of_them_are_not_defined() -> None:
    rng = np.random.default_rng(3)
    for pitch in (math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, math.pi / 2 - 1e-15, 0.0, math.pi, 1.0):
        for roll, yaw in rng.uniform(-4.0, 4.0, (20, 2)):
            R = Rotation.from_rpy(roll, pitch, yaw)
            again = Rotation.from_rpy(*roll_pitch_yaw(Pose(R, Vec3.zero())))
            assert [*again.matrix] == pytest.approx([*R.matrix], abs=1e-15)


def test_numbers_are_written_to_the_last_bit() -> None:
    position, mass, bound = Vec3(0.1 + 0.2, 1.0 / 3.0, -5e-324), 2.0 / 3.0, math.pi * 0.9
    ball = RigidInertia(mass, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1 + 1e-17))
    limits = Limits((-bound,), (bound,), (1e-7,), (123456.789,))
    dynamics = JointDynamics(damping=(0.1,), friction=(0.3,))
    pose = Pose(Rotation.identity(), position)
    joint = Revolute(Vec3(0.6, 0.0, 0.8))
    text = write_urdf(Model("r", (Body("a"), Body("b", "a", joint, pose, ball, "j", limits, dynamics))))
    b = parse_model(text, "r.urdf").bodies[1]
    assert (b.placement.pos, b.inertia, b.limits, b.joint) == (position, ball, limits, joint)
    assert b.dynamics == dynamics


def test_mimic_joints_name_the_joint_of_their_leader() -> None:
    leader = Body("b", "a", Revolute(), joint_name="lead")
    follower = Body("c", "a", Revolute(), joint_name="follow", mimic=Mimic("b", -0.5, 0.25))
    text = write_urdf(Model("r", (Body("a"), leader, follower)))
    assert parse_model(text, "r.urdf").bodies[2].mimic == Mimic("b", -0.5, 0.25)
    mimic = [*parse_xml(text, "r.urdf").children("joint")][1].required("mimic")
    assert (mimic.text("joint"), mimic.number("multiplier"), mimic.number("offset")) == ("lead", -0.5, 0.25)


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([Body("b", "a", Spherical(), joint_name="ball")], ['joint "ball"', "no spherical joint", "lock"]),
        (
            [Body("b", "a", Helical(pitch=0.1), joint_name="screw")],
            ['joint "screw"', "no helical", "or write SDF"],
        ),
        ([Body("b", "a", Revolute(), dynamics=JointDynamics(armature=(1.0,)))], ['joint "b"', "rotor inertia"]),
        ([Body("b", "a", Revolute(), dynamics=JointDynamics(stiffness=(1.0,)))], ['joint "b"', "a spring"]),
        ([Body("b", "a", Planar(), limits=Limits(lower=(0.0, 0.0, 0.0)))], ['joint "b"', "limits", "planar"]),
        ([Body("b", "a", Revolute(), joint_name="j"), Body("c", "a", Revolute(), joint_name="j")], ['"j"', "rename"]),
        ([Body("b ", "a", Revolute())], ["'b '", "rename"]),
        ([Body("b", "a", inertia=RigidInertia(0.0, Vec3(1.0, 0.0, 0.0), Sym3.zero()))], ['"b"', "no mass"]),
    ],
)
def test_what_urdf_cannot_say_raises(bodies: list[Body], words: list[str]) -> None:
    with pytest.raises(ModelError) as caught:
        write_urdf(Model("r", (Body("a"), *bodies)))
    for word in words:
        assert word in str(caught.value)


def test_names_are_escaped() -> None:
    name = 'a<b>&"c" é'
    again = written(Model(name, (Body(name), Body("x", name, Revolute()))))
    assert (again.name, again.bodies[0].name) == (name, name)


def test_pinocchio_reads_what_we_write() -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) confirms the writer")
    model = replace_dynamics(BUILT_IN["panda"]())
    theirs = pin.buildModelFromXML(write_urdf(model))
    q = np.array([0.1, -0.4, 0.3, -1.2, 0.5, 1.1, -0.2])
    from sixvec.cli.equivalence import evaluated
    from sixvec.robot import Robot

    M = pin.crba(theirs, theirs.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(evaluated(Robot(model), "mass_matrix", q[None])[0], M, atol=1e-12)
    slider = Model("r", (Body("a"), Body("b", "a", Prismatic())))
    assert pin.buildModelFromXML(write_urdf(slider)).nq == 1


BOUNDS = {
    "unlimited": Limits(),
    "infinite": Limits((-math.inf,), (math.inf,), (math.inf,), (math.inf,)),
    "below": Limits((-0.5,), (math.inf,)),
    "above": Limits((-math.inf,), (0.5,)),
    "motor": Limits(velocity=(2.0,), effort=(3.0,)),
}


@pytest.mark.parametrize("joint", [Prismatic(), Revolute()], ids=["slide", "hinge"])
@pytest.mark.parametrize("bounds", BOUNDS)
def test_others_read_no_bound_where_there_is_none(bounds: str, joint: Prismatic | Revolute) -> None:
    """A bound that is left out is 0 for the readers of ROS, and "inf" is no number for them."""
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle")
    mass = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    limits = BOUNDS[bounds]
    text = write_urdf(Model("r", (Body("a"), Body("b", "a", joint, inertia=mass, limits=limits))))
    again = parse_model(text, "written.urdf").by_name["b"].limits
    theirs = pinocchio.buildModelFromXML(text)
    if theirs.nq == 1:  # else a continuous joint, whose two coordinates are cosine and sine
        for ours, here, there in (
            (limits.lower, again.lower, theirs.lowerPositionLimit[0]),
            (limits.upper, again.upper, theirs.upperPositionLimit[0]),
        ):
            bound = ours[0] if ours and math.isfinite(ours[0]) else math.inf
            assert abs(here[0]) == abs(bound)
            assert there == bound or (math.isinf(bound) and abs(there) > 1e300)
        assert theirs.lowerPositionLimit[0] < theirs.upperPositionLimit[0]
