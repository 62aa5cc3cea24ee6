"""Safe forks: a fork waits while another thread generates machine code or imports a module."""

from __future__ import annotations

import _imp
import os
import sys
import threading
from contextlib import suppress
from importlib import import_module

building = threading.RLock()
"""Held while machine code is generated: LLVM's options are global, so only one thread at a time."""

_IMPORTED_LATE = ("sixvec", "llvmlite", "platformdirs", "numpy")


def _begun() -> set[str]:
    """Modules that some thread is importing.  A child would wait forever for that thread, which it lacks."""
    ours = [(name, m) for name, m in tuple(sys.modules.items()) if name.split(".", 1)[0] in _IMPORTED_LATE]
    return {name for name, m in ours if getattr(getattr(m, "__spec__", None), "_initializing", False)}


def _before() -> None:
    building.acquire()
    mine: set[str] = set()  # a module may fork while it is imported; its thread is there in the child, too
    while True:
        _imp.acquire_lock()  # no import begins while it is held
        others = _begun() - mine
        if not others:
            return
        _imp.release_lock()
        for name in others:
            with suppress(Exception):  # the error is raised in the importing thread
                import_module(name)  # returns when the module is complete, or at once if this thread imports it
        mine |= others & _begun()


def _after() -> None:
    try:
        _imp.release_lock()
    finally:  # an interrupt may have come between the two
        building.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
