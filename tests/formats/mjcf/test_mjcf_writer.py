"""A robot that is written as MJCF and read again is the same robot, for us and for MuJoCo."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mjcf_peer import compare, mujoco
from package_files import published_urdf
from random_trees import JOINTS, random_inertia, random_pose
from sixvec.cli.equivalence import differences, with_gears_as_mimic
from sixvec.errors import ModelError
from sixvec.formats import load_model, parse_model
from sixvec.formats.mjcf.write import SMALLEST_MOMENT, write_mjcf
from sixvec.formats.urdf.write import write_urdf
from sixvec.model import Body, Closure, Frame, Gear, JointDynamics, Limits, Mimic, Model
from sixvec.model.coupling import coupling
from sixvec.model.joints import Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.model.robots import BUILT_IN
from sixvec.robot import Robot
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

ROUNDINGS = 1e-12
"""A few roundings of poses and of the parallel-axis theorem, and `SMALLEST_MOMENT` in the smallest of the robots."""

PEER = 1e-11
"""As in test_mjcf.py: two ways through the same transforms."""

REFUSED = {"falcon.urdf", "ur3.urdf"}
"""Files of the package that describe no robot."""

IMPOSSIBLE = {"puma560"}
"""Built-in robots that MuJoCo refuses: of the first link of the PUMA only the inertia about its axis is published."""


def published(*names: str) -> list[Path]:
    found = (f for f in published_urdf() if f.name not in REFUSED)
    return [f for f in found if not names or f.name in names]


def mechanism(path: Path, floating: bool = False) -> Model:
    """A robot without its shapes, which test_written_geoms.py is about."""
    return replace(load_model(path, floating=floating), geoms=())


def written(model: Model) -> Model:
    return parse_model(write_mjcf(model), "written.xml")


def assert_same(model: Model, again: Model, samples: int = 3) -> None:
    for d in differences(model, again, samples):
        assert d.relative <= ROUNDINGS, d


def joints(model: Model) -> dict[str, Body]:
    return {b.joint_name or b.name: b for b in model.bodies if b.joint.nv}


def bounds(limits: Limits) -> list[tuple[float, ...]]:
    """Only what is limited: infinite bounds and none are the same."""
    kinds = (limits.lower, limits.upper, limits.velocity, limits.effort)
    return [values if any(map(math.isfinite, values)) else () for values in kinds]


def assert_same_joints(model: Model, again: Model) -> None:
    ours, theirs = joints(model), joints(again)
    assert ours.keys() == theirs.keys()
    for name, b in ours.items():
        c = theirs[name]
        assert type(b.joint) is type(c.joint)
        assert bounds(b.limits) == bounds(c.limits)
        assert (b.mimic is None) == (c.mimic is None)
        if b.mimic and c.mimic:
            assert (b.mimic.multiplier, b.mimic.offset) == (c.mimic.multiplier, c.mimic.offset)
        for term in ("armature", "damping", "friction", "stiffness", "rest"):
            mine, other = getattr(b.dynamics, term), getattr(c.dynamics, term)
            assert mine == other or not (any(mine) or any(other))


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_robots_survive(name: str) -> None:
    model = BUILT_IN[name]()
    again = written(model)
    assert_same_joints(model, again)
    assert_same(model, again)
    assert len(again.closures) == len(model.closures)
    assert again.gravity == model.gravity and again.name == model.name


@pytest.mark.covers("MODEL-07")
@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - IMPOSSIBLE - {"humanoid"}))
def test_mujoco_reads_built_in_robots(name: str, tmp_path: Path) -> None:
    file = tmp_path / "written.xml"
    file.write_text(write_mjcf(BUILT_IN[name]()))
    for what, worst in compare(file).items():
        assert worst <= PEER, f"{what}: relative error {worst:.1e}"


def test_mujoco_reads_the_humanoid_with_its_bodies_without_mass() -> None:
    model = BUILT_IN["humanoid"]()
    theirs = mujoco.MjModel.from_xml_string(write_mjcf(model))
    assert (theirs.nq, theirs.nv) == (model.nq, model.nv)
    assert theirs.body_mass.sum() == pytest.approx(sum(b.inertia.mass for b in model.bodies), rel=1e-14)


@pytest.mark.every(8)
@pytest.mark.parametrize("path", published(), ids=lambda p: f"{p.parts[-3]}/{p.stem}")
@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
def test_published_robots_survive(path: Path) -> None:
    """URDF to MJCF and back to URDF: every joint with all that URDF says of it, poses and dynamics."""
    model = mechanism(path)
    again = written(model)
    assert_same_joints(model, again)
    back = parse_model(write_urdf(again), "back.urdf")
    assert_same_joints(model, back)
    if model.nv <= 20:  # the largest take a second each, and are made of the same joints
        assert_same(model, again, 2)
        assert_same(model, back, 2)


LIVE = ("talos_left_arm.urdf", "ur5_robot.urdf", "solo12.urdf", "xarm7.urdf", "z1.urdf", "a1.urdf", "finger_edu.urdf")
FLOATING = ("solo12.urdf", "a1.urdf", "go2.urdf")


@pytest.mark.covers("MODEL-07")
@pytest.mark.parametrize(
    ("path", "floating"),
    [(p, False) for p in published(*LIVE)] + [(p, True) for p in published(*FLOATING)],
    ids=lambda p: p.stem if isinstance(p, Path) else "floating" if p else "fixed",
)
def test_mujoco_reads_published_robots(path: Path, floating: bool, tmp_path: Path) -> None:
    model = mechanism(path, floating)
    file = tmp_path / "written.xml"
    file.write_text(write_mjcf(model))
    for what, worst in compare(file).items():
        assert worst <= PEER, f"{what}: relative error {worst:.1e}"
    theirs = mujoco.MjModel.from_xml_path(str(file))
    for name, b in joints(model).items():
        joint = theirs.joint(name)
        if b.joint.nv == 1:
            assert bool(joint.limited[0]) == (bounds(b.limits)[0] != ())
            if joint.limited[0]:
                assert (joint.range == [*b.limits.lower, *b.limits.upper]).all()
            assert joint.damping[0] == (b.dynamics.damping or (0.0,))[0]
            assert joint.frictionloss[0] == (b.dynamics.friction or (0.0,))[0]


def random_robot(seed: int) -> Model:
    """Every joint that MJCF can say, any pose and inertia, several roots, frames on bodies and on the world."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in JOINTS if kind not in ("helical", "free")]
    bodies = [Body("b0", None, Free(), inertia=random_inertia(rng), joint_name="j0")]
    for i, kind in enumerate(rng.permutation(kinds), 1):
        parent = None if i == 1 else f"b{rng.integers(i)}"
        bodies.append(Body(f"b{i}", parent, JOINTS[kind](rng), random_pose(rng), random_inertia(rng), f"j{i}"))
    own = (Frame(b.name, b.name) for b in bodies)
    return Model(
        "tree",
        tuple(bodies),
        (*own, Frame("tool", "b7", random_pose(rng)), Frame("ground", None, random_pose(rng))),
        gravity=Vec3.of(rng.normal(size=3).tolist()),
    )


