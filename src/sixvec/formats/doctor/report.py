"""The result of a check."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.formats.doctor.finding import Finding, Severity, worst
from sixvec.model import Model
from sixvec.quoting import LONGEST_LINE, quoted


@dataclass(frozen=True, slots=True)
class Report:
    """All findings in a file, in the order of its lines, and the robot if it can be loaded."""

    file: str
    findings: tuple[Finding, ...]
    model: Model | None

    @property
    def status(self) -> int:
        """0: healthy, or notes only; 1: warnings; 2: errors."""
        return int(worst(self.findings))

    @property
    def summary(self) -> str:
        """The last line of the report, and the only one of a healthy file."""
        count = {s: sum(f.severity is s for f in self.findings) for s in reversed(Severity)}
        found = ", ".join(f"{n} {s.word}{'s' if n > 1 else ''}" for s, n in count.items() if n)
        health = ("healthy", "loads, with warnings", "broken")[self.status]
        robot = ""
        if self.model is not None:
            moving = len(self.model.moving)
            mass = sum(b.inertia.mass for b in self.model.bodies)
            robot = f"{len(self.model.bodies)} links, {moving} moving joint{'' if moving == 1 else 's'}, {mass:.4g} kg"
        return quoted(f"{self.file}: {health}: " + "; ".join(part for part in (found, robot) if part), LONGEST_LINE)

    def text(self) -> str:
        return "\n".join([*(f.text(self.file) for f in self.findings), self.summary])

    def as_dict(self) -> dict[str, object]:
        findings = [f.as_dict(self.file) for f in self.findings]
        return {"file": self.file, "status": self.status, "summary": self.summary, "findings": findings}
