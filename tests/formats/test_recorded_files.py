"""The text of files that are written, word for word, against tests/golden/written.txt.

`SIXVEC_WRITE_GOLDEN=1 pytest tests/formats/test_recorded_files.py` writes it anew: read the difference.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest

from sixvec.formats.mjcf.write import write_mjcf
from sixvec.formats.sdf.write import write_sdf
from sixvec.formats.urdf.write import write_urdf
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Ellipsoid, Sphere
from sixvec.model import (
    Body,
    Closure,
    Frame,
    Gear,
    Geom,
    HalfSpace,
    JointDynamics,
    Limits,
    Material,
    Mesh,
    Mimic,
    Model,
)  # fmt: skip
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
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

FILE = Path(__file__).parent.parent / "golden/written.txt"
TURNED = Pose(Rotation.about_z(0.5), Vec3(0.1, -0.2, 0.3))
HEAVY = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.0, 0.2), Sym3(0.3, 0.01, 0.02, 0.4, 0.03, 0.5))
STEEL = Material("steel", (0.5, 0.5, 0.75, 1.0))


def arm(*links: tuple[Joint, Limits, JointDynamics, Mimic | None], **more: object) -> Model:
    """A chain of these joints on a base, with a frame at its end."""
    bodies = [Body("base", inertia=HEAVY)]
    for i, (joint, limits, dynamics, mimic) in enumerate(links):
        bodies.append(Body(f"b{i}", bodies[-1].name, joint, TURNED, HEAVY, f"j{i}", limits, dynamics, mimic))
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("tip", bodies[-1].name, TURNED))
    return replace(Model("arm", tuple(bodies), frames), **more)  # type: ignore[arg-type]


PLAIN = (Limits(), JointDynamics(), None)
COMMON = arm(
    (Revolute(), Limits((-1.0,), (2.0,), (3.0,), (40.0,)), JointDynamics(damping=(0.1,), friction=(0.2,)), None),
    (Prismatic(Vec3(0.0, 0.6, 0.8)), Limits((-0.5,), (0.25,), (1.0,), (5.0,)), JointDynamics(), None),
    (Revolute(Vec3(0.0, 1.0, 0.0)), Limits((-3.0,), (3.0,), (1.0,), (1.0,)), JointDynamics(), Mimic("b0", -0.5, 0.1)),
    (Revolute(Vec3(1.0, 0.0, 0.0)), *PLAIN),
    (Fixed(), *PLAIN),
)
SHAPES = tuple(
    Geom("b0", shape, TURNED, name, material, visual, collision)
    for shape, name, material, visual, collision in (
        (Box(Vec3(0.1, 0.2, 0.3)), "box", STEEL, True, True),
        (Sphere(0.4), "", Material("", (1.0, 0.5, 0.0, 1.0)), True, False),
        (Cylinder(0.1, 0.5), "rod", Material(), False, True),
        (
            Mesh("meshes/hand.stl", Vec3(0.001, 0.001, 0.002)),
            "hand",
            replace(STEEL, color=(0.0, 1.0, 0.0, 1.0)),
            True,
            False,
        ),
        (Mesh("meshes/hand.stl"), "", STEEL, False, True),
        (Sphere(0.5), "", Material("wood", None, "wood.png"), True, False),
        (Sphere(0.6), "", Material("", (2.0, -1.0, 0.5, 1.0)), True, False),
    )
)
ROUND = tuple(
    Geom(frame, shape, TURNED, collision=False)
    for frame, shape in (
        ("b0", Capsule(0.1, 0.4)), ("b0", Ellipsoid(Vec3(0.1, 0.2, 0.3))),
        ("base", HalfSpace((3.0, 4.0))), ("base", HalfSpace()),
    )
)  # fmt: skip
SPRING = JointDynamics((0.1,), (0.2,), (0.3,), (4.0,), (0.5,))
LOOP = (Gear("gear", "b0", "b1", 2.0, 0.25), Closure("pin", "tip", "base", Spherical()))


def texts() -> dict[str, str]:
    """The same arm in every format, then what only some of them hold."""
    shown = replace(COMMON, geoms=SHAPES, gravity=Vec3(0.0, 0.5, -3.7))
    several = arm((Universal(), *PLAIN), (Spherical(), *PLAIN), (Helical(pitch=0.3), *PLAIN))
    sprung = arm((Revolute(), Limits(), SPRING, None), (Cylindrical(), *PLAIN), (Planar(), *PLAIN), closures=LOOP[1:])
    geared = arm((Revolute(), *PLAIN), (Prismatic(), *PLAIN), closures=LOOP)
    free = replace(COMMON, bodies=(replace(COMMON.bodies[0], joint=Free(), joint_name="root"), *COMMON.bodies[1:]))
    return {
        "arm.urdf": write_urdf(shown),
        "arm.xml": write_mjcf(replace(shown, geoms=(*SHAPES, *ROUND))),
        "arm.sdf": write_sdf(replace(shown, geoms=(*SHAPES, *ROUND))),
        "several.urdf": write_urdf(arm((Planar(), *PLAIN), (Free(), *PLAIN), (Revolute(), *PLAIN))),
        "several.xml": write_mjcf(arm((Universal(), *PLAIN), (Spherical(), *PLAIN))),
        "several.sdf": write_sdf(several),
        "sprung.xml": write_mjcf(sprung),
        "geared.xml": write_mjcf(geared),
        "free.urdf": write_urdf(free),
        "free.xml": write_mjcf(free),
    }


NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedShape")
def test_no_word_that_is_written_changes_unnoticed() -> None:
    found = "\n".join(f"# {name}\n{text.strip()}" for name, text in texts().items()) + "\n"
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text(found)
    for line, kept in zip_longest(found.splitlines(), FILE.read_text().splitlines(), fillvalue=""):
        assert NUMBER.sub("0", line) == NUMBER.sub("0", kept), "if meant: SIXVEC_WRITE_GOLDEN=1"
        numbers, others = ([float(x) for x in NUMBER.findall(text)] for text in (line, kept))
        assert all(abs(x - y) <= 1e-12 * (1.0 + abs(x)) for x, y in zip(numbers, others, strict=True)), (line, kept)
