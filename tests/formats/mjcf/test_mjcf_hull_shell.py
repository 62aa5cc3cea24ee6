"""A mesh that is only points is its hull, solid or hollow as the file says, as in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mjcf_peer import mujoco
from sixvec.formats import load_model, parse_model
from sixvec.spatial import RigidInertia
from tolerances import IDENTITY, PEER, assert_close

TETRAHEDRON = "0 0 0 1 0 0 0 1 0 0 0 1"
POINTS = {
    "tetrahedron": TETRAHEDRON,
    "five corners": f"{TETRAHEDRON} 1 1 1",
    "one corner inside": f"{TETRAHEDRON} .2 .2 .2",
    "cube": "0 0 0 1 0 0 0 1 0 0 0 1 1 1 0 1 0 1 0 1 1 1 1 1",
}


def tensor(inertia: RigidInertia) -> NDArray[np.float64]:
    """The moments about the centre of mass as a matrix."""
    xx, xy, xz, yy, yz, zz = inertia.about_center
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@pytest.mark.parametrize("given", ["", 'mass="3"', 'density="7"'])
@pytest.mark.parametrize("method", ["shell", "convex", "exact", "legacy"])
@pytest.mark.parametrize("points", POINTS)
def test_mass_center_and_moments(points: str, method: str, given: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(
        f'<mujoco><asset><mesh name="m" inertia="{method}" vertex="{POINTS[points]}" scale="1 2 3"/></asset>'
        f'<worldbody><body name="a"><freejoint/><geom type="mesh" mesh="m" pos="1 0 0" {given}/></body>'
        "</worldbody></mujoco>"
    )
    theirs = mujoco.MjModel.from_xml_path(str(file))
    inertia = load_model(file).bodies[-1].inertia
    assert_close([inertia.mass], theirs.body_mass[1:], PEER, batched=False)
    assert_close([*inertia.center], theirs.body_ipos[1], PEER, batched=False)
    # MuJoCo stops turning its axes when they are good to 1e-9; the moments, of second order in that, are exact.
    moments = np.linalg.eigvalsh(tensor(inertia))
    assert_close(moments, np.sort(theirs.body_inertia[1]), PEER, batched=False)


@pytest.mark.parametrize("points", POINTS)
def test_the_tensor_of_a_shell(points: str) -> None:
    """The middles of the edges of a triangle integrate quadratic functions exactly."""
    from scipy.spatial import ConvexHull

    text = (
        f'<mujoco><asset><mesh name="m" inertia="shell" vertex="{POINTS[points]}" scale="1 2 3"/></asset><worldbody>'
        '<body><geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>'
    )
    corners = np.array(POINTS[points].split(), float).reshape(-1, 3) * [1.0, 2.0, 3.0]
    weights, middles = [], []
    for a, b, c in corners[ConvexHull(corners).simplices]:
        weights += [np.linalg.norm(np.cross(b - a, c - a)) / 6.0] * 3
        middles += [(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0]
    w, x = np.array(weights), np.array(middles)
    center = w @ x / w.sum()
    second = np.einsum("i,ij,ik->jk", w, x - center, x - center)
    found = parse_model(text, "robot.xml").bodies[0].inertia
    assert_close([found.mass], [w.sum()], IDENTITY, batched=False)
    assert_close([*found.center], center, IDENTITY, batched=False)
    assert_close(tensor(found), np.trace(second) * np.eye(3) - second, IDENTITY, batched=False)
