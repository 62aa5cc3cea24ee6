"""MJCF feature by feature: small files, read here and by MuJoCo."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import sixvec
from mjcf_peer import compare, mujoco, quietly
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, parse_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model import JointDynamics, Limits, Mimic, Model
from sixvec.model.joints import Fixed, Free, Prismatic, Revolute, Spherical
from sixvec.robot import Robot
from sixvec.spatial import Vec3

EXACT = 1e-11
"""Two ways through the same few transforms in float64, and coordinate axes that are snapped at 1e-11."""

BALL = '<geom size="0.1"/>'
LIMB = '<geom type="capsule" fromto="0 0 0 0.1 0.2 -0.3" size="0.04"/>'


def mjcf(world: str, outside: str = "") -> str:
    return f"<mujoco>{outside}<worldbody>{world}</worldbody></mujoco>"


def written(folder: Path, text: str) -> Path:
    file = folder / "model.xml"
    file.write_text(text)
    return file


def agrees(folder: Path, world: str, outside: str = "") -> Model:
    """Assert that poses, mass matrix and inverse dynamics are MuJoCo's."""
    file = written(folder, mjcf(world, outside))
    for what, worst in compare(file).items():
        assert worst <= EXACT, f"{what}: relative error {worst:.1e}"
    return quietly(file)


ORIENTATIONS = [
    'quat="0.3 -0.4 0.5 1.2"',
    'axisangle="1 2 -3 40"',
    'euler="30 -50 70"',
    'xyaxes="1 1 0 0.2 1 3"',
    'zaxis="1 -2 0.5"',
    'zaxis="0 0 -2"',
    'zaxis="0 0 3"',
]


@pytest.mark.parametrize("angle", ["degree", "radian"])
@pytest.mark.parametrize("given", ORIENTATIONS)
def test_orientations(given: str, angle: str, tmp_path: Path) -> None:
    body = f'<body pos="0.1 0.2 0.3" {given}><joint axis="1 2 3"/>{LIMB}<site name="tip" {given}/></body>'
    agrees(tmp_path, body, f'<compiler angle="{angle}"/>')


@pytest.mark.parametrize("sequence", ["xyz", "zyx", "XYZ", "zxz", "ZyX", "YXY"])
def test_euler_sequences(sequence: str, tmp_path: Path) -> None:
    agrees(tmp_path, f'<body euler="20 30 40"><joint/>{LIMB}</body>', f'<compiler eulerseq="{sequence}"/>')


JOINTS = """
<body name="a" pos="0 0 1">
  <joint name="x" type="slide" axis="1 0 0.2" ref="0.3"/>
  <joint name="turn" type="hinge" axis="0 1 1" pos="0.1 0.2 0.3" ref="25"/>
  <joint name="shoulder" type="ball" pos="-0.1 0 0.1"/>
  <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
  <body name="b" pos="0.5 0 0" euler="10 20 30">
    <joint name="elbow" pos="0 0 0.2" axis="0 1 0"/>
    <joint name="last" type="slide" pos="1 1 1"/>
    <geom type="cylinder" size="0.1 0.3"/>
    <body name="welded" pos="0 0.1 0"><geom type="ellipsoid" size="0.1 0.2 0.15"/><site name="eye" pos="0 0 1"/></body>
  </body>
</body>
<body name="free" pos="1 2 3" euler="10 0 0"><freejoint name="root"/><geom type="box" size="1 2 3" pos="1 0 0"/></body>
"""


@pytest.mark.covers("CHAIN-01", "CHAIN-21", "MODEL-09")
def test_several_joints_of_all_kinds(tmp_path: Path) -> None:
    model = agrees(tmp_path, JOINTS)
    assert [b.name for b in model.bodies] == ["a/x", "a/turn", "a", "b/elbow", "b", "welded", "free"]
    assert Robot(model).joint_names == ("x", "turn", "shoulder", "elbow", "last", "root")
    kinds = [Prismatic, Revolute, Spherical, Revolute, Prismatic, Fixed, Free]
    assert [type(b.joint) for b in model.bodies] == kinds
    assert [f.name for f in model.frames] == ["world", "a", "b", "welded", "free", "eye"]
    assert all(b.inertia.mass == 0.0 for b in model.bodies if "/" in b.name)


def test_rotors_of_every_joint_and_of_a_free_body(tmp_path: Path) -> None:
    """Those of ball and free joints turn with the body: the energy ½ vᵀ A v has a force  ω × A ω  besides A v̇."""
    tip = f'<body pos=".2 0 .3"><joint type="ball"/>{BALL}<body pos="0 .4 0"><joint type="slide"/>{BALL}</body></body>'
    body = f'<body><joint type="free"/>{BALL}<geom size=".1" pos=".3 .1 .2"/>{tip}</body>'
    errors = compare(written(tmp_path, mjcf(body, '<default><joint armature="0.7"/></default>')))
    assert max(errors.values()) < EXACT


