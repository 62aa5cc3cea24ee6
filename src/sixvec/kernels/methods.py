"""The algorithms as methods.  Their typed signatures are in methods.pyi, which `make stubs` writes."""

from __future__ import annotations

from sixvec.algorithms import REGISTRY
from sixvec.kernels.method import Method


class Methods:
    """One method per declared algorithm, and one per alias."""


for _algorithm in REGISTRY.values():
    for _name in (_algorithm.name, *_algorithm.aliases):
        setattr(Methods, _name, Method.descriptor(_algorithm, _name))
