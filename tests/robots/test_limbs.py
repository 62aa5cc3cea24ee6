"""Every built-in robot can be seen: its shapes reach from joint to joint, and every format holds them."""

from __future__ import annotations

import numpy as np
import pytest

from geom_poses import geom_poses
from sixvec.formats.fitted_geoms import for_mjcf, for_urdf
from sixvec.geometry.rigid_body.solids import Cylinder, Sphere
from sixvec.robots import BUILT_IN
from sixvec.robots.built_in import MECHANISMS


@pytest.mark.parametrize("name", BUILT_IN)
def test_links_reach_from_joint_to_joint(name: str) -> None:
    """At q = 0 every cylinder starts at the ball of its body, and one of them ends at that of each body it carries."""
    model = BUILT_IN[name]()
    q = np.concatenate([np.array(b.joint.neutral(), float) for b in model.moving])
    balls: dict[str | None, np.ndarray] = {}
    ends: dict[str | None, list[np.ndarray]] = {}
    for g, X in zip(model.geoms, geom_poses(model, q), strict=True):
        body = model.frame(g.frame).body
        if isinstance(g.shape, Sphere):
            balls[body] = X[:3, 3]
            continue
        assert isinstance(g.shape, Cylinder)
        half = 0.5 * float(g.shape.length) * X[:3, 2]
        assert np.linalg.norm(X[:3, 3] - half - balls[body]) < 1e-12
        ends.setdefault(body, []).append(X[:3, 3] + half)
    assert {*balls} == {b.name for b in model.bodies if not b.joint.nv or b.inertia.mass}
    for b in model.bodies:
        if b.parent in balls and b.name in balls and np.linalg.norm(balls[b.name] - balls[b.parent]) > 0.3:
            assert min(np.linalg.norm(end - balls[b.name]) for end in ends[b.parent]) < 1e-12


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_format_holds_them(name: str) -> None:
    model, bare = BUILT_IN[name](), MECHANISMS[name]()
    assert model.geoms and model.fingerprint == bare.fingerprint
    for fitted in (for_urdf(model), for_mjcf(model)):
        assert fitted.geoms == model.geoms and fitted.notes == ()
