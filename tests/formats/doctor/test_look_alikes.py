"""Names that look alike are reported, names that only resemble each other are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file
from sixvec.formats.doctor.look_alikes import CONFUSABLE, skeleton

PAIRS = {
    "Cyrillic": ("tool", "t\u043e\u043el"),
    "without width": ("tool", "tool\u200b"),
    "joined": ("tool", "to\u200dol"),
    "normal forms": ("caf\u00e9", "cafe\u0301"),
    "wide": ("tool", "\uff54ool"),
    "mathematical": ("tool", "\U0001d42dool"),
    "Greek": ("tool", "t\u03bfol"),
    "hyphens": ("a-b", "a\u2011b"),
    "filler": ("tool", "tool\u3164"),
    "both": ("t\u043eol", "t\u03bfol"),
}
TEXTS = {
    ".urdf": '<robot name="r"><link name="root"/><link name="{0}"/><link name="{1}"/>'
    '<joint name="{0}" type="fixed"><parent link="root"/><child link="{0}"/></joint>'
    '<joint name="{1}" type="fixed"><parent link="root"/><child link="{1}"/></joint></robot>',
    ".xml": '<mujoco><worldbody><body name="{0}"><joint name="{0}"/><geom size="1"/></body><body name="{1}">'
    '<joint name="{1}"/><geom size="1"/></body></worldbody></mujoco>',
    ".sdf": '<sdf version="1.9"><model name="r"><link name="root"/><link name="{0}"/><link name="{1}"/>'
    '<joint name="{0}_" type="fixed"><parent>root</parent><child>{0}</child></joint>'
    '<joint name="{1}_" type="fixed"><parent>root</parent><child>{1}</child></joint></model></sdf>',
}


def messages(folder: Path, suffix: str, first: str, second: str) -> list[str]:
    path = folder / f"r{suffix}"
    path.write_text(TEXTS[suffix].format(first, second), encoding="utf-8")
    return [f.message for f in check_file(path).findings if "looks like" in f.message]


@pytest.mark.parametrize("suffix", TEXTS)
@pytest.mark.parametrize("pair", PAIRS)
def test_names_that_look_alike(pair: str, suffix: str, tmp_path: Path) -> None:
    found = messages(tmp_path, suffix, *PAIRS[pair])
    assert len(found) == 2 and all("which is another: here " in message for message in found)


@pytest.mark.parametrize(
    ("first", "second"), [("tool_l", "tool_1"), ("O", "0"), ("caf\u00e9", "cafe"), ("\u0448", "\u0449")]
)
def test_names_that_differ(first: str, second: str, tmp_path: Path) -> None:
    assert messages(tmp_path, ".urdf", first, second) == []


def test_skeletons() -> None:
    assert all(skeleton(skeleton(c)) == skeleton(c) != c for c in CONFUSABLE)
    assert skeleton("tool") == "tool" and skeleton("\u200b") == ""
