"""The recursion of Popov and Vereshchagin against the factors of the mass matrix and the dense KKT system.

Algorithms run on plain numbers here: what compiled code does with them is tested elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_inertia, random_tree
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.errors import ArgumentError
from sixvec.model import Body, Closure, Frame, Gear, JointDynamics, Mimic, Model
from sixvec.model.held_frame import Rolling
from sixvec.model.joints import Fixed, Free, Revolute, Spherical
from sixvec.spatial import Pose, Rotation, Vec3

METHODS = ("kkt", "recursion")


def run(model: Model, q, v, tau, hold=None, **options):
    """a, force, residual as arrays, without compiling."""
    hold = held_frames(model, hold)
    given = [np.asarray(x, float).tolist() for x in (q, v, tau)]
    return [np.array(x) for x in sv.Robot(model).evaluate("constrained_dynamics", *given, hold=hold, **options)]


def matrices(model: Model, q, v, hold=None):
    """M, A, γ and the bias forces, without compiling."""
    robot, held = sv.Robot(model), held_frames(model, hold)
    q, v = np.asarray(q, float).tolist(), np.asarray(v, float).tolist()
    tree = sv.Robot(replace(model, closures=()))
    return (
        np.array(tree.evaluate("mass_matrix", q), float),
        np.array(robot.evaluate("constraint_jacobian", q, hold=held), float).reshape(-1, model.nv),
        np.array(robot.evaluate("constraint_bias", q, v, hold=held), float),
        np.array(tree.evaluate("bias_forces", q, v), float),
    )


def dense(model: Model, q, v, tau, hold=None, target=None):
    M, A, gamma, c = matrices(model, q, v, hold)
    b = -gamma + (0.0 if target is None else target)
    free = np.linalg.solve(M, tau - c)
    G = A @ np.linalg.solve(M, A.T)
    force = np.linalg.pinv(G, rcond=1e-10, hermitian=True) @ (b - A @ free)
    return free + np.linalg.solve(M, A.T @ force), force


def with_rotors(model: Model, rng) -> Model:
    bodies = [
        replace(b, dynamics=JointDynamics(armature=tuple(rng.uniform(0.1, 1.0, b.joint.nv)))) if b.joint.nv else b
        for b in model.bodies
    ]
    return replace(model, bodies=tuple(bodies))


def agree(model: Model, q, v, tau, hold=None, target=None, independent: bool = True) -> None:
    a, force = dense(model, q, v, tau, hold, target)
    scale = 1.0 + np.abs(a).max()
    aim = {} if target is None else {"target": list(target)}
    for method in METHODS:
        found, along, residual = run(model, q, v, tau, hold, method=method, **aim)
        assert np.abs(found - a).max() < 1e-9 * scale, method
        assert residual < 1e-9 * scale
        if independent:
            assert np.abs(along - force).max(initial=0.0) < 1e-7 * (1.0 + np.abs(force).max(initial=0.0)), method


@pytest.mark.covers("CON-01", "CON-02", "Bruyninckx (6.40)-(6.44)")
def test_a_serial_arm_with_a_partly_held_tip() -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(0)
    q, v, tau, target = robot.random(0), *rng.normal(size=(2, 7)), rng.normal(size=3)
    agree(robot.model, q, v, tau, {"panda_link8": ("x", "turn y", "z")}, target)


@pytest.mark.covers("CON-05", "CON-06", "CON-07", "Bruyninckx (6.46)-(6.50)")
@pytest.mark.parametrize("seed", range(4))
def test_trees_with_rotors_inner_starts_and_held_bases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = with_rotors(random_tree(seed, 9, floating=bool(seed % 2)), rng)
    robot = sv.Robot(model)
    q, v, tau = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    inner = model.bodies[1].name
    hold = {model.bodies[0].name: ("turn x", "z"), inner: ("y",), "tool1": ("x", "turn world z")}
    _, A, gamma, _ = matrices(model, q, v, hold)
    target = A @ rng.normal(size=robot.nv) + gamma
    agree(model, q, v, tau, hold, target, independent=np.linalg.cond(A) < 1e6)


def test_a_welded_floating_base_is_a_fixed_one() -> None:
    solo = sv.load("solo12")
    rng = np.random.default_rng(0)
    fixed = replace(
        solo.model,
        bodies=tuple(replace(b, joint=Fixed()) if isinstance(b.joint, Free) else b for b in solo.model.bodies),
    )
    legs, base = rng.normal(size=12), solo.model.bodies[0].name
    q, v, tau = np.concatenate([solo.neutral()[:7], legs]), np.zeros(18), np.zeros(18)
    v[6:] = rng.normal(size=12)
    a, _, _ = run(solo.model, q, v, tau, {base: "weld"}, method="recursion")
    expected = sv.Robot(fixed).evaluate("forward_dynamics", legs.tolist(), v[6:].tolist(), tau[6:].tolist())
    assert np.allclose(a[6:], expected, rtol=1e-9, atol=1e-9) and np.abs(a[:6]).max() < 1e-9
    still = sv.Robot(fixed).evaluate("inverse_dynamics", legs.tolist(), v[6:].tolist(), list(expected))
    assert np.allclose(still, 0.0, atol=1e-9)


def leg_with_loops(loops: int, floating: bool = True) -> tuple[Model, list[float]]:
    """A chain of links, each with a four-bar of its own beside the next joint: local loops, all closed at q = 0."""
    rng = np.random.default_rng(loops)
    bodies = [Body("root", None, Free() if floating else Revolute(Vec3(0.0, 0.6, 0.8)), inertia=random_inertia(rng))]
    frames, closures = [], []
    for k in range(loops):
        tilt = Pose(Rotation.about(Vec3(0.6, 0.0, 0.8), 0.4), Vec3(0.1, 0.3, 0.2))
        last = bodies[-1].name if k == 0 else f"link{k - 1}"
        beside, off = Pose.translation(Vec3(0.0, 0.2, 0.0)), Pose.translation(Vec3(0.5, 0.05, 0.0))
        bodies += [
            Body(f"link{k}", last, Revolute(Vec3(0.0, 0.0, 1.0)), tilt, random_inertia(rng)),
            Body(f"crank{k}", last, Revolute(Vec3(0.0, 0.0, 1.0)), tilt @ beside, random_inertia(rng)),
            Body(f"rod{k}", f"crank{k}", Revolute(Vec3(0.0, 0.0, 1.0)), Pose.translation(Vec3(0.3, 0.1, 0.0)),
                 random_inertia(rng)),
        ]  # fmt: skip
        end = Pose.translation(Vec3(0.2, -0.25, 0.0))
        frames += [Frame(f"a{k}", f"link{k}", off), Frame(f"b{k}", f"rod{k}", end)]
        closures.append(Closure(f"pin{k}", f"a{k}", f"b{k}", Revolute(Vec3(0.0, 0.0, 1.0))))
    frames.append(Frame("root", "root"))
    frames.append(Frame("foot", f"link{loops - 1}", Pose.translation(Vec3(0.0, 0.4, 0.1))))
    model = Model("leg", tuple(bodies), tuple(frames), closures=tuple(closures))
    return model, sv.Robot(model).neutral().tolist()


@pytest.mark.covers("CON-08", "CON-13")
@pytest.mark.parametrize("floating", [True, False])
def test_local_loops_are_solved_where_their_branches_meet(floating: bool) -> None:
    model, q = leg_with_loops(2, floating)
    robot, rng = sv.Robot(model), np.random.default_rng(0)
    assert np.abs(robot.evaluate("closure_error", q)).max() < 1e-12
    _, A, _, _ = matrices(model, q, [0.0] * robot.nv)
    v, tau = rng.normal(size=(2, robot.nv))
    v -= np.linalg.pinv(A) @ (A @ v)
    for hold in ({}, {"foot": ("x", "turn z")}, {"foot": "point", ("foot", "root"): ("y",)} if floating else {}):
        agree(model, q, v, tau, hold, independent=False)


@pytest.mark.covers("CON-08")
def test_the_cost_of_local_loops_grows_with_their_number_alone() -> None:
    def counts(method: str) -> list[int]:
        robots = [sv.Robot(leg_with_loops(n)[0]) for n in (2, 3, 4)]
        return [sum(r.kernel("constrained_dynamics", method=method).count().values()) for r in robots]

    recursion, kkt, auto = map(counts, ("recursion", "kkt", "auto"))
    added = np.diff(recursion)
    assert np.ptp(added) <= 0.02 * added[-1]
    assert np.diff(kkt)[-1] > 1.1 * np.diff(kkt)[0]
    assert auto == [min(pair) for pair in zip(recursion, kkt, strict=True)]


def with_followers(seed: int) -> Model:
    """A tree in which joints follow others: beside them, further out, and across branches."""
    rng = np.random.default_rng(seed)

    def link(name: str, parent: str | None, mimic: Mimic | None = None) -> Body:
        at = Pose(Rotation.about(Vec3(0.6, 0.0, 0.8), float(rng.normal())), Vec3.of(rng.normal(size=3).tolist()))
        rotor = JointDynamics(armature=(float(rng.uniform(0.0, 0.5)),))
        return Body(name, parent, Revolute(Vec3(0.0, 0.0, 1.0)), at, random_inertia(rng), dynamics=rotor, mimic=mimic)

    bodies = (
        replace(link("base", None), joint=Spherical(), dynamics=JointDynamics()),
        link("a", "base"),
        link("b", "a", Mimic("a", -1.5, 0.2)),
        link("c", "base", Mimic("a", 0.5)),
        link("d", "c"),
        link("e", "d", Mimic("c", 2.0)),
    )
    frames = (Frame("tip", "e", Pose.translation(Vec3(0.1, 0.2, 0.3))), Frame("end", "b"))
    return Model("geared", bodies, frames)


def test_joints_that_follow_others_are_rows_too() -> None:
    model, rng = with_followers(0), np.random.default_rng(0)
    robot = sv.Robot(model)
    q, v, tau = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    agree(model, q, v, tau)
    agree(model, q, v, tau, {"tip": ("x", "turn y"), ("end", "tip"): ("z",)})
    geared = replace(model, closures=(Gear("pair", "b", "d", 0.7),))
    agree(geared, q, v, tau, {"tip": ("x",)})
    soft = {"damping": 0.1, "hold": held_frames(model, {"tip": "point"})}
    with pytest.raises(ArgumentError, match=named("method", "kkt")):
        robot.evaluate("constrained_dynamics", *map(list, (q, v, tau)), method="recursion", **soft)
    robot.evaluate("constrained_dynamics", *map(list, (q, v, tau)), **soft)


@pytest.mark.covers("CON-04")
class TestPosture:
    def test_forces_at_the_joints_do_not_move_a_frame_that_is_held(self) -> None:
        robot, rng = sv.load("panda"), np.random.default_rng(0)
        q, v = robot.random(0), rng.normal(size=7)
        hold, target = {"panda_link8": "weld"}, rng.normal(size=6)
        for tau in (np.zeros(7), 10.0 * rng.normal(size=7)):
            a, _, _ = run(robot.model, q, v, tau, hold, target=list(target), method="recursion")
            J, gamma = matrices(robot.model, q, v, hold)[1:3]
            assert np.allclose(J @ a + gamma, target, atol=1e-8)

    @pytest.mark.parametrize("seed", range(3))
    def test_prescribed_joints_next_to_held_frames(self, seed: int) -> None:
        """Against unit rows in the dense system: a prescribed joint is a constraint whose force is its own."""
        rng = np.random.default_rng(seed)
        model = [
            with_rotors(random_tree(3, 7, floating=True), rng),
            with_followers(1),
            with_rotors(sv.load("panda").model, rng),
        ][seed]
        robot, frame = sv.Robot(model), model.frames[-1 if seed else -2].name
        hold, known = {frame: ("x", "turn z")}, [0, robot.nv - 1]
        q, v, tau, a = robot.random(rng), *rng.normal(size=(3, robot.nv))
        M, A, gamma, c = matrices(model, q, v, hold)
        units = np.eye(robot.nv)[known]
        given = tau * (1.0 - units.sum(0))
        rows = np.concatenate([A, units])
        free = np.linalg.solve(M, given - c)
        wanted = np.concatenate([-gamma, a[known]])
        G = rows @ np.linalg.solve(M, rows.T)
        force = np.linalg.solve(G, wanted - rows @ free)
        expected = free + np.linalg.solve(M, rows.T @ force)
        lists = [x.tolist() for x in (q, v, a, tau)]
        options = {"prescribed": tuple(known), "hold": held_frames(model, hold)}
        acceleration, needed = map(np.array, robot.evaluate("hybrid_dynamics", *lists, **options))
        assert np.allclose(acceleration, expected, rtol=1e-9, atol=1e-9)
        assert np.allclose(needed[known], force[-2:], rtol=1e-8, atol=1e-8)
        others = [i for i in range(robot.nv) if i not in known]
        assert np.array_equal(needed[others], tau[others])


@pytest.mark.covers("CON-03")
class TestSoftness:
    @pytest.mark.parametrize("method", METHODS)
    def test_weights_share_what_cannot_be_met(self, method: str) -> None:
        robot, rng = sv.load("planar_2r"), np.random.default_rng(0)
        q, v, tau = [0.3, 0.7], rng.normal(size=2), rng.normal(size=2)
        hold, target = {"tip": ("x", "y", "turn z")}, rng.normal(size=3)
        weight = np.array([1.0, 4.0, 0.5])
        a, _, residual = run(robot.model, q, v, tau, hold, target=list(target), weight=tuple(weight), method=method)
        J, gamma = matrices(robot.model, q, v, hold)[1:3]
        root = np.sqrt(weight)
        least = np.linalg.lstsq(root[:, None] * J, root * (target - gamma), rcond=None)[0]
        assert np.allclose(a, least, rtol=1e-6, atol=1e-6)
        assert residual > 1e-3

    @pytest.mark.parametrize("method", METHODS)
    def test_damped_rows_give_way_to_forces(self, method: str) -> None:
        robot, rng = sv.load("panda"), np.random.default_rng(0)
        q, v, tau = robot.random(0), *rng.normal(size=(2, 7))
        hold, weight, damping = {"panda_link8": "point"}, np.array([1.0, 2.0, 4.0]), 0.3
        options = {"weight": tuple(weight), "damping": damping, "method": method}
        a, force, _ = run(robot.model, q, v, tau, hold, **options)
        M, J, gamma, c = matrices(robot.model, q, v, hold)
        assert np.allclose(J @ a + gamma, -damping / weight * force, atol=1e-10)
        assert np.allclose(M @ a + c, tau + J.T @ force, atol=1e-9)

    def test_mistakes_are_named(self) -> None:
        robot = sv.load("panda")
        zeros, hold = np.zeros(7), {"panda_link8": "point"}
        for options, message in (
            ({"weight": (1.0, 2.0)}, "weight"),
            ({"weight": (1.0, 2.0, 0.0)}, named("weight[2]")),
            ({"damping": -1.0}, "damping"),
            ({"method": "kk"}, named("kk")),
        ):
            with pytest.raises(ArgumentError, match=message):
                run(robot.model, zeros, zeros, zeros, hold, **options)


@pytest.mark.covers("CON-02")
def test_named_directions_in_world_axes() -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(0)
    q, v, tau = robot.random(1), *rng.normal(size=(2, 7))
    lists = [x.tolist() for x in (q, v)]
    for kind, kept in (("vertical", [3, 4]), ("vertical slide", [0, 1, 2, 3, 4])):
        a, _, _ = run(robot.model, q, v, tau, {"panda_link8": kind}, method="recursion")
        moved = robot.evaluate("classical_acceleration", *lists, a.tolist(), "panda_link8", "local_world_aligned")
        moved = np.array([*moved])
        assert np.abs(moved[kept]).max() < 1e-9 * (1.0 + np.abs(a).max())
        assert abs(moved[5]) > 1e-2
    assert robot.constraint_names(hold={"panda_link8": "vertical"}) == (
        "panda_link8: world x",
        "panda_link8: world y",
    )
    assert robot.constraint_names(hold={("panda_link8", "panda_link2"): "vertical"}) == (
        "panda_link8 to panda_link2: world x",
        "panda_link8 to panda_link2: world y",
    )


def test_wheels_that_roll_are_rows_like_others() -> None:
    model = random_tree(3, 5, floating=True)
    robot, rng = sv.Robot(model), np.random.default_rng(0)
    wheel = Rolling(0.2, ("roll", "side", "normal"))
    agree(model, robot.random(rng), *rng.normal(size=(2, robot.nv)), {"tool1": wheel})


@pytest.mark.parametrize(("method", "most"), [("recursion", 7260), ("kkt", 7560)])
def test_four_feet_of_a_quadruped(method: str, most: int) -> None:
    """What proximal steps and residuals cost is seen here: forward dynamics in the air takes 2967.

    About 30 a foot are for its velocity: in axes that turn, the acceleration of a row depends on it.
    """
    hold = {f"{leg}_FOOT": "point" for leg in ("FL", "FR", "HL", "HR")}
    count = sv.load("solo12").kernel("constrained_dynamics", hold=hold, method=method).count()
    assert sum(count.values()) <= most
