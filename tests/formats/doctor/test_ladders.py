"""Every number of a file replaced by small, large and odd ones: what the doctor says of each is on record.

The rules have thresholds (metres or millimetres, radians or degrees, a body that can exist); with one easy value each
they could be anywhere.  `SIXVEC_WRITE_GOLDEN=1 pytest tests/formats/doctor/test_ladders.py` writes
tests/golden/doctor.txt anew: read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file

GOLDEN = Path(__file__).parent.parent.parent / "golden/doctor.txt"
VALUES = ["-1", "0", "1e-10", "0.6", "1.002", "1.5708", "6.3", "20.5", "26", "900", "5001", "2e15", "nan"]
FEWER = ["-1", "0", "0.6", "20.5", "900", "2e15", "nan"]
"""For files whose thresholds are those of the others."""

URDF = """<robot name="r">
<link name="a"><inertial><origin xyz="0 0 .1"/><mass value="2"/>
<inertia ixx=".3" ixy=".01" ixz="0" iyy=".4" iyz="0" izz=".5"/></inertial></link>
<link name="b"><inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
<visual><origin rpy="0 0 1"/><geometry><box size="1 1 1"/></geometry>
<material name="m"><color rgba="0 0 .5 1"/></material></visual></link>
<link name="c"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 .3" rpy="0 1.5 0"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="9" velocity="3"/>
<dynamics damping=".1" friction=".2"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="9" velocity="3"/><mimic joint="j" multiplier="2" offset=".1"/></joint>
</robot>"""
MJCF = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a" pos="0 0 .3" euler="0 1 0"><inertial mass="2" pos="0 0 .1" diaginertia=".3 .4 .5"/>
<joint name="j" axis="0 0 1" range="-2 2" damping=".1" armature=".2" frictionloss=".3" stiffness=".4" ref=".1"/>
<geom type="capsule" size=".1 .2" pos=".1 0 0" mass="1" rgba="0 0 1 1"/>
<body name="b" quat="1 0 0 0"><joint name="k" type="slide" axis="1 0 0" range="-1 1"/>
<inertial mass="1" pos="0 0 0" fullinertia="1 1 1 .1 0 0"/></body></body></worldbody>
<equality><joint joint1="k" joint2="j" polycoef="0.1 2 0 0 0"/></equality>
</mujoco>"""
DEGREES = """<mujoco><worldbody>
<body name="a"><joint name="j" range="-1.4 1"/><geom size=".1"/>
<body name="b"><joint name="k" range="-1 2"/><geom size=".1"/></body></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><pose>0 0 .2 0 0 1</pose>
<link name="a"><inertial><mass>2</mass><inertia><ixx>.3</ixx><ixy>.01</ixy><iyy>.4</iyy><izz>.5</izz></inertia>
</inertial></link><link name="b"><pose>0 0 1 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="v"><geometry><sphere><radius>.1</radius></sphere></geometry></visual></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-2</lower><upper>2</upper><effort>9</effort><velocity>3</velocity></limit>
<dynamics><damping>.1</damping><friction>.2</friction></dynamics></axis></joint></model></sdf>"""
SHAPES = """<mujoco><compiler angle="radian" boundmass="0" settotalmass="9" inertiagrouprange="0 2"/>
<default><geom density="700"/><default class="c"><joint range="-.5 .5" damping=".2"/></default></default>
<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" scale="1 2 .5"/>
</asset><worldbody><geom type="plane" size="3 4 .1"/>
<body name="a" axisangle="0 0 1 .3"><joint name="j" type="ball" range="0 .7"/><geom type="box" size=".1 .2 .3"/>
<geom type="capsule" fromto="0 0 0 0 .4 .5" size=".15"/><geom type="mesh" mesh="m" group="1"/>
<site name="s" xyaxes="1 0 0 0 1 0" size=".02"/><body name="b" zaxis="0 0 1" gravcomp=".5">
<joint name="k" class="c" pos=".1 0 .25" springref=".05" margin=".01"/><geom type="ellipsoid" size=".31 .32 .33"/>
</body></body></worldbody><option gravity="0 0 -9.81" timestep=".002"/>
<equality><connect body1="a" body2="b" anchor=".11 0 .12"/></equality>
<actuator><motor joint="k" gear="8" ctrlrange="-4 4"/></actuator></mujoco>"""
AUTO = """<sdf version="1.11"><model name="m"><static>0</static>
<frame name="f" attached_to="a"><pose degrees="true">0 0 .2 0 90 30</pose></frame>
<link name="a"><inertial auto="true"><density>800</density></inertial>
<collision name="c"><density>600</density><geometry><box><size>.1 .2 .3</size></box></geometry></collision>
<collision name="d"><geometry><cylinder><radius>.4</radius><length>.5</length></cylinder></geometry></collision></link>
<link name="b"><pose rotation_format="quat_xyzw">0 0 1 .5 -.5 .51 .49</pose></link><link name="c"/>
<joint name="j" type="screw"><parent>a</parent><child>b</child><screw_thread_pitch>.02</screw_thread_pitch>
<axis><xyz expressed_in="f">0 .6 .8</xyz><limit><lower>-3</lower><upper>4</upper></limit></axis></joint>
<joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz>
<mimic joint="j"><multiplier>2</multiplier><offset>.1</offset><reference>.2</reference></mimic>
<dynamics><spring_stiffness>7</spring_stiffness><spring_reference>.3</spring_reference></dynamics></axis></joint>
</model></sdf>"""
FILES = {
    "shapes.xml": SHAPES,
    "auto.sdf": AUTO,
    "arm.urdf": URDF,
    "arm.xml": MJCF,
    "degrees.xml": DEGREES,
    "arm.sdf": SDF,
}
NUMBER = re.compile(r'(?<=[" >])-?\.?\d[\d.]*(?=[" <])')


def rungs(name: str, folder: Path) -> Iterator[str]:
    """For each number of a file a line: the number with its line, and what is found with each value in its place.

    Of equal numbers on a line, such as two zeros of an axis, the first.
    """
    text, file = FILES[name], folder / name
    seen = set()
    for match in NUMBER.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if text[: match.start()].endswith('version="') or (line, match[0]) in seen:
            continue
        seen.add((line, match[0]))
        found = []
        for value in FEWER if name in ("shapes.xml", "auto.sdf") else VALUES:
            file.write_text(text[: match.start()] + value + text[match.end() :])
            report = check_file(file)
            found.append("".join(sorted({f"{f.severity.word[0]}{f.line or ''}" for f in report.findings})) or ".")
        yield f"{name}:{line} {match[0]}: {' '.join(found)}"


@pytest.mark.parametrize("name", FILES)
def test_what_is_said_of_every_number(name: str, tmp_path: Path) -> None:
    found = [*rungs(name, tmp_path)]
    recorded = GOLDEN.read_text().splitlines() if GOLDEN.exists() else []
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        others = [line for line in recorded if not line.startswith(f"{name}:")]
        recorded = sorted([*others, *found], key=lambda line: [*FILES].index(line.partition(":")[0]))
        GOLDEN.write_text("\n".join(recorded) + "\n")
    assert found == [line for line in recorded if line.startswith(f"{name}:")], "if meant: SIXVEC_WRITE_GOLDEN=1"
