"""As much of CuPy as the solver uses, on NumPy arrays: kernels run by a loop, and a stream that records launches."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from cuda_shim import launchable

_ARRAY_FUNCTIONS = ("asarray", "concatenate", "roll", "sin", "stack", "sum", "swapaxes", "zeros")


class CudaError(Exception):
    """Stands for the runtime's and the driver's errors."""


class Graph:
    """Recorded launches."""

    def __init__(self) -> None:
        self.launches: list[tuple[Any, tuple[Any, ...]]] = []
        self.replays = 0

    def launch(self, stream: Any = None) -> None:
        self.replays += 1
        for function, arguments in self.launches:
            function(*arguments)


def recording_cupy(devices: int = 1, refuses: bool = False) -> Any:
    """A module `cupy`; with `refuses` its driver ends every recording with an error."""
    graphs: list[Graph] = []
    recording: list[Graph] = []

    class Stream:
        def __init__(self, non_blocking: bool = False) -> None:
            assert non_blocking  # launches on the legacy stream cannot be recorded

        def __enter__(self) -> Stream:
            return self

        def __exit__(self, *error: object) -> None:
            assert not recording

        def begin_capture(self) -> None:
            recording.append(Graph())

        def end_capture(self) -> Graph:
            made = recording.pop()
            if refuses:
                raise CudaError("recording refused")
            graphs.append(made)
            return made

        def synchronize(self) -> None:
            assert not recording

    class RawKernel:
        def __init__(self, source: str, name: str, options: tuple[str, ...] = ()) -> None:
            assert "--fmad=false" in options
            self._function = launchable({name: source})[name]

        def __call__(self, *arguments: Any) -> None:
            if recording:
                recording[-1].launches.append((self._function, arguments))
            else:
                self._function(*arguments)

    current = Stream(non_blocking=True)
    module = types.ModuleType("cupy")
    errors = {"CUDARuntimeError": CudaError, "CUDADriverError": CudaError}
    runtime = types.SimpleNamespace(getDeviceCount=lambda: devices, **errors)
    module.__dict__.update(
        {name: getattr(np, name) for name in _ARRAY_FUNCTIONS}, RawKernel=RawKernel, graphs=graphs,
        cuda=types.SimpleNamespace(
            Stream=Stream, runtime=runtime, driver=types.SimpleNamespace(**errors), get_current_stream=lambda: current
        ),
    )  # fmt: skip
    return module
