"""All that is written for other compilers, against digests in tests/golden/texts.txt: CUDA C of every kind of launch,
LLVM assembly of programs, loops and calls, and programs as they are lowered.

A digest that differs names the text that changed; whoever means the change reads both texts.
`SIXVEC_WRITE_GOLDEN=1 pytest tests/compiler/test_recorded_texts.py` writes the file anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec.compiler.autodiff import jacobian
from sixvec.compiler.bytecode import encode
from sixvec.compiler.emit import c, c_companions, c_library, cuda, cuda_angles, llvm, residence
from sixvec.compiler.emit.c_library import Member
from sixvec.compiler.emit.cuda_loop import Repeated, emit_loop, loop_launch
from sixvec.compiler.emit.cuda_rows import Results, emit_rows, planned
from sixvec.compiler.emit.function import Function
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.far_angle import far_angle
from sixvec.compiler.graph import arctan2, cos, sin, sqrt, where
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program, trace
from sixvec.compiler.runtime import call_stub_result
from sixvec.compiler.runtime.batch import batch_assembly
from sixvec.compiler.runtime.call_frame import handle_assembly
from sixvec.compiler.runtime.call_stub_assembly import call_stub_assembly
from sixvec.compiler.runtime.cuda_call import _assembly as launch_assembly
from sixvec.compiler.runtime.cuda_frame import handler_assembly
from sixvec.compiler.runtime.cuda_launch import KernelLaunch
from sixvec.compiler.runtime.interpreter import interpreter_assembly
from sixvec.compiler.runtime.iterate import iterate_assembly
from sixvec.compiler.runtime.stages import stages_assembly
from sixvec.compiler.runtime.sweep import sweep_assembly
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.kernels.derivative import Directional
from sixvec.kernels.products import Pullback, Pushforward
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute, Spherical
from sixvec.spatial import Pose, Vec3

FILE = Path(__file__).parent.parent / "golden/texts.txt"
DTYPES = ("float64", "float32")


def small() -> Program:
    """Every operation, results that repeat, constants, and an input that nothing reads."""

    def run(x: list, y: list, unread: list) -> list:
        s, k = sin(x[0]), cos(x[1])
        size = sqrt(x[0] * x[0] + x[2] * x[2])
        r = where(x[2] < s, k / size, abs(y[0])) - y[1] * s
        return [
            (Port("a", (2, 2)), [s * k + x[2], 0.0, r, s * k + x[2]]),
            (Port("b", (3,)), [r * s + k, -2.5, arctan2(s, r)]),
        ]

    return trace("small", [Port("x", (3,)), Port("y", (2,)), Port("unread", (2,))], run)


def turning() -> Program:
    """Sines of two runs of neighbouring inputs, and divisions."""

    def run(q: list, v: list) -> list:
        return [(Port("y", (2,)), [sin(q[1]) * cos(q[2]) * v[0], cos(q[4]) / v[1] + sin(v[3]) + q[0] + sin(q[4])])]

    return trace("turning", [Port("q", (5,)), Port("v", (4,))], run)


def step() -> Program:
    """State, constants, an input for each step; a trace, and whether to go on."""

    def run(x: list, n: list, k: list, c: list, u: list) -> list:
        new = [x[0] + k[0] * u[0] * c[1], x[1] + x[0] * u[1] + c[0]]
        return [(Port("x", (2,)), new), (Port("n", ()), [n[0] + 1.0]), (Port("out", (3,)), [new[0], u[0], new[1]])]

    return trace("step", [Port("x", (2,)), Port("n", ()), Port("k", ()), Port("c", (2,)), Port("u", (2,))], run)


def halving() -> Program:
    def run(x: list, c: list) -> list:
        return [(Port("x", (2,)), [x[0] * c[0], x[1] + 1.0]), (Port("go", ()), [x[0] - 1.0])]

    return trace("halving", [Port("x", (2,)), Port("c", ())], run)


def wide() -> Program:
    """More columns than a warp has threads, of even and odd lengths."""
    ports = [Port("x", (40,)), Port("y", (33,))]
    return trace("wide", ports, lambda x, y: [(Port("z", (34,)), [a * b for a, b in zip(x, y, strict=False)] + [1.5])])


def swapped() -> Program:
    """A product whose factors change their order when sine and cosine of one angle are made together."""

    def run(x: list) -> list:
        s, t = sin(x[0]), x[1] + x[2]
        return [(Port("y", (3,)), [t * cos(x[0]) + s, s - t * x[0], t * t + t * t])]

    return trace("swapped", [Port("x", (3,))], run)


def crowded() -> Program:
    """More numbers at a time than registers, in and beyond the columns of a large result."""

    def run(x: list) -> list:
        many = [x[0] * (j + 1.0) + x[1] for j in range(160)]
        ends = [a * b for a, b in zip(many, reversed(many), strict=True)]
        return [(Port("y", (6,)), [x[0], *ends[:3], sum(ends, x[1]), many[7]])]

    return trace("crowded", [Port("x", (2,))], run)


def constants() -> Program:
    return trace("constants", [Port("x", (2,)), Port("none", (0,))], lambda x, none: [(Port("y", (1,)), [4.5])])


def derived_texts() -> Iterator[tuple[str, str]]:
    """Derivatives of programs and of kernels with quaternions, and bytecode."""
    for mode in ("forward", "reverse"):
        for wrt in ("x", "y", "unread"):
            yield f"derivative {mode} {wrt}", str(jacobian(small(), wrt, mode))
    ball = sixvec.Robot(
        Model(
            "ball",
            (
                Body("one", None, Spherical(), inertia=Sphere(0.5).inertia(2.0)),
                Body("two", "one", Revolute(), Pose.translation(Vec3(0.5, 0.25, 0.0)), Sphere(0.25).inertia(1.0)),
            ),
            (Frame("tip", "two"),),
        )
    )
    for name, options in (("gravity_forces", {}), ("pose", {"frame": "tip"})):
        kernel = ball.kernel(name, **options)
        yield f"derivative of {name}", str(kernel.derivative("q").program)
        yield f"direction of {name}", str(Directional(kernel, "q").program)
        yield f"pushforward of {name}", str(Pushforward(kernel, ("q",)).program)
        yield f"pullback of {name}", str(Pullback(kernel, ("q",)).program)
        yield f"tangent pushforward of {name}", str(Pushforward(kernel, tangent=True).program)
        yield f"tangent pullback of {name}", str(Pullback(kernel, tangent=True).program)
    for lanes, whole in ((Lanes(1, "float64"), False), (Lanes(8, "float64"), False), (Lanes(4, "float32"), True)):
        made = encode(lowered(small(), lanes.dtype), lanes, whole)
        yield f"bytecode {lanes.width}", f"{made.instructions.tolist()}\n{made.constants.tolist()}\n{made.slots}"
    yield "interpreter", interpreter_assembly(Lanes(4, "float64"))


def library_texts() -> Iterator[tuple[str, str]]:
    plain = trace("plain", [Port("x", (2,))], lambda x: [(Port("y", ()), [x[0] + x[1]])])
    rounded = [
        Member(Function(small(), notes=("Noted.",)), "float64", "float64"),
        Member(Function(constants()), "float32", "float64"),
    ]
    simple = [Member(Function(plain), "float32", "float32")]
    for name, members in (("rounded", rounded), ("simple", simple)):
        yield f"library {name}", c_library.source(name, members)
        yield f"library header {name}", c_library.header(name, ["A robot.", "Its mass."], members)
        yield f"library header {name} C++", c_companions.cpp_header(name, members)
        yield f"library cmake {name}", c_companions.cmake(name)
        filled = [np.inf, -np.inf, np.nan, 0.1]
        recorded = [[[np.resize(filled, p.size) for _, p, _ in m.ports]] * 2 for m in members]
        yield f"library test {name}", c_companions.recorded_answers_program(name, members, recorded)


def cuda_texts() -> Iterator[tuple[str, str]]:
    for dtype in DTYPES:
        yield f"component-major {dtype}", cuda.emit_cuda(small(), dtype, {"y": 2})
        ways: tuple[Results, ...] = ("rows", "distinct", "one by one")
        for way in ways:
            plan = planned(small(), dtype, False, (way,))
            yield f"{way} {dtype}", emit_rows(Function(small()), dtype, plan)
        yield f"wide {dtype}", emit_rows(Function(wide()), dtype)
        yield f"fast {dtype}", emit_rows(Function(small()), dtype, fast=True)
        for name, looped in (
            ("step", Repeated(step(), 2, 1, False)),
            ("until", Repeated(halving(), 1, 0, True)),
            ("many", Repeated(replace(wide(), name="many"), 0, 1, False)),
        ):
            plan_of_loop = loop_launch(looped, dtype)
            yield f"loop {name} {dtype}", emit_loop(Function(looped.step), looped, dtype, plan_of_loop)
    plan = planned(crowded(), "float64", False)
    assert plan.registers > 0 and plan.extra > 0 and plan.shared_bytes == 64 * 8 * (3 + 7 + plan.extra)
    yield "crowded", emit_rows(Function(crowded()), plan=plan)
    yield "crowded plan", str(plan)
    yield "large plan", str(planned(replace(crowded(), inputs=(Port("x", (74,)),)), "float64", False))
    plan = planned(small(), "float64", False)
    for registers, extra in ((2, 0), (3, 2), (6, 1)):
        spilling = replace(plan, registers=registers, extra=extra)
        yield f"spilling {registers} {extra}", emit_rows(Function(small()), plan=spilling)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda_angles, "LARGE", 0)
        plan = planned(turning(), "float32", False)
        assert plan.angles == (("q", 1), ("q", 2), ("q", 4), ("v", 3))
        yield "angles in a loop", emit_rows(Function(turning()), "float32", plan)


def llvm_texts() -> Iterator[tuple[str, str]]:
    for dtype in DTYPES:
        made = lowered(small(), dtype)
        for width in (1, 2, 8):
            yield f"program {width} {dtype}", emit_llvm(made, Lanes(width, dtype))
        yield f"whole {dtype}", emit_llvm(made, Lanes(4, dtype), "every", whole=True)
    with pytest.MonkeyPatch.context() as patch:  # a long program on few registers
        patch.setattr(residence, "REGISTERS", 3)
        patch.setattr(llvm, "PART", 12)
        patch.setattr(llvm, "SHORT_REACH", 4)
        yield "parts", emit_llvm(lowered(small(), "float64"), Lanes(8, "float64"))


def runtime_texts() -> Iterator[tuple[str, str]]:
    for lanes in (Lanes(1, "float64"), Lanes(2, "float64"), Lanes(4, "float32"), Lanes(8, "float64")):
        name = f"{lanes.width} {lanes.dtype}"
        yield f"iterate {name}", iterate_assembly(lanes)
        yield f"stages {name}", stages_assembly(lanes)
        if lanes.width > 1:
            yield f"batch {name}", batch_assembly(lanes)
    yield "sweep", sweep_assembly(Lanes(1, "float32"))
    yield "handle", handle_assembly()
    launches = [KernelLaunch(7, 32, 128, 64, (0, 1), (0,)), KernelLaunch(8, 32, 32, 96, (), (1,), True)]
    yield "handler", handler_assembly([(1, 7), (0, 1)], [(2, 49), (1, 7)], launches, "float64", 64, 5, 9)
    yield "launch", launch_assembly()
    with pytest.MonkeyPatch.context() as patch:
        for size in (24, 32):  # the second since Python 3.14
            patch.setattr(call_stub_result, "TUPLE_ITEMS", size)
            yield f"call stub {size}", call_stub_assembly()


def lowered_texts() -> Iterator[tuple[str, str]]:
    for dtype in DTYPES:
        yield f"lowered {dtype}", str(lowered(small(), dtype))
        yield f"lowered, sines left, {dtype}", str(lowered(small(), dtype, ("sin",), frozenset({("x", 0)})))
        yield f"lowered, all cosines left, {dtype}", str(lowered(small(), dtype, ("cos",)))
        yield f"lowered, cosines of another, {dtype}", str(lowered(small(), dtype, ("cos",), frozenset({("x", 0)})))
        yield f"lowered, swapped, {dtype}", str(lowered(swapped(), dtype))
        yield f"lowered, constants, {dtype}", str(lowered(constants(), dtype))
        yield f"far angle {dtype}", str(far_angle(dtype))
        yield f"C {dtype}", c.emit_source([Function(small()), Function(turning())], dtype)
        yield f"header {dtype}", c.emit_header([Function(small()), Function(turning())], dtype)


def texts() -> dict[str, str]:
    """Their digests, and how many lines they have."""
    found: list[Any] = [
        *cuda_texts(),
        *llvm_texts(),
        *runtime_texts(),
        *lowered_texts(),
        *derived_texts(),
        *library_texts(),
    ]
    assert len({name for name, _ in found}) == len(found)
    return {n: f"{text.count(chr(10)):5} {hashlib.sha256(text.encode()).hexdigest()[:16]}" for n, text in found}


def test_texts_are_the_recorded_ones() -> None:
    made = texts()
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text("".join(f"{digest}  {name}\n" for name, digest in made.items()))
    recorded = {line[24:]: line[:22] for line in FILE.read_text().splitlines()}
    assert made.keys() == recorded.keys()
    assert [name for name in made if made[name] != recorded[name]] == []
