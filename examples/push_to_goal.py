"""A box on three feet is pushed so that it slides, turns and stops at a goal: derivatives through contacts say how.

The push is a force and a moment of a quarter of a second; then friction stops the box.  Where it stops depends smoothly
on the push, because all feet stay on the floor and slide until the end: a few Newton steps with the derivatives of the
whole rollout are enough.

    python examples/push_to_goal.py
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import sixvec as sv
from sixvec.formats import parse_model

FOOT = '<geom type="sphere" size=".02" pos="{}" friction=".4"/>'
BOX = f"""<mujoco model="box"><worldbody><geom type="plane" size="9 9 .1"/><body pos="0 0 .02"><freejoint/>
{FOOT.format(".12 .1 0")} {FOOT.format(".12 -.1 0")} {FOOT.format("-.15 0 0")}
<geom type="box" size=".15 .1 .02" pos="0 0 .02" contype="0" conaffinity="0" mass="2"/></body></worldbody></mujoco>"""

STANDING = np.array([0.0, 0.0, 0.02, 0.0, 0.0, 0.0, 1.0])
DT, STEPS, PUSHED = 0.01, 80, 25
GOAL = np.array([0.6, 0.2, 0.5])
"""x and y in m, the angle in rad."""

START = np.array([20.0, 5.0, 0.5])
"""Forces along x and y in N, the moment in N m, in axes of the box."""

ROUNDS = 9
FARTHEST = 0.2
"""Of a step, as a part of the push."""


def rest(robot: sv.Robot, push: jax.Array) -> jax.Array:
    """Where the box is at the end."""
    force = jnp.zeros(6).at[jnp.array([3, 4, 2])].set(push)
    forces = jnp.zeros((STEPS, 6)).at[:PUSHED].set(force)
    q = robot.rollout(STANDING, np.zeros(6), forces, DT, contacts="file").q[-1]
    return jnp.array([q[0], q[1], 2.0 * jnp.arctan2(q[5], q[6])])


def main() -> dict[str, float]:
    robot = sv.Robot(parse_model(BOX, "box.xml"))

    def place(push: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = rest(robot, push)
        return x, x

    slopes = jax.jit(jax.jacrev(place, has_aux=True))
    push, missing = START, GOAL
    for k in range(ROUNDS):
        slope, reached = slopes(push)
        missing = GOAL - np.asarray(reached)
        print(f"{k}: force {push[0]:6.3f} {push[1]:6.3f} N, moment {push[2]:6.3f} N m", end=", ")
        print(f"misses by {np.abs(missing).max():.1e}")
        change = np.linalg.solve(np.asarray(slope), missing)
        push = push + change * min(1.0, FARTHEST * np.linalg.norm(push) / np.linalg.norm(change))
    return {"misses by": float(np.abs(missing).max())}


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    main()
