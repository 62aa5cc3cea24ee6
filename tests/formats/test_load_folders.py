"""`folders=`: where else an SDF file may take its models from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from naming import named
from sdf_files import HOLD, joint, link, model
from sixvec.errors import ArgumentError
from sixvec.formats import load_model
from sixvec.formats.unsupported import UnsupportedPhysics


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """A file whose hand is in a folder that is neither its own nor the one around it."""
    hand = tmp_path / "library" / "hand"
    hand.mkdir(parents=True)
    (hand / "model.sdf").write_text(model(link("palm"), "hand"))
    file = tmp_path / "robots" / "arm" / "arm.sdf"
    file.parent.mkdir(parents=True)
    include = "<include><uri>model://hand</uri></include>"
    file.write_text(model(link("base") + HOLD + include + link("fore") + joint("j", "base", "fore")))
    return file


@pytest.mark.parametrize("kind", [str, Path])
def test_models_are_found_in_the_folders(arm: Path, kind: type, tmp_path: Path) -> None:
    found = load_model(arm, folders=[kind(tmp_path), kind(tmp_path / "library")])
    assert "hand::palm" in found.by_name
    with pytest.warns(UnsupportedPhysics, match=named("include", "model:")):
        assert "hand::palm" not in load_model(arm).by_name


@pytest.mark.parametrize(
    ("folders", "words"),
    [
        ("library", named("folders", "library", "give")),
        (["no/such/folder"], named("folders", "no/such/folder")),
        ([3], "folders"),
    ],
)
def test_what_is_no_list_of_folders(arm: Path, folders: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        load_model(arm, folders=folders)


def test_built_in_robots_have_no_use_for_them(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="folders"):
        load_model("panda", folders=[tmp_path])
    assert load_model("panda", folders=[]).nv == 7