@pytest.mark.every(2)
@pytest.mark.covers("CHAIN-13", "MODEL-07")
@pytest.mark.parametrize("seed", range(6))
def test_random_trees_survive(seed: int, tmp_path: Path) -> None:
    model = random_robot(seed)
    again = written(model)
    assert_same(model, again)
    assert again.gravity == model.gravity
    assert {f.name for f in again.frames} == {f.name for f in model.frames} | {"world"}
    file = tmp_path / "written.xml"
    file.write_text(write_mjcf(model))
    for what, worst in compare(file).items():
        assert worst <= PEER, f"{what}: relative error {worst:.1e}"


@pytest.mark.parametrize("seed", range(3))
def test_writing_again_changes_nothing(seed: int) -> None:
    once = written(random_robot(seed))
    twice = written(once)
    assert [b.name for b in twice.bodies] == [b.name for b in once.bodies]
    assert [type(b.joint) for b in twice.bodies] == [type(b.joint) for b in once.bodies]
    assert_same(once, twice)


SEVERAL = """<mujoco><worldbody><body name="a" pos="0 0 1" euler="10 20 30">
  <joint name="x" type="slide" axis="1 0 0.2" ref="0.3" range="-1 2" damping="3"/>
  <joint name="turn" axis="0 1 1" pos="0.1 0.2 0.3" ref="25" stiffness="2" springref="10"/>
  <joint name="shoulder" type="ball" pos="-0.1 0 0.1" damping="0.5" stiffness="1" frictionloss="0.2"/>
  <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/><site name="eye" pos="0 0 1" euler="0 0 20"/>
  <body name="b" pos="1 0 0"><joint name="last" pos="0 0.1 0" axis="1 1 1" armature="0.1"/><geom size="0.1"/></body>
</body></worldbody></mujoco>"""


