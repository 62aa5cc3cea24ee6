"""Colours of URDF: four numbers from 0 to 1, and advice for those of 0 to 255."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file

DIVIDE, FOUR, NUMBERS = "divide red, green and blue by 255", "give 4 of them", "give 4 numbers from 0 to 1"


@pytest.mark.parametrize(
    ("rgba", "advice"),
    [
        ("0 0 0 0", ""),
        ("1 1 1 1", ""),
        ("1.002 0 0 1", DIVIDE),
        ("0 1.5 0 1", DIVIDE),
        ("255 128 0 1", DIVIDE),
        ("-0.1 0 0 1", FOUR),
        ("0 0 -0.001 0.5", FOUR),
        ("1 0 0", NUMBERS),
        ("1 0 0 1 1", NUMBERS),
        ("red", NUMBERS),
        ("", NUMBERS),
    ],
)
def test_colours(tmp_path: Path, rgba: str, advice: str) -> None:
    file = tmp_path / "r.urdf"
    material = f'<material name="m"><color rgba="{rgba}"/></material>'
    shape = f'<visual><geometry><sphere radius="1"/></geometry>{material}</visual>'
    file.write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
    assert [f.advice for f in check_file(file).findings if "rgba" in f.message] == ([advice] if advice else [])
