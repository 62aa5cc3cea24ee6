"""Long programs run at once as bytecode, then as compiled code, whatever happens to the process that compiles."""

from __future__ import annotations

import gc
import io
import os
import pickle
import shutil
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sixvec as sv
from settled_files import wait_until_settled
from sixvec.compiler import background, build, bytecode_first, cache, child_limits, claim, package_files, threads
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port
from sixvec.compiler.staged import Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.spatial import Vec3

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="processes of POSIX"),
    pytest.mark.skipif(not package_files.files_are_what_runs(), reason="files have just changed"),
]

ASLEEP = "import time; time.sleep(100)"
FAILS = "raise SystemExit(1)"
Q = np.linspace(0.1, 1.0, 2)


@pytest.fixture(autouse=True)
def everything_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(background.SWITCH, "on")
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(bytecode_first, "LONG", 0)
    monkeypatch.setattr(bytecode_first, "POLL_INTERVAL", 0.0)
    cache._usable.cache_clear()
    yield
    end_children()
    background.running()
    bytecode_first._pending.clear()
    cache._usable.cache_clear()


@pytest.fixture
def robot() -> sv.Robot:
    """Unlike all others."""
    return sv.Robot(sv.load("planar_2r").model.with_gravity(Vec3(0.0, np.random.default_rng().normal(), -9.81)))


