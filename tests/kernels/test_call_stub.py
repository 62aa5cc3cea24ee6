"""The machine-code call stub gives the answers of the Python path, to the bit, and never one it should not give."""

from __future__ import annotations

import gc
import inspect
import sys

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler import executable
from sixvec.compiler.runtime import call_stub
from sixvec.kernels import method

pytestmark = pytest.mark.skipif(not call_stub.available(), reason="this interpreter has another object layout")


@pytest.fixture
def panda() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(20, 7)) for _ in range(3))


def test_single_and_batch(panda, states) -> None:
    kernel = panda.kernel("inverse_dynamics")
    for _ in range(3):
        assert np.array_equal(panda.inverse_dynamics(*states), kernel(*states))
        for i in range(5):
            row = [x[i] for x in states]
            assert np.array_equal(panda.inverse_dynamics(*row), kernel(*row))


def test_out(panda, states) -> None:
    kernel = panda.kernel("mass_matrix")
    q = states[0]
    batch, single = np.zeros((20, 7, 7)), np.zeros((7, 7))
    for i in range(5):
        assert panda.mass_matrix(q, out=batch) is batch
        assert panda.mass_matrix(q[i], out=single) is single
        assert np.array_equal(batch, kernel(q))
        assert np.array_equal(single, kernel(q[i]))
        batch[:], single[:] = 0.0, 0.0
    references = sys.getrefcount(batch)
    panda.mass_matrix(q, out=batch)
    assert sys.getrefcount(batch) == references
    number = np.zeros(())
    for _ in range(3):
        assert panda.kinetic_energy(q[0], q[1], out=number) is number
    assert number == panda.kinetic_energy(q[0], q[1])


@pytest.mark.parametrize("bad", [
    np.zeros((20, 6)), np.zeros((21, 7)), np.zeros(7), np.zeros((20, 7), np.float32), [0.0] * 7, "out"
], ids=lambda x: getattr(x, "shape", "x"))  # fmt: skip
def test_a_wrong_out_raises(panda, states, bad) -> None:
    out = np.zeros((20, 7))
    for _ in range(2):
        panda.gravity_forces(states[0], out=out)
    with pytest.raises(ValueError, match="out"):
        panda.gravity_forces(states[0], out=bad)


def test_out_that_is_an_input(panda, states) -> None:
    q, v, _ = states
    out = np.zeros((20, 7))
    for _ in range(3):
        panda.integrate(q, v, out=out)
    expected = out.copy()
    aliased = q.copy()
    panda.integrate(aliased, v, out=aliased)
    assert np.array_equal(aliased, expected)
    long = np.concatenate([q, q])
    panda.integrate(long[:20], v, out=long[10:30])
    assert np.array_equal(long[10:30], expected)


def test_options_switch_the_kernel(panda, states) -> None:
    q = states[0][0]
    for _ in range(3):
        for frame in ("panda_link3", "panda_link8"):
            for reference in ("local", "world", "local_world_aligned"):
                expected = panda.kernel("jacobian", frame=frame, reference=reference)(q)
                assert np.array_equal(panda.jacobian(q, frame, reference), expected)
                assert np.array_equal(panda.jacobian(q, frame, reference=reference), expected)
                assert np.array_equal(panda.jacobian(q, reference=reference, frame=frame), expected)
                assert np.array_equal(panda.jacobian(q=q, frame=frame, reference=reference), expected)
            default = panda.kernel("jacobian", frame=frame)(q)
            assert np.array_equal(panda.jacobian(q, frame), default)


def test_equal_names_that_are_not_the_same_object(panda, states) -> None:
    q = states[0][0]
    expected = panda.pose(q, "panda_link8")
    for _ in range(5):
        assert np.array_equal(panda.pose(q, "".join(["panda", "_link8"])), expected)


