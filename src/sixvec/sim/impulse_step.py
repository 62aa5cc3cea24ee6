"""A time step with contacts as stages of compiled code: terms, sweeps until they agree, and the motion.

After Moreau, velocities jump and positions follow: the impulses p of a step satisfy Coulomb's law and complementarity
with the velocities at its end (`sixvec.sim.impulse_problem`), and positions move with these velocities.  Overlaps, from
the start or due to curved surfaces and finite steps, are corrected in positions only, by a fifth in each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.parts.factorization import Factors
from sixvec.constraints.contacts.block_sweeps import TINY, BlockTerms, misfit, sweep
from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, guard, is_zero, where
from sixvec.sim.fixed_axes import body_velocities, fixed_rates, moved
from sixvec.sim.impulse_problem import ImpulseProblem, StepTerms
from sixvec.sim.mass_centres import at_centres, at_origins, positions_at
from sixvec.spatial import Vec3

OVERLAP_FRACTION = 0.2
"""Fraction of an overlap corrected in each step."""

LIFTING_SWEEPS = 2

UNKNOWN = 1e30
"""The misfit before the first sweep."""


@dataclass(frozen=True)
class ImpulseStep:
    """One step of (q, v, p, worst) with the inputs dt, tolerance and controls; p are the impulses of all rows.

    `worst` is the largest residual of all steps.  `most` is the number of sweeps after which a step ends unsolved.
    """

    problem: ImpulseProblem
    most: int
    identity: str

    @property
    def size(self) -> int:
        """The number of impulses."""
        return sum(b.rows for b in self.problem.blocks)

    @property
    def controls(self) -> int:
        p = self.problem
        return len(p.actuators) if p.actuators else p.model.nv

    def staged(self) -> Staged:
        problem, model, m = self.problem, self.problem.model, self.size
        blocks = problem.blocks
        state = (Port("q", (model.nq,)), Port("v", (model.nv,)), Port("p", (m,)), Port("worst", ()))
        inputs = (Port("dt", ()), Port("tolerance", ()), Port("friction", ()), Port("u", (self.controls,)))
        pattern: list[Factors] = []

        def contact_terms(q: Any, v: Any, p: Any, dt: Any, friction: Any, u: Any) -> Any:
            t = problem.terms(q, v, u, dt, friction)
            pattern[:] = [t.factors]
            w = list(t.w)
            for entries, impulses in zip(t.blocks, _split(blocks, p, "rows"), strict=True):
                for z, x in zip(entries.rows, impulses, strict=True):
                    for k, y in zip(entries.block.columns, z, strict=True):
                        w[k] = w[k] + y * x
            flat = [[x for entries in part for x in entries] for part in _parts(t)]
            gaps = t.gaps or [0.0]
            centre = [x for c in t.centres for x in c] or [0.0]
            return [w, *flat, t.factors.lower or [0.0], t.roots, gaps, centre, UNKNOWN]

        z, numbers, own = (sum(sizes) for sizes in zip(
            *((b.rows * len(b.columns), b.numbers, b.mobilities) for b in blocks), strict=True))  # fmt: skip
        lower = len(_lower(problem))
        n = len(blocks) - len(problem.rubbing)
        terms = (
            Port("w", (model.nv,)), Port("z", (z,)), Port("laws", (numbers,)), Port("own", (own,)),
            Port("lower", (max(1, lower),)), Port("roots", (model.nv,)), Port("gap", (max(1, n),)),
            Port("centres", (max(1, 3 * len(problem.carriers)),)), Port("unknown", ()),
        )  # fmt: skip

        def contact_sweep(w: Any, p: Any, largest: Any, z: Any, laws: Any, own: Any, tolerance: Any) -> Any:
            on = where(largest > tolerance, 1.0, 0.0)
            w, p = list(w), list(p)
            change = sweep(_joined(blocks, z, laws, own), w, p, on)
            change = where(on > 0.5, change, largest)
            return w, p, change, change - tolerance

        def contact_motion(
            q: Any, v: Any, p: Any, w: Any, z: Any, laws: Any, own: Any, lower: Any, roots: Any, gap: Any, centres: Any,
            found: Any, worst: Any, dt: Any,
        ) -> Any:  # fmt: skip
            factors = Factors.of_entries(pattern[0], lower)
            given = _joined(blocks, z, laws, own)
            residual = misfit(given, w, found)
            lift = _lift(given, gap, len(w))
            about = problem.about([Vec3.of(centres[3 * k : 3 * k + 3]) for k in range(len(problem.carriers))])
            q1, v1 = _moved(problem.tree, q, dt, factors.unwhitened(w, roots), factors.unwhitened(lift, roots), about)
            worst = where(residual > worst, residual, where(residual < UNKNOWN, worst, residual))
            return q1, v1, found, worst, q1, v1, found, residual

        first = CompiledFunction(contact_terms, (*state[:3], inputs[0], *inputs[2:]), terms, f"{self.identity} terms")
        _ = first.program  # known zeros of the factors
        by_name = {p.name: p for p in (*terms, *state, *inputs)}
        rounds = (Port("w", (model.nv,)), state[2], Port("unknown", ()))
        given = tuple(by_name[k] for k in ("z", "laws", "own", "tolerance"))
        round_ = CompiledFunction(
            contact_sweep, (*rounds, *given), (*rounds, Port("go_on", ())), f"{self.identity} sweep"
        )
        names = ("q", "v", "p", "w", "z", "laws", "own", "lower", "roots", "gap", "centres")
        moving = (*(by_name[k] for k in names), Port("found", (m,)), by_name["worst"], by_name["dt"])
        results = (*state, Port("q_step", (model.nq,)), Port("v_step", (model.nv,)), Port("p_step", (m,)),
                   Port("residual", ()))  # fmt: skip
        last = CompiledFunction(contact_motion, moving, results, f"{self.identity} motion")
        stages = [
            Stage(first, ("q", "v", "p", "dt", "friction", "u"), tuple(p.name for p in terms)),
            Stage(
                Iterated(round_, self.most, 3, until=True),
                ("w", "p", "unknown", "z", "laws", "own", "tolerance"),
                ("w_found", "found", "change"),
            ),
            Stage(
                last,
                ("q", "v", "p", "w_found", *names[4:], "found", "worst", "dt"),
                ("q_next", "v_next", "p_next", "worst_next", "q_step", "v_step", "p_step", "residual"),
            ),
        ]
        ends = (Port("q_next", (model.nq,)), Port("v_next", (model.nv,)), Port("p_next", (m,)), Port("worst_next", ()))
        outputs = (*ends, *results[4:], by_name["gap"])
        return Staged("contact_step", (*state, *inputs), outputs, stages)


def _lower(problem: ImpulseProblem) -> list[Any]:
    """The entries of L, to count them: from a mass matrix of numbers."""
    from sixvec.algorithms.mass_matrix import mass_matrix
    from sixvec.algorithms.parts.sparsity import tree_order
    from sixvec.compiler.program import trace

    counted: list[Any] = []

    def run(q: Any) -> Any:
        factors = Factors([list(row) for row in mass_matrix(problem.tree, q)], tree_order(problem.tree))
        counted[:] = factors.lower
        return [(Port("x", (1,)), [0.0])]

    trace("counted", (Port("q", (problem.model.nq,)),), run)
    return counted


def _parts(t: StepTerms) -> list[list[list[Any]]]:
    """Entries of rows, laws and mobilities of all blocks."""
    return [
        [[x for z in b.rows for x in z] for b in t.blocks],
        [list(b.law) for b in t.blocks],
        [list(b.mobility) for b in t.blocks],
    ]


def _split(blocks: Sequence[Any], x: Sequence[Any], what: str) -> list[Sequence[Any]]:
    ends, parts = 0, []
    for b in blocks:
        size = getattr(b, what)
        parts.append(x[ends : ends + size])
        ends += size
    return parts


def _joined(blocks: Sequence[Any], z: Sequence[Any], laws: Sequence[Any], own: Sequence[Any]) -> list[BlockTerms]:
    at, terms = 0, []
    for b, law, mobility in zip(blocks, _split(blocks, laws, "numbers"), _split(blocks, own, "mobilities"), strict=True):
        n = len(b.columns)
        rows = [list(z[at + k * n : at + (k + 1) * n]) for k in range(b.rows)]
        at += b.rows * n
        terms.append(BlockTerms(b, rows, list(law), list(mobility)))
    return terms


def _lift(terms: Sequence[BlockTerms], gaps: Sequence[Any], n: int) -> list[Any]:
    """The whitened motion that corrects part of the overlaps, by sweeps along normals."""
    w: list[Any] = [0.0] * n
    pushed: list[Any] = [0.0] * len(gaps)
    for _ in range(LIFTING_SWEEPS):
        for k, t in enumerate(terms[: len(gaps)]):
            if t.block.kind != "contact":
                continue
            deep = gaps[k] < 0.0
            columns, z = t.block.columns, t.rows[0]
            reached = sum((a * w[i] for a, i in zip(z, columns, strict=True) if not is_zero(w[i])), 0.0)
            new = pushed[k] - (reached + OVERLAP_FRACTION * gaps[k]) / (t.mobility[0] + TINY)
            new = where(new > 0.0, new, 0.0)
            change = new - pushed[k]
            ahead = [w[i] + a * change for a, i in zip(z, columns, strict=True)]
            pushed[k], ahead = guard(deep, [new, ahead], [pushed[k], [w[i] for i in columns]])
            for i, x in zip(columns, ahead, strict=True):
                w[i] = x
    return w


def _moved(tree: Any, q: Any, dt: Scalar, v: Any, lift: Any, about: Any) -> tuple[Any, Any]:
    """Positions and velocities at the end of the step: centres of mass of free joints move straight."""
    rates, up = (fixed_rates(tree, q, at_centres(tree, x, about)) for x in (v, lift))
    step = [dt * x + y for x, y in zip(rates, up, strict=True)]
    q1 = positions_at(tree, moved(tree, positions_at(tree, q, about, 1.0), step), about, -1.0)
    return q1, at_origins(tree, body_velocities(tree, q1, rates), about)
