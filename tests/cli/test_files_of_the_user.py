"""No command destroys a file: what is written is written beside, and takes its place whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sixvec as sv
from naming import named
from sixvec.cli import main
from sixvec.errors import ModelError, OutputError
from sixvec.formats.draft import Draft, write_file
from sixvec.model.robots import BUILT_IN

OLD = "the only copy of a thesis"


def names(folder: Path) -> list[str]:
    return sorted(f.name for f in folder.iterdir())


def test_an_existing_file_needs_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "arm.urdf"
    target.write_text(OLD)
    target.chmod(0o640)
    assert main(["convert", "planar_2r", str(target)]) == 4
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == OLD
    assert main(["convert", "planar_2r", str(target), "--force"]) == 0
    assert sv.load(target).nv == 2
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names(tmp_path) == ["arm.urdf"]


def test_a_link_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    precious, link = tmp_path / "precious.urdf", tmp_path / "arm.urdf"
    precious.write_text(OLD)
    for target in (precious.name, "nowhere"):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        assert main(["convert", "planar_2r", str(link)]) == 4
        assert "is a link" in capsys.readouterr().err and link.is_symlink()
        assert main(["convert", "planar_2r", str(link), "--force"]) == 0
        assert not link.is_symlink() and sv.load(link).nv == 2
    assert precious.read_text() == OLD
    assert names(tmp_path) == ["arm.urdf", "precious.urdf"]


def test_pipes_devices_and_folders_raise_at_once(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    (tmp_path / "folder.urdf").mkdir()
    for name in ("pipe.urdf", "folder.urdf"):
        for force in ([], ["--force"]):
            done = sixvec("convert", "planar_2r", tmp_path / name, *force)
            assert done.returncode == 4 and name in done.stderr, done.stderr
    done = sixvec("demo", "double_pendulum", "--output", tmp_path / "pipe.urdf")
    assert done.returncode == 4 and done.stdout == ""
    with pytest.raises(OutputError, match=named("/dev/null")):
        Draft("/dev/null", "")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "arm.urdf"
    target.write_text(OLD)

    little_room = "import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))"
    command = [sys.executable, "-c", f"{little_room}; runpy.run_module('sixvec', run_name='__main__')"]
    done = subprocess.run(
        [*command, "convert", "planar_2r", str(target), "--force"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 4, done.stderr
    assert "cannot be written" in done.stderr and "Traceback" not in done.stderr
    assert target.read_text() == OLD
    assert names(tmp_path) == ["arm.urdf"]


def test_an_interrupt_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "arm.urdf"
    target.write_text(OLD)

    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(target, "new", overwrite=True)
    assert target.read_text() == OLD
    assert names(tmp_path) == ["arm.urdf"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "arm.urdf"
    for links in (True, False):
        if not links:
            monkeypatch.setattr(os, "link", lambda *paths: (_ for _ in ()).throw(PermissionError("no links here")))
        with Draft(target, "new") as draft:
            target.write_text(OLD)
            with pytest.raises(OutputError):
                draft.place()
        assert target.read_text() == OLD
        target.unlink()
        write_file(target, "new")
        assert target.read_text() == "new"
        target.unlink()
    assert names(tmp_path) == []


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing_open(*given: object) -> int:
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr(os, "open", failing_open)
    with pytest.raises(OutputError, match=named("arm.urdf", "cannot")):
        write_file(tmp_path / "arm.urdf", "new")


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
def test_save(suffix: str, tmp_path: Path) -> None:
    robot, path = sv.load("panda"), tmp_path / f"arm{suffix}"
    sv.save(robot, path)
    again = sv.load(path)
    assert (again.nv, again.joint_names, again.name) == (7, robot.joint_names, "panda")
    with pytest.raises(OutputError, match="arm"):
        sv.save(robot, path)
    sv.save(robot.model, str(path), overwrite=True)
    assert names(tmp_path) == [path.name]


def test_save_rejects_what_the_format_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="coupler_pin"):
        sv.save(sv.load("four_bar"), tmp_path / "loop.urdf")
    with pytest.raises(ModelError, match="inertia"):
        sv.save(sv.load("stanford_arm"), tmp_path / "arm.urdf")
    with pytest.raises(sv.SixvecError, match="urdf"):
        sv.save(sv.load("panda"), tmp_path / "arm.step")
    assert names(tmp_path) == []
    moon = sv.load("panda", gravity=(0, 0, -1.62))
    with pytest.warns(UserWarning, match=named("cannot", "gravity")):
        sv.save(moon, tmp_path / "arm.urdf")
    sv.save(moon, tmp_path / "arm.xml")
    assert sv.load(tmp_path / "arm.xml").gravity[2] == -1.62


def test_save_of_a_built_in_model_through_every_suffix() -> None:
    with pytest.raises(sv.SixvecError, match=named("save", "panda")):
        sv.save("panda", "arm.urdf")  # type: ignore[arg-type]
    assert "panda" in BUILT_IN and not Path("arm.urdf").exists()
