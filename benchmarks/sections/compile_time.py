"""Compile times: cold, and warm from the cache on disk, each in a fresh process; and the time to import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bench import Bench
from kernels import KERNELS
from result import Row
from selection import Selection
from targets import COLD_SECONDS, IMPORT_SECONDS, WARM_SECONDS
from timing import Effort

SECTION = "compile"
CACHE_ENV = "SIXVEC_CACHE_DIR"
IMPORTED = "import sixvec, llvmlite.binding; sixvec.load('planar_2r').kernel('mass_matrix')"
PROBE = Path(__file__).parent.parent / "compile_probe.py"


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """Cold and warm times of this robot's kernels that have a target; the import along with the first robot."""
    if bench.ours is None:
        return
    for (robot, kernel), target in COLD_SECONDS.items():
        if robot != bench.robot.name or not selection.wants(SECTION, robot, kernel):
            continue
        colds, warms = [], []
        try:
            for _ in range(effort.processes):
                with tempfile.TemporaryDirectory() as folder:
                    colds.append(_probe(bench, kernel, folder))
                    warms.append(_probe(bench, kernel, folder))
        except subprocess.CalledProcessError as error:
            reason = error.stderr.strip().splitlines()[-1]
            yield Row(SECTION, robot, kernel, "s", None, target, note=reason, failed=True)
            continue
        for label, runs, bound in (("cold", colds, target), ("warm", warms, WARM_SECONDS)):
            best = min(runs, key=lambda run: run["single"] + run["batch"])
            note = "call {single:.3f} + batch {batch:.3f}; load {load:.3f}".format(**best)
            yield Row(SECTION, robot, f"{kernel} ({label})", "s", best["single"] + best["batch"], bound, note=note)
    if bench.robot.name == "panda" and selection.wants(SECTION, "panda", "import"):
        runs = [_run([sys.executable, str(PROBE)], os.environ.get(CACHE_ENV, "")) for _ in range(3)]
        best = min(runs, key=lambda run: run["import"])
        note = "of which NumPy {numpy:.3f} s".format(**best)
        yield Row(SECTION, "panda", "import", "s", best["import"], IMPORT_SECONDS, note=note)


def _probe(bench: Bench, kernel: str, folder: str) -> dict[str, float]:
    frame = [bench.robot.frame] if KERNELS[kernel].framed else []
    floating = str(int(bench.robot.floating))
    inputs = ",".join(KERNELS[kernel].inputs)
    return _run([sys.executable, str(PROBE), str(bench.urdf), floating, kernel, inputs, *frame], folder)


@cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    """Where the processes keep Python's bytecode, which an installed package has beside its files."""
    return tempfile.TemporaryDirectory()


def _run(command: list[str], folder: str) -> dict[str, float]:
    """Run a probe, after one whose only work is to leave the bytecode behind."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": _bytecode().name} | ({CACHE_ENV: folder} if folder else {})
    environment["SIXVEC_BACKGROUND"] = "on"  # first answers
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if not any(Path(_bytecode().name).iterdir()):
        subprocess.run([sys.executable, "-c", IMPORTED], env=environment, check=True)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer
