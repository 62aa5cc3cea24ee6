"""A cart keeps its pole upright: a linear-quadratic regulator from `robot.linearize`.

The regulator minimises the sum of  xᵀ Q x + uᵀ R u  over all steps of the linear system near the upright pole.  Its
gain is the fixed point of the Riccati recursion; the loop of law and simulation is one compiled program, for a whole
batch of starts.

    python examples/balance_cart_pole.py                    # figures
    python examples/balance_cart_pole.py balance.gif        # and a film (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec as sv

STEP = 0.01
WEIGHTS = np.diag([1.0, 10.0, 0.1, 0.1])
"""Of the errors of cart and pole, and of their rates."""

EFFORT = np.diag([0.01])
ROUNDS = 2000
"""Of the Riccati recursion; it converges geometrically, here within 600."""


def lqr(A: Any, B: Any, Q: Any, R: Any) -> Any:
    """The gain K of the law  u = -K x  that minimises  Σ xᵀ Q x + uᵀ R u."""
    P = Q
    for _ in range(ROUNDS):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return K


def upright(cart: sv.Robot) -> Any:
    """The position at which the pole stands: of both equilibria, the one with more potential energy."""
    return max(([0.0, 0.0], [0.0, np.pi]), key=lambda q: float(cart.potential_energy(q)))


def balanced(starts: int = 100, seconds: float = 5.0) -> tuple[sv.Robot, Any, Any]:
    """The robot, where its pole stands, and rollouts from poles that lean by up to 0.3 rad."""
    cart = sv.load("cart_pole")
    q = np.array(upright(cart))
    near = cart.linearize(q, [0.0, 0.0], [0.0, 0.0], dt=STEP)
    K = lqr(near.A, near.B[:, :1], WEIGHTS, EFFORT)  # only the cart has a motor
    most = cart.effort_limits[0]

    def law(at: Any, rate: Any, goal: Any) -> Any:
        return [np.clip(-K[0] @ np.concatenate([at - goal, rate]), -most, most), 0.0]

    lean = np.random.default_rng(0).uniform(-0.3, 0.3, starts)
    start = q + np.stack([np.zeros(starts), lean], axis=-1)
    return cart, q, cart.rollout(start, [0.0, 0.0], q, STEP, steps=round(seconds / STEP), control=law, integrator="rk4")


def main() -> None:
    cart, q, path = balanced()
    error = np.abs(path.q - q)
    print(f"{len(error)} poles, leaning by up to {error[:, 0, 1].max():.2f} rad")
    print(f"after {path.t[-1]:.0f} s: cart within {error[:, -1, 0].max():.1e} m, pole {error[:, -1, 1].max():.1e} rad")
    print(f"largest force {np.abs(path.tau).max():.1f} N, largest way {error[..., 0].max():.2f} m")
    if len(sys.argv) > 1:
        print(cart.animate(path.q[0], sys.argv[1], STEP, overwrite=True))


if __name__ == "__main__":
    main()
