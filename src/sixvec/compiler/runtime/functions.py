"""The functions of the runtime as machine code: one for each kind of lanes, compiled once and kept by the process."""

from __future__ import annotations

import ctypes
from functools import cache

from sixvec.compiler import cache as disk
from sixvec.compiler.build import Code, compile_object, load_object
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.fingerprint import code_key
from sixvec.compiler.forks import building
from sixvec.compiler.runtime.batch import batch_assembly

_P, _N = ctypes.c_void_p, ctypes.c_int64

ONE = ctypes.CFUNCTYPE(None, _P, _P)
"""kernel(inputs, outputs): pointers to arrays of pointers."""

BATCH = ctypes.CFUNCTYPE(None, _P, _N, _N, _N, _N, _P, _P, _P, _N, _P, _P, _P, _P, _P)
"""batch(body, width, first, stop, then inputs and outputs: count, pointers, strides, columns; tiles of both)."""


@cache
def _batch_text(lanes: Lanes) -> str:
    return batch_assembly(lanes)


def batch_loop(lanes: Lanes) -> Code:
    """The loop over the rows of a batch."""
    return runtime_function("batch", _batch_text(lanes), lanes)


_loaded: dict[tuple[str, str, Lanes], Code] = {}
"""Not a `functools.cache`: of two first calls in different threads, that would keep the last result and free the
other, whose address is in use."""


def runtime_function(symbol: str, assembly: str, lanes: Lanes) -> Code:
    """A function of the runtime, from the disk cache or compiled now."""
    function = _loaded.get((symbol, assembly, lanes))
    if function is None:
        with building:
            if (symbol, assembly, lanes) in _loaded:
                return _loaded[symbol, assembly, lanes]
            # A signal handler may enter here while the same thread loads: the first to finish is kept.
            function = _loaded.setdefault((symbol, assembly, lanes), _load(symbol, assembly, lanes))
    return function


def _load(symbol: str, assembly: str, lanes: Lanes) -> Code:
    return load_object(runtime_object(assembly, lanes), symbol)


def runtime_object(assembly: str, lanes: Lanes) -> bytes:
    """Object code of the runtime, from the disk cache or compiled now."""
    key = code_key(assembly, lanes)
    code = disk.read(key)
    if code is None:
        code = compile_object(assembly, assembly.count("\n"))
        disk.write(key, code)
    return code
