"""`verify` confirms every robot that is right, and sees what is wrong with one that is not."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec
from random_trees import random_tree
from settled_files import wait_until_settled
from sixvec import Robot, load, save
from sixvec.analysis.verify import Verification, check, machine_code, peers, verify
from sixvec.analysis.verify.check import Identity, MeasuredStatement, Sides, Subject, apply, condition, rate, size
from sixvec.analysis.verify.equations import Equations
from sixvec.analysis.verify.identities import IDENTITIES
from sixvec.analysis.verify.loops import LOOPS, OPENED, closed_states
from sixvec.analysis.verify.numbers import conditioning, inertias, limits
from sixvec.analysis.verify.rates import RATES, moving_mass
from sixvec.analysis.verify.state import State, end_frame, random_states
from sixvec.cli.main import main
from sixvec.compiler.bytecode import Bytecode, encode
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.package_files import files_are_what_runs
from sixvec.compiler.program import Program
from sixvec.errors import ArgumentError
from sixvec.kernels.kernel import Kernel
from sixvec.model import Body, Closure, Frame, Gear, JointDynamics, Limits, Model
from sixvec.model.edits import without_closures
from sixvec.model.joints import Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

LEANING = load("planar_2r", gravity=(1.0, -9.0, 2.0))
"""An arm whose gravity forces are not zero."""

UNIT = Sym3.diagonal(1.0, 1.0, 1.0)


def verdicts(found: Verification) -> dict[str, str]:
    return {f.statement: f.verdict for f in found.findings}


@pytest.mark.parametrize("name", ["panda", "four_bar", "slider_crank", "cart_pole"])
def test_robots_of_the_library_hold(name: str) -> None:
    found = verify(load(name), samples=5)
    assert found, str(found)
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    assert set(verdicts(found).values()) == {"holds"}, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["humanoid", "solo12", "ur5e", "iiwa14", "stanford_arm", "acrobot", "double_pendulum"])
def test_more_robots_hold(name: str) -> None:
    found = verify(load(name))
    assert found, str(found)


def test_published_inertias_that_cannot_exist_are_all_that_fails_of_the_puma() -> None:
    assert [f.statement for f in verify(load("puma560"), samples=3, peers=False).failed] == ["inertias"]


@pytest.mark.parametrize("bodies", [3, pytest.param(9, marks=pytest.mark.slow)])
def test_every_joint_type_holds_and_what_peers_cannot_read_is_skipped(bodies: int) -> None:
    found = verify(Robot(random_tree(2, bodies=bodies, floating=True)), samples=3)
    assert found, str(found)
    skipped = [f for f in found.findings if f.verdict == "skipped"]
    assert {f.statement for f in skipped} == {"ID = Pinocchio", "ID = MuJoCo"}
    assert all(f.note for f in skipped)


def test_a_load_that_may_change_is_part_of_the_robot() -> None:
    arm = load("planar_2r")
    found = verify(arm.with_payload(arm.frame_names[-1], 2.0), samples=3)
    assert found, str(found)
    assert verdicts(found)["ID = MuJoCo"] == "skipped"


def test_gears_hold() -> None:
    arm = load("planar_2r")
    first, second = (b.name for b in arm.model.moving)
    geared = Robot(replace(arm.model, closures=(Gear("pair", first, second, 2.0),)))
    found = verify(geared, samples=3, peers=False)
    assert found, str(found)
    assert verdicts(found)["A a + γ = 0"] == "holds"


def apart(distance: float) -> Robot:
    """Two arms of 1 m on a base, their tips pinned to each other."""
    arms = tuple(
        Body(name, None, Revolute(), Pose.translation(Vec3(x, 0.0, 0.0)), RigidInertia(1.0, Vec3.zero(), UNIT))
        for name, x in (("a", 0.0), ("b", distance))
    )
    tips = tuple(Frame(f"{b.name} tip", b.name, Pose.translation(Vec3(1.0, 0.0, 0.0))) for b in arms)
    return Robot(Model("arms", arms, tips, closures=(Closure("pin", "a tip", "b tip", Revolute()),)))


def test_loops_that_no_position_closes_fail_with_the_gap() -> None:
    assert verify(apart(1.5), samples=3, peers=False)
    found = verify(apart(50.0), samples=3, peers=False)
    (failed,) = found.failed
    assert failed.statement == "e(q) = 0" and "none of 40 random starts" in failed.note
    assert failed.residual is not None and 48.0 <= failed.residual < 48.1 and "least gap found is 48 m" in failed.note
    assert verdicts(found)["A a + γ = 0"] == "skipped"


def test_a_body_that_cannot_exist_is_named() -> None:
    model = load("planar_2r").model
    odd = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 5.0))
    bodies = tuple(replace(b, inertia=odd) if b is model.moving[-1] else b for b in model.bodies)
    found = verify(Robot(replace(model, bodies=bodies)), samples=3, peers=False)
    assert not found
    (failed,) = found.failed
    assert failed.statement == "inertias" and model.moving[-1].name in failed.note and "triangle" in failed.note


WRONG = {
    "mass_matrix": {"M a + bias = ID(a)", "M M⁻¹ = 1", "½ vᵀ M v = T", "dM/dt - 2C is skew", "M ∂FD = -∂ID"},
    "forward_dynamics": {"FD(ID(a)) = a"},
    "bias_forces": {"M a + bias = ID(a)"},
    "mass_matrix_inverse": {"M M⁻¹ = 1"},
    "kinetic_energy": {"½ vᵀ M v = T", "d(T + U)/dt = τᵀ v"},
    "jacobian": {"J v = V"},
    "velocity": {"J v = V", "dX/dt = V × X"},
    "pose": {"dX/dt = V × X"},
    "gravity_forces": {"∂U/∂q = g"},
    "potential_energy": {"∂U/∂q = g", "d(T + U)/dt = τᵀ v"},
    "coriolis_matrix": {"dM/dt - 2C is skew"},
    "center_of_mass": {"m dc/dt = p"},
    "momentum": {"m dc/dt = p", "A v = h"},
    "centroidal_momentum_matrix": {"A v = h"},
    "inverse_dynamics": {
        "FD(ID(a)) = a",
        "M a + bias = ID(a)",
        "d(T + U)/dt = τᵀ v",
        "∂ID = differences",
        "M ∂FD = -∂ID",
    },
    "inverse_dynamics_derivatives": {"∂ID = differences", "M ∂FD = -∂ID"},
    "forward_dynamics_derivatives": {"M ∂FD = -∂ID"},
}
"""The identities that fail if one kernel is wrong, and no others."""


def test_some_wrong_kernel_fails_each_identity() -> None:
    assert set.union(*WRONG.values()) == {i.equation for i in (*IDENTITIES, *RATES)}


@pytest.mark.parametrize("method", WRONG)
def test_a_wrong_kernel_is_named(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Equations.__getattr__

    def spoiled(robot: Equations, name: str) -> Callable[..., Any]:
        function = right(robot, name)
        if name != method:
            return function

        def wrong(*arguments: Any) -> Any:
            answer = function(*arguments)
            return type(answer)(*(1.00001 * x for x in answer)) if isinstance(answer, tuple) else 1.00001 * answer

        return wrong

    monkeypatch.setattr(Equations, "__getattr__", spoiled)
    found = verify(LEANING, samples=3, peers=False)
    assert {f.statement for f in found.failed} == WRONG[method]


def slightly_wrong(right: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Calls of kernels, those of one name with a small error."""

    def call(self: Kernel, *arrays: Any) -> Any:
        answer = right(self, *arrays)
        return answer * (1 + 1e-7) if self.name == name else answer

    return call


