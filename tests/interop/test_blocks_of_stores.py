"""A kernel from store to store, block by block, by threads or a stand-in for dask; real ones are the cluster tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.cli.main import main
from sixvec.cli.status import Status
from sixvec.compiler.threads import set_threads
from sixvec.errors import ArgumentError, DtypeError, ModelError, OutputError, ShapeError
from sixvec.interop import output_store, workers
from sixvec.interop import zarr as stored
from store_shim import Cluster, cluster

__all__ = ["cluster"]
zarr = pytest.importorskip("zarr")
ROBOT = sv.load("double_pendulum")
ROWS, WIDE = 7, 3
PUSH = np.array([1.0, -2.0])


@pytest.fixture
def kernel() -> Any:
    return ROBOT.kernel("inverse_dynamics")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def states(folder: Path) -> Any:
    """Seven rows of three samples; the acceleration is the same for all."""
    group = zarr.open_group("states", mode="w")
    for name, chunk in (("q", 2), ("v", 3)):
        data = np.random.default_rng(len(name) + chunk).normal(size=(ROWS, WIDE, 2))
        group.create_array(name, data=data, chunks=(chunk, WIDE, 2))
    group.create_array("a", data=PUSH)
    return group


def replaced(group: Any, name: str, data: Any) -> None:
    del group[name]
    group.create_array(name, data=data)


def expected(states: Any) -> np.ndarray:
    q, v = states["q"][...], states["v"][...]
    return ROBOT.inverse_dynamics(q, v, np.broadcast_to(PUSH, q.shape))


def out(name: str = "out") -> Any:
    return zarr.open_group(name, mode="r")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is one chunk."""
    assert stored.BYTES_PER_BLOCK == 67_108_864
    monkeypatch.setattr(stored, "BYTES_PER_BLOCK", 1)


@pytest.mark.usefixtures("small")
def test_blocks_are_counted_and_written(cluster: Cluster, kernel: Any, states: Any) -> None:
    seen: list[tuple[int, int]] = []
    before = set_threads(1)
    try:
        done = stored.batch(kernel, "states", "out", report=lambda n, of: seen.append((n, of)))
        assert set_threads(2) == 1
        stored.batch(kernel, "states", "other")
        assert set_threads(before) == 2
    finally:
        set_threads(before)
    assert done == {"tau": ((ROWS, WIDE, 2), "float64")}
    assert seen == [(9, 21), (18, 21), (21, 21)]  # rows by three, the larger chunk; the last block has one
    group = out()
    assert set(group) == {"tau"} and group["tau"].chunks == (3, WIDE, 2)
    assert np.array_equal(group["tau"][...], expected(states))
    attributes = group.attrs
    assert attributes["complete"] is True and attributes["batch"] == [ROWS, WIDE] and attributes["rows"] == 3
    assert any("joint1" in line for line in attributes["notes"]) and len(attributes["identity"]) == 64
    assert cluster.clients == []
    stored.batch(kernel, "states", "out", scheduler="tcp://other", overwrite=True)
    assert cluster.clients == [("tcp://other", {"timeout": 20})] and cluster.cancelled == []
    assert np.array_equal(out()["tau"][...], expected(states))
    assert sorted(p.name for p in Path().iterdir()) == ["other", "out", "states"]


