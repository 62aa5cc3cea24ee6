"""The falling chain: its tip falls like a stone, and only the integrator changes the energy."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/falling_chain.py"
ORDER = 4


def test_the_chain_falls_and_keeps_its_energy(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(EXAMPLE))
    seconds = 0.8
    figures = example["main"](links=25, seconds=seconds)
    # Held at the other end only, a limp chain feels nothing at its tip until the bend arrives.
    assert figures["tip z, m"] == pytest.approx(-example["GRAVITY"] * seconds**2 / 2, rel=1e-3)
    assert figures["tip x, m"] < example["LENGTH"] - 0.5
    assert abs(figures["energy drift, J"]) < 1e-4 * figures["potential energy lost, J"]
    assert "energy drift" in capsys.readouterr().out


def test_the_drift_falls_with_the_order_of_the_integrator() -> None:
    main = runpy.run_path(str(EXAMPLE))["main"]
    drift = []
    for steps in (4, 8):
        main.__globals__["STEPS_PER_RIPPLE"] = steps
        drift.append(abs(main(links=10, seconds=0.8)["energy drift, J"]))
    assert drift[0] > 2 ** (ORDER - 0.5) * drift[1]
