"""Packages that files refer to: beside the file, in given folders, some levels down, and not for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats import packages
from sixvec.formats.packages import package_folder

FILE = Path("/nowhere/arm.urdf")


def package(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return folder


def test_a_package_below_a_given_folder_is_known_by_its_manifest(tmp_path: Path) -> None:
    wanted = package(tmp_path / "repository" / "src" / "arm", "arm_description")
    package(tmp_path / "repository" / "other", "other_description")
    assert package_folder("arm_description", FILE, [tmp_path]) == wanted
    assert package_folder("hand_description", FILE, [tmp_path]) is None


def test_the_search_has_a_depth_and_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "a" / "b" / "c" / "d", "deep_description")
    assert package_folder("deep_description", FILE, [tmp_path]) is None
    assert package_folder("deep_description", FILE, [tmp_path / "a"]) is not None
    monkeypatch.setattr(packages, "MOST_FOLDERS", 2)
    assert package_folder("deep_description", FILE, [tmp_path / "a"]) is None
