"""Every section of the benchmark runs: one tiny case each, in a process of its own, with its JSON and its chart."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from published import folder

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

FOLDER = Path(__file__).parent.parent.parent / "benchmarks"

CASES = {
    "closed_form": (),
    "rollout": (),
    "counts": (),
    "single": ("panda", "inverse_dynamics"),
    "batch": ("panda", "inverse_dynamics"),
    "accuracy": ("panda", "inverse_dynamics"),
    "strongest": ("panda", "inverse_dynamics"),
    "inverse_kinematics": (),
    "constraints": ("five_bar", "batch"),
    "compile": ("panda", "inverse_dynamics"),
    "contacts": (),
    "simulation": ("hopper",),
    "mobile": (),
    "parallel": (),
    "distances": (),
    "tasks": ("programs",),
    "timing": (),
}
"""The section, and names that select few of its rows."""

LONG = {"simulation", "distances", "timing", "tasks", "contacts", "mobile", "parallel", "compile", "constraints"}


PEERS = {"timing": "toppra"}
"""Sections without a row where a package of the extra `bench` is missing."""


def run(section: str, more: tuple[str, ...], place: Path) -> dict[str, Any]:
    only = [x for name in (section, *more) for x in ("--only", name)]
    outputs = ["--json", str(place / "rows.json"), "--chart", str(place / "chart.png")]
    done = subprocess.run(
        [sys.executable, "run.py", "--tiny", *only, *outputs],
        cwd=FOLDER, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    result: dict[str, Any] = json.loads((place / "rows.json").read_text())
    return result


@pytest.mark.parametrize("section", [pytest.param(s, marks=[pytest.mark.slow] * (s in LONG)) for s in CASES])
def test_the_section_runs(section: str, tmp_path: Path) -> None:
    folder()  # skips where there are no robots
    if section in PEERS:
        pytest.importorskip(PEERS[section])
    result = run(section, CASES[section], tmp_path)
    assert result["rows"] and {row["section"] for row in result["rows"]} == {section}
    assert not [row for row in result["rows"] if row["failed"]]
    assert not [who for who in result["left_out"] if who.startswith(("sixvec", "rest of"))]
    assert (tmp_path / "chart.png").exists() or section not in ("batch", "single")


def test_no_section_is_missing_here() -> None:
    tree = ast.parse((FOLDER / "run.py").read_text())
    (sections,) = (node.value for node in tree.body if isinstance(node, ast.Assign)
                   and getattr(node.targets[0], "id", "") == "SECTIONS")  # fmt: skip
    assert set(ast.literal_eval(sections)) == set(CASES)


def test_jax_computes_in_double_precision_whoever_imports_it_first() -> None:
    pytest.importorskip("jax")
    code = "import run, jax; assert jax.numpy.zeros(1).dtype == 'float64'"
    subprocess.run([sys.executable, "-c", code], cwd=FOLDER, check=True, timeout=60)


def test_an_error_in_one_section_keeps_the_rows_of_the_others(tmp_path: Path) -> None:
    code = """
import sys, json, run
from sections import closed_form, counts
def broken(*given):
    yield from ()
    raise TypeError("not iterable")
closed_form.rows = broken
run.ROBOTS = [r for r in run.ROBOTS if r.name == "panda"]
from selection import Selection
left_out = {}
from rich.console import Console
only_counts = Selection(("counts",))
rows = list(run.going_on("closed_form", closed_form.rows(), left_out))
assert rows == [] and left_out == {"rest of closed_form": "stopped by an error: TypeError('not iterable')"}, left_out
rows = list(run.measure(run.TINY, only_counts, left_out, Console(quiet=True)))
assert rows and "rest of closed_form" in left_out
"""
    folder()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=FOLDER, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
