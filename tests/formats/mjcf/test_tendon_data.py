"""Tendons and keyframes of MJCF files, as MuJoCo has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mjcf_peer import mujoco, quietly
from package_files import published_mjcf
from sixvec import Robot
from sixvec.errors import FileFormatError, ModelError
from sixvec.formats import parse_model
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.model import FixedTendon, Model, Pulley, SpatialTendon, TendonForces, ViaPoint, Wrap
from sixvec.model.edits import attach, lock, rename, subchain
from sixvec.model.tendon import Tendon

ARM = """<mujoco><compiler angle="radian"/>{before}<worldbody><site name="w" pos="0 0 1"/>
<body name="b" pos="0 0 .5"><joint name="h" axis="0 1 0" ref="0.2"/><geom name="drum" type="cylinder" size=".05 .1"
 euler="1.57 0 0" mass="1"/><site name="s" pos=".2 0 0"/><site name="up" pos="0 0 .1"/>
<body name="c" pos=".4 0 0"><joint name="l" type="slide" axis="1 0 0" ref="0.1"/><geom name="ball" size=".04" mass="1"/>
<site name="e" pos=".3 0 0"/><body name="k" pos="0 0.3 0"><joint name="m" axis="1 0 0"/><geom size=".1" mass="1"/>
</body></body></body>
<body name="f" pos="1 2 3" euler="0.1 0.2 0.3"><freejoint name="free"/><geom size=".1"/><body name="g">
<joint name="turn" type="ball"/><geom size=".1"/></body></body></worldbody>{after}</mujoco>"""

TENDONS = """<default><tendon stiffness="3" damping="2"/></default><tendon>
<fixed name="sum" range="-1 2" springlength="0.1 0.3"><joint joint="h" coef="2"/><joint joint="l" coef="-.5"/></fixed>
<spatial name="straight" stiffness="0" frictionloss="1"><site site="w"/><site site="s"/><site site="e"/></spatial>
<spatial name="wrapped" range="0 1"><site site="w"/><geom geom="drum" sidesite="up"/><site site="s"/>
<pulley divisor="2"/><site site="s"/><geom geom="ball"/><site site="e"/></spatial></tendon>"""

FORCES = {"stiffness": "tendon_stiffness", "damping": "tendon_damping", "friction": "tendon_frictionloss",
          "armature": "tendon_armature"}  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")


def read(after: str, before: str = "") -> tuple[Model, Any]:
    text = ARM.format(before=before, after=after)
    return parse_model(text, "arm.xml"), mujoco.MjModel.from_xml_string(text)


def length(t: Tendon, model: Model, q: Any) -> float | None:
    """The length of a tendon without shapes in its way."""
    if isinstance(t, FixedTendon):
        at = {b.joint_label: q[model.q_slices[b.name]][0] for b in model.moving}
        return t.offset + sum(factor * at[joint] for joint, factor in t.terms)
    if any(isinstance(x, Wrap) for x in t.path):
        return None
    total, divisor, before, robot = 0.0, 1.0, None, Robot(model)
    for part in t.path:
        match part:
            case Pulley(d):
                divisor, before = d, None
            case ViaPoint(frame):
                point = robot.pose(q, frame)[:3, 3]
                total += 0.0 if before is None else float(np.linalg.norm(point - before)) / divisor
                before = point
    return total


def compare(ours: Model, theirs: Any) -> None:
    """Forces, ranges and paths of all tendons; lengths of the straight ones in the file's position."""
    by_name = {theirs.tendon(i).name: i for i in range(theirs.ntendon)}
    data = mujoco.MjData(theirs)
    keys = {theirs.key(i).name: theirs.key_qpos[i] for i in range(theirs.nkey)}
    data.qpos[:] = keys.get("qpos0", theirs.qpos0)
    mujoco.mj_forward(theirs, data)
    names = [k.name for k in ours.keyframes]
    q = ours.keyframe("qpos0").q if "qpos0" in names else Robot(ours).neutral()
    for t in ours.tendons:
        i = by_name[t.name]
        limits = theirs.tendon_range[i] if theirs.tendon_limited[i] else (-np.inf, np.inf)
        assert (t.forces.lower, t.forces.upper) == tuple(limits)
        for name, field in FORCES.items():
            assert getattr(t.forces, name) == np.ravel(getattr(theirs, field)[i])[0]
        if t.forces.rest is not None:
            np.testing.assert_array_equal(t.forces.rest, theirs.tendon_lengthspring[i])
        expected = length(t, ours, q)
        if expected is not None:
            np.testing.assert_allclose(expected, data.ten_length[i], rtol=1e-9, atol=1e-12)
        if isinstance(t, SpatialTendon):
            _compare_path(t, theirs, theirs.tendon_adr[i])


