"""The built-in robots with a floating base: the quadruped against its file, the humanoid against its tables."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import sixvec
from sixvec.model.joints import Free
from tolerances import PEER, ROUNDING, assert_close

HANIM = {
    "vl5": ("HumanoidRoot", "l5"),
    "skullbase": ("vl5", "skull"),
    "l_hip": ("HumanoidRoot", "l_thigh"),
    "l_knee": ("l_hip", "l_calf"),
    "l_ankle": ("l_knee", "l_hindfoot"),
    "l_shoulder": ("vl5", "l_upperarm"),
    "l_elbow": ("l_shoulder", "l_forearm"),
    "l_wrist": ("l_elbow", "l_hand"),
}
"""ISO/IEC 19774:2005, level of articulation one: for each joint the joint above it, and the segment that it carries.
The root and the rigid sacroiliac joint are one here."""


def file(package: str, name: str) -> Path:
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"the package {package} is not installed")
    return Path(str(next(f for f in files if f.name == name).locate())).resolve()


@pytest.mark.covers("MODEL-09")
def test_solo12_is_the_published_file() -> None:
    ours, theirs = sixvec.load("solo12"), sixvec.load(file("example-robot-data", "solo12.urdf"), floating=True)
    assert ours.joint_names == theirs.joint_names
    assert set(ours.frame_names) == set(theirs.frame_names)
    rng = np.random.default_rng(0)
    q, v, a = ours.random(rng, 20), *rng.normal(size=(2, 20, 18))
    for name in ours.frame_names:
        assert_close(ours.pose(q, name), theirs.pose(q, name), PEER)
    assert_close(ours.inverse_dynamics(q, v, a), theirs.inverse_dynamics(q, v, a), PEER)
    assert ours.mass == pytest.approx(theirs.mass, rel=1e-12)


def mirrored(robot: sixvec.Robot, q: np.ndarray) -> np.ndarray:
    """The position that a mirror in the plane of symmetry shows: left and right change places."""
    model, other = robot.model, q.copy()
    other[:7] = q[:7] * [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]  # position, quaternion
    for b in model.moving[1:]:
        joint = b.joint_name
        if joint[:2] in ("l_", "r_"):
            twin = {"l": "r", "r": "l"}[joint[0]] + joint[1:]
            source = next(c for c in model.moving if c.joint_name == twin)
            other[model.q_slices[b.name]] = q[model.q_slices[source.name]]
        elif not joint.endswith("_flexion"):
            other[model.q_slices[b.name]] = -q[model.q_slices[b.name]]
    return other


def test_the_humanoid_is_symmetric() -> None:
    robot = sixvec.load("humanoid")
    for q in robot.random(1, 10):
        image = mirrored(robot, q)
        assert_close(robot.center_of_mass(image), robot.center_of_mass(q) * [1.0, -1.0, 1.0], ROUNDING, batched=False)
        np.testing.assert_allclose(robot.potential_energy(image), robot.potential_energy(q), rtol=1e-12)
        left, right = robot.pose(q, "l_hand"), robot.pose(image, "r_hand")
        assert_close(right[:3, 3], left[:3, 3] * [1.0, -1.0, 1.0], ROUNDING, batched=False)


def test_the_humanoid_has_the_proportions_of_the_tables() -> None:
    robot = sixvec.load("humanoid")
    q, height = robot.neutral(), 1.75
    q[2] = 0.530 * height  # stands on the ground
    for name, fraction in {
        "l_sole": 0.0, "l_hindfoot": 0.039, "l_calf": 0.285, "l_thigh": 0.530, "r_upperarm": 0.818, "skull": 0.818,
        "r_forearm": 0.818 - 0.186, "r_hand": 0.818 - 0.186 - 0.146,
    }.items():  # fmt: skip
        assert robot.pose(q, name)[2, 3] == pytest.approx(fraction * height, abs=1e-12), name
    shoulders = robot.pose(q, "l_upperarm")[1, 3] - robot.pose(q, "r_upperarm")[1, 3]
    assert shoulders == pytest.approx(0.258 * height)
    assert robot.mass == pytest.approx(75.0)
    # A standing person's centre of mass is at 55 to 58 % of the height.
    assert 0.55 < robot.center_of_mass(q)[2] / height < 0.58


def test_positive_angles_of_the_humanoid_are_the_movements_they_are_named_for() -> None:
    robot = sixvec.load("humanoid")
    neutral = robot.neutral()

    def moves(joint: str, frame: str, axis: int) -> float:
        q = neutral.copy()
        b = next(b for b in robot.model.moving if b.joint_name == joint)
        q[robot.model.q_slices[b.name]] = 0.1
        return float((robot.pose(q, frame) - robot.pose(neutral, frame))[axis, 3])

    forward, outward = 0, 1
    assert moves("l_hip_flexion", "l_calf", forward) > 0.01
    assert moves("r_knee_flexion", "r_hindfoot", forward) < -0.01
    assert moves("l_hip_abduction", "l_calf", outward) > 0.01
    assert moves("r_hip_abduction", "r_calf", outward) < -0.01
    assert moves("l_elbow_flexion", "l_hand", forward) > 0.01
    assert moves("vl5_flexion", "skull", forward) > 0.01
    assert moves("r_shoulder_abduction", "r_hand", outward) < -0.01


@pytest.mark.covers("CHAIN-08")
def test_the_humanoid_is_an_hanim_skeleton() -> None:
    model = sixvec.load("humanoid").model
    assert isinstance(model.bodies[0].joint, Free)
    right = {
        k.replace("l_", "r_", 1): (p.replace("l_", "r_", 1), s.replace("l_", "r_", 1)) for k, (p, s) in HANIM.items()
    }
    skeleton = HANIM | right
    segment_of = {joint: segment for joint, (_, segment) in skeleton.items()} | {"HumanoidRoot": "pelvis"}
    for joint, (above, segment) in skeleton.items():
        names = [b.name for b in model.path(segment)]
        carriers = [n for n in names[:-1] if n in segment_of.values()]
        assert carriers[-1] == segment_of[above], joint
    assert {b.joint_name.rsplit("_", 1)[0] for b in model.moving[1:]} == set(skeleton)
