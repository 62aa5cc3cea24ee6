"""SRDF: disabled pairs of links; a file of someone else has the limits of one load."""

from __future__ import annotations

from pathlib import Path

import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, FileFormatError
from sixvec.formats.budget import LIMITS

LINKS = ("base", "link1", "link2")


def written(folder: Path, rules: str) -> Path:
    file = folder / "arm.srdf"
    file.write_text(f'<robot name="arm">{rules}</robot>')
    return file


def test_defaults_and_exceptions(tmp_path: Path) -> None:
    rules = '<disable_default_collisions link="base"/><enable_collisions link1="link1" link2="base"/>'
    excluded = sv.load("planar_2r", srdf=written(tmp_path, rules)).model.contact.excluded
    others = {f.name for f in sv.load("planar_2r").model.frames} - {"base", "link1"}
    assert excluded == tuple(("base", other) for other in sorted(others))


def test_a_link_is_not_paired_with_itself(tmp_path: Path) -> None:
    rules = '<disable_collisions link1="base" link2="base"/>'
    assert sv.load("planar_2r", srdf=written(tmp_path, rules)).model.contact.excluded == ()


def test_elements_and_pairs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, '<disable_default_collisions link="base"/>' * 40)
    monkeypatch.setitem(LIMITS, "pairs of links", 100)
    with pytest.raises(FileFormatError, match="100 pairs of links"):
        sv.load("planar_2r", srdf=file)
    monkeypatch.setitem(LIMITS, "elements", 30)
    with pytest.raises(FileFormatError, match="30 elements"):
        sv.load("planar_2r", srdf=file)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('<!DOCTYPE robot [<!ENTITY a "b">]><robot/>', "DOCTYPE"),
        ('<robot><disable_collisions link1="base"/></robot>', "link2"),
        ('<robot><disable_collisions link1="base" link2="hand"/></robot>', "hand"),
        ("<srdf/>", "srdf"),
        ("", "empty"),
    ],
)
def test_mistakes_are_named(text: str, named: str, tmp_path: Path) -> None:
    file = tmp_path / "arm.srdf"
    file.write_text(text)
    with pytest.raises(FileFormatError, match=named):
        sv.load("planar_2r", srdf=file)


def test_a_source_must_be_the_path_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="srdf"):
        sv.load("planar_2r", srdf=3)  # type: ignore[arg-type]
    with pytest.raises(FileFormatError, match="no such file"):
        sv.load("planar_2r", srdf=tmp_path)
