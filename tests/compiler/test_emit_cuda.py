"""CUDA source, run by a loop over threads on the CPU: the bits of the other targets, and rows where they belong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from cuda_shim import launchable
from sixvec.compiler.emit import cuda, cuda_angles, cuda_sections
from sixvec.compiler.emit.cuda_distinct import distinct
from sixvec.compiler.emit.cuda_rows import emit_rows, launch, planned
from sixvec.compiler.emit.cuda_section import FEW_RESULTS, emit_section
from sixvec.compiler.emit.cuda_sections import sections
from sixvec.compiler.emit.function import Function
from sixvec.compiler.graph import BUILD
from sixvec.compiler.interpret import interpret
from sixvec.compiler.lower import lowered
from sixvec.compiler.ops import CHOICES, OPS
from sixvec.compiler.program import Port, Program, trace

ROWS, THREADS = 37, 16
BLOCKS = -(-ROWS // THREADS)


def place(array: np.ndarray, stride: int = 1, offset: int = 0, rows: int | None = None) -> list[object]:
    """The arguments of one port whose array is component-major."""
    return [array, np.int32(array.shape[1]), array.shape[1] if rows is None else rows, stride, offset]


def one_op(name: str) -> Program:
    def run(x: list) -> list:
        arguments = [x[0] < x[1], *x[1:]] if name in CHOICES else x
        result = BUILD[name](*arguments)
        return [(Port("y", (1,)), [BUILD["where"](result, 1.0, 2.0) if name == "lt" else result])]

    return trace(f"op_{name}", [Port("x", (OPS[name].arity,))], run)


def test_every_op_means_what_the_interpreter_says() -> None:
    assert OPS.keys() == cuda.SUPPORTED
    programs = {name: one_op(name) for name in OPS}
    kernels = launchable({p.name: cuda.emit_cuda(p) for p in programs.values()})
    for name, program in programs.items():
        x = np.random.default_rng(1).uniform(0.3, 2.0, (ROWS, OPS[name].arity))
        (expected,) = interpret(program, {"x": x})
        found = np.full((1, ROWS), np.nan)
        arguments = (ROWS, *place(np.ascontiguousarray(x.T)), *place(found))
        kernels[program.name]((BLOCKS,), (THREADS,), arguments)
        assert np.allclose(found[0], np.ravel(expected), rtol=1e-15, atol=0.0), name


@pytest.mark.parametrize("robot", ["planar_2r", "puma560"])
def test_the_bits_of_a_kernel(robot: str) -> None:
    kernel = sv.load(robot).kernel("inverse_dynamics")
    rng = np.random.default_rng(1)
    state = [rng.normal(size=(ROWS, p.size)) * 2.0 for p in kernel.inputs]
    expected = kernel(*state)
    found = np.full(expected.T.shape, np.nan)
    turned = [np.ascontiguousarray(x.T) for x in state]
    arguments = [ROWS, *(word for x in (*turned, found) for word in place(x))]
    launchable({kernel.name: kernel.source("cuda", name=kernel.name)})[kernel.name](
        (BLOCKS,), (THREADS,), tuple(arguments)
    )
    assert np.array_equal(found.T, expected)


def test_single_precision() -> None:
    kernel = sv.load("planar_2r").kernel("inverse_dynamics")
    rng = np.random.default_rng(2)
    state = [rng.normal(size=(ROWS, 2)).astype(np.float32) for _ in kernel.inputs]
    found = np.zeros((2, ROWS), np.float32)
    turned = [np.ascontiguousarray(x.T) for x in state]
    arguments = [ROWS, *(word for x in (*turned, found) for word in place(x))]
    launch = launchable({kernel.name: kernel.source("cuda", "float32", kernel.name)})[kernel.name]
    launch((BLOCKS,), (THREADS,), tuple(arguments))
    assert np.array_equal(found.T, kernel(*state))


def test_neighbours_strides_and_margins() -> None:
    """y[2i+1] = x[i-1] + 10 x[2i] + 100 x[2i+1], with rows that do not exist read as 0 and never written."""

    def run(before: list, pair: list) -> list:
        return [(Port("y", (1,)), [before[0] + 10.0 * pair[0] + 100.0 * pair[1]])]

    program = trace("neighbours", [Port("before", (1,)), Port("pair", (2,))], run)
    kernel = launchable({"neighbours": cuda.emit_cuda(program, spans={"pair": 2})})["neighbours"]
    x, y = np.arange(1.0, 8.0)[None], np.full((1, 9), -1.0)
    kernel((1,), (THREADS,), (5, *place(x, offset=-1), *place(x, stride=2), *place(y, stride=2, offset=1, rows=8)))
    at = lambda i: x[0, i] if 0 <= i < 7 else 0.0  # noqa: E731
    expected = np.full(9, -1.0)
    for i in range(4):  # the fifth thread's row 9 does not exist
        expected[2 * i + 1] = at(i - 1) + 10.0 * at(2 * i) + 100.0 * at(2 * i + 1)
    assert np.array_equal(y[0], expected)


def test_an_output_may_have_the_name_of_an_input() -> None:
    program = trace("twice", [Port("x", (1,))], lambda x: [(Port("x", (1,)), [2.0 * x[0]])])
    kernel = launchable({"twice": cuda.emit_cuda(program)})["twice"]
    x, y = np.arange(3.0)[None], np.zeros((1, 3))
    kernel((1,), (4,), (3, *place(x), *place(y)))
    assert y.tolist() == [[0.0, 2.0, 4.0]]


ROWS_CASES = [
    ("planar_2r", "inverse_dynamics"),
    ("puma560", "mass_matrix"),
    ("planar_2r", "forward_dynamics_derivatives"),
]


@pytest.mark.parametrize(("robot", "name"), ROWS_CASES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rows_as_users_have_them(robot: str, name: str, dtype: str) -> None:
    kernel = sv.load(robot).kernel(name)
    rng = np.random.default_rng(3)
    plan = launch(lowered(kernel.program, dtype), dtype)
    count = plan.threads + 5  # a whole block and a part
    state = [rng.normal(size=(count, p.size)).astype(dtype) for p in kernel.inputs]
    if len(state) > 1:
        state[0] = state[0][:1].copy()  # one position for all
    expected = kernel(*state)
    answers = [expected] if kernel.result_type is None else list(expected)
    found = [np.full(x.shape, np.nan, dtype) for x in answers]
    source = emit_rows(Function(kernel.program, kernel.name), dtype)
    arguments = [count, *(word for x in state for word in (x, 0 if len(x) == 1 else x.shape[1], 1)), *found]
    launchable({kernel.name: source})[kernel.name]((plan.blocks(count),), (plan.threads,), tuple(arguments))
    assert plan.staged
    for x, y in zip(found, answers, strict=True):
        assert np.array_equal(x, y)


@pytest.mark.parametrize("count", [69, 64, 3])
def test_component_major_arrays_and_views_are_read_where_they_are(count: int) -> None:
    kernel = sv.load("planar_2r").kernel("forward_dynamics")
    run = launchable({kernel.name: emit_rows(Function(kernel.program, kernel.name))})[kernel.name]
    plan = planned(kernel.program, "float64", False)
    rng = np.random.default_rng(5)
    turned = [rng.normal(size=(2, count)) for _ in range(3)]
    whole = rng.normal(size=(count, 6))
    cases = {
        "all component-major": [(x, 1, count) for x in turned],
        "mixed": [(turned[0], 1, count), (np.ascontiguousarray(turned[1].T), 2, 1), (turned[2], 1, count)],
        "views": [(whole[:, k:], 6, s) for k, s in ((0, 1), (2, 1), (3, 2))],
    }
    for case, arrays in cases.items():
        rows = [np.lib.stride_tricks.as_strided(x, (count, 2), (8 * row, 8 * step)).copy() for x, row, step in arrays]
        found = np.full((count, 2), np.nan)
        words = [w for x, row, step in arrays for w in (address(x), row, step)]
        run((plan.blocks(count),), (plan.threads,), (count, *words, found))
        assert np.array_equal(found, kernel(*rows)), case


def address(x: np.ndarray) -> int:
    return int(x.ctypes.data)


def test_sines_in_a_loop_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    dtype = "float32"
    kernel = sv.load("puma560").kernel("forward_dynamics")
    monkeypatch.setattr(cuda_angles, "LARGE", 0)
    plan = planned(kernel.program, dtype, False)
    assert plan.angles == tuple(("q", k) for k in range(1, 6))
    source = emit_rows(Function(kernel.program, kernel.name), dtype, plan)
    assert source.count("sixvec_sincos") == 2 and source.count("sixvec_recipf") == 5
    assert not planned(kernel.program, "float64", False).angles and not planned(kernel.program, dtype, True).angles
    rng = np.random.default_rng(6)
    state = [rng.normal(size=(40, 6)).astype(dtype) for _ in range(3)]
    state[0][3] *= 1e8
    state[0][4, 2] = np.nan
    found = np.full((40, 6), np.nan, dtype)
    arguments = (40, *(w for x in state for w in (x, 6, 1)), found)
    launchable({kernel.name: source})[kernel.name]((plan.blocks(40),), (plan.threads,), arguments)
    assert np.array_equal(found, kernel(*state), equal_nan=True)


def test_results_too_large_for_shared_memory_are_written_one_by_one() -> None:
    def run(x: list) -> list:
        return [(Port("y", (30, 30)), [x[0] * float(j // 65) + x[1] for j in range(450)] + [2.5] * 450)]

    whole = trace("large", [Port("x", (2,))], run)
    found = distinct(whole)
    assert found.program.outputs[0].size == 7 and found.constants == (2.5,)
    plan = planned(whole, "float64", False)
    assert not plan.staged and plan.shared_bytes == plan.threads * 8 * 3  # the inputs, padded; no results
    x, y = np.random.default_rng(0).normal(size=(5, 2)), np.full((5, 900), np.nan)
    launchable({"large": emit_rows(Function(whole), plan=plan)})["large"](
        (plan.blocks(5),), (plan.threads,), (5, x, 2, 1, y)
    )
    (expected,) = interpret(whole, {"x": x})
    assert np.allclose(y.reshape(5, 30, 30), expected, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("count", [32, 39])
def test_distinct_numbers_are_spread_over_rows_by_all_threads_of_a_block(count: int) -> None:
    def run(x: list) -> list:
        return [
            (Port("y", (30, 30)), [x[0] * float(j // 65) + x[1] for j in range(450)] + [2.5] * 450),
            (Port("z", (200,)), [x[0] + x[1] * float(j % 3) for j in range(200)]),
        ]

    whole = trace("large", [Port("x", (2,))], run)
    plan = planned(whole, "float64", False, ("rows", "distinct", "components"))
    assert plan.results == "distinct" and plan.rows == 32 and plan.blocks(count) == 1 + count // 33
    x = np.random.default_rng(0).normal(size=(count, 2))
    found = [np.full((count, 30, 30), np.nan), np.full((count, 200), np.nan)]
    kernel = launchable({"large": emit_rows(Function(whole), plan=plan)})["large"]
    kernel((plan.blocks(count),), (plan.threads,), (count, x, 2, 1, *found))
    for y, expected in zip(found, interpret(whole, {"x": x}), strict=True):
        assert np.allclose(y, expected, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize(("registers", "extra"), [(12, 3), (30, 0)])
def test_values_spilled_to_shared_memory_have_the_same_bits(registers: int, extra: int) -> None:
    kernel = sv.load("puma560").kernel("forward_dynamics")
    plan = planned(kernel.program, "float64", False)
    assert plan.registers == 0
    plan = replace(plan, registers=registers, extra=extra, shared_bytes=plan.shared_bytes + 8 * extra * plan.threads)
    source = emit_rows(Function(kernel.program, kernel.name), plan=plan)
    assert source.count("volatile double") > 20
    state = [np.random.default_rng(k).normal(size=(40, 6)) for k in range(3)]
    found = np.full((40, 6), np.nan)
    arguments = (40, *(w for x in state for w in (x, 6, 1)), found)
    launchable({kernel.name: source})[kernel.name]((plan.blocks(40),), (plan.threads,), arguments)
    assert np.array_equal(found, kernel(*state))


@pytest.mark.parametrize("few", [4, 12])
def test_values_that_are_computed_again_have_the_same_bits(few: int) -> None:
    kernel = sv.load("puma560").kernel("forward_dynamics_derivatives")
    plan = replace(planned(kernel.program, "float64", False), registers=30, few=few, cut=1000)
    source = emit_rows(Function(kernel.program, kernel.name), plan=plan)
    assert source.count("sixvec_again(") > 10 and source.count("sixvec_constants[") > 50
    state = [np.random.default_rng(k).normal(size=(40, 6)) for k in range(3)]
    found = [np.full((40, 6, 6), np.nan) for _ in range(3)]
    arguments = (40, *(w for x in state for w in (x, 6, 1)), *found)
    launchable({kernel.name: source})[kernel.name]((plan.blocks(40),), (plan.threads,), arguments)
    for x, y in zip(found, kernel(*state), strict=True):
        assert np.array_equal(x, y)


def test_large_programs_are_planned() -> None:
    """Derivatives of a Panda fit into registers and columns once some values are computed again."""
    panda = sv.load("panda")
    plan = planned(panda.kernel("forward_dynamics_derivatives").program, "float64", False)
    assert plan.cut and plan.few == 4 and plan.registers == 124 and plan.shared_bytes == 56 * 1024
    plan = planned(panda.kernel("inverse_dynamics_derivatives").program, "float64", False)
    assert not plan.cut and plan.registers == 124


def test_angles_that_are_huge_have_the_bits_of_the_cpu() -> None:
    kernel = sv.load("planar_2r").kernel("mass_matrix")
    q = np.random.default_rng(4).normal(size=(9, 2)) * 10.0 ** np.arange(1, 10)[:, None] ** 1.5
    found = np.full((9, 2, 2), np.nan)
    plan = launch(lowered(kernel.program, "float64"), "float64")
    source = emit_rows(Function(kernel.program, kernel.name))
    launchable({kernel.name: source})[kernel.name]((1,), (plan.threads,), (9, q, 2, 1, found))
    assert np.abs(q).max() > 1e20
    assert np.array_equal(found, kernel(q))


def test_only_sections_of_few_results_request_their_numbers_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sections that write many results are bound by writing."""
    monkeypatch.setattr(cuda_sections, "columns_of", lambda *_: None)
    program = sv.load("solo12").kernel("forward_dynamics_derivatives").program
    cut = sections(lowered(program, "float64"), 2000)
    function, found = Function(program), set()
    for k, section in enumerate(cut.each):
        source = emit_section(function, section, k, cut.scratch_size, "float64").source
        results = sum(len(stretch.entries) for stretch in section.stretches.values())
        loads = source.count("= at_[")
        assert source.count("SIXVEC_REQUEST(at_, ") == (loads if results <= FEW_RESULTS else 0)
        found.add((results <= FEW_RESULTS, loads > 0))
    assert found >= {(True, True), (False, True)}