def twin(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> sv.Robot:
    """The same robot, compiled at once."""
    with monkeypatch.context() as patch:
        patch.setenv(background.SWITCH, "off")
        patch.setenv("SIXVEC_CACHE_DIR", f"{cache.directory()}-twin")
        made = sv.Robot(robot.model)
        made.forward_dynamics(Q, Q, Q)
        for dtype in ("float64", "float32"):
            batch = np.tile(Q, (40, 1)).astype(dtype)
            made.kernel("forward_dynamics").call(batch, batch, batch)
        made.rollout(Q, Q, np.zeros((30, 2)), 1e-3)
    return made


def until_settled(call: Callable[[], object]) -> None:
    """Call until the compiled code has arrived."""
    end = time.monotonic() + 60
    while bytecode_first._pending:
        call()
        assert time.monotonic() < end
        time.sleep(0.01)


def end_children() -> None:
    for child in tuple(background.children):
        child.kill()
        child.wait()


def stay(monkeypatch: pytest.MonkeyPatch, program: str = ASLEEP) -> None:
    """Let the other process do that instead."""
    monkeypatch.setattr(background, "_CHILD", program)


def code_of(robot: sv.Robot) -> bytecode_first.BytecodeFunction:
    code = robot.kernel("forward_dynamics").executable("float64").scalar()
    assert isinstance(code, bytecode_first.BytecodeFunction)
    return code


def test_compiled_code_arrives_with_the_same_bits(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = twin(robot, monkeypatch)
    expected = reference.forward_dynamics(Q, Q, Q)
    before = build.compilations
    calls = [robot.forward_dynamics(Q, Q, Q)]
    code = code_of(robot)
    (child,) = background.children
    assert not code.is_compiled and os.getsid(child.pid) != os.getsid(0)  # Ctrl-C does not reach it
    until_settled(lambda: calls.append(robot.forward_dynamics(Q, Q, Q)))
    assert code.is_compiled and build.compilations <= before + 2  # the machine and the call stub at most
    calls += [robot.forward_dynamics(Q, Q, Q) for _ in range(3)]
    assert all(np.array_equal(x, expected) for x in calls)
    child.wait()
    robot.kernel("forward_dynamics").call(Q, Q, Q)
    assert background.children == [] and not [*cache.directory().joinpath(cache.UNFINISHED).iterdir()]
    entry = robot.kernel("forward_dynamics").executable("float64").entry()
    assert entry.kernel is code  # call stubs may have it now


def test_batches_and_rollouts(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = twin(robot, monkeypatch)
    states = np.random.default_rng(0).normal(size=(40, 2))
    for dtype in ("float64", "float32"):
        x = states.astype(dtype)
        expected = reference.kernel("forward_dynamics").call(x, x, x)

        def batch(x: np.ndarray = x, expected: np.ndarray = expected) -> None:
            assert np.array_equal(robot.forward_dynamics(x, x, x), expected)

        monkeypatch.setattr(bytecode_first, "_next_check", np.inf)  # as if it came late
        batch()
        assert bytecode_first._pending
        monkeypatch.setattr(bytecode_first, "_next_check", 0.0)
        if dtype == "float64":
            until_settled(batch)
        else:  # as handlers of XLA, whose calls never come by Python
            robot.kernel("forward_dynamics").executable(dtype).make_ready()
        assert not bytecode_first._pending
        batch()
    tau = np.zeros((30, 2))
    expected_path = reference.rollout(states, states, tau, 1e-3)

    def path() -> None:
        found = robot.rollout(states, states, tau, 1e-3)
        assert np.array_equal(found.q, expected_path.q) and np.array_equal(found.v, expected_path.v)

    monkeypatch.setattr(bytecode_first, "_next_check", np.inf)
    path()
    assert bytecode_first._pending
    monkeypatch.setattr(bytecode_first, "_next_check", 0.0)
    until_settled(path)
    path()


def test_a_long_batch_switches_to_compiled_code_on_its_way(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = twin(robot, monkeypatch)
    stay(monkeypatch)
    x = np.random.default_rng(0).normal(size=(4000, 2))
    expected = reference.forward_dynamics(x, x, x)
    robot.forward_dynamics(x[:8], x[:8], x[:8])
    body = robot.kernel("forward_dynamics").executable("float64").batch().body
    monkeypatch.setattr(threads, "WORK_PER_SLICE", 1)
    seen, check = [], bytecode_first._Pending.check

    def later(self: bytecode_first._Pending, called: Sequence[build.Code]) -> None:
        seen.append(body.slowdown)
        if len(seen) == 50:
            background.children[0].kill()
            background.children[0].wait()
        check(self, called)

    monkeypatch.setattr(bytecode_first._Pending, "check", later)
    before = sv.set_threads(3)
    try:
        assert np.array_equal(robot.forward_dynamics(x, x, x), expected)
    finally:
        sv.set_threads(before)
    assert len(seen) >= 50 and body.slowdown == 1


@pytest.mark.parametrize("end", ["killed", "failed"])
def test_a_process_that_fails_is_replaced_by_this_one(
    end: str, robot: sv.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = twin(robot, monkeypatch).forward_dynamics(Q, Q, Q)
    stay(monkeypatch, ASLEEP if end == "killed" else FAILS)
    monkeypatch.setattr(bytecode_first, "_next_check", np.inf)  # it may fail before this call ends
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
    monkeypatch.setattr(bytecode_first, "_next_check", 0.0)
    code, (child,) = code_of(robot), background.children
    if end == "killed":
        for _ in range(5):
            assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
        assert not code.is_compiled
        child.kill()
    child.wait()
    before = build.compilations
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
    assert code.is_compiled and build.compilations == before + 1 and not bytecode_first._pending
    assert not [*cache.directory().joinpath(cache.UNFINISHED).iterdir()]
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)


BUSY = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer)\n"
    "from sixvec.compiler import background, child_limits\n"
    "child_limits.LONGEST, child_limits.ALONE = {longest}, {alone}\n"
    "background.CompileJob.compile = lambda job: [None for forever in iter(int, 1)]\n"
    "child_limits.limit(int(sys.argv[1])); background.main()"
)
"""A compilation without end."""


def test_what_takes_too_long_stays_bytecode(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = twin(robot, monkeypatch).forward_dynamics(Q, Q, Q)
    stay(monkeypatch, BUSY.format(longest=1, alone=100))
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
    (child,) = background.children
    assert child.wait(60) == child_limits.TOO_LONG
    before = build.compilations
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
    assert not code_of(robot).is_compiled and build.compilations == before and not bytecode_first._pending
    assert bytecode_first.when_ready(code_of(robot)).slowdown > 1
    assert [f.suffix for f in cache.directory().joinpath(cache.UNFINISHED).iterdir()] == [".tried"]


def test_others_who_wait_do_not_compile_what_takes_too_long(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = twin(robot, monkeypatch).forward_dynamics(Q, Q, Q)
    stay(monkeypatch)
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
    (pending,) = bytecode_first._pending
    pending.job.give_up(child_limits.allowed())  # as its process would, if it were another's
    end_children()
    background.children.clear()
    before = build.compilations
    assert np.array_equal(robot.forward_dynamics(Q, Q, Q), expected)
    assert not code_of(robot).is_compiled and build.compilations == before and not bytecode_first._pending


def test_less_time_than_ours_was_not_enough(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    stay(monkeypatch)
    robot.forward_dynamics(Q, Q, Q)
    (pending,), (child,) = bytecode_first._pending, background.children
    pending.job.give_up(child_limits.allowed() - 1)
    end_children()
    before = build.compilations
    robot.forward_dynamics(Q, Q, Q)
    assert [each.is_begun for each in bytecode_first._pending] == [True] and build.compilations == before
    assert background.children != [child]  # another process tries with more


@pytest.mark.parametrize(("soft", "hard", "seconds"), [(-1, -1, 600), (-1, 100, 99), (50, 100, 50), (700, 900, 600)])
def test_limits_of_others_come_later(soft: int, hard: int, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = SimpleNamespace(RLIM_INFINITY=-1, RLIMIT_CPU=0, getrlimit=lambda which: (soft, hard))
    monkeypatch.setattr(child_limits, "resource", limits)
    assert child_limits.allowed() == seconds


def test_a_process_with_little_time_says_so_before_it_is_killed(
    robot: sv.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay(
        monkeypatch,
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (3, 3))\n" + BUSY.format(longest=9, alone=9),
    )
    robot.forward_dynamics(Q, Q, Q)
    (pending,), (child,) = bytecode_first._pending, background.children
    assert child.wait(60) == child_limits.TOO_LONG and pending.job.tried() == 2


def test_a_process_ends_soon_after_its_parent(tmp_path: Path) -> None:
    code = f"""
import sys, sixvec, numpy
from sixvec.compiler import background, bytecode_first
bytecode_first.LONG, background._CHILD = 0, {BUSY.format(longest=100, alone=1)!r}
sixvec.load("planar_2r").forward_dynamics(*numpy.ones((3, 2)))
print(background.children[0].pid)
"""
    wait_until_settled(Path(sv.__path__[0]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    end = time.monotonic() + 60
    while is_alive(int(done.stdout)):
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    """Whether a process of this user runs; one that ended may still wait for a parent to notice."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (OSError, IndexError):
        return False


def test_no_other_kernel_compiles_it_or_gets_its_error(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    stay(monkeypatch)
    robot.forward_dynamics(Q, Q, Q)
    end_children()
    monkeypatch.setenv(background.SWITCH, "off")
    other = sv.Robot(robot.model)
    expected = other.kernel("inverse_dynamics").call(Q, Q, Q)
    attempts = []

    def raise_or_note(self: background.CompileJob) -> None:
        attempts.append(self)
        raise sv.SixvecError("cannot be compiled")

    monkeypatch.setattr(background.CompileJob, "compile", raise_or_note)
    for _ in range(2):
        for _ in range(3):
            assert np.array_equal(other.kernel("inverse_dynamics").call(Q, Q, Q), expected)
            other.kernel("inverse_dynamics").call(np.tile(Q, (40, 1)), Q, Q)
        assert len(attempts) == 1 - len(bytecode_first._pending)
        with pytest.raises(sv.SixvecError, match="cannot be compiled"):
            robot.forward_dynamics(Q, Q, Q)
        assert len(attempts) == 1 and not bytecode_first._pending


def test_what_cannot_be_loaded_is_an_error_of_its_own_function(
    robot: sv.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay(monkeypatch)
    robot.forward_dynamics(Q, Q, Q)
    monkeypatch.setattr(background.CompileJob, "is_claimed", lambda self: False)
    monkeypatch.setattr(background.CompileJob, "stored", lambda self: 1 / 0)
    bytecode_first.poll()
    assert not bytecode_first._pending
    with pytest.raises(ZeroDivisionError):
        robot.forward_dynamics(Q, Q, Q)


def test_stages_of_a_step_are_compiled_by_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    stay(monkeypatch)
    shift = np.random.default_rng().normal()  # unlike all others
    x, y = Port("x", ()), Port("y", ())
    first = CompiledFunction(lambda x: x + shift, (x,), (y,))
    last = CompiledFunction(lambda y: y * 0.5, (y,), (x,))
    stages = [Stage(first, ("x",), ("y",)), Stage(last, ("y",), ("z",))]
    loop = Iterated(Staged("halves", (x,), (Port("z", ()),), stages), 3, 1)
    expected = loop.call(1.0)
    assert len(bytecode_first._pending) == 2
    end_children()
    assert loop.call(1.0) == expected and not bytecode_first._pending


@pytest.mark.parametrize("problem", [OSError("no more processes"), ValueError("an embedded null byte")])
def test_where_no_process_can_be_started_it_is_compiled_at_once(
    problem: Exception, robot: sv.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_or_note(*args: object, **options: object) -> None:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", raise_or_note)
        robot.forward_dynamics(Q, Q, Q)
    assert code_of(robot).is_compiled and not bytecode_first._pending


def test_where_nothing_may_be_ordered_it_is_compiled_at_once(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:

    def can_be_ordered() -> bool:
        program = robot.kernel("inverse_dynamics").program
        return background.compile_job(program, "", bytecode_first.Lanes(1, "float64"), False) is not None

    assert can_be_ordered()
    for module, name, value in (
        (sys, "executable", ""),
        (sys, "executable", "/opt/studio"),
        (sys, "frozen", True),
        (os, "name", "nt"),
        (cache, "writable", lambda: None),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value, raising=False)
            assert not can_be_ordered()
    monkeypatch.setenv(background.SWITCH, "off")
    assert not can_be_ordered()
    robot.inverse_dynamics(Q, Q, Q)
    assert not isinstance(
        robot.kernel("inverse_dynamics").executable("float64").scalar(), bytecode_first.BytecodeFunction
    )


def test_the_process_imports_nothing_from_the_working_directory(
    robot: sv.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("pickle", "secrets"):  # both are imported here already
        here.joinpath(f"{name}.py").write_text(f"open({str(here / 'imported')!r}, 'w'); raise SystemExit(1)")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONPATH", str(here))
    monkeypatch.setattr(sys, "path", ["", ".", *sys.path, lambda: "a hook's entry"])
    robot.forward_dynamics(Q, Q, Q)
    (child,) = background.children
    assert child.wait() == 0 and not here.joinpath("imported").exists()
    before = build.compilations
    robot.forward_dynamics(Q, Q, Q)
    assert code_of(robot).is_compiled and build.compilations == before


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_the_process_does_not_recreate_a_folder(
    when: str, robot: sv.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = lowered(robot.kernel("inverse_dynamics").program, "float64")
    job = background.compile_job(program, "folder", bytecode_first.Lanes(1, "float64"), False)
    assert job is not None and job.folder.is_dir()
    make = background.build

    def removed(*args: object) -> object:
        shutil.rmtree(job.folder)
        cache._usable.cache_clear()
        return make(*args)

    if when == "before":
        removed(program, job.lanes)
    monkeypatch.setattr(background, "build", removed)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(pickle.dumps(job))))
    try:
        background.main()
    finally:
        gc.enable()
    assert not job.folder.exists()


def test_one_process_for_all_who_want_the_same(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    stay(monkeypatch)
    other = sv.Robot(robot.model)
    first = robot.forward_dynamics(Q, Q, Q)
    assert np.array_equal(other.forward_dynamics(Q, Q, Q), first)
    assert len(background.children) == 1 and len(bytecode_first._pending) == 2
    job = bytecode_first._pending[0].job
    with bytecode_first.building:
        assert claim.claimed(job.folder, job.key) is None  # neither can another process


def test_few_processes_at_a_time(robot: sv.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    stay(monkeypatch)
    monkeypatch.setattr(bytecode_first, "MOST_CHILDREN", 1)
    first, second = robot.kernel("forward_dynamics"), robot.kernel("inverse_dynamics")
    first.call(Q, Q, Q)
    second.call(Q, Q, Q)
    assert len(background.children) == 1 and [each.is_begun for each in bytecode_first._pending] == [True, False]
    (child,) = background.children
    child.kill()
    child.wait()
    second.call(Q, Q, Q)
    assert [each.is_begun for each in bytecode_first._pending] == [True, True] and background.children != [child]
    first.call(Q, Q, Q)
    assert [each.is_begun for each in bytecode_first._pending] == [True]  # the first was compiled by its own call


def test_code_of_a_kernel_that_is_gone_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    stay(monkeypatch)
    robot = sv.load("planar_2r")
    robot.forward_dynamics(Q, Q, Q)
    code = weakref.ref(code_of(robot))
    copy = pickle.loads(pickle.dumps(robot.kernel("forward_dynamics")))
    assert np.array_equal(copy.call(Q, Q, Q), robot.forward_dynamics(Q, Q, Q))
    gc.disable()
    try:
        robot.forward_dynamics(np.tile(Q, (9, 1)), Q, Q)
        del robot, copy
        assert code() is None
    finally:
        gc.enable()
    bytecode_first.poll()
    assert not bytecode_first._pending


SCRIPT = """
import os, sys, time
import numpy as np, sixvec as sv
from sixvec.compiler import background, bytecode_first
bytecode_first.LONG, bytecode_first._next_check = 0, np.inf
robot, q = sv.load("planar_2r"), np.ones(2)
first = robot.forward_dynamics(q, q, q)
assert bytecode_first._pending
bytecode_first._next_check = 0.0
"""

FORK = """
if child := os.fork():
    _, status = os.waitpid(child, 0)
    assert status == 0, status
end = time.monotonic() + 60
while bytecode_first._pending and time.monotonic() < end:
    assert np.array_equal(robot.forward_dynamics(q, q, q), first)
    time.sleep(0.01)
assert not bytecode_first._pending and np.array_equal(robot.forward_dynamics(q, q, q), first)
"""


CTRL_C = """
import signal
try:
    os.killpg(0, signal.SIGINT)
    time.sleep(10)
    sys.exit(1)
except KeyboardInterrupt:
    pass
"""


@pytest.mark.parametrize("then", [CTRL_C, FORK], ids=["interrupt", "fork"])
def test_the_parent_may_be_interrupted_exit_or_fork_meanwhile(then: str) -> None:
    wait_until_settled(Path(sv.__file__).parent)
    command = [sys.executable, "-W", "default", "-c", SCRIPT + then]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    folder, end = cache.directory(), time.monotonic() + 60
    while [*folder.joinpath(cache.UNFINISHED).iterdir()]:
        assert time.monotonic() < end
        time.sleep(0.05)
    again = SCRIPT.replace("assert bytecode_first._pending", "assert not bytecode_first._pending")
    subprocess.run([sys.executable, "-c", again], check=True)
