"""The robots that every contender computes: one cleaned URDF each, so that all compute the same machine."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROBOTS_ENV = "EXAMPLE_ROBOT_DATA"
"""Names the folder `robots/` of example-robot-data where the package of that name is not installed."""

STANDARD_GRAVITY = 9.81
"""Metres per second squared, along -z."""

IRRELEVANT = {
    "robot": ("gazebo", "transmission", "mujoco"),
    "link": ("visual", "collision"),
    # Damping, friction and couplings are treated differently by every library; without them all must agree.
    "joint": ("dynamics", "mimic", "safety_controller", "calibration"),
}


@dataclass(frozen=True)
class Robot:
    """One robot of the suite: `path` inside example-robot-data, the tool `frame`, and the joints to lock."""

    name: str
    path: str
    frame: str
    floating: bool
    locked: tuple[str, ...] = ()


ROBOTS = (
    Robot(
        "panda",
        "panda_description/urdf/panda.urdf",
        "panda_hand_tcp",
        floating=False,
        locked=("panda_finger_joint1", "panda_finger_joint2"),
    ),
    Robot("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", "right_rubber_hand", floating=True),
    Robot("talos", "talos_data/robots/talos_full_v2.urdf", "gripper_right_base_link", floating=True),
)


def robots_folder() -> Path:
    """The folder that holds the robot descriptions."""
    if ROBOTS_ENV in os.environ:
        return Path(os.environ[ROBOTS_ENV])
    try:
        package = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        raise SystemExit(f"robot files not found: pip install example-robot-data, or set {ROBOTS_ENV}") from None
    return Path(str(package.locate_file("cmeel.prefix/share/example-robot-data/robots")))


def write_clean_urdf(robot: Robot, folder: Path) -> Path:
    """Write `robot` without meshes, damping, couplings and with its locked joints fixed; return the new file."""
    tree = ET.parse(robots_folder() / robot.path)
    root = tree.getroot()
    _remove(root, IRRELEVANT["robot"])
    for tag in ("link", "joint"):
        for element in root.findall(tag):
            _remove(element, IRRELEVANT[tag])
    for joint in root.findall("joint"):
        if joint.get("name") in robot.locked:
            joint.set("type", "fixed")
            _remove(joint, ("axis", "limit"))
    target = folder / f"{robot.name}.urdf"
    tree.write(target, encoding="utf-8", xml_declaration=True)
    return target


def root_link(root: ET.Element) -> str:
    """The one link that is no joint's child."""
    children = {child.get("link") for child in root.findall("joint/child")}
    return next(name for link in root.findall("link") if (name := link.get("name", "")) not in children)


def breadth_first_joints(urdf: Path) -> list[str]:
    """Names of the moving joints, breadth first from the root, children in file order."""
    root = ET.parse(urdf).getroot()
    children: dict[str, list[ET.Element]] = {}
    for joint in root.findall("joint"):
        parent = joint.find("parent")
        assert parent is not None
        children.setdefault(parent.get("link", ""), []).append(joint)
    names, queue = [], [root_link(root)]
    while queue:
        for joint in children.get(queue.pop(0), ()):
            child = joint.find("child")
            assert child is not None
            queue.append(child.get("link", ""))
            if joint.get("type") != "fixed":
                names.append(joint.get("name", ""))
    return names


def _remove(parent: ET.Element, tags: tuple[str, ...]) -> None:
    for tag in tags:
        for element in parent.findall(tag):
            parent.remove(element)
