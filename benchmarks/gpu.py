"""Kernels on a CUDA device: samples per second, share of the card's copy bandwidth, and whether the answers are right.

    python benchmarks/gpu.py --answers build/gpu        # where sixvec has machine code: answers to compare with
    python benchmarks/gpu.py --out build/gpu            # where a CUDA device is: needs CuPy, writes gpu.json

Arrays are row-major (n, ...), as users have them; the dynamics of a Panda are measured on component-major inputs too.
Bytes are those of inputs and outputs, each counted once.  Rollouts and inverse kinematics are the methods of a robot,
from call to answer, and so are tracks, assemblies, second derivatives and parallel robots (gpu_methods.py); torch and
JAX, if there, are called as users do (gpu_calls.py), and so are other libraries, with the URDF of the arm as
`panda.urdf` beside the answers (gpu_peers.py).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sixvec as sv
from gpu_calls import CALLED, jax_calls, torch_calls
from gpu_methods import methods
from gpu_peers import peers

CHECKED = 512
"""Samples whose answers are compared."""

SAMPLES = {"panda": 2**22, "g1": 2**19}
STEPS, STEP, PATHS = 100, 1e-3, 2**18
EULER = "semi_implicit_euler"
FEW = 128
"""Rollouts and poses whose answers are compared."""

FEET = {f"{side}_ankle_roll_link": "weld" for side in ("left", "right")}
"""The feet of the humanoid, held."""

TURNED = ("panda inverse_dynamics", "panda forward_dynamics")
"""Kernels that are measured on component-major arrays too."""

FRAME = "panda_link8"
TOLERANCE = 1e-5


class Case(NamedTuple):
    robot: str
    kernel: str
    options: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.robot} {self.kernel}"


def cases(robots: dict[str, sv.Robot]) -> Iterator[Case]:
    for name, robot in robots.items():
        for kernel in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
            yield Case(name, kernel, {})
        yield Case(name, "jacobian", {"frame": robot.frame_names[-1]})
        yield Case(name, "inverse_dynamics_derivatives", {})
        yield Case(name, "forward_dynamics_derivatives", {})
        if name == "g1":
            yield Case(name, "constrained_dynamics", {"hold": FEET})


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
    panda = all_robots["panda"]
    for dtype in ("float64", "float32"):
        q, v, tau = (kept[f"panda {dtype} state{i}"][:FEW] for i in range(3))
        kept[f"rollout {dtype}"] = panda.rollout(q, v, tau, STEP, steps=STEPS, integrator=EULER).q
    kept["poses"] = panda.pose(kept["panda float64 state0"][:FEW], FRAME)
    kept["ik"] = panda.ik(kept["poses"], FRAME, method="numerical", tolerance=TOLERANCE).q
    np.savez(folder / "answers.npz", **kept)


def measure(
    case: Case, robot: sv.Robot, dtype: str, fast: bool, answers: Any, components: bool = False
) -> dict[str, Any]:
    from sixvec.compiler.runtime.cuda import CudaKernel, cupy

    xp = cupy()
    function = robot.kernel(case.kernel, **case.options)
    program: Any = function.program
    kernel = CudaKernel(function, fast)
    few = [xp.asarray(answers[f"{case.robot} {dtype} state{i}"]) for i in range(len(program.inputs))]
    if components:
        few = [xp.asfortranarray(x) for x in few]
    found = [xp.asnumpy(x) for x in kernel(*few)]
    expected = [answers[f"{case.name} {dtype} answer{i}"] for i in range(len(program.outputs))]
    same = all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
    error = max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in zip(found, expected, strict=True))
    count = SAMPLES[case.robot]
    many = [xp.tile(x, (count // CHECKED, 1)) for x in few]
    if components:
        many = [xp.asfortranarray(x) for x in many]
    steps = [(1, count) if components else (p.size, 1) for p in program.inputs]
    outputs = [xp.empty((count, *p.shape), dtype) for p in program.outputs]
    run: Any = kernel.program(dtype)
    seconds = timed(xp, lambda: run(count, many, steps, outputs))
    size = sum(x.nbytes for x in (*many, *outputs))
    compiled = getattr(run, "kernels", None) or [run.kernel]  # several if it is in sections
    plan = getattr(run, "launch", None)
    return {
        "kernel": case.name + ", component-major" * components, "dtype": dtype, "fast": fast, "samples": count,
        "seconds": seconds, "samples_per_second": count / seconds, "bytes_per_second": size / seconds,
        "same_bits": same, "error": error, "kernels": len(compiled), "registers": max(k.num_regs for k in compiled),
        "spilled_bytes": max(k.local_size_bytes for k in compiled), "threads": plan.threads if plan else 32,
        "shared_bytes": plan.shared_bytes if plan else None, "staged": plan.staged if plan else True,
    }  # fmt: skip


def measure_rollouts(panda: sv.Robot, dtype: str, answers: Any, per_step: bool) -> dict[str, Any]:
    """All steps in one launch: the method, from call to end, with joint forces that stay or with some for each step."""
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    few = [xp.asarray(answers[f"panda {dtype} state{i}"][:FEW]) for i in range(3)]
    q, v, tau = (xp.tile(x, (PATHS // FEW, 1)) for x in few)
    steps = None if per_step else STEPS
    if per_step:
        tau = xp.repeat(tau[:, None], STEPS, axis=1)
    found = panda.rollout(q, v, tau, STEP, steps=steps, integrator=EULER).q[:FEW]
    same = bool((found == xp.asarray(answers[f"rollout {dtype}"])).all())
    seconds = timed(xp, lambda: panda.rollout(q, v, tau, STEP, steps=steps, integrator=EULER))
    name = f"panda rollout, tau {'of each step' if per_step else 'held'}"
    return {
        "kernel": name, "dtype": dtype, "samples": PATHS, "steps": STEPS, "seconds": seconds,
        "steps_per_second": PATHS * STEPS / seconds, "same_bits": same,
    }  # fmt: skip


def measure_ik(panda: sv.Robot, answers: Any) -> dict[str, Any]:
    """Poses of random positions, from the middle of the ranges, to 1e-5 m and rad: the method, from call to answer."""
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    few = panda.ik(xp.asarray(answers["poses"]), FRAME, method="numerical", tolerance=TOLERANCE).q
    same = bool((few == xp.asarray(answers["ik"])).all())
    count = CALLED
    poses = panda.pose(xp.asarray(panda.random(1, count)), FRAME)
    times = []
    for _ in range(7):
        xp.cuda.Device().synchronize()
        start = time.perf_counter()
        found = panda.ik(poses, FRAME, method="numerical", tolerance=TOLERANCE)
        xp.cuda.Device().synchronize()
        times.append(time.perf_counter() - start)
    error = float(xp.abs(panda.pose(found.q, FRAME) - poses).max())
    seconds = float(np.median(times[2:]))
    return {
        "kernel": "panda ik", "dtype": "float64", "samples": count, "solved": int(found.solved.sum()),
        "seconds": seconds, "solved_per_second": int(found.solved.sum()) / seconds, "same_bits": same, "error": error,
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
        for dtype, fast, components in product(("float32", "float64"), (False, True), (False, True)):
            in_double = found[case.robot].kernel(case.kernel, **case.options).needs_double
            if in_double and (dtype == "float32" or fast):
                continue
            if not components or (not fast and case.name in TURNED):
                row = measure(case, found[case.robot], dtype, fast, answers, components)
                row["bandwidth_share"] = row["bytes_per_second"] / copy
                rows.append(row)
                print(
                    f"{row['kernel']:42} {dtype} {'fast ' if fast else 'exact'} "
                    f"{row['samples_per_second'] / 1e9:7.3f} G/s "
                    f"{100 * row['bandwidth_share']:5.1f} % same bits {row['same_bits']} error {row['error']:.1e} "
                    f"regs {row['registers']} spill {row['spilled_bytes']} threads {row['threads']}",
                    flush=True,
                )
    for dtype in ("float32", "float64"):
        for per_step in (False, True):
            rows.append(measure_rollouts(found["panda"], dtype, answers, per_step))
            print(rows[-1], flush=True)
    rows.append(measure_ik(found["panda"], answers))
    print(rows[-1], flush=True)
    for measured in (torch_calls, jax_calls, methods, peers):
        for row in measured(found["panda"], arguments.out):
            rows.append(row)
            print(row, flush=True)
        (arguments.out / "gpu.json").write_text(json.dumps({"device": device, "copy": copy, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
