"""Compiled functions in a row, as one step of a loop: each reads the previous results, without Python in between.

A stage may itself be a loop that runs until it is done (`Iterated` with `until`): a step of a rollout with contacts
computes the terms of the contact problem, iterates until impulses converge, and makes the step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.compiler.build import Code
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.iteration import Iterated, LoopMemory, tile_memory
from sixvec.compiler.memory import integers, padded, pointers
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.functions import runtime_function
from sixvec.compiler.runtime.iterate import Word
from sixvec.compiler.runtime.stages import stages_assembly
from sixvec.lazy import lazy

_POINTER = ctypes.sizeof(ctypes.c_void_p)

USUAL_STEPS = 4
"""Of a loop inside a step: the number of steps assumed for its work."""


@dataclass(frozen=True)
class Stage:
    """A function and the names of its inputs and outputs: inputs and outputs of the whole, or anything in between."""

    function: Compiled
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Staged(Compiled):
    """Stages as one function, for loops over steps; it has no program and is not called directly."""

    def __init__(
        self, name: str, inputs: Sequence[Port], outputs: Sequence[Port], stages: Sequence[Stage], identity: str = ""
    ) -> None:
        self.name, self.inputs, self.outputs, self.stages = name, tuple(inputs), tuple(outputs), tuple(stages)
        self._identity = identity
        self.needs_double = any(s.function.needs_double for s in stages)

    @property
    def identity(self) -> str:
        """That given, or those of all stages."""
        if self._identity:
            return f"{self.name} {self._identity}"
        functions = [s.function.step if isinstance(s.function, Iterated) else s.function for s in self.stages]
        return f"{self.name} {[(f.identity, s.inputs, s.outputs) for f, s in zip(functions, self.stages, strict=True)]}"

    @lazy
    def _executables(self) -> Any:
        return {dtype: _Executable(self, dtype) for dtype in ("float64", "float32")}

    def check_options(self) -> None:
        for stage in self.stages:
            stage.function.check_options()

    def in_turn(self, values: dict[str, Any], others: Mapping[Any, Callable[..., Any]]) -> dict[str, Any]:
        """All values and their names after one step on arrays, stage by stage from Python; `others` replace some."""
        values = dict(values)
        for s in self.stages:
            function: Callable[..., Any] = others.get(s.function, s.function.call)
            results = function(*(values[n] for n in s.inputs))
            values |= zip(s.outputs, results if len(s.outputs) > 1 else [results], strict=True)
        return values

    @property
    def between(self) -> dict[str, Port]:
        """The intermediate arrays between stages."""
        outside = {p.name for p in (*self.inputs, *self.outputs)}
        produced = {n: p for s in self.stages for n, p in zip(s.outputs, s.function.outputs, strict=True)}
        return {n: p for n, p in produced.items() if n not in outside}


class _Executable:
    """Machine code of all stages for one dtype; replaces an `Executable` in a loop."""

    def __init__(self, staged: Staged, dtype: str) -> None:
        self._stages, self._inputs, self._outputs = staged.stages, staged.inputs, staged.outputs
        self._between, self.dtype = staged.between, dtype

    def step(self, lanes: Lanes) -> tuple[Code, int]:
        work = 0
        for stage in self._stages:
            inner = stage.function
            of_step = inner.step if isinstance(inner, Iterated) else inner
            _, operations = of_step.executable(self.dtype).step(lanes)
            work += operations * (USUAL_STEPS if isinstance(inner, Iterated) else 1)
        return runtime_function("stages", stages_assembly(lanes), lanes), work

    def codes(self, lanes: Lanes) -> list[Code]:
        """All code that a step runs."""
        functions = [s.function.step if isinstance(s.function, Iterated) else s.function for s in self._stages]
        return [code for function in functions for code in function.executable(self.dtype).codes(lanes)]

    def workspace(self, lanes: Lanes, inputs: int, outputs: int) -> _Workspace:
        """Memory for one thread; `inputs` and `outputs` are the locations of the pointers to the whole's tiles."""
        places = {p.name: inputs + k * _POINTER for k, p in enumerate(self._inputs)}
        places |= {p.name: outputs + k * _POINTER for k, p in enumerate(self._outputs)}
        return _Workspace(self._stages, self._between, places, self.dtype, lanes)


class _Workspace:
    """One thread's tiles between the stages, and the table of words that directs them."""

    def __init__(
        self, stages: Sequence[Stage], between: dict[str, Port], places: dict[str, int], dtype: str, lanes: Lanes
    ) -> None:
        self._tiles, starts = tile_memory([padded(p.size, lanes.width) * lanes.bytes for p in between.values()])
        self._starts = pointers(starts)
        first = ctypes.addressof(self._starts)
        places = places | {name: first + k * _POINTER for k, name in enumerate(between)}
        self._kept: list[Any] = []
        words = [len(stages)]
        for stage in stages:
            words += self._stage(stage, places, dtype, lanes)
        self.words = integers(words)

    def _stage(self, stage: Stage, places: dict[str, int], dtype: str, lanes: Lanes) -> list[int]:
        function, n = stage.function, len(stage.inputs)
        if isinstance(function, Iterated):
            loop = LoopMemory(function.tiles(dtype, lanes))
            loop.words[Word.STEPS] = function.steps
            kernel, ahead, behind = loop.iterate, ctypes.addressof(loop.words), [loop.go_on]
            self._kept.append(loop)
        else:
            code, _ = function.executable(dtype).step(lanes)
            kernel, ahead, behind = code.address, function.ahead, []
            self._kept.append(code)
        table = pointers([ahead, *[0] * n, *[0] * len(stage.outputs), *behind])
        start = ctypes.addressof(table)
        names = (*stage.inputs, *stage.outputs)
        sources = pointers(places[name] for name in names)
        targets = pointers(start + (1 + k) * _POINTER for k in range(len(names)))
        self._kept += [table, sources, targets]
        lists = [ctypes.addressof(sources), ctypes.addressof(targets)]
        return [kernel, len(names), *lists, start + _POINTER, start + (1 + n) * _POINTER]
