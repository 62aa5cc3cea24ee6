"""How an algorithm declares its inputs and outputs, and what happens around its equations.

`@kernel("q v a -> tau", loops="unsupported")` above a function of (model, q, v, a) is sufficient.  From it follow the
compiled kernel, the method on `Robot`, batching, source code for other targets, and its page in the documentation.

The function contains the equations for a tree of bodies whose joints are independent.  The declaration reduces other
robots to such trees: it opens loops or selects another function for them, expands joints that mimic others and maps
the results back, and moves inertia that a joint cannot accelerate to the parent.  The order of these steps is that
of `Algorithm.__call__`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeVar, cast

from sixvec.algorithms.parts.support import supports
from sixvec.arguments.signature import named_shape, two_sides
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.model import Body, Model
from sixvec.model.canonical import canonical, regrouped
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import LOOPS, Loops, require_sliding, require_tree, spanning_tree
from sixvec.pickling import by_name
from sixvec.scalar import Scalar

Dimension = int | str
"""A length: a number, or the name of a length of the model (nq, nv, njoints, nframes, ntendons, nconstraints,
nparameters, nregressor), or nrows: the constraints of the model, its wheels, and the frames that are held."""

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

Mimicry = Literal["mapped", "handled"]
"""The treatment of joints that mimic others: see `Algorithm.mimic`."""


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


@dataclass(frozen=True, repr=False)
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
    with_loops: Callable[..., Any] | None = None
    """The function that is called instead for a model with closures or wheels."""
    wheels: Loops | None = None
    """How the model's wheels are treated, where that differs from closures."""
    mimic: Mimicry = "mapped"
    """What happens to joints that mimic others.  `mapped`: the function runs on the robot with all joints independent,
    at positions expanded from those of the leaders, and its results are mapped back.  `handled`: the function treats
    them itself."""
    with_mimic: Callable[..., Any] | None = None
    """The function that is called instead for a model with joints that mimic others."""
    requires: Callable[[Model], None] | None = None
    """Raises an error for a model that the function cannot handle."""
    regroup: bool = False
    """Whether the function gets bodies with base inertial parameters (`regrouped`)."""
    original_bodies: bool = False
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
        return {p.name: p.default for p in self.signature}

    @lazy
    def signature(self) -> tuple[inspect.Parameter, ...]:
        """The arguments of a call: those of the function, then those that only models with loops use."""
        return (*_arguments(self.function), *self._loop_options.values())

    @lazy
    def _loop_options(self) -> dict[str, inspect.Parameter]:
        known = {p.name for p in _arguments(self.function)}
        return {p.name: p for p in _arguments(self.with_loops) if p.name not in known} if self.with_loops else {}

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
        if self.loops == "unsupported":
            require_tree(model, self.name)
        if (self.wheels or self.loops) == "unsupported":
            require_sliding(model, self.name)

    def form(self, model: Model) -> Model:
        """The form of the model on which this algorithm runs: canonical, unless it needs the original bodies."""
        return model if self.original_bodies else canonical(model)

    def __call__(self, model: Model, *args: Any, **options: Any) -> Any:
        if self.requires:
            self.requires(model)
        if self.loops == "ignored":
            model = spanning_tree(model)
        if self.with_loops and model.is_constrained:
            return self._run(self.with_loops, model, args, options)
        options = {name: x for name, x in options.items() if name not in self._loop_options}
        if is_coupled(model) and self.mimic == "mapped":
            return self._mapped(model, args, options)
        if is_coupled(model) and self.with_mimic:
            return self._run(self.with_mimic, model, args, options)
        return self._run(self.function, regrouped(model) if self.regroup else model, args, options)

    def _run(self, function: Callable[..., Any], model: Model, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """One of the functions, with inputs that can be indexed by joint."""
        arrays = [_joints(model, name, x) for name, x in zip(self.arrays, args, strict=False)]
        return function(model, *arrays, *args[len(arrays) :], **options)

    def _mapped(self, model: Model, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Run on the robot with all joints independent, and map the results back."""
        c = coupling(model)
        expand: dict[tuple[Dimension, ...], Any] = {("nq",): c.positions, ("nv",): c.velocities}
        arrays = [expand.get(_INPUT_SHAPES[name], list)(x) for name, x in zip(self.arrays, args, strict=False)]
        result = self(c.free, *arrays, *args[len(arrays) :], **options)
        axes = [[d == "nv" for d in output.shape] for output in self.outputs]
        if len(axes) > 1:
            return tuple(c.reduce(entry, which) for entry, which in zip(result, axes, strict=True))
        return c.reduce(result, axes[0]) if any(axes[0]) else result

    def __reduce__(self) -> Any:
        return by_name(self, self.function)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Algorithm({self.name}: {' '.join(self.inputs)} -> {' '.join(o.name for o in self.outputs)})"


def _arguments(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """The named parameters of a function behind its first, the model."""
    _, *others = inspect.signature(function).parameters.values()
    return tuple(p for p in others if p.kind is not inspect.Parameter.VAR_KEYWORD)


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
        return constraints + sum(len(h.directions) for h in (*model.rolling, *hold))
    named = {"nq": model.nq, "nv": model.nv, "nframes": len(model.frames), "nconstraints": constraints}
    named |= {"njoints": len(model.moving), "ntendons": len(model.tendons)}
    named["nparameters"] = _INERTIA * sum(b.joint.nv > 0 for b in model.bodies)
    return named[dimension] if isinstance(dimension, str) else dimension


def input_dimensions(name: str) -> tuple[Dimension, ...]:
    """The axes of an input; those that depend on the model are names."""
    return _INPUT_SHAPES[name]


def input_shape(model: Model, name: str) -> tuple[int, ...]:
    return tuple(size(model, d) for d in _INPUT_SHAPES[name])


REGISTRY: dict[str, Algorithm] = {}
"""Every declared algorithm under its name."""


def kernel(
    spec: str,
    *,
    loops: Loops | Callable[..., Any],
    wheels: Loops | None = None,
    mimic: Mimicry | Callable[..., Any] = "mapped",
    requires: Callable[[Model], None] | None = None,
    regroup: bool = False,
    original_bodies: bool = False,
    aliases: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Algorithm]:
    """Declare an algorithm: `"inputs -> outputs"`, where an output may carry its shape: `J[6,nv]`.

    `loops` is one of `Loops`, or a function that is called instead for models with closures or wheels.  `mimic` takes
    such a function too: see `Algorithm`.

    >>> @kernel("q v -> p[6]", loops="ignored")
    ... def example(model, q, v): return list(q)
    >>> REGISTRY.pop("example").outputs
    (Output(name='p', shape=(6,)),)
    """
    left, right = two_sides(spec)
    if not callable(loops) and loops not in LOOPS:
        raise ArgumentError(f"loops={loops!r}; it must be a function or one of: {', '.join(LOOPS)}")

    def declare(function: Callable[..., Any]) -> Algorithm:
        algorithm = Algorithm(
            function,
            tuple(left),
            tuple(map(_output, right)),
            tuple(aliases),
            loops="enforced" if callable(loops) else loops,
            with_loops=loops if callable(loops) else None,
            wheels=wheels,
            mimic="handled" if callable(mimic) else mimic,
            with_mimic=mimic if callable(mimic) else None,
            requires=requires,
            regroup=regroup,
            original_bodies=original_bodies,
        )
        algorithm.__dict__["__doc__"] = function.__doc__
        REGISTRY[algorithm.name] = algorithm
        return algorithm

    return declare


F = TypeVar("F", bound=Callable[..., Any])


def tree_recursion(otherwise: F) -> Callable[[F], F]:
    """Declare a recursion over the bodies of a tree with independent joints and base inertial parameters.

    `otherwise` computes the same for robots with loops, with wheels, or with joints that mimic others.
    """

    def declare(function: F) -> F:
        @wraps(function)
        def call(model: Model, *args: Any, **options: Any) -> Any:
            if is_coupled(model) or model.is_constrained:
                return otherwise(model, *args, **options)
            return function(regrouped(model), *args, **options)

        return cast("F", call)

    return declare


def _output(text: str) -> Output:
    name, shape = named_shape(text)
    return Output(name, _INPUT_SHAPES[name] if shape is None else shape)


def flatten(value: Any, depth: int) -> list[Scalar]:
    """The scalars of a result with `depth` axes, row-major."""
    return [value] if depth == 0 else [x for part in value for x in flatten(part, depth - 1)]
