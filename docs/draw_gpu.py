"""Draws the picture of the page on CUDA devices from `benchmarks/gpu.json`: `python docs/draw_gpu.py`."""

from __future__ import annotations

import json
from pathlib import Path

from matplotlib.figure import Figure

from sixvec.viz.colors import ANGULAR, GREY, LINEAR

IMAGES = Path(__file__).parent / "images"
FIGURES = Path(__file__).parent.parent / "benchmarks" / "gpu.json"


def gpu() -> Figure:
    """The share of the copy bandwidth that kernels of a Panda reach, exact ones in both precisions."""
    rows = [r for r in json.loads(FIGURES.read_text())["rows"] if r.get("fast") is False]
    rows = [r for r in rows if r["kernel"].startswith("panda ") and "component" not in r["kernel"]]
    names = list(dict.fromkeys(r["kernel"].removeprefix("panda ") for r in rows))
    figure = Figure(figsize=(7.0, 2.8), layout="constrained")
    ax = figure.subplots()
    for k, (dtype, color) in enumerate((("float32", LINEAR), ("float64", ANGULAR))):
        found = [r for r in rows if r["dtype"] == dtype]
        places = [i + 0.2 - 0.4 * (1 - k) for i in range(len(names))]
        ax.barh(places, [100.0 * r["bandwidth_share"] for r in found], 0.38, color=color, label=dtype)
        for place, r in zip(places, found, strict=True):
            ax.text(1.5, place, f"{r['samples_per_second'] / 1e9:.1f} G/s", va="center", fontsize=7, color="white")
    ax.axvline(100.0, color=GREY, linewidth=1.0)
    ax.set_yticks(range(len(names)), [name.replace("_", " ") for name in names], fontsize=8)
    ax.invert_yaxis()
    ax.set_xlabel("percent of the copy bandwidth", fontsize=8)
    ax.tick_params(labelsize=8)
    ax.legend(fontsize=8, frameon=False, loc="lower right")
    return figure


PICTURES = {"gpu": gpu}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
