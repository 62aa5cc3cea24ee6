"""Linear maps with some coordinates of both sides given; the others are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError, unknown
from sixvec.model.coordinate_names import joint_slices
from sixvec.robot import Robot
from sixvec.solve.decomposition import inverse_of_rank, times
from sixvec.tolerances import EQUAL, RANK
from sixvec.verdict import Verdict, Verdicts, tally, verdicts

TERM = 1e-3
"""Component of a unit direction below which a coordinate is not named."""


class Given(NamedTuple):
    """Some coordinates of a vector: their indices, and the vector (..., n) with zeros for the others."""

    at: list[int]
    values: Array


class Completion(Result):
    """The completed vectors; true if every sample is solved."""

    verdict: Verdicts

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __str__(self) -> str:
        return tally(self.verdict)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


@dataclass(frozen=True, eq=False)
class Completed(Result):
    """All of x and of y = A x, the residual of the given values, and the remaining freedom."""

    x: Array
    y: Array
    error: Array
    undetermined: NDArray[np.int_]
    verdict: Verdicts

    @property
    def judgement(self) -> dict[str, Any]:
        return {"residual": self.error, "undetermined": self.undetermined, "verdict": self.verdict}


def given_joints(robot: Robot, joints: Mapping[str, ArrayLike], of: Literal["q", "v"]) -> Given:
    """Positions or rates of some joints, under their names; one number per coordinate, after any batch axes."""
    at_joint = joint_slices(robot.model, of)
    parts: dict[str, tuple[slice, Array]] = {}
    for name, value in joints.items():
        if name not in at_joint:
            raise ArgumentError(unknown("joint", name, robot.joint_names, robot.name))
        at, number = at_joint[name], real_array(f'joint "{name}"', value)
        width = at.stop - at.start
        if width == 1 and number.shape[-1:] != (1,):
            number = number[..., None]
        elif number.ndim == 0 and of == "v":
            number = np.broadcast_to(number, (width,))
        require_shape(f'joint "{name}"', number, width, why="its coordinates" if of == "q" else "its freedoms")
        parts[name] = at, number
    batch = common_batch("joints", [x.shape[:-1] for _, x in parts.values()], list(parts))
    values = np.zeros((*batch, robot.nq if of == "q" else robot.nv))
    for at, number in parts.values():
        values[..., at] = number
    return Given(sorted(i for at, _ in parts.values() for i in range(at.start, at.stop)), values)


def given_components(task: Mapping[str, ArrayLike], names: Sequence[str]) -> Given:
    """Some of the named components, a number each, with any batch axes."""
    for name in task:
        if name not in names:
            raise ArgumentError(unknown("component", name, names))
    parts = {name: real_array(name, value) for name, value in task.items()}
    batch = common_batch("components", [value.shape for value in parts.values()], list(parts))
    values = np.zeros((*batch, len(names)))
    for name, value in parts.items():
        values[..., names.index(name)] = value
    return Given(sorted(names.index(name) for name in task), values)


def complete(
    A: Array, x: Given, y: Given, closed: Array | None = None, rate: Array | None = None, spare: ArrayLike = 0
) -> Completed:
    """All of x and y = A x from some of both, while C x = c (`closed`, `rate`) holds with priority.

    The open part of x is the smallest least-squares solution; `spare` open coordinates have no effect and do not count.
    Ranks are judged by the size of the whole map: if the remaining part is rounding, its inverse would be
    meaningless.
    """
    C = np.zeros((0, A.shape[-1])) if closed is None else closed
    c = np.zeros(C.shape[:-1]) if rate is None else rate
    leads = {"the map": A.shape[:-2], "the joints": x.values.shape[:-1], "the components": y.values.shape[:-1]}
    leads["the loops"] = np.broadcast_shapes(C.shape[:-2], c.shape[:-1])
    batch = common_batch("hybrid map", list(leads.values()), list(leads))
    open_x = [i for i in range(A.shape[-1]) if i not in x.at]
    values = np.broadcast_to(x.values, (*batch, A.shape[-1])).copy()
    values[..., open_x] = 0.0
    prescribed = np.broadcast_to(y.values, (*batch, A.shape[-2]))
    B, C_open = A[..., y.at, :][..., open_x], C[..., open_x]
    with np.errstate(invalid="ignore"):  # infinity times zero, in a sample that is not finite anyway
        loop_inverse, loop_rank = inverse_of_rank(C_open, np.linalg.norm(C, axis=(-2, -1)))
        values[..., open_x] = times(loop_inverse, c - times(C, values))
        still = np.eye(len(open_x)) - loop_inverse @ C_open
        inverse, rank = inverse_of_rank(B @ still, np.linalg.norm(A, axis=(-2, -1)))
        values[..., open_x] += times(inverse, prescribed[..., y.at] - times(A[..., y.at, :], values))
        image = times(A, values)
        missed = np.concatenate([(image - prescribed)[..., y.at], times(C, values) - c], axis=-1)
    error = np.abs(missed).max(axis=-1, initial=0.0)
    scale = np.maximum(np.abs(image).max(axis=-1, initial=0.0), np.abs(prescribed).max(axis=-1, initial=0.0))
    missing = len(open_x) - loop_rank - np.asarray(spare)
    judged = verdict(missing, len(y.at), rank, error <= EQUAL * np.maximum(scale, np.abs(c).max(axis=-1, initial=0.0)))
    finite = np.isfinite(error) & np.isfinite(values).all(axis=-1)
    judged = verdicts(np.where(finite, judged, Verdict.INVALID))
    return Completed(values, image, error, np.broadcast_to(missing - rank, batch), judged)


def verdict(missing: ArrayLike, rows: int, rank: ArrayLike, met: ArrayLike) -> Verdicts:
    """The verdict for `rows` given coordinates and `missing` freedoms, whose map has this rank.

    >>> tally(verdict(3, 2, 2, True)), tally(verdict(2, 3, 2, False)), tally(verdict(2, 2, 1, True))
    ('underdetermined', 'contradictory', 'singular')
    """
    missing, rank, met = np.asarray(missing), np.asarray(rank), np.asarray(met)
    full = np.where(met, np.where(missing > rank, Verdict.UNDERDETERMINED, Verdict.SOLVED), Verdict.CONTRADICTORY)
    return verdicts(np.where(rank < np.minimum(missing, rows), Verdict.SINGULAR, full))


def require_determined(result: Completed, what: str, B: Array, freedoms: Sequence[str], rows: Sequence[str]) -> None:
    """A DegenerateError unless the solution exists and is unique; it names the first bad sample and the reason.

    B (..., rows, freedoms) is the map from unknowns to given values.
    """
    bad = np.argwhere(result.verdict != Verdict.SOLVED)
    if not len(bad):
        return
    at = tuple(int(i) for i in bad[0])
    word, error = Verdict(int(result.verdict[at])), float(result.error[at])
    who = f"{what}, sample {list(at)}" if at else what
    has = f"{len(freedoms)} open ({', '.join(freedoms)}), {len(rows)} given ({', '.join(rows)})"
    if word == Verdict.UNDERDETERMINED:
        raise DegenerateError(f"{who}: too few are given: {has}; give {result.undetermined[at]} more, or strict=False")
    if word == Verdict.CONTRADICTORY:
        raise DegenerateError(f"{who}: too many are given: {has}; they contradict each other by {error:.3g}")
    if word == Verdict.SINGULAR:
        lost, free = _null_spaces(np.broadcast_to(B, (*result.verdict.shape, *B.shape[-2:]))[at])
        effect = "; ".join(_combination(u, rows) for u in lost) or "nothing less"
        unseen = "; ".join(_combination(v, freedoms) for v in free) or "nothing"
        raise DegenerateError(
            f"{who}: a singular split: {has}; at this position what is open has no effect on {effect}, and {unseen} is "
            f"left free.  Give others, or move away"
        )
    raise DegenerateError(f"{who}: {word}: {has}; what is given is missed by {error:.3g}")


def _null_spaces(B: Array) -> tuple[Array, Array]:
    """Rows of directions: those outside the range of B, and those in its null space."""
    U, values, Vt = np.linalg.svd(B)
    rank = int((values > RANK * max(float(values.max(initial=0.0)), EQUAL)).sum())
    return U[:, rank:].T, Vt[rank:]


def _combination(direction: Array, names: Sequence[str]) -> str:
    """A direction as text: the sum of its larger terms."""
    terms = [f"{x:+.3g} {name}" for x, name in zip(direction, names, strict=True) if abs(x) > TERM]
    return " ".join(terms).lstrip("+")
