"""Every broken file is explained by `check` and rejected by `load`, soon, always with a SixvecError."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest
from broken_files import REFUSED, SOUND, SUSPECT, Broken, joint, link, robot

import sixvec
from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats.doctor import Report, Severity, check_file

PATIENCE = 5.0
"""Seconds; each takes milliseconds on a free machine."""


def written(folder: Path, data: str | bytes) -> Path:
    path = folder / "robot.urdf"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def examined(folder: Path, broken: Broken) -> Report:
    start = time.process_time()
    report = check_file(written(folder, broken.data))
    assert time.process_time() - start < PATIENCE
    return report


def test_the_corpus_is_large() -> None:
    assert len(REFUSED) + len(SUSPECT) >= 60


@pytest.mark.parametrize("name", REFUSED)
def test_a_rejected_file_has_an_error_at_its_line(tmp_path: Path, name: str) -> None:
    broken = REFUSED[name]
    report = examined(tmp_path, broken)
    errors = [f for f in report.findings if f.severity is Severity.ERROR]
    at = [f for f in errors if f.line == broken.line and broken.words in f.text("robot.urdf")]
    assert at, report.text()
    assert report.status == 2
    # No message repeats a file of a megabyte.
    assert all(len(f.text("robot.urdf")) < 1000 for f in report.findings)


@pytest.mark.parametrize("name", REFUSED)
def test_the_loader_rejects_with_one_clear_error(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, REFUSED[name].data)
    start = time.process_time()
    with pytest.raises(SixvecError) as caught:
        sixvec.load(path)
    assert time.process_time() - start < PATIENCE
    if isinstance(caught.value, FileFormatError):
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", SUSPECT)
def test_a_suspect_file_has_a_warning_at_its_line(tmp_path: Path, name: str) -> None:
    broken = SUSPECT[name]
    report = examined(tmp_path, broken)
    at = [f for f in report.findings if f.line == broken.line and broken.words in f.text("robot.urdf")]
    assert [f for f in at if f.severity >= Severity.WARNING], report.text()
    assert report.status >= 1


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize("name", SUSPECT)
def test_a_suspect_file_loads_or_raises_clearly(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, SUSPECT[name].data)
    with contextlib.suppress(SixvecError):
        assert sixvec.load(path).nv <= 2


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    text = robot(link("a"), link("a"), joint("j", "x", "a", '<axis xyz="0 0 0"/>', "hinge"), joint("j", "a", "y", ""))
    found = {f.line for f in check_file(written(tmp_path, text)).findings if f.severity is Severity.ERROR}
    assert found == {3, 4, 5}
    messages = [f.message for f in check_file(written(tmp_path, text)).findings]
    assert len(messages) >= 5


def test_a_healthy_file_says_so_in_one_line(tmp_path: Path) -> None:
    report = check_file(written(tmp_path, SOUND))
    assert report.status == 0 and not report.findings
    assert report.text() == f"{tmp_path / 'robot.urdf'}: healthy: 2 links, 1 moving joint, 2 kg"


def test_many_problems_of_one_kind_are_bounded(tmp_path: Path) -> None:
    count = 5000
    text = robot(*(link(f"l{i}") for i in range(count)), *(joint(f"j{i}", f"m{i}", f"n{i}") for i in range(count)))
    report = examined(tmp_path, Broken(text, 0, ""))
    assert report.status == 2 and len(report.findings) < 500


def test_a_long_chain_is_examined_quickly(tmp_path: Path) -> None:
    count = 4000
    text = robot(
        *(link(f"l{i}") for i in range(count)), *(joint(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, count))
    )
    report = examined(tmp_path, Broken(text, 0, ""))
    assert report.status == 0, report.text()[:500]
