"""The command that adds an extra, in a clone and in an installed copy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sixvec import installation
from sixvec.errors import MissingExtra


def test_in_a_clone_the_clone_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clone = installation.clone_folder()
    assert clone == Path(__file__).parents[1]
    monkeypatch.chdir(clone)
    assert installation.install_command("view").endswith("pip install -e '.[view]'")
    monkeypatch.chdir(tmp_path)
    assert installation.install_command("view").endswith(f"pip install -e '{clone}[view]'")


def test_an_installed_copy_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installation, "__file__", str(tmp_path / "site-packages" / "sixvec" / "installation.py"))
    assert installation.clone_folder() is None
    assert str(MissingExtra("the viewer needs viser", extra="view")).endswith("pip install 'sixvec[view]'")


def test_pip_is_that_of_the_interpreter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installation.shutil, "which", lambda name: str(Path(sys.executable).parent / "pip"))
    assert installation.install_command("viz").startswith("pip install ")
    monkeypatch.setattr(installation.shutil, "which", lambda name: str(tmp_path / "pip"))
    assert " -m pip install " in installation.install_command("viz")
