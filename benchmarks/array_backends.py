"""The array libraries that are installed, each with its way to compile a function and to wait for the device."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

Array = Any
Program = Callable[[], Array]


@dataclass(frozen=True)
class Backend:
    """`xp` holds the functions, `convert` moves NumPy arrays to the device, `prepare` makes a call cheap to repeat."""

    name: str
    device: str
    xp: Any
    convert: Callable[[Array], Array]
    prepare: Callable[[Callable[..., Array], tuple[Any, ...]], tuple[str, Program]]
    wait: Callable[[Array], None]
    as_numpy: Callable[[Array], Array]

    @property
    def on_gpu(self) -> bool:
        return self.device != "CPU"


def numpy_backend() -> Backend:
    return Backend("numpy", "CPU", np, np.asarray, _plainly, lambda x: None, np.asarray)


def cupy_backend() -> Backend | None:
    cupy = _module("cupy")
    try:
        if cupy is None or not cupy.cuda.runtime.getDeviceCount():
            return None
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except Exception:  # a CuPy without a driver raises its own kinds of error
        return None
    return Backend(
        "cupy", name, cupy, cupy.asarray, _plainly, lambda x: cupy.cuda.get_current_stream().synchronize(), cupy.asnumpy
    )


def jax_backend() -> Backend | None:
    jax = _module("jax")
    if jax is None:
        return None
    jax.config.update("jax_enable_x64", True)
    device = jax.devices()[0]

    def prepare(function: Callable[..., Array], arguments: tuple[Any, ...]) -> tuple[str, Program]:
        compiled = jax.jit(function)
        return "jit", lambda: compiled(*arguments)

    return Backend(
        "jax",
        "CPU" if device.platform == "cpu" else device.device_kind,
        jax.numpy,
        jax.numpy.asarray,
        prepare,
        lambda x: x.block_until_ready(),
        np.asarray,
    )


def torch_backend(own_inverse: bool = False) -> Backend | None:
    """PyTorch; with `own_inverse` small matrices are inverted by our array operations, which always can be recorded."""
    torch = _module("torch")
    if torch is None:
        return None
    gpu = torch.cuda.is_available()
    device = torch.device("cuda" if gpu else "cpu")
    if gpu:
        torch.backends.cuda.preferred_linalg_library("cusolver")
    # torch.linalg.inv asks the device whether it succeeded and waits for the answer; inv_ex does not.
    linalg = SimpleNamespace(inv=lambda a: torch.linalg.inv_ex(a, check_errors=False)[0])
    names = ("concatenate", "stack", "swapaxes", "roll", "sin", "sum")
    if own_inverse:
        linalg = SimpleNamespace(inv=lambda a: _block_inverse(torch, a))
    return Backend(
        "torch, own inverse" if own_inverse else "torch",
        torch.cuda.get_device_name() if gpu else "CPU",
        SimpleNamespace(linalg=linalg, **{name: getattr(torch, name) for name in names}),
        lambda x: torch.asarray(x, device=device),
        _torch_graph if gpu else _plainly,
        (lambda x: torch.cuda.synchronize()) if gpu else (lambda x: None),
        lambda x: x.cpu().numpy(),
    )


def _torch_graph(function: Callable[..., Array], arguments: tuple[Any, ...]) -> tuple[str, Program]:
    """All kernel launches recorded once and replayed together; plain calls where the recording is refused."""
    torch = _module("torch")
    try:
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                function(*arguments)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = function(*arguments)
    except RuntimeError:
        torch.cuda.synchronize()
        return _plainly(function, arguments)

    def replay() -> Array:
        graph.replay()
        return result

    return "CUDA graph", replay


def _plainly(function: Callable[..., Array], arguments: tuple[Any, ...]) -> tuple[str, Program]:
    return "calls", lambda: function(*arguments)


def backends() -> list[Backend]:
    """Every library that is there, NumPy first."""
    found = (numpy_backend(), cupy_backend(), jax_backend(), torch_backend(), torch_backend(own_inverse=True))
    return [backend for backend in found if backend is not None]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _block_inverse(xp: Any, A: Array) -> Array:
    """A⁻¹ of symmetric positive definite matrices (n, k, k) by halving them: array operations only, no pivoting.

    With A = [P Q; Qᵀ T] and the Schur complement Z = (T - Qᵀ P⁻¹ Q)⁻¹.  For devices on which the library's inverse
    synchronises with the host or cannot be recorded.
    """
    k = A.shape[-1]
    if k == 1:
        return 1.0 / A
    h = k // 2
    P, Q = _block_inverse(xp, A[..., :h, :h]), A[..., :h, h:]
    gain = P @ Q
    Z = _block_inverse(xp, A[..., h:, h:] - xp.swapaxes(Q, -1, -2) @ gain)
    corner = -(gain @ Z)
    above = xp.concatenate([P - corner @ xp.swapaxes(gain, -1, -2), corner], -1)
    return xp.concatenate([above, xp.concatenate([xp.swapaxes(corner, -1, -2), Z], -1)], -2)
