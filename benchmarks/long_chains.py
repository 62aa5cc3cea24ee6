"""Forward dynamics of chains of 2³ … 2²⁰ bodies: the constraint force algorithm against sequential recursions.

    python benchmarks/long_chains.py --out build/long_chains
    python benchmarks/long_chains.py --check

For every array library that is installed, and for the fused stages of `ChainSolver` on the CPU and a CUDA device: time
and number of dependent levels against N, and the difference from the answer of our own O(N) forward dynamics, whose
time on one core stands beside them.  Writes long_chains.json and long_chains.png.  `--check` only compares answers on
short chains.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from array_backends import Backend, backends, cupy_backend, numpy_backend
from machine import describe
from sixvec import Robot
from sixvec.compiler.threads import set_threads
from sixvec.large_trees import LargeTree, constraint_force, forward_dynamics
from sixvec.large_trees.constraint_force import ArrayChain, ChainSolver, prefix_levels, reduction_levels
from sixvec.model import WORLD, Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

SMALLEST = 3
LARGEST_ON_CPU = 14
LARGEST_ON_GPU = 20
LARGEST_UNROLLED = 5
"""Robots compile one straight-line program, which is not made for longer chains."""
LARGEST_FUSED_ON_CPU = 17
CHECKED = (1, 2, 3, 5, 8, 17, 100, 1000, 4096)
AGREEMENT = 1e-10
"""How far answers may differ, relative to the largest acceleration; these chains show 1e-12."""
SECONDS_EACH = 1.0
FEWEST, MOST = 3, 200


def links() -> tuple[Body, Body]:
    """Two rods of 0.1 m and 0.2 kg with crossed hinges, as in a chain of the garage kind."""
    rod = RigidInertia.from_center_of_mass(0.2, Vec3(0.05, 0.0, 0.0), Sym3.diagonal(2e-5, 2e-4, 2e-4))
    place = Pose(Rotation.identity(), Vec3(0.1, 0.0, 0.0))
    return tuple(Body(f"about_{k}", joint=Revolute(axis), placement=place, inertia=rod) for k, axis in _AXES.items())


_AXES = {"y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}


def state(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    return rng.uniform(-0.5, 0.5, count), rng.normal(size=count) * 0.1, rng.normal(size=count) * 0.1


def seconds(call: Callable[[], Any], wait: Callable[[Any], None]) -> float:
    """The median time of a call, the first one left out."""
    wait(call())
    taken: list[float] = []
    while len(taken) < MOST and (len(taken) < FEWEST or sum(taken) < SECONDS_EACH):
        start = time.perf_counter()
        wait(call())
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def parallel(backend: Backend, exponent: int) -> dict[str, Any]:
    """One chain on one array library."""
    count = 2**exponent
    chain, mine = ArrayChain.chain(count, links()), state(count)
    arrays = [backend.convert(x) for x in chain.arrays()]
    mode, call = backend.prepare(
        lambda arrays, q, v, tau: constraint_force.forward_dynamics(
            chain.with_arrays(arrays), q, v, tau, xp=backend.xp
        ),
        (arrays, *map(backend.convert, mine)),
    )
    taken = seconds(call, backend.wait)
    return _row(exponent, taken, mode, backend.as_numpy(call()), mine)


def fused(backend: Backend, exponent: int) -> dict[str, Any]:
    """One chain by fused stages; q, v and tau are on the device already."""
    count = 2**exponent
    chain, mine = ArrayChain.chain(count, links()), state(count)
    solver = ChainSolver(chain, "cuda" if backend.on_gpu else "cpu")
    given = [backend.convert(x) for x in mine]
    taken = seconds(lambda: solver(*given), backend.wait)
    return _row(exponent, taken, solver.mode, backend.as_numpy(solver(*given)), mine) | {"steps": solver.steps}


def _row(exponent: int, taken: float, mode: str, found: np.ndarray, mine: tuple[np.ndarray, ...]) -> dict[str, Any]:
    """What the report says about one chain."""
    return {
        "bodies": 2**exponent, "seconds": taken, "mode": mode, "error": difference(found, mine),
        "levels": {"prefix": prefix_levels(2**exponent), "reduction": reduction_levels(2**exponent)},
    }  # fmt: skip


def difference(found: np.ndarray, mine: tuple[np.ndarray, ...]) -> float:
    """The largest difference from the articulated-body sweep's answer, relative to the largest acceleration."""
    expected = forward_dynamics(LargeTree.chain(len(found), links()), *mine)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def unrolled(exponent: int) -> float | None:
    """`robot.forward_dynamics`, one state a call, on one core."""
    if exponent > LARGEST_UNROLLED:
        return None
    made: list[Body] = []
    for i in range(2**exponent):
        link = links()[i % 2]
        made.append(Body(f"b{i}", made[-1].name if made else WORLD, link.joint, link.placement, link.inertia))
    robot, mine = Robot(Model("chain", tuple(made))), state(2**exponent)
    return seconds(lambda: robot.forward_dynamics(*mine), lambda x: None)


