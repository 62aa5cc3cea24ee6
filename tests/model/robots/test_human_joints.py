"""Human models by the conventions of H-Anim and ISB: axes, segments, and angles that are the movements they name."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, FrameNotFound
from sixvec.model.robots.human_joints import (
    HANIM_JOINTS,
    ISB_JOINTS,
    isb_angles,
    isb_posture,
    isb_rotation,
    skeleton_axes,
)
from sixvec.spatial import Rotation, Vec3

PERSON = sv.load("humanoid")


def posture(**angles: float) -> np.ndarray:
    """q of the built-in person with some joints bent."""
    q = PERSON.neutral()
    for b in PERSON.model.moving:
        if b.joint_name in angles:
            q[PERSON.model.q_slices[b.name]] = angles.pop(b.joint_name)
    assert not angles, angles
    return q


@pytest.mark.covers("CHAIN-08")
def test_axes_of_the_conventions() -> None:
    """H-Anim faces +z with +x to its left, ISB faces +x with +z to its right; both have y up."""
    for convention, forward, left in (("hanim", 2, 0), ("isb", 0, None), ("robot", 0, 1)):
        R = np.array(skeleton_axes(convention).as_matrix())  # type: ignore[arg-type]
        np.testing.assert_array_equal(R[:, forward], [1.0, 0.0, 0.0])
        if left is not None:
            np.testing.assert_array_equal(R[:, left], [0.0, 1.0, 0.0])
        assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_array_equal(np.array(skeleton_axes("isb").as_matrix())[:, 2], [0.0, -1.0, 0.0])
    nose = PERSON.pose(PERSON.neutral(), "skull")[:3, :3] @ [1.0, 0.0, 0.0]  # forward in a robot's axes
    np.testing.assert_allclose([*(skeleton_axes("hanim").inv() @ Vec3.of(nose))], [0.0, 0.0, 1.0], atol=1e-15)


@pytest.mark.covers("CHAIN-08")
def test_the_table_of_joints_is_the_skeleton_of_the_person() -> None:
    model = PERSON.model
    for joint, (above, below) in HANIM_JOINTS.items():
        between = [b.joint_name for b in model.path(below) if b not in model.path(above)]
        assert between and all(name.startswith(joint + "_") for name in between)


@pytest.mark.covers("CHAIN-08")
@pytest.mark.parametrize("side", ["l", "r"])
@pytest.mark.parametrize(
    ("bent", "joint", "expected"),
    [
        ({"hip_flexion": 0.4}, "hip", {"flexion": 0.4}),
        ({"hip_abduction": 0.3}, "hip", {"adduction": -0.3}),
        ({"hip_flexion": 0.4, "hip_abduction": 0.3}, "hip", {"flexion": 0.4, "adduction": -0.3}),
        ({"knee_flexion": 0.8}, "knee", {"flexion": 0.8}),
        ({"ankle_flexion": 0.2}, "ankle", {"dorsiflexion": 0.2}),
        ({"elbow_flexion": 1.1}, "elbow", {"flexion": 1.1, "pronation": math.pi / 2}),
        ({"elbow_flexion": 1.1, "elbow_pronation": 0.4}, "elbow", {"flexion": 1.1, "pronation": math.pi / 2 + 0.4}),
        ({"wrist_flexion": 0.3}, "wrist", {"flexion": 0.3}),
        ({"wrist_abduction": 0.2}, "wrist", {"ulnar_deviation": -0.2}),
        ({"shoulder_abduction": 0.9}, "shoulder", {"plane_of_elevation": 0.0, "depression": -0.9}),
        ({"shoulder_flexion": 0.9}, "shoulder",
         {"plane_of_elevation": math.pi / 2, "depression": -0.9, "internal_rotation": -math.pi / 2}),
    ],
)  # fmt: skip
def test_movements_of_the_person_in_isb_angles(
    side: str, bent: dict[str, float], joint: str, expected: dict[str, float]
) -> None:
    """The same movement has the same angles on both sides: those of the model's own joints, by ISB's signs."""
    found = isb_posture(PERSON, posture(**{f"{side}_{k}": x for k, x in bent.items()}))
    want = dict.fromkeys(ISB_JOINTS[joint].names, 0.0) | expected
    assert found[f"{side}_{joint}"] == pytest.approx(want, abs=1e-12)
    still = f"{'r' if side == 'l' else 'l'}_{joint}"
    rest = {"pronation": math.pi / 2} if joint == "elbow" else {}
    if joint != "shoulder":  # hanging, an arm has no plane of elevation
        assert found[still] == pytest.approx(dict.fromkeys(ISB_JOINTS[joint].names, 0.0) | rest, abs=1e-12)


@pytest.mark.covers("CHAIN-08")
def test_inward_turns_are_positive_on_both_sides() -> None:
    """Toes to the other foot, soles to the other foot, trunk forward: positive, whatever the sign of the model's q."""
    for side, inward in (("l", -1.0), ("r", 1.0)):
        for joint, name, segment in (("hip", "internal_rotation", "hindfoot"), ("ankle", "internal_rotation", None)):
            R = isb_rotation({name: 0.3}, joint, "left" if side == "l" else "right")
            toes = skeleton_axes("isb") @ (R @ Vec3(1.0, 0.0, 0.0))
            assert toes.y * inward > 0.1, (joint, segment)  # a robot's y is left
    assert isb_posture(PERSON, posture(vl5_flexion=0.3))["vl5"]["flexion"] == pytest.approx(0.3)
    assert isb_posture(PERSON, posture(skullbase_flexion=0.3))["skullbase"]["flexion"] == pytest.approx(0.3)


