"""What a program may do to the library at the worst moment; each scenario lasts as long as it is told.

python tests/stress/scenarios.py interrupts 60
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np

import sixvec as sv
from sixvec.compiler import threads
from sixvec.spatial import Vec3

SCENARIOS: dict[str, Callable[[float], None]] = {}
RNG = np.random.default_rng(0)


def scenario(function: Callable[[float], None]) -> Callable[[float], None]:
    SCENARIOS[function.__name__] = function
    return function


def until(seconds: float, least: int = 1):
    """Numbers, as long as the time lasts, but at least so many."""
    end, i = time.monotonic() + seconds, 0
    while i < least or time.monotonic() < end:
        yield i
        i += 1


def in_threads(*works: Callable[[], None]) -> None:
    """All of them at once; the first error is raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for job in [pool.submit(work) for work in works]:
            job.result()


def resident() -> int:
    """Bytes of memory in use, 0 where they are not told."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") if told.exists() else 0


def assert_nothing_kept(before: tracemalloc.Snapshot, times: int) -> None:
    """No line has kept an object for each of so many repetitions; tables of the interpreter may have grown once."""
    gc.collect()
    grown = tracemalloc.take_snapshot().compare_to(before, "lineno")
    kept = [str(s) for s in grown if s.count_diff >= times / 2 and "tracemalloc" not in str(s)]
    assert not kept, "\n".join(kept)


@scenario
def interrupts(seconds: float) -> None:
    """Ctrl-C in batches, rollouts and inverse kinematics: KeyboardInterrupt within a second, and all goes on."""
    sv.set_threads(4)
    robot = sv.load("panda")
    Q = robot.random(0, 60_000)
    small = Q[:50]
    poses = robot.pose(Q[:4000], "panda_link8")
    expected = robot.inverse_dynamics_derivatives(small, small, small)
    zeros = np.zeros((40_000, 7))
    works = {
        "derivatives": lambda: robot.inverse_dynamics_derivatives(Q, Q, Q),
        "one rollout": lambda: robot.rollout(Q[0], zeros[0], zeros, 1e-4),
        "many rollouts": lambda: robot.rollout(Q[:400], zeros[0], zeros[:1500], 1e-4),
        "ik": lambda: robot.ik(poses, "panda_link8"),
    }
    for work in works.values():
        work()  # compiled
    hit = dict.fromkeys(works, 0)
    late: list[tuple[float, str]] = []
    for i in until(seconds, least=40):
        name = [*works][i % len(works)]
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(float(RNG.uniform(0.0, 0.06)), interrupt)
        try:
            timer.start()
            for _ in range(1000):
                works[name]()
        except KeyboardInterrupt:
            late.append((time.monotonic() - sent[0], name))
            hit[name] += 1
        timer.join()
        found = robot.inverse_dynamics_derivatives(small, small, small)
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    assert min(hit.values()) > 0, hit
    slow = [entry for entry in sorted(late) if entry[0] > 1.0]  # a busy machine may hold one up
    assert len(slow) <= len(late) // 20 and all(seconds < 5.0 for seconds, _ in slow), slow


@scenario
def interrupted_compilers(seconds: float) -> None:
    """Ctrl-C at any moment of a compilation: KeyboardInterrupt, not a line about an ignored exception."""
    model = sv.load("panda").model
    ignored: list[object] = []
    sys.unraisablehook = lambda problem: ignored.append((problem.exc_type, problem.object))
    expected = sv.Robot(model).gravity_forces(np.zeros(7))
    start = time.monotonic()
    sv.Robot(model.with_gravity(Vec3(0.0, 0.0, -1.0))).gravity_forces(np.zeros(7))
    usual, hit = time.monotonic() - start, 0
    for i in until(seconds, least=40):
        robot = sv.Robot(model.with_gravity(Vec3(0.1 * i, 0.0, -9.0)))  # not in the cache
        delay = float(RNG.uniform(0.0, usual))
        timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
        compiled = False
        try:
            timer.start()
            robot.gravity_forces(np.zeros(7))
            compiled = True
            timer.join()
            time.sleep(1.0)
            raise AssertionError("the interrupt was lost")
        except KeyboardInterrupt:
            hit += not compiled
        timer.join()
        assert not ignored, ignored
    assert hit > 0
    assert np.array_equal(sv.Robot(model).gravity_forces(np.zeros(7)), expected)


@scenario
def handlers(seconds: float) -> None:
    """Signal handlers and finalizers that use the robot while the thread that they interrupt uses it."""
    sv.set_threads(3)
    robot = sv.load("panda")
    Q, tau = robot.random(0, 60_000), np.zeros((3000, 7))
    expected = robot.inverse_dynamics(Q, Q, Q), robot.rollout(Q[:40], 0.1 * Q[0], tau, 1e-4).q
    wrong: list[str] = []

    def use(*_: object) -> None:
        if not np.array_equal(robot.inverse_dynamics(Q, Q, Q), expected[0]):
            wrong.append("batch in a handler")
        if not np.array_equal(robot.rollout(Q[:40], 0.1 * Q[0], tau, 1e-4).q, expected[1]):
            wrong.append("rollout in a handler")

    class Finalizer:
        def __del__(self) -> None:
            if not np.array_equal(robot.inverse_dynamics(Q, Q, Q), expected[0]):
                wrong.append("batch in a finalizer")

    signal.signal(signal.SIGALRM, use)
    for i in until(seconds, least=20):
        signal.setitimer(signal.ITIMER_REAL, float(RNG.uniform(0.001, 0.03)))
        circle = Finalizer()
        circle.self = circle
        del circle
        gc.set_threshold(1 + i % 50)
        assert np.array_equal(robot.inverse_dynamics(Q, Q, Q), expected[0])
        assert np.array_equal(robot.rollout(Q[:40], 0.1 * Q[0], tau, 1e-4).q, expected[1])
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    assert not wrong, wrong


@scenario
def forks_in_handlers(seconds: float) -> None:
    """A handler that forks in the middle of a batch: the child ends the batch, too, with the same answer."""
    sv.set_threads(3)
    robot = sv.load("panda")
    Q = robot.random(0, 200_000)
    expected = robot.inverse_dynamics(Q, Q, Q)
    parent, children = os.getpid(), []

    def fork(*_: object) -> None:
        child = os.fork()
        if child:
            children.append(child)
        else:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(60)

    # A timer of the system: starting a thread waits for it, and a child forked during that wait would hang in Python.
    signal.signal(signal.SIGALRM, fork)
    for _ in until(seconds, least=3):
        signal.setitimer(signal.ITIMER_REAL, float(RNG.uniform(0.001, 0.02)))
        same = all(np.array_equal(robot.inverse_dynamics(Q, Q, Q), expected) for _ in range(3))
        signal.setitimer(signal.ITIMER_REAL, 0.0)  # a child of a later timer would set its own, in the next round
        if os.getpid() != parent:
            os._exit(0 if same else 1)
        assert same
        while children:
            _, status = os.waitpid(children.pop(), 0)
            assert status == 0, f"a child ended with status {status}"
    signal.setitimer(signal.ITIMER_REAL, 0.0)


@scenario
def no_threads(seconds: float) -> None:
    """No thread can be started: the work is done all the same."""
    robot = sv.load("panda")
    Q = robot.random(0, 60_000)
    sv.set_threads(1)
    expected = robot.inverse_dynamics(Q, Q, Q)
    start, count = threading.Thread.start, [0]

    def raise_or_note(self: threading.Thread) -> None:
        count[0] += 1
        if count[0] % 3:
            raise RuntimeError("can't start new thread")
        start(self)

    threading.Thread.start = raise_or_note  # type: ignore[method-assign]
    memory = resident()
    for i in until(seconds, least=20):
        sv.set_threads(2 + i % 7)
        assert np.array_equal(robot.inverse_dynamics(Q, Q, Q), expected)
    assert resident() < memory + 100 * 2**20, "work that nobody did is kept"
    assert count[0] > 3


@scenario
def switching(seconds: float) -> None:
    """Many threads at one method with other options, arrays and `out=`, switched after every microsecond."""
    sys.setswitchinterval(1e-6)
    robot = sv.load("panda")
    Q = robot.random(0, 64)
    cases = [(f"panda_link{k}", r) for k in (2, 4, 6, 8) for r in ("local", "world")]
    expected = {c: sv.load("panda").kernel("jacobian", frame=c[0], reference=c[1]).call(Q) for c in cases}

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        out, outs = np.empty((6, 7)), np.empty((64, 6, 7))
        for _ in until(seconds):
            case = cases[rng.integers(len(cases))]
            i = int(rng.integers(64))
            match rng.integers(5):
                case 0:
                    good = np.array_equal(robot.jacobian(Q[i], *case), expected[case][i])
                case 1:
                    good = np.array_equal(robot.jacobian(Q, case[0], reference=case[1]), expected[case])
                case 2:
                    good = np.array_equal(robot.jacobian(Q[i], *case, out=out), expected[case][i])
                case 3:
                    good = np.array_equal(robot.jacobian(Q, *case, out=outs), expected[case])
                case _:
                    kernel = robot.kernel("jacobian", frame=case[0], reference=case[1])
                    good = np.array_equal(kernel(Q), expected[case])
            assert good, case

    in_threads(*(lambda s=s: work(s) for s in range(8)))


@scenario
def two_doors(seconds: float) -> None:
    """A method and its kernel, called from two threads, share machine code but never tiles."""
    robot = sv.load("panda")
    kernel = robot.kernel("jacobian", frame="panda_link8")
    batches = [robot.random(seed, 900) for seed in range(2)]
    expected = [kernel.call(q) for q in batches]

    def work(call: Callable, k: int) -> None:
        for _ in until(seconds):
            assert np.array_equal(call(batches[k]), expected[k])

    in_threads(lambda: work(lambda q: robot.jacobian(q, "panda_link8"), 0), lambda: work(kernel, 1))


@scenario
def forks(seconds: float) -> None:
    """Children forked while other threads compile and run batches can compile and run batches, too."""
    sv.set_threads(2)
    model = sv.load("panda").model
    Q = sv.load("panda").random(0, 30_000)
    counter = iter(range(10**9))

    def fresh() -> sv.Robot:
        """A robot that nobody has compiled before."""
        return sv.Robot(model.with_gravity(Vec3(0.0, os.getpid() * 1e-6, -9.81 + next(counter) * 1e-3)))

    stop = threading.Event()

    def compile_and_run() -> None:
        while not stop.is_set():
            fresh().gravity_forces(Q)

    workers = [threading.Thread(target=compile_and_run) for _ in range(2)]
    for w in workers:
        w.start()
    try:
        for _ in until(seconds, least=4):
            child = os.fork()
            if child == 0:
                faulthandler.register(signal.SIGALRM, all_threads=True, chain=True)
                signal.alarm(30)  # a child that waits for ever says where and is killed, which the parent sees
                ok = np.isfinite(fresh().gravity_forces(Q)).all()
                os._exit(0 if ok else 1)
            _, status = os.waitpid(child, 0)
            assert status == 0, f"a child ended with status {status}"
    finally:
        stop.set()
        for w in workers:
            w.join()


@scenario
def bytecode_first(seconds: float) -> None:
    """Bytecode gives way to best code while batches run, processes fork, and those that compile are killed."""
    from sixvec.compiler import background, bytecode_first

    os.environ[background.SWITCH] = "on"
    bytecode_first.LONG = 0
    sv.set_threads(2)
    model = sv.load("planar_2r").model
    Q = RNG.normal(size=(3000, 2))
    tau = np.zeros((50, 2))

    def use(robot: sv.Robot, times: int) -> None:
        first = robot.forward_dynamics(Q, Q, Q), robot.rollout(Q[:20], Q[:20], tau, 1e-3).q
        for _ in range(times):
            i = int(RNG.integers(len(Q)))
            assert np.array_equal(robot.forward_dynamics(Q, Q, Q), first[0])
            assert np.array_equal(robot.forward_dynamics(Q[i], Q[i], Q[i]), first[0][i])
            assert np.array_equal(robot.rollout(Q[:20], Q[:20], tau, 1e-3).q, first[1])

    def disturb() -> None:
        for _ in until(seconds):
            time.sleep(float(RNG.uniform(0.0, 0.3)))
            for child in tuple(background.children):
                if RNG.random() < 0.3:
                    child.kill()

    def work() -> None:
        for i in until(seconds, least=2):
            robot = sv.Robot(model.with_gravity(Vec3(0.0, RNG.normal(), -9.81)))
            use(robot, 40)
            if i % 2 == 0:
                child = os.fork()
                if child == 0:
                    faulthandler.register(signal.SIGALRM, all_threads=True, chain=True)
                    signal.alarm(60)
                    use(robot, 40)
                    os._exit(0)
                _, status = os.waitpid(child, 0)
                assert status == 0, f"a child ended with status {status}"

    in_threads(work, work, disturb)
    for child in tuple(background.children):
        child.kill()
        child.wait()


@scenario
def cycles(seconds: float) -> None:
    """Objects that die in a circle with a robot whose method they hold."""
    model = sv.load("planar_2r").model
    q = np.zeros(2)

    class Holder:
        pass

    for i in until(seconds, least=200):
        holder = Holder()
        holder.robot = sv.Robot(model)
        holder.method, holder.self = holder.robot.mass_matrix, holder
        holder.robot.holder = holder
        holder.kernel = holder.robot.kernel("jacobian", frame="tip")
        holder.method(q), holder.kernel(q), holder.method(q)
        del holder
        if i % 5 == 0:
            gc.collect()


@scenario
def dropped(seconds: float) -> None:
    """Machine code goes with the last thing that can call it, without the help of the garbage collector."""
    if not Path("/proc/self/maps").exists():
        return
    model = sv.load("planar_2r").model
    q = np.zeros(2)

    def maps() -> int:
        return Path("/proc/self/maps").read_text().count("\n")

    def one() -> None:
        robot = sv.Robot(model)
        robot.mass_matrix(q)
        robot.mass_matrix(np.zeros((5, 2)))
        robot.kernel("jacobian", frame="tip")(q)

    gc.disable()
    for _ in range(30):
        one()
    gc.collect()
    mapped, memory = maps(), resident()
    for i in until(seconds, least=300):
        one()
        if i % 50 == 49:
            gc.collect()  # traced graphs are circles
            assert maps() < mapped + 60, f"{maps() - mapped} mappings more after {i} robots"
    assert resident() < memory + 40 * 2**20, f"{(resident() - memory) / 2**20:.0f} MiB more"


@scenario
def leaks(seconds: float) -> None:
    """Calls, good and bad, keep no memory and no references."""
    robot = sv.load("panda")
    q, Q = robot.neutral(), robot.random(0, 20)
    name = "panda_link8"

    def once() -> None:
        robot.inverse_dynamics(q, q, q)
        robot.inverse_dynamics(Q, Q, Q)
        robot.inverse_dynamics_derivatives(q, q, q)
        robot.inverse_dynamics_derivatives(Q, Q, Q)
        robot.kinetic_energy(q, q)
        robot.jacobian(q, name, reference="local")
        robot.jacobian(q, name)
        for bad in (Q[:, :6], "q", None):
            with suppress(sv.SixvecError, TypeError):
                robot.inverse_dynamics(bad, q, q)

    for _ in range(200):
        once()
    gc.collect()
    tracemalloc.start()
    before, references = tracemalloc.take_snapshot(), [sys.getrefcount(x) for x in (q, Q, name)]
    for _ in until(seconds, least=500):
        once()
    gc.collect()
    assert [sys.getrefcount(x) for x in (q, Q, name)] == references
    assert_nothing_kept(before, 500)


@scenario
def no_memory(seconds: float) -> None:
    """When the second of three results cannot be allocated, the first one goes back."""
    try:
        import resource
    except ImportError:
        return
    sv.set_threads(1)
    robot = sv.load("panda")
    Q = robot.random(0, 60_000)
    few = Q[:2000]
    for _ in range(2):
        robot.inverse_dynamics_derivatives(few, few, few)
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    failed = 0
    for _ in until(seconds, least=30):
        for rows in (few, Q):
            room = int(rows.shape[0] * 49 * 8 * 1.5) + 2**20
            resource.setrlimit(resource.RLIMIT_AS, (size + room, resource.RLIM_INFINITY))
            try:
                robot.inverse_dynamics_derivatives(rows, rows, rows)
            except MemoryError:
                failed += 1
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert failed
    assert_nothing_kept(before, failed)


@scenario
def thread_counts(seconds: float) -> None:
    """The number of threads changes while others make kernels and run batches."""
    model = sv.load("planar_2r").model
    Q = np.zeros((3000, 2))

    def change() -> None:
        for i in until(seconds):
            sv.set_threads(1 + i % 5)

    def make() -> None:
        for _ in until(seconds):
            assert np.isfinite(sv.Robot(model).mass_matrix(Q)).all()

    in_threads(change, make, make, make)


@scenario
def tiny_slices(seconds: float) -> None:
    """Batches cut into slices of a few rows, handed to threads in any order, have the bits of one call."""
    robot = sv.load("panda")
    Q = robot.random(0, 500)
    tau = np.zeros((40, 7))
    sv.set_threads(1)
    expected = robot.inverse_dynamics(Q, Q, Q), robot.rollout(Q, 0.1 * Q, tau, 1e-3).q
    threads.WORK_PER_THREAD, threads.WORK_PER_SLICE = 2000, 6000
    sv.set_threads(6)
    for _ in until(seconds):
        assert np.array_equal(robot.inverse_dynamics(Q, Q, Q), expected[0])
        assert np.array_equal(robot.rollout(Q, 0.1 * Q, tau, 1e-3).q, expected[1])


@scenario
def worker_processes(seconds: float) -> None:
    """Used robots, methods, kernels and results travel to processes that start anew, and find their code on disk."""
    import pickle

    robot = sv.load("panda")
    q = robot.random(0, 10)
    things = (robot, robot.mass_matrix, robot.kernel("mass_matrix"), robot.inverse_dynamics_derivatives(q, q, q))
    expected = robot.mass_matrix(q)
    code = """
import pickle, sys
from sixvec.compiler import build
robot, method, kernel, result = pickle.load(sys.stdin.buffer)
q = pickle.load(sys.stdin.buffer)
answers = [robot.mass_matrix(q), method(q), kernel(q), robot.inverse_dynamics_derivatives(q, q, q).dq - result.dq]
assert build.compilations == 0, build.compilations
pickle.dump(answers, sys.stdout.buffer)
"""
    for _ in until(seconds):
        sent = pickle.dumps(things) + pickle.dumps(q)
        back = subprocess.run([sys.executable, "-c", code], input=sent, stdout=subprocess.PIPE, check=True).stdout
        one, two, three, four = pickle.loads(back)
        assert all(np.array_equal(x, expected) for x in (one, two, three))
        assert not four.any()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of a shell's background inherit that it is ignored
    SCENARIOS[sys.argv[1]](float(sys.argv[2]))
