"""The compiled algorithms of one model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms import REGISTRY, Algorithm
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.arguments.binding import bound
from sixvec.errors import ArgumentError, KernelNotFound, unknown
from sixvec.kernels.kernel import Kernel
from sixvec.kernels.options import hashable, require_options, typed
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.symbols import numbers_needed, symbols_of

if TYPE_CHECKING:
    from sixvec.robot import Robot

T = TypeVar("T")


class Kernels:
    """Kernels under their names and options, made on first use, and whatever else is computed once for a robot.

    A robot and its methods share one store, which references neither: so an unreferenced robot is freed immediately,
    machine code included, and a method that is still referenced keeps working.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.parameters: tuple[NDArray[np.float64], ...] = ()
        """Inputs of every kernel in addition to those of its algorithm: see `Robot.with_payload`."""
        self.traced = model
        """What kernels are made of: the model without the loads that are inputs."""
        self.payloads: tuple[str, ...] = ()
        self.varied: tuple[str, tuple[str, ...]] | None = None
        self._made: dict[Any, Kernel] = {}
        self._carrying: dict[tuple[str, ...], dict[Any, Kernel]] = {}
        self._stored: dict[Hashable, Any] = {}

    def __reduce__(self) -> Any:
        """Machine code is not pickled; the unpickling process finds it on disk by its name."""
        return Kernels, (self.model,)

    def stored(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` computes from the robot, on the first call with this key.

        It is freed with the robot, which a cache of a module would keep alive; so it must not reference this store.
        """
        if key not in self._stored:
            self._stored.setdefault(key, make())
        entry: T = self._stored[key]
        return entry

    def robot(self) -> Robot:
        """A robot with these kernels."""
        from sixvec.robot import Robot

        return Robot.of(self)

    def carrying(self, frames: tuple[str, ...]) -> dict[Any, Kernel]:
        """The kernels that take loads in these frames as inputs."""
        return self._carrying.setdefault(frames, {})

    def parameters_for(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The parameters for a call: of single precision if all its arrays are, since they are not arguments of it."""
        if all(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in arrays):
            return tuple(x.astype(np.float32) if isinstance(x, np.ndarray) else x for x in self.parameters)
        return self.parameters

    def get(self, name: str, external: Sequence[str] = (), target: bool = False, **options: Any) -> Kernel:
        """As `Robot.kernel`."""
        algorithm = find_algorithm(name)
        chosen = bound(algorithm.name, algorithm.options, named=options)
        if "hold" in chosen:
            chosen["hold"] = held_frames(self.model, chosen["hold"])
        chosen = {k: hashable(k, x) for k, x in chosen.items()}
        require_options(algorithm, chosen, external)
        external = hashable("external", tuple(external))
        if external and not algorithm.takes_external:
            raise ArgumentError(f"{algorithm.name} takes no external wrenches")
        if target and not algorithm.takes_target:
            raise ArgumentError(f"{algorithm.name} takes no target accelerations")
        if "frame" in chosen:
            self.model.frame(chosen["frame"])
        key = (algorithm.name, external, target, *((k, typed(x)) for k, x in chosen.items()))
        if key not in self._made:
            self._made.setdefault(key, self.new(algorithm, chosen, external, target))
        return self._made[key]

    def new(self, algorithm: Algorithm, options: dict[str, Any], external: Sequence[str], target: bool) -> Kernel:
        """A kernel that is not stored."""
        kernel = Kernel(self.traced, algorithm, options, external, self.payloads, target, self.varied)
        if self._has_symbols and not self.varied:  # tracing shows whether this algorithm needs them
            with numbers_needed(self.traced):
                _ = kernel.program
        return kernel

    @lazy
    def _has_symbols(self) -> bool:
        return bool(symbols_of(self.traced))


def find_algorithm(name: str) -> Algorithm:
    """An algorithm by its name or alias."""
    if not isinstance(name, str):
        raise KernelNotFound(f"the name of a kernel must be a string, not a {type(name).__name__}")
    if (registered := REGISTRY.get(name)) is not None:
        return registered
    for algorithm in REGISTRY.values():
        if name in algorithm.aliases:
            return algorithm
    raise KernelNotFound(unknown("kernel", name, sorted(REGISTRY)))
