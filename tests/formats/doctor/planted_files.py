"""A file in each format with many mistakes, and healthy ones without any: lines, each with what is to be said of it."""

from __future__ import annotations

Lines = list[tuple[str, tuple[str, ...]]]
"""The lines of a file, and of each the words of the warnings and errors that it deserves."""

_SPHERE = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
_BODY = f'<inertial><mass value="1"/>{_SPHERE}</inertial>'
_FLAT = _BODY.replace('izz="1"', 'izz="3"')
_LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'

URDF: Lines = [
    ('<robot name="r">', ()),
    (f'<link name="base">{_BODY}', ()),
    ('<visual><geometry><mesh filename="base.stl"/></geometry></visual></link>', ("does not exist",)),
    ('<link name="upper">', ()),
    (f"{_FLAT}</link>", ("triangle inequality",)),
    (f'<link name="lower">{_BODY}</link>', ()),
    (f'<link name="hand">{_BODY}</link>', ()),
    (f'<link name="hand">{_BODY}</link>', ("the first is in line 7",)),
    ('<link name="tip"/><link name="end"/>', ("several root links",)),
    ('<joint name="a" type="revolute"><parent link="base"/><child link="upper"/>', ()),
    ('<origin xyz="0 0 300" rpy="0 90 0"/>', ("millimetres", "degrees")),
    (f'<axis xyz="0 0 0"/>{_LIMIT}</joint>', ("has no direction",)),
    ('<joint name="b" type="revolute"><parent link="uper"/>', ('did you mean "upper"',)),
    ('<child link="lower"/><axis xyz="0 1 O"/>', ("not numbers",)),
    ('<limit lower="1" upper="-1" effort="1" velocity="1"/>', ("is above upper",)),
    ('<mimic joint="c"/></joint>', ("follows itself: b -> c -> b",)),
    ('<joint name="c" type="revolute"><parent link="lower"/><child link="hand"/><axis xyz="0 0 1"/>', ("no <limit>",)),
    ('<mimic joint="b"/></joint>', ()),
    ('<joint name="d" type="hinge"><parent link="hand"/><child link="odd"/></joint>', ('no joint type "hinge"',)),
    ('<joint name="e" type="continuous"><parent link="hand"/><child link="end"/><axis xyz="0 0 1"/></joint>',
     ("no mass",)),
    (f'<link name="odd">{_BODY}</link><link name="left">{_BODY}</link><link name="right">{_BODY}</link>', ()),
    ('<joint name="f" type="fixed"><parent link="left"/><child link="right"/></joint>', ()),
    ('<joint name="g" type="fixed"><parent link="right"/><child link="left"/></joint>', ("form a cycle",)),
    ("</robot>", ()),
]  # fmt: skip

MJCF: Lines = [
    ('<mujoco model="r">', ()),
    ('<compiler angle="radian" meshdir="parts"/>', ()),
    ('<default><joint range="-1 1"/>', ()),
    ('<default class="arm"><joint armature="nan"/></default>', ("not finite",)),
    ("</default>", ()),
    ('<asset><mesh name="plate" file="plate.stl"/></asset>', ('"parts/plate.stl": the file does not exist',)),
    ("<worldbody>", ()),
    ('<body name="base" childclass="arms">', ('no default class "arms"',)),
    ('<inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/>', ("triangle inequality",)),
    ('<body name="upper" pos="0 0 300">', ("millimetres",)),
    ('<joint name="shoulder" axis="0 0 0"/>', ("has no direction",)),
    ('<geom size="0.1"/>', ()),
    ('<body name="lower" euler="0 90 0">', ("degrees",)),
    ('<joint name="elbow" class="arm" range="2 -2"/>', ("is above -2: no limit",)),
    ('<joint name="elbow" axis="0 1 0"/>', ("the first is in line 14",)),
    ('<joint name="wrist" axis="1 0 0" range="-90 90"/>', ("turns: are these degrees",)),
    ('<geom size="0.1 0.2 x"/>', ("not numbers",)),
    ('<body name="tip">', ()),
    ('<joint name="twist"/></body>', ("no mass",)),
    ("</body></body></body>", ()),
    ('<body name="upper"><geom size="1"/>', ("the first is in line 10",)),
    ('<jiont/></body>', ('did you mean "joint"',)),
    ("</worldbody>", ()),
    ('<equality><joint joint1="shoulder" joint2="wrist"/>', ("follows itself: shoulder -> wrist -> shoulder",)),
    ('<joint joint1="wrist" joint2="shoulder"/>', ()),
    ('<weld body1="lower" body2="uper"/></equality>', ('did you mean "upper"',)),
    ('<actuator><motor joint="shuolder"/></actuator>', ('did you mean "shoulder"',)),
    ('<tendon><spatial><site site="hook"/></spatial></tendon>', ('no site "hook"',)),
    ('<contcat/>', ('did you mean "contact"',)),
    ("</mujoco>", ()),
]  # fmt: skip

