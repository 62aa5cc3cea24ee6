"""Equalities of MJCF: what they hold together is what MuJoCo holds together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mjcf_peer import mujoco
from naming import named
from random_trees import random_pose
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model import Body, Closure, Frame, Gear, Mimic, Model
from sixvec.model.joints import Fixed, Free, Joint, Revolute, Spherical
from sixvec.spatial import Pose, Quaternion, RigidInertia, Sym3, Vec3

HELD = 1e-12
"""Metres: what MuJoCo's constraint leaves where ours holds exactly."""

WORLD = """
<body name="arm" pos="0.1 0.2 1" euler="10 20 30">
  <joint name="turn" axis="1 1 0" ref="20" pos="0 0 0.1"/><geom size="0.1"/>
  <site name="palm" pos="0.3 0 0" euler="0 40 0"/>
</body>
<body name="load" pos="1 0 1" euler="30 -20 10">
  <freejoint name="load"/><geom size="0.1"/><site name="grip" pos="0 0.2 0" euler="70 0 0"/>
</body>
"""

EQUALITIES = [
    '<connect body1="arm" body2="load" anchor="0.1 0.2 0.3"/>',
    '<connect body1="load" body2="arm" anchor="0.1 0.2 0.3"/>',
    '<connect body1="load" anchor="0.1 0.2 0.3"/>',
    '<connect site1="palm" site2="grip"/>',
    '<weld body1="arm" body2="load"/>',
    '<weld body1="arm" body2="load" anchor="0.1 0.2 0.3"/>',
    '<weld body1="load" anchor="1 2 3"/>',
    '<weld body1="arm" body2="load" relpose="0.3 0.2 0.1 0.8 0 0.6 0"/>',
    '<weld body1="arm" body2="load" relpose="0.3 0.2 0.1 2 1 1 1" anchor="0.1 0.2 0.3"/>',
    '<weld body1="load" body2="arm" relpose="0.3 0.2 0.1 2 1 1 1" anchor="0.1 0.2 0.3"/>',
    '<weld body1="arm" body2="load" relpose="5 6 7 0 0 0 0"/>',
    '<weld site1="grip" site2="palm"/>',
    '<weld body1="arm" body2="load" torquescale="0"/>',
    '<weld body1="arm" body2="load" torquescale="0" anchor="0.1 0.2 0.3"/>',
    '<weld body1="load" body2="arm" torquescale="0" anchor="0.1 0.2 0.3"/>',
    '<weld body1="load" torquescale="0" anchor="0.1 0.2 0.3"/>',
    '<weld body1="load" torquescale="0" relpose="0.3 0.2 0.1 2 1 1 1" anchor="0.1 0.2 0.3"/>',
    '<weld site1="grip" site2="palm" torquescale="0"/>',
]


def mjcf(equality: str, world: str = WORLD) -> str:
    return f"<mujoco><worldbody>{world}</worldbody><equality>{equality}</equality></mujoco>"


def violation(theirs: Any, model: Model, angle: float, load: Pose) -> float:
    """How far MuJoCo says that its equalities are violated."""
    data = mujoco.MjData(theirs)
    x, y, z, w = _quaternion(load)
    data.qpos = [angle, *load.pos, w, x, y, z]
    mujoco.mj_forward(theirs, data)
    assert data.ne > 0
    return float(np.abs(data.efc_pos[: data.ne]).max())


def _quaternion(X: Pose) -> list[float]:
    return [*Quaternion.from_rotation(X.rot)]


def closing(model: Model, closure: Closure, angle: float, q: list[float]) -> Pose:
    """The pose of the load at which the closure holds, its joint at q."""
    first, second = model.frame(closure.first), model.frame(closure.second)
    arm = model.by_name["arm"]
    at = {"arm": arm.placement @ arm.joint.pose([angle]), None: Pose.identity()}
    J = closure.joint.pose(q)
    if first.body == "load":  # load · F₁ · J = X₂ · F₂
        return at[second.body] @ second.placement @ (first.placement @ J).inv()
    return at[first.body] @ first.placement @ J @ second.placement.inv()