def test_machine_code_that_differs_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "__call__", slightly_wrong(Kernel.__call__, "mass_matrix"))
    failed = {f.statement for f in verify(load("planar_2r"), samples=3, peers=False).failed}
    assert failed == {"machine code of mass_matrix"}


@pytest.mark.parametrize("batch", [(), (3,)])
def test_kernels_that_this_process_has_compiled_are_compared(
    batch: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, row = load("planar_2r"), "machine code of gravity_forces"
    assert row not in verdicts(verify(robot, samples=3, peers=False))
    robot.gravity_forces(robot.random(0, *batch))
    assert verdicts(verify(robot, samples=3, peers=False))[row] == "holds"
    monkeypatch.setattr(Kernel, "__call__", slightly_wrong(Kernel.__call__, "gravity_forces"))
    assert {f.statement for f in verify(robot, samples=3, peers=False).failed} == {row}


def test_derivatives_of_large_robots_are_compared_at_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "LARGE", 1)
    robot = load("planar_2r")
    robot.inverse_dynamics_derivatives(*random_states(robot, 2))
    found = verify(robot, samples=3, peers=False)
    assert found and verdicts(found)["machine code of inverse_dynamics_derivatives"] == "holds"


def test_long_programs_run_as_bytecode_which_is_compared_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(machine_code, "SHORT", 0)
    robot = load("planar_2r")
    rows = [f for f in verify(robot, samples=5, peers=False).findings if f.statement.startswith("machine code")]
    assert [f.note for f in rows] == [machine_code.BYTECODE] * 3 and all(f.holds for f in rows)
    assert not any(robot.kernel(name).executable("float64").is_loaded_for_batches for name in machine_code.ALWAYS)

    def wrong(final: Program, lanes: Lanes) -> Bytecode:
        found = encode(final, lanes)
        return replace(found, constants=found.constants * (1 + 1e-7))

    monkeypatch.setattr(machine_code, "encode", wrong)
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path / "other"))
    failed = {f.statement for f in verify(robot, samples=3, peers=False).failed}
    assert failed == {f"machine code of {name}" for name in machine_code.ALWAYS}


