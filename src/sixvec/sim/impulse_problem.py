"""The contact problem of a time step: free velocities, whitened rows and laws of all blocks, traced on scalars.

Without impulses a step of length h leads to  v_f = v + h a  with

    (M + h D + h² K) a = τ - b(q, v) - h K v,

D the damping and K the stiffness of joints and actuators: both act at the end of the step, so that stiff ones stay
stable.  A = M + h D + h² K is factorised along the tree, and the rows of contacts are whitened by its factors
(`constraints/contacts/block_sweeps.py`).  Pairs and points that cannot meet in this step have no rows: what belongs
to them is computed behind a guard.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from sixvec.algorithms.bias_forces import bias_forces
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.places import Places
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.algorithms.passive_forces import passive_forces
from sixvec.constraints.contacts.block_sweeps import AWAY, Block, BlockTerms, own_mobility
from sixvec.constraints.contacts.contact import Contact, Obstacle, Stop, stopped
from sixvec.constraints.contacts.pair import touches
from sixvec.constraints.contacts.rows import contact_jacobian, turning_rows
from sixvec.distance.pairs.touch import Touch
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.model import Actuator, Body, Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import is_coupled
from sixvec.model.edits.vary import KINDS, varied_model
from sixvec.model.geom import HalfSpace
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import spanning_tree, without_rolling
from sixvec.robot import Robot
from sixvec.scalar import Scalar, guard, is_zero, sqrt, where
from sixvec.sim.actuators import actuator_forces, next_activation
from sixvec.sim.body_speeds import BodySpeeds, bounding_ball
from sixvec.sim.bound_motions import BoundMotions, FreeMotions, bound_columns
from sixvec.sim.energy_balance import balances
from sixvec.sim.free_rotation import gyroscopic_forces, single_bodies
from sixvec.sim.free_velocities import free_velocities
from sixvec.sim.friction import friction_limits
from sixvec.sim.groups import groups
from sixvec.sim.mass_centres import Centres, carried_centre, carriers, centres
from sixvec.sim.passing import PASSABLE, passing
from sixvec.sim.rebound import rebounds
from sixvec.sim.step_rows import StepRows
from sixvec.spatial import Vec3

SAMPLES = 6
"""Random positions: they show which joints move which rows, and which points always coincide."""

SAME = 1e-12
"""Rows of two points that differ by less than this fraction at all of them are of one point."""

ROUND = (Sphere, Capsule)
"""Shapes with one point, or two that do not change."""

REACH = 2.0
"""A point may meet another in this step if their gap is less than this many times the way of the free motion."""

FAR = 1e3
"""The gap of a point that cannot meet another, m."""

FALL = 4.0
"""To which this many times the way of free fall from rest is added: impulses elsewhere move resting bodies."""

APART = 0.01
"""A gap that is less than this fraction of the way along its normal belongs to shapes that touch."""


@dataclass(slots=True)
class StepTerms:
    """What a step needs besides its impulses."""

    w: list[Any]
    """Whitened free velocities."""
    factors: Factors
    roots: list[Any]
    blocks: list[BlockTerms]
    gaps: list[Any]
    """Of each block, before the step."""
    centres: list[Vec3]
    free: list[Any]
    """Free velocities."""
    balance: list[Any]
    """Of `sixvec.sim.energy_balance`."""
    mean: list[Any]
    """`w`, in steps with rebounds less half of what weight adds to it: impulses do work on the mean velocity."""
    missed: list[Any] = field(default_factory=list)
    """Of rows that nothing can move, by how much they violate their laws, m/s."""


class Binding(NamedTuple):
    """What binds a robot besides its loops: wheels that roll, and driven coordinates; and the axes of wrenches."""

    hold: tuple[Held, ...] = ()
    driven: tuple[int, ...] = ()
    reference: Reference = "local"


@dataclass(frozen=True, slots=True)
class _Point:
    """A point of a contact: its obstacle, its place among the points of it, and its block."""

    obstacle: int
    index: int
    block: Block


@dataclass(frozen=True, slots=True)
class Parameters:
    """Numbers of bodies that are inputs: as for `Robot.with_parameters`."""

    kind: str
    bodies: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(KINDS[self.kind]) * len(self.bodies)


class ImpulseProblem:
    """The blocks of a robot, and their terms in a step.

    If a blow `spreads`, it passes through several bodies in one step: then nothing is left out that the fastest shape
    could reach.
    """

    def __init__(
        self, robot: Robot, obstacles: Sequence[Obstacle], actuators: Sequence[Actuator] = (), passive: bool = True,
        parameters: Parameters | None = None, binding: Binding | None = None, spreads: bool = False,
    ) -> None:  # fmt: skip
        self.spreads = spreads
        self.model = without_rolling(robot.model)
        self.tree = canonical(self.model)
        self.binding = binding or Binding(robot.model.rolling)
        self.obstacles, self.actuators, self.passive = tuple(obstacles), tuple(actuators), passive
        self.parameters = parameters
        self.identity = (
            f"{self.model.fingerprint} impulses {self.obstacles!r} {self.actuators!r} {passive} {parameters}"
        )
        self.identity += f" {[c.described for c in self.obstacles if isinstance(c, Contact)]}"
        self.identity += f" {self.binding!r} {spreads}"
        require_mass(self.tree)
        hold, self.driven, _ = self.binding
        self.closed = bool(self.tree.closures or hold)
        self.is_bound = bool(self.closed or self.driven)
        self.rows = StepRows(self.tree, hold, self.driven)
        self._together = bound_columns(self.rows) if self.is_bound else []
        self.carriers = carriers(self.tree, self.driven)
        self.jointed = groups(self.tree, self.driven, rolls=bool(hold))
        limits = friction_limits(self.tree)
        self.rubbing = [i for i, f in enumerate(limits) if passive and f and i not in self.driven]
        self._blocks_of: dict[tuple[int, int], int] = {}
        self._points = self._described(robot)
        self._stops = [k for k, c in enumerate(self.obstacles) if isinstance(c, Stop)]
        single = [("stop", stopped(self.model, self.obstacles[k])[1]) for k in self._stops]  # type: ignore[arg-type]
        single += [("friction", i) for i in self.rubbing]
        self.blocks = [p.block for p in self._points] + [self._single(kind, i) for kind, i in single]

    @property
    def places(self) -> list[tuple[int | None, int]]:
        """For each point, stop and joint with friction, in the order of the obstacles: its block, and its rows."""
        found: list[tuple[int | None, int]] = []
        at = len(self._points)
        for k, c in enumerate(self.obstacles):
            if isinstance(c, Stop):
                found.append((at + self._stops.index(k), 1))
            else:
                found += [(self._blocks_of.get((k, i)), 3) for i in range(c.points)]
        first = at + len(self._stops)
        return found + [(first + i, 1) for i in range(len(self.rubbing))]

    @property
    def count_of_gaps(self) -> int:
        return len(self.places) - len(self.rubbing)

    def placed(self, p: Sequence[Any], gaps: Sequence[Any], far: float) -> tuple[list[Any], list[Any]]:
        """The impulses along normal and tangents of all points, of stops and joints, and the gaps of all but these.

        Points that coincide share one block: it is that of the first, and the others have none.
        """
        starts, end = [], 0
        for b in self.blocks:
            starts.append(end)
            end += b.rows
        impulses: list[Any] = []
        distances: list[Any] = []
        taken: set[int] = set()
        for n, width in self.places:
            mine = n is not None and n not in taken
            core = self.blocks[n].core if n is not None and mine else 0
            values = [p[starts[n] + i] if i < core else 0.0 for i in range(width)]  # type: ignore[index]
            if n is not None and self.blocks[n].kind == "stop":  # both stops push
                values = [where(x < 0.0, -x, x) for x in values]
            impulses += values
            distances.append(far if n is None else gaps[n] if n < len(gaps) else 0.0)
            taken |= {n} if n is not None else set()
        return impulses, distances[: self.count_of_gaps]

    def _single(self, kind: Any, i: int) -> Block:
        """The block of a stop or of the friction of a joint."""
        return Block(kind, self._below(i), shifted=bool(self.driven))

    def _below(self, i: int) -> tuple[int, ...]:
        """The joints in the whitened row of a joint velocity: those on its path, and those that move with them."""
        path = set(self._path(i))
        return tuple(sorted(path.union(*(c for c in self._together if c & path))))

    def _path(self, i: int) -> tuple[int, ...]:
        model = self.tree
        for b in model.moving:
            at = range(*model.v_slices[b.name].indices(model.nv))
            if not is_coupled(model) and i in at:
                path = [k for c in model.path(b.name) for k in range(*model.v_slices[c.name].indices(model.nv))]
                return tuple(sorted(k for k in path if k <= i or k in at))
        return tuple(range(model.nv))

    def _described(self, robot: Robot) -> list[_Point]:
        """Points and their blocks, as far as they differ from each other."""
        positions = robot.random(0, SAMPLES).T
        places = Places(self.tree, list(positions))
        found: list[_Point] = []
        seen: list[tuple[int, Any, Any]] = []
        for k, c in enumerate(self.obstacles):
            if not isinstance(c, Contact):
                continue
            first, second = places.pose(c.frame) @ c.placement, places.pose(c.to) @ c.on_placement
            for index, touch in enumerate(touches(c.shape, first, c.on, second)):
                jacobian, turning = contact_jacobian(places, touch, c)
                rows = np.array([[np.broadcast_to(x, SAMPLES) for x in row] for row in (*jacobian, *turning)])
                size = np.abs(rows).max(initial=0.0)
                if size == 0.0:
                    continue
                count = len(found)
                if isinstance(c.on, HalfSpace) or isinstance(c.shape, HalfSpace):
                    laws = (c.friction, c.spin, c.roll, c.restitution, c.dimension)
                    gap = np.broadcast_to(touch.gap, SAMPLES)[None, None]
                    content = np.concatenate([gap, rows.reshape(1, -1, SAMPLES)], axis=1)
                    twins = (n for n, x, y in seen if x == laws and _is_same(y, content, size))
                    count = next(twins, count)
                    if count == len(found):
                        seen.append((count, laws, content))
                self._blocks_of[k, index] = count
                if count < len(found):
                    continue
                found.append(_Point(k, index, self._block(c, rows, size)))
        return found

    def _block(self, c: Contact, rows: Any, size: float) -> Block:
        moves = np.abs(rows).max(axis=2) > SAME * size
        if not isinstance(c.shape, ROUND) or not isinstance(c.on, (*ROUND, HalfSpace)):
            moves[:] = moves.any(axis=0)  # points of faces and edges may be others elsewhere
        columns = {j for i in np.flatnonzero(moves.any(axis=0)) for j in self._below(int(i))}
        slides = int(moves[1:3].any(axis=1).sum()) if c.friction else 0
        if slides == 1 and not moves[1].any():
            slides = 2  # the tangents are used in their order
        turns = turning_rows(c)
        spins = int(turns >= 1 and c.spin > 0.0 and bool(moves[3].any()))
        rolls = 2 if turns == 3 and c.roll > 0.0 and moves[4:6].any() else 0
        return Block("contact", tuple(sorted(columns)), 1 + slides, spins, rolls, bool(self.driven))

    def rotating(self, tree: Model) -> list[Body]:
        """Single bodies that rotate freely: nothing binds them."""
        bound = {i for columns in self._together for i in columns}
        return [b for b in single_bodies(tree, self.driven) if not bound & {*range(tree.nv)[tree.v_slices[b.name]]}]

    @property
    def contacts_of_points(self) -> list[Contact]:
        """The contacts of the blocks of points, in their order."""
        return [self.obstacles[p.obstacle] for p in self._points]  # type: ignore[misc]

    def tree_of(self, parameters: Any) -> Model:
        """The tree of bodies with these numbers as its parameters, if it has any."""
        if self.parameters is None:
            return self.tree
        return varied_model(self.tree, self.model, self.parameters.kind, self.parameters.bodies, parameters)

    def later(self, u: Any, activation: Any, dt: Any) -> list[Any]:
        """The activations at the end of the step."""
        return next_activation(self.model, self.actuators, u, activation, dt)

    def terms(
        self, q: Any, v: Any, u: Any, dt: Any, *, activation: Any = None, later: Any = None, friction: Scalar = 1.0,
        gravity: Any = None, gain: Any = None, parameters: Any = None, external: Any = None,
    ) -> StepTerms:  # fmt: skip
        """All terms at (q, v) with the controls or joint forces u; of driven joints u has the accelerations."""
        tree = self.tree_of(parameters)
        if gravity is not None:
            tree = replace(tree, gravity=Vec3.of(gravity))
        q, v = JointVector(q, tree.q_slices), JointVector(v, tree.v_slices)
        M = [list(row) for row in mass_matrix(tree, q)]
        moving = [carried_centre(tree, b, M) for b in self.carriers]
        about = centres(tree, self.driven, moving)
        inertia = [list(row) for row in M]
        constant, add_implicit = self._forces(tree, q, v, (u, activation, later, gain), dt)
        add_implicit(M)
        factors = Factors(M, tree_order(tree))
        roots = factors.roots
        bound = BoundMotions(replace(self.rows, model=tree), q, factors, roots) if self.is_bound else None

        rotating = self.rotating(tree)

        def forces(v: Any) -> list[Any]:
            """All forces but those of inertia; gyroscopic forces of rotating bodies act after the impulses."""
            bias, later = self._bias(tree, q, v, external), gyroscopic_forces(tree, rotating, v)
            return [x - y + z for x, y, z in zip(constant, bias, later, strict=True)]

        def pushed(v: Any) -> tuple[list[Any], list[Any]]:
            """Accelerations, and the joint forces of what binds the robot."""
            if bound is None:
                return factors.rest(factors.half(forces(v))), []
            return bound.acceleration(q, v, forces(v), [u[i] for i in self.driven])

        def acceleration(q: Any, v: Any) -> list[Any]:
            return pushed(v)[0]

        free, middle, a = free_velocities(tree, rotating, q, v, acceleration, dt, about)
        balance: list[Any] = [0.0] * (1 + tree.nv)
        if self.jointed:
            reaction = pushed(middle)[1] if self.closed else []
            free, balance = balances(tree, self.jointed, inertia, q, v, free, middle, a, dt, reaction)
        if bound is not None and self.closed:
            free = bound.nearest(free, inertia)
        w = factors.whitened(free, roots)
        motions = bound or FreeMotions(factors, roots)
        blocks, gaps, hits, missed = self._touching(tree, q, v, free, motions, dt, friction)
        mean = w
        if hits:
            weight = self._bias(tree, q, [0.0] * tree.nv, external)
            fall = factors.whitened(factors.rest(factors.half(weight)), roots)
            half = where(sum(hits[1:], hits[0]) > 0.5, 0.5 * dt, 0.0)
            mean = [x + half * y for x, y in zip(w, fall, strict=True)]
        return StepTerms(w, factors, roots, blocks, gaps, moving, free, balance, mean, missed)

    def _bias(self, tree: Model, q: Any, v: Any, external: Any) -> list[Any]:
        """Forces of inertia and weight, less those of external wrenches."""
        bare, v = spanning_tree(tree), JointVector(v, tree.v_slices)
        if not external:
            return list(bias_forces(bare, q, v))
        still = JointVector([0.0] * tree.nv, tree.v_slices)
        reference = self.binding.reference
        return list(inverse_dynamics(bare, q, v, still, external=external, external_reference=reference))

    @property
    def bounces(self) -> bool:
        """Whether there is any restitution."""
        return any(c.restitution for c in self.obstacles)

    def about(self, moving: Sequence[Vec3]) -> Centres:
        return centres(self.tree, self.driven, moving)

    def _forces(self, tree: Model, q: Any, v: Any, inputs: Any, dt: Any) -> tuple[list[Any], Any]:
        """τ - h K v, all forces but those of inertia and weight, and a function that adds h D + h² K to a matrix."""
        u, activation, later, gain = inputs
        force: list[Any] = [0.0] * tree.nv
        damping: dict[tuple[int, int], Any] = {}
        stiffness: dict[tuple[int, int], Any] = {}
        if self.passive:
            force = list(passive_forces(tree, q, v, coulomb=False))
            if not is_coupled(tree):
                for b in tree.bodies:
                    at = tree.v_slices[b.name].start
                    damping |= {(at + i, at + i): d for i, d in enumerate(b.dynamics.damping) if d}
                    stiffness |= {(at + i, at + i): k for i, k in enumerate(b.dynamics.stiffness) if k}
        if self.actuators:
            acts = actuator_forces(self.model, self.actuators, list(q), list(v), u, activation, later, gain)
            tau = acts.tau
            for entries, more in ((damping, acts.damping), (stiffness, acts.stiffness)):
                for at, x in more.items():
                    entries[at] = entries.get(at, 0.0) + x
        else:
            tau = [0.0 if i in self.driven else x for i, x in enumerate(u)]
        force = [x if is_zero(y) else x + y for x, y in zip(force, tau, strict=True)]
        for (i, j), k in stiffness.items():
            force[i] = force[i] - dt * k * v[j]

        def add_implicit(M: list[list[Any]]) -> None:
            for entries, scale in ((damping, dt), (stiffness, dt * dt)):
                for (i, j), x in entries.items():
                    if not is_zero(M[i][j]):
                        M[i][j] = M[i][j] + scale * x

        return force, add_implicit

    def _touching(
        self, tree: Model, q: Any, v: Any, free: Any, motions: FreeMotions | BoundMotions, dt: Any, friction: Any
    ) -> tuple[list[BlockTerms], list[Any], list[Any], list[Any]]:
        """Blocks, gaps, of what has restitution whether it hits (1 or 0), and what rigid rows violate, m/s."""
        places, blocks = Places(tree, q), []
        speeds = BodySpeeds(places, free)
        fall = FALL * dt * dt * sqrt(tree.gravity.dot(tree.gravity) + 1e-12)
        if self.spreads:
            fall = fall + REACH * dt * speeds.largest([c for c in self.obstacles if isinstance(c, Contact)])
        gaps: list[Any] = []
        hits: list[Any] = []
        missed: list[Any] = []
        touching: dict[int, Any] = {}
        for p in self._points:
            c = self.obstacles[p.obstacle]
            assert isinstance(c, Contact)
            if p.obstacle not in touching:
                touching[p.obstacle] = self._touches(places, c, speeds, dt, fall)
            way, found, passes = touching[p.obstacle]
            terms, gap = self._point_terms(
                places, p, c, found[p.index], (way, passes[p.index]), v, free, motions, dt, friction, speeds, fall,
                hits, missed,
            )  # fmt: skip
            blocks.append(terms)
            gaps.append(gap)
        for k in self._stops:
            terms, gap = self._stop_terms(self.obstacles[k], q, v, free, motions, dt, hits, missed)
            blocks.append(terms)
            gaps.append(gap)
        limits = friction_limits(self.tree)
        for i in self.rubbing:
            block = self._single("friction", i)
            z, moves, shift = self._rows_of(block, [_unit(self.tree.nv, i)], free, motions)
            law = [limits[i] * dt * moves, *shift]
            blocks.append(BlockTerms(block, z, law, _mobility(block, z, moves)))
        return blocks, gaps, hits, missed

    def _rows_of(
        self, block: Block, rows: Sequence[Any], free: Any, motions: FreeMotions | BoundMotions
    ) -> tuple[list[list[Any]], Any, list[Any]]:
        """The whitened rows of a block, whether impulses move the first (1 or 0), and the shifts of a shifted block."""
        pairs = [motions.row(row) for row in rows]
        z = [_entries(block, x) for x, _ in pairs]
        shift = [motions.shift(row, x, free) for row, (x, _) in zip(rows, pairs, strict=True)] if block.shifted else []
        return z, pairs[0][1], shift

    def _touches(
        self, places: Places, c: Contact, speeds: BodySpeeds, dt: Any, fall: Any
    ) -> tuple[Any, list[Touch], list[Any]]:
        """The way of the pair if bounding balls may meet, else -1 (None: not asked), its touches, and which pass."""
        first, second = places.pose(c.frame) @ c.placement, places.pose(c.to) @ c.on_placement
        if isinstance(c.on, HalfSpace) or isinstance(c.shape, HalfSpace):
            found = touches(c.shape, first, c.on, second)
            return None, found, [0.0] * len(found)
        balls = [bounding_ball(x) for x in (c.shape, c.on)]
        centre = [X * ball[0] for X, ball in zip((first, second), balls, strict=True)]
        between = centre[0] - centre[1]
        way = REACH * dt * speeds.relative(c, centre, [b[1] for b in balls]) + fall
        reach = way + (balls[0][1] + balls[1][1] + c.margin)
        near, found = where(between.dot(between) < reach * reach, 1.0, 0.0), touches(c.shape, first, c.on, second)
        way = where(near > 0.5, way, -1.0)
        if not (isinstance(c.shape, PASSABLE) and isinstance(c.on, PASSABLE)):
            return way, found, [0.0] * len(found)
        V1, V2 = speeds.motions(c)
        meeting = [_meets(t, c.margin, (V1 - V2).at(t.point), dt) for t in found]
        passes = passing(c.shape, first, V1, c.on, second, V2, dt, found[0].normal, c.margin)
        passes = guard(sum(meeting[1:], meeting[0]) > 0.5, passes, 0.0)
        return way, found, [where(x > 0.5, passes, 0.0) for x in meeting]

    def _point_terms(
        self, places: Places, p: _Point, c: Contact, touch: Any, meeting: Any, v: Any, free: Any,
        motions: FreeMotions | BoundMotions, dt: Any, friction: Any, speeds: BodySpeeds, fall: Any, hits: list[Any],
        missed: list[Any],
    ) -> tuple[BlockTerms, Any]:  # fmt: skip
        block, (way, passes) = p.block, meeting
        gap = touch.gap - c.margin if c.margin else touch.gap
        if way is None:
            way = REACH * dt * speeds.at(c, touch.point) + fall
        else:
            gap = guard(way > 0.0, gap, FAR)
        near = where(gap < way, 1.0, 0.0)
        jacobian, turning = contact_jacobian(places, touch, c)
        rows = [*jacobian[: block.core], *turning[: block.spins], *turning[1 : 1 + block.rolls]]
        z, moves, shift = self._rows_of(block, rows, free, motions)
        landing = where(gap > 0.0, gap, 0.0) / dt
        if c.restitution:
            before, after = (
                sum((x * y for x, y in zip(jacobian[0], u, strict=True) if not is_zero(x)), 0.0) for u in (v, free)
            )
            hit = where(rebounds(before, after), where(gap + dt * before < 0.0, 1.0, 0.0), 0.0)
            landing = where(hit > 0.5, before * c.restitution, landing)
            hits.append(guard(near > 0.5, where(passes > 0.5, 0.0, hit), 0.0))
        landing = where(passes > 0.5, AWAY, landing)
        if self.is_bound:
            rate = dot(jacobian[0], free) + landing
            missed.append(where(moves > 0.5, 0.0, where(rate < 0.0, -rate, 0.0)))
            near = where(moves > 0.5, near, 0.0)
        law = [landing, c.friction * friction, c.spin * friction, c.roll * friction, *shift]
        values = [x for row in z for x in row]
        mobility = own_mobility(block, z, law[1])
        off = [[0.0] * len(values), [1.0] * len(mobility), AWAY]
        values, mobility, law[0] = guard(near > 0.5, [values, mobility, law[0]], off)
        n = len(block.columns)
        return BlockTerms(block, [values[k * n : (k + 1) * n] for k in range(block.rows)], law, mobility), gap

    def _stop_terms(
        self, stop: Any, q: Any, v: Any, free: Any, motions: FreeMotions | BoundMotions, dt: Any, hits: list[Any],
        missed: list[Any],
    ) -> tuple[BlockTerms, Any]:  # fmt: skip
        at, i, lower, upper = stopped(self.model, stop)
        block = self._single("stop", i)
        z, moves, shift = self._rows_of(block, [_unit(self.tree.nv, i)], free, motions)
        below, above = q[at] - lower, upper - q[at]
        least: Any = -1e6
        most: Any = 1e6
        if math.isfinite(lower):
            least = where(below > 0.0, -below, 0.0) / dt
            if stop.restitution:
                hit = where(below + dt * v[i] < 0.0, where(v[i] < 0.0, 1.0, 0.0), 0.0)
                hits.append(hit)
                back, room = -stop.restitution * v[i], where(above > 0.0, above, 0.0) / dt
                least = where(hit > 0.5, where(back < room, back, room), least)
        if math.isfinite(upper):
            most = where(above > 0.0, above, 0.0) / dt
            if stop.restitution:
                hit = where(above - dt * v[i] < 0.0, where(v[i] > 0.0, 1.0, 0.0), 0.0)
                hits.append(hit)
                back, room = -stop.restitution * v[i], where(below > 0.0, -below, 0.0) / dt
                most = where(hit > 0.5, where(back > room, back, room), most)
        gap = (
            above
            if not math.isfinite(lower)
            else below
            if not math.isfinite(upper)
            else where(below < above, below, above)
        )
        if self.is_bound:
            less, more = least - free[i], free[i] - most
            beyond = where(less > 0.0, less, where(more > 0.0, more, 0.0))
            missed.append(where(moves > 0.5, 0.0, beyond))
            least, most = where(moves > 0.5, least, -1e6), where(moves > 0.5, most, 1e6)
        return BlockTerms(block, z, [least, most, *shift], _mobility(block, z, moves)), gap


def _meets(touch: Touch, margin: float, relative: Vec3, dt: Scalar) -> Scalar:
    """1 if a point that is well apart at the start is not so along its normal at the end of free motion, else 0."""
    way = dt * relative.dot(touch.normal)
    gap = touch.gap - margin
    return where(gap + way < 0.0, where(gap > -APART * way, 1.0, 0.0), 0.0)


def _is_same(x: Any, y: Any, size: float) -> bool:
    return bool(x.shape == y.shape and np.abs(x - y).max() < SAME * (1.0 + size))


def _unit(n: int, i: int) -> list[float]:
    return [float(k == i) for k in range(n)]


def _mobility(block: Block, z: Sequence[Sequence[Any]], moves: Any) -> list[Any]:
    """Of a block with one row: 1 where nothing moves it."""
    return [where(moves > 0.5, x, 1.0) for x in own_mobility(block, z, 0.0)]


def _entries(block: Block, z: Sequence[Any]) -> list[Any]:
    return [z[k] for k in block.columns]