def test_frames_move_what_is_inside(tmp_path: Path) -> None:
    agrees(
        tmp_path,
        '<frame pos="0 0 1" euler="0 30 0"><site name="s" pos="1 0 0"/><frame pos="1 0 0" axisangle="0 1 0 20">'
        f'<body name="a" pos="0 1 0"><frame euler="20 30 40" pos="1 2 3"><joint axis="1 0 0" pos="0.1 0 0"/>{LIMB}'
        f'<site name="t" zaxis="1 1 1"/><body name="b" pos="0 0 1"><joint type="ball"/>{BALL}</body></frame></body>'
        "</frame></frame>",
    )


CLASSES = """
<default>
  <joint damping="1" armature="0.5" axis="0 1 0"/>
  <geom size="0.1 0.2 0.3" density="500"/>
  <default class="arm">
    <joint damping="2"/>
    <geom type="capsule" euler="0 90 0"/>
    <default class="hand"><joint type="slide" range="-1 2"/><geom type="box" group="3"/></default>
  </default>
  <default class="leg"><geom type="cylinder" mass="3"/></default>
</default>
"""


def test_default_classes(tmp_path: Path) -> None:
    model = agrees(
        tmp_path,
        '<body name="a" childclass="arm"><joint name="a"/><geom/><geom zaxis="1 1 0" pos="1 0 0" size="0.2"/>'
        '<body name="b" pos="1 0 0"><joint name="b" class="hand"/><geom class="leg" pos="0 1 0"/>'
        '<frame childclass="hand"><body name="c"><joint name="c" damping="7"/><geom/></body></frame></body></body>'
        '<body name="d"><joint name="d"/><geom type="ellipsoid"/></body>',
        CLASSES,
    )
    by_joint = {b.joint_name: b for b in model.bodies}
    assert [by_joint[j].dynamics.damping for j in "abcd"] == [(2.0,), (2.0,), (7.0,), (1.0,)]
    assert [by_joint[j].limits.lower for j in "abcd"] == [(), (-1.0,), (-1.0,), ()]
    assert all(b.armature == (0.5,) for b in model.bodies)


SHAPES = [
    'type="sphere" size="0.3"',
    'type="box" size="0.1 0.2 0.3" euler="10 20 30"',
    'type="ellipsoid" size="0.1 0.2 0.3" euler="10 20 30"',
    'type="capsule" size="0.1 0.5" euler="10 20 30"',
    'type="cylinder" size="0.1 0.5" euler="10 20 30"',
    'type="capsule" size="0.1" fromto="0 0 0 1 2 3"',
    'type="cylinder" size="0.1" fromto="0 0 1 0 0 3"',
    'type="box" size="0.1" fromto="0 0 3 0.1 0 1"',
    'type="ellipsoid" size="0.1" fromto="0 0 0 1 2 3"',
]


@pytest.mark.parametrize("extra", ["", 'mass="2.5"', 'density="300"'])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_weigh_the_same(shape: str, extra: str, tmp_path: Path) -> None:
    agrees(tmp_path, f'<body pos="1 0 0"><freejoint/><geom {shape} {extra}/><geom size="0.2" pos="1 1 1"/></body>')


INERTIAL = '<inertial pos="0.1 0.2 0.3" quat="1 0.2 0.3 0.4" mass="2" diaginertia="0.3 0.4 0.5"/>'


@pytest.mark.parametrize("source", ["auto", "true", "false"])
def test_inertia_is_given_or_computed(source: str, tmp_path: Path) -> None:
    full = '<inertial pos="0 0 1" mass="3" fullinertia="0.4 0.5 0.6 0.01 0.02 -0.03"/>'
    inner = f"<body><joint type='ball'/>{full}{LIMB}</body>"
    agrees(tmp_path, f"<body><joint/>{INERTIAL}{BALL}{inner}</body>", f'<compiler inertiafromgeom="{source}"/>')


