"""What all tests share: a cache of their own, and the robots and targets on which the laws must hold."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache

import pytest

from random_states import States, random_states
from random_trees import random_tree
from sixvec import Robot
from targets import OnTarget

_CACHE = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Compiled kernels go to a folder of this run, shared by its workers and removed at its end."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.stash[_CACHE] = tempfile.mkdtemp(prefix="sixvec-tests-")
        os.environ["SIXVEC_CACHE_DIR"] = config.stash[_CACHE]


def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_CACHE, None):
        shutil.rmtree(folder, ignore_errors=True)


TREES = {
    "tree": lambda: random_tree(1, bodies=10),
    "floating": lambda: random_tree(2, bodies=9, floating=True),
    "forest": lambda: random_tree(3, bodies=11),
    "small": lambda: random_tree(4, bodies=4),
    "tiny": lambda: random_tree(5, bodies=3),
}
"""The robots of the laws; the first three hold every joint type."""

CASES = [
    ("tree", "interpreter"), ("floating", "interpreter"),
    ("tree", "scalar"), ("floating", "scalar"),
    ("tree", "simd"), ("floating", "simd"), ("forest", "simd"),
    ("small", "c"),
]  # fmt: skip
"""Which robot on which target: machine code for all, C where the compiler has little to do."""

SMALLER_CASES = [("tree", "interpreter"), ("small", "scalar"), ("floating", "simd"), ("tiny", "c")]
"""For laws about large programs."""


@cache
def tree(name: str) -> Robot:
    return Robot(TREES[name]())


@pytest.fixture(params=CASES, ids="-".join)
def robot(request: pytest.FixtureRequest) -> OnTarget:
    """A random tree on one target; a law that takes it is held on all of them."""
    name, target = request.param
    return OnTarget(tree(name), target)


@pytest.fixture
def states(robot: OnTarget) -> States:
    return random_states(robot)
