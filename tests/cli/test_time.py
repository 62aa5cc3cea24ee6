"""`sixvec time`: the duration, what limits it, the files it writes, and tables that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sixvec.cli.main import main
from sixvec.cli.status import Status

ROWS = "0,-0.4,0,-2,0,1.6,0.8\n0.5,0.1,0.3,-1.7,0.1,1.8,0.4\n1,0.2,0.3,-1.5,0.2,1.9,0\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "waypoints.csv"
    file.write_text("\ufeff" + ",".join(f"joint {k}" for k in range(7)) + "\n" + ROWS, encoding="utf-8")
    return file


def test_it_prints_the_duration_and_its_limits(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time", "panda", str(table), "--torque", "--json"]) == Status.FINE
    report = json.loads(capsys.readouterr().out)
    assert report["solved"] and 0.3 < report["duration"] < 1.0
    assert sum(x["share"] for x in report["limits"]) == pytest.approx(1.0)
    assert main(["time", "panda", str(table)]) == Status.FINE
    assert "panda_joint1: velocity" in capsys.readouterr().out


def test_it_writes_tables_and_pictures_but_replaces_none(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, plot = table.with_name("fast.csv"), table.with_name("fast.png")
    command = ["time", "panda", str(table), "-o", str(out), "--plot", str(plot)]
    assert main(command) == Status.FINE
    assert out.read_text().startswith("t,q panda_joint1") and plot.stat().st_size > 5000
    assert main(command) != Status.FINE
    assert main([*command, "--force"]) == Status.FINE


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1,2\n", "row 1"),
        ("a,b\n" + ROWS + "0,0,0,x,0,0,0\n", "'x'"),
        ("", "waypoints"),
        (ROWS * 2, "limits"),
        ("0," * 9 + "9" * 200_000, "waypoints.csv"),
    ],
)
def test_wrong_tables_are_explained(text: str, word: str, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(text.replace("1,0.2", "9,0.2") if word == "limits" else text)
    assert main(["time", "panda", str(table)]) != Status.FINE
    assert word in capsys.readouterr().err


def test_a_table_that_is_not_text_is_explained(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_bytes(b"\xff\xfe" * 100)
    assert main(["time", "panda", str(table)]) == Status.USAGE
    assert "waypoints.csv" in capsys.readouterr().err


def test_it_does_not_write_over_its_input(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, same = table.read_bytes(), table.with_name("link.csv")
    same.hardlink_to(table)
    for option in ("--output", "--plot"):
        for name in (table, same):
            assert main(["time", "panda", str(table), option, str(name), "--force"]) == Status.USAGE
            assert name.name in capsys.readouterr().err and table.read_bytes() == before
    out = str(table.with_name("out.csv"))
    assert main(["time", "panda", str(table), "--output", out, "--plot", out]) == Status.USAGE


def test_a_picture_replaces_a_link_and_not_its_target(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, target = table.with_name("plot.png"), table.with_name("precious.png")
    target.write_text("mine")
    link.symlink_to(target)
    assert main(["time", "panda", str(table), "--plot", str(link), "--force"]) == Status.FINE
    assert target.read_text() == "mine" and not link.is_symlink()
    assert main(["time", "panda", str(table), "--plot", str(table.with_name("plot.cvs"))]) == Status.USAGE
    assert "cvs" in capsys.readouterr().err


def test_steps_without_number_are_an_error(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = table.with_name("out.csv")
    assert main(["time", "panda", str(table), "--output", str(out), "--dt", "1e-12"]) == Status.USAGE
    assert "dt" in capsys.readouterr().err and not out.exists()