@pytest.mark.parametrize(
    "options",
    [
        'settotalmass="7"',
        'settotalmass="0.5"',
        'boundmass="5"',
        'boundinertia="0.35"',
        'boundmass="5" boundinertia="0.45" settotalmass="3"',
        'inertiagrouprange="1 3" boundmass="0.1" boundinertia="0.1"',
        'balanceinertia="true"',
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_options_of_the_compiler_on_inertia(options: str, tmp_path: Path) -> None:
    flat = '<inertial pos="0.1 0 0" euler="10 20 30" mass="1" diaginertia="0.1 0.1 0.5"/>'
    flat = flat if "balance" in options else INERTIAL
    geoms = f'<geom size="0.1"/><geom size="0.2" group="2" pos="1 0 0"/><geom size="0.3" group="4"/>{LIMB}'
    agrees(tmp_path, f"<body><joint/>{flat}<body pos='1 0 0'><joint/>{geoms}</body></body>", f"<compiler {options}/>")


CORNERS = "0 0 0  1 0 0  0 1 0  0 0 1"
FACES = "0 2 1  0 1 3  0 3 2  1 2 3"


@pytest.mark.parametrize("kind", ["", 'inertia="exact"', 'inertia="legacy"', 'inertia="convex"', 'inertia="shell"'])
@pytest.mark.parametrize("extra", ["", 'scale="2 -1 0.5"', 'refpos="1 2 3" refquat="0.8 0 0.6 0"'])
def test_meshes_by_exact_integration(kind: str, extra: str, tmp_path: Path) -> None:
    if "convex" in kind:
        pytest.importorskip("scipy")
    mesh = f'<asset><mesh name="m" vertex="{CORNERS}" face="{FACES}" {kind} {extra}/></asset>'
    body = '<body><freejoint/><geom type="mesh" mesh="m" pos="1 0 0" euler="10 20 30"/></body>'
    # MuJoCo keeps vertices in single precision, and turns them into the principal frame.
    for what, worst in compare(written(tmp_path, mjcf(body, mesh))).items():
        assert worst <= 1e-6, f"{what}: relative error {worst:.1e}"


@pytest.mark.parametrize("name", ["m.obj", "m.stl"])
def test_meshes_of_files(name: str, tmp_path: Path) -> None:
    vertices = np.array(CORNERS.split(), float).reshape(-1, 3)
    faces = np.array(FACES.split(), int).reshape(-1, 3)
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {i + 1}//1 {j + 1} {k - 4}" for i, j, k in faces]
    (tmp_path / "meshes").mkdir()
    file = tmp_path / "meshes" / name
    if name.endswith("obj"):
        file.write_text("# a comment\n\n" + "\n".join(lines))
    else:
        record = np.zeros(len(faces), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
        record["corners"] = vertices[faces]
        file.write_bytes(b" " * 80 + np.uint32(len(faces)).tobytes() + record.tobytes())
    text = mjcf(
        '<body><freejoint/><geom type="mesh" mesh="m" density="6"/></body>',
        f'<compiler meshdir="meshes"/><asset><mesh file="{name}"/></asset>',
    )
    inertia = load_model(written(tmp_path, text)).bodies[0].inertia
    assert inertia.mass == pytest.approx(1.0)
    assert inertia.center.x == pytest.approx(0.25)
    assert inertia.rot.xx == pytest.approx(0.2)


@pytest.mark.covers("MODEL-01", "MODEL-03")
def test_what_a_joint_feels() -> None:
    given = 'range="-90 45" stiffness="3" springref="30" damping="2" frictionloss="0.1" armature="0.2" ref="10"'
    hinge, slide, ball = parse_model(
        mjcf(
            f'<body name="a"><joint {given} actuatorfrcrange="-5 5"/>{BALL}</body>'
            f'<body name="b"><joint type="slide" {given}/>{BALL}</body>'
            f'<body name="c"><joint type="ball" damping="2"/>{BALL}</body>'
        ),
        "arm.xml",
    ).bodies
    assert hinge.limits == Limits((-math.pi / 2,), (math.pi / 4,), (), (5.0,))
    assert hinge.dynamics == JointDynamics((0.2,), (2.0,), (0.1,), (3.0,), (math.radians(30.0),))
    assert slide.limits == Limits((-90.0,), (45.0,))
    assert slide.dynamics.rest == (30.0,)
    assert ball.dynamics == JointDynamics(damping=(2.0,) * 3)


def test_forces_that_are_not_limited_alike_in_both_directions_are_named() -> None:
    text = mjcf(f'<body name="a"><joint actuatorfrcrange="-5 4"/>{BALL}</body>')
    with pytest.warns(UnsupportedPhysics, match="actuatorfrcrange -5 to 4 of a joint, the larger one"):
        (hinge,) = parse_model(text, "arm.xml").bodies
    assert hinge.limits.effort == (5.0,)


@pytest.mark.parametrize(
    ("given", "limited"), [("", True), ('limited="false"', False), ('limited="true"', True), ('limited="auto"', True)]
)
def test_autolimits(given: str, limited: bool) -> None:
    body = f'<body><joint range="-1 1" {given}/>{BALL}</body>'
    assert bool(parse_model(mjcf(body), "arm.xml").bodies[0].limits.lower) == limited
    strict = mjcf(body, '<compiler autolimits="false"/>')
    if given in ("", 'limited="auto"'):
        with pytest.raises(FileFormatError, match="autolimits"):
            parse_model(strict, "arm.xml")
    else:
        assert bool(parse_model(strict, "arm.xml").bodies[0].limits.lower) == limited


def test_gravity_of_the_option_section() -> None:
    body = f"<body>{BALL}</body>"
    assert parse_model(mjcf(body, '<option gravity="0 1 2"/>'), "a.xml").gravity == Vec3(0.0, 1.0, 2.0)
    assert parse_model(mjcf(body, '<option><flag gravity="disable"/></option>'), "a.xml").gravity == Vec3.zero()
    assert parse_model(mjcf(body), "a.xml", gravity=Vec3(1.0, 0.0, 0.0)).gravity == Vec3(1.0, 0.0, 0.0)


def test_linear_joint_equalities_are_mimic_joints() -> None:
    world = (
        f'<body name="a"><joint name="a" type="slide" ref="0.5"/>{BALL}</body>'
        f'<body name="b"><joint name="b1"/><joint name="b2" type="slide" ref="0.25"/>{BALL}</body>'
    )
    law = '<equality><joint joint1="b2" joint2="a" polycoef="0.1 -2"/></equality>'
    model = parse_model(mjcf(world, law), "arm.xml")
    assert model.nv == 2
    assert model.by_name["b"].mimic == Mimic("a", -2.0, pytest.approx(0.1 + 0.25 + 2.0 * 0.5))  # type: ignore[arg-type]
    off = law.replace("<joint ", '<joint active="false" ')
    assert parse_model(mjcf(world, off), "arm.xml").nv == 3


def test_floating() -> None:
    still = mjcf(f'<body name="a" pos="0 0 1">{BALL}</body>')
    assert isinstance(parse_model(still, "a.xml", floating=True).bodies[0].joint, Free)
    free = mjcf(f'<body name="a" pos="0 0 1"><freejoint/>{BALL}</body>')
    assert parse_model(free, "a.xml", floating=True) == parse_model(free, "a.xml")
    with pytest.raises(FileFormatError, match="floating"):
        parse_model(mjcf(f"<body><joint/>{BALL}</body>"), "a.xml", floating=True)


def test_the_robot_of_a_file_is_compiled_like_any_other(tmp_path: Path) -> None:
    file = written(tmp_path, mjcf(JOINTS))
    robot, theirs = sixvec.load(file), mujoco.MjModel.from_xml_path(str(file))
    data, q = mujoco.MjData(theirs), robot.random(1)
    data.qpos = sixvec.convert(q, robot, to="mujoco")
    mujoco.mj_kinematics(theirs, data)
    np.testing.assert_allclose(robot.pose(q, "eye")[:3, 3], data.site("eye").xpos, atol=EXACT)
    np.testing.assert_allclose(robot.pose(q, "a")[:3, 3], data.body("a").xpos, atol=EXACT)
    assert robot.mass == pytest.approx(theirs.body_mass.sum())


def test_names_that_are_missing_or_taken() -> None:
    model = parse_model(
        mjcf(
            f'<body><joint/><joint/>{BALL}<site name="body2"/></body><body name="body2">{BALL}</body>'
            f'<body name="body1/joint1">{BALL}</body><body>{BALL}</body>'
        ),
        "arm.xml",
    )
    assert [b.name for b in model.bodies] == ["body1/joint1_", "body1", "body2", "body1/joint1", "body4"]
    assert [f.name for f in model.frames][-1] == "body2 (site)"


def test_a_deep_chain_needs_no_deep_stack(tmp_path: Path) -> None:
    count = 3000
    text = mjcf(f"<body pos='0 0 1'><joint/>{BALL}" * count + "</body>" * count)
    assert parse_model(text, "chain.xml").nv == count


def test_the_mjcf_of_mujoco_itself_is_read(tmp_path: Path) -> None:
    """What MuJoCo writes of a model is the same model."""
    spec = mujoco.MjSpec.from_string(mjcf(JOINTS))
    spec.compile()
    file = tmp_path / "saved.xml"
    file.write_text(spec.to_xml())
    for what, worst in compare(file).items():
        assert worst <= EXACT, f"{what}: relative error {worst:.1e}"
