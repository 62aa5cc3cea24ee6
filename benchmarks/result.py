"""One row of the report."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Target:
    """A promise: the value shall be at least, or at most, this."""

    bound: float
    sense: Literal[">=", "<="]

    def met(self, value: float) -> bool:
        """Whether `value` keeps the promise."""
        return value >= self.bound if self.sense == ">=" else value <= self.bound


@dataclass(frozen=True)
class Row:
    """A measured `value` with its unit, and for timings what it was made of (microseconds per state)."""

    section: str
    robot: str
    kernel: str
    unit: Literal["x", "count", "s", "us", "/s", "%", "error"]
    value: float | None
    target: Target | None = None
    ours_us: float | None = None
    peers_us: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    """Scaled difference from Pinocchio's answer (where there is one peer, from ours), before anything is timed."""
    note: str = ""
    failed: bool = False
    """Ours raised, or gave a wrong answer: there is no value, and a target is missed."""

    @property
    def fastest_peer(self) -> str | None:
        """The peer to beat."""
        return min(self.peers_us, key=self.peers_us.__getitem__) if self.peers_us else None

    @property
    def verdict(self) -> str:
        """`met`, `missed`, or nothing where there is no target or no value."""
        if self.target is not None and self.failed:
            return "missed"
        if self.target is None or self.value is None:
            return ""
        return "met" if self.target.met(self.value) else "missed"

    def as_json(self) -> dict[str, Any]:
        """The row and what follows from it."""
        return asdict(self) | {"fastest_peer": self.fastest_peer, "verdict": self.verdict}


def timing_row(section: str, robot: str, kernel: str, seconds: dict[str, float], ours: str, **more: Any) -> Row:
    """A row from seconds per state: its value is the speed-up of ours over the fastest of the others."""
    micro = {name: 1e6 * value for name, value in seconds.items()}
    mine = micro.pop(ours, None)
    value = min(micro.values()) / mine if mine and micro else None
    return Row(section, robot, kernel, "x", value, ours_us=mine, peers_us=micro, **more)
