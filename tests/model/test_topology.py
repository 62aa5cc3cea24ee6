"""The graph of a robot: sets, matrices and the identities between them, on random trees."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, Closure, Frame, Gear, Model, families
from sixvec.model.edits import attach, serialize, with_free_root
from sixvec.model.family import legs
from sixvec.model.joints import Fixed, Free, Planar, Prismatic, Revolute, Spherical
from sixvec.model.joints.joint import Joint
from sixvec.model.robots import BUILT_IN
from sixvec.model.topology import (
    adjacency,
    closing_cuts,
    edges,
    incidence,
    independent_loops,
    kappa,
    mu,
    nu,
    path_between,
    serialization,
    topology,
    vertices,
)
from sixvec.parallel import StewartGough
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
from tolerances import IDENTITY, assert_close

TREES = [random_tree(seed, bodies=12, floating=seed % 2 == 0) for seed in range(10)]


def chain(*parents: str | None, fixed: tuple[int, ...] = ()) -> Model:
    """Bodies 0, 1, … on these parents, with hinges but for those named."""
    joints = [{} if i in fixed else {"joint": Revolute()} for i in range(len(parents))]
    return Model("m", tuple(Body(str(i), p, **joints[i]) for i, p in enumerate(parents)))  # type: ignore[arg-type]


@pytest.mark.covers("MODEL-04")
@pytest.mark.parametrize(
    ("model", "cuts", "kind"),
    [
        (chain(None, "0", "1"), [], "serial"),
        (chain(None, "0", "0"), [], "tree"),
        (chain(None, None), [], "tree"),
        (chain(None, "0", "1", "1", fixed=(2, 3)), [], "serial"),
        (chain(None, "0", "0", "1", "2", fixed=(1, 2)), [], "tree"),
        (chain(None, "0", "1"), [("2", None)], "graph"),
        (chain(None, "0", "0"), [("1", "2")], "graph"),
        (chain(None, fixed=(0,)), [], "serial"),
    ],
)
def test_classification(model: Model, cuts: list[tuple[str | None, str | None]], kind: str) -> None:
    assert topology(model, cuts) == kind


@pytest.mark.covers("MODEL-08")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_sets_say_the_same_thing_in_three_ways(model: Model) -> None:
    names = [b.name for b in model.bodies]
    for i in names:
        # i moves j exactly if j is carried by i; children are what is carried by the joint alone.
        assert nu(model, i) == {j for j in names if i in kappa(model, j)}
        assert nu(model, i) == {i}.union(*(nu(model, c) for c in mu(model, i)))
        assert mu(model, i) == {b.name for b in model.bodies if b.parent == i}
        parent = model.by_name[i].parent
        assert kappa(model, i) == {i} | (kappa(model, parent) if parent is not WORLD else set())
    assert mu(model, WORLD) == {b.name for b in model.bodies if b.parent is WORLD}


@pytest.mark.covers("MODEL-07", "Featherstone (2)")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_parents_have_smaller_numbers(model: Model) -> None:
    number = {name: i for i, name in enumerate(vertices(model))}
    assert all(0 <= number[start] < number[end] for start, end in edges(model))
    children = [b for b in model.bodies if b.parent is not WORLD]
    early = next(i for i, b in enumerate(model.bodies) if b is children[0])
    with pytest.raises(ModelError, match="parent"):
        Model("m", (model.bodies[early], *model.bodies[:early], *model.bodies[early + 1 :]))


@pytest.mark.covers("CHAIN-07")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_there_is_one_path_between_two_bodies(model: Model) -> None:
    names = [b.name for b in model.bodies]
    rng = np.random.default_rng(0)
    neighbours = {frozenset((b.parent, b.name)) for b in model.bodies}
    for _ in range(30):
        i, j = (str(n) for n in rng.choice(names, 2))
        path = path_between(model, i, j)
        assert path == tuple(reversed(path_between(model, j, i)))
        assert len(set(path)) == len(path) and path[0] == i and path[-1] == j
        gaps = [(a, b) for a, b in pairwise(path) if frozenset((a, b)) not in neighbours]
        # Only bodies on different roots are not connected by joints between bodies: they meet in the world.
        assert len(gaps) == (model.path(i)[0] != model.path(j)[0])
        assert all(model.by_name[a].parent is WORLD and model.by_name[b].parent is WORLD for a, b in gaps)


@pytest.mark.covers("CHAIN-07")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_serialisations(model: Model) -> None:
    """Both number distal bodies after proximal ones; the first by depth, the second with subtrees in one stretch."""
    depth = {b.name: len(model.path(b.name)) for b in model.bodies}
    breadth, deep = serialization(model, "breadth_first"), serialization(model, "depth_first")
    for row in (breadth, deep):
        assert sorted(row) == sorted(depth)
        number = {name: i for i, name in enumerate(row)}
        assert all(number[b.parent] < number[b.name] for b in model.bodies if b.parent is not WORLD)
    assert [depth[name] for name in breadth] == sorted(depth.values())
    for name in deep:
        first, carried = deep.index(name), nu(model, name)
        assert set(deep[first : first + len(carried)]) == carried


@pytest.mark.covers("CHAIN-07")
@pytest.mark.parametrize("order", ["breadth_first", "depth_first"])
def test_a_serialised_robot_is_the_same_robot(order: str) -> None:
    """Relative poses between any two segments, and joint forces by name, do not depend on the numbering."""
    model = random_tree(4, bodies=9)
    here, there = sv.Robot(model), sv.Robot(serialize(model, order))
    assert tuple(b.name for b in there.model.bodies) == serialization(model, order)
    rng = np.random.default_rng(2)
    q, v, a = here.random(rng, 3), rng.normal(size=(3, here.nv)), rng.normal(size=(3, here.nv))
    columns = {
        kind: np.concatenate([np.arange(getattr(model, kind)[b.name].start, getattr(model, kind)[b.name].stop)
                              for b in there.model.moving])
        for kind in ("q_slices", "v_slices")
    }  # fmt: skip
    p, (w, c) = q[:, columns["q_slices"]], (x[:, columns["v_slices"]] for x in (v, a))
    frames = [there.frame_names.index(name) for name in here.frame_names]
    assert_close(there.poses(p)[:, frames], here.poses(q), IDENTITY)
    assert_close(there.inverse_dynamics(p, w, c), here.inverse_dynamics(q, v, a)[:, columns["v_slices"]], IDENTITY)
    with pytest.raises(ValueError, match=named("breadth", "breadth_first")):
        serialize(model, "breadth")


def _slides(*axes: Vec3) -> Model:
    bodies = [Body("ground")]
    for i, axis in enumerate(axes):
        turn = Pose(Rotation.from_rpy(0.3, 0.2, 0.1), Vec3(0.0, 0.0, 0.1))
        here = turn if i == 0 else Pose.identity()
        bodies.append(Body(f"slide{i}", bodies[-1].name, Prismatic(axis), here))
    bodies.append(Body("wrist", bodies[-1].name, Revolute()))
    return Model("gantry", tuple(bodies))


def _platform(count: int) -> Model:
    """A plate on legs of a hinge, a slide and a ball; the first leg carries it, the others are closed."""
    bodies, frames = [Body("base")], [Frame("base", "base")]
    for i in range(count):
        bodies += [Body(f"lower{i}", "base", Revolute()), Body(f"upper{i}", f"lower{i}", Prismatic())]
        frames += [Frame(f"top{i}", f"upper{i}"), Frame(f"corner{i}", "plate")]
    bodies.append(Body("plate", "upper0", Spherical()))
    closures = tuple(Closure(f"ball{i}", f"top{i}", f"corner{i}", Spherical()) for i in range(1, count))
    return Model("platform", tuple(bodies), tuple(frames), closures=closures)


X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


@pytest.mark.covers("MODEL-04")
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (BUILT_IN["panda"](), ("serial",)),
        (BUILT_IN["stanford_arm"](), ("serial",)),
        (BUILT_IN["cart_pole"](), ("serial",)),
        (_slides(X, Y), ("serial", "gantry")),
        (_slides(X, Y, Z), ("serial", "gantry")),
        (_slides(X), ("serial",)),
        (_slides(X, Vec3(1.0, 1.0, 0.0)), ("serial",)),
        (BUILT_IN["four_bar"](), ("graph", "parallel")),
        (_platform(3), ("graph", "parallel")),
        (_platform(6), ("graph", "parallel")),
        (with_free_root(BUILT_IN["ur5e"]()), ("serial", "mobile")),
        (Model("rover", (Body("platform", joint=Planar()), Body("arm", "platform", Revolute()))), ("serial", "mobile")),
        (BUILT_IN["solo12"](), ("tree", "mobile", "legged")),
        (BUILT_IN["humanoid"](), ("tree", "mobile", "legged", "humanoid")),
    ],
    ids=lambda x: x.name if isinstance(x, Model) else "",
)
def test_families_have_names(model: Model, expected: tuple[str, ...]) -> None:
    assert families(model) == families(sv.Robot(model)) == expected


@pytest.mark.covers("MODEL-04")
def test_legs_meet_at_the_platform() -> None:
    assert legs(_platform(6)) == tuple(("plate", f"upper{i}") for i in range(6))
    assert legs(BUILT_IN["panda"]()) == ()
    # Two loops that share no body but the base are no parallel robot: no platform opens both.
    one = _platform(2)
    two = attach(one, one, "base", prefix="second ")
    assert topology(two) == "graph" and legs(two) == () and families(two) == ("graph",)


@pytest.mark.covers("CHAIN-09")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_matrices_of_the_graph(model: Model) -> None:
    rng = np.random.default_rng(1)
    for count in (0, 1, 4):
        # Any two different vertices may be joined by a loop joint, also twice.
        pairs = [rng.choice(len(vertices(model)), 2, replace=False) for _ in range(count)]
        cuts = [(vertices(model)[a], vertices(model)[b]) for a, b in pairs]
        B, A = incidence(model, cuts), adjacency(model, cuts)
        bound = sum(not isinstance(b.joint, Free) for b in model.bodies)
        assert B.shape == (len(model.bodies) + 1, bound + count)
        assert not B.sum(axis=0).any() and (np.abs(B).sum(axis=0) == 2).all()
        assert (A == A.T).all() and not A.diagonal().any()
        np.testing.assert_array_equal(B @ B.T, np.diag(A.sum(axis=0)) - A)
        # A graph has as many independent loops as its incidence matrix has null directions.
        loops = B.shape[1] - int(np.linalg.matrix_rank(B))
        assert independent_loops(model, cuts) == loops and count - len(model.bodies) + bound <= loops <= count
        assert topology(model, cuts) == ("graph" if loops else topology(model))


@pytest.mark.covers("CHAIN-09")
def test_the_stewart_platform_has_five_loops() -> None:
    """Bruyninckx §5.2: six legs of six joints each, 36 joints between 32 bodies; five legs are cut at the platform."""
    legs, links = 6, 5
    parents: list[str | None] = []
    for _ in range(legs):
        first = len(parents)
        parents += [None, *(str(first + i) for i in range(links - 1))]
    platform = str(len(parents))
    model = chain(*parents, str(links - 1))
    cuts = [(str(leg * links + links - 1), platform) for leg in range(1, legs)]
    assert (len(edges(model, cuts)), len(vertices(model))) == (36, 32)
    assert independent_loops(model, cuts) == 5 and topology(model, cuts) == "graph"


@pytest.mark.covers("CHAIN-09")
@pytest.mark.parametrize("legs", [6, 8])
def test_the_free_joint_of_a_platform_is_not_a_leg(legs: int) -> None:
    rod = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    angle = np.arange(legs) * 2.0 * np.pi / legs
    ring = np.stack([np.cos(angle), np.sin(angle), 0.1 * angle], axis=-1)
    X = np.eye(4)
    X[2, 3] = 1.0
    model = StewartGough(ring, 0.5 * np.roll(ring, 1, axis=0)).robot((rod, rod), rod, X).model
    assert independent_loops(model) == legs - 1 and topology(model) == "graph"
    B = incidence(model)
    assert B.shape[1] - np.linalg.matrix_rank(B) == legs - 1


@pytest.mark.covers("MODEL-04")
def test_closures_are_the_cuts_by_default() -> None:
    model = BUILT_IN["four_bar"]()
    assert topology(model) == "graph" and independent_loops(model) == 1
    assert edges(model)[-1] == ("coupler", "rocker") == closing_cuts(model)[0]
    np.testing.assert_array_equal(incidence(model), incidence(model, [("coupler", "rocker")]))
    np.testing.assert_array_equal(adjacency(model), adjacency(model, [("coupler", "rocker")]))
    assert topology(model, []) == "tree"
    geared = replace(model, closures=(*model.closures, Gear("g", "crank", "rocker")))
    assert independent_loops(geared) == 2 and closing_cuts(geared)[1] == ("crank", "rocker")


@pytest.mark.covers("MODEL-04")
def test_topology_changes_as_feet_touch_the_ground() -> None:
    dog = BUILT_IN["solo12"]()
    ground = tuple(Frame(f"ground_{leg}", WORLD) for leg in ("FL", "HR"))
    standing = replace(
        dog,
        frames=(*dog.frames, *ground),
        closures=tuple(Closure(f.name, f.name, f"{f.name[-2:]}_FOOT", Spherical()) for f in ground),
    )
    # The base floats: a foot on the ground connects it, and every further one makes a loop.
    assert (topology(dog), topology(standing), independent_loops(standing)) == ("tree", "graph", 1)
    on_one = replace(standing, closures=standing.closures[:1])
    assert (topology(on_one), independent_loops(on_one)) == ("tree", 0)
    assert topology(replace(standing, closures=())) == "tree"


def test_unknown_bodies_are_named() -> None:
    model = chain(None, "0")
    for ask in (lambda: kappa(model, "9"), lambda: nu(model, "9"), lambda: mu(model, "9")):
        with pytest.raises(ModelError, match=named("9")):
            ask()
    with pytest.raises(ModelError, match=named("9")):
        incidence(model, [("0", "9")])


QUARTER = Pose(Rotation.about_x(np.pi / 2), Vec3.zero())


@pytest.mark.parametrize(
    ("joints", "gantry"),
    [
        ([Prismatic(X)], False),
        ([Prismatic(X), Prismatic(Y)], True),
        ([Prismatic(X), Prismatic(Vec3(1e-3, 1.0, 0.0))], False),
        ([Prismatic(X), Prismatic(Y), Prismatic(Z)], True),
        ([Prismatic(X), Prismatic(Y), Prismatic(Vec3(0.0, 1.0, 1.0))], False),
        ([Prismatic(X), Prismatic(Y), Prismatic(Z), Prismatic(Z)], True),
        ([Prismatic(X), Prismatic(Y), Revolute(), Prismatic(Y)], True),
        ([Revolute(), Prismatic(X), Prismatic(Y)], False),
        ([Prismatic(X), Revolute(), Prismatic(Y)], False),
        ([Fixed(), Prismatic(X), Fixed(), Prismatic(Y)], True),
    ],
)
def test_slides_at_right_angles_make_a_gantry(joints: list[Joint], gantry: bool) -> None:
    bodies = [Body(f"b{i}", f"b{i - 1}" if i else None, joint, joint_name=f"j{i}") for i, joint in enumerate(joints)]
    assert ("gantry" in families(Model("slides", tuple(bodies)))) == gantry


def test_the_axes_of_a_gantry_are_those_in_the_world() -> None:
    """Slides along the z of frames that are turned by 90°, once or twice, between them."""
    for turns, gantry in ((0, False), (1, True), (2, False)):
        between = [Body(f"turn{i}", "a" if not i else f"turn{i - 1}", Fixed(), QUARTER) for i in range(turns)]
        last = Body("b", between[-1].name if between else "a", Prismatic(), joint_name="j")
        model = Model("slides", (Body("a", None, Prismatic(), QUARTER, joint_name="i"), *between, last))
        assert ("gantry" in families(model)) == gantry


def limbed(*limbs: tuple[str, int], root: Joint | None = None, welds: bool = False) -> Model:
    """A free body and one above it, with limbs of so many hinges on either, on welded plates if asked."""
    bodies = [
        Body("pelvis", None, Free() if root is None else root, joint_name="root"),
        Body("chest", "pelvis", Revolute(), joint_name="waist"),
    ]
    for k, (where, count) in enumerate(limbs):
        at = where
        for i in range(count):
            if welds:
                bodies.append(Body(f"plate{k}_{i}", at, Fixed()))
                at = bodies[-1].name
            bodies.append(Body(f"limb{k}_{i}", at, Revolute(), joint_name=f"j{k}_{i}"))
            at = bodies[-1].name
    return Model("limbs", tuple(bodies))


@pytest.mark.parametrize("welds", [False, True])
@pytest.mark.parametrize(
    ("limbs", "found"),
    [
        ([("pelvis", 3), ("pelvis", 3), ("chest", 2), ("chest", 2)], ("legged", "humanoid")),
        ([("pelvis", 3), ("pelvis", 3), ("chest", 2), ("chest", 1)], ("legged",)),
        ([("pelvis", 3), ("pelvis", 2), ("chest", 2), ("chest", 2)], ("legged",)),
        ([("pelvis", 3), ("pelvis", 3), ("chest", 2), ("chest", 3)], ("legged",)),
        ([("pelvis", 3), ("pelvis", 3), ("pelvis", 3), ("chest", 2), ("chest", 2)], ("legged",)),
        ([("pelvis", 1), ("pelvis", 1), ("chest", 2), ("chest", 2)], ("legged",)),
        ([("pelvis", 2), ("pelvis", 1)], ()),
        ([("pelvis", 1), ("pelvis", 1), ("chest", 1)], ()),  # the waist and the hinge on it are one limb
    ],
)
def test_limbs_make_legged_robots_and_humanoids(
    limbs: list[tuple[str, int]], found: tuple[str, ...], welds: bool
) -> None:
    """A limb has two freedoms or more; a humanoid has just two equal legs, and two equal arms above."""
    assert families(limbed(*limbs, welds=welds)) == ("tree", "mobile", *found)
    assert families(limbed(*limbs, root=Planar(), welds=welds)) == ("tree", "mobile", *found)
    assert families(limbed(*limbs, root=Revolute(), welds=welds)) == ("tree",)
