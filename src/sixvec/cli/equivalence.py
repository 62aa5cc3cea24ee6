"""Whether two models are the same robot, by figures: poses and dynamics at random states."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.formats.coordinate_places import places
from sixvec.model import AnyClosure, Gear, Geom, Mesh, Mimic, Model, Polyhedron
from sixvec.model.edits import without_closures
from sixvec.robot import Robot
from sixvec.spatial import Vec3

SAMPLES = 100
SAME = 1e-10
"""The largest relative difference of two float64 computations on models whose numbers differ by a few roundings."""

ACCURATE = 1e-9
"""As `SAME`, for a mass matrix or forces, where lever arms of several metres multiply the roundings of angles."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of the two models in one quantity, relative to its largest entry over all states."""

    quantity: str
    relative: float
    allowed: float

    @property
    def holds(self) -> bool:
        return math.isfinite(self.relative) and self.relative <= self.allowed


def differences(first: Model, second: Model, samples: int = SAMPLES, seed: int = 0) -> list[Difference]:
    """Shapes, poses, mass matrix and inverse dynamics (with damping and friction) of both, matched by names.

    Frames that only one of them has are ignored; joints must be the same.  Gears count as mimic joints.

    >>> from sixvec.model.robots import BUILT_IN
    >>> [d.quantity for d in differences(BUILT_IN["panda"](), BUILT_IN["panda"](), 3) if d.relative == 0.0]
    ['shapes', 'poses', 'mass matrix', 'inverse dynamics']
    """
    first, second = (with_gears_as_mimic(model) for model in (first, second))
    # Loop forces are determined by the poses and the closures; the rest is that of the tree.
    a, b = (Robot(without_closures(m)) for m in (first, second.with_gravity(first.gravity)))
    to_q, to_v = places(first, second, "q_slices"), places(first, second, "v_slices")
    rng = np.random.default_rng(seed)
    q = np.asarray(a.random(rng, samples), float)
    v, acc = rng.normal(size=(2, samples, a.nv))
    frames = [name for name in a.frame_names if name in set(b.frame_names)]
    at_a, at_b = ([robot.frame_names.index(f) for f in frames] for robot in (a, b))
    state_b = q[:, to_q], v[:, to_v], acc[:, to_v]
    back = np.argsort(to_v)
    X, Y = evaluated(a, "poses", q), evaluated(b, "poses", state_b[0])
    poses = X[:, at_a], Y[:, at_b]
    M = (evaluated(a, "mass_matrix", q), evaluated(b, "mass_matrix", state_b[0])[:, back][:, :, back])
    tau = [evaluated(robot, "inverse_dynamics", *s, passive=True) for robot, s in ((a, (q, v, acc)), (b, state_b))]
    shapes = geom_difference(first.geoms, _placed(first, X), second.geoms, _placed(second, Y))
    return [
        *([Difference("shapes", shapes, SAME)] if first.geoms or second.geoms else []),
        Difference("poses", _relative(*poses), SAME),
        Difference("mass matrix", _relative(*M), ACCURATE),
        Difference("inverse dynamics", _relative(tau[0], tau[1][:, back]), ACCURATE),
    ]


def _placed(model: Model, X: Array) -> Array:
    """The poses of the geoms, from those of all frames."""
    at = {f.name: i for i, f in enumerate(model.frames)}
    local = np.array([g.placement.as_matrix() for g in model.geoms], float).reshape(-1, 4, 4)
    placed: Array = X[:, [at[g.frame] for g in model.geoms]] @ local
    return placed


def evaluated(robot: Robot, name: str, *arrays: Array, **options: Any) -> Array:
    """One kernel on a batch, by the interpreter: a single batch needs no compilation."""
    from sixvec.compiler.interpret import interpret

    kernel = robot.kernel(name, **options)
    (result,) = interpret(kernel.program, {p.name: x for p, x in zip(kernel.inputs, arrays, strict=True)})
    return np.asarray(result, float)


def with_gears_as_mimic(model: Model) -> Model:
    """The same robot, where of each two joints that a gear couples the follower has no separate coordinate."""
    laws: dict[str, Mimic] = {}
    closures: list[AnyClosure] = []
    for c in model.closures:
        if isinstance(c, Gear) and c.follower not in laws and not model.by_name[c.follower].mimic:
            laws[c.follower] = Mimic(c.leader, c.ratio, c.offset)
        else:
            closures.append(c)
    bodies = tuple(replace(b, mimic=laws.get(b.name, b.mimic)) for b in model.bodies)
    return replace(model, bodies=bodies, closures=tuple(closures))


def _relative(x: Array, y: Array) -> float:
    if x.size == 0:
        return 0.0
    gap, size = float(np.max(np.abs(x - y))), float(np.max(np.abs(x)))
    return gap / size if size > 0.0 else gap


Kind = tuple[Any, ...]


def geom_difference(first: tuple[Geom, ...], X: Array, second: tuple[Geom, ...], Y: Array) -> float:
    """The largest difference of a size or, at some state, of a pose; infinite unless each shape has a counterpart.

    X and Y are the poses (..., n, 4, 4) of the geoms at the same states.
    """
    if len(first) != len(second):
        return math.inf
    unmatched = [*range(len(second))]
    worst = 0.0
    for i, g in enumerate(first):
        near = [
            (_deviation(g, second[k], X[..., i, :, :], Y[..., k, :, :]), k)
            for k in unmatched
            if _kind(second[k]) == _kind(g)
        ]
        if not near:
            return math.inf
        gap, k = min(near)
        unmatched.remove(k)
        worst = max(worst, gap)
    return worst


def _kind(g: Geom) -> Kind:
    """The parts that must be equal: the form, its purpose, and the file name of a mesh."""
    file = PurePosixPath(g.shape.uri).name if isinstance(g.shape, Mesh) else ""
    return type(g.shape), g.visual, g.collision, file


def _deviation(g: Geom, other: Geom, X: Array, Y: Array) -> float:
    sizes = [abs(a - b) / (1.0 + abs(a)) for a, b in zip(_sizes(g), _sizes(other), strict=True)]
    poses = float(np.max(np.abs(X - Y), initial=0.0)) / (1.0 + float(np.max(np.abs(X), initial=0.0)))
    return max([poses, *sizes])


def _sizes(g: Geom) -> list[float]:
    if isinstance(g.shape, Polyhedron):
        return [float(len(g.shape.vertices)), float(len(g.shape.triangles))]
    values = (getattr(g.shape, f.name) for f in fields(g.shape) if f.name not in ("uri", "part", "folders"))
    return [float(x) for value in values for x in (value if isinstance(value, tuple | Vec3) else (value,))]
