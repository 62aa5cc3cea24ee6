"""The disk cache: kept, private, atomic, never trusted when damaged, and blind to what is not its own."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from settled_files import wait_until_settled
from sixvec.compiler import cache

SCRIPT = """
import numpy as np, sixvec as sv, time
robot = sv.load("planar_2r")
start = time.perf_counter()
print(robot.inverse_dynamics(np.ones(2), np.ones(2), np.ones(2)).tolist())
from sixvec.compiler import build
import sys
print(build.compilations, file=sys.stderr)
"""

posix = pytest.mark.skipif(os.name != "posix", reason="files of POSIX")


def key(i: int) -> str:
    return hashlib.sha256(str(i).encode()).hexdigest()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of entries, in a place of its own."""
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    monkeypatch.setattr(cache, "files_are_what_runs", lambda: True)
    cache._usable.cache_clear()
    cache._remove_abandoned.cache_clear()
    return tmp_path / "cache" / cache.OURS


def place(folder: Path, key: str) -> Path:
    return folder / (key + cache.SUFFIX)


def run(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    wait_until_settled(Path(sv.__file__).parent)
    settings = {**os.environ, "SIXVEC_CACHE_DIR": str(folder), **env}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=settings, capture_output=True, text=True, check=True)


def test_a_new_process_compiles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first, second = run(folder), run(folder)
    assert first.stdout == second.stdout
    assert int(first.stderr) > 0
    assert int(second.stderr) == 0
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    entries = [f for f in (folder / cache.OURS).iterdir() if f.suffix == cache.SUFFIX]
    assert entries and all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in entries)


@pytest.mark.every(2)
@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "exchanged"])
def test_a_damaged_entry_is_compiled_again(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "cache"
    first = run(folder)
    files = sorted((folder / cache.OURS).glob("*" + cache.SUFFIX))
    contents = [bytearray(file.read_bytes()) for file in files]
    for i, (file, data) in enumerate(zip(files, contents, strict=True)):
        flipped = data[:]
        flipped[len(data) // 2] ^= 0xFF
        results = {"cut": data[: len(data) // 3], "flip": flipped, "empty": b"", "exchanged": contents[i - 1]}
        file.write_bytes(results[damage])
    again = run(folder)
    assert again.stdout == first.stdout
    assert int(again.stderr) == int(first.stderr) > 1
    assert int(run(folder).stderr) == 0


def test_processes_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    settings = {**os.environ, "SIXVEC_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", SCRIPT]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, env=settings, **pipes) for _ in range(4)]
    results = [p.communicate()[0] for p in started]
    assert all(p.returncode == 0 for p in started)
    assert len(set(results)) == 1
    assert not list((folder / cache.OURS / cache.UNFINISHED).iterdir())


@posix
def test_a_folder_that_others_can_write_is_not_used(folder: Path) -> None:
    folder.parent.mkdir()
    folder.parent.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="cache"):
        cache.write(key(0), b"payload")
    assert not list(folder.parent.iterdir())
    assert cache.read(key(0)) is None


@posix
def test_a_folder_for_all_with_the_sticky_bit_is_used(folder: Path) -> None:
    folder.parent.mkdir()
    folder.parent.chmod(0o1777)
    cache.write(key(0), b"payload")
    assert cache.read(key(0)) == b"payload"


def test_an_unusable_folder_is_no_error(folder: Path) -> None:
    folder.parent.write_text("not a folder")
    robot = sv.load("planar_2r")
    with pytest.warns(RuntimeWarning, match="cache"):
        tau = robot.kernel("gravity_forces")(np.zeros((3, 2)))
    assert tau.shape == (3, 2)


def test_one_warning_even_where_warnings_are_errors(folder: Path) -> None:
    folder.parent.write_text("not a folder")
    with pytest.raises(RuntimeWarning):
        cache.write(key(0), b"payload")
    cache.write(key(0), b"payload")
    assert cache.read(key(0)) is None


def test_a_user_without_home_has_no_cache_and_one_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SIXVEC_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "USERPROFILE", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what it does for an unknown user
    if os.name == "nt":
        pytest.skip("Windows knows the folder without variables")
    with pytest.warns(RuntimeWarning, match="folder"):
        cache.write(key(0), b"payload")
    for i in range(3):
        cache.write(key(i), b"payload")  # a second warning would be an error
        assert cache.read(key(i)) is None
    assert not Path("~").exists()


def test_the_home_folder_is_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent.parent))
    monkeypatch.setenv("SIXVEC_CACHE_DIR", "~/mine")
    assert cache.directory() == folder.parent.parent / "mine" / cache.OURS
    monkeypatch.setenv("SIXVEC_CACHE_DIR", "~nobody-of-this-name/mine")
    assert cache.directory() is None


