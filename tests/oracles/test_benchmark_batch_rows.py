"""The benchmark's rows of large answers: the entries of the regressor against Pinocchio, in place, and in cache.

In a process of its own: modules of the benchmarks and of the tests share names.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from published import folder

pytest.importorskip("pinocchio")

FOLDER = Path(__file__).parent.parent.parent / "benchmarks"

SCRIPT = """
import json, tempfile
from dataclasses import replace
from pathlib import Path
import bench, chart
from robots import ROBOTS
from sections import batch
from selection import Selection
from timing import QUICK

effort = replace(QUICK, repeats=1, slice_seconds=1e-4, batch=64)
batch.LARGE_BYTES = 20_000
batch.CACHED_BYTES = 40_000
with tempfile.TemporaryDirectory() as folder:
    built = bench.build(ROBOTS[0], Path(folder), effort)
    names = ("inverse_dynamics_regressor", "inverse_dynamics_regressor_entries", "kinetic_energy")
    rows = [row for name in names for row in batch.rows(built, effort, Selection((name,)))]
    drawn = [row.kernel for row in rows if not chart._is_beside(row)]
    print(json.dumps({"rows": [row.as_json() for row in rows], "drawn": drawn}))
"""


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    folder()  # skips where there are no robots
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=FOLDER, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.slow
def test_entries_scattered_are_pinocchios_regressor(measured: dict[str, Any]) -> None:
    errors = {row["kernel"]: row["errors"]["sixvec"] for row in measured["rows"]}
    assert errors["inverse_dynamics_regressor_entries"] < 1e-10
    assert errors["inverse_dynamics_regressor"] < 1e-10
    assert errors["inverse_dynamics_regressor (in place)"] < 1e-10


def test_only_large_results_have_more_rows_and_one_batch_fits(measured: dict[str, Any]) -> None:
    """Of the Panda: 7 by 70 numbers, 280 entries, one energy."""
    notes = {row["kernel"]: row["note"] for row in measured["rows"]}
    assert list(notes) == [
        "inverse_dynamics_regressor",
        "inverse_dynamics_regressor (in place)",
        "inverse_dynamics_regressor (in cache)",
        "inverse_dynamics_regressor_entries",
        "inverse_dynamics_regressor_entries (in place)",
        "inverse_dynamics_regressor_entries (in cache)",
        "kinetic_energy",
    ]
    assert notes["inverse_dynamics_regressor (in cache)"] == "batch of 8"  # 40 000 / (490 · 8) = 10.2
    assert notes["inverse_dynamics_regressor_entries (in cache)"] == "batch of 16"  # 40 000 / (280 · 8) = 17.9
    assert notes["kinetic_energy"] == ""


def test_the_speed_of_writing_is_bytes_over_time(measured: dict[str, Any]) -> None:
    (row,) = (row for row in measured["rows"] if row["kernel"] == "inverse_dynamics_regressor")
    assert row["note"] == f"memory: {490 * 8 / row['ours_us'] / 1e3:.0f} GB/s written"


def test_all_rows_have_the_target_and_one_is_drawn(measured: dict[str, Any]) -> None:
    large = [row for row in measured["rows"] if "regressor" in row["kernel"]]
    assert [row["target"] for row in large] == [{"bound": 10, "sense": ">="}] * 6
    assert measured["drawn"] == ["inverse_dynamics_regressor", "inverse_dynamics_regressor_entries", "kinetic_energy"]