def test_named_tuples(panda, states) -> None:
    row = [x[0] for x in states]
    first = panda.inverse_dynamics_derivatives(*row)
    again = panda.inverse_dynamics_derivatives(*row)
    assert type(first) is type(again)
    assert again._fields == ("dq", "dv", "da")
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("method", ["inverse_dynamics", "inverse_dynamics_derivatives", "kinetic_energy", "out"])
def test_the_second_call_does_not_reach_python(panda, states, method, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one output or several, into an array or not."""
    reached, python_path = [], call_stub.CallStub.__call__

    def counted(self, *args, **options):
        reached.append(args)
        return python_path(self, *args, **options)

    monkeypatch.setattr(call_stub.CallStub, "__call__", counted)
    row = [x[0] for x in states][: 2 if method == "kinetic_energy" else 3]
    options = {"out": np.empty(7)} if method == "out" else {}
    function = getattr(panda, "inverse_dynamics" if method == "out" else method)
    for _ in range(3):
        function(*row, **options)
    assert len(reached) == 1


def test_matrices_and_numbers_as_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sample or a batch of them, without Python; other shapes raise an error or are broadcast, as always."""
    reached, python_path = [], call_stub.CallStub.__call__

    def counted(self, *args, **options):
        reached.append(args)
        return python_path(self, *args, **options)

    monkeypatch.setattr(call_stub.CallStub, "__call__", counted)

    @sv.compiled("A[2,3] s x[3] -> y[2] z")
    def scaled(A, s, x):
        return [s * sum(a * b for a, b in zip(row, x, strict=True)) for row in A], s * x[0]

    rng = np.random.default_rng(1)
    A, s, x = rng.normal(size=(20, 2, 3)), rng.normal(size=20), rng.normal(size=(20, 3))
    for args in ((A, s, x), (A[0], s[0, ...], x[0]), (A[0], np.array(s[0]), x[0])):
        expected = scaled.call(*args)
        before = len(reached)
        for _ in range(3):
            found = scaled(*args)
            assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
        if all(type(each) is np.ndarray for each in args):
            assert len(reached) - before <= 1
    for bad in (np.zeros((20, 3, 2)), np.zeros((2, 2)), np.zeros((20, 2, 2)), np.zeros((19, 2, 3)), np.zeros(3)):
        scaled(A, s, x)
        with pytest.raises(sv.SixvecError):
            scaled(bad, s, x)
    shared = scaled(A, s, x[0])[0]
    assert np.allclose(shared, s[:, None] * (A @ x[0]))
    wide = scaled(A.reshape(4, 5, 2, 3), s.reshape(4, 5), x.reshape(4, 5, 3))[0]
    assert np.array_equal(wide.reshape(20, 2), scaled(A, s, x)[0])


def test_dictionaries_are_read_again_in_every_call(states, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may change between calls; keys and values count, and their order, which is that of the rows."""
    panda = sv.load("panda")
    reached, python_path = [], call_stub.CallStub.__call__

    def counted(self, *args, **options):
        reached.append(args)
        return python_path(self, *args, **options)

    monkeypatch.setattr(call_stub.CallStub, "__call__", counted)
    row = [x[0] for x in states]

    def call(hold):
        expected = panda.kernel("constrained_dynamics", hold=hold)(*row)
        before = len(reached)
        found = panda.constrained_dynamics(*row, hold=hold)
        assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
        return len(reached) > before

    hold = {"panda_link8": "point", "panda_link4": ("x",)}
    assert call(hold)
    assert not call(hold)
    assert not call(dict(hold))
    hold["panda_link4"] = ("z",)
    assert call(hold)
    hold["panda_link4"] = ("x",)
    assert call(hold)
    assert not call(hold)
    assert call({name: hold[name] for name in reversed(hold)})
    assert call({"panda_link8": "point"})
    assert call(hold)
    assert call({**hold, "panda_link2": ("x",)})
    assert call({})
    assert not call({})
    assert call(hold)
    with pytest.raises(sv.SixvecError):
        panda.constrained_dynamics(*row, hold=[*hold.items()])
    with pytest.raises(sv.SixvecError):
        panda.constrained_dynamics(*row, hold=tuple(x for pair in hold.items() for x in pair))


def test_a_dictionary_that_changes_while_its_kernel_is_compiled(states, monkeypatch) -> None:
    robot, row = sv.load("panda").with_gravity([0.0, 0.3, -9.0]), [x[0] for x in states]
    hold, build = {"panda_link8": ("x",)}, executable.build

    def interrupted(*args, **options):
        hold["panda_link8"] = ("y",)  # as another thread may
        return build(*args, **options)

    monkeypatch.setattr(executable, "build", interrupted)
    robot.constrained_dynamics(*row, hold=hold)
    monkeypatch.undo()
    fresh = {"panda_link8": ("y",)}
    found = robot.constrained_dynamics(*row, hold=fresh)
    assert np.array_equal(found.a, robot.kernel("constrained_dynamics", hold=fresh)(*row).a)


def test_numbers_come_as_numbers(panda, states) -> None:
    q, v = states[0][0], states[1][0]
    assert isinstance(panda.kinetic_energy(q, v), np.float64)
    assert isinstance(panda.kinetic_energy(q, v), np.float64)


def test_numbers_among_several_results(panda, states) -> None:
    """Made by the call stub as by Python: numbers, arrays and their tuple, which belongs to no one else."""
    kernel = panda.kernel("constrained_dynamics", hold={"panda_link8": "point"})
    row, batch = [x[0] for x in states], [x[:3] for x in states]
    by_python, *by_door = (kernel(*row) for _ in range(3))
    for r in by_door:
        assert type(r) is type(by_python)
        assert [type(x) for x in r] == [type(x) for x in by_python] == [np.ndarray, np.ndarray, np.float64]
        assert all(np.array_equal(x, y) for x, y in zip(r, by_python, strict=True))
        assert gc.is_tracked(r)
    assert [sys.getrefcount(x) for x in by_door[0]] == [sys.getrefcount(x) for x in by_python]
    assert [x.shape for x in kernel(*batch)] == [x.shape for x in kernel(*batch)] == [(3, 7), (3, 3), (3,)]
    kind = type(by_python)
    references = sys.getrefcount(kind)
    for _ in range(100):
        kernel(*row)
    assert sys.getrefcount(kind) == references


@pytest.mark.parametrize("bad", [
    np.zeros(6), np.zeros(8), np.zeros((2, 2, 6)), np.zeros(14)[::2][:6], "panda", ["a"] * 7, None,
    np.zeros(7, complex),    np.zeros(7, "datetime64[s]"), np.zeros(7, object),
], ids=repr)  # fmt: skip
def test_everything_else_takes_the_python_path(panda, states, bad) -> None:
    q, v, a = (x[0] for x in states)
    expected = panda.inverse_dynamics(q, v, a)
    with pytest.raises(sv.SixvecError):
        panda.inverse_dynamics(bad, v, a)
    assert np.array_equal(panda.inverse_dynamics(q, v, a), expected)


def test_harmless_variations(panda, states) -> None:
    q, v, a = (x[0] for x in states)
    expected = panda.inverse_dynamics(q, v, a)
    for _ in range(2):
        assert np.array_equal(panda.inverse_dynamics(q.tolist(), v, a), expected)
        assert np.array_equal(panda.inverse_dynamics(q.astype(">f8"), v, a), expected)
        assert np.array_equal(panda.inverse_dynamics(np.ma.array(q), v, a), expected)
        assert np.array_equal(panda.inverse_dynamics(np.repeat(q, 2)[::2], v, a), expected)
        misaligned = np.frombuffer(b"x" + q.tobytes(), np.uint8)[1:].view(np.float64)
        assert np.array_equal(panda.inverse_dynamics(misaligned, v, a), expected)
        assert np.array_equal(panda.inverse_dynamics(q, v, a), expected)


def test_nothing_leaks(panda, states) -> None:
    row = [x[0] for x in states]

    def work() -> None:
        for _ in range(300):
            panda.inverse_dynamics(*row)
            panda.inverse_dynamics(*states)
            panda.inverse_dynamics_derivatives(*row)
            panda.kinetic_energy(row[0], row[1])
            panda.constrained_dynamics(*row, hold=hold)

    hold = {"panda_link8": "point"}
    work()
    gc.collect()
    references, blocks = [sys.getrefcount(x) for x in row], sys.getallocatedblocks()
    work()
    gc.collect()
    assert [sys.getrefcount(x) for x in row] == references
    assert abs(sys.getallocatedblocks() - blocks) < 100


def test_the_function_outlives_the_robot(states) -> None:
    function = sv.load("panda").inverse_dynamics
    row = [x[0] for x in states]
    expected = function(*row)
    gc.collect()
    assert np.array_equal(function(*row), expected)


def test_it_documents_itself(panda) -> None:
    assert "Recursive Newton-Euler" in panda.inverse_dynamics.__doc__
    assert panda.inverse_dynamics.__name__ == "inverse_dynamics"
    assert panda.inverse_dynamics.__text_signature__.startswith("($self, q, v, a")


def test_results_without_a_call_stub_are_the_same(states, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = sv.load("panda").inverse_dynamics(*states)
    for module in (call_stub, method):
        monkeypatch.setattr(module, "available", lambda: False)
    plain = sv.load("panda")
    assert type(plain.inverse_dynamics) is method.PlainMethod
    assert str(inspect.signature(plain.mass_matrix)) == "(q: 'JointVector', *, out=None)"
    assert np.array_equal(plain.inverse_dynamics(*states), expected)
    assert np.array_equal(plain.inverse_dynamics(*(x[0] for x in states)), expected[0])


def test_a_batch_of_one_sample_runs_the_code_for_one(panda, states, monkeypatch) -> None:
    rows = [x[:1] for x in states]
    expected = panda.inverse_dynamics(*rows)
    panda.inverse_dynamics(*rows)
    monkeypatch.setattr(executable.Executable, "entry", lambda _: pytest.fail("the Python path"))
    assert np.array_equal(panda.inverse_dynamics(*rows), expected)
    out = np.zeros((1, 7))
    assert panda.kernel("inverse_dynamics").call(*rows, out=out) is out and np.array_equal(out, expected)
