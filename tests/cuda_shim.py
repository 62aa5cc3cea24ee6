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
#include <pthread.h>
struct Index { unsigned x; };
struct double2 { double x, y; };
struct float2 { float x, y; };
static Index blockIdx, blockDim;
static thread_local Index threadIdx;
double2 shared_memory[1 << 14];
pthread_barrier_t meeting, of_warp[16];
#define __syncwarp() pthread_barrier_wait(&of_warp[threadIdx.x / 32])
#define __syncthreads() pthread_barrier_wait(&meeting)
#define __device__ __attribute__((unused))
#define __noinline__
#define __forceinline__ inline
#define __global__ __attribute__((unused))
#define __shared__
#define __constant__ static __attribute__((unused))
#define __launch_bounds__(...)
static inline unsigned long long atomicAdd(unsigned long long *p, unsigned long long n) {
  return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}
"""

_LOOP = """
extern "C" void launch_{name}(unsigned blocks, unsigned threads, {parameters}) {{
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) ::{name}({arguments});
}}
"""


_BLOCKS = """
extern "C" void launch_{name}(unsigned blocks, unsigned threads, {parameters}) {{
  struct Thread {{ unsigned k; void *call; void (*run)(void *); }};
  auto call = [=] {{ ::{name}({arguments}); }};
  using Call = decltype(call);
  auto run = [](void *x) {{ (*(Call *)x)(); }};
  auto begin = [](void *x) -> void * {{
    Thread *t = (Thread *)x;
    threadIdx.x = t->k;
    t->run(t->call);
    return nullptr;
  }};
  pthread_t block[512];
  Thread given[512];
  blockDim.x = threads;
  pthread_barrier_init(&meeting, nullptr, threads);
  for (unsigned k = 0; k < threads; k += 32)
    pthread_barrier_init(&of_warp[k / 32], nullptr, threads - k < 32 ? threads - k : 32);
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {{
    for (unsigned k = 0; k < threads; ++k) {{
      given[k] = Thread{{k, &call, run}};
      pthread_create(&block[k], nullptr, begin, &given[k]);
    }}
    for (unsigned k = 0; k < threads; ++k) pthread_join(block[k], nullptr);
  }}
  for (unsigned k = 0; k < threads; k += 32) pthread_barrier_destroy(&of_warp[k / 32]);
  pthread_barrier_destroy(&meeting);
}}
"""
"""Threads that wait for each other, for kernels with shared memory.  Those of C: libstdc++ would meet LLVM's own."""


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
        flags = ["-std=c++17", "-O0", "-pthread", "-ffp-contract=off", "-Wall", "-Wno-unknown-pragmas"]
        flags += ["-Werror", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-x", "c++", "-", "-o", str(made), "-lm"], input=text, text=True, check=True)
        made.replace(library)
    loaded = ctypes.CDLL(str(library))
    return {name: _launch(getattr(loaded, f"launch_{name}")) for name in sources}


def _loop(name: str, source: str) -> str:
    found = re.search(rf" {name}\((.*?)\) \{{", source, re.DOTALL)
    assert found
    arguments = ", ".join(p.split()[-1].lstrip("*") for p in found[1].split(","))
    loop = _BLOCKS if "__sync" in source else _LOOP
    return loop.format(name=name, parameters=found[1], arguments=arguments)


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
