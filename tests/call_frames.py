"""Call frames of XLA's foreign function interface, as XLA makes them for handlers."""

from __future__ import annotations

import ctypes
from typing import Any

from sixvec.compiler.memory import integers, pointers

POINTER = ctypes.c_void_p
_ASKED = ctypes.CFUNCTYPE(POINTER, ctypes.POINTER(ctypes.c_int64))
_CONTEXT, ERROR = 77, 99


def buffer(data: int, *shape: int) -> Any:
    """An array at an address."""
    dims = integers(shape)
    made = integers([48, 0, 0, data, len(shape), ctypes.addressof(dims)])
    made.kept = dims
    return made


def interface(stream: int, errors: list[Any]) -> Any:
    """The functions of XLA: one gives the stream, the other one makes an error from a message and a code."""

    @_ASKED
    def stream_get(request: Any) -> Any:
        assert request[0] == 32 and request[2] == _CONTEXT
        request[3] = stream
        return None

    @_ASKED
    def error_create(request: Any) -> Any:
        errors.append((ctypes.string_at(request[2]), request[3]))
        return ERROR

    made = integers([0] * 16)
    made[6], made[10] = (ctypes.cast(f, POINTER).value for f in (error_create, stream_get))
    made.kept = (error_create, stream_get)
    return made


def frame(api: Any, inputs: list[Any], outputs: list[Any]) -> Any:
    """A call."""
    words = [0] * 16
    args, rets = (pointers(ctypes.addressof(x) for x in some) for some in (inputs, outputs))
    words[2], words[3] = ctypes.addressof(api), _CONTEXT
    words[9], words[14] = ctypes.addressof(args), ctypes.addressof(rets)
    made = integers(words)
    made.kept = (args, rets, inputs, outputs)
    return made


def called(handler: int, call: Any) -> int | None:
    """What the handler returns: nothing, or an error."""
    returned: int | None = ctypes.CFUNCTYPE(POINTER, POINTER)(handler)(ctypes.addressof(call))
    return returned
