"""The disk cache: kept, private, atomic, and never trusted when damaged."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
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


def run(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "SIXVEC_CACHE_DIR": str(folder), **env}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=settings, capture_output=True, text=True, check=True)


def test_a_new_process_compiles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first, second = run(folder), run(folder)
    assert first.stdout == second.stdout
    assert int(first.stderr) > 0
    assert int(second.stderr) == 0
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in folder.iterdir())


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_entry_is_compiled_again(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "cache"
    first = run(folder)
    for file in folder.iterdir():
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 0xFF
        file.write_bytes({"cut": data[: len(data) // 3], "flip": data, "empty": b""}[damage])
    again = run(folder)
    assert again.stdout == first.stdout
    assert int(again.stderr) == int(first.stderr)
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
    assert not [f for f in folder.iterdir() if f.name.startswith(".")]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(folder))
    cache._warn_once.cache_clear()
    with pytest.warns(RuntimeWarning, match="can be written by others"):
        cache.write("key", b"payload")
    assert not list(folder.iterdir())
    assert cache.read("key") is None


def test_an_unusable_folder_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(blocker / "cache"))
    cache._warn_once.cache_clear()
    robot = sv.load("planar_2r")
    with pytest.warns(RuntimeWarning, match="compiled kernels are not kept"):
        tau = robot.kernel("gravity_forces")(np.zeros((3, 2)))
    assert tau.shape == (3, 2)


def test_old_entries_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path / "c"))
    monkeypatch.setattr(cache, "LARGEST_TOTAL", 3000)
    for i in range(6):
        cache.write(f"entry{i}", bytes(900))
        os.utime(tmp_path / "c" / f"entry{i}", (i, i))
    assert cache.read("entry5") == bytes(900)
    assert cache.read("entry0") is None
