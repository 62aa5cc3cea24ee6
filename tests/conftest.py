"""What all tests share: a cache of their own, and the robots on which the laws must hold."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from cupy_shim import cupy_without_device
from naming import Names
from random_states import States, random_states
from subjects import CASES, tree
from targets import OnTarget

collect_ignore_glob = ["*conftest.py"]
"""Not to be searched for doctests: a second conftest.py in a folder below has the same module name."""

_CACHE = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Compiled kernels go to a folder of this run, shared by its workers and removed at its end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what runs in the background ignore it
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.stash[_CACHE] = tempfile.mkdtemp(prefix="sixvec-tests-")
        os.environ["SIXVEC_CACHE_DIR"] = config.stash[_CACHE]
        os.environ["SIXVEC_BACKGROUND"] = "off"  # every test sees the best code, and its cores are its own
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a worker a core: more threads only wait for each other


def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_CACHE, None):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_runtest_teardown() -> None:
    """The precision of JAX belongs to the process: a test that chooses it must not choose for the next ones."""
    if jax := sys.modules.get("jax"):
        jax.config.update("jax_enable_x64", False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with `every(k)`, one of 2 k cases runs every day, and the others are marked slow.

    In every second run of k cases another place is taken, the diagonal: with cases (robot, reference) and k references
    every reference has its turn, on every second robot.  The daily tests have ten minutes, all of them.
    """
    seen: dict[tuple[str, str], int] = {}
    for item in items:
        if marker := item.get_closest_marker("every"):
            key = (str(item.path), getattr(item, "originalname", item.name))
            seen[key] = seen.get(key, -1) + 1
            run, place = divmod(seen[key], marker.args[0])
            if run % 2 or place != run // 2 % marker.args[0]:
                item.add_marker(pytest.mark.slow)


def pytest_make_parametrize_id(val: object) -> str | None:
    """The names that a message must contain, instead of their pattern."""
    return "+".join(val.names) if isinstance(val, Names) else None


@pytest.fixture(params=["stand-in", "device"])
def xp(request: pytest.FixtureRequest) -> Iterator[Any]:
    """CuPy on a CUDA device, and with the CPU in its place."""
    if request.param == "device":
        module = pytest.importorskip("cupy")
        try:
            has_device = module.cuda.runtime.getDeviceCount() > 0
        except module.cuda.runtime.CUDARuntimeError:
            has_device = False
        if not has_device:
            pytest.skip("no CUDA device")
        yield module
        return
    with cupy_without_device() as module:
        yield module


@pytest.fixture(params=CASES, ids="-".join)
def robot(request: pytest.FixtureRequest) -> OnTarget:
    """A random tree on one target; a law that takes it is held on all of them."""
    name, target = request.param
    return OnTarget(tree(name), target)


@pytest.fixture
def states(robot: OnTarget) -> States:
    return random_states(robot)
