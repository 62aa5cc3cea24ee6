"""Actuators of MJCF files: transmissions, laws and ranges, as MuJoCo compiles them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mjcf_peer import mujoco, quietly
from package_files import published_mjcf
from sixvec.errors import FileFormatError, ModelError
from sixvec.formats import parse_model
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.model import Actuator, FrameTransmission, JointTransmission, Model, TendonTransmission

ROBOT = """<mujoco>{before}<worldbody><site name="w"/>
<body name="b" pos="0 0 .15"><joint name="h" range="-90 60"/><geom name="g" size=".1" mass="2"/><site name="s"/>
<body name="c" pos="0 0 .2"><joint name="l" type="slide" axis="1 0 0" range="-1 2"/><geom size=".1" mass="3"/>
<site name="e" pos=".3 0 0"/><body name="d"><joint name="ball" type="ball"/><geom size=".1" mass="3"/></body></body>
</body>
<body name="f"><freejoint name="free"/><geom size=".1"/></body></worldbody>
<tendon><fixed name="t" range="0 1"><joint joint="h" coef="2"/><joint joint="l" coef="1"/></fixed></tendon>
<actuator>{actuator}</actuator></mujoco>"""

ELEMENTS = {
    "motor": (
        'ctrlrange="-1 1" gear="2 3"', 'forcerange="-5 5"', 'ctrlrange="1 -1"', 'ctrllimited="false" ctrlrange="0 1"',
    ),
    "position": (
        'kp="5"', 'kp="5" kv=".3"', 'dampratio="0.7"', 'timeconst=".1"', 'kp="3" timeconst="0"', 'inheritrange="0.5"',
    ),
    "velocity": ("", 'kv="3"'),
    "intvelocity": ('kp="5" actrange="-1 1"', 'inheritrange="1"', 'kv=".2"'),
    "damper": ('kv="3" ctrlrange="0 1"',),
    "cylinder": ('timeconst=".2" area="3" bias="1 2 3"', 'diameter="3"', ""),
    "muscle": ('lengthrange=".1 1"', 'lengthrange=".1 1" force="10" range=".5 1" timeconst=".02 .05" vmax="2"'),
    "general": (
        'gainprm="3 1 2" gaintype="affine" biastype="affine" biasprm="1 2 3 4"', 'dyntype="filter" dynprm=".3"',
        'dyntype="filterexact" dynprm=".3 2"', 'dyntype="integrator" actearly="true" actrange="-1 2"', 'gainprm="7"',
        'gainprm="7" biastype="affine" biasprm="0 -7 0.4"', 'biasprm="1 2 3"', "",
    ),
}  # fmt: skip
CLASSED = [f"<{tag} {words}/>" for tag, all_words in ELEMENTS.items() for words in all_words]
TARGETS = ('joint="h"', 'joint="l" gear="-3"', 'tendon="t"', 'site="s" gear="1 2 3 4 5 6"', 'site="s" refsite="e"',
           'joint="ball" gear="1 2 3"')  # fmt: skip


def limits(limited: bool, ends: Any) -> tuple[float, ...] | None:
    return tuple(ends.tolist()) if limited else None


def expected(model: Any, i: int) -> dict[str, Any]:
    """The fields of an actuator, from those of MuJoCo's compiled model."""
    kinds = {0: None, 1: ("integrator", 1.0, False), 2: ("filter", model.actuator_dynprm[i][0], False),
             3: ("filter", model.actuator_dynprm[i][0], True)}  # fmt: skip
    gain, bias = model.actuator_gainprm[i], model.actuator_biasprm[i]
    common = {
        "control_range": limits(model.actuator_ctrllimited[i], model.actuator_ctrlrange[i]),
        "force_range": limits(model.actuator_forcelimited[i], model.actuator_forcerange[i]),
        "activation_range": limits(model.actuator_actlimited[i], model.actuator_actrange[i]),
    }
    if model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_MUSCLE:
        curve = (*gain[:9], *model.actuator_dynprm[i][:3])
        return common | {"muscle": curve, "length_range": tuple(model.actuator_lengthrange[i])}
    affine = mujoco.mjtGain.mjGAIN_AFFINE
    return common | {
        "gain": tuple(gain[:3]) if model.actuator_gaintype[i] == affine else (gain[0], 0.0, 0.0),
        "bias": tuple(bias[:3]) if model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE else (0.0,) * 3,
        "activation": kinds[model.actuator_dyntype[i]],
    }


