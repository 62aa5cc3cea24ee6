"""Every broken file gives one clear error, soon and in little memory; no other file is read, nothing is connected."""

from __future__ import annotations

import re
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from broken_robots import BROKEN, SOUND

from sixvec.errors import FileFormatError
from sixvec.formats import load_model

PATIENCE = 5.0
"""Seconds of computing; all but the largest files take milliseconds."""

MEMORY = 1 << 30
"""Bytes by which reading one file may raise the peak of the process."""

LONGEST_MESSAGE = 1500
FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "urllib.",
    "http.",
    "ftplib.",
    "os.open",
)

WHOLE_FILE = {
    "empty", "unknown_encoding", "other_root", "entity_bomb", "external_entity", "external_subset", "percent_entity",
    "no_links", "no_version", "strange_version", "old_version", "nothing", "nested", "unclosed", "siblings",
    "huge",
}  # fmt: skip
"""Mistakes that are in no line: something is missing, or there is too much of it."""

_heard: list[tuple[str, Any]] | None = None


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if _heard is not None and (event == "open" or event.startswith(FORBIDDEN)):
        _heard.append((event, arguments[0] if arguments else None))


sys.addaudithook(_listen)  # cannot be removed, so it is silent outside of `only_reading`


@contextmanager
def only_reading(file: Path) -> Iterator[None]:
    """Fail if anything but this file is opened, or a connection or a process is started."""
    global _heard
    _heard = []
    try:
        yield
    finally:
        heard, _heard = _heard, None
    assert {(event, str(path)) for event, path in heard} <= {("open", str(file))}


@pytest.fixture(scope="module", autouse=True)
def imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Readers are imported when they are first needed, which opens their source."""
    for suffix, text in SOUND.items():
        file = tmp_path_factory.mktemp("sound") / f"robot{suffix}"
        file.write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            load_model(file)


def test_the_corpus_is_large() -> None:
    assert len(BROKEN) >= 60
    assert all(sum(b.suffix == suffix for b in BROKEN.values()) >= 20 for suffix in SOUND)


@pytest.mark.parametrize("name", BROKEN)
def test_one_clear_error(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    file, content = tmp_path / f"robot{broken.suffix}", broken.content()
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    with only_reading(file), pytest.raises(FileFormatError) as caught:
        load_model(file)
    assert time.process_time() - start < PATIENCE
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) * 1024 < MEMORY
    assert broken.words in str(caught.value)
    assert str(caught.value).startswith(str(file))
    assert name.split()[1] in WHOLE_FILE or re.search(r"\bline \d", str(caught.value))
    assert len(str(caught.value)) < LONGEST_MESSAGE


@pytest.mark.parametrize("suffix", SOUND)
def test_references_are_not_followed(suffix: str, tmp_path: Path) -> None:
    """Meshes, XIncludes and plugins in a sound file: what needs no drawing is not opened."""
    file, text = tmp_path / f"robot{suffix}", SOUND[suffix]
    lures = {
        ".urdf": '<link name="c"><visual><geometry><mesh filename="file:///etc/hostname"/></geometry></visual></link>'
        '<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>'
        '<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="file:///etc/hostname"/></robot>',
        ".xml": '<asset><mesh name="m" file="/etc/hostname"/><texture file="http://127.0.0.1:9/"/></asset></mujoco>',
        ".sdf": '<plugin name="p" filename="/etc/hostname"/><link name="c"><visual name="v"><geometry><mesh>'
        "<uri>file:///etc/hostname</uri></mesh></geometry></visual></link></model></sdf>",
    }
    end = {".urdf": "</robot>", ".xml": "</mujoco>", ".sdf": "</model></sdf>"}[suffix]
    file.write_text(text.replace(end, lures[suffix]))
    with only_reading(file):
        assert load_model(file).nv == 1


def test_the_guard_hears(tmp_path: Path) -> None:
    with pytest.raises(AssertionError), only_reading(tmp_path / "x"):
        (tmp_path / "y").write_text("")
