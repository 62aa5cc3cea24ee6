"""Robot: the user's door."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms import REGISTRY, Algorithm
from sixvec.compile import Kernel
from sixvec.errors import ArgumentError, KernelNotFound, unknown
from sixvec.loaders import load_model
from sixvec.methods import Methods
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import coupling, is_coupled
from sixvec.spatial import Vec3

Array = NDArray[np.floating[Any]]


class Robot(Methods):
    """A robot ready to compute: one immutable model and its compiled kernels.

    Every algorithm of `sixvec.algorithms` is a method.  Methods take single vectors (n,) or batches (..., n).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot
    <Robot panda: 7 joints, nq 7, nv 7, 9 frames>
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        if is_coupled(model):
            coupling(model)  # raises now if a leader is missing or joints follow each other in a circle
        self._kernels: dict[Any, Kernel] = {}

    def __repr__(self) -> str:
        m = self.model
        return f"<Robot {m.name}: {len(m.moving)} joints, nq {m.nq}, nv {m.nv}, {len(m.frames)} frames>"

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Length of a position vector q."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Length of velocity, acceleration and force vectors."""
        return self.model.nv

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of q and v."""
        return tuple(b.joint_name or b.name for b in self.model.moving)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames, in the order of `poses`."""
        return tuple(f.name for f in self.model.frames)

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall in world axes, m/s²."""
        return np.array([*self.model.gravity], float)

    @cached_property
    def mass(self) -> float:
        """Total mass of all bodies, kg."""
        return float(sum(b.inertia.mass for b in self.model.bodies))

    @cached_property
    def lower(self) -> Array:
        """Lower position limit of each coordinate of q, -inf where unlimited."""
        return self._limits("lower", "nq", -np.inf)

    @cached_property
    def upper(self) -> Array:
        """Upper position limit of each coordinate of q, inf where unlimited."""
        return self._limits("upper", "nq", np.inf)

    @cached_property
    def velocity_limits(self) -> Array:
        """Largest speed of each coordinate of v, inf where unlimited."""
        return self._limits("velocity", "nv", np.inf)

    @cached_property
    def effort_limits(self) -> Array:
        """Largest force or torque of each coordinate of v, inf where unlimited."""
        return self._limits("effort", "nv", np.inf)

    def _limits(self, kind: str, count: str, unlimited: float) -> Array:
        values: list[float] = []
        for b in self.model.moving:
            values += getattr(b.limits, kind) or [unlimited] * getattr(b.joint, count)
        array = np.array(values, float)
        array.flags.writeable = False
        return array

    def neutral(self) -> Array:
        """The position with all joints at zero (quaternions at identity)."""
        return np.array([x for b in self.model.moving for x in b.joint.neutral()], float)

    def random(self, rng: np.random.Generator | int | None = None, *shape: int) -> Array:
        """Random positions (*shape, nq) within the limits; unlimited angles cover a full turn, lengths ±1 m.

        >>> import sixvec
        >>> sixvec.load("panda").random(0, 1000).shape
        (1000, 7)
        """
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        parts = [np.empty((*shape, 0))]
        for b in self.model.moving:
            at = self.model.q_slices[b.name]
            parts.append(b.joint.sample(generator, self.lower[at], self.upper[at], shape))
        return np.concatenate(parts, axis=-1)

    def kernel(self, name: str, *, external: Sequence[str] = (), **options: Any) -> Kernel:
        """The compiled object behind a method; `options` are the method's other arguments, such as `frame=`.

        >>> import sixvec
        >>> sixvec.load("panda").kernel("jacobian", frame="panda_link8")
        <Kernel jacobian of panda, frame='panda_link8', reference='local_world_aligned'>
        """
        algorithm = find_algorithm(name)
        known = algorithm.options
        for option in options:
            if option not in known:
                offered = ", ".join(known) or "none"
                raise ArgumentError(f"{algorithm.name} has no option {option!r}; options: {offered}")
        chosen = {k: options.get(k, default) for k, default in known.items()}
        missing = [k for k, value in chosen.items() if value is Algorithm.REQUIRED]
        if missing:
            raise ArgumentError(f"{algorithm.name} needs the option {missing[0]!r}")
        if external and not algorithm.takes_external:
            raise ArgumentError(f"{algorithm.name} takes no external wrenches")
        if "frame" in chosen:
            self.model.frame(chosen["frame"])
        key = (algorithm.name, tuple(external), *chosen.items())
        if key not in self._kernels:
            self._kernels[key] = Kernel(self.model, algorithm, chosen, external)
        return self._kernels[key]

    def evaluate(self, name: str, *scalars: Any, **options: Any) -> Any:
        """Run an algorithm's equations, uncompiled, on any scalars: SymPy symbols, JAX tracers, plain floats.

        >>> import sixvec, sympy
        >>> arm = sixvec.load("planar_2r")
        >>> q = sympy.symbols("q0 q1")
        >>> M = arm.evaluate("mass_matrix", q)
        >>> sorted(str(s) for s in M[0][0].free_symbols)
        ['q1']
        """
        return find_algorithm(name)(canonical(self.model), *scalars, **options)

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        """The same robot under another gravity (m/s², world axes)."""
        return Robot(self.model.with_gravity(Vec3.of(map(float, gravity))))


def find_algorithm(name: str) -> Algorithm:
    """An algorithm by its name or alias."""
    if (found := REGISTRY.get(name)) is not None:
        return found
    for algorithm in REGISTRY.values():
        if name in algorithm.aliases:
            return algorithm
    raise KernelNotFound(unknown("kernel", name, sorted(REGISTRY)))


def load(source: str | Path, *, floating: bool = False, gravity: Sequence[float] | None = None) -> Robot:
    """A robot from a file or by the name of a built-in one.

    `floating=True` puts a free joint under the root link; `gravity` overrides what the file says.

    >>> import sixvec
    >>> sixvec.load("panda").nv
    7
    """
    return Robot(load_model(source, floating=floating, gravity=gravity))
