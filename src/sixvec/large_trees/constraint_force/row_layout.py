"""The stages of a chain, compiled for the columns that its joints need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from sixvec.compiler.emit.cuda import emit_cuda
from sixvec.errors import ModelError
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.large_trees.constraint_force import row_stages
from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.row_elimination import back_substitution, elimination
from sixvec.lazy import lazy

Shapes: TypeAlias = dict[str, tuple[int, ...]]

PREFIX_SPAN = 4
"""Rows joined by one step of the prefix: ⌈log₄ N⌉ steps up and down, and O(N) work."""


@dataclass(frozen=True)
class Stage:
    """A compiled function of rows.  A port in `spans` reads that many consecutive rows."""

    function: CompiledFunction
    spans: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.function.name

    def cuda(self) -> str:
        """The source of the stage as a CUDA kernel."""
        return emit_cuda(self.function.program, spans=self.spans)


@dataclass(frozen=True)
class Layout:
    """The numbers of columns of the padded tables of a chain, which determine its stages."""

    screws: int
    freedoms: int
    held: int
    """Bearing wrenches per joint: the size of a block."""
    quaternion: bool
    position: bool
    turning: bool

    @classmethod
    def of(cls, chain: ArrayChain) -> Layout:
        """The layout of an unbranched chain."""
        if chain.side:
            name = chain.names[chain.side[0].start]
            raise ModelError(
                f'body "{name}" is on a side branch; fused stages run along an unbranched chain: '
                "use forward_dynamics, which takes branches"
            )
        joints = chain.joints
        return cls(
            screws=joints.spins.shape[1],
            freedoms=joints.subspace.shape[2],
            held=joints.bearing.shape[2],
            quaternion=joints.quaternion_index is not None,
            position=joints.position_index is not None,
            turning=joints.turn_axis is not None,
        )

    @property
    def block(self) -> int:
        """Numbers of a diagonal block, packed, with its right-hand side."""
        return self.held * (self.held + 1) // 2 + self.held

    @lazy
    def stages(self) -> dict[str, Stage]:
        """All stages under their names."""
        s, f, h, p, span = self.screws, self.freedoms, self.held, self.block, PREFIX_SPAN
        turn: Shapes = {"turn": (3, 3)} if self.turning else {}
        pose: Shapes = {"turns": (12,), "spot": (3,)}
        fixed: Shapes = {"placement": (3, 3), "spot": (3,), "axes": (s, 3), "slides": (s, 3)}
        moving: Shapes = {"angles": (s,), "subspace": (6, f), "rates": (f,)}
        if self.quaternion:
            moving["quaternion"] = (4,)
        if self.position:
            moving["position"] = (3,)
        driven: Shapes = {"whole": (12,), "subspace": (6, f), "reciprocal": (6, f), "rates": (f,), "drive": (f,)}
        heavy: Shapes = {"rotational": (6,), "moment": (3,), "base": (6,)}
        loads: Shapes = {"own": (6,), "own_before": (6,), "pushed": (6,), "pushed_after": (6,), "drift": (6,)}
        gap = pose | loads | {"mobility": (21,), "mobility_before": (21,)}
        bearings: Shapes = {"bearing": (6, h), "bearing_before": (6, h), "filler": (h,)}
        angle: Shapes = {"turn_axis": (3,), "turn_angle": ()} if self.turning else {}
        rate: Shapes = {"turn_axis": (3,), "turn_rate": ()} if self.turning else {}
        turn_before: Shapes = {"turn_before": (3, 3)} if self.turning else {}
        blocks: Shapes = {"kept": (2, p), "right": (2, p), "left": (2, p), "corner": (2, h * h)}
        stages = (
            _stage(row_stages.joint, fixed | moving | angle, {"turns_out": 12, "spot_out": 3} | _sizes(turn, "_out")),
            _stage(row_stages.joined, {"parts": (span, 12)}, {"whole": 12}, {"parts": span}),
            _stage(
                row_stages.spread,
                {"before": (12,), "parts": (span, 12)},
                {"wholes": 12 * span},
                {"parts": span, "wholes": span},
            ),
            _stage(row_stages.local, pose | driven | heavy | turn | rate, {"drift": 6, "own": 6, "pushed": 6}),
            _stage(row_stages.assembly, gap | bearings | turn | turn_before, {"kept": p, "corner": h * h}),
            _stage(
                partial(elimination, held=h),
                blocks,
                {"gain": 2 * h * h, "free": h, "takes_left": p, "takes_right": p, "between": h * h, "next": p},
                dict.fromkeys(blocks, 2),
            ),
            _stage(
                back_substitution,
                {"gain": (h, 2 * h), "free": (h,), "before": (h,), "after": (h,)},
                {"solution": 2 * h},
                {"solution": 2},
            ),
            _stage(
                row_stages.release,
                pose | {"own": (6,), "pushed": (6,), "bearing": (6, h), "force": (h,)} | turn,
                {"own_out": 6, "pushed_out": 6},
            ),
            _stage(row_stages.acceleration, gap | {"reciprocal": (6, f)} | turn, {"acceleration": f}),
        )
        return {stage.name: stage for stage in stages}


def _stage(
    function: Callable[..., Any], inputs: Shapes, outputs: Mapping[str, int], spans: Mapping[str, int] | None = None
) -> Stage:
    """Ports are flat: a row of a table is a row of numbers, whatever its shape."""
    ports = tuple(Port(name, (_size(shape),)) for name, shape in inputs.items())

    def on_rows(*rows: list[Any]) -> Any:
        return function(**{name: _shaped(x, inputs[name]) for name, x in zip(inputs, rows, strict=True)})

    named = function.func if isinstance(function, partial) else function
    on_rows.__name__, on_rows.__doc__ = named.__name__, named.__doc__
    return Stage(CompiledFunction(on_rows, ports, tuple(Port(n, (k,)) for n, k in outputs.items())), spans or {})


def _sizes(shapes: Shapes, ending: str) -> dict[str, int]:
    return {name + ending: _size(shape) for name, shape in shapes.items()}


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


def _shaped(x: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return x[0]
    return x if len(shape) == 1 else list(_rows(x, shape[1]))


def _rows(x: list[Any], columns: int) -> Iterator[list[Any]]:
    for start in range(0, len(x), columns):
        yield x[start : start + columns]