def random_position(joint: Joint, rng: np.random.Generator) -> list[float]:
    bound = np.full(joint.nq, np.inf)
    return list(map(float, joint.sample(rng, -bound, bound, ())))


@pytest.mark.parametrize("equality", EQUALITIES)
def test_closures_hold_what_mujoco_holds(equality: str) -> None:
    model = parse_model(mjcf(equality), "loop.xml")
    theirs = mujoco.MjModel.from_xml_string(mjcf(equality))
    (closure,) = model.closures
    assert isinstance(closure, Closure)
    is_ball = "connect" in equality or "torquescale" in equality
    assert type(closure.joint) is (Spherical if is_ball else Fixed)
    rng = np.random.default_rng(1)
    for angle in rng.uniform(-2.0, 2.0, 5):
        load = closing(model, closure, float(angle), random_position(closure.joint, rng))
        assert violation(theirs, model, float(angle), load) <= HELD
        assert violation(theirs, model, float(angle), load @ random_pose(rng)) > 1e-3


def test_a_weld_with_little_torque_is_rigid_and_reported() -> None:
    text = mjcf('<weld body1="load" torquescale="0.2"/>')
    with pytest.warns(UnsupportedPhysics, match=named("torquescale", "weld")):
        (closure,) = parse_model(text, "loop.xml").closures
    assert isinstance(closure, Closure) and type(closure.joint) is Fixed


def ball(mass: float) -> RigidInertia:
    return RigidInertia(mass, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


HELD_BY_MUJOCO = [Fixed(), Spherical(), Revolute(Vec3(1.0, 2.0, -3.0)), Revolute(Vec3(0.0, 0.0, 1.0))]


@pytest.mark.parametrize("joint", HELD_BY_MUJOCO, ids=lambda j: type(j).__name__)
def test_closures_are_written_as_mujoco_holds_them(joint: Joint) -> None:
    """A weld, a ball, and a hinge as two connects, which are read again as one hinge."""
    rng = np.random.default_rng(2)
    bodies = (
        Body("arm", None, Revolute(), random_pose(rng), ball(1.0), "turn"),
        Body("load", None, Free(), Pose.identity(), ball(1.0)),
    )
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("palm", "arm", random_pose(rng)))
    model = Model("loop", bodies, frames, closures=(Closure("pin", "palm", "load", joint),))
    text = write_mjcf(model)
    theirs = mujoco.MjModel.from_xml_string(text)
    for angle in rng.uniform(-2.0, 2.0, 5):
        load = closing(model, model.closures[0], float(angle), random_position(joint, rng))  # type: ignore[arg-type]
        assert violation(theirs, model, float(angle), load) <= HELD
        assert violation(theirs, model, float(angle), load @ random_pose(rng)) > 1e-3
    again = parse_model(text, "loop.xml")
    (closure,) = again.closures
    assert isinstance(closure, Closure)
    assert (closure.name, closure.first, closure.second) == ("pin", "palm", "pin/2")
    assert type(closure.joint) is type(joint)
    if isinstance(joint, Revolute) and isinstance(closure.joint, Revolute):
        assert (closure.joint.axis - joint.axis).norm() <= 1e-15
    assert {f.name for f in again.frames} == {f.name for f in model.frames} | {"world", "pin/2"}
    (twice,) = parse_model(write_mjcf(again), "loop.xml").closures
    assert (twice.name, twice.first, twice.second) == ("pin", "palm", "pin/2")  # type: ignore[union-attr]


TWO = '<body name="a"><joint name="a"/><geom size="1"/></body><body name="b"><joint name="b"/><geom size="1"/></body>'


