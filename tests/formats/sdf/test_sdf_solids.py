"""Inertia that SDF leaves to the reader: that of the shapes, by their textbook formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdf_files import link, model
from sixvec.formats import parse_model

PI = math.pi
R, L = 0.2, 0.5
A, B, C = 0.3, 0.4, 0.5
SOLIDS: dict[str, tuple[str, float, float, tuple[float, float, float]]] = {
    "box": (
        f"<box><size>{A} {B} {C}</size></box>",
        A * B * C,
        0.0,
        ((B * B + C * C) / 12.0, (A * A + C * C) / 12.0, (A * A + B * B) / 12.0),
    ),
    "sphere": (f"<sphere><radius>{R}</radius></sphere>", 4.0 / 3.0 * PI * R**3, 0.0, (0.4 * R * R,) * 3),
    "cylinder": (
        f"<cylinder><radius>{R}</radius><length>{L}</length></cylinder>",
        PI * R * R * L,
        0.0,
        (R * R / 4.0 + L * L / 12.0, R * R / 4.0 + L * L / 12.0, R * R / 2.0),
    ),
    "ellipsoid": (
        f"<ellipsoid><radii>{A} {B} {C}</radii></ellipsoid>",
        4.0 / 3.0 * PI * A * B * C,
        0.0,
        ((B * B + C * C) / 5.0, (A * A + C * C) / 5.0, (A * A + B * B) / 5.0),
    ),
    "cone": (
        f"<cone><radius>{R}</radius><length>{L}</length></cone>",
        PI * R * R * L / 3.0,
        -L / 4.0,
        (0.15 * R * R + 0.0375 * L * L, 0.15 * R * R + 0.0375 * L * L, 0.3 * R * R),
    ),
}
"""Geometry, volume, height of the centre of mass in the shape's frame, and the inertia of a unit mass about it."""


@pytest.mark.parametrize("given", ["", "<density>3</density>", "<density>3</density><mass>5</mass>"])
@pytest.mark.parametrize("name", SOLIDS)
def test_mass_centre_and_inertia(name: str, given: str) -> None:
    geometry, volume, height, unit = SOLIDS[name]
    shape = f'<collision name="c"><pose>1 2 3 0 0 0</pose><geometry>{geometry}</geometry></collision>'
    inside = f'<inertial auto="true">{given}</inertial>{shape}'
    found = parse_model(model(link("a", inside=inside), version="1.11"), "robot.sdf").bodies[0].inertia
    mass = 5.0 if "mass" in given else (3.0 if given else 1000.0) * volume
    assert found.mass == pytest.approx(mass, rel=1e-12)
    assert np.allclose([*found.center], [1.0, 2.0, 3.0 + height], rtol=1e-12)
    xx, xy, xz, yy, yz, zz = found.about_center
    assert np.allclose([xx, yy, zz], mass * np.array(unit), rtol=1e-9)
    assert np.allclose([xy, xz, yz], 0.0, atol=1e-9 * mass)