def _compare_path(t: SpatialTendon, theirs: Any, start: int) -> None:
    kinds = mujoco.mjtWrap
    for k, part in enumerate(t.path, start):
        kind, which, number = theirs.wrap_type[k], theirs.wrap_objid[k], theirs.wrap_prm[k]
        match part:
            case ViaPoint(frame):
                assert kind == kinds.mjWRAP_SITE and theirs.site(which).name in frame
            case Pulley(divisor):
                assert kind == kinds.mjWRAP_PULLEY and number == divisor
            case Wrap():
                assert kind == (kinds.mjWRAP_CYLINDER if part.cylinder else kinds.mjWRAP_SPHERE)
                assert theirs.geom(which).name == part.name and theirs.geom(which).size[0] == part.radius
                assert (number < 0) == (part.side is None)
                if part.side is not None:
                    assert theirs.site(int(number)).name in part.side


def test_tendons_are_those_of_mujoco() -> None:
    ours, theirs = read(TENDONS)
    assert [t.name for t in ours.tendons] == ["sum", "straight", "wrapped"]
    compare(ours, theirs)


@pytest.mark.filterwarnings("ignore:compiler attribute")
@pytest.mark.parametrize("path", published_mjcf(), ids=lambda f: f"{f.parts[-3]}-{f.stem}")
def test_published_tendons_and_options_are_those_of_mujoco(path: Path) -> None:
    ours, theirs = quietly(path), mujoco.MjModel.from_xml_path(str(path))
    compare(ours, theirs)
    assert (ours.simulation.timestep or 0.002) == theirs.opt.timestep
    integrator = mujoco.mjtIntegrator(theirs.opt.integrator).name.rpartition("_")[2]
    assert (ours.simulation.integrator or "Euler").upper() == integrator


def test_written_tendons_are_read_back() -> None:
    ours, _ = read(TENDONS)
    again = parse_model(write_mjcf(ours), "again.xml")
    assert again.tendons == ours.tendons
    compare(again, mujoco.MjModel.from_xml_string(write_mjcf(ours)))


@pytest.mark.parametrize(
    ("tendon", "offender"),
    [
        ('<fixed name="x"><joint joint="turn" coef="1"/></fixed>', "turn"),
        ('<fixed name="x"><joint joint="h" coef="1"/><joint joint="h" coef="2"/></fixed>', "two terms"),
        ('<fixed name="x"/>', "no joints"),
        ('<fixed name="x"><joint joint="h"/></fixed>', "coef"),
        ('<fixed name="x"><joint joint="q" coef="1"/></fixed>', 'no joint "q"'),
        ('<spatial name="x"><site site="s"/></spatial>', "alone|two sites"),
        ('<spatial name="x"><site site="s"/><site site="s"/></spatial>', "follows itself"),
        ('<spatial name="x"><site site="s"/><geom geom="ball"/></spatial>', "between two sites"),
        (
            '<spatial name="x"><site site="s"/><geom geom="ball"/><geom geom="drum"/><site site="e"/></spatial>',
            "between",
        ),
        ('<spatial name="x"><site site="s"/><site site="e"/><pulley divisor="2"/></spatial>', "last"),
        (
            '<spatial name="x"><site site="s"/><site site="e"/><pulley divisor="0"/><site site="s"/>'
            '<site site="e"/></spatial>',
            "divisor",
        ),
        ('<spatial name="x" range="1 0" limited="true"><site site="s"/><site site="e"/></spatial>', "range"),
        ('<spatial name="x" springlength="2 1"><site site="s"/><site site="e"/></spatial>', "springlength"),
        ('<spatial name="x"><site site="s"/><geom geom="ball" sidesite="n"/><site site="e"/></spatial>', 'no site "n"'),
        ('<spatial name="x"><site site="s"/><geom geom="n"/><site site="e"/></spatial>', 'no geom "n"'),
        (
            '<fixed name="x"><joint joint="h" coef="1"/></fixed><fixed name="x"><joint joint="l" coef="1"/></fixed>',
            "two tendons",
        ),
    ],
)
def test_tendons_that_mujoco_rejects_are_errors(tendon: str, offender: str) -> None:
    text = ARM.format(before="", after=f"<tendon>{tendon}</tendon>")
    with pytest.raises(ValueError, match=r"Error|error"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(FileFormatError, match=offender):
        parse_model(text, "arm.xml")


KEY = """<equality><joint joint1="m" joint2="h" polycoef="0.1 2"/></equality>
<actuator><motor name="a" joint="h"/><general name="b" joint="l" dyntype="filter"/></actuator><keyframe>
<key name="home" time="2" qpos="0.5 0.3 0.7 1 2 3 2 0 0 2 0 1 0 0" qvel="1 2 2 1 2 3 4 5 6 7 8 9" ctrl="3 4" act="5"/>
<key qvel="0 0 0 1 0 0 0 0 0 0 0 0"/></keyframe>"""


def test_keyframes_are_the_states_of_mujoco() -> None:
    ours, theirs = read(KEY)
    assert [k.name for k in ours.keyframes] == ["qpos0", "home", "key2"]
    robot, data = Robot(ours), mujoco.MjData(theirs)
    states = {"home": (theirs.key_qpos[0], theirs.key_qvel[0]), "key2": (theirs.key_qpos[1], theirs.key_qvel[1]),
              "qpos0": (theirs.qpos0, np.zeros(theirs.nv))}  # fmt: skip
    for name, (qpos, qvel) in states.items():
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(theirs, data)
        state = ours.keyframe(name)
        moved = ("b", "c", "f", "g") if name != "home" else ("b", "c", "k", "f", "g")
        for body in moved:
            i = theirs.body(body).id
            np.testing.assert_allclose(robot.pose(state.q, body)[:3, 3], data.xpos[i], atol=1e-12)
            np.testing.assert_allclose(robot.pose(state.q, body)[:3, :3].ravel(), data.xmat[i], atol=1e-12)
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, i, velocity, 0)
            np.testing.assert_allclose(robot.velocity(state.q, state.v, body), velocity, atol=1e-12)
    home = ours.keyframe("home")
    assert home.time == 2.0 and home.u.tolist() == [3.0, 4.0] and home.activation.tolist() == [0.0, 5.0]


