"""The driver's own launch of a kernel: a few microseconds of Python, for arrays whose shapes are known to match."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sixvec.errors import DeviceMemoryError, MissingExtra, SixvecError

_NO_CONTEXT = (3, 201)
"""The driver's codes of a thread that has not used the device yet."""

_NO_MEMORY = 2


@cache
def driver() -> Any:
    """The driver's library."""
    name = "nvcuda" if os.name == "nt" else "libcuda.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError as problem:
        raise MissingExtra(f"CUDA arrays need NVIDIA's driver: {problem}") from None
    word, pointer = ctypes.c_uint, ctypes.c_void_p
    library.cuLaunchKernel.argtypes = [pointer, *[word] * 7, pointer, pointer, pointer]
    return library


def launch_address() -> int:
    """The address of the driver's launch function, for machine code."""
    return int(ctypes.cast(driver().cuLaunchKernel, ctypes.c_void_p).value or 0)


def _words(count: int) -> tuple[Any, Any]:
    """Words for the arguments of a launch, and their addresses."""
    values = (ctypes.c_longlong * count)()
    start = ctypes.addressof(values)
    return values, (ctypes.c_void_p * count)(*range(start, start + 8 * count, 8))


@dataclass(frozen=True)
class KernelLaunch:
    """How a kernel is launched, and which arrays of a function it takes, by number."""

    handle: int
    """The driver's."""
    rows: int
    """Samples of a block."""
    threads: int
    shared_bytes: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    uses_scratch: bool = False
    """Whether its last argument is the memory for numbers between kernels."""


class Launcher:
    """A kernel of CuPy's, ready to be launched with numbers and addresses, each in a word of eight bytes."""

    def __init__(self, kernel: Any, threads: int, shared_bytes: int) -> None:
        self.function, self._threads, self._shared_bytes = int(kernel.kernel.ptr), threads, shared_bytes
        self._launch = driver().cuLaunchKernel
        self._free: list[tuple[Any, Any]] = []
        """Words and their addresses that no launch is using: signal handlers and other threads make their own."""

    def __call__(self, blocks: int, stream: int, words: Sequence[int]) -> None:
        try:
            pair = self._free.pop()
        except IndexError:
            pair = _words(len(words))
        values, places = pair
        values[:] = words
        arguments = (self.function, blocks, 1, 1, self._threads, 1, 1, self._shared_bytes, stream, places, None)
        code = self._launch(*arguments)
        if code in _NO_CONTEXT:
            from sixvec.compiler.runtime.cuda import cupy

            cupy().cuda.runtime.free(0)
            code = self._launch(*arguments)
        self._free.append(pair)
        if code == _NO_MEMORY:
            raise DeviceMemoryError("the device has no memory left to run a kernel; free some, or give fewer samples")
        if code:
            raise SixvecError(f"the CUDA driver failed to launch a kernel, with its error {code}")


class Scratch:
    """Device memory between kernels.  That of a CUDA graph under recording is never given back: replays use it."""

    def __init__(self) -> None:
        self._recorded: list[Any] = []

    def __call__(self, numbers: int, dtype: str) -> Any:
        """An array for the kernels that the current stream gets next."""
        from sixvec.compiler.runtime.cuda import cupy

        array = cupy().empty(numbers, dtype)
        if cupy().cuda.get_current_stream().is_capturing():
            self._recorded.append(array)
        return array
