"""The machine that kernels are compiled for."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from typing import Any

from sixvec.errors import MissingExtra

_ELEMENT_BITS = {"float64": 64, "float32": 32}


@dataclass(frozen=True, slots=True)
class Target:
    """What decides about machine code: triple, CPU, features and the width of a vector register."""

    triple: str
    cpu: str
    features: str
    vector_bits: int

    def width(self, dtype: str) -> int:
        """How many samples fit into one vector."""
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
    """This machine."""
    binding = llvm()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    features = binding.get_host_cpu_features()
    wide = [("avx512f", 512), ("avx", 256), ("sse2", 128), ("neon", 128)]
    bits = next((b for name, b in wide if features.get(name)), 128)
    triple = binding.get_process_triple()
    cpu = binding.get_host_cpu_name() or platform.machine()
    return Target(triple, cpu, features.flatten(), bits)
