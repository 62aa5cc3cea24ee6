"""Functions of arrays on a device, with the CPU in its place: kernels of a C++ compiler, run when they are launched.

Everything from the arrays of a user to the arguments of a kernel is as on a device.
"""

from __future__ import annotations

import ast
import ctypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sixvec
from call_frames import buffer, called, frame, interface
from cuda_shim import launchable
from cupy_shim import _Module, ndarray
from naming import named
from sixvec.compiler import cache
from sixvec.compiler.emit import cuda_section
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.runtime import cuda, cuda_call, cuda_code, cuda_launch, cuda_sections
from sixvec.compiler.runtime.cuda import CudaKernel, CudaProgram, on_device, steps_of
from sixvec.compiler.runtime.cuda_frame import CudaHandler
from sixvec.compiler.runtime.cuda_loop import CudaLoop
from sixvec.errors import ArgumentError, SixvecError
from sixvec.scalar import where

LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
ATTRIBUTES = {
    "MaxRegistersPerMultiprocessor": 65536,
    "MaxSharedMemoryPerMultiprocessor": 233472,
    "MultiProcessorCount": 2,
}


class Array(ndarray):
    """An array of the device whose memory has an address."""

    data = property(lambda self: SimpleNamespace(ptr=self.numbers.ctypes.data))

    def __getitem__(self, key: Any) -> Any:
        return Array(np.asarray(self.numbers[key]))


def of_device(x: Any) -> Array:
    return Array(x.numbers if isinstance(x, ndarray) else np.asarray(x))


class Kernel:
    """A kernel as CuPy loads it."""

    max_dynamic_shared_size_bytes = 0

    def __init__(self, device: Device, source: str, symbol: str, options: tuple[str, ...]) -> None:
        self.options, self.source = options, source
        found = re.search(rf" {symbol}\((.*?)\) \{{", source, re.DOTALL)
        assert found
        self.words = found[1].count(",") + 1
        self.run = launchable({symbol: source})[symbol]
        device.kernels.append(self)
        self.ptr = len(device.kernels)
        self.calls: list[tuple[int, int, int]] = []

    def __call__(self, blocks: Any, threads: Any, arguments: Any, shared_mem: int) -> None:
        self.calls.append((*blocks, *threads, shared_mem))
        self.arguments = arguments
        self.run(blocks, threads, tuple(x.numbers if isinstance(x, ndarray) else x for x in arguments))


class Device:
    """Kernels by their handles, and a driver that launches them."""

    stream, capability, records = 4711, "90", False

    def __init__(self) -> None:
        self.compiler = Compiler()
        self.kernels: list[Kernel] = []
        self.launches: list[tuple[Any, ...]] = []
        self.cuLaunchKernel = LAUNCH(self._launch)

    def _launch(self, handle: int, *given: Any) -> int:
        *sizes, stream, places, _ = given
        kernel = self.kernels[handle - 1]
        addresses = (ctypes.c_void_p * kernel.words).from_address(places)
        words = [ctypes.c_longlong.from_address(a).value for a in addresses]
        self.launches.append((*sizes, stream))
        kernel.run((sizes[0],), (sizes[3],), tuple(words))
        return 0


class Compiler:
    """NVRTC: its machine code is the source with the options."""

    NVRTCError = RuntimeError

    def __init__(self) -> None:
        self.compiled: list[str] = []

    def getSupportedArchs(self) -> list[int]:
        return [80, 90]

    def getVersion(self) -> tuple[int, int]:
        return (13, 0)

    def createProgram(self, source: str, *_: Any) -> list[Any]:
        return [source]

    def compileProgram(self, program: list[Any], options: tuple[str, ...]) -> None:
        if "#error" in program[0]:
            raise RuntimeError("NVRTC_ERROR_COMPILATION")
        self.compiled.append(program[0])
        program.append(options)

    def getCUBIN(self, program: list[Any]) -> bytes:
        return repr(program).encode()

    def getPTX(self, program: list[Any]) -> str:
        return repr(program)

    def getProgramLog(self, program: list[Any]) -> str:
        return f"line 1: {program[0]}"

    def destroyProgram(self, program: list[Any]) -> None:
        pass


