"""CUDA kernels on machines without a device: a C++ compiler, and a loop over blocks and threads."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_BEFORE = """#include <math.h>
struct Index { unsigned x; };
static Index blockIdx, blockDim, threadIdx;
#define __global__
"""

_LOOP = """
extern "C" void launch_{name}(unsigned blocks, unsigned threads, {parameters}) {{
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) ::{name}({arguments});
}}
"""


def launchable(sources: Mapping[str, str]) -> dict[str, Callable[..., None]]:
    """Kernels by name, each called as `kernel((blocks,), (threads,), arguments)`, on arrays of NumPy."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    text = _BEFORE + "".join(source + _loop(name, source) for name, source in sources.items())
    folder = Path(os.environ["SIXVEC_CACHE_DIR"]) / "cuda"
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"{hashlib.sha256(text.encode()).hexdigest()}.so"
    if not library.exists():
        made = library.with_suffix(f".{os.getpid()}")
        flags = ["-std=c++17", "-O0", "-ffp-contract=off", "-Wall", "-Werror", "-shared", "-fPIC", "-x", "c++", "-"]
        subprocess.run([compiler, *flags, "-o", str(made), "-lm"], input=text, text=True, check=True)
        made.replace(library)
    loaded = ctypes.CDLL(str(library))
    return {name: _launch(getattr(loaded, f"launch_{name}")) for name in sources}


def _loop(name: str, source: str) -> str:
    found = re.search(rf"void {name}\((.*?)\) \{{", source, re.DOTALL)
    assert found
    arguments = ", ".join(p.split()[-1].lstrip("*") for p in found[1].split(","))
    return _LOOP.format(name=name, parameters=found[1], arguments=arguments)


def _launch(function: Any) -> Callable[..., None]:
    def launch(blocks: tuple[int], threads: tuple[int], arguments: tuple[Any, ...]) -> None:
        passed = [_passed(x) for x in arguments]
        function(ctypes.c_uint(blocks[0]), ctypes.c_uint(threads[0]), *passed)

    return launch


def _passed(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        assert x.flags.c_contiguous
        return ctypes.c_void_p(x.ctypes.data)
    return ctypes.c_int(x) if isinstance(x, np.int32) else ctypes.c_longlong(x)
