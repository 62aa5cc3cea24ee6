"""The algorithms, one file each, named for what they return.

Importing this package fills `declaration.REGISTRY`; adding an algorithm is writing its file.
"""

import importlib
import pkgutil

from sixvec.algorithms.declaration import REGISTRY, Algorithm

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["REGISTRY", "Algorithm"]
