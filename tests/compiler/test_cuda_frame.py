"""The handler that launches for XLA, called as XLA calls it, with a driver that takes notes instead of launching."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from sixvec.compiler.build import compile_object, load_object
from sixvec.compiler.memory import integers, pointers
from sixvec.compiler.runtime.cuda_frame import handler_assembly

WORD, POINTER = ctypes.c_uint, ctypes.c_void_p
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, *[WORD] * 7, POINTER, ctypes.POINTER(POINTER), POINTER)
ASKED = ctypes.CFUNCTYPE(POINTER, ctypes.POINTER(ctypes.c_int64))


def buffer(data: int, *shape: int) -> Any:
    dims = integers(shape)
    made = integers([48, 0, 0, data, len(shape), ctypes.addressof(dims)])
    made.kept = dims
    return made


def frame(api: Any, inputs: list[Any], outputs: list[Any]) -> Any:
    words = [0] * 16
    args, rets = (pointers(ctypes.addressof(x) for x in some) for some in (inputs, outputs))
    words[2], words[3], words[9], words[14] = ctypes.addressof(api), 77, ctypes.addressof(args), ctypes.addressof(rets)
    made = integers(words)
    made.kept = (args, rets, inputs, outputs)
    return made


def handled(inputs: list[Any], outputs: list[Any], own: tuple[list[tuple[int, int]], list[int]], code: int = 0) -> Any:
    """What the driver got, what the handler returned, and what error was made."""
    launched: list[Any] = []
    errors: list[Any] = []
    count = 1 + 3 * len(inputs) + len(outputs)

    @LAUNCH
    def launch(function: Any, *rest: Any) -> int:
        *sizes, stream, places, _ = rest
        launched.append((function, sizes, stream, [ctypes.c_int64.from_address(places[k]).value for k in range(count)]))
        return code

    @ASKED
    def stream_get(request: Any) -> Any:
        assert request[0] == 32 and request[2] == 77
        request[3] = 4242
        return None

    @ASKED
    def error_create(request: Any) -> Any:
        errors.append((ctypes.string_at(request[2]), request[3]))
        return 99

    api = integers([0] * 16)
    api[6], api[10] = (ctypes.cast(f, POINTER).value for f in (error_create, stream_get))
    message = ctypes.create_string_buffer(b"refused")
    address = ctypes.cast(launch, POINTER).value
    text = handler_assembly(*own, (1234, 128, 128, 512), address or 0, ctypes.addressof(message))
    handler = load_object(compile_object(text, 9), "handler")
    given = frame(api, inputs, outputs)
    returned = ctypes.CFUNCTYPE(POINTER, POINTER)(handler.address)(ctypes.addressof(given))
    return launched, returned, errors


def test_a_launch_for_all_samples_on_the_stream_of_xla() -> None:
    inputs = [buffer(0x1000, 3, 50, 7), buffer(0x2000, 7)]
    outputs = [buffer(0x3000, 3, 50, 7, 7), buffer(0x4000, 3, 50)]
    launched, returned, _ = handled(inputs, outputs, ([(1, 7), (1, 7)], [2, 0]))
    assert returned is None
    ((function, sizes, stream, words),) = launched
    assert function == 1234 and stream == 4242
    assert sizes == [2, 1, 1, 128, 1, 1, 512]
    assert words == [150, 0x1000, 7, 1, 0x2000, 0, 1, 0x3000, 0x4000]


def test_no_samples_no_launch() -> None:
    launched, returned, _ = handled([buffer(0, 0, 7)], [buffer(0, 0, 7)], ([(1, 7)], [1]))
    assert returned is None and launched == []


@pytest.mark.parametrize("code", [2, 400])
def test_what_the_driver_refuses_is_an_error_of_xla(code: int) -> None:
    _, returned, errors = handled([buffer(1, 4, 7)], [buffer(2, 4, 7)], ([(1, 7)], [1]), code)
    assert returned == 99 and errors == [(b"refused", 13)]


def test_registration_says_which_version_and_that_graphs_may_record_it() -> None:
    text = handler_assembly([(1, 7)], [1], (1, 128, 128, 0), 1, 1)
    handler = load_object(compile_object(text, 9), "handler")
    facts = integers([0] * 5)
    extension = integers([0, 1, 0, ctypes.addressof(facts)])
    asked = integers([0, ctypes.addressof(extension), *[0] * 14])
    assert ctypes.CFUNCTYPE(POINTER, POINTER)(handler.address)(ctypes.addressof(asked)) is None
    assert facts[3] == 3 << 32  # major 0, minor 3
    assert facts[4] == 1