def test_old_entries_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LARGEST_TOTAL", 3000)
    monkeypatch.setattr(cache, "BETWEEN_TRIMS", 1)
    for i in range(6):
        cache.write(key(i), bytes(900))
        os.utime(place(folder, key(i)), (i, i))
    assert [cache.read(key(i)) is not None for i in range(6)] == [False, False, False, True, True, True]


def test_an_entry_in_use_is_not_old(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LARGEST_TOTAL", 2000)
    for i in range(3):
        cache.write(key(i), bytes(900))
        os.utime(place(folder, key(i)), (i, i))
    cache.read(key(0))
    cache.trim(folder)
    assert [cache.read(key(i)) is not None for i in range(3)] == [True, False, True]


@posix
def test_what_is_not_ours_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LARGEST_TOTAL", 3000)
    monkeypatch.setattr(cache, "BETWEEN_TRIMS", 1)
    cache.write(key(0), bytes(900))
    foreign = [folder.parent / "thesis.tex", folder / "thesis.tex", folder / key(9), folder / cache.UNFINISHED / "mine"]
    for file in foreign:
        file.write_bytes(bytes(5000))
        os.utime(file, (0, 0))
    (folder.parent / key(8)).mkdir()
    os.mkfifo(place(folder, key(5)))
    place(folder, key(6)).symlink_to("nowhere")
    place(folder, key(7)).mkdir()
    for i in range(1, 4):
        cache.write(key(i), bytes(900))
        os.utime(place(folder, key(i)), (i, i))
    assert all(file.stat().st_size == 5000 for file in foreign)
    assert stat.S_ISFIFO(place(folder, key(5)).lstat().st_mode)
    assert place(folder, key(6)).is_symlink() and place(folder, key(7)).is_dir()
    assert cache.read(key(3)) == bytes(900)  # foreign files do not count as ours


@posix
@pytest.mark.parametrize("kind", ["fifo", "dangling link", "link", "folder"])
def test_other_things_in_the_place_of_an_entry_do_no_harm(folder: Path, kind: str) -> None:
    cache.write(key(1), b"payload")
    at = place(folder, key(1))
    if kind == "link":
        at.rename(folder / "elsewhere")
    else:
        at.unlink()
    match kind:
        case "fifo":
            os.mkfifo(at)
        case "dangling link":
            at.symlink_to("nowhere")
        case "link":
            at.symlink_to(folder / "elsewhere")
        case "folder":
            at.mkdir()
    assert cache.read(key(1)) is None
    if kind == "folder":
        with pytest.warns(RuntimeWarning, match=named("write", "folder")):
            cache.write(key(1), b"payload")
    else:
        cache.write(key(1), b"payload")
        assert cache.read(key(1)) == b"payload"
    assert not list((folder / cache.UNFINISHED).iterdir())


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_can_write_is_not_executed(folder: Path, mode: int) -> None:
    cache.write(key(1), b"payload")
    place(folder, key(1)).chmod(mode)
    assert cache.read(key(1)) is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_an_entry_of_another_owner_is_not_executed(folder: Path) -> None:
    cache.write(key(1), b"payload")
    os.chown(place(folder, key(1)), 12345, 12345)
    assert cache.read(key(1)) is None


def test_temporaries_of_killed_processes_go(folder: Path) -> None:
    cache.write(key(1), b"payload")
    old, new = (folder / cache.UNFINISHED / f"{key(i)}.{'0' * 16}" for i in (2, 3))
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache._remove_abandoned.cache_clear()  # another process begins
    cache.write(key(4), b"payload")
    assert not old.exists() and new.exists()


def test_a_removed_folder_is_made_again(folder: Path) -> None:
    cache.write(key(1), b"payload")
    place(folder, key(1)).unlink()
    (folder / cache.UNFINISHED).rmdir()
    cache.write(key(2), b"payload")
    cache.write(key(3), b"payload")
    assert cache.read(key(3)) == b"payload"


def test_one_write_in_many_looks_at_all_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def trim(folder: Path) -> None:
        nonlocal looks
        looks += 1

    monkeypatch.setattr(cache, "trim", trim)
    monkeypatch.setattr(cache, "BETWEEN_TRIMS", 100_000)
    for i in range(1000):
        cache.write(key(i), bytes(1000))
    assert 3 <= looks <= 25  # ten expected
    start = time.perf_counter()
    cache.write(key(-1), bytes(10))
    assert time.perf_counter() - start < 0.2


def test_a_write_trims_with_a_chance_in_proportion_to_its_size() -> None:
    """The first 48 bits of a key are its random number: 1/2 here, and almost 0 and 1."""
    half, first, last = ("8" + "0" * 63, "0" * 11 + "1" + "0" * 52, "f" * 64)
    assert cache.BETWEEN_TRIMS == 2**26
    assert [cache._is_due(half, size) for size in (2**25 - 1, 2**25, 2**25 + 1)] == [False, False, True]
    assert cache._is_due(first, 1) and not cache._is_due(first, 0)
    assert not cache._is_due(last, 2**26 - 1) and cache._is_due(last, 2**26)
