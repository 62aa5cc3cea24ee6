"""A kernel from store to store, block by block, with stand-ins for zarr and dask; real ones are the cluster tests."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.cli.main import main
from sixvec.cli.status import Status
from sixvec.compiler.threads import set_threads
from sixvec.errors import ArgumentError, DtypeError, ModelError, OutputError, ShapeError
from sixvec.interop import zarr as stored
from store_shim import Cluster, cluster

__all__ = ["cluster"]
ROBOT = sv.load("double_pendulum")
ROWS, WIDE = 7, 3
PUSH = np.array([1.0, -2.0])


@pytest.fixture
def kernel() -> Any:
    return ROBOT.kernel("inverse_dynamics")


@pytest.fixture
def states(cluster: Cluster) -> Any:
    """Seven rows of three samples; the acceleration is the same for all."""
    group = cluster.open_group("mem://states", "w")
    for name, chunk in (("q", 2), ("v", 3)):
        data = np.random.default_rng(len(name) + chunk).normal(size=(ROWS, WIDE, 2))
        group.create_array(name, data=data, chunks=(chunk, WIDE, 2))
    group.create_array("a", data=PUSH)
    return group


def expected(states: Any) -> np.ndarray:
    q, v = states["q"][...], states["v"][...]
    return ROBOT.inverse_dynamics(q, v, np.broadcast_to(PUSH, q.shape))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is one chunk."""
    assert stored.BYTES_PER_BLOCK == 67_108_864
    monkeypatch.setattr(stored, "BYTES_PER_BLOCK", 1)


@pytest.mark.usefixtures("small")
def test_blocks_are_counted_and_written(cluster: Cluster, kernel: Any, states: Any) -> None:
    seen: list[tuple[int, int]] = []
    before = set_threads(1)
    set_threads(2)
    try:
        done = stored.batch(kernel, "mem://states", "mem://out", report=lambda n, of: seen.append((n, of)))
        assert set_threads(before) == 2
    finally:
        set_threads(before)
    assert done == {"tau": ((ROWS, WIDE, 2), "float64")}
    assert seen == [(9, 21), (18, 21), (21, 21)]  # rows by three, the larger chunk; the last block has one
    out = cluster.stores["mem://out"]
    assert set(out) == {"tau"} and out["tau"].chunks == (3, WIDE, 2)
    assert np.array_equal(out["tau"][...], expected(states))
    assert out.attrs["complete"] is True and out.attrs["batch"] == [ROWS, WIDE] and out.attrs["rows"] == 3
    assert any("joint1" in line for line in out.attrs["notes"]) and len(out.attrs["identity"]) == 64
    local = {"processes": False, "n_workers": 1, "dashboard_address": None, "memory_limit": 0}
    assert cluster.clusters == [local] and len(cluster.clients) == 1 and cluster.cancelled == []
    stored.batch(kernel, "mem://states", "mem://out", scheduler="tcp://other", overwrite=True)
    assert cluster.clients[1] == ("tcp://other", {"timeout": 20}) and cluster.clusters == [local]
    assert np.array_equal(cluster.stores["mem://out"]["tau"][...], expected(states))


