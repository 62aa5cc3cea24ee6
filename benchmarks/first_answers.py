"""CPU seconds to the first answers of every kernel with an empty cache, on one core, in one process.

    python benchmarks/first_answers.py [panda g1] [--only forward_dynamics_derivatives] [--stages]

The goals: any first-order kernel of a 29-joint humanoid within 2 s and of an arm within 0.3 s, second derivatives and
rollouts within 5 s.  CPU time and not the clock's, so that a busy machine changes little.  `--stages` shows where it
goes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time, sleep
from typing import Any

BATCH = 64
GOALS = {"panda": 0.3, "g1": 2.0}
LONG_GOAL = 5.0
LONG = ("second_derivatives", "rollout")


def questions(robot: Any, frame: str) -> Iterator[tuple[str, Callable[[tuple[int, ...]], object]]]:
    """Each method by name, as a function of the batch shape."""
    from kernels import KERNELS

    def state(name: str, shape: tuple[int, ...]) -> Any:
        x = robot.neutral() if name == "q" else np.full(robot.nv, 0.1)
        return np.broadcast_to(x, (*shape, x.size)).copy()

    for kernel in KERNELS.values():
        last = (frame,) if kernel.framed else ()
        yield (
            kernel.name,
            lambda shape, k=kernel, last=last: getattr(robot, k.name)(*(state(x, shape) for x in k.inputs), *last),
        )
    for name, inputs in (("inverse_dynamics", "q v a"), ("forward_dynamics", "q v tau")):
        yield (
            f"{name}_second_derivatives",
            lambda shape, n=name, i=inputs: getattr(robot, f"{n}_second_derivatives")(
                *(state(x, shape) for x in i.split())
            ),
        )
    yield (
        "rollout",
        lambda shape: robot.rollout(state("q", shape), state("v", shape), np.zeros((*shape, 3, robot.nv)), dt=1e-3),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["panda", "g1"])
    parser.add_argument("--only", action="append", default=[], help="kernels whose name holds this")
    parser.add_argument("--stages", action="store_true", help="tracing, lowering and emission apart from LLVM")
    chosen = parser.parse_args()
    from robots import ROBOTS, write_clean_urdf

    print(f"{'robot':>6} {'kernel':<38} {'one':>6} {'batch':>6} {'goal':>5}  CPU seconds")
    for known in ROBOTS:
        if known.name not in chosen.robots:
            continue
        with tempfile.TemporaryDirectory() as folder:
            urdf = write_clean_urdf(known, Path(folder))
            for name, _ in questions(sv.load(str(urdf), floating=known.floating), known.frame):
                if chosen.only and not any(part in name for part in chosen.only):
                    continue
                os.environ["SIXVEC_CACHE_DIR"] = tempfile.mkdtemp(dir=folder)
                fresh = sv.load(str(urdf), floating=known.floating)
                call = dict(questions(fresh, known.frame))[name]
                seconds, parts = [], []
                for shape in ((), (BATCH,)):
                    before, start = dict(stages), process_time()
                    call(shape)
                    seconds.append(process_time() - start)
                    parts.append({k: x - before.get(k, 0.0) for k, x in stages.items()})
                while background.running():  # the best code of long programs
                    sleep(0.05)
                goal = LONG_GOAL if any(part in name for part in LONG) else GOALS.get(known.name, LONG_GOAL)
                missed = "" if max(seconds) <= goal else "  missed"
                print(f"{known.name:>6} {name:<38} {seconds[0]:6.2f} {seconds[1]:6.2f} {goal:5.1f}{missed}", flush=True)
                if chosen.stages:
                    for label, part in zip(("one", "batch"), parts, strict=True):
                        shown = ", ".join(f"{k} {x:.2f}" for k, x in part.items() if x >= 0.01)
                        print(f"{'':>9}{label}: {shown}")


stages: dict[str, float] = {}


def watched(module: Any, name: str, label: str) -> None:
    """Add up the CPU time of a function."""
    function = getattr(module, name)

    def run(*args: Any, **kwargs: Any) -> Any:
        start = process_time()
        try:
            return function(*args, **kwargs)
        finally:
            stages[label] = stages.get(label, 0.0) + process_time() - start

    setattr(module, name, run)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import numpy as np

    import sixvec as sv
    from sixvec.compiler import artifact, background, bytecode_first, executable
    from sixvec.kernels import kernel as kernels_of_algorithms

    for module, function, label in (
        (kernels_of_algorithms, "trace", "trace"),
        (executable, "lowered", "lower"),
        (artifact, "emit_llvm", "emit"),
        (artifact, "compile_object", "LLVM"),
        (bytecode_first, "encode", "bytecode"),
        (bytecode_first, "compile_job", "job"),
        (background, "is_begun", "start"),
    ):
        watched(module, function, label)
    sv.load("planar_2r").mass_matrix(np.zeros(2))  # imports, which are paid once
    main()
