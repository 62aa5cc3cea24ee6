"""Arrays in and out: batch shapes, broadcasting, dtypes, out=, and no copies where none are needed."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.compiler.call import _overlap, _overlaps_itself, as_array
from sixvec.compiler.program import Port
from sixvec.errors import CallError, ShapeError
from sixvec.kernels import method


@pytest.fixture(scope="module")
def panda() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(4, 6, 7)) for _ in range(3))


def test_any_leading_shape(panda, states) -> None:
    q, v, a = states
    whole = panda.inverse_dynamics(q, v, a)
    assert whole.shape == (4, 6, 7)
    flat = panda.inverse_dynamics(*(x.reshape(24, 7) for x in states))
    assert np.array_equal(whole.reshape(24, 7), flat)
    assert np.array_equal(panda.inverse_dynamics(q[1, 2], v[1, 2], a[1, 2]), whole[1, 2])
    assert panda.mass_matrix(q).shape == (4, 6, 7, 7)
    assert panda.kinetic_energy(q, v).shape == (4, 6)
    assert panda.poses(q).shape == (4, 6, 9, 4, 4)
    assert np.ndim(panda.kinetic_energy(q[0, 0], v[0, 0])) == 0


def test_broadcasting(panda, states) -> None:
    q, v, a = states
    one = panda.inverse_dynamics(q[0, 0], v, a)
    assert np.array_equal(one, panda.inverse_dynamics(np.broadcast_to(q[0, 0], v.shape), v, a))
    columns = panda.inverse_dynamics(q[:, :1], v[:1], a[0, 0])
    assert columns.shape == (4, 6, 7)
    assert np.array_equal(columns[2, 3], panda.inverse_dynamics(q[2, 0], v[0, 3], a[0, 0]))


def test_empty_batch(panda) -> None:
    assert panda.inverse_dynamics(*(np.empty((0, 7)) for _ in range(3))).shape == (0, 7)
    assert panda.mass_matrix(np.empty((3, 0, 7))).shape == (3, 0, 7, 7)


def test_dtypes(panda, states) -> None:
    q, v, a = (x.astype(np.float32) for x in states)
    assert panda.inverse_dynamics(q, v, a).dtype == np.float32
    assert panda.inverse_dynamics(q, v, states[2]).dtype == np.float64
    assert panda.gravity_forces([0] * 7).dtype == np.float64
    exact = panda.inverse_dynamics(*states)
    assert np.abs(panda.inverse_dynamics(q, v, a) - exact).max() < 1e-4 * np.abs(exact).max()


def test_layouts_do_not_matter(panda, states) -> None:
    q, v, a = states
    expected = panda.inverse_dynamics(q, v, a)
    fortran = panda.inverse_dynamics(*(np.asfortranarray(x) for x in states))
    strided = panda.inverse_dynamics(*(np.repeat(x, 2, axis=-1)[..., ::2] for x in states))
    read_only = [x.copy() for x in states]
    for x in read_only:
        x.flags.writeable = False
    assert np.array_equal(fortran, expected)
    assert np.array_equal(strided, expected)
    assert np.array_equal(panda.inverse_dynamics(*read_only), expected)
    single = panda.inverse_dynamics(q[0, 0], v[0, 0], a[0, 0])
    assert np.array_equal(panda.inverse_dynamics(*(np.repeat(x[0, 0], 2)[::2] for x in states)), single)


def test_out(panda, states) -> None:
    expected = panda.inverse_dynamics(*states)
    out = np.empty_like(expected)
    assert panda.inverse_dynamics(*states, out=out) is out
    assert np.array_equal(out, expected)
    strided = np.empty((4, 6, 14))[..., ::2]
    panda.inverse_dynamics(*states, out=strided)
    assert np.array_equal(strided, expected)
    d = panda.inverse_dynamics_derivatives(*states)
    outs = tuple(np.empty_like(x) for x in d)
    panda.inverse_dynamics_derivatives(*states, out=outs)
    assert all(np.array_equal(x, y) for x, y in zip(d, outs, strict=True))


def test_out_may_be_an_input(panda, states) -> None:
    q, v, _ = states
    expected = panda.integrate(q, v)
    panda.integrate(q_out := q.copy(), v, out=q_out)
    assert np.array_equal(q_out, expected)
    shifted = np.concatenate([q.reshape(-1, 7)[:1], q.reshape(-1, 7)])
    panda.integrate(shifted[:-1], v.reshape(-1, 7), out=shifted[1:])
    first = np.concatenate([q.reshape(-1, 7)[:1], q.reshape(-1, 7)])
    assert np.array_equal(shifted[1:], panda.integrate(first[:-1], v.reshape(-1, 7)))


def test_contiguous_input_is_not_copied(panda, monkeypatch: pytest.MonkeyPatch) -> None:
    from sixvec.compiler import executable

    seen = []
    original = executable.Executable.run
    monkeypatch.setattr(
        executable.Executable, "run", lambda self, n, i, o, s: (seen.extend(i), original(self, n, i, o, s))[1]
    )
    arrays = [np.zeros((10, 7)) for _ in range(3)]
    panda.kernel("inverse_dynamics")(*arrays)
    assert all(np.shares_memory(a, b) for a, b in zip(arrays, seen, strict=True))


def test_from_many_threads_at_once(panda, states) -> None:
    q, v, a = (x.reshape(24, 7) for x in states)
    expected, wrong = panda.inverse_dynamics(q, v, a), []

    def work() -> None:
        for i in range(200):
            if not np.array_equal(panda.inverse_dynamics(q, v, a), expected):
                wrong.append(i)
            if not np.array_equal(panda.inverse_dynamics(q[3], v[3], a[3]), expected[3]):
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_can_use_threads() -> None:
    code = """
