"""MJCF and SDF files with random damage: the doctor answers, and agrees with the loader about what loads."""

from __future__ import annotations

import random
import time
import warnings
from pathlib import Path

import pytest
from planted_files import MJCF, PLANTED, SDF, Lines, text
from test_fuzz_urdf import damaged

from sdf_files import PEER_FILES
from sixvec.errors import SixvecError
from sixvec.formats import load_model
from sixvec.formats.doctor import check_file

BUDGET = 2.0
"""Seconds of trying, for each format."""

SDF_SEEDS = [*PEER_FILES.values()]
MJCF_SEEDS = [
    '<mujoco><compiler angle="radian"/><default><joint damping="1"/><default class="c"><geom density="9"/></default>'
    '</default><worldbody><body name="a" childclass="c" euler="0 1 0"><joint name="j" range="-1 1"/><geom size="1"/>'
    '<frame pos="0 0 1"><body name="b"><joint name="k" type="slide"/><inertial pos="0 0 0" mass="1" '
    'diaginertia="1 1 1"/><site name="s"/></body></frame></body></worldbody><equality><joint joint1="j" joint2="k"/>'
    '<connect body1="a" body2="b" anchor="0 0 0"/></equality><actuator><motor joint="j"/></actuator></mujoco>'
]


def loads(path: Path) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            load_model(path)
        except SixvecError:
            return False
    return True


@pytest.mark.parametrize(("name", "seeds", "lines"), [("r.xml", MJCF_SEEDS, MJCF), ("r.sdf", SDF_SEEDS, SDF)])
def test_random_damage(tmp_path: Path, name: str, seeds: list[str], lines: Lines) -> None:
    rng = random.Random(11)
    path, end, tries, sound = tmp_path / name, time.monotonic() + BUDGET, 0, 0
    while time.monotonic() < end:
        seed = rng.choice([*seeds, text(lines)])
        path.write_text(damaged(seed, rng), encoding="utf-8", errors="replace")
        report = check_file(path)
        assert (report.model is not None) == loads(path)
        assert report.model is not None or report.status == 2, path.read_text()
        tries, sound = tries + 1, sound + (report.status < 2)
    assert tries > 50 and sound > 0


@pytest.mark.parametrize("name", PLANTED)
def test_a_file_is_examined_without_any_of_its_lines(tmp_path: Path, name: str) -> None:
    """Whatever is missing, the rest is still looked at."""
    lines = text(PLANTED[name]).split("\n")
    for skipped in range(len(lines)):
        path = tmp_path / name
        path.write_text("\n".join(line for i, line in enumerate(lines) if i != skipped))
        assert check_file(path).status == 2
