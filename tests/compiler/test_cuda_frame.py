"""The handler that launches for XLA, called as XLA calls it, with a driver that takes notes instead of launching."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from call_frames import buffer, called, frame, interface
from sixvec.compiler.build import compile_object, load_object
from sixvec.compiler.memory import integers
from sixvec.compiler.runtime.cuda_frame import ALL, handler_assembly
from sixvec.compiler.runtime.cuda_launch import KernelLaunch

WORD, POINTER = ctypes.c_uint, ctypes.c_void_p
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, *[WORD] * 7, POINTER, ctypes.POINTER(POINTER), POINTER)


Ports = list[tuple[int, int]]


def handled(
    inputs: list[Any],
    outputs: list[Any],
    own: tuple[Ports, Ports],
    code: int = 0,
    kernels: list[KernelLaunch] | None = None,
    piece: int = ALL,
    failing: int | None = None,
) -> Any:
    """What the driver got, what the handler returned, and what error was made; `code` from launch `failing` on."""
    launched: list[Any] = []
    errors: list[Any] = []
    whole = KernelLaunch(1234, 128, 128, 512, tuple(range(len(own[0]))), tuple(range(len(own[1]))))
    of_handle = {kernel.handle: kernel for kernel in kernels or [whole]}

    @LAUNCH
    def launch(function: Any, *rest: Any) -> int:
        *sizes, stream, places, _ = rest
        kernel = of_handle[function]
        count = 1 + 3 * len(kernel.inputs) + len(kernel.outputs) + kernel.uses_scratch
        launched.append((function, sizes, stream, [ctypes.c_int64.from_address(places[k]).value for k in range(count)]))
        return code if failing is None or len(launched) > failing else 0

    api = interface(4242, errors)
    message = ctypes.create_string_buffer(b"failing")
    address = ctypes.cast(launch, POINTER).value
    text = handler_assembly(*own, [*of_handle.values()], "float64", piece, address or 0, ctypes.addressof(message))
    handler = load_object(compile_object(text, 9), "handler")
    given = frame(api, inputs, outputs)
    return launched, called(handler.address, given), errors


def test_a_launch_for_all_samples_on_the_stream_of_xla() -> None:
    inputs = [buffer(0x1000, 3, 50, 7), buffer(0x2000, 7)]
    outputs = [buffer(0x3000, 3, 50, 7, 7), buffer(0x4000, 3, 50)]
    launched, returned, _ = handled(inputs, outputs, ([(1, 7), (1, 7)], [(2, 49), (0, 1)]))
    assert returned is None
    ((function, sizes, stream, words),) = launched
    assert function == 1234 and stream == 4242
    assert sizes == [2, 1, 1, 128, 1, 1, 512]
    assert words == [150, 0x1000, 7, 1, 0x2000, 0, 1, 0x3000, 0x4000]


def test_no_samples_no_launch() -> None:
    launched, returned, _ = handled([buffer(0, 0, 7)], [buffer(0, 0, 7)], ([(1, 7)], [(1, 7)]))
    assert returned is None and launched == []


@pytest.mark.parametrize("code", [2, 400])
def test_what_the_driver_rejects_is_an_error_of_xla(code: int) -> None:
    _, returned, errors = handled([buffer(1, 4, 7)], [buffer(2, 4, 7)], ([(1, 7)], [(1, 7)]), code)
    assert returned == 99 and errors == [(b"failing", 13)]


SERIES = [KernelLaunch(11, 32, 32, 64, (0, 1), (), True), KernelLaunch(12, 32, 32, 96, (), (0, 1), True)]
"""The first kernel of a program reads its inputs, the last one writes its results."""


@pytest.mark.parametrize("count", [1, 63, 64, 65, 150])
def test_kernels_one_after_the_other_piece_by_piece(count: int) -> None:
    inputs, outputs = [buffer(0x10000, count, 7), buffer(0x20000, 7)], [buffer(0x30000, count, 7, 7)]
    outputs += [buffer(0x40000, count), buffer(0x50000, 1000)]
    launched, returned, _ = handled(inputs, outputs, ([(1, 7), (1, 7)], [(2, 49), (0, 1)]), kernels=SERIES, piece=64)
    assert returned is None
    expected = []
    for first in range(0, count, 64):
        here = min(64, count - first)
        row = 7 if count > 1 else 0
        sizes = [-(-here // 32), 1, 1, 32, 1, 1]
        read = [here, 0x10000 + 8 * row * first, row, 1, 0x20000, 0, 1, 0x50000]
        written = [here, 0x30000 + 8 * 49 * first, 0x40000 + 8 * first, 0x50000]
        expected += [(11, [*sizes, 64], 4242, read), (12, [*sizes, 96], 4242, written)]
    assert launched == expected


def test_nothing_is_launched_after_an_error() -> None:
    inputs, outputs = [buffer(0x10000, 9, 7), buffer(0x20000, 9, 7)], [buffer(0x30000, 9, 7), buffer(0x40000, 9)]
    outputs.append(buffer(0x50000, 1000))
    own = ([(1, 7), (1, 7)], [(1, 7), (0, 1)])
    for failing, count in ((0, 1), (1, 2)):
        launched, returned, errors = handled(inputs, outputs, own, 700, SERIES, 64, failing)
        assert len(launched) == count and returned == 99 and errors == [(b"failing", 13)]


def test_registration_says_which_version_and_that_graphs_may_record_it() -> None:
    text = handler_assembly([(1, 7)], [(1, 7)], [KernelLaunch(1, 128, 128, 0, (0,), (0,))], "float64", ALL, 1, 1)
    handler = load_object(compile_object(text, 9), "handler")
    facts = integers([0] * 5)
    extension = integers([0, 1, 0, ctypes.addressof(facts)])
    asked = integers([0, ctypes.addressof(extension), *[0] * 14])
    assert called(handler.address, asked) is None
    assert facts[3] == 3 << 32  # major 0, minor 3
    assert facts[4] == 1
