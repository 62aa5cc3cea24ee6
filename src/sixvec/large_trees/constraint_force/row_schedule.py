"""Which stage runs on which rows, in which order: the constraint force algorithm as a list of steps.

A step reads and writes rows of named tables; the rows of a step are independent of each other.  ⌈log₄ N⌉ steps
distribute orientations, ⌈log₂(N+1)⌉ eliminate; joining and back substitution need one less each, and five steps process
all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from sixvec.large_trees.constraint_force.array_chain import ArrayChain
from sixvec.large_trees.constraint_force.row_layout import PREFIX_SPAN, Layout

_LOWER3, _LOWER6 = np.tril_indices(3), np.tril_indices(6)


@dataclass(frozen=True)
class Rows:
    """Rows i · stride + offset of a table, for i = 0, 1, …; a stage may read several from there."""

    table: str
    offset: int = 0
    stride: int = 1


Ports: TypeAlias = Mapping[str, str | Rows]
"""The rows that the ports of a stage read; the name of a table means its rows from the first."""


@dataclass(frozen=True)
class Step:
    """One stage on `count` rows; inputs and outputs in the order of the stage's ports."""

    stage: str
    count: int
    inputs: tuple[Rows, ...]
    outputs: tuple[Rows, ...]


@dataclass(frozen=True)
class Gather:
    """A table that is filled for every call: its entries from q, v or tau, each with 0 and 1 appended."""

    source: str
    index: Any


