"""Ranges of a file in degrees that look like radians: all joints, or one that turns by a part of π."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file
from sixvec.formats.mjcf.rules_motion import FEW, MOST_RADIANS


def said(tmp_path: Path, ranges: list[str], compiler: str = "") -> bool:
    """Whether the doctor asks for radians, in a chain of joints with these ranges."""
    bodies = "".join(f'<body><joint name="j{k}" {x}/><geom size=".1"/>' for k, x in enumerate(ranges))
    file = tmp_path / "chain.xml"
    file.write_text(f"<mujoco>{compiler}<worldbody>{bodies}{'</body>' * len(ranges)}</worldbody></mujoco>")
    return any("are the ranges in radians?" in f.message for f in check_file(file).findings)


@pytest.mark.parametrize(
    ("ranges", "asks"),
    [
        (['range="-1.1 1.2"'] * FEW, False),
        (['range="-1.1 1.2"'] * (FEW + 1), True),
        ([*(['range="-1.1 1.2"'] * FEW), 'range="-1.1 40"'], False),  # one that is in degrees
        ([*(['range="-1.1 1.2"'] * FEW), 'type="slide" range="-1 1"'], False),  # metres
        ([*(['range="-1.1 1.2"'] * FEW), 'range="0 0"'], False),  # no range
        ([f'range="0 {math.pi:.3f}"'], True),
        ([f'range="{-math.pi / 2:.3f} 1"'], True),
        ([f'range="-1 {0.75 * math.pi:.3f}"'], True),
        ([f'range="-1 {1.5 * math.pi:.2f}"'], True),
        ([f'range="-1 {2.0 * math.pi:.3f}"'], True),
        (['range="-1 3"'], False),
        (['range="-1 6.29"'] * (FEW + 1), True),
        (['range="-1 6.30"'] * (FEW + 1), False),
        ([f'range="-1 {MOST_RADIANS - 1e-4}"'] * (FEW + 1), True),
        ([f'range="-1 {MOST_RADIANS + 1e-4}"'] * (FEW + 1), False),
    ],
)
def test_few_joints_may_have_short_ranges(tmp_path: Path, ranges: list[str], asks: bool) -> None:
    assert FEW == 3 and said(tmp_path, ranges) == asks
    assert not said(tmp_path, ranges, '<compiler angle="radian"/>')
