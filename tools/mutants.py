"""Change one token of the source at a time and see whether a test notices: `make mutants`.

    python tools/mutants.py --seed 0 --count 40
    python tools/mutants.py --paths src/sixvec/formats/doctor --count 25
    python tools/mutants.py --paths src/sixvec/compiler/graph.py:117

Mutants run in a copy of the tree, against the tests that are likely to see them, the likeliest first; those that live
meet the rest of the suite, unless `--near 8` says that eight files of tests are enough.  With `--executed FILE`, what
coverage.py recorded (tools/executed.py), the tests that execute the changed line come first.  A test kills if it fails
twice with the change, and passes on the untouched copy.  A survivor is a test that is missing, code that does nothing,
or a change that changes nothing; which of them, only a reader can tell.

The tools of others do not fit: mutmut wraps functions, whose signatures and traces are what the compiler here reads;
cosmic-ray has one command of tests for all, and this suite is too long for that.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest
from pathlib import Path

from executed import Executed
from mutations import Mutation, mutations
from relevance import Relevance

ROOT = Path(__file__).parent.parent
NOT_COPIED = (".git", ".venv", ".hypothesis", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")
LIKELIEST, MORE = 6, 20
"""Files of tests in the first run, and in the first two together; then come the others, as many at a time."""

RECORDED = 40
"""Tests that are recorded to execute the line and are asked before."""

SLOWER = 3.0
"""A mutant hangs if it takes so many times as long as the untouched tree."""


@dataclass(frozen=True)
class Verdict:
    file: Path
    mutation: Mutation
    outcome: str
    """killed, hangs, survived, undecided or stillborn (the package cannot be imported; does not count)"""
    by: str = ""

    def __str__(self) -> str:
        m = self.mutation
        return f"{self.outcome:9} {self.file}:{m.line}  {m.kind} {m.old!r} -> {m.new!r}  {self.by}"


class Laboratory:
    """A copy of the tree in which sources may be changed and tests run."""

    def __init__(self, folder: Path, timeout: float, executed: Path | None = None) -> None:
        self.root, self.timeout = folder / "tree", timeout
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(*NOT_COPIED))
        self.relevance = Relevance(self.root)
        self.executed = Executed(executed, self.root) if executed else None
        self._clean: dict[tuple[str, ...], float] = {}

    def verdict(self, file: Path, mutation: Mutation, near: int | None = None) -> Verdict:
        """Of all tests, or of those in the `near` likeliest files."""
        source = self.root / file
        order = [str(test.relative_to(self.root)) for test in self.relevance.tests(source)][:near]
        recorded = self.executed.tests(file, mutation.line, RECORDED) if self.executed else []
        cuts = sorted({0, min(LIKELIEST, len(order)), *range(MORE, len(order), MORE), len(order)})
        runs = [recorded] * bool(recorded) + [order[low:high] for low, high in pairwise(cuts)]
        with _changed(source, mutation):
            module = ".".join(file.relative_to("src").with_suffix("").parts).removesuffix(".__init__")
            if self._run("-c", f"import {module}")[0]:
                return Verdict(file, mutation, "stillborn")
            for tests in runs:
                status, failure = self._confirmed(tests)
                if status:
                    return Verdict(file, mutation, "killed", failure)
                if status is None:
                    break
            else:
                return Verdict(file, mutation, "survived")
        hangs = SLOWER * self._clean_time(tests) < self.timeout
        return Verdict(file, mutation, "hangs" if hangs else "undecided", f"{tests[0]} …")

    def _confirmed(self, tests: list[str]) -> tuple[int | None, str]:
        """As `pytest`, but a failure must happen twice: a busy machine is late for tests that watch a clock."""
        passed_again: list[str] = []
        while True:
            status, failure = self.pytest([*tests, *(f"--deselect={test}" for test in passed_again)])
            if not status or failure.startswith("exit") or self.pytest([failure])[0] != 0:
                return status, failure
            passed_again.append(failure)

    def _clean_time(self, tests: list[str]) -> float:
        key = tuple(tests)
        if key not in self._clean:
            start = time.monotonic()
            status, _ = self.pytest(tests)
            self._clean[key] = time.monotonic() - start if status == 0 else float("inf")
        return self._clean[key]

    def pytest(self, tests: list[str]) -> tuple[int | None, str]:
        """The exit status, None if time ran out, and the test that failed first."""
        options = ["-x", "-m", "not slow and not stress", "-p", "no:cacheprovider", "-p", "first_failure", "--tb=no"]
        return self._run("-m", "pytest", *options, *tests)

    def _run(self, *arguments: str) -> tuple[int | None, str]:
        others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        paths = os.pathsep.join([str(self.root / "src"), str(self.root / "tools"), *others])
        with tempfile.TemporaryDirectory(prefix="sixvec-mutants-") as folder:
            failure = Path(folder) / "failure"
            settings = {"SIXVEC_CACHE_DIR": f"{folder}/cache", "SIXVEC_FIRST_FAILURE": str(failure)}
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.root,
                env={**os.environ, **settings, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                status = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return None, ""
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            return status, failure.read_text() if failure.exists() else f"exit status {status}"


@contextmanager
def _changed(source: Path, mutation: Mutation) -> Iterator[None]:
    text = source.read_text()
    source.write_text(mutation.applied(text))
    try:
        yield
    finally:
        source.write_text(text)


def sample(root: Path, paths: list[str], but: tuple[str, ...], rng: random.Random) -> list[tuple[Path, Mutation]]:
    """All mutants of these files and folders in random order: one of every file before the second of any."""
    piles = []
    for path in paths:
        place, _, line = path.partition(":")
        files = sorted((root / place).rglob("*.py")) if (root / place).is_dir() else [root / place]
        for file in files:
            found = [m for m in mutations(file.read_text()) if not line or m.line == int(line)]
            kinds = sorted({m.kind for m in found})
            by_kind = [rng.sample(pile, len(pile)) for pile in ([m for m in found if m.kind == k] for k in kinds)]
            rng.shuffle(by_kind)
            mixed = [m for m in chain.from_iterable(zip_longest(*by_kind)) if m is not None]
            piles.append([(file.relative_to(root), m) for m in mixed])
    rng.shuffle(piles)
    picks = (pick for pick in chain.from_iterable(zip_longest(*piles)) if pick is not None)
    return [pick for pick in picks if not str(pick[0]).startswith(but)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40, help="mutants that count")
    parser.add_argument("--paths", nargs="+", default=["src/sixvec"], help="folders, files, or file:line")
    parser.add_argument("--but", nargs="*", default=[], help="folders that are left out")
    parser.add_argument(
        "--near", type=int, nargs="?", const=MORE, metavar="FILES", help=f"only the likeliest files of tests, {MORE}"
    )
    parser.add_argument("--executed", type=Path, metavar="FILE", help="what coverage.py recorded, a context a test")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one run of tests")
    parser.add_argument("--least", type=float, default=0.95, help="part that must be killed for exit status 0")
    chosen = parser.parse_args()

    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory(prefix="sixvec-mutants-") as folder:
        laboratory = Laboratory(Path(folder), chosen.timeout, chosen.executed)
        picks = iter(sample(laboratory.root, chosen.paths, (*chosen.but,), random.Random(chosen.seed)))
        print(f"seed {chosen.seed}: {chosen.count} changes of one token, in {', '.join(chosen.paths)}", flush=True)
        while (counted := _counted(verdicts)) < chosen.count and (pick := next(picks, None)):
            start = time.monotonic()
            verdicts.append(laboratory.verdict(*pick, chosen.near))
            print(f"{counted + 1:3}  {time.monotonic() - start:4.0f} s  {verdicts[-1]}", flush=True)
        killers = {v.by for v in verdicts if v.outcome == "killed" and not v.by.startswith("exit")}
        if killers and laboratory.pytest(sorted(killers))[0]:
            print("some of the killing tests fail on the untouched tree; nothing can be said")
            return 2
    return _summary(verdicts, chosen.least)


def _counted(verdicts: list[Verdict]) -> int:
    return sum(v.outcome != "stillborn" for v in verdicts)


def _summary(verdicts: list[Verdict], least: float) -> int:
    """A table of packages, the survivors, and whether enough were killed."""
    counted = [v for v in verdicts if v.outcome != "stillborn"]
    print()
    packages: dict[str, list[bool]] = {}
    for v in counted:
        packages.setdefault(v.file.parts[2], []).append(v.outcome in ("killed", "hangs"))
    for package, is_killed in sorted(packages.items()):
        print(f"{package:24} {sum(is_killed):3} of {len(is_killed):3} killed")
    for v in counted:
        if v.outcome in ("survived", "undecided"):
            print(v)
    killed = sum(map(sum, packages.values()))
    stillborn = len(verdicts) - len(counted)
    print(f"{killed} of {len(counted)} killed, {least:.0%} required; {stillborn} more could not be imported")
    return 0 if killed >= least * len(counted) else 1


if __name__ == "__main__":
    sys.exit(main())
