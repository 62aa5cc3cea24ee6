"""The robots of the laws, and the targets they run on."""

from __future__ import annotations

from functools import cache

from random_trees import random_tree
from sixvec import Robot

TREES = {
    "tree": lambda: random_tree(1, bodies=10),
    "floating": lambda: random_tree(2, bodies=9, floating=True),
    "forest": lambda: random_tree(3, bodies=11),
    "small": lambda: random_tree(4, bodies=4),
    "tiny": lambda: random_tree(5, bodies=3),
}
"""The first three hold every joint type."""

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