def test_written_keyframes_are_read_back() -> None:
    ours, _ = read(KEY)
    text = write_mjcf(ours)
    again = parse_model(text, "again.xml")
    assert len(again.keyframes) == len(ours.keyframes)
    for k in ours.keyframes:
        first, second = ours.keyframe(k.name), again.keyframe(k.name)
        for field in ("q", "v", "u", "activation", "time"):
            np.testing.assert_allclose(getattr(first, field), getattr(second, field), atol=1e-15)
    mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("key", ['qpos="1 2"', 'ctrl="1"', 'qpos="a"', 'qpos="0 0 0 1 2 3 0 0 0 0 0 1 0 0"'])
def test_keyframes_that_do_not_fit_are_left_out_and_listed(key: str) -> None:
    text = ARM.format(before="", after=f"<keyframe><key name='wrong' {key}/></keyframe>")
    with pytest.warns(UserWarning, match="wrong|key"):
        model = parse_model(text, "arm.xml")
    assert [k.name for k in model.keyframes] == ["qpos0"]


def test_edits_keep_what_refers_to_joints_and_frames() -> None:
    ours, _ = read(
        TENDONS
        + KEY.replace("</actuator>", '<motor name="pull" tendon="sum"/></actuator>').replace(
            'ctrl="3 4"', 'ctrl="3 4 0"'
        )
    )
    locked = lock(ours, {"l": 0.3})
    assert [a.name for a in locked.actuators] == ["a", "pull"]
    (t,) = (t for t in locked.tendons if isinstance(t, FixedTendon))
    assert (t.terms, t.offset) == ((("h", 2.0),), -0.15)
    np.testing.assert_allclose(locked.keyframe("home").q, np.delete(ours.keyframe("home").q, ours.q_slices["c"].start))
    named = rename(ours, {"h": "shoulder", "s": "elbow point", "sum": "total", "home": "start", "drum": "wheel"})
    assert named.tendons[0].name == "total" and named.tendons[0].joints == ("shoulder", "l")
    assert "elbow point" in named.tendons[1].frames and named.actuators[-1].transmission.tendon == "total"
    np.testing.assert_array_equal(named.keyframe("start").q, ours.keyframe("home").q)
    twice = attach(ours, ours, "w", prefix="second ")
    assert len(twice.tendons) == 2 * len(ours.tendons) and len(twice.actuators) == 2 * len(ours.actuators)
    assert twice.tendons[-1].frames[0] == "second w" and len(twice.keyframe("home").q) == twice.nq
    part = subchain(ours, "b", "c")
    assert [t.name for t in part.tendons] == [] and [a.name for a in part.actuators] == ["b"]


def test_models_reject_tendons_that_lead_nowhere() -> None:
    ours, _ = read("")
    for tendon, offender in (
        (FixedTendon("t", (("x", 1.0),)), 'no joint with one freedom "x"'),
        (FixedTendon("t", (("turn", 1.0),)), "turn"),
        (FixedTendon("t", ()), "joints"),
        (SpatialTendon("t", (ViaPoint("s"), ViaPoint("nowhere"))), 'no frame "nowhere"'),
        (SpatialTendon("t", (ViaPoint("s"),)), "two or more"),
        (SpatialTendon("t", (ViaPoint("s"), Pulley(-1.0), ViaPoint("e"))), "divisor"),
        (SpatialTendon("t", (ViaPoint("s"), ViaPoint("e")), TendonForces(lower=2.0, upper=1.0)), "limits"),
    ):
        with pytest.raises(ModelError, match=offender):
            replace(ours, tendons=(tendon,))
