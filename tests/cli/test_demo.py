"""`sixvec demo`: the tree, the checks, the speed and the film of one robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from sixvec.analysis.verify import Verification
from sixvec.analysis.verify.check import MeasuredStatement
from sixvec.cli import demo, main
from sixvec.cli.status import Status
from sixvec.errors import MissingExtra
from sixvec.model.text_tree import text_tree


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times do not matter here."""
    for name, value in {"REPEATS": 1, "SECONDS": 1e-4, "DURATION": 0.3, "STEP": 0.01}.items():
        monkeypatch.setattr(demo, name, value)


@pytest.mark.parametrize("robot", ["planar_2r", "four_bar", "solo12"])
def test_the_demo_calls_show_verify_and_animate(robot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = tmp_path / "fall.gif"
    assert main(["demo", robot, "--output", str(film)]) == Status.FINE
    shown = capsys.readouterr().out
    assert text_tree(sv.load(robot).model) in shown
    assert all(method in shown for method in demo.TIMED)
    assert f"Film: {film}" in shown and film.read_bytes().startswith(b"GIF89a")


def test_a_failed_check_is_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = Verification("arm", (MeasuredStatement("FD(ID(a)) = a", "", float(np.nan), 1e-9),))
    monkeypatch.setattr(sv.Robot, "verify", lambda robot: failed)
    assert main(["demo", "planar_2r", "--output", str(tmp_path / "fall.gif")]) == Status.FINDINGS
    assert "1 fails" in capsys.readouterr().out


def test_without_pillow_the_rest_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise MissingExtra("films need Pillow", extra="film")

    monkeypatch.setattr(sv.Robot, "animate", fail)
    assert main(["demo", "planar_2r", "--output", str(tmp_path / "fall.gif")]) == Status.FINE
    assert "No film: films need Pillow: " in capsys.readouterr().out


def test_a_robot_that_cannot_move_has_no_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = tmp_path / "block.urdf"
    block.write_text("<robot name='block'><link name='a'/></robot>")
    assert main(["demo", str(block)]) == Status.USAGE
    assert "block" in capsys.readouterr().err
