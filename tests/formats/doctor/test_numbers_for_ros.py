"""The numbers of a joint that ROS insists on: which are required, and what counts as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file

HEAD = (
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>\n'
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>\n'
)
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
BLANK = "has blanks behind it"
CASES = {
    LIMIT: [],
    '<limit lower="-1" upper="1"/>': ["effort is missing", "velocity is missing"],
    '<limit lower="-1" upper="1" velocity="1"/>': ["effort is missing"],
    LIMIT.replace('effort="1"', 'effort="1 "'): [f'effort="1 " {BLANK}'],
    LIMIT.replace('lower="-1"', 'lower="-1 "'): [f'lower="-1 " {BLANK}'],
    LIMIT.replace('lower="-1"', 'lower="-inf"'): ['lower="-inf" is not finite'],
    LIMIT.replace('lower="-1"', 'lower="nan"'): ['lower="nan" is not finite'],
    LIMIT + "<safety_controller/>": ["k_velocity is missing"],
    LIMIT + '<safety_controller k_velocity="x"/>': ['k_velocity="x" is not a number'],
    LIMIT + '<safety_controller k_velocity="nan"/>': ['k_velocity="nan" is not a number'],
    LIMIT + '<safety_controller k_velocity=" 1e3"/>': [],
    **{
        LIMIT + f'<safety_controller k_velocity="1" {name}="1 "/>': [f'{name}="1 " {BLANK}']
        for name in ("k_position", "soft_lower_limit", "soft_upper_limit")
    },
    LIMIT + "<calibration/>": [],
    **{
        LIMIT + f'<calibration {name}="inf"/>': [f'{name}="inf" is not finite']
        for name in ("rising", "falling", "reference_position")
    },
    LIMIT + "<dynamics/>": ["has neither damping nor friction"],
    LIMIT + '<dynamics damping="1"/>': [],
    LIMIT + '<dynamics friction="1"/>': [],
    **{LIMIT + f'<dynamics {name}="1 "/>': [f'{name}="1 " {BLANK}'] for name in ("damping", "friction")},
}


@pytest.mark.parametrize(("inside", "words"), CASES.items())
def test_numbers_of_joints(inside: str, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(f"{HEAD}{inside}</joint></robot>")
    found = [(f.severity.word, f.line, f.message) for f in check_file(file).findings if f.severity.word != "note"]
    assert found == [("error", 3, message) for message in words]


def test_bounds_that_are_missing_are_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(f'{HEAD}<limit effort="1" velocity="1"/></joint></robot>')
    (found,) = check_file(file).findings
    assert found.severity.word == "warning" and found.message.startswith("lower and upper missing")
