"""Kernels on a CUDA device: samples per second, share of the card's copy bandwidth, and whether the answers are right.

    python benchmarks/gpu.py --answers build/gpu        # where sixvec has machine code: answers to compare with
    python benchmarks/gpu.py --out build/gpu            # where a CUDA device is: needs CuPy, writes gpu.json

Arrays are row-major (n, ...), as users have them.  Bytes are those of inputs and outputs, each counted once.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sixvec as sv

CHECKED = 512
"""Samples whose answers are compared."""

SAMPLES = {"panda": 2**20, "g1": 2**18}


class Case(NamedTuple):
    robot: str
    kernel: str
    options: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.robot} {self.kernel}"


def cases(robots: dict[str, sv.Robot]) -> Iterator[Case]:
    for name, robot in robots.items():
        for kernel in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
            yield Case(name, kernel, {})
        yield Case(name, "jacobian", {"frame": robot.frame_names[-1]})
        if name == "panda":
            yield Case(name, "inverse_dynamics_derivatives", {})
            yield Case(name, "forward_dynamics_derivatives", {})


def state(robot: sv.Robot, count: int, dtype: str) -> list[np.ndarray]:
    """Positions, velocities, and accelerations or forces."""
    rng = np.random.default_rng(0)
    parts = [robot.random(rng, count), rng.normal(size=(count, robot.nv)), rng.normal(size=(count, robot.nv))]
    return [x.astype(dtype) for x in parts]


def robots(g1: Path | None) -> dict[str, sv.Robot]:
    found = {"panda": sv.load("panda")}
    return found if g1 is None else found | {"g1": sv.load(g1, floating=True)}


def write_answers(folder: Path, all_robots: dict[str, sv.Robot]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kept: dict[str, np.ndarray] = {}
    for name, robot in all_robots.items():
        for dtype in ("float64", "float32"):
            for i, x in enumerate(state(robot, CHECKED, dtype)):
                kept[f"{name} {dtype} state{i}"] = x
    for case in cases(all_robots):
        kernel = all_robots[case.robot].kernel(case.kernel, **case.options)
        for dtype in ("float64", "float32"):
            inputs = [kept[f"{case.robot} {dtype} state{i}"] for i in range(len(kernel.inputs))]
            answer = kernel(*inputs)
            for i, x in enumerate([answer] if kernel.result_type is None else answer):
                kept[f"{case.name} {dtype} answer{i}"] = x
    np.savez(folder / "answers.npz", **kept)


def measure(case: Case, robot: sv.Robot, dtype: str, fast: bool, answers: Any) -> dict[str, Any]:
    from sixvec.compiler.runtime.cuda import CudaKernel, cupy

    xp = cupy()
    function = robot.kernel(case.kernel, **case.options)
    program, kernel = function.program, CudaKernel(function, fast)
    few = [xp.asarray(answers[f"{case.robot} {dtype} state{i}"]) for i in range(len(program.inputs))]
    found = [xp.asnumpy(x) for x in kernel(*few)]
    expected = [answers[f"{case.name} {dtype} answer{i}"] for i in range(len(program.outputs))]
    same = all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
    error = max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in zip(found, expected, strict=True))
    count = SAMPLES[case.robot]
    many = [xp.tile(x, (count // CHECKED, 1)) for x in few]
    outputs = [xp.empty((count, *p.shape), dtype) for p in program.outputs]
    run = kernel.program(dtype)
    seconds = timed(xp, lambda: run(count, many, [False] * len(many), outputs))
    size = sum(x.nbytes for x in (*many, *outputs))
    compiled = run.kernel
    return {
        "kernel": case.name, "dtype": dtype, "fast": fast, "samples": count, "seconds": seconds,
        "samples_per_second": count / seconds, "bytes_per_second": size / seconds, "same_bits": same, "error": error,
        "registers": compiled.num_regs, "spilled_bytes": compiled.local_size_bytes, "threads": run.launch.threads,
        "shared_bytes": run.launch.shared_bytes, "staged": run.launch.staged,
    }  # fmt: skip


def timed(xp: Any, call: Any) -> float:
    """The median of twenty calls, by events on the stream, after three to warm up."""
    for _ in range(3):
        call()
    times = []
    for _ in range(20):
        start, end = xp.cuda.Event(), xp.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(xp.cuda.get_elapsed_time(start, end) * 1e-3)
    return float(np.median(times))


def copy_bandwidth(xp: Any) -> float:
    source = xp.zeros(2**28, "float32")
    target = xp.empty_like(source)
    return 2 * source.nbytes / timed(xp, lambda: xp.copyto(target, source))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path, help="write the answers to compare with into this folder")
    parser.add_argument("--out", type=Path, default=Path("build/gpu"), help="where the answers are and gpu.json goes")
    parser.add_argument("--g1", type=Path, help="the URDF of the humanoid, which is another project's file")
    arguments = parser.parse_args()
    found = robots(arguments.g1)
    if arguments.answers:
        write_answers(arguments.answers, found)
        return
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    answers = np.load(arguments.out / "answers.npz")
    copy = copy_bandwidth(xp)
    device = xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{device}: copies {copy / 1e12:.2f} TB/s", flush=True)
    rows = []
    for case in cases(found):
        for dtype in ("float32", "float64"):
            for fast in (False, True):
                row = measure(case, found[case.robot], dtype, fast, answers)
                row["bandwidth_share"] = row["bytes_per_second"] / copy
                rows.append(row)
                print(
                    f"{case.name:36} {dtype} {'fast ' if fast else 'exact'} {row['samples_per_second'] / 1e9:7.3f} G/s "
                    f"{100 * row['bandwidth_share']:5.1f} % same bits {row['same_bits']} error {row['error']:.1e} "
                    f"regs {row['registers']} spill {row['spilled_bytes']} threads {row['threads']}",
                    flush=True,
                )
    (arguments.out / "gpu.json").write_text(json.dumps({"device": device, "copy": copy, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