def test_stored_code_is_used_instead_of_bytecode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    wait_until_settled(Path(sixvec.__path__[0]))
    if not files_are_what_runs():
        pytest.skip("files have changed since the import")
    monkeypatch.setattr(machine_code, "SHORT", 0)
    robot = load("planar_2r")
    robot.mass_matrix(robot.random(0, 2))
    notes = {f.statement: f.note for f in verify(load("planar_2r"), samples=3, peers=False).findings}
    assert notes["machine code of mass_matrix"] == "" and notes["machine code of inverse_dynamics"]


def test_equations_are_those_of_the_kernels_for_every_joint_and_any_batch() -> None:
    robot = Robot(random_tree(2, bodies=3, floating=True))
    equations: Any = Equations(robot)
    q, v, a = random_states(robot, 2, 3)
    for one in (slice(None), (0, 0)):
        tau = equations.inverse_dynamics(q[one], v[one], a[one])
        np.testing.assert_allclose(tau, robot.inverse_dynamics(q[one], v[one], a[one]), atol=1e-9)
    wide = equations.inverse_dynamics(q[:, None], v[:, None], a[0])
    np.testing.assert_allclose(wide, robot.inverse_dynamics(q[:, None], v[:, None], a[0]), atol=1e-9)
    assert equations.inverse_dynamics(q, v, a) is equations.inverse_dynamics(q.copy(), v, a)


def test_numbers_that_floats_reject_are_not_finite() -> None:
    equations: Any = Equations(load("planar_2r"))
    with np.errstate(all="ignore"):
        assert not np.isfinite(equations.mass_matrix(np.full((1, 2), np.inf))).all()


