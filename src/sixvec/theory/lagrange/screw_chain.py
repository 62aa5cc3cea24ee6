"""Newton-Euler dynamics of a serial chain described by screws in the home position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sixvec.errors import ModelError, ShapeError
from sixvec.lazy import lazy
from sixvec.model import WORLD, Model
from sixvec.model.canonical import canonical
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Motion, Pose, RigidInertia


@dataclass(frozen=True)
class ScrewChain:
    """Links by their home pose in the world, joints by their screw axis there (Lynch-Park §9.3).

    `inertias` are given in the link frames, which need not be at the centres of mass; `tip` is a frame in the
    last link.  `rotors` are inertias reflected to the joints, which the book omits; empty for none.  Scalars may
    be floats, traced nodes or SymPy symbols.  Lynch-Park (9.35).

    >>> from sixvec.spatial import Motion, Pose, RigidInertia, Rotation, Sym3, Vec3
    >>> from sixvec.theory.lagrange import ScrewChain
    >>> bob = RigidInertia.from_center_of_mass(2.0, Vec3(1.0, 0.0, 0.0), Sym3.zero())
    >>> hinge = Motion(Vec3(0.0, -1.0, 0.0), Vec3.zero())
    >>> up = Motion(Vec3.zero(), Vec3(0.0, 0.0, 10.0))  # the base accelerates against gravity
    >>> ScrewChain((Pose.identity(),), (hinge,), (bob,)).inverse_dynamics([0.0], [0.0], [0.0], base_acceleration=up)
    [20.0]
    """

    home: tuple[Pose, ...]
    screws: tuple[Motion, ...]
    inertias: tuple[RigidInertia, ...]
    tip: Pose = field(default_factory=Pose.identity)
    rotors: tuple[Scalar, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.home) == len(self.screws) == len(self.inertias):
            raise ShapeError(
                f"a chain needs a pose, a screw and an inertia per link, not {len(self.home)}, {len(self.screws)} "
                f"and {len(self.inertias)}"
            )
        if self.rotors and len(self.rotors) != len(self.home):
            raise ShapeError(
                f"a chain of {len(self.home)} links needs a rotor per link or none, not {len(self.rotors)}"
            )

    @classmethod
    def of(cls, robot: Robot | Model, frame: str | None = None) -> ScrewChain:
        """A serial robot of single freedoms at its neutral position; the tip is a frame of its last body.

        Its `armature` becomes the rotors.  Dampers, friction and springs are ignored, as in `inverse_dynamics`.

        >>> import sixvec
        >>> from sixvec.theory.lagrange import ScrewChain
        >>> len(ScrewChain.of(sixvec.load("panda")).screws)
        7
        """
        model = canonical(require_model(robot, "ScrewChain.of"))
        require_unconstrained(model, "ScrewChain.of")
        _require_chain(model)
        links = model.bodies
        home, X = [], Pose.identity()
        for b in links:
            X = X @ b.placement @ b.joint.pose(b.joint.neutral())
            home.append(X)
        axes = [b.joint.subspace(b.joint.neutral())[0] for b in links]
        screws = tuple(X_WB @ s for X_WB, s in zip(home, axes, strict=True))
        last = model.frame(frame) if frame else None
        if last and last.body != links[-1].name:
            raise ModelError(f'{model.name}: frame "{frame}" is not on the last body "{links[-1].name}"')
        tip = last.placement if last else Pose.identity()
        rotors = tuple(b.armature[0] for b in links)
        return cls(tuple(home), screws, tuple(b.inertia for b in links), tip, rotors)

    @lazy
    def axes(self) -> tuple[Motion, ...]:
        """A_i = Ad(M_i⁻¹) S_i, in link coordinates (Lynch-Park (9.40); Lynch-Park (9.51) prints M_{i-1})."""
        return tuple(X.inv() @ S for X, S in zip(self.home, self.screws, strict=True))

    def _poses_in_parent(self, theta: Sequence[Scalar]) -> list[Pose]:
        """T_{i-1,i} = M_{i-1}⁻¹ M_i exp(A_i θ_i) (Lynch-Park (9.35))."""
        before = (Pose.identity(), *self.home[:-1])
        return [
            Y.inv() @ X @ Pose.exp(A * t) for Y, X, A, t in zip(before, self.home, self.axes, theta, strict=True)
        ]  # fmt: skip

    def inverse_dynamics(
        self,
        theta: Sequence[Scalar],
        rate: Sequence[Scalar],
        acceleration: Sequence[Scalar],
        *,
        base_twist: Motion | None = None,
        base_acceleration: Motion | None = None,
        tip_wrench: Force | None = None,
    ) -> list[Any]:
        """τ_i = A_iᵀ F_i, with twists outward and wrenches inward, plus the torques of the rotors.

        Lynch-Park (9.49)-(9.57).

        `base_acceleration` is the base's spatial acceleration less gravity: (0; -g) for a base at rest.  `tip_wrench`
        is exerted by the tip on its surroundings, in the tip frame.  Lynch-Park (9.58).
        """
        n = len(self.home)
        for name, entries in (("theta", theta), ("rate", rate), ("acceleration", acceleration)):
            if len(entries) != n:
                raise ShapeError(f"{name} has {len(entries)} entries; the chain has {n} joints")
        V, dV = base_twist or Motion.zero(), base_acceleration or Motion.zero()
        T, forces = self._poses_in_parent(theta), []
        for X, A, G, w, dw in zip(T, self.axes, self.inertias, rate, acceleration, strict=True):
            V = X.inv() @ V + A * w
            dV = X.inv() @ dV + V.cross(A * w) + A * dw
            forces.append(G @ dV + V.cross(G @ V))  # G V̇ - adᵀ_V G V
        F = self.tip @ (tip_wrench or Force.zero())
        tau: list[Any] = [0.0] * n
        for i in reversed(range(n)):
            F = F + forces[i]
            tau[i] = self.axes[i].dot(F)
            F = T[i] @ F
        return [t + r * dw for t, r, dw in zip(tau, self.rotors or [0.0] * n, acceleration, strict=True)]


def _require_chain(model: Model) -> None:
    """Raise an error for models that screws cannot describe, naming the first body that is not a link of a chain."""
    before = WORLD
    for i, b in enumerate(model.bodies):
        why = ""
        if b.mimic:
            why = f'follows that of "{b.mimic.leader}"'
        elif b.joint.nv != 1:
            why = f"has {b.joint.nv} freedoms"
        elif b.parent != before:
            why = f'does not move against "{before}"'
        elif model.v_slices[b.name].start != i:
            why = "has another place in q than along the chain"
        if why:
            raise ModelError(
                f"{model.name} is not a serial chain of independent joints with one freedom each: the joint of body "
                f'"{b.name}" {why}; use inverse_dynamics'
            )
        before = b.name
