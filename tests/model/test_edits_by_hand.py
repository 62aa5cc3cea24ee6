"""What each edit makes of a small model, field by field, and what it refuses; nothing is compiled here."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.errors import ArgumentError, ModelError
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.model import Body, Closure, Frame, FrictionLaw, Gear, Geom, JointDynamics, Limits, Mimic, Model
from sixvec.model.edits import attach, lock, payload, rename, reorder, reroot
from sixvec.model.edits.frame import with_frame
from sixvec.model.edits.limits import with_limits
from sixvec.model.edits.load import loaded_model
from sixvec.model.edits.rotor import Rotor, with_rotor
from sixvec.model.edits.vary import _motion, varied_bodies
from sixvec.model.joints import Cylindrical, Fixed, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

INF = math.inf
BALL = RigidInertia(2.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(1.0, 1.0, 1.0))


def at(x: float, y: float, z: float) -> Pose:
    return Pose(Rotation.identity(), Vec3(x, y, z))


def no_resistance(q: Any, v: Any) -> list[float]:
    return [0.0]


ARM = Model(
    "arm",
    (
        Body("base"),
        Body("a", "base", Revolute(), at(1.0, 0.0, 0.0), BALL, "ja", Limits((-1.0,), (2.0,), (3.0,), (4.0,))),
        Body("b", "a", Prismatic(), at(0.0, 1.0, 0.0), BALL, "jb"),
        Body("c", "b", Revolute(), at(0.0, 0.0, 1.0), BALL, mimic=Mimic("a", -2.0, 0.5)),
        Body("d", "c", Cylindrical(), Pose.identity(), BALL, "jd"),
        Body("e", "d", Revolute(), Pose.identity(), BALL, "je", mimic=Mimic("c", 3.0, 0.25)),
    ),
    (Frame("base", "base"), Frame("tip", "d", at(0.0, 0.0, 0.5)), Frame("ground", None, at(5.0, 0.0, 0.0))),
    closures=(Gear("gear", "a", "b", 2.0),),
    geoms=(Geom("tip", Sphere(0.1), name="bulb"), Geom("base", Sphere(0.2))),
    passive=(FrictionLaw("a", no_resistance),),
)


def numbers(X: Pose) -> list[float]:
    return [*X.rot.matrix, *X.pos]


def test_frames() -> None:
    found = with_frame(ARM, "nail", "tip", at(0.1, 0.0, 0.0))
    assert found.frames[-1] == Frame("nail", "d", at(0.1, 0.0, 0.5)) and found.frames[:-1] == ARM.frames
    matrix = np.array(at(0.1, 0.2, 0.3).as_matrix())
    assert with_frame(ARM, "nail", "ground", matrix.tolist()).frames[-1].placement.pos == Vec3(5.1, 0.2, 0.3)
    assert with_frame(ARM, "nail", "tip").frames[-1].placement == at(0.0, 0.0, 0.5)
    for name in ("", 3, None):
        with pytest.raises(ArgumentError, match="frame"):
            with_frame(ARM, name, "tip")  # type: ignore[arg-type]
    for wrong in (np.eye(3), np.eye(4)[:3], np.eye(4)[:, :3]):
        with pytest.raises(ArgumentError, match="nail"):
            with_frame(ARM, "nail", "tip", wrong.tolist())
    for k in range(4):
        odd = np.eye(4)
        odd[3, k] += 1.0
        with pytest.raises(ArgumentError, match="nail"):
            with_frame(ARM, "nail", "tip", odd.tolist())
    with pytest.raises(ModelError, match="tip"):
        with_frame(ARM, "tip", "base")


def test_limits() -> None:
    def limits(**given: Any) -> Limits:
        return with_limits(ARM, "ja", **given).by_name["a"].limits

    assert limits() == ARM.by_name["a"].limits
    assert limits(lower=-0.5) == Limits((-0.5,), (2.0,), (3.0,), (4.0,))
    assert limits(upper=[0.5]) == Limits((-1.0,), (0.5,), (3.0,), (4.0,))
    assert limits(velocity=0.0, effort=INF) == Limits((-1.0,), (2.0,), (0.0,), (INF,))
    assert limits(lower=2.0) == Limits((2.0,), (2.0,), (3.0,), (4.0,))
    assert with_limits(ARM, "jd", lower=-1.0, upper=(1.0, 2.0)).by_name["d"].limits == Limits((-1.0, -1.0), (1.0, 2.0))
    with pytest.raises(ArgumentError, match="lower"):
        limits(lower=2.5)
    for given in ({"velocity": -0.1}, {"effort": -0.1}):
        with pytest.raises(ArgumentError, match="effort"):
            limits(**given)
    for given in ({"lower": math.nan}, {"upper": (1.0, 2.0)}, {"effort": [[1.0]]}):
        with pytest.raises(ArgumentError, match=named("ja")):
            limits(**given)
    with pytest.raises(ArgumentError, match=named("jd")):
        with_limits(ARM, "jd", lower=(1.0, 2.0, 3.0))
    for name in ("c", "base"):
        with pytest.raises(ArgumentError):
            with_limits(ARM, name, lower=0.0)
    with pytest.raises(ArgumentError, match=named("with_limits", "joint")):
        with_limits(ARM, 1, lower=0.0)  # type: ignore[arg-type]


def test_rotors() -> None:
    rotor = Rotor(1e-3, -30.0, at(0.0, 0.1, 0.0), 0.5, 2e-3)
    found = with_rotor(ARM, "jb", rotor)
    inertia = RigidInertia(0.5, Vec3.zero(), Sym3.diagonal(2e-3, 2e-3, 1e-3))
    assert found.bodies[-1] == Body("b_rotor", "a", Revolute(), rotor.placement, inertia, mimic=Mimic("b", -30.0))
    assert found.frames[-1] == Frame("b_rotor", "b_rotor") and found.order == ()
    assert with_rotor(ARM, "jb", rotor, carrier=None, name="r").bodies[-1].parent is None
    assert with_rotor(ARM, "jb", rotor, carrier="base", name="r").bodies[-1].name == "r"
    ordered = reorder(ARM, ["jb", "ja", "jd"])
    assert with_rotor(ordered, "jb", rotor).order == (*ordered.order, "b_rotor")
    assert (Rotor(1.0, 2.0).mass, Rotor(1.0, 2.0).transverse, Rotor(1.0, 2.0).placement) == (0.0, 0.0, Pose.identity())
    with_rotor(ARM, "jb", Rotor(0.0, 1.0))
    for change in ({"inertia": -1.0}, {"transverse": -1.0}, {"mass": -1.0}):
        with pytest.raises(ModelError, match=named("jb")):
            with_rotor(ARM, "jb", replace(rotor, **change))
    for ratio in (0.0, INF, math.nan):
        with pytest.raises(ModelError, match=named("jb", "ratio")):
            with_rotor(ARM, "jb", replace(rotor, ratio=ratio))
    with pytest.raises(ModelError, match=named("jd")):
        with_rotor(ARM, "jd", rotor)
    with pytest.raises(ModelError, match="hand"):
        with_rotor(ARM, "jb", rotor, carrier="hand")


def test_locked_joints_and_their_followers() -> None:
    """c is at -2·0.1 + 0.5 = 0.3 and e at 3·0.3 + 0.25 = 1.15."""
    arm = replace(ARM, closures=())
    found = lock(arm, {"ja": 0.1, "jd": (0.2, 0.7)})
    for name, X in (
        ("a", at(1.0, 0.0, 0.0) @ Revolute().pose([0.1])),
        ("c", at(0.0, 0.0, 1.0) @ Revolute().pose([0.3])),
        ("d", Cylindrical().pose([0.2, 0.7])),
        ("e", Revolute().pose([1.15])),
    ):
        b = found.by_name[name]
        assert numbers(b.placement) == pytest.approx(numbers(X))
        assert isinstance(b.joint, Fixed) and b.mimic is None and b.limits == Limits() and b.dynamics == JointDynamics()
    assert found.passive == () and [b.name for b in found.moving] == ["b"]
    assert lock(arm, ["jb"]).by_name["b"].placement == at(0.0, 1.0, 0.0) and lock(arm, ["jb"]).passive == arm.passive
    lock(arm, {"ja": 0.1, "c": 0.3 + 1e-10, "je": 1.15})
    lock(arm, {"ja": 0.1, "je": None})  # type: ignore[dict-item]
    with pytest.raises(ModelError, match=named("c", "ja")):
        lock(arm, {"ja": 0.1, "c": 0.300001})
    for name in ("c", "je"):
        with pytest.raises(ModelError, match=named("ja")):
            lock(arm, [name])
    for value, words in (
        ("0.1", named("ja")), (1j, named("ja")), ((0.1, 0.2), named("a")),
        (math.nan, named("ja")), (INF, named("ja")),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=words):
            lock(arm, {"ja": value})  # type: ignore[dict-item]


def test_attached_models() -> None:
    found = attach(ARM, ARM, "tip", at(0.0, 0.0, 0.25), "x_")
    mine, other = found.bodies[:6], found.bodies[6:]
    assert mine == ARM.bodies
    assert other[0] == Body("x_base", "d", Fixed(), at(0.0, 0.0, 0.75))
    assert (other[1].name, other[1].parent, other[1].joint_name) == ("x_a", "x_base", "x_ja")
    assert (other[3].joint_name, other[3].mimic) == ("", Mimic("x_a", -2.0, 0.5))
    assert found.frames[3:] == (
        Frame("x_base", "x_base"), Frame("x_tip", "x_d", at(0.0, 0.0, 0.5)), Frame("x_ground", "d", at(5.0, 0.0, 0.75)),
    )  # fmt: skip
    assert [(g.frame, g.name) for g in found.geoms[2:]] == [("x_tip", "x_bulb"), ("x_base", "")]
    assert found.closures == (ARM.closures[0], Gear("x_gear", "x_a", "x_b", 2.0)) and found.order == ()
    assert [p.bodies for p in found.passive] == [("a",), ("x_a",)]  # type: ignore[union-attr]
    ordered = reorder(ARM, ["jb", "ja", "jd"])
    assert ordered.order == ("b", "a", "d", "base", "c", "e")
    plain = tuple(b.name for b in ARM.bodies)
    assert attach(ordered, ARM, "tip", prefix="x_").order == (*ordered.order, *(f"x_{name}" for name in plain))
    assert attach(ARM, ordered, "tip", prefix="x_").order == (*plain, *(f"x_{name}" for name in ordered.order))
    with pytest.raises(ModelError, match=named("ja", "names")):
        attach(ARM, rename(replace(ARM, frames=(), geoms=(), closures=(), passive=()),
                           {b.name: f"x_{b.name}" for b in ARM.bodies}), "tip")  # fmt: skip
    load = payload(ARM, "tip", BALL)
    assert load.bodies[-1] == Body("payload", "d", Fixed(), at(0.0, 0.0, 0.5), BALL)


def test_other_names() -> None:
    found = rename(ARM, {"a": "A", "ja": "JA", "tip": "TIP", "gear": "GEAR", "base": "BASE"})
    assert [(b.name, b.parent) for b in found.bodies[:3]] == [("BASE", None), ("A", "BASE"), ("b", "A")]
    assert found.by_name["A"].joint_name == "JA" and found.by_name["c"].mimic == Mimic("A", -2.0, 0.5)
    assert [(f.name, f.body) for f in found.frames] == [("BASE", "BASE"), ("TIP", "d"), ("ground", None)]
    assert found.closures == (Gear("GEAR", "A", "b", 2.0),) and [g.frame for g in found.geoms] == ["TIP", "BASE"]
    assert found.passive[0].bodies == ("A",)  # type: ignore[union-attr]
    with pytest.raises(ModelError, match=named("j")):
        rename(ARM, {"j": "k"})
    with pytest.raises(ModelError, match=named("jb", "names")):
        rename(ARM, {"ja": "jb"})


def test_orders() -> None:
    with pytest.raises(ModelError, match="joints"):
        reorder(ARM, ["ja", "jb"])
    with pytest.raises(ModelError, match=named("ja")):
        reorder(ARM, ["ja", "jb", "ja"])


def test_another_root() -> None:
    chain = Model(
        "chain",
        (
            Body("a", None, Fixed(), at(0.0, 0.0, 3.0), BALL),
            Body("b", "a", Helical(Vec3(1.0, 0.0, 0.0), 0.2), at(1.0, 0.0, 0.0), BALL, "jb", Limits((-1.0,), (2.0,))),
            Body("c", "b", Prismatic(), at(0.0, 1.0, 0.0), BALL),
        ),
        (Frame("a", "a"), Frame("b", "b"), Frame("c", "c")),
    )
    assert reroot(chain, "a") is chain
    found = reroot(chain, "c")
    assert [(b.name, b.parent, b.joint_name) for b in found.bodies] == [
        ("c", None, "a"),
        ("b", "c", "c"),
        ("a", "b", "jb"),
    ]
    c, b, a = found.bodies
    assert c.placement == at(0.0, 0.0, 3.0) and b.joint == Prismatic(Vec3(0.0, 0.0, -1.0))
    assert a.joint == Helical(Vec3(-1.0, 0.0, 0.0), 0.2) and a.limits == Limits((-1.0,), (2.0,))
    assert numbers(b.placement) == numbers(Pose.identity()) and numbers(a.placement) == numbers(at(0.0, -1.0, 0.0))
    assert [numbers(f.placement)[9:] for f in found.frames] == [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]]
    for joint in (Spherical(), Planar(), Universal(), Cylindrical()):
        other = replace(chain, bodies=(*chain.bodies[:2], replace(chain.bodies[2], joint=joint)))
        with pytest.raises(ModelError, match=named("c")):
            reroot(other, "c")


def test_loads_of_numbers() -> None:
    found = loaded_model(ARM, "tip", [1.0, 0.1, 0.2, 0.3, 4.0, 0.0, 0.0, 5.0, 0.0, 6.0])
    load = at(0.0, 0.0, 0.5) @ RigidInertia(1.0, Vec3(0.1, 0.2, 0.3), Sym3(4.0, 0.0, 0.0, 5.0, 0.0, 6.0))
    assert [*found.by_name["d"].inertia] == pytest.approx([*(BALL + load)])
    assert all(found.by_name[n] == ARM.by_name[n] for n in "abce") and loaded_model(ARM, "ground", [1.0] * 10) is ARM


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (2 / 7, -3 / 7, 6 / 7)])
@pytest.mark.parametrize("angle", [0.0, 0.3, -2.0])
def test_small_displacements(axis: tuple[float, float, float], angle: float) -> None:
    """A rotation as 2 tan(θ/2) times its axis, then a translation."""
    size = 2.0 * math.tan(angle / 2.0)
    found = _motion([*(size * x for x in axis), 0.1, 0.2, 0.3])
    assert numbers(found) == pytest.approx(numbers(Pose(Rotation.about(Vec3(*axis), angle), Vec3(0.1, 0.2, 0.3))))


def test_bodies_whose_parameters_vary() -> None:
    assert varied_bodies(ARM, None) == ("a", "b", "c", "d", "e") and varied_bodies(ARM, ("c", "a", "c")) == ("c", "a")
    assert varied_bodies(ARM, ()) == ()
    with pytest.raises(ArgumentError, match=named("a")):
        varied_bodies(ARM, "a")
    with pytest.raises(ArgumentError, match="base"):
        varied_bodies(ARM, ("base",))


def test_closures_of_frames_keep_their_kind() -> None:
    loop = replace(ARM, closures=(Closure("pin", "tip", "base", Spherical()),))
    assert rename(loop, {"tip": "TIP"}).closures == (Closure("pin", "TIP", "base", Spherical()),)
