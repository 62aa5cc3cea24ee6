"""Distances of an arm of 59 spheres to itself on a CUDA device, from the call to the answer, on arrays of CuPy.

    python benchmarks/gpu_distances.py --answers build/gpu    # where sixvec has machine code: answers to compare with
    python benchmarks/gpu_distances.py --out build/gpu        # where a CUDA device is: needs CuPy, writes a JSON file

Random states of the Panda of the section `distances`: booleans, and the smallest gap with its gradient, in both
precisions.  The first samples are compared with the answers of the CPU, bit by bit.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from panda_shapes import arm_of

COMPARED, RUNS = 512, 5
SAMPLES = 2**22
FILE = "distance_answers.npz"
DTYPES = ("float32", "float64")

QUESTIONS: dict[str, Callable[[Any, Any], tuple[Any, ...]]] = {
    "is_clear": lambda robot, q: (robot.is_clear(q),),
    "distance and gradient": lambda robot, q: _gap(robot.distance(q, gradient=True)),
}


def _gap(answer: Any) -> tuple[Any, ...]:
    return answer.distance, answer.gradient


def write_answers(folder: Path, robot: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    q = robot.random(1, COMPARED)
    answers = {"q": q}
    for name, ask in QUESTIONS.items():
        for dtype in DTYPES:
            for k, part in enumerate(ask(robot, q.astype(dtype))):
                answers[f"{name} {dtype} {k}"] = part
    np.savez(folder / FILE, **answers)


def measured(robot: Any, answers: Any) -> Iterator[dict[str, Any]]:
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    q = robot.random(2, SAMPLES)
    q[:COMPARED] = answers["q"]
    for name, ask in QUESTIONS.items():
        for dtype in DTYPES:
            there, times, parts = xp.asarray(q.astype(dtype)), [], ()
            for _ in range(RUNS + 2):
                xp.cuda.Device().synchronize()
                start = time.perf_counter()
                parts = ask(robot, there)
                xp.cuda.Device().synchronize()
                times.append(time.perf_counter() - start)
            seconds = float(np.median(times[2:]))
            same = all(np.array_equal(x[:COMPARED].get(), answers[f"{name} {dtype} {k}"]) for k, x in enumerate(parts))
            yield {
                "question": name, "dtype": dtype, "samples": SAMPLES, "first_call": times[0], "seconds": seconds,
                "states_per_second": SAMPLES / seconds, "same_bits": same,
            }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    robot = arm_of("spheres")
    if options.answers:
        write_answers(options.answers, robot)
    if options.out:
        rows = []
        for row in measured(robot, np.load(options.out / FILE)):
            print(json.dumps(row), flush=True)
            rows.append(row)
        (options.out / "gpu_distances.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
