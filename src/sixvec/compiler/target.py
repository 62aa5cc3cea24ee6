"""The machine that kernels are compiled for."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sixvec.errors import ArgumentError, MissingExtra

_ELEMENT_BITS = {"float64": 64, "float32": 32}


@dataclass(frozen=True, slots=True)
class Target:
    """The properties that determine machine code: triple, CPU, features and the width of a vector register."""

    triple: str
    cpu: str
    features: str
    vector_bits: int

    def width(self, dtype: str) -> int:
        """The number of samples in one vector."""
        return max(2, self.vector_bits // _ELEMENT_BITS[dtype])


def llvm() -> Any:
    """llvmlite's binding, imported late: tracing and emitting source must work without it."""
    try:
        import llvmlite.binding as binding
    except ImportError as error:
        raise MissingExtra(
            "machine code needs llvmlite: pip install llvmlite  (tracing, counting and C source work without it)"
        ) from error
    return binding


def llvm_version() -> str:
    import llvmlite

    return str(llvmlite.__version__)


@cache
def host() -> Target:
    """This machine, or the one named by `SIXVEC_CPU`."""
    binding = llvm()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    features = binding.get_host_cpu_features()
    triple = binding.get_process_triple()
    named = os.environ.get("SIXVEC_CPU", "")
    if named:
        target = _restricted(named, triple, features)
    else:
        wide = [("avx512f", 512), ("avx", 256), ("sse2", 128), ("neon", 128)]
        bits = next((b for name, b in wide if features.get(name)), 128)
        cpu = binding.get_host_cpu_name() or platform.machine()
        target = Target(triple, cpu, features.flatten(), bits)
    if triple.startswith("x86_64") and not (_FUSES & {named} if named else features.get("fma")):
        warnings.warn(
            f"{named or 'this processor'} has no fused multiply-add, so each one is a call of the C library: kernels "
            "are some hundred times slower than on processors since 2013 (Haswell, Zen)",
            stacklevel=2,
        )
    return target


_LEVELS: dict[str, tuple[int, tuple[str, ...]]] = {
    "x86-64": (128, ()),
    "x86-64-v2": (128, ("sse4.2", "popcnt")),
    "nehalem": (128, ("sse4.2", "popcnt")),
    "x86-64-v3": (256, ("avx2", "fma", "bmi2")),
    "haswell": (256, ("avx2", "fma", "bmi2")),
    "x86-64-v4": (512, ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
}
"""Processors that `SIXVEC_CPU` may name: bits of a vector, and some of what this machine must have for it."""

_FUSES = {"x86-64-v3", "haswell", "x86-64-v4"}


def _restricted(cpu: str, triple: str, features: Mapping[str, bool]) -> Target:
    """Machine code for any processor of that kind: to debug, or for a cache shared by unlike machines."""
    known = _LEVELS if triple.startswith("x86_64") else {"generic": (128, ())}
    if cpu not in known:
        raise ArgumentError(f'SIXVEC_CPU is "{cpu}"; on {triple} it may be: {", ".join(known)}')
    bits, needed = known[cpu]
    if missing := [name for name in needed if not features.get(name)]:
        raise ArgumentError(f'SIXVEC_CPU is "{cpu}", but this processor has no {", ".join(missing)}')
    return Target(triple, cpu, "", bits)
