"""Loops in files of every format, with the digits that files have, move as the exact mechanisms."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from loop_samples import MECHANISMS, rounded
from sixvec.constraints import report
from sixvec.mechanism.rank_notes import RoundedLoop, rank_notes
from sixvec.mechanism.row_rank import gap_limits, row_rank
from sixvec.model import WORLD, Closure, Model
from sixvec.model.joints import Fixed, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose

DIGITS = 6
NOISE = 10.0**-DIGITS

IN_FILES = {
    "xml": [
        "four-bar, hinge",
        "four-bar, ball",
        "four-bar, weld",
        "slider-crank",
        "Bennett",
        "Bennett, ball",
        "Sarrus",
        "Delta",
        "five-bar",
        "parallelogram",
    ],
    "sdf": [
        "four-bar, hinge",
        "four-bar, ball",
        "slider-crank",
        "six-bar",
        "five-bar",
        "parallelogram",
        "Bennett",
        "Sarrus",
        "spherical",
        "Delta",
    ],
    "urdf": ["four-bar, ball", "four-bar, weld", "Bennett, ball"],
}
"""YAML files beside URDF have balls and welds."""


def urdf(model: Model) -> tuple[str, str]:
    """The text of a URDF with six digits, and that of the file beside it."""
    Rotation = pytest.importorskip("scipy.spatial.transform").Rotation

    def numbers(*x: float) -> str:
        return " ".join(f"{float(value):.{DIGITS}f}" for value in x)

    def origin(X: Pose) -> str:
        R = [[float(x) for x in row] for row in X.rot.matrix.rows]
        return f'<origin xyz="{numbers(*X.pos)}" rpy="{numbers(*Rotation.from_matrix(R).as_euler("xyz"))}"/>'

    parts = ['<link name="base"/>']
    for b in model.bodies:
        m, c = b.inertia.mass, b.inertia.moment * (1.0 / b.inertia.mass)
        whole = [[float(x) for x in row] for row in b.inertia.rot.full.rows]
        own = [
            [whole[i][j] - m * (float(c.dot(c)) * (i == j) - float([*c][i]) * float([*c][j])) for j in range(3)]
            for i in range(3)
        ]
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        inertia = " ".join(f'{n}="{own["xyz".index(n[1])]["xyz".index(n[2])]:.12f}"' for n in names)
        parts.append(
            f'<link name="{b.name}"><inertial><origin xyz="{numbers(*c)}"/><mass value="{m}"/><inertia {inertia}/>'
            "</inertial></link>"
        )
        assert isinstance(b.joint, Revolute | Prismatic)
        kind = "continuous" if isinstance(b.joint, Revolute) else "prismatic"
        limit = '<limit lower="-9" upper="9" effort="0" velocity="0"/>' if kind == "prismatic" else ""
        parts.append(
            f'<joint name="{b.joint_name}" type="{kind}">{origin(b.placement)}<parent link="{b.parent or "base"}"/>'
            f'<child link="{b.name}"/><axis xyz="{numbers(*b.joint.axis)}"/>{limit}</joint>'
        )
    for f in model.frames:
        parts.append(f'<link name="{f.name}"/><joint name="to_{f.name}" type="fixed">{origin(f.placement)}')
        parts.append(f'<parent link="{f.body or "base"}"/><child link="{f.name}"/></joint>')
    loops = [c for c in model.closures if isinstance(c, Closure)]
    kinds = {Fixed: "6d", Spherical: "3d"}
    beside = f"closed_loop: [{', '.join(f'[{c.first}, {c.second}]' for c in loops)}]\n"
    beside += f"type: [{', '.join(kinds[type(c.joint)] for c in loops)}]\n"
    return f'<robot name="{model.name}">{"".join(parts)}</robot>', beside


def from_file(name: str, suffix: str, folder: Path) -> sv.Robot:
    model, path = MECHANISMS[name][0](), folder / f"loop.{suffix}"
    if suffix == "urdf":
        text, beside = urdf(model)
        path.write_text(text)
        path.with_suffix(".yaml").write_text(beside)
    else:
        near = rounded(model, NOISE, seed=3).model
        closures = tuple(replace(c, name=f"loop {c.name}") for c in near.closures)
        sv.save(replace(near, closures=closures), path)
    return sv.load(path)


def positions(from_robot: sv.Robot, to_robot: sv.Robot, q: np.ndarray) -> np.ndarray:
    """The joints of one robot in the order of the other."""
    order = [b.name for b in from_robot.model.moving]
    slices = from_robot.model.q_slices
    assert {*order} == {b.name for b in to_robot.model.moving}
    starts = to_robot.model.q_slices
    joints = sorted(to_robot.model.moving, key=lambda b: starts[b.name].start)
    return np.concatenate([q[slices[b.name]] for b in joints])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.every(2)
@pytest.mark.parametrize(("suffix", "name"), [(suffix, name) for suffix, names in IN_FILES.items() for name in names])
def test_loops_of_files_satisfy_the_laws(suffix: str, name: str, tmp_path: Path) -> None:
    exact, guess = sv.Robot(MECHANISMS[name][0]()), MECHANISMS[name][1]
    other = from_file(name, suffix, tmp_path)
    allowed = 100.0 * NOISE
    q0 = exact.assemble(guess).q
    assert row_rank(other.model).rank == row_rank(exact.model).rank
    found = other.assemble(positions(exact, other, q0))
    assert found
    assert np.abs(found.q - positions(exact, other, q0)).max() < allowed
    rng = np.random.default_rng(5)
    freedoms = np.linalg.svd(exact.closure_jacobian(q0))[2][row_rank(exact.model).rank :]
    v0, tau0 = freedoms.T @ rng.uniform(0.5, 1.5, len(freedoms)), rng.normal(size=exact.nv)
    to_file = positions(exact, other, np.arange(exact.nv)).astype(int)
    q, tau = found.q, tau0[to_file]
    K = sv.constraints.loop_equations.feasible_basis(other, q, sv.solve.Metric.from_length(1.0, other.nv))
    v = K @ (K.T @ v0[to_file])
    a0, force0, _ = (np.array(x, float) for x in exact.evaluate("constrained_dynamics", q0, v0, tau0))
    a, force, _ = (np.array(x, float) for x in other.evaluate("constrained_dynamics", q, v, tau, method="kkt"))
    again = np.array(other.evaluate("constrained_dynamics", q, v, tau, method="recursion")[0], float)
    scale = np.abs(a0).max()
    assert np.abs(a - a0[to_file]).max() <= allowed * scale
    assert np.abs(a - again).max() <= 1e-9 * scale
    assert np.abs(force).max() <= 10.0 * np.abs(force0).max() + 1.0
    D = np.array(other.evaluate("delassus", q)[2], float)
    assert (D != 0.0).sum() == report(other, q).rank == row_rank(exact.model).rank
    expected = np.array(exact.evaluate("forward_dynamics_derivatives", q0, v0, tau0)[2], float)
    slopes = np.array(other.evaluate("forward_dynamics_derivatives", q, v, tau)[2], float)
    assert np.abs(slopes - expected[np.ix_(to_file, to_file)]).max() <= allowed * np.abs(expected).max()
    needed = np.array(other.evaluate("inverse_dynamics", q, v, a), float)
    work = float((tau - needed) @ v)
    assert abs(work) <= allowed * (1.0 + float(np.abs(tau) @ np.abs(v)))
    path = other.rollout(q, v, np.zeros(other.nv), 1e-3, steps=200)
    assert path and (np.abs(other.closure_error(path.q)) <= gap_limits(other.model)).all()
    reference = exact.rollout(q0, v0, np.zeros(exact.nv), 1e-3, steps=200)
    assert np.abs(path.q - reference.q[:, to_file]).max() < 1e-3


def test_dependent_rows_are_listed_once_when_a_file_is_loaded(tmp_path: Path) -> None:
    sv.save(rounded(MECHANISMS["four-bar, hinge"][0](), NOISE), tmp_path / "bar.xml")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        robot = sv.load(tmp_path / "bar.xml")
        q = robot.assemble(MECHANISMS["four-bar, hinge"][1]).q
        robot.forward_dynamics(q, np.zeros(3), np.zeros(3))
    assert sum("counts as dependent" in str(w.message) for w in said) == 1
    assert robot.model.bodies[0].parent is WORLD


@pytest.mark.filterwarnings("ignore:.*the file cannot hold the order")
@pytest.mark.parametrize(("noise", "is_dependent"), [(3e-6, True), (3e-5, True), (5e-4, False)])
@pytest.mark.parametrize("name", ["four-bar, hinge", "slider-crank", "Bennett", "Delta"])
def test_a_warning_lists_rows_that_are_nearly_dependent_and_how_nearly(
    name: str, noise: float, is_dependent: bool, tmp_path: Path
) -> None:
    sv.save(rounded(MECHANISMS[name][0](), noise, seed=2), tmp_path / "loop.xml")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = sv.load(tmp_path / "loop.xml").model
    (text,) = (str(w.message) for w in said if issubclass(w.category, RoundedLoop))
    notes = [n for n in rank_notes(model) if not (n.is_dependent and n.is_exact)]
    assert is_dependent == all(n.is_dependent for n in notes)
    assert all(row in text for n in notes for row in n.rows)
    assert 0.05 * noise < max(n.deviation for n in notes) < 10.0 * noise
    assert f"{max(n.deviation for n in notes):.1e} of the loop's size" in text