def test_rows_that_a_singular_mass_matrix_does_not_allow_are_skipped() -> None:
    arm = Body("a", None, Revolute(), Pose.identity(), RigidInertia(0.0, Vec3.zero(), Sym3.diagonal(0.0, 0.0, 0.0)))
    found = verify(Robot(Model("massless", (arm,))), samples=3, peers=False)
    rows = {f.statement: f for f in found.findings}
    assert rows["cond M"].residual == np.inf and rows["cond M"].verdict == "fails"
    assert 'joint of body "a" moves no mass' in rows["cond M"].note
    assert rows["machine code of forward_dynamics"].note == rows["FD(ID(a)) = a"].note
    for name in ("FD(ID(a)) = a", "M M⁻¹ = 1", "M ∂FD = -∂ID", "machine code of forward_dynamics"):
        assert rows[name].verdict == "skipped" and rows[name].note
    assert rows["machine code of mass_matrix"].holds


def test_another_robot_in_the_file_is_seen_by_the_peers(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    save(load("planar_2r"), file)
    robot = load(file)
    assert verdicts(verify(robot, samples=3))["ID = MuJoCo"] == "holds"
    bodies = tuple(replace(b, inertia=b.inertia + b.inertia) for b in robot.model.bodies)
    heavier = Robot(replace(robot.model, bodies=bodies))
    heavier.source = robot.source
    assert verdicts(verify(heavier, samples=3))["ID = MuJoCo"] == "fails"


TWO_BODIES = """<mujoco><option {option}/><worldbody><body name="a" gravcomp="{gravcomp}">
<joint name="j1" axis="0 1 0" {joint}/><geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/>
<body name="b" pos=".5 0 0"><joint name="j2" axis="0 1 0"/><geom type="box" size=".1 .05 .2"/></body></body></worldbody>
<tendon><fixed {tendon}><joint joint="j1" coef="1"/><joint joint="j2" coef="2"/></fixed></tendon></mujoco>"""


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize(
    "given",
    [
        {"option": 'density="1000" viscosity="0.001" wind="3 0 0"'},
        {"gravcomp": "1"},
        {"joint": 'stiffness="10" springref="30" damping="2" frictionloss="1"'},
        {"tendon": 'stiffness="50" springlength="0" damping="5" frictionloss="1"'},
    ],
    ids=lambda given: next(iter(given)),
)
def test_forces_of_mujoco_that_are_not_those_of_rigid_bodies_are_left_out(
    given: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    file.write_text(TWO_BODIES.format(**({"option": "", "gravcomp": "0", "joint": "", "tendon": ""} | given)))
    robot = load(file)
    found = {f.statement: f for f in peers.peer_findings(robot, Subject(robot, "", random_states(robot, 3)))}
    assert found["ID = MuJoCo"].holds, found["ID = MuJoCo"]


def test_masses_of_meshes_are_single_precision_in_mujoco(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "mesh.xml"
    file.write_text(
        '<mujoco><asset><mesh name="m" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset><worldbody><body name="a">'
        '<joint name="j" type="slide" axis="0 0 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    robot = load(file)
    found = peers.peer_findings(robot, Subject(robot, "", random_states(robot, 3)))[-1]
    assert found.holds and found.residual is not None and found.residual > peers.SAME, found


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
def test_the_inertia_of_tendons_is_not_compared(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    file.write_text(TWO_BODIES.format(option="", gravcomp="0", joint="", tendon='armature="5"'))
    robot = load(file)
    found = peers.peer_findings(robot, Subject(robot, "", random_states(robot, 3)))[-1]
    assert found.verdict == "skipped" and "inertia of tendons" in found.note


@pytest.mark.parametrize("bound", [1e16, 1.7e308])
def test_limits_that_are_only_large_numbers_hold(bound: float) -> None:
    robot = load("planar_2r")
    wide = Limits((-bound,), (bound,))
    robot = Robot(replace(robot.model, bodies=tuple(replace(b, limits=wide) for b in robot.model.bodies)))
    found = verify(robot, samples=3, peers=False)
    assert found, str(found)


def test_files_that_a_peer_rejects_are_skipped_with_its_reason(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    save(load("planar_2r"), file)
    text = file.read_text()
    lost = '<asset><mesh name="lost" file="lost.stl"/></asset><worldbody>'
    file.write_text(text.replace("<worldbody>", lost, 1))
    found = verify(load(file), samples=3)
    assert found and verdicts(found)["ID = MuJoCo"] == "skipped"
    assert "lost.stl" in next(f.note for f in found.findings if f.statement == "ID = MuJoCo")


def test_without_the_peers_the_rest_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(peers, "import_module", missing)
    found = verify(load("planar_2r"), samples=3)
    assert found and [f.note for f in found.findings[-2:]] == ["Pinocchio is not installed", "MuJoCo is not installed"]


def test_the_command_prints_a_table_and_its_status(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["verify", "planar_2r", "--no-peers", "--samples", "3"]) == 0
    shown = capsys.readouterr().out
    assert "planar_2r (built in): nq 2, nv 2" in shown and "✓  cond M" in shown and "19 hold" in shown
    file = tmp_path / "odd.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/>'
    file.write_text(
        '<robot name="odd"><link name="base"/><link name="arm"><inertial><mass value="1"/>' + inertia + "</inertial>"
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'
    )
    assert main(["verify", str(file), "--no-peers"]) == 1
    assert "✗  inertias" in capsys.readouterr().out


def test_columns_are_straight_in_every_character_set(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = verify(load("planar_2r"), samples=3, peers=False).findings
    for encoding in ("ascii", "cp1252", "utf-8"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["verify", "planar_2r", "--no-peers", "--samples", "3"]) == 0
        stream.flush()
        lines = stream.buffer.getvalue().decode(encoding).splitlines()[2:-1]  # type: ignore[attr-defined]
        assert len({line.index(f.meaning) for line, f in zip(lines, findings, strict=True)}) == 1


def test_bad_numbers_of_samples_and_robots_without_joints() -> None:
    robot = load("planar_2r")
    for samples in (0, -1, 2.5, True):
        with pytest.raises(ArgumentError, match="verify"):
            robot.verify(samples=samples)  # type: ignore[arg-type]
    assert verify(robot, samples=np.int64(2), peers=False)  # type: ignore[arg-type]
    still = Robot(replace(robot.model, bodies=robot.model.bodies[:0], frames=(), geoms=(), closures=()))
    assert np.all([f.holds for f in verify(still).findings])


def test_sides_of_an_identity_are_compared_relative_to_their_scale() -> None:
    subject = Subject(None, "", State(np.zeros(0), np.zeros(0), np.zeros(0)))  # type: ignore[arg-type]

    def finding(left: list[float], right: list[float], scale: float) -> MeasuredStatement:
        return Identity("=", "", 0.1, lambda s: Sides(np.array(left), np.array(right), scale)).evaluate(subject)

    assert finding([1.0, 5.0], [1.5, 3.0], 4.0).residual == 0.5
    assert finding([1.0, 5.0], [1.5, 7.0], 0.0).residual == 2.0
    assert finding([], [], 2.0).residual == 0.0
    assert finding([0.2], [0.0], 2.0).holds and not finding([0.3], [0.0], 2.0).holds
    assert finding([1.0], [np.nan], 2.0).verdict == "fails"
    skipped = MeasuredStatement("", "", None, 1.0)
    assert skipped.verdict == "skipped" and not skipped.holds


def test_a_solution_is_as_good_as_the_condition_allows() -> None:
    class Heavy:
        def mass_matrix(self, q: Any) -> Any:
            return np.array([np.diag([1.0, 4.0]), np.diag([1e9, 1e-3])])

    subject = Subject(Heavy(), "", State(np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))))  # type: ignore[arg-type]
    zero = Sides(np.zeros(1), np.zeros(1), 1.0)
    found = [Identity("=", "", 1e-9, lambda s: zero, solves=solves).evaluate(subject) for solves in (False, True)]
    assert found[0].tolerance == 1e-9
    assert found[1].tolerance == pytest.approx(100 * 2.0**-52 * 1e12, rel=1e-6)
    assert Identity("=", "", 0.5, lambda s: zero, solves=True).evaluate(subject).tolerance == 0.5
    assert condition(np.zeros((0, 2, 2))) == 1.0
    assert condition(np.array([[np.nan, 0.0], [0.0, 1.0]])) == 1.0
    assert condition(np.diag([2.0, 8.0])) == 4.0


def test_rates_are_exact_for_polynomials_of_degree_four() -> None:
    x = np.zeros((2, 4))

    def path(h: Any) -> Any:
        assert h.shape == (4, 1, 1)
        return np.broadcast_to(np.concatenate([3.0 * h, 2.0 + h**2, h**3, 5.0 * h - h**4], axis=-1), (4, 2, 4))

    assert rate(path, x) == pytest.approx(np.array([[3, 0, 0, 5]] * 2), abs=1e-9)
    np.testing.assert_array_equal(apply(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])), [17.0, 39.0])
    assert size(np.array([1.0, -3.0])) == 3.0 and size(np.zeros(0)) == 0.0


@pytest.mark.parametrize("identity", [*IDENTITIES, *RATES, *LOOPS], ids=lambda i: i.equation)
def test_the_scale_of_an_identity_is_that_of_its_terms(identity: Identity) -> None:
    """A scale that is far too large would hide errors, one that is far too small would invent them."""
    robot = load("four_bar")
    loops = identity in LOOPS
    tree = robot if loops else Robot(without_closures(robot.model))
    state = closed_states(robot, 4)[0] if loops else random_states(tree, 4)
    left, right, scale = identity.sides(Subject(tree, end_frame(robot), state))
    assert np.isfinite(left).all() and left.shape == np.broadcast_shapes(left.shape, np.shape(right))
    assert np.all(np.abs(left - right) <= identity.tolerance * scale)
    largest = max(size(left), size(np.asarray(right)))
    terms_cancel = ("dM/dt - 2C is skew", "∂U/∂q = g", "M ∂FD = -∂ID")
    if not loops and identity.equation not in terms_cancel:
        assert largest / 3.0 < size(np.asarray(scale)) < 30.0 * largest


ISOTROPIC = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))

VANISHING = {
    "all derivatives": Body("a", None, Universal(), Pose.identity(), ISOTROPIC),
    "momentum": Body(
        "a", None, Revolute(Vec3(1.0, 2.0, 3.0)), Pose.translation(Vec3(5.3, -7.1, 2.2)),
        Pose.translation(Vec3(0.1, 0.2, 0.3)) @ ISOTROPIC,
    ),
    "coriolis forces": Body("a", None, Spherical(), Pose.translation(Vec3(1.0, 2.0, 3.0)), ISOTROPIC),
    "gravity forces": Body("a", None, Prismatic(Vec3(1.0, 0.3, 0.0)), Pose.identity(), ISOTROPIC),
}  # fmt: skip


@pytest.mark.parametrize("gravity", [Vec3(0.0, 0.0, -9.81), Vec3.zero()], ids=["heavy", "weightless"])
@pytest.mark.parametrize("what", VANISHING)
def test_what_vanishes_is_no_alarm(what: str, gravity: Vec3) -> None:
    """Where both sides of an equation are rounding, their difference is not compared with their size."""
    assert not verify(Robot(Model("m", (VANISHING[what],), (), gravity)), samples=5, peers=False).failed


class Spoiled:
    """A robot with one wrong method."""

    def __init__(self, robot: Robot, method: str) -> None:
        self._robot, self._method = robot, method

    def __getattr__(self, name: str) -> Any:
        right = getattr(self._robot, name)
        return right if name != self._method else lambda *arrays: 1.0001 * right(*arrays)


@pytest.mark.parametrize(
    ("method", "rows"),
    [
        ("", set()),
        ("closure_error", {"de/dt = J v"}),
        ("closure_jacobian", {"de/dt = J v"}),
        ("constraint_bias", {"A a + γ = 0"}),
        ("forward_dynamics", {"A a + γ = 0", "M a + bias - τ = Aᵀ λ"}),
    ],
)
def test_wrong_equations_of_loops_are_named(method: str, rows: set[str]) -> None:
    robot = load("four_bar")
    wrong: Any = Spoiled(robot, method)
    closed, opened = (Subject(wrong, "", state) for state in (closed_states(robot, 4)[0], random_states(robot, 4)))
    findings = [OPENED.evaluate(opened), *(i.evaluate(closed) for i in LOOPS)]
    assert {f.statement for f in findings if not f.holds} == rows


def test_closed_states_stay_closed_and_are_no_more_than_asked_for() -> None:
    robot = load("four_bar")
    (q, v, a), gap = closed_states(robot, 3)
    assert 0.0 <= gap < 1e-8
    assert len(q) == len(v) == len(a) == 3
    A = robot.constraint_jacobian(q)
    np.testing.assert_allclose(robot.closure_error(q), 0.0, atol=1e-8)
    np.testing.assert_allclose(apply(A, v), 0.0, atol=1e-9)
    np.testing.assert_allclose(apply(A, a) + robot.constraint_bias(q, v), 0.0, atol=1e-8)
    assert np.abs(v).max() > 1e-3 and np.abs(a).max() > 1e-3
    few = random_states(robot, 40)
    projected = few.v[:3] - v  # the closest rates: what is taken away is a combination of the rows
    rows = np.swapaxes(A, -1, -2)
    np.testing.assert_allclose(apply(rows @ np.linalg.pinv(rows, rcond=1e-8), projected), projected, atol=1e-8)


def test_contradictory_limits_are_counted() -> None:
    class Limited:
        lower, upper = np.array([-1.0, 2.0, -1.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0])

    for q, wrong in (
        ([[0.0, 1.5, 0.0, 0.0]], 1),
        ([[0.0, 1.5, -1.1, 0.0], [1.0, 1.5, 0.0, 0.0]], 2),
        ([[1.2, 1.5, 0.0, 0.0], [-1.0, 1.5, 1.0, 0.1]], 3),
        (np.zeros((0, 4)), 1),
    ):
        found = limits(Limited(), np.array(q))  # type: ignore[arg-type]
        assert (found.residual, found.tolerance, found.holds) == (float(wrong), 0.0, False)


def test_bodies_that_cannot_exist_are_counted_and_the_first_named() -> None:
    model = load("panda").model
    odd = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 5.0))
    found = inertias(Robot(replace(model, bodies=tuple(replace(b, inertia=odd) for b in model.bodies))))
    assert found.residual == float(len(model.bodies)) and found.tolerance == 0.0
    assert [part.partition(":")[0] for part in found.note.split("; ")] == [b.name for b in model.bodies[:3]]


