"""Dynamics of chains of 10³ … 10⁶ bodies by sweeps over arrays: nanoseconds a body and pass, on one core.

python benchmarks/large_tree_times.py
python benchmarks/large_tree_times.py --largest 5
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from machine import cpu_name
from sixvec.large_trees import (
    LargeTree,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix_product,
    mass_matrix_solve,
)
from sixvec.model import Body
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

SECONDS_EACH = 1.0
FEWEST, MOST = 3, 200


def rods() -> list[Body]:
    """Two rods of 0.1 m and 0.2 kg with crossed hinges."""
    rod = RigidInertia.from_center_of_mass(0.2, Vec3(0.05, 0.0, 0.0), Sym3.diagonal(2e-5, 2e-4, 2e-4))
    place = Pose.translation(Vec3(0.1, 0.0, 0.0))
    axes = {"y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}
    return [Body(f"about_{k}", joint=Revolute(axis), placement=place, inertia=rod) for k, axis in axes.items()]


def forward_dynamics_seconds(count: int, links: Sequence[Body], q: Any, v: Any, tau: Any) -> float:
    """The median time of one O(N) forward dynamics of a chain that repeats `links`, on one core."""
    tree = LargeTree.chain(count, links)
    return median_seconds(lambda: forward_dynamics(tree, q, v, tau))


def median_seconds(call: Callable[[], Any]) -> float:
    """The first call is left out."""
    call()
    taken: list[float] = []
    while len(taken) < MOST and (len(taken) < FEWEST or sum(taken) < SECONDS_EACH):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def measure(count: int) -> dict[str, float]:
    """Nanoseconds a body and pass of each call; of `chain`, nanoseconds a body to make the arrays."""
    start = time.perf_counter()
    tree = LargeTree.chain(count, rods())
    made = time.perf_counter() - start
    rng = np.random.default_rng(count)
    q, (v, x) = rng.uniform(-0.5, 0.5, count), rng.normal(size=(2, count)) * 0.1
    calls: dict[str, tuple[int, Callable[[], Any]]] = {
        "inverse dynamics": (2, lambda: inverse_dynamics(tree, q, v, x)),
        "forward dynamics": (3, lambda: forward_dynamics(tree, q, v, x)),
        "M x": (2, lambda: mass_matrix_product(tree, q, x)),
        "M⁻¹ x": (3, lambda: mass_matrix_solve(tree, q, x)),
    }
    each = {name: 1e9 * median_seconds(call) / passes / count for name, (passes, call) in calls.items()}
    return each | {"chain": 1e9 * made / count}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smallest", type=int, default=3, help="power of ten of the shortest chain")
    parser.add_argument("--largest", type=int, default=6, help="power of ten of the longest chain")
    chosen = parser.parse_args()
    print(cpu_name(), "— nanoseconds a body and pass", sep="\n")
    for exponent in range(chosen.smallest, chosen.largest + 1):
        figures = measure(10**exponent)
        print(f"10^{exponent}: " + ", ".join(f"{name} {value:.0f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
