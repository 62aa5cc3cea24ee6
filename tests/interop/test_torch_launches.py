"""Calls with tensors on a device, with the CPU in its place: kernels run by a loop over threads, launched as on one."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from cuda_shim import launchable
from sixvec.compiler.runtime import cuda

torch = pytest.importorskip("torch")
from sixvec.interop import torch as interop  # noqa: E402
from sixvec.interop import torch_cuda  # noqa: E402

HERE = -1
"""The index that torch gives the CPU."""

POINTER = ctypes.c_void_p
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, *[ctypes.c_uint] * 7, POINTER, ctypes.POINTER(POINTER), POINTER)


class Driver:
    """A driver that runs kernels at once and takes notes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.launches: list[tuple[int, list[int]]] = []
        self.code, self._kernels = 0, [None]
        self._launch = LAUNCH(self._run)
        monkeypatch.setattr(cuda, "launch_address", lambda: ctypes.cast(self._launch, ctypes.c_void_p).value)
        monkeypatch.setattr(cuda, "cupy", lambda: SimpleNamespace())
        monkeypatch.setattr(cuda, "raw_kernel", self._compiled)
        monkeypatch.setattr(torch._C, "_cuda_getDevice", lambda: HERE, raising=False)
        monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda device: 4242, raising=False)
        monkeypatch.setattr(interop, "shortcut", lambda function, arrays: torch_cuda.calls_of(function))
        monkeypatch.setattr(interop, "run", lambda function, tensors: pytest.fail("not launched directly"))

    def _compiled(self, source: str, symbol: str, fast: bool, shared_bytes: int) -> Any:
        self._kernels.append(launchable({symbol: source})[symbol])
        return SimpleNamespace(kernel=SimpleNamespace(ptr=len(self._kernels) - 1))

    def _run(self, kernel: int, blocks: int, _y: int, _z: int, threads: int, *rest: Any) -> int:
        stream, places = rest[-3:-1]
        run: Any = self._kernels[kernel]
        count = int(ctypes.c_int64.from_address(places[0]).value)
        words = [int(ctypes.c_int64.from_address(places[k]).value) for k in range(self.words)]
        self.launches.append((stream, words))
        if not self.code:
            assert count == words[0]
            run((blocks,), (threads,), tuple(words))
        return self.code

    words = 11


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    return Driver(monkeypatch)


def state(*batch: int, dtype: Any = None) -> list[Any]:
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.normal(size=(*batch, 2)), dtype=dtype or torch.float64) for _ in range(3)]


def test_one_launch_for_each_call_on_the_stream_of_torch(driver: Driver) -> None:
    robot = sv.load("planar_2r")
    for batch in ((40,), (40,), (5, 8), (70,), (40,)):
        given = state(*batch)
        found = robot.inverse_dynamics(*given)
        assert type(found) is torch.Tensor and found.shape == (*batch, 2) and found.is_contiguous()
        assert np.array_equal(found.numpy(), robot.kernel("inverse_dynamics").call_numpy(*(x.numpy() for x in given)))
        assert driver.launches[-1] == (4242, [found.numel() // 2, *words_of(given), found.data_ptr()])
    assert len(driver.launches) == 5


def words_of(given: list[Any]) -> list[int]:
    return [w for x in given for w in (x.data_ptr(), 2, 1)]


def test_component_major_tensors_slices_and_one_row_for_all_are_not_copied(driver: Driver) -> None:
    robot = sv.load("planar_2r")
    kernel = robot.kernel("forward_dynamics")
    turned = [torch.randn(2, 40, dtype=torch.float64) for _ in range(3)]
    both = torch.randn(40, 4, dtype=torch.float64)
    cases = [
        ([x.T for x in turned], [1, 40] * 3),
        ([both[:, :2], both[:, 2:], turned[0].T], [4, 1, 4, 1, 1, 40]),
        ([turned[0][:, 0], both[:, 2:], both[:1, :2].expand(40, 2)], [0, 40, 4, 1, 0, 1]),
        ([x.reshape(2, 8, 5).permute(1, 2, 0) for x in turned], [1, 40] * 3),
    ]
    for given, steps in cases:
        found = robot.forward_dynamics(*given)
        assert np.array_equal(found.numpy(), kernel.call_numpy(*(x.numpy() for x in given)))
        _, words = driver.launches[-1]
        assert [w for k, w in enumerate(words[1:10]) if k % 3] == steps
        assert [words[k] for k in (1, 4, 7)] == [x.data_ptr() for x in given]


def test_single_precision_and_several_results(driver: Driver) -> None:
    robot = sv.load("planar_2r")
    given = state(7, dtype=torch.float32)
    driver.words = 13
    found = robot.forward_dynamics_derivatives(*given)
    expected = robot.kernel("forward_dynamics_derivatives").call_numpy(*(x.numpy() for x in given))
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == torch.float32 and np.array_equal(x.numpy(), y)


def test_a_name_of_a_frame_follows_the_arrays(driver: Driver) -> None:
    robot = sv.load("planar_2r")
    q, driver.words = state(7)[0], 5
    for frame in (*robot.frame_names[-2:], robot.frame_names[-1]):
        found = robot.jacobian(q, frame)
        assert np.array_equal(found.numpy(), robot.kernel("jacobian", frame=frame).call_numpy(q.numpy()))


def test_calls_that_are_no_plain_launch_take_the_whole_path(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = sv.load("planar_2r")
    given = state(7)
    robot.inverse_dynamics(*given)
    before = len(driver.launches)
    run: list[Any] = []
    real = sv.load("planar_2r").kernel("inverse_dynamics").call_numpy

    def whole(function: Any, tensors: Any) -> Any:
        run.append(tensors)
        return [torch.from_numpy(np.asarray(real(*(x.detach().numpy() for x in tensors))))]

    monkeypatch.setattr(interop, "run", whole)
    q, v, a = given
    assert robot.inverse_dynamics(q.requires_grad_(), v, a).requires_grad
    with torch.no_grad():
        robot.inverse_dynamics(q, v, a)
    assert len(run) == 1 and len(driver.launches) == before + 1
    q = q.detach()
    robot.inverse_dynamics(q[:0], v[:0], a[:0])
    robot.inverse_dynamics(q, v.float(), a)
    driver.code = 400
    robot.inverse_dynamics(q, v, a)
    assert len(run) == 4
    robot.inverse_dynamics(q, v, a.numpy())
    assert len(run) == 5 and isinstance(run[-1][2], torch.Tensor)
    with pytest.raises(sv.SixvecError, match="inverse_dynamics"):
        robot.inverse_dynamics(q.to_sparse(), v, a)
