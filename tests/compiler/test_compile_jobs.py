"""Who compiles a long program, and when: claims on files, jobs in their states, and processes that end."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from sixvec.compiler import background, bytecode_first, cache, child_limits, claim
from sixvec.compiler.background import CompileJob, Flat
from sixvec.compiler.bytecode_first import _Pending
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.graph import sin, where
from sixvec.compiler.program import Port, trace

KEY = "ab" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / cache.UNFINISHED).mkdir()
    return tmp_path


@pytest.mark.skipif(claim.fcntl is None, reason="Windows has no such locks")
def test_one_claim_at_a_time(folder: Path) -> None:
    assert not claim.is_claimed(folder, KEY)
    file = claim.claimed(folder, KEY)
    assert file is not None and claim.is_claimed(folder, KEY)
    place = folder / cache.UNFINISHED / f"{KEY}.claim"
    assert place.stat().st_mode & 0o777 == 0o600
    assert claim.claimed(folder, KEY) is None and claim.is_claimed(folder, KEY)
    assert not claim.is_claimed(folder, "cd" * 32)
    os.close(file)
    assert not claim.is_claimed(folder, KEY)
    again = claim.claimed(folder, KEY)
    assert again is not None
    os.close(again)
    claim.forget(folder, KEY)
    assert not place.exists()
    claim.forget(folder, KEY)
    assert claim.claimed(folder / "nowhere", KEY) is None and not claim.is_claimed(folder / "nowhere", KEY)


def test_no_claims_without_locks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing_lock(*_: Any) -> None:
        raise OSError("no locks on this file system")

    with monkeypatch.context() as patch:
        patch.setattr(claim, "fcntl", None)
        assert claim.claimed(folder, KEY) is None and not claim.is_claimed(folder, KEY)
    monkeypatch.setattr(claim, "fcntl", SimpleNamespace(flock=failing_lock, LOCK_EX=2, LOCK_SH=1, LOCK_NB=4))
    file = claim.claimed(folder, KEY)
    assert file is not None and not claim.is_claimed(folder, KEY)
    os.close(file)


def test_word_of_seconds_that_were_not_enough(folder: Path) -> None:
    assert claim.tried(folder, KEY) == 0
    claim.give_up(folder, KEY, 77)
    assert claim.tried(folder, KEY) == 77
    (folder / cache.UNFINISHED / f"{KEY}.tried").write_text("soon")
    assert claim.tried(folder, KEY) == 0
    claim.give_up(folder / "nowhere", KEY, 5)
    assert claim.tried(folder / "nowhere", KEY) == 0


class Made:
    def load(self) -> str:
        return "code"


class FakeJob:
    """A job in some state."""

    name = "f"

    def __init__(self, claimed: bool = False, stored: Any = None, tried: int = 0) -> None:
        self.claimed, self._stored, self._tried, self.compiled = claimed, stored, tried, 0

    def is_claimed(self) -> bool:
        return self.claimed

    def stored(self) -> Any:
        return self._stored

    def tried(self) -> int:
        return self._tried

    def compile(self) -> Made:
        self.compiled += 1
        return Made()


class BytecodeFunction:
    def __init__(self) -> None:
        self.is_compiled, self.best, self.problem = False, None, None

    def run_compiled(self, best: Any) -> None:
        self.best = best

    def fail(self, problem: Exception) -> None:
        self.problem = problem


@pytest.mark.parametrize(
    ("job", "begun", "running", "starts", "called", "best", "begun_then", "compiled", "waits"),
    [
        (FakeJob(claimed=True), False, 0, True, True, False, True, 0, True),
        (FakeJob(stored=Made()), False, 0, True, False, True, False, 0, False),
        (FakeJob(stored=Made()), True, 9, False, False, True, True, 0, False),
        (FakeJob(tried=600), False, 0, True, True, False, False, 0, False),
        (FakeJob(tried=601), True, 0, True, True, False, True, 0, False),
        (FakeJob(tried=599), True, 0, True, True, False, True, 0, True),
        (FakeJob(tried=599), True, 2, True, True, False, False, 0, True),
        (FakeJob(), False, 2, True, True, False, False, 0, True),
        (FakeJob(), False, 1, True, True, False, True, 0, True),
        (FakeJob(), False, 0, False, False, False, True, 0, True),
        (FakeJob(), False, 0, False, True, True, True, 1, False),
        (FakeJob(), True, 0, True, True, True, True, 1, False),
        (FakeJob(), True, 9, True, False, False, True, 0, True),
    ],
)  # fmt: skip
def test_states_of_pending_code(
    job: Any, begun: bool, running: int, starts: bool, called: bool, best: bool, begun_then: bool, compiled: int,
    waits: bool, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(bytecode_first.background, "running", lambda: running)
    monkeypatch.setattr(bytecode_first.background, "is_begun", lambda job: starts)
    monkeypatch.setattr(bytecode_first.child_limits, "allowed", lambda: 600)
    code, other = BytecodeFunction(), BytecodeFunction()
    pending = _Pending(ref(code), job, begun)  # type: ignore[arg-type]
    monkeypatch.setattr(bytecode_first, "_pending", [pending])
    pending.check((other, code) if called else (other,))  # type: ignore[arg-type]
    assert (code.best == "code") == best and pending.is_begun == begun_then
    assert job.compiled == compiled and (bytecode_first._pending == [pending]) == waits
    assert code.problem is None


def test_freed_compiled_and_failed_code_is_not_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def load(self) -> None:
            raise OSError("damaged")

    gone, best, broken = BytecodeFunction(), BytecodeFunction(), BytecodeFunction()
    best.is_compiled = True
    all_of_them = [
        _Pending(ref(x), o)  # type: ignore[arg-type]
        for x, o in ((gone, FakeJob(True)), (best, FakeJob(True)), (broken, FakeJob(stored=Broken())))
    ]
    del gone
    for each in all_of_them:
        monkeypatch.setattr(bytecode_first, "_pending", [each])
        each.check(())
        assert bytecode_first._pending == []
        each.check(())  # once more does no harm
    assert isinstance(broken.problem, OSError) and best.best is None


def test_checks_are_rare_and_never_two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[Any] = []
    now = [100.0]
    pending = SimpleNamespace(check=checks.append)
    code = SimpleNamespace(require=lambda: None)
    monkeypatch.setattr(bytecode_first, "_pending", [pending])
    monkeypatch.setattr(bytecode_first, "_next_check", 0.0)
    monkeypatch.setattr(bytecode_first.time, "monotonic", lambda: now[0])
    bytecode_first.poll(code)
    assert checks == [(code,)] and bytecode_first._next_check == 100.02
    now[0] = 100.01
    bytecode_first.poll(code)
    assert len(checks) == 1
    now[0] = 100.03
    bytecode_first.poll(code)
    assert len(checks) == 2
    monkeypatch.setattr(bytecode_first, "_pending", [])
    monkeypatch.setattr(bytecode_first.background, "children", [])
    now[0] = 200.0
    bytecode_first.poll(code)
    assert len(checks) == 2 and bytecode_first._next_check < 150.0


def test_processes_that_have_ended_are_counted_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    word: list[int] = []

    def child(pid: int, code: int | None, tried: int = 0) -> Any:
        background._jobs[pid] = SimpleNamespace(tried=lambda: tried, give_up=word.append)  # type: ignore[assignment]
        return SimpleNamespace(pid=pid, poll=lambda: code, returncode=code)

    monkeypatch.setattr(background, "_jobs", {})
    late = child_limits.TOO_LONG
    there = [child(1, None), child(2, 0), child(3, late), child(4, late, 30), child(5, 1), child(6, None)]
    monkeypatch.setattr(background, "children", there)
    monkeypatch.setattr(background.child_limits, "allowed", lambda: 123)
    assert background.running() == 2 and [c.pid for c in there] == [1, 6]
    assert word == [123] and background._jobs.keys() == {1, 6}
    background._leave()
    assert [c.returncode for c in there] == [0, 0]


def test_a_watch_ends_the_process_before_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, parent, events = [0.0], [1, 1, 1, 7, 7, 7, 7, 7, 7, 7, 7], list[Any]()
    monkeypatch.setattr(child_limits.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(child_limits.os, "getppid", lambda: parent.pop(0))
    monkeypatch.setattr(child_limits.os, "kill", lambda pid, signal: events.append(("kill", pid, signal)))
    monkeypatch.setattr(child_limits, "give_up", lambda end: events.append(("gives up", end)))

    def sleep(seconds: float) -> None:
        clock[0] += 1.0
        assert seconds == 0.5

    def allow(seconds: int) -> int:
        events.append(("allowed", seconds))
        return 8

    monkeypatch.setattr(child_limits.time, "sleep", sleep)
    monkeypatch.setattr(child_limits, "_allow", allow)
    child_limits._watch(1, 100)
    assert events == [("allowed", 30), ("gives up", 8), ("kill", os.getpid(), -child_limits.TOO_LONG)]
    assert clock == [7.0]
    events.clear()
    clock[0] = 0.0
    monkeypatch.setattr(child_limits, "give_up", None)
    monkeypatch.setattr(child_limits.os, "getppid", lambda: 1)
    child_limits._watch(1, 3)
    assert clock == [2.0] and [e[0] for e in events] == ["kill"]


def test_a_child_searches_where_this_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "relative", "/absolute", Path("/object"), "/other"])
    *given, last = background._search_path()
    assert given == ["/absolute", "/other"] and (Path(last) / "sixvec" / "compiler").is_dir()


def test_programs_go_to_another_process_node_by_node() -> None:
    def run(x: list) -> list:
        return [(Port("y", (3,)), [sin(x[0]) * 2.5 + x[1], 4.0, where(x[0] < 1.0, x[1], 0.5)])]

    program = trace("f", [Port("x", (2,))], run)
    flat = pickle.loads(pickle.dumps(Flat.of(program)))
    assert str(flat.program()) == str(program)
    assert flat.results[0][1] == 4.0 and type(flat.results[0][0]) is int


@pytest.mark.parametrize("word", ["off", "0", "no", "False"])
def test_what_keeps_this_process_from_ordering(word: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace("f", [Port("x", ())], lambda x: [(Port("y", ()), [x[0] * 2.0])])
    monkeypatch.setattr(background.disk, "writable", lambda: folder)

    def job() -> CompileJob | None:
        return background.compile_job(program, "identity", Lanes(1, "float64"), True)

    monkeypatch.delenv(background.SWITCH, raising=False)
    found = job()
    assert found is not None and found.folder == folder and found.whole and found.name == "f"
    for patched in ("switch", "system", "program", "frozen", "disk"):
        with monkeypatch.context() as patch:
            if patched == "switch":
                patch.setenv(background.SWITCH, word)
            elif patched == "system":
                patch.setattr(background.os, "name", "nt")
            elif patched == "program":
                patch.setattr(sys, "executable", "/opt/blender")
            elif patched == "frozen":
                patch.setattr(sys, "frozen", True, raising=False)
            else:
                patch.setattr(background.disk, "writable", lambda: None)
            assert job() is None
