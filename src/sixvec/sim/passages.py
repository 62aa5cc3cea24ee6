"""Rollouts past change points, where branches of the motion of a loop cross.

A velocity decides on which branch the motion goes on.  Rounded dimensions move the branches apart, so a rollout that
comes near such a point is repeated with the nearest dimensions that have it (`sixvec.mechanism.exact_dimensions`), and
each state is then closed for the dimensions that were given.  So is one that comes near a singular position of a loop
whose rows depend on each other up to rounding, which locks it there.  Where the velocity does not decide, because the
motion starts, stops or turns there, the rollout says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.known_rank import smallest_pivot
from sixvec.arguments import Array
from sixvec.errors import level_of_user
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.mechanism.change_points import ChangePoint, change_points
from sixvec.mechanism.exact_dimensions import with_exact_dimensions
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.coordinate_names import joint_slices
from sixvec.model.spanning_tree import without_rolling
from sixvec.sim.projection import projected
from sixvec.sim.step_rows import StepRows
from sixvec.tolerances import ROUNDING

if TYPE_CHECKING:
    from sixvec.robot import Robot

NEAR = 0.1
"""States are near a change point where the singular value that vanishes there is below this fraction of its usual size:
that is about their distance from it, in rad."""

AT = 1e-5
"""States are at a change point within this distance, `WITHIN` times that of rounded branches, or a step."""

WITHIN = 3.0

TURNED = 0.5
"""Velocities that change by more than this fraction of themselves in a step there have not decided the branch."""

BENT = 0.01
"""The same for second differences, of loops with rows that depend on others up to rounding: near a change point that
rounding has a part in the choice of the branch.  The square of the step's length in rad belongs to the motion."""

SLOWEST = 1e-9
"""Changes of velocities, in rad/s or fractions of the size per second, that are rounding."""

ROUNDS, CLOSED = 5, 1e-11
"""Newton steps that close loops, and the error, as a fraction of the size, that counts as closed."""

CLEAR = 3.0
"""States nearer to a change point than this multiple of what rounding moves branches apart may lie between them."""

STRIDE = 32
"""Steps between states at most of which it is known whether they are near a change point."""

ATTEMPTS = 4
"""Rollouts at most: each may reach further change points."""

APART = 0.05
"""States that differ by less, in rad or m, lead to the same change point."""

Points = tuple[ChangePoint, ...]


class Spoilt(NamedTuple):
    """What rounding of dimensions has spoilt: change points, and the dependences of the rows of components."""

    points: Points = ()
    components: tuple[int, ...] = ()


