"""The README: its code runs, its links lead somewhere, its figures are those of the benchmark."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import sixvec
from sixvec.cli.main import sixvec as command

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()
CODE, TORCH = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_nine_lines_are_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = (ROOT / "examples/reach.py").read_text()
    *_, first = CODE.partition("\n")
    assert all(line in example for line in first.splitlines())
    pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(CODE, "README.md", "exec"), names)
    assert str(names["goal"]) == "solved" and (tmp_path / "reach.gif").stat().st_size > 10_000


def test_the_lines_of_torch_give_gravity_forces() -> None:
    pytest.importorskip("torch")
    names: dict[str, object] = {}
    exec(compile(TORCH, "README.md", "exec"), names)
    Q = names["Q"]
    gravity = sixvec.load("panda").gravity_forces(Q.detach().numpy())  # type: ignore[attr-defined]
    assert np.allclose(Q.grad.numpy(), gravity, atol=1e-9)  # type: ignore[attr-defined]


def test_commands_can_be_parsed_and_their_files_exist() -> None:
    lines = [line[2:] for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]
    ours = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("sixvec ")]
    assert len(ours) >= 3
    for name, *arguments in ours:
        command.commands[name].make_context(name, arguments)
        assert all((ROOT / word).exists() for word in arguments if "/" in word)


def test_extras_exist() -> None:
    metadata = (ROOT / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    extras = set(re.findall(r"^(\w+) = \[", metadata, re.MULTILINE))
    rows = TEXT.partition("| extra,")[2]
    named = {name for row in re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == extras - {"bench", "docs", "dev"}


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_the_version_is_the_library_s() -> None:
    assert f"Version {sixvec.__version__}, alpha" in TEXT
    assert f"version: {sixvec.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_speeds_are_those_of_the_benchmark() -> None:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import readme_table

    rows = json.loads((ROOT / "benchmarks/results.json").read_text())["rows"]
    assert readme_table.written(TEXT, rows) == TEXT, "run `python benchmarks/readme_table.py`"


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) < 125
