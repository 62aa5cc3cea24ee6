"""Rounds of Newton's method for contacts in lists, as stages (`sixvec.constraints.contacts.newton_step`).

The matrix of a round is summed over the entries of the lists, a program solves it, and the entries are visited again:
for the part of the step that is taken, for the impulses there, for the misfits, and for the sweep that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from sixvec.constraints.contacts.block_sweeps import Block, BlockTerms, misfit, sweep
from sixvec.constraints.contacts.newton_step import LinearLaw, compliance_for, solution
from sixvec.constraints.contacts.rounds import between, may_stray, next_share
from sixvec.kernels import Iterated, Port
from sixvec.scalar import guard, where
from sixvec.sim.list_visits import ListVisits, Stages, ahead
from sixvec.spatial.norm import larger_or_nan


class ListNewton(ListVisits):
    """Makes the loop of rounds."""

    @cached_property
    def _pattern(self) -> list[tuple[int, int]]:
        """The entries of the matrix of Newton's method that some block may change."""
        pattern = {(j, j) for j in range(self.nv)}
        for b in (*self.lists.blocks, *self.singles):
            pattern |= {(i, j) for i in b.columns for j in b.columns}
        return sorted(pattern)

    def newton(self) -> Iterated:
        """Rounds of Newton's method: from w, the impulses of singles, the misfit, the part of a sweep, and the
        impulses of each list; constant as for `sweeps`."""
        nv, scalar, single = self.nv, (), (self.rows,)
        place = {at: k for k, at in enumerate(self._pattern)}
        size = (len(place),)
        state = self._ports(("w", self._w), ("ps", single), ("largest", scalar), ("part", scalar))
        impulses = [Port(f"p_{k}", (self.lists.most(k), b.rows)) for k, b in enumerate(self.lists.kinds)]
        to = Stages([*state, *impulses, *self._constants])

        def into(A: list[Any]) -> Callable[..., None]:
            def add(block: Block, a: Any, z: Any) -> None:
                for i, x in zip(block.columns, a, strict=True):
                    for j, y in zip(block.columns, z, strict=True):
                        if (i, j) in place:
                            A[place[i, j]] = A[place[i, j]] + x * y

            return add

        def newton_begin(w: Any, largest: Any, tolerance: Any, *counts: Any) -> Any:
            on = where(largest > tolerance, 1.0, 0.0)
            needed = [where(on > 0.5, x, 0.0) for x in counts]
            return on, compliance_for(tolerance), [0.0] * size[0], [0.0] * nv, [0.0] * nv, 0.0, 1.0, *needed

        names = ["w", "largest", "tolerance", *self.each("count")]
        outputs = self._ports(
            ("on", scalar), ("compliance", scalar), ("A", size), ("added", self._w), ("pressed", self._w),
            ("zero", scalar), ("whole", scalar), *((n, scalar) for n in self.each("visited")),
        )  # fmt: skip
        to.add(self.compiled(newton_begin, to.named(names), outputs, "newton begin"), names, [p.name for p in outputs])

        def gathered(A: Any, added: Any, pressed: Any, w: Any, compliance: Any, t: BlockTerms, gap: Any, p: Any) -> Any:
            law = LinearLaw(t, t.rates(w), p, compliance)
            new, constant, pushed = list(A), list(added), list(pressed)
            law.into(into(new), constant)
            square = law.closed
            for z, x in zip(t.rows, p, strict=True):
                square = square + x * x
                for j, y in zip(t.block.columns, z, strict=True):
                    pushed[j] = pushed[j] + y * x
            active = where(square > 0.0, where(t.is_near, 1.0, 0.0), 0.0) > 0.5
            return tuple(guard(active, [new, constant, pushed], [list(A), list(added), list(pressed)]))

        A, added, pressed = self.visit(
            to, "gathered", gathered, [("A", size, "A"), ("added", self._w, "added"), ("pressed", self._w, "pressed")],
            [("w", self._w, "w"), ("compliance", scalar, "compliance")], ["p"], count="visited",
        )  # fmt: skip

        def newton_solve(
            A: Any,
            added: Any,
            pressed: Any,
            w: Any,
            ps: Any,
            on: Any,
            compliance: Any,
            z: Any,
            laws: Any,
            mobilities: Any,
        ) -> Any:
            new, constant = list(A), list(added)
            free = [x - y for x, y in zip(w, pressed, strict=True)]
            linear = self._linear(self._terms(z, laws, mobilities), w, ps, compliance)
            for law in linear:
                for row, x in zip(law.t.rows, law.p, strict=True):
                    for j, y in zip(law.t.block.columns, row, strict=True):
                        free[j] = free[j] - y * x
                law.into(into(new), constant)
            right = [x + y for x, y in zip(free, constant, strict=True)]

            def entry(i: int, j: int) -> Any:
                return new[place[i, j]] + float(i == j) if (i, j) in place else 0.0

            reached = solution(entry, right, self.order)
            aims = [x for law in linear for x in law.impulses(reached)]
            return tuple(guard(on > 0.5, [reached, free, aims], [list(w), free, list(ps)]))

        names = [A, added, pressed, "w", "ps", "on", "compliance", "z", "laws", "own"]
        outputs = self._ports(("reached", self._w), ("free", self._w), ("aims", single))
        to.add(self.compiled(newton_solve, to.named(names), outputs, "newton solve"), names, [p.name for p in outputs])

        def opened(fraction: Any, w: Any, reached: Any, compliance: Any, t: BlockTerms, gap: Any, p: Any) -> Any:
            law = LinearLaw(t, t.rates(w), p, compliance)
            shorter = law.part_allowed(fraction, law.impulses(reached))
            return (guard(where(p[0] > 0.0, where(t.is_near, 1.0, 0.0), 0.0) > 0.5, shorter, fraction),)

        known = [("w", self._w, "w"), ("reached", self._w, "reached"), ("compliance", scalar, "compliance")]
        (fraction,) = self.visit(to, "opened", opened, [("fraction", scalar, "whole")], known, ["p"], count="visited")

        def stepped(
            moved: Any, w: Any, reached: Any, compliance: Any, fraction: Any, t: BlockTerms, gap: Any, p: Any
        ) -> Any:
            law = LinearLaw(t, t.rates(w), p, compliance)
            aim = law.impulses(reached)
            new = law.allowed([x + fraction * (y - x) for x, y in zip(p, aim, strict=True)])
            ahead = list(moved)
            for z, x in zip(t.rows, new, strict=True):
                for j, y in zip(t.block.columns, z, strict=True):
                    ahead[j] = ahead[j] + y * x
            return tuple(guard(t.is_near, [ahead, new], [list(moved), [0.0] * len(new)]))

        (moved,) = self.visit(
            to, "stepped", stepped, [("moved", self._w, "free")], [*known, ("fraction", scalar, fraction)], ["p"],
            ["new"], count="visited",
        )  # fmt: skip

        def newton_step(
            moved: Any, ps: Any, aims: Any, fraction: Any, on: Any, z: Any, laws: Any, mobilities: Any
        ) -> Any:
            ahead, new = list(moved), [x + fraction * (y - x) for x, y in zip(ps, aims, strict=True)]
            for t, x in zip(self._terms(z, laws, mobilities), new, strict=True):
                for j, y in zip(t.block.columns, t.rows[0], strict=True):
                    ahead[j] = ahead[j] + y * x
            return ahead, new

        names = [moved, "ps", "aims", fraction, "on", "z", "laws", "own"]
        outputs = self._ports(("v", self._w), ("ps_new", single))
        to.add(self.compiled(newton_step, to.named(names), outputs, "newton step"), names, [p.name for p in outputs])
        before = self._missed(to, "w", "p", "zero", count="visited")
        after = self._missed(to, "v", "new", "zero", count="visited")

        def newton_choice(
            w: Any, ps: Any, v: Any, new: Any, before: Any, after: Any, share: Any, z: Any, laws: Any, mobilities: Any
        ) -> Any:
            terms = self._terms(z, laws, mobilities)
            worst = [larger_or_nan(x, misfit(terms, *y)) for x, y in ((before, (w, ps)), (after, (v, new)))]
            fine = worst[1] < may_stray(share) * worst[0]
            chosen = ([where(fine, x, y) for x, y in zip(*lists, strict=True)] for lists in ((v, w), (new, ps)))
            return (*chosen, where(fine, 1.0, 0.0))

        names = ["w", "ps", "v", "ps_new", before, after, "part", "z", "laws", "own"]
        outputs = self._ports(("start", self._w), ("ps_start", single), ("fine", scalar))
        to.add(
            self.compiled(newton_choice, to.named(names), outputs, "newton choice"), names, [p.name for p in outputs]
        )

        def chosen(fine: Any, t: BlockTerms, gap: Any, old: Any, new: Any) -> Any:
            return fine, [where(fine > 0.5, x, y) for x, y in zip(new, old, strict=True)]

        self.visit(to, "chosen", chosen, [("fine", scalar, "fine")], [], ["p", "new"], ["start"], count="visited")
        w, ps, arrays = "start", "ps_start", "start"
        for n in range(self.sweeps_between):
            w, change = self._swept_again(to, w, arrays, f"swept{n}")

            def newton_sweep(moved: Any, change: Any, ps: Any, on: Any, z: Any, laws: Any, mobilities: Any) -> Any:
                ahead, impulses = list(moved), list(ps)
                last = sweep(self._terms(z, laws, mobilities), ahead, impulses, on)
                return ahead, impulses, larger_or_nan(change, last)

            names = [w, change, ps, "on", "z", "laws", "own"]
            outputs = self._ports((f"w_{n}", self._w), (f"ps_{n}", single), (f"change_{n}", scalar))
            function = self.compiled(newton_sweep, to.named(names), outputs, "newton sweep")
            to.add(function, names, [p.name for p in outputs])
            w, ps, arrays, last = f"w_{n}", f"ps_{n}", f"swept{n}", f"change_{n}"

        def taken(on: Any, share: Any, t: BlockTerms, gap: Any, old: Any, start: Any, swept: Any) -> Any:
            new = between(start, swept, share)
            return on, [where(on > 0.5, x, y) for x, y in zip(new, old, strict=True)]

        self.visit(
            to, "taken", taken, [("on", scalar, "on")], [("part", scalar, "part")], ["p", "start", arrays], ["p_next"]
        )

        def newton_end(
            w: Any, ps: Any, largest: Any, share: Any, on: Any, start: Any, ps_start: Any, swept: Any, ps_swept: Any,
            change: Any, tolerance: Any,
        ) -> Any:  # fmt: skip
            new = [between(start, swept, share), between(ps_start, ps_swept, share)]
            w1, ps1, change = guard(on > 0.5, [*new, change], [list(w), list(ps), largest])
            return w1, ps1, change, next_share(share), change - tolerance

        names = ["w", "ps", "largest", "part", "on", "start", "ps_start", w, ps, last, "tolerance"]
        outputs = [Port(ahead(p.name), p.shape) for p in state] + [Port("go_on", ())]
        to.add(self.compiled(newton_end, to.named(names), outputs, "newton end"), names, [p.name for p in outputs])
        return self._iterated(to, "newton", [*state, *impulses], self.most_newton, counted=True)

    def _linear(self, terms: Sequence[BlockTerms], w: Any, p: Any, compliance: Any) -> list[LinearLaw]:
        """The linear laws of singles, which have one row each."""
        return [LinearLaw(t, t.rates(w), [x], compliance) for t, x in zip(terms, p, strict=True)]

    def _swept_again(self, to: Stages, w: str, arrays: str, results: str) -> list[str]:
        """A sweep over the entries of unsolved samples, from these impulses."""

        def body(w: Any, largest: Any, on: Any, t: BlockTerms, gap: Any, p: Any) -> Any:
            moved, impulses = list(w), list(p)
            change = sweep([t], moved, impulses, on)
            return moved, larger_or_nan(largest, change), impulses

        state = [("w", self._w, w), ("largest", (), "zero")]
        return self.visit(to, "swept_again", body, state, [("on", (), "on")], [arrays], [results], count="visited")
