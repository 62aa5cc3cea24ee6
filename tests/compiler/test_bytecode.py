"""Bytecode computes what compiled code computes, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import scalar
from sixvec.compiler.artifact import build
from sixvec.compiler.background import Flat
from sixvec.compiler.build import Code
from sixvec.compiler.bytecode import ARITHMETIC, OPCODES, encode
from sixvec.compiler.bytecode_first import BytecodeFunction, _interpreter, load_object
from sixvec.compiler.emit.llvm import SUPPORTED, Lanes, emit_llvm
from sixvec.compiler.lower import lowered
from sixvec.compiler.memory import address, aligned, padded, pointers
from sixvec.compiler.program import Port, Program, trace
from sixvec.compiler.runtime.functions import ONE
from sixvec.compiler.target import host


def every_operation() -> Program:
    """All kinds of operations, an unused input, results that are equal, constant or zeros of either sign."""

    def work(x: Any, y: Any, unused: Any) -> list[tuple[Port, list[Any]]]:
        a, b, c = x
        root = scalar.sqrt(a * a + y[0] * y[0])
        angle = scalar.arctan2(a, y[1])
        bent = scalar.where(b < c, scalar.sin(a) - 1.0 / root, abs(scalar.cos(b)) * -0.25)
        first = [root, angle, bent, bent, 0.0, -0.0, 2.5, a, scalar.where(a < 0.0, -0.0, b)]
        return [(Port("first", (9,)), first), (Port("second", (2,)), [c - bent, scalar.sin(angle + b)])]

    return trace("every_operation", [Port("x", (3,)), Port("y", (2,)), Port("unused", (1,))], work)


def codes(final: Program, lanes: Lanes, whole: bool) -> tuple[Code, Code]:
    """Bytecode and compiled code of a lowered program."""
    quick = load_object(_interpreter(lanes), "body", BytecodeFunction)
    quick.run(encode(final, lanes, whole))
    return quick, build(final, lanes, whole).load()


def results(code: Code, program: Program, lanes: Lanes, rows: list[np.ndarray]) -> list[np.ndarray]:
    """The output tiles, -7 where nothing is written."""
    ins = [tile(p.size, lanes) for p in program.inputs]
    outs = [tile(p.size, lanes) for p in program.outputs]
    for target, x in zip(ins, rows, strict=True):
        target[: x.size] = x.T.reshape(-1)
    ONE(code.address)(pointers(map(address, ins)), pointers(map(address, outs)))
    return outs


def tile(size: int, lanes: Lanes) -> np.ndarray:
    made = aligned(padded(max(1, size), lanes.width) * lanes.bytes).view(lanes.dtype)
    made[:] = -7.0
    return made


NUMBERS = [0.3, -1.7, 0.0, -0.0, 1e5, -123456.75, 4e9, 1e-30, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("wide", "whole"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("kernel", ["", "forward_dynamics"])
def test_bytecode_has_the_bits_of_compiled_code(dtype: str, wide: bool, whole: bool, kernel: str) -> None:
    program = sv.load("planar_2r").kernel(kernel).program if kernel else every_operation()
    final = lowered(program, dtype)
    lanes = Lanes(host().width(dtype) if wide else 1, dtype)
    made = codes(final, lanes, whole)
    rng = np.random.default_rng(1)
    for i in range(24):
        rows = [rng.normal(size=(lanes.width, p.size)).astype(dtype) for p in program.inputs]
        if i % 2:  # some entries are huge, infinite or not a number
            for x in rows:
                x[rng.random(x.shape) < 0.4] = rng.choice(NUMBERS)
        found, expected = (results(code, program, lanes, rows) for code in made)
        for x, y in zip(found, expected, strict=True):
            assert np.array_equal(x, y, equal_nan=True)
            assert np.array_equal(np.signbit(x[~np.isnan(x)]), np.signbit(y[~np.isnan(y)]))


def test_the_machine_has_every_operation_of_lowered_programs() -> None:
    assert set(ARITHMETIC) == SUPPORTED - {"sin", "cos", "arctan2", "guard"}  # a guard is a `where` there


def test_slots_are_used_again() -> None:
    final = lowered(sv.load("panda").kernel("forward_dynamics").program, "float64")
    bytecode = encode(final, Lanes(1, "float64"))
    assert bytecode.slots < len(final.nodes) / 8
    assert len(bytecode.instructions) < 1.3 * len(final.nodes)


def test_another_process_compiles_the_same_assembly() -> None:
    final = lowered(every_operation(), "float64")
    for lanes in (Lanes(1, "float64"), Lanes(4, "float64")):
        assert emit_llvm(Flat.of(final).program(), lanes) == emit_llvm(final, lanes)


def test_instructions_of_a_sum_by_hand() -> None:
    """Operation, slot of the result, then its arguments, all in bytes; the slot of the constant is used again."""
    program = trace("f", [Port("x", (2,))], lambda x: [(Port("y", (2,)), [x[0] + x[1], 3.0])])
    for lanes, whole in ((Lanes(1, "float64"), False), (Lanes(4, "float32"), True)):
        size = lanes.bytes
        code = encode(program, lanes, whole)
        assert code.instructions.tolist() == [
            [OPCODES["constant"], 0, 0, 0, 0],
            [OPCODES["output"], 0, 0, size, 0],
            [OPCODES["input"], 0, 0, 0, 0],
            [OPCODES["input"], size, 0, size, 0],
            [OPCODES["add"], size, 0, size, 0],
            [OPCODES["output"], size, 0, 0, 0],
            [OPCODES["end"], 0, 0, 0, 0],
        ]
        assert code.slots == 2 and code.constants.tolist() == [3.0] and code.constants.dtype == lanes.dtype
    without = encode(program, Lanes(4, "float64"))  # the tile has the constant already
    assert [row[0] for row in without.instructions.tolist()] == [
        OPCODES[name] for name in ("input", "input", "add", "output", "end")
    ]
    assert without.constants.tolist() == [0.0]


def test_constants_have_their_own_places_and_zeros_their_signs() -> None:
    program = trace("f", [Port("x", (1,))], lambda x: [(Port("y", (4,)), [0.0, -0.0, 2.0, x[0]])])
    code = encode(program, Lanes(1, "float32"))
    assert [math.copysign(1.0, x) * (1.0 + abs(x)) for x in code.constants.tolist()] == [1.0, -1.0, 3.0]
    read = [row for row in code.instructions.tolist() if row[0] == OPCODES["constant"]]
    assert [row[3] for row in read] == [0, 4, 8]
    written = [row[3] for row in code.instructions.tolist() if row[0] == OPCODES["output"]]
    assert sorted(written) == [0, 4, 8, 12] and code.slots == 1
