"""A chain of 1000 links, held out straight by one end and let go, falls and swings.

Forward dynamics of so long a chain takes three passes over arrays, a fraction of a microsecond a link and pass; the
integrator is Runge-Kutta of order 4.  No energy is lost: the drift that is printed is the integrator's.

    python examples/falling_chain.py                 # one second with 1000 links, a few seconds of work
    python examples/falling_chain.py --links 100     # a coarser chain of the same length
    python examples/falling_chain.py --plot          # and its shape every 0.1 s (pip install -e '.[viz]')
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from sixvec.large_trees import LargeTree, forward_dynamics, mass_matrix_product
from sixvec.model import Body
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

LENGTH, MASS, GRAVITY = 10.0, 1.0, 9.81
STEPS_PER_RIPPLE = 4
"""A ripple of two links is the fastest motion of the chain; Runge-Kutta is stable from 2 steps in its period on."""
SHAPE_EVERY = 0.1


def chain(links: int) -> LargeTree:
    """Thin rods along x with hinges about y, which let them swing in the vertical plane."""
    length, mass = LENGTH / links, MASS / links
    across = mass * length**2 / 12.0
    rod = RigidInertia.from_center_of_mass(mass, Vec3(length / 2, 0.0, 0.0), Sym3.diagonal(0.0, across, across))
    place = Pose.translation(Vec3(length, 0.0, 0.0))
    return LargeTree.chain(links, [Body("link", joint=Revolute(Vec3(0.0, 1.0, 0.0)), placement=place, inertia=rod)])


def step_length(links: int) -> float:
    """Waves run at √(tension / mass per metre); the tension is at most some three times the weight."""
    speed = np.sqrt(3.0 * GRAVITY * LENGTH)
    return float(2.0 * LENGTH / links / speed / STEPS_PER_RIPPLE)


def rates(tree: LargeTree, state: np.ndarray) -> np.ndarray:
    q, v = state
    return np.array([v, forward_dynamics(tree, q, v, np.zeros(tree.nv))])


def runge_kutta(tree: LargeTree, state: np.ndarray, h: float) -> np.ndarray:
    k1 = rates(tree, state)
    k2 = rates(tree, state + h / 2 * k1)
    k3 = rates(tree, state + h / 2 * k2)
    k4 = rates(tree, state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def joints_of(q: np.ndarray) -> np.ndarray:
    """x and z of the hinges and of the tip."""
    angle, length = np.cumsum(q), LENGTH / len(q)
    ends = length * np.array([np.cumsum(np.cos(angle)), -np.cumsum(np.sin(angle))])
    return np.concatenate([np.zeros((2, 1)), ends], axis=1)


def energy(tree: LargeTree, state: np.ndarray) -> float:
    """½ vᵀ M v + Σ m g z, zero for the chain held out straight."""
    q, v = state
    z = joints_of(q)[1]
    return float(0.5 * v @ mass_matrix_product(tree, q, v) + MASS / len(q) * GRAVITY * (z[1:] + z[:-1]).sum() / 2)


def main(links: int = 1000, seconds: float = 1.0, plot: bool = False) -> dict[str, float]:
    tree = chain(links)
    count = int(np.ceil(seconds / step_length(links)))
    h, state, shapes = seconds / count, np.zeros((2, links)), {}
    every = max(1, round(SHAPE_EVERY / h))
    start = time.perf_counter()
    for k in range(count):
        if k % every == 0 and count - k > every // 2:  # the last shape is that of the end
            shapes[k * h] = joints_of(state[0])
        state = runge_kutta(tree, state, h)
    taken = time.perf_counter() - start
    x, z = joints_of(state[0])
    figures = {
        "steps": count,
        "microseconds a link and step": 1e6 * taken / count / links,
        "tip x, m": x[-1],
        "tip z, m": z[-1],
        "potential energy lost, J": -MASS / links * GRAVITY * (z[1:] + z[:-1]).sum() / 2,
        "energy drift, J": energy(tree, state),
    }
    for name, value in figures.items():
        print(f"{name:30} {value:11.4g}")
    if plot:
        import matplotlib.pyplot as plt

        shapes[seconds] = np.array([x, z])
        for at, shape in shapes.items():
            plt.plot(*shape, color=plt.cm.viridis(0.9 * at / seconds), label=f"{at:.1f} s")
        plt.axis("equal")
        plt.xlabel("x, m")
        plt.ylabel("z, m")
        plt.legend(title="time", loc="center left", bbox_to_anchor=(1.0, 0.5))
        plt.tight_layout()
        plt.show()
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--plot", action="store_true")
    chosen = parser.parse_args()
    main(chosen.links, chosen.seconds, chosen.plot)
