"""The solution of the laws of a step whose contacts are in lists (`sixvec.sim.contact_lists`), as stages.

These are the stages of `sixvec.sim.impulse_step`: sweeps, then Newton's method, then the choice of the best.  What they
do with a contact is a short program that visits the entries of a list; stops and joint friction, which are few, are
written out (`singles`).  The laws are the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.constraints.contacts.block_sweeps import BlockTerms, misfit, sweep
from sixvec.constraints.contacts.extrapolation import extrapolated, secant
from sixvec.constraints.contacts.rounds import UNKNOWN
from sixvec.kernels import Iterated, Port
from sixvec.scalar import guard, where
from sixvec.sim.impulse_motion import LIFTING_SWEEPS, pushed_apart
from sixvec.sim.list_newton import ListNewton
from sixvec.sim.list_visits import Stages, ahead, nothing
from sixvec.spatial.norm import larger_or_nan


class ListSolver(ListNewton):
    """Makes the stages of a problem."""

    def solution(self, to: Stages) -> dict[str, str]:
        """Add all stages from the terms to the solution; where `w`, the impulses and the misfit of it are."""
        packing = self.lists.packing
        to.add(self.compiled(nothing, (), [Port("nothing", ())], "nothing"), [], ["none_yet"])
        packed = [x for k in range(self.count) for x in (f"count_{k}", f"entries_{k}", f"p_{k}")]
        to.add(packing.pack, ["needed", "numbers", "p_lists"], packed)
        w = self.started(to, "w")
        twice = [f"p_{k}" for k in range(self.count) for _ in range(2)]
        swept = [x for k in range(self.count) for x in (f"p_swept_{k}", f"p_before_{k}")]
        to.add(
            self.sweeps(), [w, "p_single", "unknown", w, "p_single", w, "unknown", *twice, *self.constants],
            ["w_swept", "ps_swept", "change", "w_before", "ps_before", "w_change", "ahead", *swept],
        )  # fmt: skip
        newton = self.newton()
        rounds = self._rounds(to, "change")
        to.add(
            newton, ["w_swept", "ps_swept", "change", "whole", *self.each("p_swept"), *self.constants, rounds[0]],
            ["w_found", "ps_found", "last", "part", *self.each("p_found")],
        )  # fmt: skip
        rounds = self._rounds(to, "last")
        self._emptied(to, "p_none", rounds[1])
        to.add(
            newton, ["free", "none", "last", "whole", *self.each("p_none"), *self.constants, rounds[0]],
            ["w_again", "ps_again", "last_again", "part_again", *self.each("p_again")],
        )  # fmt: skip
        candidates = [(f"w_{x}", f"ps_{x}", f"p_{x}") for x in ("found", "swept", "again")]
        w, ps, residual = self.best(to, candidates)
        to.add(packing.unpack, ["needed", *self.each("best")], ["p_best"])
        return {"w": w, "found": "p_best", "found_single": ps, "residual": residual}

    def _rounds(self, to: Stages, misfit: str) -> tuple[str, str]:
        """The names of how many rounds of Newton's method samples need, and of the entries to visit for them."""

        def rounds_needed(misfit: Any, tolerance: Any, *counts: Any) -> Any:
            on = where(misfit > tolerance, 1.0, 0.0)
            return on * float(self.most_newton), *(where(on > 0.5, x, 0.0) for x in counts)

        names, ends = [misfit, "tolerance", *self.each("count")], [f"rounds_{misfit}", *self.each(f"of_{misfit}")]
        ports = [Port(n, ()) for n in ("misfit", "tolerance", *self.each("count"))]
        function = self.compiled(
            rounds_needed, ports, [Port(n, ()) for n in ("rounds", *self.each("visited"))], "rounds"
        )
        to.add(function, names, ends)
        return f"rounds_{misfit}", f"of_{misfit}"

    def _emptied(self, to: Stages, name: str, count: str) -> None:
        """No impulses at the entries."""

        def body(nothing: Any, t: BlockTerms, gap: Any) -> Any:
            return nothing, [0.0] * t.block.rows

        self.visit(to, "emptied", body, [("nothing", (), "none_yet")], [], [], [name], count=count)

    # The start ---------------------------------------------------------------------------------------------------

    def started(self, to: Stages, w: str) -> str:
        """The name of w with the impulses of all entries, those of the last step."""

        def body(w: Any, t: BlockTerms, gap: Any, p: Any) -> Any:
            moved = list(w)
            square = p[0] * p[0]
            for z, x in zip(t.rows, p, strict=True):
                square = square + x * x
                for j, y in zip(t.block.columns, z, strict=True):
                    moved[j] = moved[j] + y * x
            return (guard(square > 0.0, moved, list(w)),)

        return self.visit(to, "started", body, [("w", self._w, w)], [], ["p"])[0]

    # Sweeps ------------------------------------------------------------------------------------------------------

    def _swept(
        self, to: Stages, w: str, largest: str, on: str, factor: str, arrays: list[str], results: list[str]
    ) -> list[str]:
        """The names of w and the largest change after a sweep over all entries, which begins ahead."""

        def body(w: Any, largest: Any, on: Any, factor: Any, t: BlockTerms, gap: Any, p: Any, before: Any) -> Any:
            moved, impulses = list(w), extrapolated(p, before, factor)
            change = sweep([t], moved, impulses, on)
            return moved, larger_or_nan(largest, change), impulses, list(p)

        state = [("w", self._w, w), ("largest", (), largest)]
        return self.visit(to, "swept", body, state, [("on", (), on), ("factor", (), factor)], arrays, results)

    def sweeps(self) -> Iterated:
        """From w, the impulses of singles, UNKNOWN, w, those impulses, w, UNKNOWN, then twice the impulses of each
        list; constant: z, laws and mobilities of singles, the tolerance, entries and counts."""
        scalar: tuple[int, ...] = ()
        single = (self.rows,)
        state = self._ports(
            ("w", self._w), ("ps", single), ("largest", scalar), ("w_before", self._w), ("ps_before", single),
            ("w_change", self._w), ("ahead", scalar),
        )  # fmt: skip
        impulses = [Port(f"{x}_{k}", (self.lists.most(k), b.rows)) for k, b in enumerate(self.lists.kinds)
                    for x in ("p", "before")]  # fmt: skip
        to = Stages([*state, *impulses, *self._constants])

        def sweep_begin(
            w: Any, ps: Any, largest: Any, w_before: Any, ps_before: Any, ahead: Any, tolerance: Any
        ) -> Any:
            on = where(largest > tolerance, 1.0, 0.0)
            factor = where(on > 0.5, ahead, 0.0)
            return extrapolated(w, w_before, factor), extrapolated(ps, ps_before, factor), on, factor, 0.0

        names = ["w", "ps", "largest", "w_before", "ps_before", "ahead", "tolerance"]
        outputs = self._ports(
            ("start", self._w), ("ps_start", single), ("on", scalar), ("factor", scalar), ("zero", scalar)
        )
        to.add(self.compiled(sweep_begin, to.named(names), outputs, "sweep begin"), names, [p.name for p in outputs])
        reached, change = self._swept(to, "start", "zero", "on", "factor", ["p", "before"], ["p_next", "before_next"])

        def sweep_end(
            reached: Any, change: Any, start: Any, ps: Any, on: Any, largest: Any, w_change: Any, ahead: Any, w: Any,
            ps_old: Any, z: Any, laws: Any, mobilities: Any, tolerance: Any,
        ) -> Any:  # fmt: skip
            moved, impulses = list(reached), list(ps)
            change = larger_or_nan(change, sweep(self._terms(z, laws, mobilities), moved, impulses, on))
            change = where(on > 0.5, change, largest)
            step = [x - y for x, y in zip(moved, start, strict=True)]
            ahead = where(ahead > 0.5 * UNKNOWN, 0.0, secant(step, w_change))
            return moved, impulses, change, w, ps_old, step, ahead, change - tolerance

        names = [reached, change, "start", "ps_start", "on", "largest", "w_change", "ahead", "w", "ps",
                 "z", "laws", "own", "tolerance"]  # fmt: skip
        ends = [ahead(p.name) for p in state]
        outputs = [*(Port(n, p.shape) for n, p in zip(ends, state, strict=True)), Port("go_on", ())]
        to.add(self.compiled(sweep_end, to.named(names), outputs, "sweep end"), names, [p.name for p in outputs])
        return self._iterated(to, "sweep", [*state, *impulses], self.most)

    def best(self, to: Stages, candidates: Sequence[tuple[str, str, str]]) -> tuple[str, str, str]:
        """Of candidates, each w, the impulses of singles and those of lists, the one with the smallest misfit.

        The names of its w, its impulses of singles, and of the misfit; the impulses of lists are `best`.
        """
        scalar, single = (), (self.rows,)
        (w, ps, _), count, residual, better = candidates[0], "count", "", []

        def misfit_first(
            w: Any, ps: Any, missed: Any, z: Any, laws: Any, mobilities: Any, tolerance: Any, *counts: Any
        ) -> Any:
            worst = larger_or_nan(missed, misfit(self._terms(z, laws, mobilities), w, ps))
            return worst, *(where(worst > tolerance, x, 0.0) for x in counts)

        def misfit_other(
            w: Any, ps: Any, missed: Any, z: Any, laws: Any, mobilities: Any, tolerance: Any, w_best: Any, ps_best: Any,
            least: Any,
        ) -> Any:  # fmt: skip
            worst = larger_or_nan(missed, misfit(self._terms(z, laws, mobilities), w, ps))
            is_better = where(least > tolerance, where(worst < least, 1.0, 0.0), 0.0) > 0.5
            pairs = (w, w_best), (ps, ps_best)
            chosen = ([where(is_better, x, y) for x, y in zip(*pair, strict=True)] for pair in pairs)
            return (*chosen, where(is_better, worst, least), where(is_better, 1.0, 0.0))

        for n, (w_new, ps_new, p_new) in enumerate(candidates):
            missed = self._missed(to, w_new, p_new, "none_yet", count)
            names = [w_new, ps_new, missed, "z", "laws", "own", "tolerance"]
            if not n:
                names += self.each("count")
                outputs = self._ports(("residual_0", scalar), *((x, scalar) for x in self.each("unsolved")))
                function, count = self.compiled(misfit_first, to.named(names), outputs, "misfit first"), "unsolved"
            else:
                names += [w, ps, residual]
                outputs = self._ports(
                    (f"w_{n}", self._w), (f"ps_{n}", single), (f"residual_{n}", scalar), (f"better_{n}", scalar)
                )
                function = self.compiled(misfit_other, to.named(names), outputs, "misfit other")
                w, ps = f"w_{n}", f"ps_{n}"
                better.append(f"better_{n}")
            to.add(function, names, [p.name for p in outputs])
            residual = f"residual_{n}"

        def choice(*values: Any) -> Any:
            flags, (_, _, *arrays) = values[: len(better)], values[len(better) :]
            chosen = list(arrays[0])
            for flag, other in zip(flags, arrays[1:], strict=True):
                chosen = [where(flag > 0.5, x, y) for x, y in zip(other, chosen, strict=True)]
            return *flags, chosen

        self.visit(to, "choice", choice, [(x, scalar, x) for x in better], [], [x for *_, x in candidates], ["best"])
        return w, ps, residual

    # Overlaps ------------------------------------------------------------------------------------------------------

    def lifted(self, to: Stages, normals: Callable[[list[BlockTerms], Any], list[list[Any]]]) -> str:
        """The name of the whitened motion that corrects a part of the overlaps; `normals` are those of stops."""
        stops = [b for b in self.singles if b.kind == "stop"]
        still, none = self._ports(("lift_0", self._w), ("stops_0", (len(stops),)))

        def pushed(w: Any, t: BlockTerms, gap: Any, *before: Any) -> Any:
            moved = list(w)
            new = pushed_apart(moved, t, t.rows[0], gap, before[0][0] if before else 0.0)
            return moved, [new, *[0.0] * (t.block.rows - 1)]

        def stops_pushed(w: Any, before: Any, q: Any, gaps: Any, z: Any, laws: Any, mobilities: Any) -> Any:
            terms = self._terms(z, laws, mobilities)[: len(stops)]
            moved, near = list(w), gaps[len(self.lists.blocks) :]
            new = [pushed_apart(moved, *x) for x in zip(terms, normals(terms, q), near, before, strict=True)]
            return moved, new

        def nothing_pushed() -> Any:
            return [0.0] * self.nv, [0.0] * len(stops)

        to.add(self.compiled(nothing_pushed, (), (still, none), "nothing pushed"), [], ["lift_0", "stops_0"])
        w = "lift_0"
        arrays: list[str] = []
        for n in range(LIFTING_SWEEPS):
            results = [f"pushed_{n}"]
            (w,) = self.visit(to, f"pushed{len(arrays)}", pushed, [("w", self._w, w)], [], arrays, results)
            if stops:
                names = [w, f"stops_{n}", "q", "gaps", "z", "laws", "own"]
                outputs = self._ports((f"lift_{n + 1}", self._w), (f"stops_{n + 1}", (len(stops),)))
                to.add(
                    self.compiled(stops_pushed, to.named(names), outputs, "stops pushed"),
                    names,
                    [p.name for p in outputs],
                )
                w = f"lift_{n + 1}"
            arrays = results
        return w