@dataclass(frozen=True)
class Passages:
    """Rollouts of n samples: `inputs` (n, ...) of the loop, which begin with q and v."""

    robot: Robot
    run: Callable[[Model, Sequence[Array]], Sequence[Array]] | None
    """The states (n, steps, ...) of a rollout of a model with these inputs; None if frames are held at places."""
    inputs: Sequence[Array]
    dt: Array
    """(n,)"""
    driven: tuple[int, ...] = ()
    """Coordinates with prescribed accelerations."""

    @property
    def model(self) -> Model:
        return without_rolling(self.robot.model)

    def through(self, path: list[Array]) -> NDArray[np.bool_]:
        """The steps (n, steps) after which the branch is not known.

        Rollouts near change points are repeated, and replace those of `path` (q, v).  The result of a sample does not
        depend on the others.
        """
        lost = np.zeros(path[0].shape[:2], bool)
        near = todo = self._near(path)
        points: dict[int, Points] = dict.fromkeys(near, ())
        spoilt = dict.fromkeys(near, Spoilt())
        least = {k: self._margins(path, k) for k in near}
        for _ in range(ATTEMPTS):
            points |= {k: _joined(points[k], self._points(path[0][k], least[k])) for k in todo}
            found = {k: self._spoilt(points[k], least[k], spoilt[k]) for k in todo}
            todo = [k for k in todo if found[k] != spoilt[k]]
            spoilt |= found
            self._repeat(todo, spoilt, path)
            least |= {k: self._margins(path, k) for k in todo}
        undecided = []
        for k in near:
            lost[k], is_open = self._lost(points[k], spoilt[k], least[k], path[1][k], k)
            undecided += [k] * is_open
        changed = [k for k in near if any(spoilt[k]) and self._exact(spoilt[k]) is not None]
        if changed:
            self._close(changed, points, spoilt, least, path)
        if undecided:
            warnings.warn(
                f"rollout of {self.model.name}: a motion starts or turns where branches meet, up to rounding of the "
                "dimensions; their last digits select the one that follows",
                RuntimeWarning,
                stacklevel=level_of_user(),
            )
        return lost

    def _spoilt(self, points: Points, least: Array, before: Spoilt) -> Spoilt:
        watched = enumerate(_watched(self.model))
        near = {c for n, c in watched if (least[:, n] < NEAR).any() and self._locks(c)} | {*before.components}
        return Spoilt(tuple(x for x in points if not x.is_exact), tuple(sorted(near)))

    def _locks(self, component: int) -> bool:
        """Whether rounding locks a component near singular positions, and other dimensions free it."""
        return self._is_rounded(component) and self._exact(Spoilt((), (component,))) is not None

    def _close(
        self,
        samples: list[int],
        points: dict[int, Points],
        spoilt: dict[int, Spoilt],
        least: dict[int, Array],
        path: list[Array],
    ) -> None:
        """Closes the loops of these samples for the dimensions of the model; velocities too, but near change points.

        There rows that depend on others up to rounding stay as open as rounding makes them.
        """
        q, v = path[0][samples], path[1][samples]
        margin, given, step = np.stack([least[k][1:] for k in samples]), q, _projection(self.model, self.driven)
        apart = np.array([[_apart(points[k], c) for c in _watched(self.model)] for k in samples])
        for _ in range(ROUNDS):
            q, along = step.call(q, v)
        gap = np.asarray(np.abs(self.robot.closure_error(q)).max(axis=-1))
        rank = row_rank(self.model)
        at = np.asarray(~(gap <= (CLOSED + 10.0 * max(rank.deviation, default=0.0)) * min(rank.size)))
        at |= (margin < CLEAR * apart[:, None]).any(axis=-1)
        locked = np.array([[c in spoilt[k].components for c in _watched(self.model)] for k in samples])
        stays = ((margin < NEAR) & locked[:, None]).any(axis=-1)
        q[stays] = given[stays]
        at &= ~stays
        if at.any():
            slices = joint_slices(self.model, "v")
            fixed = [name for name, x in slices.items() if {*range(self.model.nv)[x]} & {*self.driven}]
            q[at] = self.robot.assemble(given[at], fixed=fixed).q
        path[0][samples] = q
        path[1][samples] = np.where((margin < NEAR).any(axis=-1, keepdims=True), v, along)

    def _near(self, path: Sequence[Array]) -> list[int]:
        """The samples that come near a change point: some of their states tell, as many as their speed asks for."""
        q, v = path
        moved = np.abs(v[:, ::STRIDE]).max(axis=(1, 2)) * np.asarray(self.dt, float)
        with np.errstate(divide="ignore", invalid="ignore"):
            strides = np.exp2(np.floor(np.log2(np.clip(0.5 * NEAR / moved, 1.0, STRIDE))))
        strides = np.where(np.isfinite(strides), strides, STRIDE).astype(int)
        near = np.zeros(len(q), bool)
        for stride in np.unique(strides):
            of = np.flatnonzero(strides == stride)
            some = q[:, ::stride] if len(of) == len(q) else q[of, ::stride]
            start = np.broadcast_to(self.inputs[0][of][:, None], (len(of), 1, q.shape[-1]))
            near[of] = (self._margin_of(some) < NEAR).any(axis=(1, 2)) | (self._margin_of(start) < NEAR).any(
                axis=(1, 2)
            )
        return [int(k) for k in np.flatnonzero(near)]

    def _repeat(self, todo: list[int], spoilt: dict[int, Spoilt], path: list[Array]) -> None:
        groups: dict[Spoilt, list[int]] = {}
        for k in todo:
            groups.setdefault(spoilt[k], []).append(k)
        for of, samples in groups.items():
            exact = self._exact(of)
            if exact is not None and self.run is not None:
                q, v, *others = (x[samples] for x in self.inputs)
                for x, new in zip(path, self.run(exact, [*self._start(exact, q, v), *others]), strict=True):
                    x[samples] = new

    def _exact(self, spoilt: Spoilt) -> Model | None:
        """The model for which these are exact, if a rollout can use it."""
        if not any(spoilt):
            return self.model
        return None if self.run is None else with_exact_dimensions(self.model, *spoilt)

    def _start(self, exact: Model, q: Array, v: Array) -> tuple[Array, Array]:
        """The closed state of other dimensions next to a start: rollouts close no gap wider than the way of a step."""
        step, along = _projection(exact, self.driven), v
        for _ in range(ROUNDS if exact is not self.model else 0):
            q, along = step.call(q, v)
        return q, along

    def _points(self, q: Array, least: Array) -> Points:
        """The change points next to the states of a sample, q (steps, nq)."""
        found: Points = ()
        for n, component in enumerate(_watched(self.model)):
            near = least[1:, n] < NEAR
            ends = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]]).astype(int)))
            states = [a + int(least[1 + a : 1 + b, n].argmin()) for a, b in zip(ends[::2], ends[1::2], strict=True)]
            if states:
                starts = _distinct(q[states])
                more = change_points(self.model, component, starts)
                found = _joined(found, tuple(x for x in more if x is not None))
        return found

    def _lost(self, points: Points, spoilt: Spoilt, least: Array, v: Array, k: int) -> tuple[NDArray[np.bool_], bool]:
        """The steps of a sample at a change point that do not go on in the direction of their velocity.

        And whether there are any at one that dimensions have up to rounding.
        """
        rank = row_rank(self.model)
        v = np.concatenate([self.inputs[1][k][None], v]) / np.array(rank.unit)
        speed, h = np.abs(v).max(axis=1), float(self.dt[k])
        turned = np.abs(np.diff(v, axis=0)).max(axis=1) > TURNED * speed[:-1] + SLOWEST
        moves = (BENT + (2.0 * speed[1:-1] * h) ** 2) * speed[1:-1]
        bent = np.abs(np.diff(v, n=2, axis=0)).max(axis=1) > moves + SLOWEST
        lost, undecided = np.zeros(len(v) - 1, bool), False
        is_exact = self._exact(spoilt) is not None
        for n, component in enumerate(_watched(self.model)):
            apart, at = WITHIN * _apart(points, component), least[:-1, n]
            lost |= (at < np.maximum(AT, speed[:-1] * h)) & turned
            undecided |= bool(((at < apart) & turned).any())
            if not is_exact:
                lost |= at < apart
            if self._is_rounded(component) and not (is_exact and component in spoilt.components):
                lost[1:] |= (at[1:] < NEAR) & bent
        return lost, undecided and not lost.any()

    def _is_rounded(self, component: int) -> bool:
        """Whether rows that depend on others in a way that changes with the state do so only up to rounding."""
        rank = row_rank(self.model)
        deviation = dict(zip(rank.dependent, rank.deviation, strict=True))
        part = rank.components[component]
        grouped = sum(r in rank.used for r in part.rows) > part.rank
        return bool(grouped and max((deviation.get(r, 0.0) for r in part.rows), default=0.0) > ROUNDING)

    def _margins(self, path: Sequence[Array], sample: int) -> Array:
        """About the distances (1 + steps, components) of the states of a sample, with the start, from change points."""
        return self._margin_of(np.concatenate([self.inputs[0][sample][None], path[0][sample]]))

    def _margin_of(self, q: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(_margin(self.model).call(np.asarray(q, float))))


