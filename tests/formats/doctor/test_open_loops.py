"""Loops that no position closes are reported, and only where their lengths prove it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sixvec import Robot, load
from sixvec.formats import parse_model
from sixvec.formats.doctor import check_file
from sixvec.formats.doctor.check import model_findings
from sixvec.formats.doctor.open_loops import least_gap
from sixvec.model import Closure
from sixvec.model.robots import BUILT_IN

ARMS = """<mujoco model="arms">
<equality><connect name="pin" site1="p" site2="q"/></equality>
<worldbody>
<body name="a"><joint name="pin" axis="0 0 1"/><geom type="capsule" size=".05" fromto="0 0 0 1 0 0"/>
<body name="stiff" pos="1 0 0">{slide}<geom size=".1"/><site name="p" pos="0 {tip} 0"/></body></body>
<body name="b" pos="{distance} 0 0"><joint name="j2" axis="0 0 1"/>
<geom type="capsule" size=".05" fromto="0 0 0 1 0 0"/><site name="q" pos="1 0 0"/></body>
</worldbody></mujoco>"""


def arms(distance: float, tip: float = 0.0, slide: str = "") -> str:
    return ARMS.format(distance=distance, tip=tip, slide=slide)


def test_a_loop_with_links_too_short(tmp_path: Path) -> None:
    file = tmp_path / "open.xml"
    file.write_text(arms(50.0))
    report = check_file(file)
    (found,) = (f for f in report.findings if "cannot be closed" in f.message)
    assert report.status == 1 and found.line == 2 and found.element == 'loop "pin"' and "48 m or more" in found.message


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        (arms(50.0), 48.0),
        (arms(2.1), 0.1),
        (arms(2.0), 0.0),
        (arms(0.0), 0.0),
        (arms(3.0, tip=np.sqrt(3.0)), 0.0),  # the fixed link makes an arm of 2 m
        (arms(3.5, tip=np.sqrt(3.0)), 0.5),
        (arms(0.2, tip=np.sqrt(3.0)), 0.8),  # the arm is too long
        (arms(50.0, slide='<joint type="slide"/>'), 0.0),
    ],
)
def test_the_least_gap(text: str, gap: float) -> None:
    model = parse_model(text, "arms.xml")
    (pin,) = model.closures
    assert isinstance(pin, Closure)
    assert least_gap(model, pin) == pytest.approx(gap, abs=1e-12)
    if model.nq == 2:  # planar arms reach the bound
        angles = np.linspace(-np.pi, np.pi, 181)
        q = np.stack(np.meshgrid(angles, angles), axis=-1)
        p, r = (Robot(model).pose(q, name)[..., :3, 3] for name in (pin.first, pin.second))
        assert gap - 1e-12 <= np.linalg.norm(p - r, axis=-1).min() < gap + 0.05


def test_no_built_in_robot_is_accused() -> None:
    for name in BUILT_IN:
        assert not any("cannot be closed" in f.message for f in model_findings(load(name).model))