def test_a_mass_matrix_that_is_not_finite_has_no_condition() -> None:
    class Odd:
        model = load("planar_2r").model
        M: Any = np.diag([1.0, np.nan])

        def mass_matrix(self, q: Any) -> Any:
            return self.M

    odd = Odd()

    def found() -> MeasuredStatement:
        return conditioning(Subject(odd, "", State(np.zeros(2), np.zeros(2), np.zeros(2))))  # type: ignore[arg-type]

    assert found().residual == np.inf and not found().holds and "not finite" in found().note
    odd.M = np.diag([1.0, 1e9])
    assert found().residual == pytest.approx(1e9) and found().holds and not found().note
    odd.M = np.diag([1.0, 1e11])
    assert not found().holds and found().note.startswith("above 1e+10: ")
    odd.M = np.diag([1.0, 0.0])
    assert found().residual == np.inf and "singular" in found().note


def test_moving_mass_leaves_out_what_is_welded_to_the_world() -> None:
    robot = load("panda")
    base = robot.model.bodies[0]
    assert base.parent is None and base.joint.nv == 0 and base.inertia.mass > 0.0
    assert moving_mass(robot.model) == pytest.approx(robot.mass - base.inertia.mass, rel=1e-12)


def test_rotors_are_nothing_that_urdf_can_hold() -> None:
    pytest.importorskip("pinocchio")
    arm = load("planar_2r")
    rotors = tuple(replace(b, dynamics=JointDynamics(armature=(0.1,) * b.joint.nv)) for b in arm.model.bodies)
    robot = Robot(replace(arm.model, bodies=rotors))
    subject = Subject(robot, "", random_states(arm, 2))
    found = {f.statement: f for f in peers.peer_findings(robot, subject)}
    assert found["ID = Pinocchio"].note == "URDF cannot hold the inertia of rotors"


