"""Writes the table of operation counts into this folder's README: `python docs/algorithms/counts.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import sixvec
from sixvec import Robot

PAGE = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- counts.py: begin -->", "<!-- counts.py: end -->"
ARM, LEGGED = "panda", "humanoid"
FRAMES = {ARM: "panda_link8", LEGGED: "r_hand"}

ROWS: Sequence[tuple[str, str, str]] = (
    ("pose", "product of joint poses", "O(d)"),
    ("jacobian", "a column per joint on the path", "O(d)"),
    ("jacobian_derivative", "rate of each column", "O(d)"),
    ("inverse_dynamics", "recursive Newton-Euler (RNEA)", "O(n)"),
    ("bias_forces", "inverse dynamics with a = 0", "O(n)"),
    ("gravity_forces", "inverse dynamics at rest", "O(n)"),
    ("forward_dynamics", "articulated bodies (ABA)", "O(n)"),
    ("hybrid_dynamics", "articulated bodies, some joints prescribed", "O(n)"),
    ("mass_matrix", "composite rigid bodies (CRBA)", "O(n d)"),
    ("mass_matrix_ltdl", "CRBA, then M = LᵀDL", "O(n d²)"),
    ("mass_matrix_solve", "LᵀDL, then substitution", "O(n d²)"),
    ("mass_matrix_inverse", "LᵀDL, then M⁻¹ = W D⁻¹ Wᵀ, W = L⁻¹", "O(n² d)"),
    ("coriolis_matrix", "recursion for the C with Ṁ - 2C skew", "O(n d)"),
    ("kinetic_energy", "sum over bodies", "O(n)"),
    ("momentum", "sum over bodies, about the centre of mass", "O(n)"),
    ("inverse_dynamics_derivatives", "recursion; ∂τ/∂q, ∂τ/∂v and M", "O(n d)"),
    ("forward_dynamics_derivatives", "-M⁻¹ times those", "O(n² d)"),
    ("inverse_dynamics_regressor", "a column per inertial parameter", "O(n d)"),
)
"""Name of a kernel, its method, its cost for n bodies in a tree of depth d."""


def operations(robot: Robot, name: str) -> str:
    """What one evaluation costs, for example "198 mul, 190 add"."""
    options = {"frame": FRAMES[robot.name]} if name.startswith(("pose", "jacobian")) else {}
    count = robot.kernel(name, **options).count()
    return ", ".join(f"{count[op]} {op}" for op in ("mul", "add", "div") if op in count)


def table() -> str:
    """The table, in Markdown."""
    robots = [sixvec.load(name) for name in (ARM, LEGGED)]
    lines = [
        "| kernel | method | cost | " + " | ".join(f"{r.name}, nv = {r.nv}" for r in robots) + " |",
        "|---|---|---|" + "---:|" * len(robots),
    ]
    for name, method, cost in ROWS:
        counts = " | ".join(operations(robot, name) for robot in robots)
        lines.append(f"| `{name}` | {method} | {cost} | {counts} |")
    return "\n".join(lines)


def main() -> None:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")


if __name__ == "__main__":
    main()