def test_several_joints_of_one_body_stay_together(tmp_path: Path) -> None:
    model = parse_model(SEVERAL, "several.xml")
    text = write_mjcf(model)
    assert text.count("<body") == 2
    again = parse_model(text, "several.xml")
    assert [f.name for f in again.frames] == [f.name for f in model.frames]
    assert [b.name for b in again.bodies] == [b.name for b in model.bodies]
    assert_same_joints(model, again)
    assert_same(model, again)
    file = tmp_path / "written.xml"
    file.write_text(text)
    for what, worst in compare(file).items():
        assert worst <= PEER, f"{what}: relative error {worst:.1e}"


def ball(mass: float = 1.0) -> RigidInertia:
    return RigidInertia(mass, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


CHAINS = {
    "hinges": ([Revolute(Vec3(0.3, 1.0, 0.0)), Revolute(), Prismatic(Vec3(1.0, 1.0, 0.0))], 1),
    "ball_then_slide": ([Spherical(), Prismatic(Vec3(1.0, 2.0, 0.0))], 1),
    "ball_last": ([Universal(), Spherical()], 1),
    "ball_then_hinge": ([Spherical(), Revolute()], 2),
    "seven_freedoms": ([Universal(), Planar(), Universal()], 2),
}


@pytest.mark.parametrize("name", CHAINS)
def test_bodies_that_only_stand_between_joints(name: str, tmp_path: Path) -> None:
    """They become joints of the next body as far as MuJoCo allows; beyond, it refuses bodies without mass itself."""
    joints, elements = CHAINS[name]
    rng = np.random.default_rng(6)
    bodies: list[Body] = []
    for i, joint in enumerate(joints):
        X = (
            random_pose(rng)
            if i == 0 or not isinstance(joints[0], Spherical)
            else Pose.translation(Vec3(0.1, 0.2, 0.3))
        )
        inertia = random_inertia(rng) if i == len(joints) - 1 else RigidInertia.zero()
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i else None, joint, X, inertia, f"j{i}"))
    model = Model("chain", tuple(bodies))
    text = write_mjcf(model)
    assert text.count("<body") == elements
    assert_same(model, written(model))
    if elements == 1:
        (tmp_path / "written.xml").write_text(text)
        for what, worst in compare(tmp_path / "written.xml").items():
            assert worst <= PEER, f"{what}: relative error {worst:.1e}"
    else:
        with pytest.raises(ValueError, match="mjMINVAL"):
            mujoco.MjModel.from_xml_string(text)


