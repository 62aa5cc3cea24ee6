"""A mass matrix that is singular in one position: load, check and rollouts name the joint."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from sixvec.algorithms.parts.weightless import WeightlessJoint, weightless_joints
from sixvec.formats.doctor import check_file
from sixvec.model.canonical import canonical
from sixvec.verdict import Verdict

NECK = """<robot name="bust"><link name="base"/>
<link name="pitch_link"><inertial><mass value="0.1"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="head"><inertial><origin xyz="0 0 0.1"/><mass value="1.3"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pitch" type="revolute"><parent link="base"/><child link="pitch_link"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="yaw" type="revolute"><parent link="pitch_link"/><child link="head"/><axis xyz="{axis}"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def bust(folder: Path, axis: str) -> Path:
    file = folder / "bust.urdf"
    file.write_text(NECK.format(axis=axis))
    return file


def test_load_check_and_rollout_name_the_joint(tmp_path: Path) -> None:
    """Two parallel axes through one point: in every position one of them, or both together, moves nothing."""
    file = bust(tmp_path, "0 1 0")
    with pytest.warns(WeightlessJoint, match='"yaw"'):
        robot = sv.load(file)
    assert [f for f in check_file(file).findings if "moves no mass" in f.message and "yaw" in f.element + f.message]
    with pytest.raises(sv.SixvecError, match="moves no mass"):
        robot.rollout(robot.neutral(), np.zeros(2), np.zeros(2), 0.001, steps=2)


def test_a_start_without_inertia_has_a_verdict_and_others_go_on(tmp_path: Path) -> None:
    """A slanted axis meets the mass in no position but one: there the sample stops, the other one does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", WeightlessJoint)
        robot = sv.load(bust(tmp_path, "1 0 0"))  # regular in the neutral position
    assert weightless_joints(canonical(robot.model), robot.neutral().tolist()) == ()
    folded = np.array([0.0, np.pi / 2])  # the head on the axis of the first joint
    assert weightless_joints(canonical(robot.model), folded.tolist()) == ("pitch",)
    starts = np.array([folded, [0.0, 0.3]])
    with pytest.warns(RuntimeWarning, match='joint "pitch" moves no mass'):
        path = robot.rollout(starts, np.zeros(2), np.zeros(2), 0.001, steps=3)
    assert path.verdict.tolist() == [Verdict.SINGULAR, Verdict.SOLVED] and path.stopped.tolist() == [0, -1]
    assert np.array_equal(path.q[0], np.tile(folded, (3, 1))) and np.isfinite(path.q).all()