class Loaded:
    """A module of the driver's."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def load(self, code: bytes) -> None:
        self.source, self.options = ast.literal_eval(code.decode())

    def get_function(self, symbol: str) -> Kernel:
        return Kernel(self.device, self.source, symbol, self.options)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Device]:
    monkeypatch.setattr(cache, "directory", lambda: tmp_path / "cache" / cache.OURS)
    monkeypatch.setattr(cache, "files_are_what_runs", lambda: True)
    made = Device()
    module: Any = _Module("cupy")

    def allow(handle: int, attribute: int, value: int) -> None:
        assert attribute == cuda_code.MOST_SHARED
        made.kernels[handle - 1].max_dynamic_shared_size_bytes = value

    module.cuda = SimpleNamespace(
        Device=lambda *_: SimpleNamespace(id=0, attributes=ATTRIBUTES, compute_capability=made.capability),
        nvrtc=made.compiler,
        function=SimpleNamespace(Module=lambda: Loaded(made)),
        driver=SimpleNamespace(funcSetAttribute=allow, funcGetAttribute=lambda *_: 128),
        get_current_stream=lambda: SimpleNamespace(ptr=made.stream, is_capturing=lambda: made.records),
        runtime=SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=RuntimeError),
        memory=SimpleNamespace(OutOfMemoryError=MemoryError),
    )
    for name in ("empty", "full", "ascontiguousarray", "broadcast_to"):
        setattr(module, name, lambda *args, n=name: Array(getattr(np, n)(*(getattr(x, "numbers", x) for x in args))))
    module.asarray = lambda x, dtype=None: Array(np.asarray(x.numbers if isinstance(x, ndarray) else x, dtype))
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setattr(cuda_launch, "driver", lambda: made)
    cuda.cupy.cache_clear()
    yield made
    cuda.cupy.cache_clear()


@sixvec.compiled("x[3] y[2] -> a[2,2] b[3]")
def both(x, y):
    return [[x[0] * y[0], x[1] + y[1]], [2.0, x[2]]], [x[0] - y[0], y[1], x[1] * x[2]]


def both_by_numpy(x: Any, y: Any) -> tuple[Any, Any]:
    x, y = (np.asarray(z, float) for z in (x, y))
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    x, y = np.broadcast_to(x, (*lead, 3)), np.broadcast_to(y, (*lead, 2))
    a = [x[..., 0] * y[..., 0], x[..., 1] + y[..., 1], np.full(lead, 2.0), x[..., 2]]
    b = [x[..., 0] - y[..., 0], y[..., 1], x[..., 1] * x[..., 2]]
    return np.stack(a, -1).reshape(*lead, 2, 2), np.stack(b, -1)


def test_arrays_of_every_batch_shape_and_layout(device: Device) -> None:
    kernel, rng = CudaKernel(both), np.random.default_rng(0)
    x, y = rng.normal(size=(70, 3)), rng.normal(size=(70, 2))
    part = rng.normal(size=(5, 4, 6))
    cases = [
        (x, y),
        (x[0], y[0]),
        (x, y[0]),
        (x[:1], y),
        (x[:6].reshape(2, 3, 3), y[:3]),
        (x[:6].reshape(2, 3, 3), y[:2, None]),
        (np.asfortranarray(x), np.asfortranarray(y)),
        (part[..., :3], part[..., 4:]),
        (part[..., ::2], part[:, :1, 1:3]),
        (part.transpose(1, 0, 2)[..., :3], part[0][:, None, :2]),
        (x[:0], y[:0]),
        (x[::-1], y),
    ]
    for a, b in cases:
        expected = both_by_numpy(a, b)
        before = len(device.launches)
        for found, right in zip(kernel(of_device(a), of_device(b)), expected, strict=True):
            assert found.shape == right.shape and found.dtype == "float64"
            assert np.array_equal(found.numbers, right)
        count = expected[1].size // 3
        assert device.launches[before:] == [(-(-count // 64), 1, 1, 64, 1, 1, 64 * 8 * 14, 4711)] * (count > 0)
    assert len(device.kernels) == 1 and device.kernels[0].options == ("--fmad=false", "-arch=sm_90")


def test_precision_is_that_of_all_arrays_and_results_go_where_the_caller_wants(device: Device) -> None:
    kernel, x, y = CudaKernel(both, fast=True), np.ones((3, 3)), np.full((3, 2), 0.1)
    single = [of_device(z.astype("float32")) for z in (x, y)]
    assert [r.dtype for r in kernel(*single)] == ["float32"] * 2
    assert device.kernels[-1].options == ("--use_fast_math", "-arch=sm_90")
    mixed = kernel(single[0], of_device(y))
    assert [r.dtype for r in mixed] == ["float64"] * 2 and mixed[0].numbers[0, 0, 1] == 1.1
    made: list[Any] = []

    def empty(shape: tuple[int, ...], dtype: str) -> Any:
        made.append(Array(np.empty(shape, dtype)))
        return made[-1]

    found = kernel(*single, empty=empty)
    assert all(a is b for a, b in zip(found, made, strict=True))
    assert np.array_equal(found[0].numbers, both_by_numpy(x, np.float32(y))[0].astype("float32"))


def test_what_needs_double_precision_gets_it_and_gives_single(device: Device) -> None:
    @sixvec.compiled("x -> y")
    def ill(x):
        return (x + 1e8) - 1e8

    ill.needs_double = True
    kernel = CudaKernel(ill)
    (found,) = kernel(of_device(np.float32([1.0, 3.0])))
    assert found.dtype == "float32" and found.numbers.tolist() == [1.0, 3.0]
    assert kernel.direct("float32") is None and kernel.direct("float64") is not None
    (found,) = kernel(of_device(np.array([1.0, 3.0])))
    assert found.dtype == "float64" and found.numbers.tolist() == [1.0, 3.0]


@sixvec.compiled("x[2] -> y[20,21] z[3]")
def large(x):
    numbers = [x[0] * (j + 1.0) + x[1] for j in range(418)]
    return [[*numbers, 7.0, numbers[5]][21 * i : 21 * i + 21] for i in range(20)], [numbers[3], -1.0, x[0]]


def test_results_too_large_for_one_kernel_are_written_in_sections(device: Device) -> None:
    kernel = CudaKernel(large)
    assert kernel.direct("float64") is None and isinstance(kernel.program("float64"), cuda_sections.CudaSections)
    x = np.random.default_rng(1).normal(size=(131, 2))
    y, z = (r.numbers for r in kernel(of_device(x)))
    expected = large(x)
    assert np.array_equal(y, expected[0]) and np.array_equal(z, expected[1])
    (one,) = (r.numbers for r in kernel(of_device(x[7]))[1:])
    assert np.array_equal(one, expected[1][7])


@sixvec.compiled("x[2] k u[1] -> x1[2] y[3]")
def swing(x, k, u):
    new = [x[0] + x[1] * k, x[1] - x[0] * k + u[0]]
    return new, [new[0], 7.0, new[1]]


def test_loops_with_an_entry_for_each_step_or_one_for_all(device: Device) -> None:
    loop, rng = Iterated(swing, 5, carried=1, each=1), np.random.default_rng(2)
    kernel = CudaKernel(loop)
    x, u, k = rng.normal(size=(40, 2)), rng.normal(size=(40, 5, 1)), np.array(0.25)
    held = np.broadcast_to(u[:, :1], u.shape)
    for given, in_memory in ((u, 1), (held, 0), (u[0], 1), (held[3], 0)):
        expected = loop(x, k, given)
        found = kernel(*map(of_device, (x, k, given)))
        for a, b in zip(found, expected, strict=True):
            assert np.array_equal(a.numbers, b)
        count, steps, following, _, x_shared, _, k_shared, _, u_shared, u_held, *_ = device.kernels[0].arguments
        assert (count, steps, following, x_shared, k_shared) == (40, 5, 0, 0, 1)
        assert u_shared == (given.ndim == 2) and u_held == 1 - in_memory
    assert device.kernels[0].calls[0][:2] == (1, 64)
    once = Iterated(swing, 1, carried=1, each=1)
    for a, b in zip(CudaKernel(once)(*map(of_device, (x, k, u[:, :1]))), once(x, k, u[:, :1]), strict=True):
        assert np.array_equal(a.numbers, b)
    assert device.kernels[1].arguments[9] == 0
    assert [r.shape for r in kernel(*map(of_device, (x[:0], k, u[:0])))] == [(0, 2), (0, 5, 3)]


@sixvec.compiled("x rounds n -> x1 rounds1 go")
def root(x, rounds, n):
    better = 0.5 * (x + n / x)
    goes_on = abs(better - x) > 1e-12
    return where(goes_on, better, x), where(goes_on, rounds + 1.0, rounds), where(goes_on, 1.0, 0.0)


def test_loops_that_end_by_themselves(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, x = Iterated(root, 100, carried=2, until=True), np.linspace(0.1, 9.0, 300)
    for attributes, blocks in (
        ({}, 5),  # all of them: 65536 registers / (128 · 64) = 8 blocks on each of 2 multiprocessors
        ({"MaxRegistersPerMultiprocessor": 128 * 64 * 2}, 4),
        ({"MaxRegistersPerMultiprocessor": 128 * 64 - 1}, 2),  # at least one on each
        ({"MaxSharedMemoryPerMultiprocessor": 2 * (64 * 8 + 1024)}, 4),
    ):
        with monkeypatch.context() as patch:
            for name, value in attributes.items():
                patch.setitem(ATTRIBUTES, name, value)
            kernel = CudaKernel(loop)
            found = [r.numbers for r in kernel(*map(of_device, (x, np.array(0.0), np.array(2.0))))]
        launched = device.kernels[-1]
        assert launched.calls == [(blocks, 64, 64 * 8)]
        following = launched.arguments[2].numbers
        assert following.dtype == "uint64" and following[0] >= 300
        assert np.array_equal(found, loop(x, 0.0, 2.0))
    plan = CudaLoop(loop, "float64")
    plan.__dict__["kernel"] = SimpleNamespace(num_regs=1)
    assert plan._resident == 2 * 32


def test_shared_memory_beyond_the_default_is_asked_for(device: Device) -> None:
    source = 'extern "C" __global__ void f(long long n) {\n  (void)n;\n}\n'
    for room, asked in ((0, 0), (48 * 1024, 0), (48 * 1024 + 1, 48 * 1024 + 1)):
        assert cuda.raw_kernel(source, "f", shared_bytes=room).kernel.max_dynamic_shared_size_bytes == asked
    assert cuda.raw_kernel(source, "f").kernel.options == ("--fmad=false", "-arch=sm_90")


def test_machine_code_is_kept_on_disk(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'extern "C" __global__ void f(long long n) {\n  (void)n;\n}\n'
    found = cuda_code.machine_code(source, ("--fmad=false",), "90")
    assert cuda_code.machine_code(source, ("--fmad=false",), "90") == found
    assert device.compiler.compiled == [source]
    others = [(source + " ", ("--fmad=false",), "90"), (source, (), "90"), (source, ("--fmad=false",), "80")]
    for other in others:
        assert cuda_code.machine_code(*other) != found
    assert len(device.compiler.compiled) == 4
    monkeypatch.setattr(device.compiler, "getVersion", lambda: (13, 1))
    cuda_code.machine_code(source, ("--fmad=false",), "90")
    assert len(device.compiler.compiled) == 5
    folder = cache.directory()
    assert folder is not None
    for file in folder.glob("*.code"):
        file.chmod(0o666)  # others could have written it
    cuda_code.machine_code(source, ("--fmad=false",), "90")
    assert len(device.compiler.compiled) == 6


def test_a_device_newer_than_the_compiler_gets_code_for_the_driver(device: Device) -> None:
    assert b"-arch=compute_90" in cuda_code.machine_code("int x;", (), "121")


def test_what_the_compiler_says_is_shown(device: Device) -> None:
    with pytest.raises(SixvecError, match=named("line 1")):
        cuda_code.machine_code("#error", (), "90")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["forward_dynamics_derivatives", "forward_dynamics"])
def test_long_programs_in_sections(device: Device, monkeypatch: pytest.MonkeyPatch, name: str, dtype: str) -> None:
    """Small limits, so that everything happens: numbers in shared, local and device memory, and several pieces."""
    monkeypatch.setattr(cuda, "ONE_KERNEL", {"float64": 100, "float32": 100})
    monkeypatch.setattr(cuda_sections, "SCRATCH_BYTES", 1)
    monkeypatch.setitem(cuda_section.REGISTERS, dtype, 40)
    monkeypatch.setitem(cuda_section.SHARED, dtype, 64 * 32 * np.dtype(dtype).itemsize)
    whole = cuda_sections.sections
    monkeypatch.setattr(cuda_sections, "sections", lambda program, most, dtype: whole(program, 600, most, dtype))
    robot = sixvec.load("panda")
    kernel = CudaKernel(robot.kernel(name))
    rng = np.random.default_rng(2)
    q, v, tau = (x.astype(dtype) for x in rng.normal(size=(3, 101, 7)))
    q[3, 2] = 1e7  # an angle that is reduced out of line
    for inputs in ((q, v, tau), (q[:1], v[0], tau), (np.asfortranarray(q), v, tau), (q[:0], v[:0], tau[:0])):
        expected = getattr(robot, name)(*inputs)
        found = [x.numbers for x in kernel(*map(of_device, inputs))]
        for x, y in zip(found, expected if isinstance(expected, tuple) else [expected], strict=True):
            assert x.dtype == dtype and np.array_equal(x, y)
    program = kernel.program(dtype)
    assert isinstance(program, cuda_sections.CudaSections) and kernel.direct(dtype) is None
    assert len(program.kernels) >= 2 and program.rows == 32
    text = "".join(code.source for code in program.codes)
    assert "volatile" in text and (name == "forward_dynamics" or "local_[" in text)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_long_programs_for_jax(device: Device, monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    """The handler launches all sections for each piece of a batch; XLA provides the memory between them."""
    monkeypatch.setattr(cuda, "ONE_KERNEL", {"float64": 100, "float32": 100})
    monkeypatch.setattr(cuda_sections, "SCRATCH_BYTES", 1)
    whole = cuda_sections.sections
    monkeypatch.setattr(cuda_sections, "sections", lambda program, most, dtype: whole(program, 600, most, dtype))
    robot = sixvec.load("panda")
    kernel = robot.kernel("forward_dynamics_derivatives")
    sys.modules["cupy"].cuda.runtime.deviceSynchronize = lambda: None
    handler = CudaHandler(kernel, dtype)
    rng = np.random.default_rng(2)
    q, v, tau = (x.astype(dtype) for x in rng.normal(size=(3, 75, 7)))
    for inputs in ((q, v, tau), (q[:1], v[0], tau), (q[0], v[0], tau[0])):
        expected = robot.forward_dynamics_derivatives(*inputs)
        batch = expected[0].shape[:-2]
        scratch = np.full(handler.scratch(int(np.prod(batch, dtype=int))), np.nan, dtype)
        assert scratch.size and scratch.size % 32 == 0 and handler.scratch(75) == handler.scratch(32)
        outputs = [np.full(batch + p.shape, np.nan, dtype) for p in kernel.outputs]
        buffers = [[buffer(x.ctypes.data, *x.shape) for x in some] for some in (inputs, [*outputs, scratch])]
        errors: list[Any] = []
        assert called(handler.address, frame(interface(device.stream, errors), *buffers)) is None and not errors
        for x, y in zip(outputs, expected, strict=True):
            assert np.array_equal(x, y)
    assert {stream for *_, stream in device.launches} == {device.stream}
    monkeypatch.setattr(cuda, "ONE_KERNEL", {"float64": 8000, "float32": 8000})
    assert CudaHandler(both, dtype).scratch(10) == 0


def test_memory_of_a_recorded_graph_is_not_given_back(device: Device) -> None:
    scratch = cuda_launch.Scratch()
    scratch(3, "float64")
    assert not scratch._recorded
    device.records = True
    made = scratch(3, "float64")
    assert scratch._recorded == [made]


def test_programs_that_are_too_long_say_so(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    from sixvec.compiler.emit import cuda as emit_cuda
    from sixvec.compiler.emit import cuda_sections as cut
    from sixvec.compiler.runtime import cuda_loop

    for module in (emit_cuda, cuda_loop):
        monkeypatch.setattr(module, "ONE_FUNCTION", 5)
    monkeypatch.setattr(cut, "LONGEST", 5)
    makers: list[Any] = [
        lambda: emit_cuda.emit_cuda(both.program),
        lambda: CudaLoop(Iterated(swing, 5, carried=1, each=1), "float64"),
        lambda: cut.sections(both.program),
    ]
    for make in makers:
        with pytest.raises(ArgumentError, match="CUDA"):
            make()


def test_launches_in_machine_code(device: Device) -> None:
    program = CudaProgram(both.program, "float64")
    x, y = np.arange(210.0).reshape(70, 3), np.arange(140.0).reshape(70, 2)
    a, b = np.zeros((70, 2, 2)), np.zeros((70, 3))
    run = program.launching(70, [(3, 1), (2, 1)])
    assert run is not None
    assert run(*(z.ctypes.data for z in (x, y, a, b)), 99) == 0
    assert device.launches == [(2, 1, 1, 64, 1, 1, 64 * 8 * 14, 99)]
    assert np.array_equal(a, both_by_numpy(x, y)[0]) and np.array_equal(b, both_by_numpy(x, y)[1])
    assert cuda_call.launching(1, (1, 1, 1, 0), [0] * 64) is not None
    assert cuda_call.launching(1, (1, 1, 1, 0), [0] * 65) is None


def test_made_once_for_each_way_of_compiling(device: Device) -> None:
    @sixvec.compiled("x -> y")
    def twice(x):
        return 2.0 * x

    assert on_device(twice) is on_device(twice, False) is not on_device(twice, True)
    assert on_device(twice, True)._fast and not on_device(twice)._fast
    own = SimpleNamespace(for_device=lambda fast: ("own", fast))
    assert on_device(own, True) == ("own", True)  # type: ignore[arg-type]


def test_steps_of_arrays() -> None:
    assert steps_of((4, 5, 2, 3), (30, 6, 3, 1), 2) == (6, 1)
    assert steps_of((4, 5, 2, 3), (30, 6, 1, 2), 2) is None
    assert steps_of((4, 5, 2, 3), (60, 12, 6, 2), 2) == (12, 2)
    assert steps_of((1, 5, 1, 3), (99, 3, 99, 1), 2) == (3, 1)
    assert steps_of((1, 1), (7, 8), 1) == (0, 1)
    assert steps_of((), (), 0) == (0, 1)
    assert steps_of((4,), (5,), 0) == (5, 1)
