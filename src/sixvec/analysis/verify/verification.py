"""`verify`: all numerical checks of one robot, as a table."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sixvec.analysis.verify.check import Identity, MeasuredStatement, Subject
from sixvec.analysis.verify.equations import Equations
from sixvec.analysis.verify.identities import IDENTITIES
from sixvec.analysis.verify.machine_code import comparisons
from sixvec.analysis.verify.numbers import conditioning, inertias, limits
from sixvec.analysis.verify.rates import RATES
from sixvec.analysis.verify.state import end_frame, random_states
from sixvec.arguments import whole_number
from sixvec.arguments.progress import progress
from sixvec.collector import collector_paused
from sixvec.compiler.target import host
from sixvec.errors import SixvecError
from sixvec.model.edits import without_closures
from sixvec.model.robots import BUILT_IN
from sixvec.model.symbols import numbers_needed
from sixvec.quoting import quoted
from sixvec.robot import Robot

SAMPLES = 20
MARKS = {"holds": "✓", "fails": "✗", "skipped": "-"}


@dataclass(frozen=True)
class Verification:
    """The findings about a robot: true if nothing failed.  It prints as a table for a report."""

    about: str
    findings: tuple[MeasuredStatement, ...]

    def __bool__(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> tuple[MeasuredStatement, ...]:
        return tuple(f for f in self.findings if f.verdict == "fails")

    def __repr__(self) -> str:
        return f"<Verification {self.summary}>"

    @property
    def summary(self) -> str:
        """The outcome in one line."""
        counts = {word: sum(f.verdict == word for f in self.findings) for word in MARKS}
        plural = {"holds": "hold", "fails": "fail"}
        counted = [f"{n} {word if n == 1 else plural.get(word, word)}" for word, n in counts.items() if n]
        return ", ".join(counted) or "nothing to verify"

    def __str__(self) -> str:
        return self.table()

    def as_dict(self) -> dict[str, Any]:
        """All findings for programs: what JSON can hold."""
        return {
            "about": self.about.splitlines(),
            "holds": bool(self),
            "summary": self.summary,
            "findings": [
                {
                    "verdict": f.verdict,
                    "statement": f.statement,
                    "meaning": f.meaning,
                    "residual": None if f.residual is None or not math.isfinite(f.residual) else float(f.residual),
                    "tolerance": float(f.tolerance),
                    "note": f.note,
                }
                for f in self.findings
            ],
        }

    def table(self, spelled: Callable[[str], str] = str) -> str:
        """All findings in columns, with texts as `spelled`: terminals may lack characters."""
        return "\n".join([self.about, *_rows(self.findings, spelled), self.summary])


def verify(robot: Robot, *, samples: int = SAMPLES, peers: bool = True) -> Verification:
    """Check a robot's numbers, the identities of its kinematics and dynamics, its loops, and other libraries' results.

    Identities are evaluated on `samples` random states within the limits, by the equations themselves, without
    compilation; M⁻¹, Coriolis matrix and derivatives of robots with more than 12 freedoms at the first of them.
    Machine code is then compared with the equations: that of mass matrix, inverse and forward dynamics, and of every
    other kernel among those evaluated that this process has compiled.  Long programs of these three that are neither
    loaded nor on disk run as bytecode instead, and the note says so.  A mechanism with loops is checked as the open
    tree, and its loops at closed states.  With `peers`, Pinocchio and MuJoCo are compared as well, if installed.

    >>> import sixvec
    >>> from sixvec.analysis.verify import verify
    >>> verify(sixvec.load("planar_2r"), peers=False)
    <Verification 19 hold>
    """
    samples = whole_number("verify: samples, the number of states,", samples, least=1)
    robot = robot.sliding  # the identities are those of a robot that slides
    with numbers_needed(robot.model), collector_paused(), progress(f"verifying {quoted(robot.name)}"):
        return Verification(described(robot), tuple(_findings(robot, samples, peers)))


def _findings(robot: Robot, samples: int, peers: bool) -> Iterator[MeasuredStatement]:
    yield inertias(robot)
    yield limits(robot, robot.random(0, samples))
    if not robot.nv:
        return
    tree = Robot(without_closures(robot.model)) if robot.model.closures else robot
    equations: Any = Equations(tree)
    subject = Subject(equations, end_frame(robot), random_states(tree, samples))
    yield conditioning(subject)
    for identity in (*IDENTITIES, *RATES):
        yield evaluated(identity, subject)
    for identity, note in comparisons(equations.evaluations, equations.reader_errors):
        finding = evaluated(identity, subject)
        yield replace(finding, note=finding.note or note)
    if robot.model.closures:
        from sixvec.analysis.verify.loops import loop_findings  # which searches, and thus imports the solvers

        yield from loop_findings(robot, subject.frame, samples)
    if peers:
        from sixvec.analysis.verify.peers import peer_findings

        yield from peer_findings(robot, subject)


def evaluated(identity: Identity, subject: Subject) -> MeasuredStatement:
    """The finding; an algorithm that does not support the robot is skipped, with the reason."""
    with np.errstate(all="ignore"):
        try:
            return identity.evaluate(subject)
        except SixvecError as problem:
            return MeasuredStatement(identity.equation, identity.meaning, None, identity.tolerance, str(problem))


def described(robot: Robot) -> str:
    """The robot and the machine in two lines, for a report."""
    from sixvec import __version__

    machine = host()
    counts = f"nq {robot.nq}, nv {robot.nv}, {len(robot.model.bodies)} bodies, {len(robot.model.closures)} closures"
    source = "" if not robot.source else " (built in)" if robot.source in BUILT_IN else f" from {quoted(robot.source)}"
    return (
        f"{quoted(robot.name)}{source}: {counts}, {robot.mass:.4g} kg\n"
        f"sixvec {__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"{platform.system()} {platform.machine()}, {machine.cpu}"
    )


def _rows(findings: tuple[MeasuredStatement, ...], spelled: Callable[[str], str]) -> list[str]:
    cells = [[*map(spelled, (MARKS[f.verdict], f.statement, f.meaning, _shown(f), f.note))] for f in findings]
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    return ["  ".join([*(x.ljust(w) for x, w in zip(row, widths, strict=False)), row[4]]).rstrip() for row in cells]


def _shown(f: MeasuredStatement) -> str:
    """The residual, and the tolerance that it exceeds."""
    beyond = f" > {f.tolerance:.1e}" if f.verdict == "fails" else ""
    return "" if f.residual is None else f"{f.residual:.1e}{beyond}"
