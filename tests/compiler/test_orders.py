"""Who compiles a long program, and when: claims on files, orders in their states, and processes that end."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from sixvec.compiler import background, cache, child_limits, claim, tiers
from sixvec.compiler.background import Flat, Order
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.graph import sin, where
from sixvec.compiler.program import Port, trace
from sixvec.compiler.tiers import _Awaited

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
    def refused(*_: Any) -> None:
        raise OSError("no locks on this file system")

    with monkeypatch.context() as patch:
        patch.setattr(claim, "fcntl", None)
        assert claim.claimed(folder, KEY) is None and not claim.is_claimed(folder, KEY)
    monkeypatch.setattr(claim, "fcntl", SimpleNamespace(flock=refused, LOCK_EX=2, LOCK_SH=1, LOCK_NB=4))
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


class Ordered:
    """An order in some state."""

    name = "f"

    def __init__(self, claimed: bool = False, stored: Any = None, tried: int = 0) -> None:
        self.claimed, self._stored, self._tried, self.compiled = claimed, stored, tried, 0

    def is_claimed(self) -> bool:
        return self.claimed

    def stored(self) -> Any:
        return self._stored

    def tried(self) -> int:
        return self._tried

    def carried_out(self) -> Made:
        self.compiled += 1
        return Made()


class Quick:
    def __init__(self) -> None:
        self.is_best, self.best, self.problem = False, None, None

    def run_best(self, best: Any) -> None:
        self.best = best

    def fail(self, problem: Exception) -> None:
        self.problem = problem


@pytest.mark.parametrize(
    ("order", "begun", "running", "starts", "called", "best", "begun_then", "compiled", "waits"),
    [
        (Ordered(claimed=True), False, 0, True, True, False, True, 0, True),
        (Ordered(stored=Made()), False, 0, True, False, True, False, 0, False),
        (Ordered(stored=Made()), True, 9, False, False, True, True, 0, False),
        (Ordered(tried=600), False, 0, True, True, False, False, 0, False),
        (Ordered(tried=601), True, 0, True, True, False, True, 0, False),
        (Ordered(tried=599), True, 0, True, True, False, True, 0, True),
        (Ordered(tried=599), True, 2, True, True, False, False, 0, True),
        (Ordered(), False, 2, True, True, False, False, 0, True),
        (Ordered(), False, 1, True, True, False, True, 0, True),
        (Ordered(), False, 0, False, False, False, True, 0, True),
        (Ordered(), False, 0, False, True, True, True, 1, False),
        (Ordered(), True, 0, True, True, True, True, 1, False),
        (Ordered(), True, 9, True, False, False, True, 0, True),
    ],
)  # fmt: skip
def test_states_of_what_is_awaited(
    order: Any, begun: bool, running: int, starts: bool, called: bool, best: bool, begun_then: bool, compiled: int,
    waits: bool, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(tiers.background, "running", lambda: running)
    monkeypatch.setattr(tiers.background, "is_begun", lambda order: starts)
    monkeypatch.setattr(tiers.child_limits, "allowed", lambda: 600)
    code, other = Quick(), Quick()
    awaited = _Awaited(ref(code), order, begun)  # type: ignore[arg-type]
    monkeypatch.setattr(tiers, "_awaited", [awaited])
    awaited.look((other, code) if called else (other,))  # type: ignore[arg-type]
    assert (code.best == "code") == best and awaited.begun == begun_then
    assert order.compiled == compiled and (tiers._awaited == [awaited]) == waits
    assert code.problem is None


def test_what_is_gone_best_or_failed_is_not_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def load(self) -> None:
            raise OSError("damaged")

    gone, best, broken = Quick(), Quick(), Quick()
    best.is_best = True
    all_of_them = [
        _Awaited(ref(x), o)  # type: ignore[arg-type]
        for x, o in ((gone, Ordered(True)), (best, Ordered(True)), (broken, Ordered(stored=Broken())))
    ]
    del gone
    for each in all_of_them:
        monkeypatch.setattr(tiers, "_awaited", [each])
        each.look(())
        assert tiers._awaited == []
        each.look(())  # once more does no harm
    assert isinstance(broken.problem, OSError) and best.best is None


def test_looks_are_seldom_and_never_two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Any] = []
    now = [100.0]
    awaited = SimpleNamespace(look=looks.append)
    code = SimpleNamespace(require=lambda: None)
    monkeypatch.setattr(tiers, "_awaited", [awaited])
    monkeypatch.setattr(tiers, "_next_look", 0.0)
    monkeypatch.setattr(tiers.time, "monotonic", lambda: now[0])
    tiers.poll(code)
    assert looks == [(code,)] and tiers._next_look == 100.02
    now[0] = 100.01
    tiers.poll(code)
    assert len(looks) == 1
    now[0] = 100.03
    tiers.poll(code)
    assert len(looks) == 2
    monkeypatch.setattr(tiers, "_awaited", [])
    monkeypatch.setattr(tiers.background, "children", [])
    now[0] = 200.0
    tiers.poll(code)
    assert len(looks) == 2 and tiers._next_look < 150.0


def test_processes_that_have_ended_are_counted_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    word: list[int] = []

    def child(pid: int, code: int | None, tried: int = 0) -> Any:
        background._orders[pid] = SimpleNamespace(tried=lambda: tried, give_up=word.append)  # type: ignore[assignment]
        return SimpleNamespace(pid=pid, poll=lambda: code, returncode=code)

    monkeypatch.setattr(background, "_orders", {})
    late = child_limits.TOO_LONG
    there = [child(1, None), child(2, 0), child(3, late), child(4, late, 30), child(5, 1), child(6, None)]
    monkeypatch.setattr(background, "children", there)
    monkeypatch.setattr(background.child_limits, "allowed", lambda: 123)
    assert background.running() == 2 and [c.pid for c in there] == [1, 6]
    assert word == [123] and background._orders.keys() == {1, 6}
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

    def order() -> Order | None:
        return background.ordered(program, "identity", Lanes(1, "float64"), True)

    monkeypatch.delenv(background.SWITCH, raising=False)
    found = order()
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
            assert order() is None
