"""No reader takes a mass below zero: the error names the file, the element and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdf_files import model
from sixvec.errors import FileFormatError
from sixvec.formats import load_model

TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
BOX = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>'
FILES = {
    "arm.urdf": (
        f'<robot name="r"><link name="a"><inertial>\n<mass value="{{}}"/>{TENSOR}</inertial></link></robot>',
        2,
    ),
    "arm.xml": (
        '<mujoco><worldbody><body name="a"><joint/>\n<inertial pos="0 0 0" mass="{}" diaginertia="1 1 1"/>'
        "</body></worldbody></mujoco>",
        2,
    ),
    "shape.xml": (
        '<mujoco><worldbody><body name="a"><joint/>\n<geom size="1" mass="{}"/></body></worldbody></mujoco>',
        2,
    ),
    "arm.sdf": (model('<link name="a">\n<inertial><mass>{}</mass></inertial></link>'), 3),
    "auto.sdf": (
        model(f'<link name="a">\n<inertial auto="true"><mass>{{}}</mass></inertial>{BOX}</link>', version="1.11"),
        3,
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_negative_mass_raises(name: str, tmp_path: Path) -> None:
    text, line = FILES[name]
    file = tmp_path / name
    file.write_text(text.format("-2"))
    with pytest.raises(FileFormatError) as caught:
        load_model(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ") and '"a"' in message
    assert message.endswith(f"the mass is -2.0; give 0 or more (line {line})")


@pytest.mark.parametrize("mass", [0.0, 2.0])
@pytest.mark.parametrize("name", FILES)
def test_others_are_read(name: str, mass: float, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(FILES[name][0].format(mass))
    assert load_model(file).bodies[-1].inertia.mass == pytest.approx(mass, rel=1e-15)
