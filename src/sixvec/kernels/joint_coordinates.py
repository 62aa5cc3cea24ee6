"""The coordinates of a robot: names, limits, and positions as vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, real_array, require_shape, whole_number
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.any_arrays import any_arrays, differentiable
from sixvec.kernels.store import Kernels
from sixvec.lazy import lazy
from sixvec.model.coordinate_names import joint_slices
from sixvec.model.coupling import is_coupled
from sixvec.model.position_limits import position_limits, velocity_limits
from sixvec.model.wrong_positions import warn_of_degrees
from sixvec.quoting import quoted


class JointCoordinates:
    """The meaning of the entries of q and v."""

    _kernels: Kernels

    @lazy
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of q and v."""
        return tuple(b.joint_name or b.name for b in self._kernels.model.moving)

    @lazy
    def lower(self) -> Array:
        """Lower position limit of each coordinate of q, -inf where unlimited."""
        return self._limits("lower", "nq", -np.inf)

    @lazy
    def upper(self) -> Array:
        """Upper position limit of each coordinate of q, inf where unlimited."""
        return self._limits("upper", "nq", np.inf)

    @lazy
    def velocity_limits(self) -> Array:
        """Largest speed of each coordinate of v, inf where unlimited, for joints that follow it as well."""
        return self._limits("velocity", "nv", np.inf)

    @lazy
    def effort_limits(self) -> Array:
        """Largest force or torque of each coordinate of v, inf where unlimited."""
        return self._limits("effort", "nv", np.inf)

    def _limits(self, kind: str, count: str, unlimited: float) -> Array:
        values: list[float] = []
        for b in self._kernels.model.moving:
            values += getattr(b.limits, kind) or [unlimited] * getattr(b.joint, count)
        if is_coupled(self._kernels.model) and kind != "effort":
            model = self._kernels.model
            values = velocity_limits(model) if kind == "velocity" else position_limits(model)[kind == "upper"]
        array = np.array(values, float)
        array.flags.writeable = False
        return array

    def neutral(self) -> Array:
        """The position with all joints at zero (quaternions at identity)."""
        return np.array([x for b in self._kernels.model.moving for x in b.joint.neutral()], float)

    def random(self, rng: np.random.Generator | int | None = None, *shape: int) -> Array:
        """Random positions (*shape, nq) within the limits; unlimited angles cover a full turn, lengths ±1 m.

        Ranges wider than 1e5 rad or m count as unlimited.

        >>> import sixvec
        >>> sixvec.load("panda").random(0, 1000).shape
        (1000, 7)
        """
        shape = tuple(whole_number(f"random: size {k} of the batch", n) for k, n in enumerate(shape))
        generator = rng if isinstance(rng, np.random.Generator) else _generator(rng)
        parts = [np.empty((*shape, 0))]
        for b in self._kernels.model.moving:
            at = self._kernels.model.q_slices[b.name]
            parts.append(b.joint.sample(generator, self.lower[at], self.upper[at], shape))
        return np.concatenate(parts, axis=-1)

    @any_arrays
    def joint_vector(self, values: Mapping[str, ArrayLike], q0: ArrayLike | None = None) -> Array:
        """The position q (..., nq) with the given values of these joints, the others as in `q0` (or neutral).

        Values are numbers, or arrays with one entry per coordinate of the joint, after any batch axes; they broadcast.

        >>> import sixvec
        >>> sixvec.load("planar_2r").joint_vector({"joint2": 0.5}).tolist()
        [0.0, 0.5]
        """
        start = real_array("joint_vector: q0", self.neutral() if q0 is None else q0)
        if not isinstance(values, Mapping):
            raise ArgumentError(
                f"joint_vector: values must be a dictionary from joint name to value, not a {type(values).__name__}"
            )
        require_shape("joint_vector: q0", start, self._kernels.model.nq)
        parts = {name: self._values(name, value) for name, value in values.items()}
        named = {"q0": start, **parts}
        batch = common_batch("joint_vector", [x.shape[:-1] for x in named.values()], list(named))
        q = np.broadcast_to(start, (*batch, start.shape[-1])).copy()
        for name, x in parts.items():
            q[..., self._joint_slices[name]] = x
        warn_of_degrees(self._kernels.model, q)
        return q

    @any_arrays
    @differentiable(lambda robot, q: robot._parts_of(q))
    def joint_values(self, q: ArrayLike) -> dict[str, Array]:
        """Each joint's part of q (..., nq), under its name: a number (...) or, for several coordinates, (..., n).

        >>> import sixvec
        >>> {name: x.item() for name, x in sixvec.load("planar_2r").joint_values([0.0, 0.5]).items()}
        {'joint1': 0.0, 'joint2': 0.5}
        """
        return self._parts_of(real_array("joint_values: q", q, self._kernels.model.nq))

    def _parts_of(self, q: Any) -> dict[str, Any]:
        parts = {name: q[..., at] for name, at in self._joint_slices.items()}
        return {name: value[..., 0] if value.shape[-1] == 1 else value for name, value in parts.items()}

    @lazy
    def _joint_slices(self) -> dict[str, slice]:
        return joint_slices(self._kernels.model, "q")

    def _values(self, name: str, value: ArrayLike) -> Array:
        if name not in self._joint_slices:
            raise ArgumentError(unknown("joint", name, self.joint_names, self._kernels.model.name))
        at, x = self._joint_slices[name], real_array(f'the value of joint "{name}"', value)
        width = at.stop - at.start
        x = x[..., None] if width == 1 and x.shape[-1:] != (1,) else x
        require_shape(f'the value of joint "{name}"', x, width, why="its coordinates")
        return x


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as problem:
        raise ArgumentError(
            f"random: rng must be a generator of NumPy, a whole number from 0 or None, not {quoted(repr(seed))}; "
            "the sizes of the batch come after it"
        ) from problem