def test_a_second_law_for_one_joint_is_a_gear() -> None:
    three = TWO + TWO.split("</body>")[0].replace('"a"', '"c"') + "</body>"
    laws = '<joint joint1="b" joint2="a" polycoef="0 2"/><joint name="g" joint1="b" joint2="c" polycoef="0.5 -3"/>'
    model = parse_model(mjcf(laws, three), "arm.xml")
    assert model.by_name["b"].mimic == Mimic("a", 2.0, 0.0)
    assert model.closures == (Gear("g", "c", "b", -3.0, 0.5),)


def test_a_joint_that_its_law_keeps_still() -> None:
    model = parse_model(mjcf('<joint joint1="b" joint2="a" polycoef="0.5 0"/>', TWO), "arm.xml")
    assert model.by_name["b"].mimic == Mimic("a", 0.0, 0.5) and model.nv == 1


def test_laws_that_are_not_linear_are_listed() -> None:
    laws = '<joint joint1="b" joint2="a" polycoef="0 1 2"/><tendon tendon1="x"/>'
    with pytest.warns(UnsupportedPhysics, match=named("equality", "tendon")):
        model = parse_model(mjcf(laws, TWO), "arm.xml")
    assert model.nv == 2 and model.closures == ()


@pytest.mark.parametrize(
    "law",
    [
        '<tendon tendon1="s" polycoef="0 1 2"/>',
        '<tendon tendon1="s" tendon2="unknown"/>',
        '<tendon tendon1="unknown" tendon2="s"/>',
        '<tendon tendon1="nothing"/>',
        '<tendon tendon1="s" tendon2="twin"/>',
    ],
)
def test_tendons_that_hold_nothing_linear_are_listed(law: str) -> None:
    third = '<body name="c"><joint name="c" type="ball"/><geom size="1"/></body>'
    tendons = "".join(
        f'<fixed name="{name}"><joint joint="{joint}" coef="{coef}"/></fixed>'
        for name, joint, coef in (("s", "a", 2), ("twin", "a", 2), ("nothing", "a", 0))
    )
    text = mjcf(law, TWO + third).replace("<equality>", f"<tendon>{tendons}</tendon><equality>")
    with pytest.warns(UnsupportedPhysics, match=named("tendon", "equality")):
        model = parse_model(text, "arm.xml")
    assert model.closures == () and model.nv == 5


@pytest.mark.parametrize(
    ("equality", "words"),
    [
        ("<connect/>", "body1"),
        ('<connect body1="a"/>', "anchor"),
        ('<connect body1="c" anchor="0 0 0"/>', named("c")),
        ('<weld body1="a" body2="c"/>', named("c")),
        ('<weld body1="a" relpose="1 2 3"/>', "give"),
        ('<connect site1="s" site2="t"/>', named("site", "s")),
    ],
)
def test_mistakes_in_equalities(equality: str, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        parse_model(mjcf(equality, TWO), "arm.xml")


@pytest.mark.parametrize("back", ["0 1", "0.1 2", "0 0.5"])
def test_laws_in_a_circle_hold_together(back: str) -> None:
    """Of two joints that follow each other one has a mimic, the other law closes a loop; both hold, as in MuJoCo."""
    hinge = '<body name="{0}"><joint name="{0}"/><geom size="0.1" pos="0.1 0 0"/></body>'
    law = f'<joint joint1="j" joint2="k" polycoef="0 2"/><joint joint1="k" joint2="j" polycoef="{back}"/>'
    text = mjcf(law, "".join(hinge.format(name) for name in "jkl"))
    model, theirs = parse_model(text, "loop.xml"), mujoco.MjModel.from_xml_string(text)
    (gear,) = model.closures
    assert isinstance(gear, Gear) and (gear.leader, gear.follower) == ("j", "k")
    (mimic,) = (b.mimic for b in model.bodies if b.mimic)
    data = mujoco.MjData(theirs)
    for k in (-1.0, 0.0, 0.7):
        j = mimic.multiplier * k + mimic.offset
        data.qpos = [j, k, 0.3]
        mujoco.mj_forward(theirs, data)
        assert [*data.efc_pos[:2]] == pytest.approx([0.0, k - gear.ratio * j - gear.offset])