def has_change_points(model: Model) -> bool:
    """Whether there may be any: the rank of some loop is known."""
    return bool(model.closures) and bool(_watched(model))


@lru_cache(maxsize=64)
def _watched(model: Model) -> tuple[int, ...]:
    """The components of the rows whose rank may drop."""
    rank = row_rank(model)
    return tuple(n for n, part in enumerate(rank.components) if part.rank and rank.is_known)


@lru_cache(maxsize=64)
def _margin(model: Model) -> CompiledFunction:
    """For each watched component the square of its smallest singular value, as a fraction of its usual size."""
    tree, rank, watched = canonical(model), row_rank(model), _watched(model)

    def run(q: Any) -> Any:
        A, found = constraint_jacobian(tree, JointVector(q, tree.q_slices)), []
        for n in watched:
            part = rank.components[n]
            rows = [
                [A[r][k] * (rank.scale[r] * rank.unit[k]) for k in part.columns] for r in part.rows if r in rank.used
            ]
            found.append(smallest_pivot(rows, part.rank) * (1.0 / rank.typical[n] ** 2))
        return found

    ports = (Port("q", (model.nq,)),), (Port("margin", (len(watched),)),)
    return CompiledFunction(run, *ports, f"{model.fingerprint} margin of rank {model.loop_tolerance}")


@lru_cache(maxsize=64)
def _projection(model: Model, driven: tuple[int, ...]) -> CompiledFunction:
    """A step towards closed loops."""
    tree = canonical(model)

    def run(q: Any, v: Any) -> Any:
        return projected(StepRows(tree, (), driven), q, v, rounds=1)

    ports = Port("q", (model.nq,)), Port("v", (model.nv,))
    return CompiledFunction(run, ports, ports, f"{model.fingerprint} closed {driven} {model.loop_tolerance}")


def _apart(points: Points, component: int) -> float:
    return max((x.apart for x in points if x.component == component), default=0.0)


def _distinct(states: Array) -> Array:
    """One of the states in each cube of this size, whole turns aside."""
    places = np.round(np.remainder(states + 0.5 * APART, 2.0 * np.pi) / APART)
    return np.asarray(states[np.sort(np.unique(places, axis=0, return_index=True)[1])])


def _joined(some: Points, more: Points) -> Points:
    return tuple(sorted({(x.component, x.q): x for x in (*some, *more)}.values(), key=lambda x: (x.component, x.q)))
