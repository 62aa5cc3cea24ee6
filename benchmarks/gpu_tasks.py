"""Steps of a stack of tasks on a CUDA device, from the call to the answer, on arrays of CuPy.

    python benchmarks/gpu_tasks.py --answers build/gpu    # where sixvec has machine code: answers to compare with
    python benchmarks/gpu_tasks.py --out build/gpu        # where a CUDA device is: needs CuPy, writes gpu_tasks.json

A Panda with a frame, a posture and limits: goals 0.02 rad away from each state, and one far goal for all of them; with
and without the second program that brings motions to rest; single steps, and many steps in one launch.  The first
samples are compared with the answers of the CPU, bit by bit.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv

FRAME, DT = "panda_link8", 0.01
COMPARED, STEPS, RUNS = 512, 20, 5
SAMPLES = {1: 2**21, STEPS: 2**18}
"""States of a call, by the number of its steps."""

GOALS = ("near", "far")
FILE = "task_answers.npz"


def stack_of(panda: sv.Robot, damping: float) -> sv.tasks.Stack:
    rest = (panda.lower + panda.upper) / 2.0
    tasks = sv.tasks
    return tasks.Stack(panda, tasks.Frame(FRAME), tasks.Posture(rest, weight=1e-3), damping=damping)


def states(panda: sv.Robot, count: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Positions, and those whose poses are the goals."""
    q = panda.random(1, count)
    aside = 0.02 * np.random.default_rng(0).normal(size=(count, 7))
    return q, {"near": np.clip(q + aside, panda.lower, panda.upper), "far": panda.random(4)}


def answer(stack: sv.tasks.Stack, q: Any, goals: Any, steps: int) -> Any:
    return stack(q, {FRAME: goals}, DT) if steps == 1 else stack.follow(q, {FRAME: goals[None]}, DT, steps=steps)


def write_answers(folder: Path, panda: sv.Robot) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    q, at = states(panda, COMPARED)
    kept: dict[str, np.ndarray] = {"q": q}
    for goal in GOALS:
        kept[goal] = at[goal]
        poses = np.broadcast_to(panda.pose(at[goal], FRAME), (COMPARED, 4, 4))
        for damping in (0.0, 1.0):
            for steps in SAMPLES:
                step = answer(stack_of(panda, damping), q, poses, steps)
                kept[f"{goal} {damping} {steps} v"], kept[f"{goal} {damping} {steps} verdict"] = step.v, step.verdict
    np.savez(folder / FILE, **kept)


def measured(panda: sv.Robot, answers: Any) -> Iterator[dict[str, Any]]:
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    for steps, count in SAMPLES.items():
        q, at = states(panda, count)
        q[:COMPARED], at["near"][:COMPARED] = answers["q"], answers["near"]
        positions = xp.asarray(q)
        for goal in GOALS:
            poses = panda.pose(xp.asarray(at[goal]), FRAME)
            for damping in (0.0, 1.0):
                stack, times = stack_of(panda, damping), []
                for _ in range(RUNS + 2):
                    step = None  # as in a loop that keeps the state alone: its memory serves the next call
                    xp.cuda.Device().synchronize()
                    start = time.perf_counter()
                    step = answer(stack, positions, poses, steps)
                    xp.cuda.Device().synchronize()
                    times.append(time.perf_counter() - start)
                key, seconds = f"{goal} {damping} {steps}", float(np.median(times[2:]))
                same = all(
                    np.array_equal(getattr(step, part)[:COMPARED].get(), answers[f"{key} {part}"])
                    for part in ("v", "verdict")
                )
                yield {
                    "step": f"panda, {goal} goals", "damping": damping, "steps": steps, "samples": count,
                    "first_call": times[0], "seconds": seconds, "steps_per_second": count * steps / seconds,
                    "solved": float(xp.mean(step.verdict == 0)), "same_bits": same,
                }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path, help="write the answers to compare with into this folder")
    parser.add_argument("--out", type=Path, default=Path("build/gpu"), help="where the answers are and results go")
    arguments = parser.parse_args()
    panda = sv.load("panda")
    if arguments.answers:
        write_answers(arguments.answers, panda)
        return
    rows = []
    for row in measured(panda, np.load(arguments.out / FILE)):
        rows.append(row)
        print(
            f"{row['step']:18} damping {row['damping']:.0f} {row['steps']:3} steps "
            f"{row['steps_per_second'] / 1e6:8.1f} M steps/s, solved {row['solved']:.6f}, "
            f"same bits {row['same_bits']}, first call {row['first_call']:.1f} s",
            flush=True,
        )
    (arguments.out / "gpu_tasks.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
