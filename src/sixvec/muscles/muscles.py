"""Muscles as their files describe them: forces that depend on activation, length and velocity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.checks import common_batch
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, ModelError, unknown
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.lazy import lazy
from sixvec.model import Actuator, JointTransmission, Muscle, TendonTransmission
from sixvec.model.actuator import Range
from sixvec.model.muscle_law import activation_rate, active_force, is_known, normalised, passive_force
from sixvec.model.spanning_tree import require_tree
from sixvec.muscles.least_effort import least_effort
from sixvec.muscles.pulling import coordinate_labels
from sixvec.muscles.tensions import Tensions, missing_most
from sixvec.tolerances import ROUNDING

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class MuscleForces(Result):
    """Tensions (..., muscles) in N, positive where a muscle pulls, and the joint forces tau (..., nv) of all muscles.

    `tension` = activation · `active` + `passive`, within the force range of the actuator if it has one.
    """

    tension: Array
    active: Array
    """The tension that full activation adds."""
    passive: Array
    """The tension without activation."""
    tau: Array


class Muscles:
    """The muscles of a robot: its actuators with a `Muscle`, on tendons or joints, in the order of the controls.

    `length_ranges` gives muscles, by their names, a shortest and a longest length, where the file leaves them to be
    computed or others are needed.  A muscle without a peak force has scale / |M⁻¹ Jᵀ| at the position of the file: the
    force that gives every muscle the same strength relative to what it moves.  Mechanisms with loops raise an error
    where that is needed.

    >>> import sixvec
    >>> from sixvec.model import Actuator, FixedTendon, Muscle, TendonTransmission
    >>> from dataclasses import replace
    >>> arm = sixvec.load("planar_2r").with_tendons(FixedTendon("flexor", (("joint2", -0.05),), 0.3))
    >>> muscle = Muscle(force=800.0, length_range=(0.2, 0.4))
    >>> pull = Actuator("flexor", TendonTransmission("flexor"), muscle=muscle)
    >>> flexor = sixvec.muscles.Muscles(sixvec.Robot(replace(arm.model, actuators=(pull,))))
    >>> flexor.forces([0.0, 0.0], [0.0, 0.0], [0.5]).tau.round(6).tolist()
    [0.0, 18.4]
    """

    def __init__(self, robot: Robot, length_ranges: Mapping[str, Range] | None = None) -> None:
        self.robot = robot
        self._actuators = tuple(a for a in robot.model.actuators if a.muscle is not None and not a.unsupported)
        if not self._actuators:
            raise ModelError(f"{robot.name} has no muscles: actuators with a sixvec.model.Muscle")
        self.names = tuple(a.name for a in self._actuators)
        for name in length_ranges or {}:
            if name not in self.names:
                raise ArgumentError(f"length_ranges: {unknown('muscle', name, self.names, robot.name)}")
        self._laws = [muscle_of(a) for a in self._actuators]
        self._ranges = [self._length_range(a, dict(length_ranges or {})) for a in self._actuators]
        for a in self._actuators:
            if not isinstance(a.transmission, TendonTransmission | JointTransmission) or len(_gears(a)) != 1:
                raise ModelError(
                    f'{robot.name}: muscle "{a.name}" drives neither a tendon nor a joint with one freedom'
                )

    def __repr__(self) -> str:
        return f"<Muscles of {self.robot.name}: {len(self.names)}>"

    def __len__(self) -> int:
        return len(self.names)

    def _length_range(self, a: Actuator, ranges: Mapping[str, Range]) -> Range:
        length_range = ranges.get(a.name, muscle_of(a).length_range)
        if length_range is None or not is_known(length_range):
            raise ModelError(
                f'{self.robot.name}: muscle "{a.name}" needs its shortest and longest length, '
                f"not {length_range}; give the file a lengthrange, or write "
                f"Muscles(robot, length_ranges={{{a.name!r}: (shortest, longest)}})"
            )
        return float(length_range[0]), float(length_range[1])

    def lengths(self, q: ArrayLike) -> Array:
        """The length (..., muscles) of each muscle: gear times that of its tendon, or times its joint's position."""
        q = real_array("lengths: q", q, self.robot.nq)
        tendons = np.asarray(self.robot.tendon_lengths(q))
        return np.stack([_gears(a)[0] * self._source(a, tendons, q, "q") for a in self._actuators], -1)

    def velocities(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The rate (..., muscles) of each length, negative while a muscle shortens."""
        q, v = real_array("velocities: q", q, self.robot.nq), real_array("velocities: v", v, self.robot.nv)
        rates = np.asarray(self.robot.tendon_velocities(q, v))
        v = np.broadcast_to(v, (*rates.shape[:-1], self.robot.nv))
        return np.stack([_gears(a)[0] * self._source(a, rates, v, "v") for a in self._actuators], -1)

    def jacobian(self, q: ArrayLike) -> Array:
        """∂length/∂q (..., muscles, nv); minus the moment arms."""
        q = real_array("jacobian: q", q, self.robot.nq)
        rows = np.asarray(self.robot.tendon_jacobian(q))
        units = np.broadcast_to(np.eye(self.robot.nv), (*q.shape[:-1], self.robot.nv, self.robot.nv))
        rows = np.swapaxes(rows, -1, -2)  # (..., nv, tendons): as rates for each unit velocity
        columns = [_gears(a)[0] * self._source(a, rows, units, "v") for a in self._actuators]
        return np.stack(columns, -2)

    def _source(self, a: Actuator, of_tendons: Array, of_joints: Array, kind: str) -> Array:
        """The column of what a muscle drives, among those of the tendons or of the joints."""
        model = self.robot.model
        if isinstance(a.transmission, TendonTransmission):
            return of_tendons[..., [t.name for t in model.tendons].index(a.transmission.tendon)]
        assert isinstance(a.transmission, JointTransmission)
        slices = model.q_slices if kind == "q" else model.v_slices
        return of_joints[..., slices[model.joint_by_name[a.transmission.joint].name].start]

    @lazy
    def peak_forces(self) -> Array:
        """The peak force of each muscle, in N."""
        forces = np.array([m.force for m in self._laws])
        if (forces >= 0.0).all():
            return forces
        require_tree(self.robot.model, "Muscles without a peak force")
        q = self._position_of_the_file()
        J = self.jacobian(q)
        for a, row, length, force in zip(self._actuators, J, self.lengths(q), forces, strict=True):
            if force < 0.0 and np.abs(row).max(initial=0.0) <= ROUNDING * abs(length):
                raise ModelError(
                    f'{self.robot.name}: muscle "{a.name}" moves no joint at the position of the file, so its peak '
                    f"force cannot be computed from its effect there; give it a force"
                )
        effect = np.linalg.norm(np.linalg.solve(np.asarray(self.robot.mass_matrix(q)), J.T), axis=0)
        scale = np.array([m.scale for m in self._laws])
        return np.where(forces >= 0.0, forces, scale / np.where(forces >= 0.0, 1.0, effect))

    def _position_of_the_file(self) -> Array:
        model = self.robot.model
        if "qpos0" in (k.name for k in model.keyframes):
            return np.asarray(model.keyframe("qpos0").q)
        return np.asarray(self.robot.neutral())

    def _shares(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Tensions due to full activation and to stretching."""
        lengths, rates = self.lengths(q), self.velocities(q, v)
        lengths = np.broadcast_to(lengths, rates.shape)
        active, passive = [], []
        for i, (m, ends) in enumerate(zip(self._laws, self._ranges, strict=True)):
            L, V = normalised(m, ends, lengths[..., i], rates[..., i])
            active.append(active_force(m, L, V) + 0.0 * (L + V))  # NaN in, NaN out
            passive.append(passive_force(m, L) + 0.0 * (L + V))
        return np.stack(active, -1) * self.peak_forces, np.stack(passive, -1) * self.peak_forces

    @any_arrays_same_dtype
    def forces(self, q: ArrayLike, v: ArrayLike, activation: ArrayLike) -> MuscleForces:
        """Tensions and joint forces at q (..., nq) and v (..., nv), with activations (..., muscles) from 0 to 1."""
        w = real_array("forces: activation", activation, len(self), why="one for each muscle")
        active, passive = self._shares(q, v)
        common_batch("forces", [active.shape[:-1], w.shape[:-1]], ["q, v", "activation"])
        tension = w * active + passive
        low, high = self._force_ranges()
        tension = np.clip(tension, low, high)
        tau = 0.0 - np.einsum("...ij,...i->...j", self.jacobian(q), tension)
        shape = np.broadcast_shapes(active.shape, tension.shape)
        return MuscleForces(tension, np.broadcast_to(active, shape), np.broadcast_to(passive, shape), tau)

    def _force_ranges(self) -> tuple[Array, Array]:
        """Limits of tension; files limit the force, which is negative where a muscle pulls."""
        ends = [a.force_range or (-np.inf, np.inf) for a in self._actuators]
        return np.array([-high for _, high in ends]), np.array([-low for low, _ in ends])

    @any_arrays_same_dtype
    def activation_rates(self, control: ArrayLike, activation: ArrayLike) -> Array:
        """Rates (..., muscles) of the activations, in 1/s, under the controls: `sixvec.model.muscle_law`."""
        u = real_array("activation_rates: control", control, len(self), why="one for each muscle")
        w = real_array("activation_rates: activation", activation, len(self), why="one for each muscle")
        shape = np.broadcast_shapes(u.shape, w.shape)
        u, w = np.broadcast_to(u, shape), np.broadcast_to(w, shape)
        return np.stack([activation_rate(m, u[..., i], w[..., i]) for i, m in enumerate(self._laws)], -1)

    @any_arrays_same_dtype
    def activations(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Tensions:
        """The activations in [0, 1] with the least sum of squares that produce the joint forces tau (..., nv).

        They are the result's `activation`.  Passive forces act as well, so that at full stretch some joint forces are
        infeasible.
        """
        active, passive = self._shares(q, v)
        R = -np.swapaxes(self.jacobian(q), -1, -2)
        goal = real_array("activations: tau", tau, self.robot.nv) - np.einsum("...ij,...j->...i", R, passive)
        count = len(self)
        s = least_effort(
            R * active[..., None, :], goal, np.zeros(count), np.ones(count), np.ones(count), np.zeros(count)
        )
        tension = s.x * active + passive
        names = tuple(coordinate_labels(self.robot))
        produced = np.einsum("...ij,...j->...i", R, tension)
        joint = missing_most(s, list(range(self.robot.nv)))
        return Tensions(tension, produced, s.lack, s.verdict, joint, names, s.x)


def muscle_of(a: Actuator) -> Muscle:
    assert a.muscle is not None
    return a.muscle


def _gears(a: Actuator) -> tuple[float, ...]:
    t: Any = a.transmission
    return tuple(t.gear) if isinstance(t.gear, tuple) else (t.gear,)
