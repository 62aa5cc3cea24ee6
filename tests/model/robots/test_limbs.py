"""Every built-in robot can be seen: its shapes reach from joint to joint, and every format holds them."""

from __future__ import annotations

import numpy as np
import pytest

from geom_poses import geom_poses
from sixvec.formats.fitted_geoms import for_mjcf, for_urdf
from sixvec.geometry.rigid_body.solids import Cylinder, Sphere
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots import BUILT_IN
from sixvec.model.robots.built_in import mechanism
from sixvec.model.robots.limbs import with_limbs
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3


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
    model, bare = BUILT_IN[name](), mechanism(name)()
    assert model.geoms and model.fingerprint == bare.fingerprint
    for fitted in (for_urdf(model), for_mjcf(model)):
        assert fitted.geoms == model.geoms and fitted.notes == ()


def test_limbs_of_a_planar_arm_by_hand() -> None:
    """Two links of 1 m: radii are 3 % of the 2 m from ground to tip, those of joints 1.3 times as large."""
    model = BUILT_IN["planar_2r"]()
    half = (0.5, 0.0, 0.0)
    assert [(g.frame, type(g.shape), *(round(x, 12) for x in g.placement.pos)) for g in model.geoms] == [
        ("base", Sphere, 0.0, 0.0, 0.0),
        ("link1", Sphere, 0.0, 0.0, 0.0),
        ("link1", Cylinder, *half),
        ("link2", Sphere, 0.0, 0.0, 0.0),
        ("link2", Cylinder, *half),
    ]
    for g in model.geoms:
        assert g.visual and not g.collision and g.material is not None
        along = [*(g.placement.rot @ Vec3(0.0, 0.0, 1.0))]
        if isinstance(g.shape, Sphere):
            assert g.shape.radius == pytest.approx(0.078) and g.material.color == (0.15, 0.35, 0.6, 1.0)
        else:
            assert isinstance(g.shape, Cylinder)
            assert (g.shape.radius, g.shape.length) == pytest.approx((0.06, 1.0))
            assert g.material.color == (0.85, 0.85, 0.88, 1.0)
            assert along == pytest.approx([1.0, 0.0, 0.0])


def test_limbs_on_other_frames() -> None:
    """On the frame of a body's own name, else on its first one; a body without any has no limb."""
    shifted = Pose(Rotation.identity(), Vec3(0.0, 0.0, 0.5))
    heavy = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    bodies = (
        Body("base"),
        Body("own", "base", Revolute(), inertia=heavy, joint_name="j"),
        Body("other", "own", Revolute(), inertia=heavy, joint_name="k"),
        Body("none", "other", Revolute(), inertia=heavy, joint_name="l"),
        Body("light", "other", Revolute(), joint_name="m"),
    )
    frames = (
        Frame("before", "own", shifted),
        Frame("own", "own"),
        Frame("first", "other", shifted),
        Frame("second", "other"),
        Frame("light", "light"),
    )
    found = with_limbs(Model("limbs", bodies, frames)).geoms
    balls = [(g.frame, [*g.placement.pos]) for g in found if isinstance(g.shape, Sphere)]
    assert balls == [("own", [0.0, 0.0, 0.0]), ("first", [0.0, 0.0, -0.5])]
    rods = [(g.frame, [*g.placement.pos]) for g in found if isinstance(g.shape, Cylinder)]
    assert rods == [("own", [0.0, 0.0, 0.25]), ("first", [0.0, 0.0, -0.25])]
    assert {float(g.shape.radius) for g in found if isinstance(g.shape, Cylinder)} == {0.03 * 0.5}


@pytest.mark.parametrize(("length", "rods"), [(0.029, 0), (0.031, 1), (0.0, 0)])
def test_short_ends_have_no_rod(length: float, rods: int) -> None:
    """The robot reaches 1 m, so a rod of less than 3 cm is inside its ball; a robot without length counts as 1 m."""
    ends = (Frame("a", "base"), Frame("end", "base", Pose(Rotation.identity(), Vec3(0.0, length, 0.0))))
    far = (Frame("far", "base", Pose(Rotation.identity(), Vec3(-1.0, 0.0, 0.0))),) if length else ()
    found = with_limbs(Model("stub", (Body("base"),), (*ends, *far))).geoms
    assert len(found) == 1 + rods + len(far) and isinstance(found[0].shape, Sphere)
    assert found[0].shape.radius == pytest.approx(0.039)
