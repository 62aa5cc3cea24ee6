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
    ("tree", "interpreter"), ("forest", "simd"), ("tree", "scalar"), ("floating", "simd"),
    ("small", "c"), ("tree", "simd"), ("floating", "interpreter"), ("floating", "scalar"),
]  # fmt: skip
"""Which robot on which target: machine code for all, C where the compiler has little to do.  In an order of which one
half (`every(2)`) has every target and both a fixed and a floating root."""

SMALLER_CASES = [("tree", "interpreter"), ("small", "scalar"), ("floating", "simd"), ("tiny", "c")]
"""For laws about large programs."""


@cache
def tree(name: str) -> Robot:
    return Robot(TREES[name]())