def test_joints_that_follow_feel_the_same_in_mujoco() -> None:
    """The mass matrix of the independent joints is Gᵀ M G with MuJoCo's M of all joints."""
    rng = np.random.default_rng(4)
    laws = {2: Mimic("b1", -0.5, 0.25), 3: Mimic("b2", 2.0, 0.1)}
    made = [Body("b0", inertia=ball())]
    for i in range(1, 5):
        axis = JOINTS["revolute" if i % 2 else "prismatic"](rng)
        made.append(Body(f"b{i}", f"b{i - 1}", axis, random_pose(rng), random_inertia(rng), f"j{i}", mimic=laws.get(i)))
    model = Model("hand", tuple(made))
    again = written(model)
    assert again.bodies[2].mimic == laws[2] and again.nv == 2
    assert_same(model, again)
    theirs = mujoco.MjModel.from_xml_string(write_mjcf(model))
    assert theirs.neq == 2 and (theirs.eq_type == mujoco.mjtEq.mjEQ_JOINT).all()
    data, law = mujoco.MjData(theirs), coupling(model)
    q = rng.normal(size=2)
    data.qpos = law.positions([*q])
    mujoco.mj_forward(theirs, data)
    assert np.abs(data.efc_pos[: data.ne]).max() <= 1e-14
    G = np.array([law.velocities([*e]) for e in np.eye(2)]).T
    M = np.zeros((4, 4))
    for column, e in zip(M, np.eye(4), strict=True):
        mujoco.mj_mulM(theirs, data, column, e)
    np.testing.assert_allclose(np.array(Robot(model).evaluate("mass_matrix", [*q]), float), G.T @ M @ G, rtol=1e-12)


def test_a_gear_becomes_a_joint_that_follows() -> None:
    bodies = tuple(Body(n, None, Revolute(), inertia=ball(), joint_name=f"{n}_joint") for n in "ab")
    model = Model("pair", bodies, closures=(Gear("gear", "a", "b", -3.0, 0.5),))
    again = written(model)
    assert again.by_name["b"].mimic == Mimic("a", -3.0, 0.5) and again.closures == ()
    assert again.nv == with_gears_as_mimic(model).nv == 1
    assert_same(model, again)


def test_a_point_mass_gets_the_smallest_moments_that_mujoco_takes() -> None:
    point = RigidInertia.from_center_of_mass(2.0, Vec3(0.3, 0.4, 0.5), Sym3.zero())
    model = Model("r", (Body("still", inertia=point), Body("b", "still", Revolute(), inertia=point)))
    theirs = mujoco.MjModel.from_xml_string(write_mjcf(model))
    assert theirs.body("b").inertia == pytest.approx([SMALLEST_MOMENT] * 3, rel=1e-12)
    assert theirs.body("still").inertia == pytest.approx([0.0] * 3, abs=1e-15)
    assert_same(model, written(model))


def test_a_link_named_world_is_the_world() -> None:
    away = Pose(Rotation.identity(), Vec3(1.0, 2.0, 3.0))
    bodies = (Body("world"), Body("base", "world", Free(), inertia=ball(), joint_name="root"))
    frames = (Frame("world", "world"), Frame("base", "base"), Frame("desk", "world", away))
    again = written(Model("r", bodies, frames))
    assert [(b.name, b.parent) for b in again.bodies] == [("base", None)]
    assert {(f.name, f.body) for f in again.frames} == {("world", None), ("base", "base"), ("desk", None)}
    heavy = written(Model("r", (replace(bodies[0], inertia=ball(3.0)), bodies[1]), frames))
    assert [(b.name, b.inertia.mass) for b in heavy.bodies] == [("world_body", 3.0), ("base", 1.0)]


def test_a_frame_keeps_its_name_before_a_body() -> None:
    turned = Pose(Rotation.about(Vec3(0.0, 0.0, 1.0), 0.5), Vec3(1.0, 2.0, 3.0))
    bodies = (Body("a", inertia=ball()), Body("b", "a", Spherical(), inertia=ball()), Body("c", "b", Revolute()))
    model = Model("r", bodies, (Frame("b", "b", turned), Frame("c", "a", turned), Frame("a", "a", turned)))
    again = written(model)
    assert [b.name for b in again.bodies] == ["a", "b_body", "c_body"]
    assert_same(model, again)


