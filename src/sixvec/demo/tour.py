"""The tour: what the demo computes, in which order, and how it is reported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sixvec.compiler.target import host
from sixvec.demo import tables
from sixvec.demo.plot import plot
from sixvec.demo.release import RATE, Release, release
from sixvec.demo.report import Report
from sixvec.demo.speed import METHOD, TIMED, cores, speed
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.formats.draft import require_writable
from sixvec.kernels.kernel import Kernel
from sixvec.quoting import quoted
from sixvec.robot import Robot, load
from sixvec.verify.check import STEP, MeasuredStatement, Subject
from sixvec.verify.identities import IDENTITIES
from sixvec.verify.state import State, end_frame, middle, random_states

SAMPLES = 1000
"""Random states on which each identity is evaluated."""

KERNELS = (
    "pose",
    "velocity",
    "jacobian",
    "mass_matrix",
    "mass_matrix_inverse",
    "inverse_dynamics",
    "forward_dynamics",
    "bias_forces",
    "gravity_forces",
    "coriolis_matrix",
    "kinetic_energy",
    "potential_energy",
)
OF_A_FRAME = ("pose", "velocity", "jacobian")


def tour(source: str, picture: Path, *, overwrite: bool = False, trusted: bool = False) -> bool:
    """Print the whole report and write the plot; True if every identity holds."""
    robot = load(source, trusted=trusted)
    if not robot.nv:
        raise ArgumentError(f"{robot.name} has no joint that moves; the demo needs one")
    require_writable(picture, overwrite=overwrite)
    frame, state = end_frame(robot), middle(robot)
    kernels = [robot.kernel(name, **({"frame": frame} if name in OF_A_FRAME else {})) for name in KERNELS]
    with Report(len(kernels) + len(IDENTITIES) + len(TIMED) + 2) as report:
        about(report, robot)
        seconds = {k.name: prepare(k, state) for k in report.steps(lambda k: f"compiling {k.name}", kernels)}
        kinematics(report, robot, frame, state)
        dynamics(report, robot, state)
        findings = identities(report, robot, frame)
        operations(report, kernels, seconds)
        speeds(report, robot, frame)
        free_fall(report, robot, frame, state, picture, overwrite)
        report.print("")
        report.print(*verdict(findings))
    return all(f.holds for f in findings)


def prepare(kernel: Kernel, state: State) -> float:
    """Compile the kernel for one sample and for batches; the seconds until both have run."""
    given = {"q": state.q, "v": state.v, "a": state.a, "tau": state.a}
    arrays = [given[port.name] for port in kernel.inputs]
    start = perf_counter()
    kernel(*arrays)
    kernel(*(np.stack([x, x]) for x in arrays))
    return perf_counter() - start


def about(report: Report, robot: Robot) -> None:
    machine = host()
    report.print("")
    report.print(f"sixvec on {quoted(robot.name)}", style="bold")
    report.print(f"CPU {machine.cpu}, {cores()} cores, {machine.width('float64')} float64 numbers a vector register")
    report.section(
        "The robot",
        f"{robot.nv} degrees of freedom, {robot.mass:.2f} kg, gravity ({', '.join(f'{g:g}' for g in robot.gravity)}) "
        "m/s². Units: rad, m, kg, s, N, N m.",
        tables.robot_table(robot),
    )


def kinematics(report: Report, robot: Robot, frame: str, state: State) -> None:
    q, joints = state.q, _numbers(robot.nv)
    report.section(
        f"Pose, Jacobian and mass matrix at q = ({_vector(q)})",
        f'pose(q, "{quoted(frame)}"): where the frame is in the world.',
        tables.matrix_table(robot.pose(q, frame), ["x", "y", "z", ""], ["x axis", "y axis", "z axis", "origin"]),
        f'jacobian(q, "{quoted(frame)}"): its velocity (angular ω, linear v) per unit of joint velocity.',
        tables.matrix_table(robot.jacobian(q, frame), ["ωx", "ωy", "ωz", "vx", "vy", "vz"], joints),
        "mass_matrix(q)",
        tables.matrix_table(robot.mass_matrix(q), joints, joints),
    )


def dynamics(report: Report, robot: Robot, state: State) -> None:
    q, v, a = state
    tau = robot.inverse_dynamics(q, v, a)
    report.section(
        "Inverse and forward dynamics, same q",
        "τ = inverse_dynamics(q, v, a) moves the joints with acceleration a; forward_dynamics(q, v, τ) gives it back.",
        tables.columns_table(
            _numbers(robot.nv),
            {
                "v": v,
                "a": a,
                "τ": tau,
                "of it gravity": robot.gravity_forces(q),
                "forward(τ)": robot.forward_dynamics(q, v, tau),
            },
        ),
        f"Kinetic energy {robot.kinetic_energy(q, v):.4f} J, potential energy {robot.potential_energy(q):.4f} J.",
    )


def identities(report: Report, robot: Robot, frame: str) -> list[MeasuredStatement]:
    subject = Subject(robot, frame, random_states(robot, SAMPLES))
    findings = [i.evaluate(subject) for i in report.steps(lambda i: f"checking {i.equation}", IDENTITIES)]
    report.section(
        f"Identities, on {SAMPLES} random states",
        "Residual: the largest difference of the two sides over all states, relative to the size of the quantities. "
        f"Derivatives are central differences with step {STEP:g}, hence the wider bound.",
        tables.identities_table(findings),
    )
    return findings


def operations(report: Report, kernels: Sequence[Kernel], seconds: dict[str, float]) -> None:
    report.section(
        "Scalar operations per evaluation",
        "What is left of the textbook equations for this robot. Ready: traced and compiled, or read from the cache.",
        tables.counts_table(kernels, seconds),
    )


def speeds(report: Report, robot: Robot, frame: str) -> None:
    measured = [speed(robot, frame, name) for name in report.steps(lambda name: f"timing {name}", TIMED)]
    report.section("Speed, measured now", METHOD, tables.speed_table(measured, cores()))


def free_fall(report: Report, robot: Robot, frame: str, state: State, picture: Path, overwrite: bool) -> None:
    def draw() -> str:
        try:
            plot(robot, frame, fallen, picture, overwrite=overwrite)
        except MissingExtra as problem:
            return f"No plot: {problem}"
        return f"Plot: {picture}"

    (fallen,) = (release(robot, q) for q in report.steps(lambda _: "simulating", [state.q]))
    (outcome,) = (draw() for _ in report.steps(lambda _: "drawing", [picture]))
    report.section("The robot let go", story(fallen), outcome)


def story(fallen: Release) -> str:
    return (
        f"From rest at q, without motors, friction or joint stops, for {fallen.t[-1]:.3g} s: "
        f"{len(fallen.t) - 1} Runge-Kutta steps at {RATE:g} Hz, 4 forward dynamics each. Kinetic energy reaches "
        f"{fallen.kinetic.max():.1f} J; the total energy changes by at most {fallen.drift:.0e} J."
    )


def verdict(findings: Sequence[MeasuredStatement]) -> tuple[str, str]:
    """The last line and its style."""
    failed = [f.statement for f in findings if not f.holds]
    if failed:
        return f"✗ {len(failed)} of {len(findings)} identities fail: {'; '.join(failed)}", "bold red"
    return f"✓ all {len(findings)} identities hold", "green"


def _numbers(n: int) -> list[str]:
    return [str(i + 1) for i in range(n)]


def _vector(x: Any) -> str:
    shown = ", ".join(f"{e:.3g}" for e in x[: tables.MOST_COLUMNS])
    return shown + (", …" if len(x) > tables.MOST_COLUMNS else "")
