"""Files with many mistakes: each is found in one run, at its line, and nothing else is called a mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from planted_files import PLANTED, text

from sixvec.cli import main
from sixvec.formats.doctor import Severity, check_file

LEAST = 10
every_format = pytest.mark.parametrize("name", PLANTED)


def written(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text(text(PLANTED[name]))
    return path


@every_format
def test_every_planted_mistake_is_found_at_its_line(tmp_path: Path, name: str) -> None:
    report = check_file(written(tmp_path, name))
    wanted = [(number, words) for number, (_, said) in enumerate(PLANTED[name], 1) for words in said]
    assert len(wanted) >= LEAST
    told = [(f.line, f.text(name)) for f in report.findings if f.severity >= Severity.WARNING]
    missed = [(n, words) for n, words in wanted if not any(line == n and words in shown for line, shown in told)]
    assert not missed, report.text()
    assert report.status == 2 and report.model is None


@every_format
def test_nothing_else_is_called_a_mistake(tmp_path: Path, name: str) -> None:
    report = check_file(written(tmp_path, name))
    said = {number: words for number, (_, words) in enumerate(PLANTED[name], 1)}
    for f in report.findings:
        if f.severity >= Severity.WARNING:
            assert f.line is not None and any(w in f.text(name) for w in said[f.line]), f.text(name)


@every_format
def test_json_reports_the_same(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, name)
    assert main(["check", str(path), "--json"]) == 3
    report = json.loads(capsys.readouterr().out)
    findings = check_file(path).findings
    assert report["status"] == 2 and len(report["findings"]) == len(findings)
    for one, f in zip(report["findings"], findings, strict=True):
        assert (one["severity"], one["line"], one["message"]) == (f.severity.word, f.line, f.message)
        assert one["file"] == str(path)
