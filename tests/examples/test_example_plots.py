"""The examples' --plot draws what was computed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("pick_and_place", "joint velocity, rad/s"),
        ("calibrate_arm", "position error at new positions, mm"),
        ("workspace_map", "smallest singular value, at its best"),
    ],
)
def test_the_plot_has_data_and_units(name: str, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
    try:
        runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](plot=True)
        (figure,) = shown
        assert label in {text for ax in figure.axes for text in (ax.get_xlabel(), ax.get_ylabel())}
        assert any(ax.has_data() for ax in figure.axes)
    finally:
        plt.close("all")
