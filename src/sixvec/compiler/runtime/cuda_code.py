"""Machine code for a CUDA device: compiled by NVRTC through CuPy, kept in the cache of kernels, loaded per device."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sixvec.compiler import cache
from sixvec.errors import SixvecError

EXACT = ("--fmad=false",)
"""Products and sums are fused in the program already; a compiler that fuses more gives different bits."""

FAST = ("--use_fast_math",)

DEFAULT_SHARED_BYTES = 48 * 1024
"""Bytes of shared memory available to a kernel by default."""

LOCAL_BYTES, REGISTERS, MOST_SHARED = 3, 4, 8
"""The driver's numbers of attributes of a kernel."""


class DeviceKernel:
    """A kernel on every device on which it is used, compiled when it is first used."""

    def __init__(self, source: str, symbol: str, fast: bool = False, shared_bytes: int = 0) -> None:
        self.source, self.symbol = source, symbol
        self._options, self._shared_bytes = FAST if fast else EXACT, shared_bytes
        self._functions: dict[int, tuple[Any, Any]] = {}

    def __call__(self, blocks: tuple[int], threads: tuple[int], arguments: tuple[Any, ...], shared_mem: int) -> None:
        """Launch on CuPy's current stream."""
        self.kernel(blocks, threads, arguments, shared_mem)

    @property
    def kernel(self) -> Any:
        """The function of CuPy's on the current device."""
        xp = _cupy()
        device = xp.cuda.Device()
        if device.id not in self._functions:
            module = xp.cuda.function.Module()
            module.load(machine_code(self.source, self._options, str(device.compute_capability)))
            function = module.get_function(self.symbol)
            if self._shared_bytes > DEFAULT_SHARED_BYTES:
                xp.cuda.driver.funcSetAttribute(function.ptr, MOST_SHARED, self._shared_bytes)
            self._functions[device.id] = (function, module)
        return self._functions[device.id][0]

    @property
    def num_regs(self) -> int:
        """Registers of a thread."""
        return self._attribute(REGISTERS)

    @property
    def local_size_bytes(self) -> int:
        """Local memory of a thread."""
        return self._attribute(LOCAL_BYTES)

    def _attribute(self, number: int) -> int:
        return int(_cupy().cuda.driver.funcGetAttribute(number, self.kernel.ptr))


def compile_together(kernels: Sequence[DeviceKernel]) -> None:
    """Compile the kernels of a long program for the current device, at the same time."""
    capability = str(_cupy().cuda.Device().compute_capability)
    with ThreadPoolExecutor() as pool:  # NVRTC releases the interpreter's lock
        list(pool.map(lambda kernel: machine_code(kernel.source, kernel._options, capability), kernels))


def machine_code(source: str, options: tuple[str, ...], capability: str) -> bytes:
    """The code for devices of a compute capability, from the cache or compiled.

    The key has all that determines the code: the source, the options, the architecture and the compiler's version.
    """
    nvrtc = _cupy().cuda.nvrtc
    known = sorted(map(int, nvrtc.getSupportedArchs()))
    exact = int(capability) in known
    target = capability if exact else str(max([a for a in known if a <= int(capability)], default=known[0]))
    facts = (source, options, "sm" if exact else "compute", target, tuple(nvrtc.getVersion()))
    key = hashlib.sha256(repr(("cuda", *facts)).encode()).hexdigest()
    code = cache.read(key)
    if code is None:
        code = _compiled(nvrtc, source, (*options, f"-arch={facts[2]}_{target}"), exact)
        cache.write(key, code)
    return code


def _compiled(nvrtc: Any, source: str, options: tuple[str, ...], exact: bool) -> bytes:
    """Machine code; for a device newer than the compiler, code that the driver translates."""
    program = nvrtc.createProgram(source, "sixvec.cu", (), ())
    try:
        nvrtc.compileProgram(program, options)
        binary = nvrtc.getCUBIN(program) if exact else nvrtc.getPTX(program)
        return binary if isinstance(binary, bytes) else bytes(binary, "ascii")
    except nvrtc.NVRTCError as problem:
        log = nvrtc.getProgramLog(program)
        raise SixvecError(f"NVRTC does not compile a kernel ({problem}): {log}") from None
    finally:
        nvrtc.destroyProgram(program)


def _cupy() -> Any:
    from sixvec.compiler.runtime.cuda import cupy

    return cupy()
