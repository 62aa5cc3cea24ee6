"""Forward dynamics of chains of 2³ … 2²⁰ bodies: the constraint force algorithm against sequential recursions.

    python benchmarks/long_chains.py --out build/long_chains

For every array library that is installed: time and number of dependent levels against N, and the difference from
NumPy's answer; beside them our own O(N) forward dynamics on one core.  Writes long_chains.json and long_chains.png.
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

from array_backends import Backend, backends
from machine import describe
from sixvec import Robot
from sixvec.constraint_force import ArrayChain, constraint_force_dynamics, prefix_levels, reduction_levels
from sixvec.model import WORLD, Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

SMALLEST = 3
LARGEST_ON_CPU = 14
LARGEST_ON_GPU = 20
LARGEST_COMPARED = 14
"""Beyond this exponent NumPy takes too long to be asked for its answer as well."""
LARGEST_UNROLLED = 5
"""Robots compile one straight-line program, which is not made for longer chains."""
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
    chain, mine = ArrayChain.uniform(count, links()), state(count)
    arrays = [backend.convert(x) for x in chain.arrays()]
    mode, call = backend.prepare(
        lambda arrays, q, v, tau: constraint_force_dynamics(chain.with_arrays(arrays), q, v, tau, xp=backend.xp),
        (arrays, *map(backend.convert, mine)),
    )
    taken = seconds(call, backend.wait)
    found = backend.as_numpy(call())
    error = None
    if backend.name != "numpy" and exponent <= LARGEST_COMPARED:
        expected = constraint_force_dynamics(chain, *mine)
        error = float(np.abs(found - expected).max() / np.abs(expected).max())
    return {
        "bodies": count, "seconds": taken, "mode": mode, "finite": bool(np.isfinite(found).all()), "error": error,
        "levels": {"prefix": prefix_levels(count), "reduction": reduction_levels(count)},
    }  # fmt: skip


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


def sequential_loop(exponent: int) -> float | None:
    """Seconds of a compiled loop over 2^exponent bodies on one core; None where there is no such loop."""
    return None


def measure(backend: Backend, smallest: int, largest: int) -> list[dict[str, Any]]:
    rows = []
    for exponent in range(smallest, largest + 1):
        try:
            row = parallel(backend, exponent)
        except (MemoryError, RuntimeError) as error:  # out of device memory: the rest would be as well
            print(f"{backend.name}: stopped at 2^{exponent}: {str(error).splitlines()[0][:100]}")
            break
        rows.append(row)
        compared = "" if row["error"] is None else f", {row['error']:.0e} from numpy"
        print(
            f"{backend.name:>6} 2^{exponent:<2} {1e3 * row['seconds']:10.3f} ms, {row['mode']},"
            f" levels {row['levels']['prefix']} + {row['levels']['reduction']}{compared}"
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
    parser.add_argument("--out", type=Path, required=True, help="folder for long_chains.json and long_chains.png")
    parser.add_argument("--smallest", type=int, default=SMALLEST, help="exponent of the shortest chain")
    parser.add_argument("--largest", type=int, help="exponent of the longest chain on a GPU")
    parser.add_argument("--largest-on-cpu", type=int, default=LARGEST_ON_CPU)
    parser.add_argument("--backend", action="append", help="only these array libraries")
    chosen = parser.parse_args()
    found = [b for b in backends() if not chosen.backend or b.name in chosen.backend]
    print("array libraries:", ", ".join(f"{b.name} ({b.device})" for b in found))
    largest = {
        b.name: (chosen.largest or LARGEST_ON_GPU) if b.on_gpu else min(chosen.largest_on_cpu, chosen.largest or 64)
        for b in found
    }
    results: dict[str, Any] = {"machine": describe(), "parallel": {}, "sequential": {}}
    for b in found:
        results["parallel"][b.name] = {"device": b.device, "rows": measure(b, chosen.smallest, largest[b.name])}
    for name, timed in (("robot.forward_dynamics, one core", unrolled), ("compiled loop, one core", sequential_loop)):
        times = {k: timed(k) for k in range(chosen.smallest, max(largest.values(), default=0) + 1)}
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
