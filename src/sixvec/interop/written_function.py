"""Compiled functions as text that identifies them and suffices to make them again, in any process.

Programs that torch exports contain calls of our functions.  A saved file must compute with the robot for which it was
made, whatever else the process that loads it has compiled; so the scalar program is part of the call.  It is plain data
(`compiler/program_text.py`): loading a file executes nothing of it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from sixvec.compiler.program_text import as_data, from_data
from sixvec.errors import ArgumentError
from sixvec.kernels.function import CompiledProgram
from sixvec.kernels.portable import Portable
from sixvec.sim.adjoint import Loop

VERSION = 1
LARGEST = 1 << 30
"""Bytes of a program's text: that of a humanoid's second derivatives has 3e7."""
_KEPT = 256
"""Functions made from texts that are kept."""

_texts: WeakKeyDictionary[Portable, tuple[str, str]] = WeakKeyDictionary()
_alive: WeakValueDictionary[str, Portable] = WeakValueDictionary()
"""Functions of this process by their identity, as long as anything else uses them."""


def written(function: Portable) -> tuple[str, str]:
    """The identity of a function, and its program as text."""
    written = _texts.get(function)
    if written is None:
        text = json.dumps(_data(function), separators=(",", ":")).encode()
        identity = f"{function.name} {hashlib.sha256(text).hexdigest()}"
        written = identity, base64.b85encode(zlib.compress(text)).decode()
        _texts[function] = written
        _alive.setdefault(identity, function)
    return written


def function_of(identity: str, text: str) -> Portable:
    """The function with this identity, made from its text where this process does not have it."""
    return _alive.get(identity) or _read(identity, text)


def _data(function: Any) -> dict[str, Any]:
    loop = {}
    if isinstance(function, Loop):
        loop = {"loop": [function.steps, function.carried, function.each, function.name]}
    program = as_data(function.step.program if loop else function.program)
    return {"sixvec": VERSION, "double": function.needs_double, "fast": function.is_fast, **loop, "program": program}


@lru_cache(maxsize=_KEPT)
def _read(identity: str, text: str) -> Portable:
    try:
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(base64.b85decode(text), LARGEST)
        data = json.loads(plain) if unpacking.eof else None
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        data = None
    name, _, digest = identity.rpartition(" ")
    if not isinstance(data, dict) or hashlib.sha256(plain).hexdigest() != digest:
        raise ArgumentError(f'the saved function "{name[:80]}" does not contain its program: the file is damaged')
    if data.get("sixvec") != VERSION:
        raise ArgumentError(
            f'the saved function "{name[:80]}" was written by another version of sixvec; export it again'
        )
    return _function(data)


def _function(data: dict[str, Any]) -> Portable:
    function: Portable = CompiledProgram(from_data(data.get("program")))
    function.needs_double, function.is_fast = data.get("double") is True, data.get("fast") is True
    if "loop" not in data:
        return function
    steps, carried, each, name = data["loop"]
    inputs, outputs = len(function.inputs), len(function.outputs)
    counts_fit = all(type(n) is int and n >= 0 for n in (steps, carried, each)) and steps > 0
    if not (counts_fit and carried + each <= inputs and carried <= outputs and isinstance(name, str)):
        raise ArgumentError("this is not a program of sixvec: a loop that does not fit its step")
    loop = Loop(function, steps, carried, each, name=name)
    loop.is_fast = function.is_fast
    return loop
