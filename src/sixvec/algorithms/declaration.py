"""How an algorithm declares its inputs and outputs.

`@kernel("q v a -> tau", loops="refused")` above a function of (model, q, v, a) is sufficient.  From it follow the
compiled kernel, the method on `Robot`, batching, source code for other targets, and its page in the documentation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.parts.held_frames import Held
from sixvec.algorithms.parts.support import supports
from sixvec.border.signature import named_shape, two_sides
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.model import Body, Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.spanning_tree import LOOPS, Loops, require_tree
from sixvec.pickling import by_name
from sixvec.scalar import Scalar

Dimension = int | str
"""A length: a number, or the name of a length of the model (nq, nv, nframes, nconstraints, nparameters,
nregressor), or nrows: the constraints of the model and of the frames that are held."""

_INPUT_SHAPES: dict[str, tuple[Dimension, ...]] = {
    "q": ("nq",), "q0": ("nq",), "q1": ("nq",), "v": ("nv",), "a": ("nv",), "tau": ("nv",),
    "base_twist": (6,), "base_acceleration": (6,),
}  # fmt: skip

_INERTIA = 10
"""The inertial parameters of a body."""

EXTERNAL = "external"
"""The input that is not one array but wrenches keyed by frame name."""

TARGET = "target"
"""The optional input: accelerations along the rows of constraints, zero by default."""


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    shape: tuple[Dimension, ...]


class JointVector(Sequence[Scalar]):
    """Coordinates of all joints; indexed with a body it gives those of the body's joint."""

    __slots__ = ("_slices", "_values")

    def __init__(self, values: Sequence[Scalar], slices: Mapping[str, slice]) -> None:
        self._values, self._slices = list(values), slices

    def __getitem__(self, index: Any) -> Any:
        return self._values[self._slices[index.name] if isinstance(index, Body) else index]

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class Algorithm:
    """A declared algorithm.  Calling it runs its equations on any scalars.

    >>> from sixvec.algorithms import REGISTRY
    >>> REGISTRY["mass_matrix"].inputs, REGISTRY["mass_matrix"].aliases
    (('q',), ('crba',))
    """

    function: Callable[..., Any]
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    aliases: tuple[str, ...]
    loops: Loops
    """How the model's closures are treated.  There is no default, so every algorithm must declare it."""
    couples: bool = False
    """Whether the function itself handles mimic joints; otherwise its inputs and outputs are mapped."""
    own_bodies: bool = False
    """Whether the function needs the bodies as the model has them, not those of its canonical form."""

    @property
    def name(self) -> str:
        return self.function.__name__

    @lazy
    def arrays(self) -> tuple[str, ...]:
        """The inputs that are single arrays."""
        return tuple(name for name in self.inputs if name not in (EXTERNAL, TARGET))

    @lazy
    def parameters(self) -> dict[str, Any]:
        """The arguments of a call, in order, with defaults."""
        return {p.name: p.default for p in list(inspect.signature(self.function).parameters.values())[1:]}

    @lazy
    def options(self) -> dict[str, Any]:
        """The parameters that select the program; they are not inputs of it."""
        return {name: default for name, default in self.parameters.items() if name not in self.inputs}

    @property
    def takes_external(self) -> bool:
        return EXTERNAL in self.inputs

    @property
    def takes_target(self) -> bool:
        return TARGET in self.inputs

    def require(self, model: Model) -> None:
        """Raise an error for a model for which this algorithm would be wrong."""
        if self.loops == "refused":
            require_tree(model, self.name)

    def form(self, model: Model) -> Model:
        """The form of the model on which this algorithm runs: canonical, unless it needs the original bodies."""
        return model if self.own_bodies else canonical(model)

    def __call__(self, model: Model, *args: Any, **options: Any) -> Any:
        if is_coupled(model) and not self.couples:
            return self._coupled(model, *args, **options)
        arrays = [_joints(model, name, x) for name, x in zip(self.arrays, args, strict=False)]
        return self.function(model, *arrays, *args[len(arrays) :], **options)

    def _coupled(self, model: Model, *args: Any, **options: Any) -> Any:
        """Run on the robot with all joints free, followers computed from their leaders, and map the results back."""
        c = coupling(model)
        expand: dict[tuple[Dimension, ...], Any] = {("nq",): c.positions, ("nv",): c.velocities}
        arrays = [expand.get(_INPUT_SHAPES[name], list)(x) for name, x in zip(self.arrays, args, strict=False)]
        result = self(c.free, *arrays, *args[len(arrays) :], **options)
        (output,) = self.outputs  # algorithms with several couple joints themselves
        return c.reduce(result, [d == "nv" for d in output.shape]) if "nv" in output.shape else result

    def __reduce__(self) -> Any:
        return by_name(self, self.function)

    def __hash__(self) -> int:
        return hash(self.name)