def test_a_block_has_as_many_chunks_as_fit(kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row here is three samples, a chunk three rows."""
    for chunks, rows in ((1.0, 3), (1.9, 3), (2.0, 6), (2.9, 6), (3.0, 7)):
        monkeypatch.setattr(stored, "BYTES_PER_BLOCK", int(chunks * 3 * WIDE * kernel.bytes_per_sample))
        stored.batch(kernel, "states", "out", overwrite=True)
        assert out().attrs["rows"] == rows
        assert np.array_equal(out()["tau"][...], expected(states))


def test_single_precision_and_several_results(states: Any) -> None:
    kernel = ROBOT.kernel("forward_dynamics_derivatives")
    states.create_array("tau", data=PUSH)
    q, v = states["q"][...], states["v"][...]
    wanted = ROBOT.forward_dynamics_derivatives(q, v, np.broadcast_to(PUSH, q.shape))
    done = stored.batch(kernel, "states", "out")
    assert set(done) == set(wanted._fields)
    for name, array in zip(wanted._fields, wanted, strict=True):
        assert done[name] == (array.shape, "float64")
        assert np.array_equal(out()[name][...], array)
    for name in ("q", "v", "tau"):
        single = states[name][...].astype(np.float32)
        assert stored.batch(kernel, "states", "out", overwrite=True)[wanted._fields[0]][1] == "float64"
        replaced(states, name, single)
    assert stored.batch(kernel, "states", "out", overwrite=True)[wanted._fields[0]][1] == "float32"
    for whole in (np.int64, np.uint8):
        replaced(states, "tau", np.array([1, 2], whole))
        stored.batch(kernel, "states", "out", overwrite=True)


def stop(done: int, of: int) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("small")
def test_what_was_interrupted_is_completed(cluster: Cluster, kernel: Any, states: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        stored.batch(kernel, "states", "out", scheduler="tcp://other", report=stop)
    assert not Path("out").exists()
    part = zarr.open_group("out.part", mode="r+")
    assert cluster.cancelled == [3] and part.attrs["complete"] is False
    done = part["done"][...]
    assert done.shape == (3,) and done.dtype == np.uint64 and np.flatnonzero(done).tolist() == [0]
    assert part["done"].chunks == (3,)
    with pytest.raises(OutputError, match=named("out.part")):
        stored.batch(kernel, "states", "out")
    with pytest.raises(OutputError, match="resume"):
        stored.batch(ROBOT.kernel("mass_matrix"), "states", "out", resume=True)
    q = zarr.open_group("states", mode="r+")["q"]
    before = q[...]
    q[0] = 2.0 * before[0]
    with pytest.raises(OutputError, match="resume"):
        stored.batch(kernel, "states", "out", resume=True)
    q[0] = before[0]
    q[6] = 2.0 * before[6]  # not yet written
    part["tau"][:3] = 5.0  # written: left alone
    seen: list[tuple[int, int]] = []
    stored.batch(kernel, "states", "out", resume=True, report=lambda n, of: seen.append((n, of)))
    assert seen == [(18, 21), (21, 21)]
    assert (out()["tau"][:3] == 5.0).all() and np.array_equal(out()["tau"][3:], expected(states)[3:])
    with pytest.raises(OutputError, match="resume"):
        stored.batch(kernel, "states", "out", resume=True)
    stored.batch(kernel, "states", "new", resume=True)
    assert np.array_equal(out("new")["tau"][...], expected(states))


@pytest.mark.usefixtures("small")
def test_a_failed_run_keeps_the_old_output(kernel: Any, states: Any) -> None:
    stored.batch(kernel, "states", "out")
    old = expected(states)
    states["q"][...] = 0.5 * states["q"][...]
    with pytest.raises(KeyboardInterrupt):
        stored.batch(kernel, "states", "out", overwrite=True, report=stop)
    assert out().attrs["complete"] is True and np.array_equal(out()["tau"][...], old)
    with pytest.raises(OutputError, match="resume"):
        stored.batch(kernel, "states", "out", resume=True)
    stored.batch(kernel, "states", "out", resume=True, overwrite=True)
    assert np.array_equal(out()["tau"][...], expected(states)) and not np.array_equal(out()["tau"][...], old)
    with pytest.raises(KeyboardInterrupt):
        stored.batch(kernel, "states", "out", overwrite=True, report=stop)
    stored.batch(kernel, "states", "out", overwrite=True)  # starts again
    assert sorted(p.name for p in Path().iterdir()) == ["out", "states"]


def test_workers_that_fail(cluster: Cluster, kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for problem, kind, message in (
        (cluster.killed("w"), OutputError, "MiB"),
        (ModelError("no such body"), ModelError, "^no such body$"),
        (ValueError("odd"), OutputError, "ValueError"),
    ):

        def fails(self: Any, block: int, problem: Exception = problem) -> int:
            raise problem

        monkeypatch.setattr(stored._Task, "__call__", fails)
        with pytest.raises(kind, match=message):
            stored.batch(kernel, "states", "out", scheduler="tcp://other", overwrite=True)
        if not isinstance(problem, cluster.killed):
            with pytest.raises(kind, match=message):
                stored.batch(kernel, "states", "out", overwrite=True)
    assert cluster.cancelled == [1, 1, 1] and not Path("out").exists()


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (lambda g: g.__delitem__("v"), ArgumentError, named("v", "inverse_dynamics")),
        (lambda g: replaced(g, "q", np.zeros((7, 3, 3))), ShapeError, "states"),
        (lambda g: replaced(g, "q", np.zeros(())), ShapeError, "states"),
        (lambda g: replaced(g, "a", np.zeros(2, bool)), DtypeError, "states"),
        (lambda g: replaced(g, "a", np.zeros((7, 2))), ShapeError, "axes"),
        (
            lambda g: [replaced(g, name, np.zeros((7, 0, 2))) for name in "qv"],
            ShapeError,
            "states",
        ),
        (lambda g: [replaced(g, name, PUSH) for name in "qv"], ShapeError, "samples"),
    ],
)
def test_states_that_do_not_fit(
    kernel: Any, states: Any, change: Callable[[Any], Any], kind: Any, message: str
) -> None:
    change(states)
    with pytest.raises(kind, match=message):
        stored.batch(kernel, "states", "out")
    assert [p.name for p in Path().iterdir()] == ["states"]


def test_places_that_do_not_fit(cluster: Cluster, kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match="nothing"):
        stored.batch(kernel, "nothing", "out")
    with pytest.raises(ArgumentError, match="scheduler"):
        stored.batch(kernel, "states", "out", scheduler="nowhere")
    Path("file").write_text("")
    for replace in (False, True):
        with pytest.raises(OutputError, match=named("file", "name")):
            stored.batch(kernel, "states", "file", overwrite=replace)
    Path("folder").mkdir()
    with pytest.raises(OutputError, match="folder"):
        stored.batch(kernel, "states", "folder")

    def full(*_: Any, **more: Any) -> Any:
        raise OSError(28, "no space")

    monkeypatch.setattr(zarr, "create_group", full)
    with pytest.raises(OutputError, match=named("full.part")):
        stored.batch(kernel, "states", "full")


OUTPUTS = {
    "the states": "states",
    "a detour": "x/../states",
    "an address": "file://{}/states",
    "an address with a host": "file://localhost{}/states",
    "an address with signs": "file://{}/%73tates",
    "a link": "link",
    "inside": "states/q",
    "inside through a link": "link/new",
    "around": ".",
    "far around": "..",
    "another name of local": "local://{}/states",
}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("force", [False, True])
def test_the_output_is_apart_from_the_states(name: str, force: bool, kernel: Any, states: Any, folder: Path) -> None:
    (folder / "link").symlink_to(folder / "states")
    (folder / "x").mkdir()
    (folder / "thesis.txt").write_text("mine")
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    with pytest.raises(ArgumentError, match="states"):
        stored.batch(kernel, "states", OUTPUTS[name].format(folder), overwrite=force)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_addresses_of_stores_elsewhere_are_compared(kernel: Any) -> None:
    for source, target in (("s3://b/x", "s3://b/y/../x/"), ("s3://b/x", "S3://b/x/y"), ("s3://b/x/y", "s3://b/x")):
        with pytest.raises(ArgumentError, match=named("s3://b/x")):
            stored.batch(kernel, source, target)
    output_store.require_apart(output_store.address("s3://b/x"), output_store.address("s3://b/xy"))
    output_store.require_apart(output_store.address("x"), output_store.address("s3://b/x"))
    with pytest.raises(ArgumentError, match="chain"):
        stored.batch(kernel, "states", "simplecache::s3://b/x")


def test_addresses_where_results_would_be_lost(kernel: Any, states: Any, folder: Path) -> None:
    with pytest.raises(ArgumentError, match=named("other", "file:///PATH")):
        stored.batch(kernel, "states", f"file://other{folder}/out")
    for store in ("memory://out", "MEMORY:///out"):
        with pytest.raises(OutputError, match="process"):
            stored.batch(kernel, "states", store)
    assert [p.name for p in folder.iterdir()] == ["states"]


def test_only_an_output_of_a_batch_is_replaced(kernel: Any, states: Any, folder: Path) -> None:
    def foreign(store: str, words: str) -> None:
        before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        with pytest.raises(OutputError, match=words):
            stored.batch(kernel, "states", store, overwrite=True)
        assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before

    (folder / "data").mkdir()
    (folder / "data" / "thesis.txt").write_text("mine")
    foreign("data", named("sixvec batch"))
    zarr.open_group("other", mode="w").create_array("tau", data=np.zeros(3))
    foreign("other", named("sixvec batch"))
    for place in ("thesis.txt", "tau/thesis.txt", "tau/c/thesis.txt", "tau/c/0/thesis.txt", "more/thesis.txt"):
        stored.batch(kernel, "states", "out")
        (folder / "out" / place).parent.mkdir(exist_ok=True)
        (folder / "out" / place).write_text("mine")
        foreign("out", named("sixvec batch") if place != "more/thesis.txt" else "out")
        (folder / "out" / place).unlink()
        if place.startswith("more"):
            (folder / "out" / "more").rmdir()
        stored.batch(kernel, "states", "out", overwrite=True)
        (folder / "out").rename(folder / f"kept-{place.replace('/', '-')}")
    stored.batch(kernel, "states", "out")
    zarr.open_group("out", mode="r+").create_array("notes", data=np.zeros(3))
    foreign("out", "out")
    stored.batch(kernel, "states", "new")
    (folder / "new" / "tau" / "zarr.json").rename(folder / "elsewhere.json")
    (folder / "new" / "tau" / "zarr.json").symlink_to(folder / "elsewhere.json")
    foreign("new", named("sixvec batch"))


def test_a_chunk_that_does_not_fit_in_memory(
    cluster: Cluster, kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty store of a few hundred bytes may have one chunk of any size."""
    for name in "qva":
        del states[name]
        states.create_array(name, shape=(200_000_000, 2), chunks=(200_000_000, 2), dtype="f8")
    monkeypatch.setattr(workers, "free_memory", lambda: 8.0 * 2**30)
    words = "GiB"
    with pytest.raises(ArgumentError, match=words):
        stored.batch(kernel, "states", "out")
    cluster.workers = {"a": {"memory_limit": 0}, "b": {"memory_limit": 32 * 2**30, "nthreads": 4}}
    with pytest.raises(ArgumentError, match="GiB"):
        stored.batch(kernel, "states", "out", scheduler="tcp://other")
    assert [p.name for p in Path().iterdir()] == ["states"]


def test_free_memory(tmp_path: Path) -> None:
    assert workers.free_memory() > 2**20
    assert workers._of_container(tmp_path) == float("inf")
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("300\n")
    assert workers._of_container(tmp_path) == 700.0
    (tmp_path / "memory.max").write_text("max\n")
    assert workers._of_container(tmp_path) == float("inf")


def test_threads_open_no_port(kernel: Any, states: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)  # it is not needed
    monkeypatch.setitem(sys.modules, "dask", None)
    opened: list[Any] = []
    monkeypatch.setattr(socket.socket, "listen", lambda *a: opened.append(a))
    monkeypatch.setattr(socket.socket, "bind", lambda *a: opened.append(a))
    stored.batch(kernel, "states", "out", report=lambda *_: None)
    assert opened == [] and np.array_equal(out()["tau"][...], expected(states))


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
    command = ["batch", "double_pendulum", function, "states", "out", *options]
    assert main(command) == Status.FINE
    kernel = ROBOT.kernel(function.partition(":")[0], **asked)
    wanted = kernel(*(np.broadcast_to(states[p.name][...], (ROWS, WIDE, 2)) for p in kernel.inputs))
    ((array, found),) = out().members()
    assert np.array_equal(found[...], wanted)
    assert out().attrs["identity"] == hashlib.sha256(kernel.identity.encode()).hexdigest()
    assert capsys.readouterr().out == f"out: {array} {wanted.shape} float64\n"
    assert main(command) == Status.UNWRITABLE and "exists" in capsys.readouterr().err
    assert main([*command, "--force"]) == Status.FINE
    assert main([*command, "--resume"]) == Status.UNWRITABLE and "resume" in capsys.readouterr().err
    assert main([*command, "--force", "--scheduler", "nowhere"]) and "nobody listens" in capsys.readouterr().err


def test_the_command_with_a_wrench_and_a_free_base() -> None:
    robot = sv.load("double_pendulum", floating=True)
    kernel = robot.kernel("inverse_dynamics", external=("tip",))
    group = zarr.open_group("states", mode="w")
    rng = np.random.default_rng(4)
    for port in kernel.inputs:
        group.create_array(
            port.name, data=rng.normal(size=(2, *port.shape)) if port.name != "q" else robot.random(0, 2)
        )
    command = ["batch", "double_pendulum", "inverse_dynamics", "states", "out", "--floating"]
    assert main([*command, "--external", "tip"]) == Status.FINE
    wanted = kernel(*(group[p.name][...] for p in kernel.inputs))
    assert np.array_equal(out()["tau"][...], wanted)