def fields(a: Actuator, model: Any, i: int) -> dict[str, Any]:
    """The same of an actuator of ours."""
    common = {"control_range": a.control_range, "force_range": a.force_range, "activation_range": a.activation_range}
    if a.muscle is not None:
        m = a.muscle
        curve = (*m.range, m.force, m.scale, m.lmin, m.lmax, m.vmax, m.fpmax, m.fvmax, *m.time_constants, m.smoothing)
        if m.force < 0.0:  # MuJoCo computes the force from the scale
            curve = (*curve[:2], model.actuator_gainprm[i][2], *curve[3:])
        return common | {"muscle": curve, "length_range": m.length_range or tuple(model.actuator_lengthrange[i])}
    bias = a.bias if not a.damping_ratio else (*a.bias[:2], model.actuator_biasprm[i][2])  # from the inertia
    w = a.activation
    return common | {"gain": a.gain, "bias": bias, "activation": w and (w.kind, w.time_constant, w.exact)}


def same_target(a: Actuator, model: Any, i: int) -> bool:
    gear, name = model.actuator_gear[i], mujoco.mj_id2name
    first = int(model.actuator_trnid[i][0])
    match a.transmission:
        case JointTransmission(joint, own):
            return name(model, mujoco.mjtObj.mjOBJ_JOINT, first) == joint and tuple(gear[: len(own)]) == own
        case TendonTransmission(tendon, own):
            return name(model, mujoco.mjtObj.mjOBJ_TENDON, first) in (tendon, None) and gear[0] == own
        case FrameTransmission(frame, own):
            site = name(model, mujoco.mjtObj.mjOBJ_SITE, first)
            return site in frame and tuple(gear) == (*own[3:], *own[:3])
    return False


def compare(ours: Model, theirs: Any) -> None:
    assert len(ours.actuators) == theirs.nu
    for i, a in enumerate(ours.actuators):
        if a.unsupported:
            continue
        assert same_target(a, theirs, i), a
        found, wanted = fields(a, theirs, i), expected(theirs, i)
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            if value is None or found[key] is None or isinstance(value[0], str):
                assert found[key] == value, (key, a)
            else:
                np.testing.assert_allclose(found[key], value, rtol=1e-12, atol=1e-14, err_msg=f"{key} of {a}")


@pytest.mark.filterwarnings("ignore:compiler attribute")
@pytest.mark.parametrize("path", published_mjcf(), ids=lambda f: f"{f.parts[-3]}-{f.stem}")
def test_published_actuators_are_those_that_mujoco_compiles(path: Path) -> None:
    compare(quietly(path), mujoco.MjModel.from_xml_path(str(path)))


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize("default", ["", *(x for x in CLASSED if "lengthrange" not in x), '<muscle force="7"/>'])
def test_every_abbreviation_in_every_class_is_compiled_as_in_mujoco(default: str) -> None:
    """Whatever the class has of other kinds of actuators."""
    compared = 0
    for element in CLASSED:
        text = ROBOT.format(before=f"<default>{default}</default>", actuator=element.replace("/>", ' joint="h"/>'))
        try:
            theirs = mujoco.MjModel.from_xml_string(text)
        except ValueError:
            continue
        compare(parse_model(text, "robot.xml"), theirs)
        compared += 1
    assert compared > 5


@pytest.mark.parametrize(("target", "tag"), [*product(TARGETS, ("motor", "position", "general"))])
def test_transmissions_are_those_of_mujoco(target: str, tag: str) -> None:
    text = ROBOT.format(before="", actuator=f"<{tag} {target}/>")
    compare(parse_model(text, "robot.xml"), mujoco.MjModel.from_xml_string(text))