@dataclass
class Schedule:
    """Everything that an executor needs: tables (rows, columns), constants, entries to gather, and the steps."""

    layout: Layout
    tables: dict[str, tuple[int, int]] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    gathers: dict[str, Gather] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    result: Any = None
    """The index of each entry of a in the table of accelerations, row by row."""

    def all_tables(self) -> dict[str, tuple[int, int]]:
        """Rows and columns of every table, those of constants and gathered numbers included."""
        shapes = {name: x.shape for name, x in self.constants.items()}
        return shapes | {name: g.index.shape for name, g in self.gathers.items()} | self.tables

    def step(self, stage: str, count: int, inputs: Ports, outputs: Mapping[str, tuple[str | Rows, int]]) -> None:
        """Append a step.  Ports not in `inputs` read the table of their name; outputs include their table's rows."""
        placed = self.layout.stages[stage]
        ins = [self._rows(inputs.get(p.name, p.name), placed.spans.get(p.name, 1)) for p in placed.function.inputs]
        outs = []
        for port in placed.function.outputs:
            table, rows = outputs[port.name]
            span = placed.spans.get(port.name, 1)
            outs.append(self._rows(table, span))
            self.tables[outs[-1].table] = (rows, port.size // span)
        self.steps.append(Step(stage, count, tuple(ins), tuple(outs)))

    @staticmethod
    def _rows(table: str | Rows, span: int) -> Rows:
        """A port that reads several rows advances by that number."""
        return Rows(table, 0, span) if isinstance(table, str) else table


def schedule(chain: ArrayChain) -> Schedule:
    """The steps for one chain."""
    layout, n = Layout.of(chain), chain.length
    plan = Schedule(
        layout, constants=_constants(chain, layout), gathers=_gathers(chain, layout), result=chain.joints.a_index
    )
    turning = {"turn_out": ("turn", n)} if layout.turning else {}
    plan.step("joint", n, {"spot": "placement_spot"}, {"turns_out": ("turns", n), "spot_out": ("spot", n), **turning})
    whole = _prefix(plan, n)
    loads = {"drift": ("drift", n), "own": ("own", n), "pushed": ("pushed", n)}
    plan.step("local", n, {"whole": whole}, loads)
    before = {f"{name}_before": Rows(name, -1) for name in ("own", "mobility", "bearing", "turn")}
    plan.step(
        "assembly",
        n,
        before | {"pushed_after": Rows("pushed", 1)},
        {"kept": ("kept0", n), "corner": ("corner0", n)},
    )
    force = _reduction(plan, n)
    plan.step("release", n, {"force": force}, {"own_out": ("own_released", n), "pushed_out": ("pushed_released", n)})
    released = {
        "own": Rows("own_released"),
        "own_before": Rows("own_released", -1),
        "pushed": Rows("pushed_released"),
        "pushed_after": Rows("pushed_released", 1),
    }
    plan.step("acceleration", n, before | released, {"acceleration": ("acceleration", n)})
    return plan


def _prefix(plan: Schedule, n: int) -> str:
    """Products of all joints' rotations from the base: joined by fours upwards, distributed downwards."""
    sizes, span = [n], PREFIX_SPAN
    while sizes[-1] > span:
        sizes.append(-(-sizes[-1] // span))
    parts = ["turns", *(f"turns_level{i}" for i in range(1, len(sizes)))]
    for i in range(1, len(sizes)):
        plan.step("joined", sizes[i], {"parts": parts[i - 1]}, {"whole": (parts[i], sizes[i])})
    plan.tables["nothing"] = (0, 12)
    before = "nothing"
    for i in reversed(range(len(sizes))):
        rows = -(-sizes[i] // span)
        inputs: Ports = {"before": Rows(before, -1), "parts": parts[i]}
        before = f"whole_level{i}"
        plan.step("spread", rows, inputs, {"wholes": (before, sizes[i])})
    return before


def _reduction(plan: Schedule, n: int) -> str:
    """Odd-even reduction and back substitution; returns the table of the solution."""
    held, block = plan.layout.held, plan.layout.block
    plan.tables["no_share"] = (0, block)
    kept, corner, right, left = "kept0", "corner0", "no_share", "no_share"
    sizes = [n]
    while sizes[-1]:
        size, i = sizes[-1], len(sizes)
        out, odd = size - size // 2, size // 2
        plan.step(
            "elimination",
            out,
            {"kept": kept, "right": right, "left": Rows(left, 1, 2), "corner": corner},
            {
                "gain": (f"gain{i}", out),
                "free": (f"free{i}", out),
                "takes_left": (f"left{i}", out),
                "takes_right": (f"right{i}", out),
                "between": (f"corner{i}", out),
                "next": (f"kept{i}", odd),
            },
        )
        kept, corner, right, left = f"kept{i}", f"corner{i}", f"right{i}", f"left{i}"
        sizes.append(odd)
    levels = len(sizes) - 1
    x = f"free{levels}"  # the last block has no neighbours
    for i in reversed(range(1, levels)):
        size = sizes[i - 1]
        inputs: Ports = {"gain": f"gain{i}", "free": f"free{i}", "before": Rows(x, -1), "after": Rows(x)}
        x = f"solution{i}"
        plan.step("back_substitution", size - size // 2, inputs, {"solution": (x, size)})
    assert plan.tables[x] == (n, held)
    return x


def _constants(chain: ArrayChain, layout: Layout) -> dict[str, Any]:
    joints, n = chain.joints, chain.length
    base = np.zeros((n, 6))
    base[0] = chain.base_acceleration
    spins = joints.spins
    constants = {
        "placement": joints.placement_rot - joints.identity,
        "placement_spot": joints.placement_pos,
        "axes": np.stack([spins[..., 2, 1], spins[..., 0, 2], spins[..., 1, 0]], -1),
        "slides": joints.slides,
        "subspace": joints.subspace,
        "reciprocal": joints.reciprocal,
        "bearing": joints.bearing,
        "filler": joints.filler[:, range(layout.held), range(layout.held)],
        "mobility": chain.mobility[:, *_LOWER6],
        "rotational": chain.rotational[:, *_LOWER3],
        "moment": chain.moment,
        "base": base,
    }
    if layout.turning:
        constants["turn_axis"] = joints.turn_axis
    return {name: np.asarray(x, float).reshape(n, -1) for name, x in constants.items()}


def _gathers(chain: ArrayChain, layout: Layout) -> dict[str, Gather]:
    joints, nq, nv = chain.joints, chain.nq, chain.nv

    def of_q(index: Any) -> Gather:
        # Indices count from the end for the numbers 0 and 1.
        index = index.reshape(chain.length, -1)
        return Gather("q", np.where(index < 0, index + nq + 2, index))

    def of_v(source: str, index: Any) -> Gather:
        index = index.reshape(chain.length, -1)
        return Gather(source, np.where(index < 0, nv, index))

    gathers = {
        "angles": of_q(joints.angle_index),
        "rates": of_v("v", joints.v_index),
        "drive": of_v("tau", joints.v_index),
    }
    if layout.quaternion:
        gathers["quaternion"] = of_q(joints.quaternion_index)
    if layout.position:
        gathers["position"] = of_q(joints.position_index)
    if layout.turning:
        gathers["turn_angle"] = of_q(joints.turn_q_index)
        gathers["turn_rate"] = of_v("v", joints.turn_v_index)
    return gathers