import multiprocessing, numpy as np, sixvec as sv
robot = sv.load("panda")
q = np.ones((60_000, 7))
sv.set_threads(2)
def work(_):
    return float(robot.inverse_dynamics(q, q, q)[-1, 0])
expected = work(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, range(4)) == [expected] * 4
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


def test_results_do_not_go_where_entries_share_memory() -> None:
    robot = sv.load("planar_2r")
    q, one = robot.random(0, 3), np.zeros((1, 2, 2))
    with pytest.raises(ShapeError, match=named("mass_matrix", "out")):
        robot.mass_matrix(q, out=np.lib.stride_tricks.as_strided(one, (3, 2, 2), (0, 16, 8)))
    apart = np.zeros((3, 4, 2))[:, ::2]
    assert np.array_equal(robot.mass_matrix(q, out=apart), robot.mass_matrix(q))


@pytest.mark.parametrize("batch", [(0,), (3, 0), (0, 3)])
def test_batches_without_samples_have_results_in_place(batch: tuple[int, ...]) -> None:
    robot = sv.load("panda")
    q, out = np.zeros((*batch, 7)), np.empty((*batch, 7, 7))
    assert robot.mass_matrix(q, out=out) is out and robot.kernel("mass_matrix")(q, out=out) is out
    several = [np.empty((*batch, 7, 7)) for _ in range(3)]
    assert robot.inverse_dynamics_derivatives(q, q, q, out=several).da is several[2]
    with pytest.raises(ShapeError, match=named("mass_matrix", "out")):
        robot.mass_matrix(q, out=np.empty((*batch, 7, 6)))


def test_kernels_take_arrays_by_name() -> None:
    robot = sv.load("planar_2r")
    kernel, q, v, a = robot.kernel("inverse_dynamics"), *np.eye(3, 2)
    expected, out = robot.inverse_dynamics(q, v, a), np.empty(2)
    assert np.array_equal(kernel(q, a=a, v=v), expected)
    assert kernel(a=a, v=v, q=q, out=out) is out and np.array_equal(out, expected)
    with pytest.raises(CallError, match="inverse_dynamics"):
        kernel(q, a=a)
    with pytest.raises(CallError, match=named("inverse_dynamics", "q")):
        kernel(q, v, a, q=q)
    with pytest.raises(CallError, match=named("w")):
        kernel.vjp(q, v, a, w=q)
    with pytest.raises(CallError, match="poses"):
        robot.kernel("poses")(q, q)
    with pytest.raises(CallError, match=named("ik", "foo")):
        robot.ik(np.eye(4), robot.frame_names[-1], foo=1)


def test_methods_without_a_call_stub_describe_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "available", lambda: False)
    pose = sv.load("planar_2r").pose
    assert str(inspect.signature(pose)).endswith("*, out=None)") and repr(pose).startswith(
        "<method pose of <Robot planar_2r"
    )


def test_entries_that_share_memory() -> None:
    whole, strided = np.zeros((4, 6)), np.lib.stride_tricks.as_strided
    for apart in (whole, whole[::-1], whole[:, ::2], whole.T, whole[1:, 2:], np.broadcast_to(whole[:1, :3], (1, 3)),
                  strided(whole, (2, 2), (16, 8)), strided(whole, (2, 2), (8, 16)), np.zeros(()), np.zeros((0, 7, 7)),
                  np.zeros((3, 0, 7))):  # fmt: skip
        assert not _overlaps_itself(apart)
    for shared in (np.broadcast_to(np.zeros(3), (2, 3)), strided(whole, (3, 2), (8, 8)),
                   strided(whole, (2, 3), (16, 8)), strided(whole, (2,), (4,))):  # fmt: skip
        assert _overlaps_itself(shared)
    assert not _overlap(whole[:, ::2], whole[:, 1::2]) and _overlap(whole[:, ::2], whole[:, 2:])
    assert not _overlap(whole, np.zeros(3))


def test_numbers_of_other_kinds_become_double() -> None:
    port = Port("x", (2,))
    for given in ([1, 2], np.array([1, 2], np.int8), np.array([True, False]), np.array([1.0, 2.0], np.float16)):
        assert as_array(given, port, "f").dtype == np.float64
    for kind in (np.float32, np.float64):
        array = np.zeros((3, 2), kind)
        assert as_array(array, port, "f") is array
