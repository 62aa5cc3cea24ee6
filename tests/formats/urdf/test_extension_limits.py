"""The YAML file beside a URDF: without aliases, small, and its values are names before they are shown."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import sixvec as sv
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats.urdf import loops

pytest.importorskip("yaml")

ARM = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    '<child link="b"/></joint></robot>'
)
BOMB = "x0: &a0 [y, y, y, y, y, y, y, y, y, y]\n" + "".join(
    f"x{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)
)


def written(folder: Path, text: str) -> Path:
    (folder / "r.yaml").write_text(text)
    (folder / "r.urdf").write_text(ARM)
    return folder / "r.urdf"


@pytest.mark.parametrize(
    "use", ["closed_loop: *a9", "closed_loop: []\njoint_name: [*a9]", "closed_loop: [[a, b]]\ntype: [*a9]"]
)
def test_aliases_are_errors(use: str, tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(FileFormatError, match=named("r.yaml", "*a0", "allowed")):
        sv.load(written(tmp_path, f"{BOMB}{use}\n"))
    assert time.monotonic() - start < 5.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("closed_loop: [[[a], b]]", named("closed_loop", "give")),
        ("closed_loop: [{a: b}]", named("closed_loop", "pair")),
        ("closed_loop: [[a, b]]\ntype: [[3d]]", "type"),
        ("closed_loop: [[a, b]]\ntype: [{3d: 1}]", named("type", "dict")),
        ("closed_loop: []\njoint_name: [[j]]\njoint_type: [SPHERICAL]", "joint_name"),
        ("closed_loop: []\njoint_name: [j]\njoint_type: [{}]", named("joint_type", "dict")),
        ("closed_loop: []\nname_mot: [true]", "name_mot"),
        ("closed_loop: []\nname_mot: [null]", named("name_mot", "NoneType")),
    ],
)
def test_values_are_names(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=words):
        sv.load(written(tmp_path, text + "\n"))


def test_no_more_is_read_than_the_limit(tmp_path: Path) -> None:
    import tracemalloc

    path = written(tmp_path, "closed_loop: []\n")
    with (tmp_path / "r.yaml").open("r+b") as file:
        file.truncate(2**31)  # sparse
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=str(loops.LARGEST_EXTENSION)):
            sv.load(path)
        assert tracemalloc.get_traced_memory()[1] < 10 * loops.LARGEST_EXTENSION
    finally:
        tracemalloc.stop()