def sequential_loop(exponent: int) -> float:
    """Seconds of a compiled loop over 2^exponent bodies on one core."""
    before = set_threads(1)
    tree, mine = LargeTree.chain(2**exponent, links()), state(2**exponent)
    taken = seconds(lambda: forward_dynamics(tree, *mine), lambda x: None)
    set_threads(before)
    return taken


def check(gpu: Backend | None) -> bool:
    """Answers of the fused stages against the sequential loop's; whether all agree."""
    agree = True
    for device, convert in (("cpu", np.asarray), *([("cuda", gpu.as_numpy)] if gpu else [])):
        for count in CHECKED:
            chain, mine = ArrayChain.chain(count, links()), state(count)
            solver = ChainSolver(chain, device)
            error = difference(convert(solver(*mine)), mine)
            agree &= error <= AGREEMENT
            told = f"{error:.1e} from the loop, {solver.mode}, {solver.steps} steps"
            print(f"fused {device:>4} {count:>5} bodies: {told}")
    return agree


def measure(
    name: str, timed: Callable[[Backend, int], dict[str, Any]], backend: Backend, smallest: int, largest: int
) -> list[dict[str, Any]]:
    rows = []
    for exponent in range(smallest, largest + 1):
        try:
            row = timed(backend, exponent)
        except (MemoryError, RuntimeError) as error:  # out of device memory: the rest would be as well
            print(f"{name}: stopped at 2^{exponent}: {str(error).splitlines()[0][:100]}")
            break
        rows.append(row)
        print(
            f"{name:>10} 2^{exponent:<2} {1e3 * row['seconds']:10.3f} ms, {row['mode']},"
            f" levels {row['levels']['prefix']} + {row['levels']['reduction']}, {row['error']:.0e} from the loop"
        )
    return rows


def draw(results: dict[str, Any], path: Path) -> bool:
    """Time against the number of bodies; False where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
    for name, entry in results["parallel"].items():
        rows = entry["rows"]
        label = f"constraint force, {name} on {entry['device']}"
        axis.plot([r["bodies"] for r in rows], [1e3 * r["seconds"] for r in rows], "o-", label=label)
    for name, rows in results["sequential"].items():
        if rows:
            axis.plot([r["bodies"] for r in rows], [1e3 * r["seconds"] for r in rows], "s--", label=name)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xlabel("bodies")
    axis.set_ylabel("time of one forward dynamics, ms")
    axis.set_title("Forward dynamics of one chain, float64", fontsize=11, loc="left")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for long_chains.json and long_chains.png")
    parser.add_argument("--check", action="store_true", help="only compare the fused stages with the sequential loop")
    parser.add_argument("--smallest", type=int, default=SMALLEST, help="exponent of the shortest chain")
    parser.add_argument("--largest", type=int, help="exponent of the longest chain on a GPU")
    parser.add_argument("--largest-on-cpu", type=int, default=LARGEST_ON_CPU)
    parser.add_argument("--backend", action="append", help="only these array libraries")
    chosen = parser.parse_args()
    gpu = cupy_backend()
    if chosen.check:
        if gpu is None:
            print("no CUDA device with CuPy here: checking the CPU only")
        raise SystemExit(0 if check(gpu) else "the answers differ")
    if chosen.out is None:
        parser.error("--out is needed, or --check")
    wanted = [(b.name, parallel, b) for b in backends()]
    wanted += [("fused cpu", fused, numpy_backend())] + ([("fused cuda", fused, gpu)] if gpu else [])
    runs = [run for run in wanted if not chosen.backend or run[0] in chosen.backend]
    print("runs:", ", ".join(f"{name} ({b.device})" for name, _, b in runs))
    results: dict[str, Any] = {"machine": describe(), "parallel": {}, "sequential": {}}
    longest = 0
    for name, timed, b in runs:
        on_cpu = LARGEST_FUSED_ON_CPU if timed is fused else chosen.largest_on_cpu
        largest = (chosen.largest or LARGEST_ON_GPU) if b.on_gpu else min(on_cpu, chosen.largest or 64)
        longest = max(longest, largest)
        results["parallel"][name] = {"device": b.device, "rows": measure(name, timed, b, chosen.smallest, largest)}
    for name, alone in (("robot.forward_dynamics, one core", unrolled), ("compiled loop, one core", sequential_loop)):
        times = {k: alone(k) for k in range(chosen.smallest, longest + 1)}
        rows = [{"bodies": 2**k, "seconds": taken} for k, taken in times.items() if taken is not None]
        results["sequential"][name] = rows
        for row in rows:
            print(f"{name}: {row['bodies']} bodies {1e3 * row['seconds']:.3f} ms")
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "long_chains.json").write_text(json.dumps(results, indent=1) + "\n")
    drawn = draw(results, chosen.out / "long_chains.png")
    print("wrote", chosen.out / "long_chains.json", "and the plot" if drawn else "(no plot: matplotlib is missing)")


if __name__ == "__main__":
    main()
