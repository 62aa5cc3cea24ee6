"""The contact problem of a time step: free velocities, whitened rows and laws of all blocks, traced on scalars.

Without impulses a step of length h leads to  v_f = v + h a  with

    (M + h D + h² K) a = τ - b(q, v) - h K v,

D the damping and K the stiffness of joints and actuators: both act at the end of the step, so that stiff ones stay
stable.  A = M + h D + h² K is factorised along the tree, and the rows of contacts are whitened by its factors
(`constraints/contacts/block_sweeps.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from sixvec.algorithms.bias_forces import bias_forces
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.algorithms.passive_forces import passive_forces
from sixvec.constraints.contacts.block_sweeps import BlockTerms
from sixvec.constraints.contacts.contact import Contact, Obstacle
from sixvec.model import Actuator, Body, Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import is_coupled
from sixvec.model.edits.vary import KINDS, varied_model
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import spanning_tree, without_rolling
from sixvec.robot import Robot
from sixvec.scalar import Scalar, is_zero, where
from sixvec.sim.actuators import actuator_forces, next_activation
from sixvec.sim.bound_motions import BoundMotions, FreeMotions, bound_columns
from sixvec.sim.energy_balance import balances
from sixvec.sim.free_rotation import gyroscopic_forces, single_bodies
from sixvec.sim.free_velocities import free_velocities
from sixvec.sim.friction import friction_limits
from sixvec.sim.groups import groups
from sixvec.sim.impulse_blocks import ImpulseBlocks
from sixvec.sim.mass_centres import carried_centre, carriers, centres
from sixvec.sim.step_blocks import StepBlocks
from sixvec.sim.step_rows import StepRows
from sixvec.sim.touch_down import begun
from sixvec.spatial import Vec3


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
    rows: StepRows
    """Of loops, wheels and held frames."""
    missed: list[Any] = field(default_factory=list)
    """Of rows that nothing can move, by how much they violate their laws, m/s."""
    places: list[Any] = field(default_factory=list)
    """Of held frames, as numbers."""
    near: list[tuple[Any, Any]] = field(default_factory=list)
    """Of blocks of points, whether they may close in this step (1 or 0), and their gaps if they may."""


class Binding(NamedTuple):
    """What binds a robot besides its loops: wheels that roll and held frames, and driven coordinates; axes of wrenches.

    `flags` and `changing` are those of `sixvec.sim.step_options`: the last entries of `hold` may be on or off.
    """

    hold: tuple[Held, ...] = ()
    driven: tuple[int, ...] = ()
    reference: Reference = "local"
    flags: int = 0
    changing: bool = False

    def rows(self, robot: Model, on: Any = None, places: Any = ()) -> StepRows:
        """The constraint rows of a step."""
        return StepRows(robot, self.hold, self.driven, on, places)


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
        hold, self.driven = self.binding.hold, self.binding.driven
        self.closed = bool(self.tree.closures or hold)
        self.is_bound = bool(self.closed or self.driven)
        self.rows = self.binding.rows(self.tree, (1.0,) * len(hold) if self.binding.changing else None)
        self._together = bound_columns(self.rows) if self.is_bound else []
        self.carriers = carriers(self.tree, self.driven)
        self.jointed = groups(self.tree, self.driven, rolls=bool(hold))
        limits = friction_limits(self.tree)
        self.rubbing = [i for i, f in enumerate(limits) if passive and f and i not in self.driven]
        self.layout = ImpulseBlocks(
            robot, self.model, self.tree, self.obstacles, self.rubbing, self.driven, self._together
        )
        self.blocks = self.layout.blocks

    def rotating(self, tree: Model) -> list[Body]:
        """Single bodies that rotate freely: nothing binds them."""
        bound = {i for columns in self._together for i in columns}
        return [b for b in single_bodies(tree, self.driven) if not bound & {*range(tree.nv)[tree.v_slices[b.name]]}]

    def tree_of(self, parameters: Any) -> Model:
        """The tree of bodies with these numbers as its parameters, if it has any."""
        if self.parameters is None:
            return self.tree
        return varied_model(self.tree, self.model, self.parameters.kind, self.parameters.bodies, parameters)

    def rows_of(self, tree: Model) -> StepRows:
        """Those of loops, wheels and held frames, whose places are not known, of the tree with its parameters."""
        return self.rows.with_masses_of(tree) if self.is_bound else self.rows

    def later(self, u: Any, activation: Any, dt: Any) -> list[Any]:
        """The activations at the end of the step."""
        return next_activation(self.model, self.actuators, u, activation, dt)

    def terms(
        self, q: Any, v: Any, u: Any, dt: Any, *, activation: Any = None, later: Any = None, friction: Scalar = 1.0,
        gravity: Any = None, gain: Any = None, parameters: Any = None, external: Any = None,
        flags: Any = None, places: Any = (), unread: bool = False,
    ) -> StepTerms:  # fmt: skip
        """All terms at (q, v) with the controls or joint forces u; of driven joints u has the accelerations.

        With `flags` of held frames, v is first stopped where holds begin (`sixvec.sim.touch_down`).
        With `unread` the numbers of blocks that are not `near` are any: they must not be read.
        """
        tree = self.tree_of(parameters)
        if gravity is not None:
            tree = replace(tree, gravity=Vec3.of(gravity))
        rows = self.rows_of(tree)
        if flags is not None:
            rows, v, places = begun(tree, self.binding, q, v, flags, places)
        q, v = JointVector(q, tree.q_slices), JointVector(v, tree.v_slices)
        M = [list(row) for row in mass_matrix(tree, q)]
        moving = [carried_centre(tree, b, M) for b in self.carriers]
        about = centres(tree, self.driven, moving)
        inertia = [list(row) for row in M]
        constant, add_implicit = self._forces(tree, q, v, (u, activation, later, gain), dt)
        add_implicit(M)
        factors = Factors(M, tree_order(tree))
        roots = factors.roots
        bound = BoundMotions(rows, q, factors, roots) if self.is_bound else None

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
        blocks = StepBlocks(self.layout, tree, q, v, free, motions, dt, friction, self.spreads, unread)
        mean = w
        if blocks.hits:
            weight = self._bias(tree, q, [0.0] * tree.nv, external)
            fall = factors.whitened(factors.rest(factors.half(weight)), roots)
            half = where(sum(blocks.hits[1:], blocks.hits[0]) > 0.5, 0.5 * dt, 0.0)
            mean = [x + half * y for x, y in zip(w, fall, strict=True)]
        missed = blocks.missed
        return StepTerms(
            w, factors, roots, blocks.terms, blocks.gaps, moving, free, balance, mean, rows, missed, list(places),
            blocks.near,
        )  # fmt: skip

    def _bias(self, tree: Model, q: Any, v: Any, external: Any) -> list[Any]:
        """Forces of inertia and weight, less those of external wrenches."""
        bare, v = spanning_tree(tree), JointVector(v, tree.v_slices)
        if not external:
            return list(bias_forces(bare, q, v))
        still = JointVector([0.0] * tree.nv, tree.v_slices)
        reference = self.binding.reference
        return list(inverse_dynamics(bare, q, v, still, external=external, external_reference=reference))

    @cached_property
    def stacks(self) -> bool:
        """Whether bodies of different trees touch: heavy ones may rest on light ones."""
        return any(len({self._root(c.frame), self._root(c.to)} - {None}) > 1 for c in self.layout.contacts_of_points)

    def _root(self, frame: str | None) -> str | None:
        """The first body on the path to a frame that a joint moves."""
        body = None if frame is None else self.tree.frame(frame).body
        moving = [b.name for b in self.tree.path(body) if b.joint.nv] if body is not None else []
        return moving[0] if moving else None

    @property
    def bounces(self) -> bool:
        """Whether there is any restitution."""
        return any(c.restitution for c in self.obstacles)

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
