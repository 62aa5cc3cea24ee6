"""A time step with contacts as stages of compiled code: terms, sweeps until they agree, and the motion.

After Moreau, velocities jump and positions follow: the impulses p of a step satisfy Coulomb's law and complementarity
with the velocities at its end (`sixvec.sim.impulse_problem`), and positions move with these velocities.  Overlaps, from
the start or due to curved surfaces and finite steps, are corrected in positions only, by a fifth in each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.constraints.contacts.block_sweeps import BlockTerms, misfit
from sixvec.constraints.contacts.rounds import UNKNOWN, newton_round, sweep_round
from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.scalar import guard, where
from sixvec.sim.actuators import is_dynamic
from sixvec.sim.cone_stage import CONES, MOST_CONES, cone_stage
from sixvec.sim.contact_lists import ContactLists, suits_lists
from sixvec.sim.control import TracedLaw
from sixvec.sim.energy_balance import NUMBERS
from sixvec.sim.impulse_motion import advanced, stop_normals, without_gain
from sixvec.sim.impulse_problem import ImpulseProblem, StepTerms
from sixvec.sim.list_solver import ListSolver
from sixvec.sim.list_visits import Stages
from sixvec.sim.step_arrays import joined, lower_entries, parts, split
from sixvec.sim.step_options import WRENCH
from sixvec.sim.touch_down import places_size, rows_at
from sixvec.spatial import Vec3
from sixvec.spatial.norm import larger_or_nan, largest_size

FAILED = 1e35
"""The residual of a step that would lead to a state that is not finite; single precision holds it."""

LARGEST_SQUARE = 1e30
"""Of a state that counts as finite: the sum of squares of all coordinates."""


MOST_NEWTON, MOST_OF_FINE = 20, 40
"""Rounds of Newton's method after the sweeps, for samples that these do not solve."""

SWEEPS_BETWEEN = 2
"""Sweeps between steps of Newton's method in fine steps."""

FAR = 1e3
"""The gap of a point that no joint moves."""

VARYING = ("friction", "gravity", "gain")
"""What may differ between the environments of a batch: a factor of all friction coefficients, the acceleration of free
fall, and a factor of each actuator's force."""


