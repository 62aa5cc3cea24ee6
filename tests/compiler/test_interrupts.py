"""Ctrl-C while LLVM works: always a KeyboardInterrupt, never "Exception ignored in"."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_double
from typing import Any

import llvmlite.binding as llvm
import pytest

from sixvec.compiler.build import compile_object, load_object
from sixvec.compiler.interrupts import interrupts_held

SEVEN = "define double @seven() {\n  ret double 7.0\n}\n"


@pytest.mark.parametrize("work", [lambda _: compile_object(SEVEN, 1), lambda code: load_object(code, "seven")])
def test_an_interrupt_in_a_finalizer_of_llvm_is_raised(
    work: Callable[[bytes], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = compile_object(SEVEN, 1)
    freed: list[str] = []
    finalize = llvm.ffi.ObjectRef.__del__

    def interrupted(self: Any) -> None:
        freed.append(type(self).__name__)
        signal.raise_signal(signal.SIGINT)
        finalize(self)

    monkeypatch.setattr(llvm.ffi.ObjectRef, "__del__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        work(code)
    assert freed
    monkeypatch.undo()
    assert CFUNCTYPE(c_double)(load_object(code, "seven").address)() == 7.0


def test_a_handler_of_the_user_is_called_once_after_the_work() -> None:
    happened: list[object] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: happened.append((number, frame is not None)))
    try:
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            happened.append("work")
        assert happened == ["work", (signal.SIGINT, True)]
        signal.raise_signal(signal.SIGINT)
        assert len(happened) == 3
        with interrupts_held():
            pass
        assert len(happened) == 3
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_of_the_work_does_not_hide_the_interrupt() -> None:
    @interrupts_held()
    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        raise ValueError("no such register")

    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert isinstance(caught.value.__context__, ValueError)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # as before


def test_ignored_interrupts_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_held():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_compile_without_touching_handlers() -> None:
    found: list[object] = []

    def work() -> None:
        code = load_object(compile_object(SEVEN, 1), "seven")
        with interrupts_held():
            found.append(signal.getsignal(signal.SIGINT))
        found.append(CFUNCTYPE(c_double)(code.address)())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT), 7.0]
