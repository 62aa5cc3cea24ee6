"""Environments with contacts on a CUDA device: steps per second, and whether their bits are the CPU's.

    python benchmarks/gpu_simulation.py --answers build/gpu_simulation   # with Gymnasium: files, states, results
    python benchmarks/gpu_simulation.py --out build/gpu_simulation       # with a CUDA device, CuPy and torch

The states are those after random actions: some robots lie, others move or fly.  They are repeated to 65 536
environments, which make 50 steps per call with one action.  A process for each robot compiles its kernel, all at the
same time; they are timed one after the other.  A robot that is not ready after `--limit` seconds is left out.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import sim

ROBOTS = ("half_cheetah", "ant", "humanoid")
DTYPE = "float32"
COUNT, STEPS, REPEATS = 65_536, 50, 3
CHECKED, BEFORE = 256, 400
"""Environments whose results are compared, and steps with random actions before them."""


def environments(path: Path, count: int, **options: Any) -> sim.Batch:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = sv.load(path)
        dt = robot.model.simulation.timestep or 0.002
        return sim.Batch(robot, count, dt=dt, contacts="file", actuators="file", dtype=DTYPE, **options)


def write_answers(folder: Path, robots: list[str]) -> None:
    import gymnasium

    folder.mkdir(parents=True, exist_ok=True)
    for name in robots:
        path = folder / f"{name}.xml"
        shutil.copy(Path(gymnasium.__file__).parent / "envs/mujoco/assets" / path.name, path)
        rng, env = np.random.default_rng(0), environments(path, CHECKED, noise=0.1)
        low, high = env.action_limits
        for k in range(BEFORE):
            if k % 10 == 0:
                action = rng.uniform(low, high, (CHECKED, env.action_size)).astype(DTYPE)
            env.step(action)
        start = (env.q.copy(), env.v.copy())
        held = environments(path, CHECKED, substeps=STEPS, start=start)
        held.step(action)
        touching = (held.impulses != 0.0).any(axis=1)
        np.savez(
            folder / f"{name}.npz",
            q=start[0],
            v=start[1],
            action=action,
            q1=held.q,
            v1=held.v,
            touching=touching.mean(),
        )
        print(f"{name}: {touching.mean():.0%} touch the floor or themselves", flush=True)


def measure(folder: Path, name: str, count: int) -> dict[str, Any]:
    """The figures of one robot; waits for its turn to be timed."""
    import torch

    from sixvec.compiler.runtime.cuda import on_device

    began = time.perf_counter()
    known = np.load(folder / f"{name}.npz")
    few, repeats = len(known["q"]), -(-count // len(known["q"]))
    start = tuple(np.tile(known[k], (repeats, 1))[:count] for k in ("q", "v"))
    action = torch.as_tensor(np.tile(known["action"], (repeats, 1))[:count], device="cuda")
    env = environments(folder / f"{name}.xml", count, substeps=STEPS, start=start, library="torch", device="cuda")
    program: Any = on_device(env._loop).program(DTYPE)
    traced = time.perf_counter()
    kernel = program.kernel
    registers, spilled = kernel.num_regs, kernel.local_size_bytes
    compiled = time.perf_counter()
    with (folder / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        env.step(action)
        same = [
            np.array_equal(x[:few].cpu().numpy(), known[k], equal_nan=True) for x, k in ((env.q, "q1"), (env.v, "v1"))
        ]
        errors = np.abs(env.q[:few].cpu().numpy() - known["q1"]).max(axis=1)
        solved = float((env.verdict == 0).mean())
        seconds = []
        for _ in range(REPEATS):
            env.reset()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            env.step(action)
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
    return {
        "robot": name, "dtype": DTYPE, "environments": count, "steps": STEPS, "trace_s": traced - began,
        "compile_s": compiled - traced, "million_steps_per_second": count * STEPS / min(seconds) / 1e6,
        "registers": registers, "local_bytes": spilled, "source_bytes": len(program.source), "same_bits": all(same),
        "different_rows": int((errors > 0).sum()), "largest_difference": float(errors.max()), "solved": solved,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="the folder of the answers")
    parser.add_argument("--robots", nargs="+", default=list(ROBOTS))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--limit", type=float, default=85.0, help="seconds")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answers:
        write_answers(options.answers, options.robots)
    elif options.one:
        print(json.dumps(measure(options.out, options.one, options.count)), flush=True)
    elif options.out:
        end = time.monotonic() + options.limit
        command = [sys.executable, __file__, "--out", str(options.out), "--count", str(options.count), "--one"]
        children = {name: subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in options.robots}
        rows = []
        for name, child in children.items():
            try:
                text, _ = child.communicate(timeout=max(0.1, end - time.monotonic()))
                rows.append(json.loads(text) if child.returncode == 0 else {"robot": name, "failed": child.returncode})
            except subprocess.TimeoutExpired:
                child.kill()
                rows.append({"robot": name, "failed": f"not ready after {options.limit:g} s"})
            print(json.dumps(rows[-1]), flush=True)
        (options.out / "gpu_simulation.json").write_text(json.dumps(rows, indent=1) + "\n")
    else:
        parser.error("give --answers FOLDER or --out FOLDER")


if __name__ == "__main__":
    main()