class ImpulseStep:
    """One step of (q, v, p, worst), with the inputs dt, tolerance, those of `varying`, wrenches, and the controls.

    A control law, if there is one, computes joint forces from (q, v, u) at the start of the step.  p are the impulses
    of all rows and `worst` is the largest residual so far.  Actuators with activations have one more state, and so have
    frames that are held: their places; what is held has flags for each step as the last input.  `most` is
    the number of sweeps after which Newton's method begins.  `wrenches` are the frames with constant external wrenches,
    and those with one for each step: inputs before and after the controls.  `fine` steps and those with loops and
    wheels are computed in double precision.  A state that would not be finite is held, with the residual FAILED.
    """

    def __init__(
        self,
        problem: ImpulseProblem,
        most: int,
        varying: Sequence[str] = (),
        law: TracedLaw | None = None,
        width: int = 0,
        wrenches: tuple[Sequence[str], Sequence[str]] = ((), ()),
        fine: bool = False,
    ) -> None:
        self.problem, self.most, self.varying, self.law = problem, most, tuple(varying), law
        self.frames = (*wrenches[0], *wrenches[1])
        self.identity = f"{problem.identity} {most} {self.varying} {law} {wrenches}"
        self.fine = fine
        model, self.blocks = problem.model, problem.blocks
        self.size = sum(b.rows for b in self.blocks)
        self.lists = self._lists()
        self.identity += " lists" if self.lists else ""
        self.single = self.blocks[len(self.lists.blocks) if self.lists else 0 :]
        """The blocks whose terms are written out: all but those in lists."""
        self.none = [0.0] * sum(b.rows for b in self.single)
        self.controls = len(problem.actuators) if problem.actuators else model.nv
        self.given = self.controls if law is None else width
        self.dynamic = is_dynamic(problem.actuators)
        self.state = (
            Port("q", (model.nq,)), Port("v", (model.nv,)), Port("p", (self.size,)), Port("worst", ()),
            *((Port("activation", (self.controls,)),) if self.dynamic else ()),
            *((Port("places", (places_size(problem.binding),)),) if problem.binding.flags else ()),
        )  # fmt: skip
        shapes: dict[str, tuple[int, ...]] = {"friction": (), "gravity": (3,), "gain": (self.controls,)}
        self.kept = tuple(Port(name, shapes[name]) for name in VARYING if name in self.varying)
        if problem.parameters:
            self.kept = (*self.kept, Port("parameters", (problem.parameters.count,)))
        held, changing = ([Port(f"external[{name}]", (WRENCH,)) for name in names] for names in wrenches)
        self.flags = (Port("held", (problem.binding.flags,)),) if problem.binding.flags else ()
        self.each = 1 + len(changing) + len(self.flags)
        self.applied = (*held, Port("u", (self.given,)), *changing, *self.flags)
        self.inputs = (Port("dt", ()), Port("tolerance", ()), *self.kept, *self.applied)
        self.force = Port("force", (sum(width for _, width in problem.layout.places),))
        self.gap = Port("gap", (problem.layout.count_of_gaps,))

    def _lists(self) -> ContactLists | None:
        problem = self.problem
        near = self.blocks[: len(problem.layout.points)]
        if not suits_lists(problem):
            return None
        return ContactLists(near, sum(b.rows for b in self.blocks[len(near) :]))

    @lazy
    def _terms(self) -> CompiledFunction:
        problem, blocks, model = self.problem, self.single, self.problem.model
        self._pattern: list[Factors] = []

        def contact_terms(q: Any, v: Any, p: Any, dt: Any, *more: Any) -> Any:
            given = dict(zip([p.name for p in (*self.state[4:], *self.kept)], more, strict=False))
            activation = given.pop("activation", None)
            u, external = self._acting(q, v, more[-len(self.applied) :])
            later = problem.later(u, activation, dt) if self.dynamic else None
            if self.flags:
                given["flags"] = more[-1]
            given["unread"] = self.lists is not None
            t = problem.terms(q, v, u, dt, activation=activation, later=later, external=external, **given)
            self._pattern[:] = [t.factors]
            w, single = list(t.w), t.blocks[len(problem.blocks) - len(blocks) :]
            for entries, impulses in zip(single, split(blocks, p[self.size - len(self.none) :], "rows"), strict=True):
                for z, x in zip(entries.rows, impulses, strict=True):
                    for k, y in zip(entries.block.columns, z, strict=True):
                        w[k] = w[k] + y * x
            flat = [[x for entries in part for x in entries] for part in parts(single)]
            centre = [x for c in t.centres for x in c] or [0.0]
            return [
                w,
                t.w,
                t.free
                if problem.jointed or problem.driven
                else [0.0] * model.nv,  # NaN in inputs that are not used would spread
                t.balance,
                *flat,
                t.factors.lower or [0.0],
                t.roots,
                t.gaps or [0.0],
                centre,
                UNKNOWN,
                1.0,
                self.none,
                *([[0.0] * len(blocks)] if problem.stacks else []),
                *([largest_size(t.missed)] if problem.is_bound else []),
                *([t.mean] if problem.bounces else []),
                *([later] if later else []),
                *([t.places] if self.flags else []),
                *(self.lists.written(t, p) if self.lists else []),
            ]

        z, numbers, own = (sum(sizes) for sizes in zip(
            (0, 0, 0), *((b.rows * len(b.columns), b.numbers, b.mobilities) for b in blocks), strict=True))  # fmt: skip
        outputs = (
            Port("w", (model.nv,)), Port("free", (model.nv,)),
            Port("free_v", (model.nv,)), Port("balance", (NUMBERS * len(problem.jointed) + 1 + model.nv,)),
            Port("z", (z,)), Port("laws", (numbers,)), Port("own", (own,)),
            Port("lower", (max(1, len(lower_entries(problem))),)), Port("roots", (model.nv,)),
            Port("gaps", (max(1, len(problem.blocks) - len(problem.rubbing)),)),
            Port("centres", (max(1, 3 * len(problem.carriers)),)), Port("unknown", ()), Port("whole", ()),
            Port("none", (len(self.none),)),
            *((Port("unshifted", (len(blocks),)),) if problem.stacks else ()),
            *((Port("missed", ()),) if problem.is_bound else ()),
            *((Port("mean", (model.nv,)),) if problem.bounces else ()),
            *((Port("later", (self.controls,)),) if self.dynamic else ()),
            *((Port("here", self.state[-1].shape),) if self.flags else ()),
            *(self.lists.ports if self.lists else ()),
        )  # fmt: skip
        inputs = (*self.state[:3], self.inputs[0], *self.state[4:], *self.kept, *self.applied)
        made = self._compiled(contact_terms, inputs, outputs, "terms")
        _ = made.program  # the zeros of the factors are known from here on
        return made

    def _acting(self, q: Any, v: Any, applied: Sequence[Any]) -> tuple[Any, dict[str, Any]]:
        """Controls or joint forces, and external wrenches, from the inputs of a step."""
        controls, end = len(applied) - self.each, len(applied) - len(self.flags)
        u, wrenches = applied[controls], (*applied[:controls], *applied[controls + 1 : end])
        return u if self.law is None else self.law(q, v, u), dict(zip(self.frames, wrenches, strict=True))

    def _sweep(self, ports: dict[str, Port]) -> CompiledFunction:
        """A sweep from a point ahead of the last one."""

        def contact_sweep(
            w: Any, p: Any, largest: Any, w_before: Any, p_before: Any, w_change: Any, ahead: Any,
            z: Any, laws: Any, own: Any, tolerance: Any,
        ) -> Any:  # fmt: skip
            terms = joined(self.blocks, z, laws, own)
            state = sweep_round(terms, w, p, largest, w_before, p_before, w_change, ahead, tolerance)
            return *state, state[2] - tolerance

        nv = self.problem.model.nv
        state = (
            ports["w"], ports["p"], ports["unknown"],
            Port("w_before", (nv,)), Port("p_before", (self.size,)), Port("w_change", (nv,)), Port("ahead", ()),
        )  # fmt: skip
        inputs = (*state, *(ports[k] for k in ("z", "laws", "own", "tolerance")))
        return self._compiled(contact_sweep, inputs, (*state, Port("go_on", ())), "sweep")

    def _newton(self, ports: dict[str, Port]) -> CompiledFunction:
        """A round of Newton's method and sweeps, for the samples that sweeps alone did not solve."""
        order = tree_order(self.problem.tree)

        def contact_newton(w: Any, p: Any, largest: Any, part: Any, z: Any, laws: Any, own: Any, tolerance: Any) -> Any:
            terms = joined(self.blocks, z, laws, own)
            count = SWEEPS_BETWEEN if self.fine else 1
            state = newton_round(terms, w, p, largest, part, order, tolerance, count)
            return *state, state[2] - tolerance

        state = (ports["w"], ports["p"], ports["unknown"], Port("part", ()))
        inputs = (*state, *(ports[k] for k in ("z", "laws", "own", "tolerance")))
        return self._compiled(contact_newton, inputs, (*state, Port("go_on", ())), "newton")

    def _cones(self, ports: dict[str, Port]) -> CompiledFunction:
        """A round of the convex method, for the samples that Newton's method did not solve."""
        function, state, inputs = cone_stage(self.blocks, tree_order(self.problem.tree), joined, ports)
        return self._compiled(function, inputs, (*state, Port("go_on", ())), "cones")

    def _motion(self, ports: dict[str, Port], path: bool, impulses: bool) -> CompiledFunction:
        problem = self.problem

        def contact_motion(*values: Any) -> Any:
            x = dict(zip(names, values, strict=True))
            q, v, w, found, free, mean, dt = (x[k] for k in ("q", "v", "w", "found", "free", "mean", "dt"))
            factors = Factors.of_entries(self._pattern[0], x["lower"])
            blocks: list[BlockTerms] = []
            if self.lists:
                residual, found = x["residual"], [*found, *x["found_single"]]
            else:
                blocks = joined(self.blocks, x["z"], x["laws"], x["own"])
                w, found, residual = _best(blocks, w, found, x)
            solution = found
            if self.blocks:
                w, found = without_gain(free, mean, w, found, [x for t in blocks for x in t.shifts])
            residual = larger_or_nan(residual, x["missed"]) if problem.is_bound else residual
            tree = problem.tree_of(x.get("parameters"))
            rows = problem.rows_of(tree)
            if self.flags:
                rows = rows_at(tree, problem.binding, x["held"], x["here"])
            moving = [Vec3.of(x["centres"][3 * k : 3 * k + 3]) for k in range(len(problem.carriers))]
            gaps, balance, roots = x["gaps"], x["balance"], x["roots"]
            terms = StepTerms(free, factors, roots, blocks, gaps, moving, x["free_v"], balance, mean, rows)
            q1, v1 = advanced(problem, tree, terms, q, dt, w, x.get("lifted"))
            square: Any = 0.0
            for y in (*v1, *q1):
                square = square + y * y
            fine = where(square < LARGEST_SQUARE, where(residual < UNKNOWN, 1.0, 0.0), 0.0) > 0.5
            residual = where(fine, residual, FAILED)
            q1, v1 = ([where(fine, a, b) for a, b in zip(new, old, strict=True)] for new, old in ((q1, q), (v1, v)))
            p1 = [where(fine, y, 0.0) for y in found]
            state = [q1, v1, p1, where(residual > x["worst"], residual, x["worst"])]
            if self.dynamic:
                state.append([where(fine, a, b) for a, b in zip(x["later"], x["activation"], strict=True)])
            if self.flags:
                state.append([where(fine, a, b) for a, b in zip(x["here"], x["places"], strict=True)])
            if not path:
                return state
            force, gap = problem.layout.placed(p1, gaps, FAR)
            laws_solved = [where(fine, y, 0.0) for y in solution]
            return *state, q1, v1, [y / dt for y in force], gap, residual, *([laws_solved] if impulses else ())

        names: tuple[str, ...] = (
            "q", "v", "p", "w", "lower", "roots", "gaps", "centres", "found", "free", "mean", "free_v", "balance",
            "worst", "dt",
        )  # fmt: skip
        candidates = ("z", "laws", "own", "w_swept", "swept", "w_again", "again", "tolerance")
        names += ("found_single", "residual", "lifted") if self.lists else candidates
        names = (*names, *(("missed",) * problem.is_bound), *(("later", "activation") * self.dynamic))
        names = (*names, *(("here", "places", "held") * len(self.flags)))
        names = (*names, *(("parameters",) * bool(problem.parameters)))
        inputs = tuple(ports[k] for k in names)
        results = (*self.state, *self._path(impulses)) if path else self.state
        return self._compiled(contact_motion, inputs, results, f"motion {path} {impulses}")

    def _compiled(self, function: Any, inputs: Sequence[Port], outputs: Sequence[Port], name: str) -> CompiledFunction:
        compiled = CompiledFunction(function, tuple(inputs), tuple(outputs), f"{self.identity} {name}")
        compiled.needs_double = self.fine or self.problem.closed
        return compiled

    def _path(self, impulses: bool) -> tuple[Port, ...]:
        """What a path keeps of each step."""
        nq, nv = self.problem.model.nq, self.problem.model.nv
        kept = Port("q_step", (nq,)), Port("v_step", (nv,)), self.force, self.gap, Port("residual", ())
        return (*kept, Port("p_step", (self.size,))) if impulses else kept

    def staged(self, path: bool, impulses: bool = False) -> Staged:
        """The step; with `path` it also returns state, forces (N), gaps and residual of each step.

        With `impulses` these are followed by the solution of the laws: the impulses of all rows.
        """
        if self.lists:
            return self._staged_lists(path, impulses)
        terms = self._terms
        ports = {p.name: p for p in (*self.inputs, *self.state, *terms.outputs)} | {
            "found": Port("found", (self.size,)),
            "swept": Port("swept", (self.size,)),
            "w_swept": Port("w_swept", (self.problem.model.nv,)),
            "again": Port("again", (self.size,)),
            "w_again": Port("w_again", (self.problem.model.nv,)),
            "w_found": Port("w_found", (self.problem.model.nv,)),
            "last": Port("last", ()),
        }
        ports.setdefault("mean", Port("mean", (self.problem.model.nv,)))
        motion = self._motion(ports, path, impulses)
        kept = self._path(impulses) if path else ()
        ahead = (*(f"{p.name}_next" for p in self.state), *(p.name for p in kept))
        names = {"w": "w_found"} if self.size else {}
        stages = [Stage(terms, tuple(p.name for p in terms.inputs), tuple(p.name for p in terms.outputs))]
        if self.size:
            loop = Iterated(self._sweep(ports), self.most, 7, until=True)
            constant = ("z", "laws", "own", "tolerance")
            start = ("w", "p", "unknown", "w", "p", "w", "unknown")
            swept = ("w_swept", "swept", "change", "w_before", "p_before", "w_change", "ahead")
            stages.append(Stage(loop, (*start, *constant), swept))
            most = MOST_OF_FINE if self.fine else MOST_NEWTON
            rounds = Iterated(self._newton(ports), most, 4, until=True)
            first = ("w_swept", "swept", "change", "whole", *constant)
            stages.append(Stage(rounds, first, ("w_found", "found", "last", "part")))
            restarted: tuple[str, ...] = ("free", "none", "last", "whole", *constant)
            if self.problem.stacks:
                cones = Iterated(self._cones(ports), MOST_CONES, 7, until=True)
                stages.append(Stage(cones, (*CONES[0], *constant), CONES[1]))
                restarted = ("w_best", "best", "least", "whole", *constant)
            stages.append(Stage(rounds, restarted, ("w_again", "again", "last_again", "part_again")))
        else:
            names = {"found": "p", "swept": "p", "again": "p"}
            # not used, and NaN in inputs that are not used would spread
            names |= dict.fromkeys(("w_swept", "w_again", "free", "mean"), "roots")
        if not self.problem.bounces:
            names.setdefault("mean", "free")
        stages.append(Stage(motion, tuple(names.get(p.name, p.name) for p in motion.inputs), ahead))
        outputs = (*(Port(f"{p.name}_next", p.shape) for p in self.state), *kept)
        name = f"contact_step{'_path' if path else ''}{'_impulses' if impulses else ''}"
        return Staged(name, (*self.state, *self.inputs), outputs, stages, self.identity)

    def _staged_lists(self, path: bool, impulses: bool) -> Staged:
        """The same, with contacts in lists."""
        assert self.lists
        newton = MOST_OF_FINE if self.fine else MOST_NEWTON, SWEEPS_BETWEEN if self.fine else 1
        solver = ListSolver(self.problem, self.lists, self.single, (self.most, *newton), self._compiled, joined)
        to, terms = Stages((*self.inputs, *self.state)), self._terms
        to.add(terms, [p.name for p in terms.inputs], [p.name for p in terms.outputs])
        names = solver.solution(to)
        if not self.problem.bounces:
            names["mean"] = "free"
        names["lifted"] = solver.lifted(to, partial(stop_normals, self.problem))
        known = {n: Port(n, to.ports[x].shape) for n, x in names.items()}
        motion, kept = self._motion(to.ports | known, path, impulses), self._path(impulses) if path else ()
        ahead = [*(f"{p.name}_next" for p in self.state), *(p.name for p in kept)]
        to.add(motion, [names.get(p.name, p.name) for p in motion.inputs], ahead)
        outputs = (*(Port(f"{p.name}_next", p.shape) for p in self.state), *kept)
        name = f"contact_step{'_path' if path else ''}{'_impulses' if impulses else ''}"
        return Staged(name, (*self.state, *self.inputs), outputs, to.stages, self.identity)


def _best(blocks: Sequence[BlockTerms], w: Any, impulses: Any, others: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Of three candidates the one with the smallest misfit: whitened velocities, impulses and this misfit."""
    if not blocks:
        return w, impulses, 0.0
    residual, tolerance = misfit(blocks, w, impulses), others["tolerance"]
    for name in ("swept", "again"):
        velocities, candidate = others[f"w_{name}"], others[name]
        other = guard(residual > tolerance, misfit(blocks, velocities, candidate), residual)
        better = other < residual
        w, impulses = ([where(better, x, y) for x, y in zip(*lists, strict=True)]
                    for lists in ((velocities, w), (candidate, impulses)))  # fmt: skip
        residual = where(better, other, residual)
    return w, impulses, residual
