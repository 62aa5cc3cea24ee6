"""Linkages with loops, exact and with rounded dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import sixvec as sv
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.body import Mimic
from sixvec.model.joints import Fixed, Joint, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
NOISE = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5)
INTEGRATORS = ("bounded_leapfrog", "semi_implicit_euler", "symplectic_euler", "euler", "midpoint", "rk4")


def at(p: Vec3, R: Rotation | None = None) -> Pose:
    return Pose(R or Rotation.identity(), p)


def rod(p: Vec3) -> RigidInertia:
    return RigidInertia.from_center_of_mass(1.0, p * 0.5, Sym3.diagonal(0.02, 0.03, 0.04))


def planar(lengths: list[float], ground: float, joint: Joint, name: str) -> Model:
    """Hinges about z in a chain of these lengths, whose end is joined to the ground."""
    bodies, parent = [], None
    for k, length in enumerate(lengths):
        before = lengths[k - 1] if k else 0.0
        bodies.append(Body(f"b{k}", parent, Revolute(), at(X * before), rod(X * length), f"j{k}"))
        parent = f"b{k}"
    frames = (Frame("end", parent, at(X * lengths[-1])), Frame("pin", None, at(X * ground)))
    return Model(name, tuple(bodies), frames, closures=(Closure("pin", "end", "pin", joint),))


def four_bar(joint: Joint = Revolute()) -> Model:  # noqa: B008
    return planar([0.3, 0.8, 0.5], 0.9, joint, "four_bar")


def welded_four_bar() -> Model:
    """The last link is cut in two, which a weld joins."""
    model = planar([0.3, 0.8, 0.25], 0.9, Fixed(), "welded")
    rest = Body("rest", None, Revolute(), at(X * 0.9), rod(X * 0.25), "j3")
    frames = (model.frames[0], Frame("half", "rest", at(X * 0.25, Rotation.about_z(math.pi))))
    return replace(model, bodies=(*model.bodies, rest), frames=frames, closures=(Closure("w", "end", "half", Fixed()),))


def slider_crank() -> Model:
    slide = Body("slide", None, Prismatic(X), at(X * 0.9), rod(X * 0.1), "s")
    model = planar([0.3, 0.8], 0.0, Revolute(), "slider_crank")
    frames = (model.frames[0], Frame("block", "slide", Pose.identity()))
    return replace(
        model, bodies=(*model.bodies, slide), frames=frames, closures=(Closure("p", "end", "block", Revolute()),)
    )


def six_bar() -> Model:
    """A four-bar with a dyad between its coupler and the ground."""
    first = four_bar()
    bodies = (
        *first.bodies,
        Body("dyad", "b1", Revolute(), at(X * 0.4 + Y * 0.2), rod(X * 0.6), "d"),
        Body("rocker", None, Revolute(), at(X * 0.4 + Y * 1.0), rod(X * 0.5), "r"),
    )
    frames = (*first.frames, Frame("d_end", "dyad", at(X * 0.6)), Frame("r_end", "rocker", at(X * 0.5)))
    return replace(first, name="six_bar", bodies=bodies, frames=frames,
                   closures=(*first.closures, Closure("q", "d_end", "r_end", Revolute())))  # fmt: skip


def parallelogram() -> Model:
    model = planar([0.3, 0.8], 0.0, Revolute(), "parallelogram")
    rocker = Body("rocker", None, Revolute(), at(X * 0.8), rod(X * 0.3), "r")
    ends = (model.frames[0], Frame("r_end", "rocker", at(X * 0.3)))
    closure = Closure("pin", "end", "r_end", Revolute())
    return replace(model, bodies=(*model.bodies, rocker), frames=ends, closures=(closure,), gravity=Vec3.zero())


def spherical(joint: Joint = Revolute()) -> Model:  # noqa: B008
    """Four hinges whose axes meet in the origin of every frame."""
    heavy = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.1, 0.2), Sym3.diagonal(0.02, 0.03, 0.04))
    turns = [at(Vec3.zero(), Rotation.about_x(angle)) for angle in (0.5, 1.1, 0.8, 1.2)]
    bodies, parent = [], None
    for k, place in enumerate([Pose.identity(), *turns[:2]]):
        bodies.append(Body(f"b{k}", parent, Revolute(), place, heavy, f"j{k}"))
        parent = f"b{k}"
    ends = (Frame("end", "b2", turns[2]), Frame("pin", None, turns[3]))
    return Model("spherical", tuple(bodies), ends, closures=(Closure("pin", "end", "pin", joint),))


def bennett(joint: Joint = Revolute()) -> Model:  # noqa: B008
    a, alpha, beta = 0.3, 0.6, 1.3
    links = [(a, alpha), (a * math.sin(beta) / math.sin(alpha), beta)] * 2
    steps = [Pose(Rotation.about_x(twist), X * length) for length, twist in links]
    bodies, parent, place = [], None, Pose.identity()
    for k in range(3):
        bodies.append(Body(f"b{k}", parent, Revolute(), place, rod(steps[k].pos), f"j{k}"))
        parent, place = f"b{k}", steps[k]
    last = steps[3].inv().as_pose()
    frames = (Frame("end", "b2", steps[2]), Frame("pin", None, last))
    return Model("bennett", tuple(bodies), frames, closures=(Closure("pin", "end", "pin", joint),))


def sarrus() -> Model:
    up = Z * 1.0
    bodies = (
        Body("a1", None, Revolute(Y), at(X * 0.5), rod(up), "a1"),
        Body("a2", "a1", Revolute(Y), at(up), rod(up), "a2"),
        Body("top", "a2", Revolute(Y), at(up), rod(X * -1.0), "top"),
        Body("b1", None, Revolute(X), at(Y * 0.5), rod(up), "b1"),
        Body("b2", "b1", Revolute(X), at(up), rod(up), "b2"),
    )
    frames = (Frame("b_end", "b2", at(up)), Frame("b_top", "top", at(X * -0.5 + Y * 0.5)))
    return Model("sarrus", bodies, frames, closures=(Closure("pin", "b_end", "b_top", Revolute(X)),))


def delta() -> Model:
    """Three legs of a shoulder, an elbow, a parallelogram and a wrist: each keeps the platform from two turns."""
    bodies: list[Body] = []
    frames: list[Frame] = []
    for k in range(3):
        turn, back = Rotation.about_z(2.0 * math.pi * k / 3.0), Mimic(f"rod{k}", -1.0, 0.0)
        bodies += [
            Body(f"arm{k}", None, Revolute(Y), at(turn @ (X * 0.2), turn), rod(X * 0.3), f"a{k}"),
            Body(f"elbow{k}", f"arm{k}", Revolute(Y), at(X * 0.3), rod(Y * 0.1), f"e{k}"),
            Body(f"rod{k}", f"elbow{k}", Revolute(Z), inertia=rod(X * 0.6), joint_name=f"r{k}"),
            Body(f"end{k}", f"rod{k}", Revolute(Z), at(X * 0.6), rod(Y * 0.1), f"p{k}", mimic=back),
        ]
        if k:
            place = at((turn @ (X * 0.05)) - X * 0.05, turn)
            frames += [Frame(f"wrist{k}", f"end{k}", Pose.identity()), Frame(f"corner{k}", "platform", place)]
    bodies.append(Body("platform", "end0", Revolute(Y), inertia=rod(X * -0.1), joint_name="w0"))
    pins = tuple(Closure(f"w{k}", f"wrist{k}", f"corner{k}", Revolute(Y)) for k in (1, 2))
    return Model("delta", tuple(bodies), tuple(frames), closures=pins)


def three_cranks() -> Model:
    """A coupler on three equal cranks: a parallelogram with one more, which takes it past its flat positions."""
    model = planar([0.3, 1.0], 0.0, Revolute(), "three_cranks")
    more = (
        Body("second", None, Revolute(), at(X * 0.4), rod(X * 0.3), "c2"),
        Body("third", None, Revolute(), at(X * 1.0), rod(X * 0.3), "c3"),
    )
    ends = (
        Frame("a2", "b1", at(X * 0.4)),
        Frame("a3", "b1", at(X * 1.0)),
        Frame("e2", "second", at(X * 0.3)),
        Frame("e3", "third", at(X * 0.3)),
    )
    pins = (Closure("p2", "a2", "e2", Revolute()), Closure("p3", "a3", "e3", Revolute()))
    return replace(model, bodies=(*model.bodies, *more), frames=ends, closures=pins, gravity=Vec3.zero())


MECHANISMS: dict[str, tuple[Callable[[], Model], list[float]]] = {
    "four-bar, hinge": (four_bar, [1.0, -0.7, -1.6]),
    "four-bar, ball": (lambda: four_bar(Spherical()), [1.0, -0.7, -1.6]),
    "four-bar, weld": (welded_four_bar, [1.0, -0.7, -1.6, 1.2]),
    "slider-crank": (slider_crank, [0.9, -1.2, 0.0]),
    "five-bar": (lambda: planar([0.3, 0.6, 0.7, 0.4], 0.5, Revolute(), "five_bar"), [1.2, -0.6, -1.4, -0.9]),
    "six-bar": (six_bar, [1.0, -0.7, -1.6, 1.4, 0.3]),
    "parallelogram": (parallelogram, [0.7, -0.7, 0.7]),
    "spherical": (spherical, [0.9, -0.4, 0.8]),
    "Bennett": (bennett, [0.7, -0.9, 0.3]),
    "Bennett, ball": (lambda: bennett(Spherical()), [-2.8, -0.77, -3.48]),
    "Sarrus": (sarrus, [0.5, -1.0, 0.5, -0.5, 1.0]),
    "Delta": (delta, [0.3, 2.1, 0.1, 0.4, 2.0, -0.1, 0.2, 2.2, 0.05, -2.4]),
}


def rounded(model: Model, noise: float, seed: int = 0) -> sv.Robot:
    """The mechanism with every placement turned and shifted by up to `noise` in each direction."""
    rng = np.random.default_rng(seed)

    def moved(pose: Pose) -> Pose:
        axis, shift = rng.uniform(-noise, noise, (2, 3))
        angle = float(np.linalg.norm(axis))
        turn = Rotation.about(Vec3.of(axis / angle), angle) if angle else Rotation.identity()
        return Pose(pose.rot @ turn, pose.pos + Vec3.of(shift.tolist()))

    bodies = tuple(replace(b, placement=moved(b.placement)) for b in model.bodies)
    frames = tuple(replace(f, placement=moved(f.placement)) for f in model.frames)
    return sv.Robot(replace(model, bodies=bodies, frames=frames))


def in_other_axes(model: Model, seed: int = 0) -> Model:
    """The same mechanism, whose closures have the frames of their two ends turned: no row is along an axis of it."""
    rng = np.random.default_rng(seed)
    turns: dict[str, Rotation] = {}
    closures = []
    for c in model.closures:
        assert isinstance(c, Closure)
        axis = rng.normal(size=3)
        R = Rotation.about(Vec3.of((axis / np.linalg.norm(axis)).tolist()), float(rng.uniform(0.5, 2.5)))
        turns |= {c.first: R, c.second: R}
        joint = Revolute(R.inv() @ c.joint.axis) if isinstance(c.joint, Revolute) else c.joint
        closures.append(replace(c, joint=joint))
    frames = tuple(
        replace(f, placement=Pose(f.placement.rot @ turns.get(f.name, Rotation.identity()), f.placement.pos))
        for f in model.frames
    )
    return replace(model, frames=frames, closures=tuple(closures))
