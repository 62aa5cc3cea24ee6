"""`sixvec distance ROBOT`: which frames are compared, why others are not, and gaps at the neutral position."""

from __future__ import annotations

import json
from typing import Any

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


@command(name="distance", examples=["sixvec distance arm.urdf", "sixvec distance dog.xml --json"])
@options.robot
@options.as_json
def run(robot: str, floating: bool, trusted: bool, as_json: bool) -> int:
    """List pairs of frames with the gaps between them.

    The gaps are those of collision shapes at the neutral position.  Frames that are not compared are listed with the
    reason: adjacent, always or never touching, or the rules of the file.  The exit status is 1 if shapes overlap there.
    """
    from sixvec.robot import load

    loaded = load(robot, floating=floating, trusted=trusted)
    report = gaps_at_neutral(loaded)
    say(json.dumps(report, indent=2) if as_json else _text(report))
    return Status.FINDINGS if report["pairs"] and report["pairs"][0]["gap"] < 0.0 else Status.FINE


def gaps_at_neutral(robot: Any) -> dict[str, Any]:
    """The pairs of frames with their gaps at the neutral position, the closest first, and omitted pairs."""
    pairs = robot.collision_pairs
    gaps = robot.distances(robot.neutral()).distance.tolist() if len(pairs) else []
    ranked = sorted(zip(gaps, pairs, strict=True))
    return {
        "robot": robot.name,
        "shapes": len(robot.collision_shapes),
        "approximations": [f"{s.name}: {s.approximation}" for s in robot.collision_shapes if s.approximation],
        "pairs": [{"frames": list(names), "gap": gap} for gap, names in ranked],
        "omitted": [{"frames": list(names), "reason": reason} for names, reason in pairs.omitted.items()],
    }


def overlap_at_neutral(robot: Any) -> str:
    """The pair that overlaps most at the neutral position, as a sentence; empty if none does."""
    closest = next(iter(gaps_at_neutral(robot)["pairs"]), None)
    if closest is None or closest["gap"] >= 0.0:
        return ""
    first, second = closest["frames"]
    return f"at the neutral position {first} and {second} overlap by {1e3 * -closest['gap']:.3g} mm"


def _text(report: dict[str, Any]) -> str:
    lines = [f"{report['robot']}: {report['shapes']} collision shapes"]
    lines += [f"  {note}" for note in report["approximations"]]
    lines.append(f"Pairs that are compared: {len(report['pairs'])}; gaps at the neutral position:")
    lines += [f"  {p['gap']:10.4f} m  {p['frames'][0]} and {p['frames'][1]}" for p in report["pairs"]]
    lines.append(f"Pairs that are not compared: {len(report['omitted'])}")
    lines += [f"  {p['reason']:>10}    {p['frames'][0]} and {p['frames'][1]}" for p in report["omitted"]]
    return "\n".join(lines)
