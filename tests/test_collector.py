"""Whatever happens while the collector is paused, it runs again afterwards, in children too."""

from __future__ import annotations

import gc
import os
import threading

import pytest

from sixvec.collector import collector_paused
from sixvec.compiler.program import Port, trace


def test_an_error_in_a_trace_ends_the_pause() -> None:
    def function(x: object) -> None:
        assert not gc.isenabled()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        trace("f", [Port("x", (1,))], function)  # type: ignore[arg-type]
    assert gc.isenabled()


def test_pauses_within_pauses_and_those_of_the_user() -> None:
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
def test_a_child_of_a_paused_thread_collects() -> None:
    begun, end = threading.Event(), threading.Event()

    def work() -> None:
        with collector_paused():
            begun.set()
            end.wait()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if gc.isenabled() else 1)
    end.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert gc.isenabled()
