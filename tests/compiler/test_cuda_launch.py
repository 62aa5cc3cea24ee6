"""What reaches the CUDA driver in a launch, with a driver that records."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sixvec.compiler.runtime import cuda, cuda_launch
from sixvec.compiler.runtime.cuda_launch import Launcher
from sixvec.errors import DeviceMemoryError, MissingExtra, SixvecError

_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
KERNEL = SimpleNamespace(kernel=SimpleNamespace(ptr=0xBEEF0))
WORDS = (-(2**62), 7, -1, 0, 2**40 + 3)


class Driver:
    """Answers launches with the given codes, then with success."""

    def __init__(self, *codes: int, during: Callable[[], None] = lambda: None) -> None:
        self.codes, self.during = [*codes], during
        self.launches: list[tuple[Any, ...]] = []
        self.words: list[tuple[int, ...]] = []
        self.cuLaunchKernel = _TYPE(self._launch)

    def _launch(self, *given: Any) -> int:
        *plain, places, extra = given
        self.launches.append((*plain, extra))
        self.during()
        addresses = (ctypes.c_void_p * len(WORDS)).from_address(places)
        self.words.append(tuple(ctypes.c_longlong.from_address(a).value for a in addresses))
        return self.codes.pop(0) if self.codes else 0


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Driver]:
    def of(*codes: int, during: Callable[[], None] = lambda: None) -> Driver:
        found = Driver(*codes, during=during)
        monkeypatch.setattr(cuda_launch, "driver", lambda: found)
        return found

    return of


def test_grid_block_memory_stream_and_words_arrive(install: Callable[..., Driver]) -> None:
    driver = install()
    launch = Launcher(KERNEL, 96, 4096)
    launch(5, 0xABC, WORDS)
    launch(6, 0xABD, WORDS[::-1])
    shape = (1, 1, 96, 1, 1, 4096)
    assert driver.launches == [(0xBEEF0, 5, *shape, 0xABC, None), (0xBEEF0, 6, *shape, 0xABD, None)]
    assert driver.words == [WORDS, WORDS[::-1]]
    assert cuda_launch.launch_address() == ctypes.cast(driver.cuLaunchKernel, ctypes.c_void_p).value


def test_a_launch_during_a_launch_has_words_of_its_own(install: Callable[..., Driver]) -> None:
    launches: list[Launcher] = []
    driver = install(during=lambda: launches.pop()(2, 0, WORDS[::-1]) if launches else None)
    launch = Launcher(KERNEL, 32, 0)
    launches.append(launch)
    launch(1, 0, WORDS)
    assert driver.words == [WORDS[::-1], WORDS]  # the inner one ends first


@pytest.mark.parametrize("code", [3, 201])
def test_a_thread_without_a_context_gets_one_and_launches_again(
    code: int, install: Callable[..., Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    freed: list[int] = []
    runtime = SimpleNamespace(free=freed.append)
    monkeypatch.setattr(cuda, "cupy", lambda: SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    driver = install(code)
    Launcher(KERNEL, 32, 0)(1, 0, WORDS)
    assert driver.words == [WORDS, WORDS] and freed == [0]


def test_errors_of_the_driver(install: Callable[..., Driver]) -> None:
    install(2)
    with pytest.raises(DeviceMemoryError, match="memory"):
        Launcher(KERNEL, 32, 0)(1, 0, WORDS)
    for code in (1, 700):
        install(code)
        with pytest.raises(SixvecError, match=f"error {code}$") as caught:
            Launcher(KERNEL, 32, 0)(1, 0, WORDS)
        assert not isinstance(caught.value, DeviceMemoryError)


@pytest.mark.parametrize(("system", "library"), [("nt", "nvcuda"), ("posix", "libcuda.so.1")])
def test_the_library_of_the_driver(system: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    function = SimpleNamespace()

    def find(name: str) -> Any:
        opened.append(name)
        return SimpleNamespace(cuLaunchKernel=function)

    with monkeypatch.context() as patch:
        patch.setattr(os, "name", system)
        patch.setattr(ctypes, "CDLL", find)
        found = cuda_launch.driver.__wrapped__()
    assert opened == [library] and found.cuLaunchKernel is function
    pointer, word = ctypes.sizeof(ctypes.c_void_p), ctypes.sizeof(ctypes.c_uint)
    assert [ctypes.sizeof(t) for t in function.argtypes] == [pointer, *[word] * 7, *[pointer] * 3]


def test_no_driver_is_a_missing_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise OSError(f"{name}: cannot open")

    monkeypatch.setattr(ctypes, "CDLL", fail)
    with pytest.raises(MissingExtra, match="driver"):
        cuda_launch.driver.__wrapped__()
