"""A guard means `where`, bit for bit, in every target; compiled code skips what no lane needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from cuda_shim import launchable
from sixvec.compiler.artifact import build
from sixvec.compiler.autodiff import jacobian
from sixvec.compiler.bytecode import encode
from sixvec.compiler.bytecode_first import loaded
from sixvec.compiler.emit import llvm as emission
from sixvec.compiler.emit import residence as planning
from sixvec.compiler.emit import schedule as scheduling
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.emit.schedule import Branch, Region, flat, schedule
from sixvec.compiler.interpret import interpret
from sixvec.compiler.lower import lowered
from sixvec.compiler.memory import address, aligned, pointers
from sixvec.compiler.program import Program
from sixvec.compiler.runtime.functions import ONE
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import guard, sin, sqrt, where
from targets import by_c

Choose = Callable[[Any, list[Any], list[Any]], list[Any]]

SIZE = 6


def by_where(condition: Any, yes: list[Any], no: list[Any]) -> list[Any]:
    return [where(condition, a, b) for a, b in zip(yes, no, strict=True)]


def random_function(seed: int, choose: Choose, length: int = 45) -> CompiledFunction:
    """Operations on operations, with choices between blocks that contain choices."""

    def block(rng: np.random.Generator, values: list[Any], depth: int) -> list[Any]:
        values = list(values)
        for _ in range(length):
            a, b, c = (values[i] for i in rng.integers(max(0, len(values) - 25), len(values), 3))
            kind = rng.integers(12)
            if kind == 0:
                values.append(sqrt(abs(a) + 0.5))
            elif kind == 1:
                values.append(sin(a))
            elif kind == 2:
                values.append(where(a < b, c, a))
            elif kind == 3 and depth < 2:
                inner = block(rng, values, depth + 1)
                values += choose(a < 0.3 * b, inner[-3:], [b, 0.25, values[0]])
            else:
                values.append(0.6 * a * where(abs(b) < 1.0, b, 0.5) - 0.3 * c)
        return values

    @sv.compiled(f"x[{SIZE}] -> y[{SIZE}]")
    def function(x: list[Any]) -> list[Any]:
        return block(np.random.default_rng(seed), x, 0)[-SIZE:]

    return function


def regions_of(program: Program) -> list[Region]:
    return [step.region for step in flat(schedule(program)) if isinstance(step, Branch)]


@pytest.fixture(params=[0, 1, 2])
def pair(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[CompiledFunction, CompiledFunction]:
    """The same function with guards, all of which are regions, and with `where`."""
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(scheduling, "SHORTEST_REGION", 1)
    guarded, plain = (random_function(request.param, choose) for choose in (guard, by_where))
    assert len(regions_of(guarded.program)) >= 3 and not regions_of(plain.program)
    return guarded, plain


def samples(n: int = 61, dtype: Any = np.float64) -> np.ndarray:
    x = np.random.default_rng(5).normal(size=(n, SIZE)).astype(dtype)
    x[17, 2] = np.nan
    return x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_guard_has_the_bits_of_where(pair: tuple[CompiledFunction, CompiledFunction], dtype: Any) -> None:
    guarded, plain = pair
    x = samples(dtype=dtype)
    expected = plain(x)
    assert np.array_equal(guarded(x), expected, equal_nan=True)
    ones = np.array([guarded(row) for row in x])
    assert np.array_equal(ones, expected, equal_nan=True)
    (meaning,) = interpret(guarded.program, {"x": x})
    np.testing.assert_allclose(meaning, expected, rtol=1e-3 if dtype is np.float32 else 1e-9, atol=1e-6)


def test_c_and_cuda_have_the_bits_of_where(pair: tuple[CompiledFunction, CompiledFunction]) -> None:
    guarded, plain = pair
    x = samples()
    (found,) = by_c(guarded, [x])  # type: ignore[arg-type]
    assert np.array_equal(found, plain(x), equal_nan=True)
    out = np.full((SIZE, len(x)), np.nan)
    arguments = [len(x)]
    for array in (np.ascontiguousarray(x.T), out):
        arguments += [array, np.int32(len(x)), len(x), 1, 0]
    text = guarded.source("cuda", name="guarded")
    assert text.count("if (t") >= 3
    launchable({"guarded": text})["guarded"]((4,), (16,), tuple(arguments))
    assert np.array_equal(out.T, plain(x), equal_nan=True)


def test_bytecode_has_the_bits_of_where(pair: tuple[CompiledFunction, CompiledFunction]) -> None:
    guarded, plain = pair
    x, lanes = samples(), Lanes(1, "float64")
    code = loaded(encode(lowered(guarded.program, "float64"), lanes), lanes)
    for row, expected in zip(x, plain(x), strict=True):
        out = np.empty(SIZE)
        ONE(code.address)(pointers([address(row)]), pointers([address(out)]))
        assert np.array_equal(out, expected, equal_nan=True)


@pytest.mark.parametrize("registers", [4, 9, 26])
@pytest.mark.parametrize("part", [50, 4000])
def test_few_registers_and_short_parts_change_no_bits(
    pair: tuple[CompiledFunction, CompiledFunction], monkeypatch: pytest.MonkeyPatch, registers: int, part: int
) -> None:
    """What a region loads is not in a register after it, and no part of a long program ends inside one."""
    guarded, plain = pair
    x = samples()
    expected = plain(x)
    monkeypatch.setattr(planning, "REGISTERS", registers)
    monkeypatch.setattr(planning, "PLANNED_LENGTH", 0)
    monkeypatch.setattr(emission, "PART", part)
    final = lowered(guarded.program, "float64")
    for lanes in (Lanes(1, "float64"), Lanes(8, "float64")):
        code = build(final, lanes, whole=True).load()
        ins, outs = (aligned(SIZE * lanes.bytes).view(np.float64) for _ in range(2))
        for i in range(0, len(x) - lanes.width, lanes.width):
            ins[:] = x[i : i + lanes.width].T.ravel()
            ONE(code.address)(pointers([address(ins)]), pointers([address(outs)]))
            assert np.array_equal(outs.reshape(SIZE, -1).T, expected[i : i + lanes.width], equal_nan=True)


def test_neighbours_and_nan_change_no_bits(pair: tuple[CompiledFunction, CompiledFunction]) -> None:
    guarded, _ = pair
    x = samples()
    expected, order = guarded(x), np.random.default_rng(1).permutation(len(x))
    assert np.array_equal(guarded(x[order]), expected[order], equal_nan=True)
    x[::2] = np.nan
    assert np.array_equal(guarded(x)[1::2], expected[1::2], equal_nan=True)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_are_those_of_where(pair: tuple[CompiledFunction, CompiledFunction], mode: Any) -> None:
    found, expected = (interpret(jacobian(f.program, "x", mode), {"x": samples()}) for f in pair)
    assert np.array_equal(found, expected, equal_nan=True)


def sums(x: list[Any], n: int = 30) -> Any:
    return sum((sqrt(x[0] * x[0] + float(k)) for k in range(n)), 0.0)


def test_what_only_the_first_value_needs_is_behind_the_branch() -> None:
    @sv.compiled("x[3] -> y[2]")
    def skipping(x: list[Any]) -> list[Any]:
        needed = x[1] * x[2]
        return list(guard(x[1] < 0.0, (sums(x) + needed, sums(x) * 2.0), (needed, 0.0)))

    (region,) = regions_of(skipping.program)
    assert len(region.guards) == 2
    for lanes in (Lanes(1, "float64"), Lanes(8, "float64")):
        before, inside, after = re.split(r"r\d+(?:body|done):", emit_llvm(lowered(skipping.program, "float64"), lanes))
        count = [text.count("@llvm.sqrt.") for text in (before, inside, after)]
        assert count[:2] == [0, 30] and before.count("fmul") == 1


def test_a_short_block_is_not_worth_a_branch() -> None:
    @sv.compiled("x[3] -> y")
    def short(x: list[Any]) -> Any:
        return guard(x[1] < 0.0, sums(x, 5), 1.0)

    assert not regions_of(short.program)


def test_guards_that_use_each_other_have_regions_of_their_own() -> None:
    @sv.compiled("x[3] -> y")
    def chain(x: list[Any]) -> Any:
        first = guard(x[1] < 0.0, sums(x), 1.0)
        return guard(x[1] < 0.0, sums([first]) + first, first)

    assert len(regions_of(chain.program)) == 2
    x = np.random.default_rng(0).normal(size=(40, 3))
    (expected,) = interpret(chain.program, {"x": x})
    np.testing.assert_allclose(chain(x), expected, rtol=1e-14)


def test_numbers_arrays_and_symbols_are_chosen_by_where() -> None:
    import sympy

    x, y = sympy.symbols("x y")
    assert guard(2.0 < 1.0, 5.0, 6.0) == 6.0
    assert guard(np.array([True, False]), np.ones(2), np.zeros(2)).tolist() == [1.0, 0.0]
    assert guard(x < 1, (x, y), (y, x)) == (where(x < 1, x, y), where(x < 1, y, x))
