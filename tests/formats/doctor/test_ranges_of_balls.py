"""The range of a ball joint of MJCF is that of one angle, from zero."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file


@pytest.mark.parametrize(
    ("joint", "said"),
    [
        ('type="ball" range="0 50"', ""),
        ('type="ball" range="10 50"', "the range of a ball starts at 10"),
        ('type="ball" range="-10 0"', "the range of a ball starts at -10"),
        ('type="ball" range="0.5 50"', "the range of a ball starts at 0.5"),
        ('type="ball" range="10 50" limited="true"', "the range of a ball starts at 10"),
        ('type="ball" range="10 50" limited="false"', ""),
        ('type="hinge" range="10 50"', ""),
        ('type="slide" range="10 50"', ""),
    ],
)
def test_balls_start_at_zero(tmp_path: Path, joint: str, said: str) -> None:
    file = tmp_path / "r.xml"
    file.write_text(f'<mujoco><worldbody><body><joint {joint}/><geom size=".1"/></body></worldbody></mujoco>')
    assert [f.message for f in check_file(file).findings if "of a ball starts" in f.message] == ([said] if said else [])