def test_the_table_of_a_verification_marks_and_counts() -> None:
    findings = tuple(
        MeasuredStatement(name, meaning, residual, 1.0, note)
        for name, meaning, residual, note in (
            ("a = b", "one", 0.5, ""), ("long = longer", "two", 2.0, "why"), ("c", "three words", None, "no reason"),
        )
    )  # fmt: skip
    found = Verification("robot", findings)
    assert str(found).splitlines() == [
        "robot",
        "✓  a = b          one          5.0e-01",
        "✗  long = longer  two          2.0e+00 > 1.0e+00  why",
        "-  c              three words                     no reason",
        "1 holds, 1 fails, 1 skipped",
    ]
    assert not found and found.failed == findings[1:2]
    assert bool(Verification("", findings[::2])) and Verification("", ()).summary == "nothing to verify"


def arm_with_a_finger() -> Robot:
    """Bodies of 500 kg, 50 kg and 2 g, each on the one before."""

    def body(name: str, parent: str | None, mass: float, length: float, axis: Vec3) -> Body:
        moment = mass * length**2 / 12
        inertia = RigidInertia.from_center_of_mass(
            mass, Vec3(length / 2, 0.0, 0.0), Sym3.diagonal(moment, moment, moment)
        )
        return Body(name, parent, Revolute(axis), Pose.translation(Vec3(0.5, 0.0, 0.0)), inertia)

    y, z = Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    bodies = (body("a", None, 500.0, 1.0, y), body("b", "a", 50.0, 0.5, z), body("c", "b", 0.002, 0.05, y))
    return Robot(Model("arm with a finger", bodies, (Frame("tip", "c"),)))


