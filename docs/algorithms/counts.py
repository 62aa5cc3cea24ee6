"""Writes the operation counts into the pages of this folder: `python docs/algorithms/counts.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import sixvec
from sixvec import Robot
from sixvec.model import SpatialTendon, ViaPoint, Wrap
from sixvec.spatial import Pose, Vec3
from sixvec.theory.operators import sweep_kernel

FOLDER = Path(__file__).parent
INDEX = "README"
BEGIN, END = "<!-- counts.py: begin -->", "<!-- counts.py: end -->"
ARM, QUADRUPED, LEGGED = "panda", "solo12", "humanoid"
SHOWN = ("mul", "add", "div", "sqrt")
"""The operations that are counted one by one."""

FRAMES = {ARM: "panda_link8", LEGGED: "r_hand"}
OPTIONS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "articulated_inertia": {ARM: {"frame": "panda_link1"}, LEGGED: {"frame": "pelvis"}},
    "relative_jacobian": {ARM: {"base": "panda_link3"}, LEGGED: {"base": "l_hand"}},
    **{
        kernel: {
            QUADRUPED: {"hold": {f"{leg}_FOOT": "point" for leg in ("FL", "FR", "HL", "HR")}},
            LEGGED: {"hold": {"l_sole": "weld", "r_sole": "weld"}},
        }
        for kernel in (
            "constraint_jacobian",
            "constraint_bias",
            "constraint_verdict",
            "constrained_dynamics",
            "delassus",
            "constrained_dynamics_derivatives",
            "prioritised_dynamics",
        )
    },
}
"""Where a kernel is counted with other options than the frame above."""


@dataclass(frozen=True)
class Row:
    """A kernel, the page that explains it, its method, its cost for n bodies in a tree of depth d."""

    kernel: str
    method: str
    cost: str
    robots: tuple[str, str] = (ARM, LEGGED)
    shared_page: str = ""

    @property
    def page(self) -> str:
        return self.shared_page or self.kernel


def _loops(kernel: str, method: str) -> Row:
    return Row(kernel, method, "O(d) per loop", ("four_bar", "slider_crank"))


def _cable(kernel: str, method: str) -> Row:
    return Row(kernel, method, "O(d) per tendon", (f"{ARM}, cables", f"{LEGGED}, cables"), "tendons")


def _held(kernel: str, method: str, cost: str = "O(d) per row", page: str = "constrained_dynamics") -> Row:
    return Row(kernel, method, cost, (QUADRUPED, LEGGED), page)


ROWS: Sequence[Row] = (
    Row("pose", "product of joint poses", "O(d)"),
    Row("poses", "the same, all frames", "O(n)", shared_page="pose"),
    Row("velocity", "recursion along the path", "O(d)"),
    Row("acceleration", "recursion along the path", "O(d)"),
    Row("classical_acceleration", "the same, and ω × v", "O(d)", shared_page="acceleration"),
    Row("velocity_product_acceleration", "the same with a = 0", "O(d)", shared_page="acceleration"),
    Row("jacobian", "a column per joint on the path", "O(d)"),
    Row("jacobian_derivative", "rate of each column", "O(d)"),
    Row("kinematic_hessian", "brackets of pairs of columns", "O(d²)"),
    Row("analytical_jacobian", "Jacobian, then rates of three angles", "O(d)"),
    Row("quaternion_jacobian", "Jacobian, then rates of a quaternion", "O(d)"),
    Row("relative_jacobian", "columns of two paths, with signs", "O(d)"),
    Row("center_of_mass", "first moments, tips to root", "O(n)"),
    Row("center_of_mass_jacobian", "first moments and a column per joint", "O(n)"),
    _loops("closure_error", "pose between two branches"),
    _loops("closure_jacobian", "columns of two branches, with signs"),
    _cable("tendon_lengths", "straight parts and arcs"),
    _cable("tendon_jacobian", "wrenches of lines on the joints that they cross"),
    _cable("tendon_velocities", "the same times v"),
    _held("constraint_jacobian", "columns of branches, a row for each direction"),
    _held("constraint_bias", "accelerations of frames at a = 0"),
    _held("constraint_verdict", "pivots of the Delassus matrix", "O(n + m² d + m³)"),
    _held("constrained_dynamics", "recursion, or LᵀDL and Delassus matrix", "O(n + m² d + m³)"),
    _held("delassus", "recursion with mobilities, or LᵀDL", "O(n + m²), factors O(m³)", "delassus"),
    _held(
        "constrained_dynamics_derivatives",
        "derivatives of the KKT system",
        "O(n² (d + m))",
        "constrained_dynamics_derivatives",
    ),
    Row("prioritised_dynamics", "levels projected one after the other", "O(n d² + m² n)", (QUADRUPED, LEGGED)),
    Row("integrate", "each joint's exponential", "O(n)"),
    Row("difference", "each joint's logarithm", "O(n)", shared_page="integrate"),
    Row("inverse_dynamics", "recursive Newton-Euler (RNEA)", "O(n)"),
    Row(
        "moving_base_inverse_dynamics",
        "the same from a given motion of the base",
        "O(n)",
        shared_page="inverse_dynamics",
    ),
    Row("joint_wrenches", "the same, all six components at each joint", "O(n)"),
    Row("bias_forces", "inverse dynamics with a = 0", "O(n)"),
    Row("gravity_forces", "inverse dynamics at rest", "O(n)"),
    Row("passive_forces", "joint by joint", "O(n)", ("panda, damped", "humanoid, damped")),
    Row("forward_dynamics", "articulated bodies (ABA)", "O(n)"),
    Row("hybrid_dynamics", "articulated bodies, some joints prescribed", "O(n)"),
    Row("articulated_inertia", "projected inertias, tips to the frame", "O(n)"),
    Row("mass_matrix", "composite rigid bodies (CRBA)", "O(n d)"),
    Row("mass_matrix_ltdl", "CRBA, then M = LᵀDL", "O(n d²)", shared_page="mass_matrix_factors"),
    Row("mass_matrix_ltl", "CRBA, then M = LᵀL", "O(n d²)", shared_page="mass_matrix_factors"),
    Row("mass_matrix_solve", "LᵀDL, then substitution", "O(n d²)"),
    Row("mass_matrix_inverse", "LᵀDL, then M⁻¹ = W D⁻¹ Wᵀ, W = L⁻¹", "O(n² d)"),
    Row("coriolis_matrix", "recursion for the C with Ṁ - 2C skew", "O(n d)"),
    Row(
        "christoffel_symbols",
        "Coriolis matrices of unit velocities",
        "O(n² d)",
        (ARM, QUADRUPED),
    ),
    Row("kinetic_energy", "sum over bodies", "O(n)"),
    Row("potential_energy", "first moments, tips to root", "O(n)"),
    Row("momentum", "sum over bodies, about the centre of mass", "O(n)"),
    Row("canonical_momenta", "momenta, tips to root", "O(n)"),
    Row("centroidal_momentum_matrix", "composite inertias, a column per joint", "O(n)"),
    Row(
        "centroidal_momentum_matrix_derivative",
        "and their Coriolis forms",
        "O(n)",
    ),
    Row("inverse_dynamics_derivatives", "recursion; ∂τ/∂q, ∂τ/∂v and M", "O(n d)"),
    Row("forward_dynamics_derivatives", "-M⁻¹ times those", "O(n² d)"),
    Row(
        "forward_dynamics_parameter_derivative",
        "-M⁻¹ times the regressor",
        "O(n² d)",
        (ARM, QUADRUPED),
    ),
    Row("inverse_dynamics_regressor", "a column per inertial parameter", "O(n d)"),
    Row("inverse_dynamics_regressor_entries", "its entries but zeros", "O(n d)"),
    Row("kinetic_energy_regressor", "an entry per inertial parameter", "O(n)", shared_page="energy_regressor"),
    Row("potential_energy_regressor", "an entry per inertial parameter", "O(n)", shared_page="energy_regressor"),
    Row("momentum_regressor", "a column per inertial parameter", "O(n)"),
    Row(
        "operational_space_inertia_inverse",
        "articulated bodies in, mobilities out",
        "O(n)",
    ),
    Row("operational_space_inertia", "the same, then a 6 by 6 inverse", "O(n)"),
    Row("task_space_bias", "Λ, then forward dynamics without motors", "O(n)"),
    Row("wrench_response", "M⁻¹ Jᵀ by six sweeps, or by LᵀDL", "O(n)"),
    Row("dynamically_consistent_inverse", "M⁻¹ Jᵀ Λ", "O(n)"),
    Row("dynamically_consistent_null_space", "1 - M⁻¹ Jᵀ Λ J", "O(n d)"),
)


@cache
def load(name: str) -> Robot:
    """A robot by name; "panda, damped" is one whose joints have damping, friction and springs, "panda, cables" one with
    a straight tendon and another over a cylinder."""
    name, _, variant = name.partition(", ")
    robot = sixvec.load(name)
    if not variant:
        return robot
    if variant == "cables":
        first, drum, last = (robot.model.path(FRAMES[name])[i].name for i in (-4, -3, -1))
        for end, body in (("start", first), ("end", last)):
            robot = robot.with_frame(end, body, Pose.translation(Vec3(0.02, 0.08, 0.05)))
        ends = ViaPoint("start"), ViaPoint("end")
        over = SpatialTendon("over", (ends[0], Wrap(drum, 0.05, cylinder=True), ends[1]))
        return robot.with_tendons(SpatialTendon("straight", ends), over)
    bodies = []
    for b in robot.model.bodies:
        some = tuple(0.1 * (i + 1) for i in range(b.joint.nv))
        bodies.append(replace(b, dynamics=replace(b.dynamics, damping=some, friction=some, stiffness=some)))
    return Robot(replace(robot.model, bodies=tuple(bodies)))


@cache
def counted(kernel: str, robot: str) -> Mapping[str, int]:
    """Every operation of one evaluation."""
    takes_frame = "frame" in sixvec.algorithms.REGISTRY[kernel].options
    options = {"frame": FRAMES[robot]} if takes_frame else {}
    return dict(load(robot).kernel(kernel, **options | dict(OPTIONS.get(kernel, {}).get(robot, {}))).count())


def operations(kernel: str, robot: str) -> str:
    """What one evaluation costs, for example "198 mul, 190 add"."""
    return listed(counted(kernel, robot))


def listed(count: Mapping[str, int]) -> str:
    return ", ".join(f"{count[op]} {op}" for op in SHOWN if op in count) or "none"


def table() -> str:
    """All kernels, in Markdown."""
    lines = [
        "| kernel | method | cost | " + " | ".join(f"{name}, nv = {load(name).nv}" for name in (ARM, LEGGED)) + " |",
        "|---|---|---|---:|---:|",
    ]
    for row in ROWS:
        counts = (
            operations(row.kernel, name) if name == column else f"{name}: {operations(row.kernel, name)}"
            for name, column in zip(row.robots, (ARM, LEGGED))
        )
        lines.append(f"| [`{row.kernel}`]({row.page}.md) | {row.method} | {row.cost} | {' | '.join(counts)} |")
    return "\n".join(lines)


def kernel_table(page: str) -> str:
    """The kernels of one page."""
    rows = [row for row in ROWS if row.page == page]
    (robots,) = {row.robots for row in rows}
    lines = [
        "| kernel | cost | " + " | ".join(f"{name}, nv = {load(name).nv}" for name in robots) + " |",
        "|---|---|---:|---:|",
    ]
    for row in rows:
        counts = " | ".join(operations(row.kernel, name) for name in robots)
        lines.append(f"| `{row.kernel}` | {row.cost} | {counts} |")
    return "\n".join(lines)


def hybrid_table() -> str:
    """From forward to inverse dynamics by prescribing more joints."""
    cases = {
        "all prescribed = inverse dynamics": range(7),
        "joints 1, 3, 5, 7 prescribed": range(0, 7, 2),
        "none prescribed = forward dynamics": range(0),
    }
    lines = ["| Panda | operations |", "|---|---:|"]
    for case, joints in cases.items():
        count = load(ARM).kernel("hybrid_dynamics", prescribed=tuple(joints)).count()
        lines.append(f"| {case} | {listed(count)} |")
    return "\n".join(lines)


def constrained_table() -> str:
    """Both methods of constrained dynamics."""
    four, two = (OPTIONS["constrained_dynamics"][robot]["hold"] for robot in (QUADRUPED, LEGGED))
    cases = {
        "solo12, four point feet": (QUADRUPED, four),
        "humanoid, two welded feet": (LEGGED, two),
        "panda, tool held as a point": (ARM, {FRAMES[ARM]: "point"}),
        "four_bar, its loop": ("four_bar", {}),
    }
    lines = ["| robot and rows | recursion | factors of M |", "|---|---:|---:|"]
    for case, (robot, hold) in cases.items():
        kernels = (load(robot).kernel("constrained_dynamics", hold=hold, method=m) for m in ("recursion", "kkt"))
        lines.append(f"| {case} | {' | '.join(listed(k.count()) for k in kernels)} |")
    return "\n".join(lines)


def structure_table() -> str:
    """What sparse factors cost a robot with branches."""
    robots = (ARM, QUADRUPED)
    names = [f"{load(r).model.name} (nv {load(r).nv})" for r in robots]
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(robots)]
    for kernel in ("mass_matrix", "mass_matrix_ltdl", "mass_matrix_solve", "mass_matrix_inverse"):
        lines.append(f"| `{kernel}` | " + " | ".join(operations(kernel, r) for r in robots) + " |")
    return "\n".join(lines)


def sweep_table() -> str:
    """Four ways of forward dynamics by operators; everything counted, sines and cosines too."""
    sweeps = {
        "fd1": "| FD1 | 4 | torques of the bias motion are subtracted first | joints |",
        "fd2": "| FD2 | 4 | the same | joints, links, tips: α = λ + φᵀ a |",
        "fd3": "| FD3 | 3 | in the filter, as forces | joints, links, tips |",
        "fd4": "| FD4 | 3 | in the filter, as accelerations: the articulated-body algorithm | joints; λ itself is α |",
    }
    lines = ["| | sweeps | how the bias enters | gives | operations |", "|---|---|---|---|---:|"]
    for name, text in sweeps.items():
        lines.append(f"{text} {sum(sweep_kernel(load(ARM), name).count().values())} |")
    ours = "| `robot.forward_dynamics` | | FD4 counted from the motion with a = 0, base parameters | joints |"
    lines.append(f"{ours} {sum(counted('forward_dynamics', ARM).values())} |")
    return "\n".join(lines)


BLOCKS: Mapping[str, Sequence[Callable[[], str]]] = {
    INDEX: [table],
    **{page: [lambda page=page: kernel_table(page)] for page in dict.fromkeys(row.page for row in ROWS)},  # type: ignore[misc]
    "hybrid_dynamics": [hybrid_table],
    "popov_vereshchagin": [constrained_table],
    "mass_matrix_structure": [structure_table],
    "spatial_operators": [sweep_table],
}
"""The tables of each page, in the order in which they stand there."""


def written(page: str) -> str:
    """The page with its counts brought up to date."""
    text = (FOLDER / f"{page}.md").read_text()
    first, *rest = text.split(BEGIN)
    if len(rest) != len(BLOCKS[page]):
        raise SystemExit(f"{page}.md has {len(rest)} places for counts ({BEGIN}), not {len(BLOCKS[page])}")
    parts = [f"{BEGIN}\n{block()}\n{END}{part.partition(END)[2]}" for block, part in zip(BLOCKS[page], rest)]
    return first + "".join(parts)


def main() -> None:
    for page in BLOCKS:
        (FOLDER / f"{page}.md").write_text(written(page))


if __name__ == "__main__":
    main()