def test_names_are_escaped() -> None:
    name = 'a<b>&"c" é'
    bodies = (Body(name, inertia=ball()), Body("x", name, Revolute(), inertia=ball(), joint_name=f"{name}'"))
    model = Model(name, bodies, (Frame(name, name), Frame("x", "x"), Frame(f"site {name}", "x")))
    again = written(model)
    assert (again.name, again.bodies[0].name, again.bodies[1].joint_name) == (name, name, f"{name}'")
    assert again.frames[-1].name == f"site {name}"
    assert mujoco.MjModel.from_xml_string(write_mjcf(model)).joint(0).name == f"{name}'"


def test_a_deep_chain_needs_no_deep_stack() -> None:
    count = 1500
    bodies = [Body(f"b{i}", f"b{i - 1}" if i else None, Revolute(), inertia=ball()) for i in range(count)]
    assert written(Model("chain", tuple(bodies))).nv == count


TURNED_SPRING = JointDynamics(stiffness=(1.0,) * 3, rest=(1.0, 0.0, 0.0, 0.0))
FAR = Pose.translation(Vec3(1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([Body("b", "a", Helical(pitch=0.1), joint_name="screw")], ['joint "screw"', "helical", "lock", "write SDF"]),
        ([Body("b", None, Free(), FAR)], ['"b"', "origin of the world"]),
        ([Body("m", None, Revolute(), inertia=ball()), Body("b", "m", Free())], ['"b"', "origin of the world"]),
        ([Body("b", "a", Spherical(), dynamics=JointDynamics(damping=(1.0, 2.0, 3.0)))], ["damping", "one number"]),
        ([Body("b", None, Free(), dynamics=JointDynamics(friction=(1.0,) * 6))], ["friction", "world's axes"]),
        ([Body("b", None, Free(), dynamics=JointDynamics(armature=(1.0,) * 5 + (2.0,)))], ["armature", "the same"]),
        ([Body("b", "a", Spherical(), limits=Limits(velocity=(1.0, math.inf, 1.0)))], ['"b"', "only some"]),
        ([Body("b", "a", Spherical(), dynamics=TURNED_SPRING)], ["rests", "neutral"]),
        ([Body("b", "a", Revolute(), joint_name="j"), Body("c", "a", Revolute(), joint_name="j")], ['"j"', "rename"]),
        ([Body("b ", "a", Revolute())], ["'b '", "rename"]),
        ([Body("world", "a", Revolute())], ['"world"', "rename"]),
        ([Body("b", "a", inertia=RigidInertia(0.0, Vec3(1.0, 0.0, 0.0), Sym3.zero()))], ['"b"', "no mass"]),
    ],
)  # fmt: skip
def test_what_mjcf_cannot_say_raises(bodies: list[Body], words: list[str]) -> None:
    with pytest.raises(ModelError) as caught:
        write_mjcf(Model("r", (Body("a"), *bodies)))
    for word in words:
        assert word in str(caught.value)


def test_closures_that_mjcf_cannot_say_raise() -> None:
    pair = (Body("a", inertia=ball()), Body("b", "a", Revolute(), inertia=ball()))
    with pytest.raises(ModelError, match="rail"):
        write_mjcf(Model("r", pair, closures=(Closure("rail", "a", "b", Prismatic()),)))
    assert len(written(Model("r", pair, closures=(Closure("weld", "a", "b", Fixed()),))).closures) == 1


def test_rotors_of_a_free_body_that_are_alike_in_all_directions(tmp_path: Path) -> None:
    """½ a |v|² is the same in the world's axes and in the body's, so that MuJoCo's joint is ours."""
    dynamics = JointDynamics(armature=(0.7,) * 6, damping=(0.2,) * 6)
    inertia = random_inertia(np.random.default_rng(5))
    bodies = (
        Body("base", None, Free(), inertia=inertia, joint_name="root", dynamics=dynamics),
        Body("arm", "base", Revolute(), FAR, ball(), "elbow"),
    )
    model = Model("swimmer", bodies)
    file = tmp_path / "written.xml"
    file.write_text(write_mjcf(model))
    again = load_model(file)
    assert again.bodies[0].dynamics == dynamics
    assert_same(model, again)
    for what, worst in compare(file).items():
        assert worst <= PEER, f"{what}: relative error {worst:.1e}"
