"""Each exit status means one thing, whatever the command."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sixvec.cli import main, show
from sixvec.cli.status import MEANINGS, Status, table
from sixvec.errors import MissingExtra

BROKEN = "<robot name='arm'><link name='a'><inertial><mass value='heavy'/></inertial></link></robot>"
DOUBTFUL = (
    "<robot name='arm'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/>"
    "<child link='b'/><limit lower='-1' upper='1' effort='-1' velocity='1'/></joint></robot>"
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    for name, text in {"broken": BROKEN, "doubtful": DOUBTFUL}.items():
        (tmp_path / f"{name}.urdf").write_text(text)
    names = ("broken", "doubtful", "none", "new")
    return {name: str(tmp_path / f"{name}.urdf") for name in names} | {
        "nowhere": str(tmp_path / "no" / "b.urdf"),
        "folder": str(tmp_path / "library"),
    }


CASES = {
    Status.FINE: ["", "robots", "show panda", "check panda", "convert panda {new}", "emit panda mass_matrix"],
    Status.FINDINGS: ["check {doubtful}", "convert four_bar {new}"],
    Status.USAGE: [
        "emit panda mass_matricks", "emit panda pose:tool", "emit panda pose",
        "emit panda mass_matrix --target fortran",
        "convert panda b.step", "convert panda {new} --drop colour", "nothing", "show", "show panda --wrong",
        "export four_bar ik:coupler --output {folder}",
    ],
    Status.UNREADABLE: [
        "show {none}", "check {none}", "convert {none} {new}", "emit {none} pose", "demo {none}",
        "show {broken}", "check {broken}", "convert {broken} {new}", "emit {broken} mass_matrix", "show pandda",
    ],
    Status.UNWRITABLE: [
        "convert panda {doubtful}", "convert panda {nowhere}", "emit panda mass_matrix --output {nowhere}",
        "convert stanford_arm {new}", "demo --output {nowhere}",
        "export planar_2r mass_matrix --output {doubtful}",
        "export planar_2r mass_matrix -o {doubtful}/inside",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("status", "line"), [(s, line) for s, lines in CASES.items() for line in lines])
def test_status(status: Status, line: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.format(**files).split()) == status, capsys.readouterr().err


@pytest.mark.parametrize(
    ("problem", "status"),
    [(MissingExtra("x"), Status.MISSING), (KeyboardInterrupt(), Status.INTERRUPTED), (TypeError("x"), Status.DEFECT)],
)
def test_status_of_other_ends(
    problem: BaseException, status: Status, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*given: object) -> None:
        raise problem

    monkeypatch.setattr(show, "say", fail)
    assert main(["show", "panda"]) == status
    assert ("Traceback" in capsys.readouterr().err) == (status is Status.DEFECT)


def test_a_full_disk_and_a_reader_that_has_gone() -> None:
    command = [sys.executable, "-m", "sixvec", "show", "panda"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=100)
    assert done.returncode == Status.UNWRITABLE and "Traceback" not in done.stderr
    shell = f"{' '.join(command)} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], stderr=subprocess.PIPE, text=True, timeout=100)
    assert done.returncode in (Status.UNREAD, Status.FINE) and done.stderr == ""


@pytest.mark.parametrize(("line", "status"), [("robots", 0), ("check {doubtful}", 1), ("show {none}", 3)])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_streams_are_silent(line: str, status: int, closed: str, files: dict[str, str]) -> None:
    shell = f"{sys.executable} -m sixvec {line.format(**files)} {closed}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=100)
    assert done.returncode == status and "Traceback" not in done.stdout + done.stderr
    assert bool(done.stdout) == (closed == "2>&-" and status != 3)
    assert bool(done.stderr) == (closed == ">&-" and status == 3)


def test_the_table_is_in_the_help_and_the_docs(sixvec: Callable[..., Any]) -> None:
    assert {*MEANINGS} == {*Status}
    shown = sixvec("--help").stdout
    page = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text()
    assert table() in shown
    for status, meaning in MEANINGS.items():
        assert f"| {status.value} | {meaning} |" in page


@pytest.mark.parametrize(
    ("problem", "status", "told"),
    [
        (OSError(2, "nothing there", "arm.urdf"), Status.UNREADABLE, "arm.urdf: nothing there"),
        (OSError(28, "no space left"), Status.UNWRITABLE, "no space left"),
        (OSError("odd"), Status.UNWRITABLE, "odd"),
        (MissingExtra("get it"), Status.MISSING, "get it"),
    ],
)
def test_errors_in_words(
    problem: Exception, status: Status, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*given: object) -> None:
        raise problem

    monkeypatch.setattr(show, "say", fail)
    assert main(["show", "panda"]) == status
    assert capsys.readouterr().err == f"sixvec: {told}\n"


def test_warnings_in_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(show, "say", lambda text: warnings.warn("mind the gap", stacklevel=1))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["show", "panda"]) == Status.FINE
    assert capsys.readouterr().err == "sixvec: warning: mind the gap\n"


def test_the_numbers_of_the_statuses() -> None:
    """Programs rely on them."""
    assert [*Status] == [0, 1, 2, 3, 4, 5, 70, 130, 141]
