"""Programs that torch exports contain the programs of their kernels: other processes compute with the same robot."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler.program_text import as_data, from_data
from sixvec.errors import ArgumentError

torch = pytest.importorskip("torch")
functions = pytest.importorskip("sixvec.interop.written_function")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

Q = np.linspace(-0.5, 0.7, 7)


class Module(torch.nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, q: Any) -> Any:
        return self.function(q)


def saved(function: Any, place: Path) -> Path:
    torch.export.save(torch.export.export(Module(function), (torch.tensor(Q),)), place)
    return place


LOAD = """
import sys, warnings
warnings.simplefilter("ignore")
import torch, sixvec as sv, sixvec.interop.torch
if sys.argv[2] != "none":
    other = sv.load(sys.argv[2])
    class Other(torch.nn.Module):
        def forward(self, q): return other.gravity_forces(q)
    torch.export.export(Other(), (torch.zeros(other.nq, dtype=torch.float64),))
program = torch.export.load(sys.argv[1]).module()
q = torch.linspace(-0.5, 0.7, 7, dtype=torch.float64)
result = program(q)
print([float(x) for x in (result if isinstance(result, torch.Tensor) else result.q).flatten()])
"""


def loaded(place: Path, first: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(place), first], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return np.array(json.loads(done.stdout.splitlines()[-1]))


def test_another_process_computes_with_the_robot_of_the_file(tmp_path: Path) -> None:
    """With a robot of the same size exported before."""
    panda = sv.load("panda")
    place = saved(panda.gravity_forces, tmp_path / "panda.pt2")
    expected = panda.gravity_forces(np.asarray(torch.linspace(-0.5, 0.7, 7, dtype=torch.float64)))
    assert np.array_equal(loaded(place, "iiwa14"), expected)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["none", "planar_2r"])
def test_processes_that_have_compiled_nothing_or_another_size(tmp_path: Path, first: str) -> None:
    panda = sv.load("panda")
    place = saved(lambda q: panda.rollout(q, Q, np.zeros((3, 7)), 0.01), tmp_path / "panda.pt2")
    expected = panda.rollout(np.asarray(torch.linspace(-0.5, 0.7, 7, dtype=torch.float64)), Q, np.zeros((3, 7)), 0.01)
    assert np.allclose(loaded(place, first), expected.q.ravel(), atol=1e-14)


def test_a_loaded_program_has_gradients(tmp_path: Path) -> None:
    panda = sv.load("panda")
    program = torch.export.load(saved(panda.potential_energy, tmp_path / "panda.pt2")).module()
    leaf = torch.tensor(Q, requires_grad=True)
    program(leaf).backward()
    assert np.allclose(leaf.grad, panda.gravity_forces(Q), atol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda r: r.kernel("gravity_forces"),
        lambda r: r.kernel("forward_dynamics").vjp,
        lambda r: r.kernel("pose", frame="panda_link8").jvp,
        lambda r: r.kernel("mass_matrix").fast,
        lambda r: r.kernel("constrained_dynamics", hold={"panda_link8": "point"}),
        lambda r: r.with_payload("panda_link8", 2.0).kernel("gravity_forces"),
    ],
)
def test_functions_made_from_their_texts_are_the_same(make: Any) -> None:
    function = make(sv.load("panda"))
    identity, text = functions.written(function)
    again = functions._read(identity, text)
    assert again is not function and again.program.digest == function.program.digest
    assert (again.inputs, again.outputs) == (function.inputs, function.outputs)
    assert (again.needs_double, again.is_fast) == (function.needs_double, function.is_fast)
    arrays = [np.random.default_rng(0).normal(size=p.shape) for p in function.inputs]
    results = [f.call(*arrays) if len(f.outputs) > 1 else (f.call(*arrays),) for f in (again, function)]
    assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(*results, strict=True))


def test_every_built_in_program_survives() -> None:
    for name in ("solo12", "four_bar", "delta_robot"):
        try:
            robot = sv.load(name)
        except sv.SixvecError:
            continue
        for kernel in ("forward_dynamics", "poses"):
            program = robot.kernel(kernel).program
            assert from_data(json.loads(json.dumps(as_data(program)))).digest == program.digest


def test_identity_is_that_of_the_program() -> None:
    panda, again = sv.load("panda"), sv.load("panda")
    heavy = panda.with_gravity([0.0, 0.0, -9.80])
    identities = [functions.written(r.kernel("gravity_forces"))[0] for r in (panda, again, heavy)]
    assert identities[0] == identities[1] != identities[2] and identities[0].startswith("gravity_forces ")


def damaged(change: Any) -> tuple[str, str]:
    import hashlib

    _, text = functions.written(sv.load("planar_2r").kernel("gravity_forces"))
    data = json.loads(zlib.decompress(base64.b85decode(text)))
    plain = json.dumps(change(data)).encode()
    return f"x {hashlib.sha256(plain).hexdigest()}", base64.b85encode(zlib.compress(plain)).decode()


def _with(path: list[Any], value: Any) -> Any:
    def change(data: Any) -> Any:
        at = data
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        return data

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda data: 3,
        lambda data: [data],
        _with(["sixvec"], 99),
        _with(["program"], None),
        _with(["program", "name"], 3),
        _with(["program", "inputs"], [["q", [10**9, 10**9]]]),
        _with(["program", "inputs"], [["q", [-1]]]),
        _with(["program", "inputs"], [["q", [2]], ["q", [2]]]),
        _with(["program", "operations", 0], ["input", "q", 2]),
        _with(["program", "operations", 0], ["input", "__class__", 0]),
        _with(["program", "operations", 1], ["system", 0]),
        _with(["program", "operations", 1], ["add", 0]),
        _with(["program", "operations", 1], ["add", 0, 5]),
        _with(["program", "operations", 1], ["add", True, 0]),
        _with(["program", "operations", 1], []),
        _with(["program", "results", 0], [0]),
        _with(["program", "results", 0], [0, 10**6]),
        _with(["program", "results"], []),
        _with(["loop"], [0, 1, 0, "x"]),
        _with(["loop"], [3, 9, 0, "x"]),
        _with(["loop"], [3, 1, 9, "x"]),
    ],
)
def test_damaged_texts_are_errors(change: Any) -> None:
    with pytest.raises(ArgumentError):
        functions.function_of(*damaged(change))


def test_a_text_under_another_identity_is_an_error() -> None:
    one, two = (functions.written(sv.load(n).kernel("gravity_forces")) for n in ("panda", "planar_2r"))
    with pytest.raises(ArgumentError, match="gravity_forces"):
        functions._read(one[0], two[1])
    with pytest.raises(ArgumentError, match="gravity_forces"):
        functions._read(one[0], one[1][:-40])
    with pytest.raises(ArgumentError, match="gravity_forces"):
        functions._read("gravity_forces 123", "\x00 not base 85")


def test_robots_are_freed_after_their_export() -> None:
    import gc
    import weakref

    robot = sv.load("panda")
    kernel = weakref.ref(robot.kernel("gravity_forces"))
    functions.written(robot.kernel("gravity_forces"))
    del robot
    gc.collect()
    assert kernel() is None