def _joints(model: Model, name: str, values: Sequence[Scalar]) -> Sequence[Scalar]:
    """An input that can be indexed by joint, if it has an entry for each joint."""
    by_shape: dict[tuple[Dimension, ...], Mapping[str, slice]] = {("nq",): model.q_slices, ("nv",): model.v_slices}
    slices = by_shape.get(_INPUT_SHAPES[name])
    return list(values) if slices is None else JointVector(values, slices)


def size(model: Model, dimension: Dimension, hold: Sequence[Held] = ()) -> int:
    """A named length of this model, while frames are held."""
    if dimension == "nregressor":
        return _INERTIA * sum(map(len, supports(model).values()))
    constraints = sum(c.constraints for c in model.closures)
    if dimension == "nrows":
        return constraints + sum(len(h.directions) for h in hold)
    named = {"nq": model.nq, "nv": model.nv, "nframes": len(model.frames), "nconstraints": constraints}
    named["nparameters"] = _INERTIA * sum(b.joint.nv > 0 for b in model.bodies)
    return named[dimension] if isinstance(dimension, str) else dimension


def input_dimensions(name: str) -> tuple[Dimension, ...]:
    """The axes of an input, by name where they depend on the model."""
    return _INPUT_SHAPES[name]


def input_shape(model: Model, name: str) -> tuple[int, ...]:
    return tuple(size(model, d) for d in _INPUT_SHAPES[name])


REGISTRY: dict[str, Algorithm] = {}
"""Every declared algorithm by name."""


def kernel(
    spec: str, *, loops: Loops, aliases: Sequence[str] = (), couples: bool = False, own_bodies: bool = False
) -> Callable[[Callable[..., Any]], Algorithm]:
    """Declare an algorithm: `"inputs -> outputs"`, where an output may carry its shape: `J[6,nv]`.

    `loops="refused"` refuses models with closures where the result would be wrong without the loop forces; "open"
    states that the result is correct for the spanning tree.

    >>> @kernel("q v -> p[6]", loops="open")
    ... def example(model, q, v): return list(q)
    >>> REGISTRY.pop("example").outputs
    (Output(name='p', shape=(6,)),)
    """
    left, right = two_sides(spec)
    if loops not in LOOPS:
        raise ArgumentError(f"loops={loops!r}; an algorithm says one of: {', '.join(LOOPS)}")

    def declare(function: Callable[..., Any]) -> Algorithm:
        inputs, outputs = tuple(left), tuple(map(_output, right))
        algorithm = Algorithm(function, inputs, outputs, tuple(aliases), loops, couples, own_bodies)
        algorithm.__dict__["__doc__"] = function.__doc__
        REGISTRY[algorithm.name] = algorithm
        return algorithm

    return declare


def _output(text: str) -> Output:
    name, shape = named_shape(text)
    return Output(name, _INPUT_SHAPES[name] if shape is None else shape)


def flatten(value: Any, depth: int) -> list[Scalar]:
    """The scalars of a result with `depth` axes, row-major."""
    return [value] if depth == 0 else [x for part in value for x in flatten(part, depth - 1)]