FORWARD, UP, DOWN = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, -1.0, 0.0)
RIGHT, LEFT, BACK = Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, -1.0), Vec3(-1.0, 0.0, 0.0)
MOVES = {
    "flexion": (DOWN, FORWARD), "right_bending": (UP, RIGHT), "left_rotation": (FORWARD, LEFT),
    "adduction": (DOWN, LEFT), "internal_rotation": (FORWARD, LEFT), "dorsiflexion": (FORWARD, UP),
    "inversion": (DOWN, LEFT), "plane_of_elevation": (FORWARD, LEFT), "depression": (DOWN, LEFT),
    "carrying_angle": (DOWN, LEFT), "pronation": (FORWARD, LEFT), "ulnar_deviation": (DOWN, LEFT),
}  # fmt: skip
"""What a small positive angle of a right joint does: a direction of the distal segment, and where it goes."""
OTHERWISE = {"knee": (DOWN, BACK), "vl5": (UP, FORWARD), "skullbase": (UP, FORWARD)}
"""Flexion of what bends the other way."""


@pytest.mark.covers("CHAIN-08")
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("joint", ISB_JOINTS)
def test_each_angle_is_the_movement_it_names(joint: str, side: str) -> None:
    """Of left joints seen in a mirror."""
    for name in ISB_JOINTS[joint].names:
        start, goes = OTHERWISE.get(joint, MOVES[name]) if name == "flexion" else MOVES[name]
        if side == "left":
            start, goes = (Vec3(v.x, v.y, -v.z) for v in (start, goes))
        moved = isb_rotation({name: 0.2}, joint, side) @ start  # type: ignore[arg-type]
        assert moved.dot(goes) == pytest.approx(math.sin(0.2)), name
        assert moved.dot(start) == pytest.approx(math.cos(0.2)), name


@pytest.mark.covers("CHAIN-08")
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("joint", ISB_JOINTS)
def test_angles_there_and_back(joint: str, side: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(10):
        R = Rotation.from_rpy(*map(float, rng.uniform(-1.2, 1.2, 3)))
        again = isb_rotation(isb_angles(R, joint, side), joint, side)  # type: ignore[arg-type]
        assert R.distance(again) < 1e-12


def test_other_robots_and_words_raise() -> None:
    arm = sv.load("panda")
    with pytest.raises(FrameNotFound, match="panda"):
        isb_posture(arm, arm.neutral())
    with pytest.raises(ArgumentError, match="abduction"):
        isb_rotation({"abduction": 0.1}, "hip")
    with pytest.raises(ArgumentError, match="toe"):
        isb_angles(Rotation.identity(), "toe")
    with pytest.raises(ArgumentError, match="ISB"):
        skeleton_axes("ISB")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=named("l")):
        isb_angles(Rotation.identity(), "hip", "l")  # type: ignore[arg-type]
