"""URDF 1.1: the turn of an <origin> as a quaternion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import FileFormatError

ARM = """<robot name="arm"><link name="a"/><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/>
<origin xyz="1 2 3" {turn}/></joint></robot>"""


def loaded(folder: Path, turn: str) -> sv.Robot:
    path = folder / "arm.urdf"
    path.write_text(ARM.format(turn=turn))
    return sv.load(path)


def test_a_quaternion_turns_as_its_angles_do(tmp_path: Path) -> None:
    by_angles = loaded(tmp_path, 'rpy="0 0 1.5707963267948966"').pose([], "b")
    assert np.allclose(loaded(tmp_path, 'quat_xyzw="0 0 3 3"').pose([], "b"), by_angles, atol=1e-15)


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ('quat_xyzw="0 0 0 0"', named("j", "origin", "line 3")),
        ('quat_xyzw="0 0 1"', "4"),
        ('quat_xyzw="0 0 0 1" rpy="0 0 0"', named("rpy", "quat_xyzw")),
    ],
)
def test_what_is_no_quaternion(tmp_path: Path, turn: str, said: str) -> None:
    with pytest.raises(FileFormatError, match=said) as caught:
        loaded(tmp_path, turn)
    assert "line 3" in str(caught.value)