def test_classes_inside_classes_add_to_those_around_them() -> None:
    default = (
        '<default><motor ctrlrange="-1 1"/><default class="a"><position kp="7"/><default class="b">'
        '<position kv="0.5"/></default></default></default>'
    )
    actuator = '<position joint="h" class="b"/><motor joint="h"/><position joint="l" class="a"/>'
    text = ROBOT.format(before=default, actuator=actuator)
    model = parse_model(text, "robot.xml")
    compare(model, mujoco.MjModel.from_xml_string(text))
    assert model.actuators[0].bias == (0.0, -7.0, -0.5) and model.actuators[0].control_range == (-1.0, 1.0)


@pytest.mark.parametrize("element", CLASSED)
def test_written_actuators_are_read_back(element: str) -> None:
    if 'ctrlrange="1 -1"' in element:
        return
    model = parse_model(ROBOT.format(before="", actuator=element.replace("/>", ' joint="h"/>')), "robot.xml")
    again = parse_model(write_mjcf(model), "again.xml")
    assert again.actuators == model.actuators


@pytest.mark.parametrize("target", TARGETS)
def test_written_transmissions_are_read_back(target: str) -> None:
    model = parse_model(ROBOT.format(before="", actuator=f"<motor name='m' {target}/>"), "robot.xml")
    assert parse_model(write_mjcf(model), "again.xml").actuators == model.actuators


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ('<adhesion body="b" ctrlrange="0 1"/>', "touches"),
        ('<general cranksite="s" slidersite="w" cranklength="1"/>', "slider-crank"),
        ('<motor joint="free" gear="1 0 0"/>', "free joint"),
        ('<motor jointinparent="ball" gear="1 0 0"/>', "parent"),
        ('<general joint="h" dyntype="user"/>', "user"),
        ('<motor joint="h" armature="0.1"/>', "armature"),
        ('<motor joint="h" delay="0.1" nsample="2"/>', "delay"),
        ('<general joint="h" dyntype="muscle"/>', "muscle"),
        ('<pid joint="h" kp="3"/>', "integral"),
    ],
)
@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
def test_unsupported_actuators_keep_their_place_and_say_why(element: str, reason: str) -> None:
    model = parse_model(ROBOT.format(before="", actuator=element + '<motor joint="h"/>'), "robot.xml")
    assert reason in model.actuators[0].unsupported and not model.actuators[1].unsupported


@pytest.mark.parametrize(
    ("element", "offender"),
    [
        ('<motor joint="hh"/>', 'no joint "hh"'),
        ('<motor tendon="x"/>', 'no tendon "x"'),
        ('<motor site="s" refsite="x"/>', 'no site "x"'),
        ("<motor/>", "drives nothing"),
        ('<motor joint="h" gear="a"/>', "gear"),
        ('<motor joint="h" ctrlrange="1 -1" ctrllimited="true"/>', "ctrlrange"),
        ('<motor joint="h" gear="1 2 3 4 5 6 7"/>', "gear"),
        ('<position joint="h" kv="-1"/>', "kv"),
        ('<position joint="h" kv="1" dampratio="1"/>', "dampratio"),
        ('<position joint="ball" inheritrange="1"/>', "inheritrange"),
        ('<general joint="h" gaintype="quadratic"/>', "gaintype"),
        ('<general joint="h" gainprm="1 inf"/>', "gainprm"),
        ('<motors joint="h"/>', 'no actuator "motors"'),
        ('<motor name="m" joint="h"/><motor name="m" joint="l"/>', 'two actuators are named "m"'),
        ('<motor class="x" joint="h"/>', 'no default class "x"'),
    ],
)
def test_malformed_actuators_are_named(element: str, offender: str) -> None:
    with pytest.raises(FileFormatError, match=offender):
        parse_model(ROBOT.format(before="", actuator=element), "robot.xml")


def test_actuators_of_a_model_name_what_exists() -> None:
    model = parse_model(ROBOT.format(before="", actuator=""), "robot.xml")
    for transmission, offender in (
        (JointTransmission("x"), 'no joint "x"'),
        (JointTransmission("ball", (1.0,)), "gear"),
        (TendonTransmission("x"), 'no tendon "x"'),
        (FrameTransmission("x", (0.0,) * 6), 'no frame "x"'),
        (JointTransmission("h", (float("nan"),)), "finite"),
        (None, "drives nothing"),
    ):
        with pytest.raises(ModelError, match=offender):
            replace(model, actuators=(Actuator("a", transmission),))