_AXIS = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>"
_POINT = "<ixx>0</ixx><iyy>0</iyy><izz>0</izz>"

SDF: Lines = [
    ('<sdf version="1.9"><model name="r">', ()),
    ('<link name="base">', ()),
    ("<inertial><mass>1</mass><inertia><ixx>9</ixx></inertia></inertial>", ("triangle inequality",)),
    ('<visual name="v"><geometry><mesh>', ()),
    ("<uri>meshes/base.dae</uri></mesh></geometry></visual></link>", ("does not exist",)),
    ('<link name="upper">', ()),
    ("<pose>0 0 300 0 90 0</pose></link>", ("millimetres", "degrees")),
    ('<link name="upper"/>', ('two frames are named',)),
    ('<link name="lower">', ()),
    ('<pose relative_to="lower_frame"/></link>', ("leads in a circle: r::lower -> r::lower_frame -> r::lower",)),
    ('<link name="tip"><inertial><mass>0</mass>', ()),
    (f"<inertia>{_POINT}</inertia></inertial></link>", ()),
    ('<link name="far">', ()),
    ('<pose relative_to="fra">1 2 3 4</pose></link>', ('no frame "fra"', "4 numbers")),
    ('<frame name="lower_frame" attached_to="lower"/>', ()),
    ('<joint name="a" type="revolute"><parent>bas</parent>', ('did you mean "base"',)),
    ("<child>upper</child><axis>", ()),
    ('<xyz expressed_in="nowhere">0 0 0</xyz>', ("has no direction", 'no frame "nowhere"')),
    ("<limit><lower>-90</lower><upper>90</upper></limit></axis></joint>", ("turns: are these degrees",)),
    ('<joint name="b" type="revolute"><parent>upper</parent><child>lower</child><axis>', ()),
    ("<limit><lower>1</lower><upper>-1</upper></limit>", ("is above upper",)),
    ('<mimic joint="c"/></axis></joint>', ("follows itself: b -> c -> b",)),
    ('<joint name="c" type="revolute"><parent>lower</parent><child>far</child><axis>', ()),
    ('<mimic joint="b"/></axis></joint>', ()),
    (f'<joint name="d" type="revolut"><parent>lower</parent><child>far</child>{_AXIS}</joint>', ('"revolute"',)),
    (f'<joint name="e" type="revolute"><parent>far</parent><child>tip</child>{_AXIS}</joint>', ("no mass",)),
    ('<joint name="f" type="revolute"><parent>far</parent><child>base</child><axis>', ()),
    ("<dynamics><damping>-1</damping></dynamics>", ("the damping is -1",)),
    ('<mimic joint="g"/></axis></joint>', ('no joint "g"',)),
    ("<lnik/>", ("did you mean <link>",)),
    ("</model></sdf>", ()),
]  # fmt: skip

PLANTED = {"r.urdf": URDF, "r.xml": MJCF, "r.sdf": SDF}


def text(lines: Lines) -> str:
    return "\n".join(line for line, _ in lines)