@pytest.mark.parametrize(
    ("method", "rows"),
    [
        ("", set()),
        ("inverse_dynamics", {"FD(ID(a)) = a", "M a + bias = ID(a)", "∂ID = differences"}),
        ("gravity_forces", {"∂U/∂q = g"}),
        ("bias_forces", {"M a + bias = ID(a)"}),
        ("inverse_dynamics_derivatives", {"∂ID = differences"}),
        ("coriolis_matrix", {"dM/dt - 2C is skew"}),
    ],
)
def test_one_per_cent_of_a_light_finger_is_seen(method: str, rows: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    right = Equations._result

    def wrong(robot: Equations, name: str, *arguments: Any) -> Any:
        answer = right(robot, name, *arguments)
        if name == method and isinstance(answer, tuple):
            answer[-1][..., -1, -1] *= 1.01
        elif name == method:
            answer[(..., -1, 0) if name == "coriolis_matrix" else (..., -1)] *= 1.01
        return answer

    monkeypatch.setattr(Equations, "_result", wrong)
    failed = {f.statement for f in verify(arm_with_a_finger(), samples=3, peers=False).failed}
    failed = {name for name in failed if not name.startswith("machine code")}
    assert rows <= failed and bool(rows) == bool(failed)


def test_peers_that_differ_in_a_light_finger_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    robot = arm_with_a_finger()
    subject = Subject(robot, "", random_states(robot, 3))
    right = peers._rows
    assert peers.peer_findings(robot, subject)[-1].holds
    monkeypatch.setattr(peers, "_rows", lambda *given: right(*given) * np.array([1.0, 1.0, 1.01]))
    assert peers.peer_findings(robot, subject)[-1].verdict == "fails"


def test_gravity_that_dwarfs_all_other_forces_holds() -> None:
    found = verify(load("panda", gravity=(0.0, 0.0, -1e9)), samples=3, peers=False)
    assert found, str(found)
