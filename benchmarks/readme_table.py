"""The table of speeds in the README, from `results.json`.

python benchmarks/readme_table.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
START, END = "<!-- speed: written by benchmarks/readme_table.py -->\n", "<!-- end of speed -->"
SHOWN = {
    "batch": ("inverse_dynamics", "forward_dynamics", "mass_matrix", "forward_dynamics_derivatives"),
    "single": ("inverse_dynamics", "forward_dynamics"),
}
HOW = {"batch": "in a batch of 4096", "single": "one call from Python"}
PEERS = ("Pinocchio", "MuJoCo")


def table(rows: list[dict[str, Any]]) -> str:
    """Nanoseconds per state of sixvec and of two peers, in Markdown."""
    panda = {(r["section"], r["kernel"]): r for r in rows if r["robot"] == "panda"}
    lines = [f"| | sixvec | {' | '.join(PEERS)} |", f"|---|{'---|' * (1 + len(PEERS))}"]
    for section, kernels in SHOWN.items():
        for kernel in kernels:
            row = panda[section, kernel]
            times = [row["ours_us"], *(_fastest(row["peers_us"], peer) for peer in PEERS)]
            cells = " | ".join("" if t is None else f"{1e3 * t:.0f}" for t in times)
            lines.append(f"| `{kernel}`, {HOW[section]} | {cells} |")
    return "\n".join(lines) + "\n"


def _fastest(peers: dict[str, float], name: str) -> float | None:
    return min((time for peer, time in peers.items() if peer.startswith(name)), default=None)


def written(readme: str, rows: list[dict[str, Any]]) -> str:
    """The README with the table of these results."""
    before, _, rest = readme.partition(START)
    return before + START + table(rows) + END + rest.partition(END)[2]


if __name__ == "__main__":
    results = json.loads((ROOT / "benchmarks/results.json").read_text())["rows"]
    readme = ROOT / "README.md"
    readme.write_text(written(readme.read_text(), results))