def test_a_block_has_as_many_chunks_as_fit(
    cluster: Cluster, kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row here is three samples, a chunk three rows."""
    for chunks, rows in ((1.0, 3), (1.9, 3), (2.0, 6), (2.9, 6), (3.0, 7)):
        monkeypatch.setattr(stored, "BYTES_PER_BLOCK", int(chunks * 3 * WIDE * kernel.bytes_per_sample))
        stored.batch(kernel, "mem://states", "mem://out", overwrite=True)
        assert cluster.stores["mem://out"].attrs["rows"] == rows
        assert np.array_equal(cluster.stores["mem://out"]["tau"][...], expected(states))


def test_single_precision_and_several_results(cluster: Cluster, states: Any) -> None:
    kernel = ROBOT.kernel("forward_dynamics_derivatives")
    states.create_array("tau", data=PUSH)
    q, v = states["q"][...], states["v"][...]
    wanted = ROBOT.forward_dynamics_derivatives(q, v, np.broadcast_to(PUSH, q.shape))
    done = stored.batch(kernel, "mem://states", "mem://out")
    assert set(done) == set(wanted._fields)
    for name, array in zip(wanted._fields, wanted, strict=True):
        assert done[name] == (array.shape, "float64")
        assert np.array_equal(cluster.stores["mem://out"][name][...], array)
    for name in ("q", "v", "tau"):
        single = states[name][...].astype(np.float32)
        assert stored.batch(kernel, "mem://states", "mem://out", overwrite=True)[wanted._fields[0]][1] == "float64"
        states.create_array(name, data=single)
    assert stored.batch(kernel, "mem://states", "mem://out", overwrite=True)[wanted._fields[0]][1] == "float32"
    for whole in (np.int64, np.uint8):
        states.create_array("tau", data=np.array([1, 2], whole))
        stored.batch(kernel, "mem://states", "mem://out", overwrite=True)


@pytest.mark.usefixtures("small")
def test_what_was_interrupted_is_completed(cluster: Cluster, kernel: Any, states: Any) -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stored.batch(kernel, "mem://states", "mem://out", report=stop)
    out = cluster.stores["mem://out"]
    assert cluster.cancelled == [3] and out.attrs["complete"] is False
    done = out["done"][...]
    assert done.shape == (3,) and done.dtype == np.uint64 and np.flatnonzero(done).tolist() == [0]
    assert out["done"].chunks == (3,)
    with pytest.raises(OutputError, match="exists; choose another, or --resume"):
        stored.batch(kernel, "mem://states", "mem://out")
    with pytest.raises(OutputError, match="of other work"):
        stored.batch(ROBOT.kernel("mass_matrix"), "mem://states", "mem://out", resume=True)
    states["q"].data[0] *= 2.0
    with pytest.raises(OutputError, match="has changed since 1 of the 1 blocks"):
        stored.batch(kernel, "mem://states", "mem://out", resume=True)
    states["q"].data[0] /= 2.0
    states["q"].data[6] *= 2.0  # not yet written
    out["tau"].data[:3] = 5.0  # written: left alone
    seen: list[tuple[int, int]] = []
    stored.batch(kernel, "mem://states", "mem://out", resume=True, report=lambda n, of: seen.append((n, of)))
    assert seen == [(18, 21), (21, 21)]
    assert (out["tau"][:3] == 5.0).all() and np.array_equal(out["tau"][3:], expected(states)[3:])
    with pytest.raises(OutputError, match="is complete"):
        stored.batch(kernel, "mem://states", "mem://out", resume=True)
    out.attrs["complete"] = False
    with pytest.raises(OutputError, match="is complete, or of other work"):
        stored.batch(kernel, "mem://states", "mem://out", resume=True)
    stored.batch(kernel, "mem://states", "mem://new", resume=True)
    assert np.array_equal(cluster.stores["mem://new"]["tau"][...], expected(states))


@pytest.mark.usefixtures("small")
def test_workers_that_fail(cluster: Cluster, kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "zarr", cluster.zarr)
    monkeypatch.setitem(sys.modules, "distributed", cluster.distributed)
    for problem, kind, message in (
        (cluster.killed("w"), OutputError, r"several workers died on rows 0 to 7: .* \(a block is 64 MiB or one chunk"),
        (ModelError("no such body"), ModelError, "^no such body$"),
        (ValueError("odd"), OutputError, "^rows 0 to 7: ValueError: odd$"),
    ):

        def fails(self: Any, block: int, problem: Exception = problem) -> int:
            raise problem

        monkeypatch.setattr(stored._Task, "__call__", fails)
        with pytest.raises(kind, match=message):
            stored.batch(kernel, "mem://states", "mem://out", overwrite=True)
    assert cluster.cancelled == [1, 1, 1]


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (lambda g: g.pop("v"), ArgumentError, 'no array "v".*inverse_dynamics needs q, v, a'),
        (
            lambda g: g.create_array("q", data=np.zeros((7, 3, 3))),
            ShapeError,
            r"has shape \(7, 3, 3\); .*\(\.\.\., 2\)",
        ),
        (lambda g: g.create_array("q", data=np.zeros(())), ShapeError, r"has shape \(\); .*\(\.\.\., 2\)"),
        (lambda g: g.create_array("a", data=np.zeros(2, bool)), DtypeError, "a in .* holds bool, not real numbers"),
        (lambda g: g.create_array("a", data=np.zeros((7, 2))), ShapeError, r"same axes .* v \(7, 3\), a \(7,\)"),
        (
            lambda g: [g.create_array(name, data=np.zeros((7, 0, 2))) for name in "qv"],
            ShapeError,
            r"no samples in .*: the axes of the batch are \(7, 0\)",
        ),
        (lambda g: [g.create_array(name, data=PUSH) for name in "qv"], ShapeError, r"at least one; found: q \(\), v"),
    ],
)
def test_states_that_do_not_fit(
    cluster: Cluster, kernel: Any, states: Any, change: Callable[[Any], Any], kind: Any, message: str
) -> None:
    change(states)
    with pytest.raises(kind, match=message):
        stored.batch(kernel, "mem://states", "mem://out")
    assert "mem://out" not in cluster.stores


def test_places_that_do_not_fit(cluster: Cluster, kernel: Any, states: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"no zarr group .*nothing"):
        stored.batch(kernel, "mem://nothing", "mem://out")
    with pytest.raises(ArgumentError, match=r"no dask scheduler at .*nowhere.*nobody listens"):
        stored.batch(kernel, "mem://states", "mem://out", scheduler="nowhere")
    file = tmp_path / "file"
    file.write_text("")
    for replace in (False, True):
        with pytest.raises(OutputError, match="is a file; name a store"):
            stored.batch(kernel, "mem://states", file, overwrite=replace)
    with pytest.raises(OutputError, match="exists; choose another"):
        stored.batch(kernel, "mem://states", tmp_path)
    stored.batch(kernel, "mem://states", tmp_path, overwrite=True)
    assert str(tmp_path) in cluster.stores

    def full(store: Any, mode: str) -> Any:
        if mode == "w":
            raise OSError(28, "no space")
        return cluster.open_group(store, mode)

    cluster.zarr.open_group = full
    with pytest.raises(OutputError, match="cannot be written: no space"):
        stored.batch(kernel, "mem://states", "mem://full")


def test_digests_see_types_shapes_and_values() -> None:
    zeros = np.zeros(2, np.float32)
    others = (zeros, zeros.astype(np.int32), zeros[None], zeros[:, None], zeros + 1.0, np.asfortranarray(np.eye(2)))
    digests = {stored._digest([x]) for x in others} | {stored._digest([zeros, zeros])}
    assert len(digests) == 7 and all(0 < n < 2**64 for n in digests)
    assert stored._digest([np.asfortranarray(np.arange(6.0).reshape(2, 3))]) == stored._digest(
        [np.arange(6.0).reshape(2, 3)]
    )


def test_a_digest_is_never_the_mark_of_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Zero:
        def __init__(self, **_: Any) -> None:
            """Of any size."""

        def update(self, data: bytes) -> None:
            """Nothing changes it."""

        def digest(self) -> bytes:
            return bytes(8)

    monkeypatch.setattr(stored.hashlib, "blake2b", Zero)
    assert stored._digest([np.zeros(2)]) == 1


@pytest.mark.parametrize(
    ("function", "options", "asked"),
    [
        ("inverse_dynamics", [], {}),
        ("jacobian:tip", [], {"frame": "tip"}),
        ("inverse_dynamics", ["--passive"], {"passive": True}),
    ],
)
def test_the_command(
    cluster: Cluster,
    states: Any,
    function: str,
    options: list[str],
    asked: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["batch", "double_pendulum", function, "mem://states", "mem://out", *options]
    assert main(command) == Status.FINE
    kernel = ROBOT.kernel(function.partition(":")[0], **asked)
    wanted = kernel(*(np.broadcast_to(states[p.name][...], (ROWS, WIDE, 2)) for p in kernel.inputs))
    ((array, found),) = cluster.stores["mem://out"].items()
    assert np.array_equal(found[...], wanted)
    assert cluster.stores["mem://out"].attrs["identity"] == hashlib.sha256(kernel.identity.encode()).hexdigest()
    assert capsys.readouterr().out == f"mem://out: {array} {wanted.shape} float64\n"
    assert main(command) == Status.UNWRITABLE and "exists" in capsys.readouterr().err
    assert main([*command, "--force"]) == Status.FINE
    assert main([*command, "--resume"]) == Status.UNWRITABLE and "is complete" in capsys.readouterr().err
    assert main([*command, "--force", "--scheduler", "nowhere"]) and "nobody listens" in capsys.readouterr().err


def test_the_command_with_a_wrench_and_a_free_base(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    robot = sv.load("double_pendulum", floating=True)
    kernel = robot.kernel("inverse_dynamics", external=("tip",))
    group = cluster.open_group("mem://states", "w")
    rng = np.random.default_rng(4)
    for port in kernel.inputs:
        group.create_array(
            port.name, data=rng.normal(size=(2, *port.shape)) if port.name != "q" else robot.random(0, 2)
        )
    command = ["batch", "double_pendulum", "inverse_dynamics", "mem://states", "mem://out", "--floating"]
    assert main([*command, "--external", "tip"]) == Status.FINE
    wanted = kernel(*(group[p.name][...] for p in kernel.inputs))
    assert np.array_equal(cluster.stores["mem://out"]["tau"][...], wanted)
