"""Robot: the main class of the user interface."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.constraint_terms import row_names
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.algorithms.parts.weightless import warn_of_weightless_joints
from sixvec.arguments.binding import named_arguments
from sixvec.arguments.misspelt import Advised, no_attribute, no_setting
from sixvec.arguments.progress import progress
from sixvec.arguments.untraced import leave_untraced, untraced
from sixvec.errors import ArgumentError
from sixvec.formats import load_model
from sixvec.kernels.any_arrays import alike
from sixvec.kernels.distances import Distant
from sixvec.kernels.evaluate import evaluate
from sixvec.kernels.joint_coordinates import JointCoordinates
from sixvec.kernels.kernel import Kernel
from sixvec.kernels.methods import Methods
from sixvec.kernels.motions import Motions
from sixvec.kernels.near_state import NearState
from sixvec.kernels.portable import library_of
from sixvec.kernels.positions import MANY, Positions
from sixvec.kernels.robot_edits import Edits
from sixvec.kernels.store import Kernels, find_algorithm
from sixvec.kernels.visible import Visible
from sixvec.lazy import lazy
from sixvec.mechanism.rank_notes import warn_of_rounded_loops
from sixvec.model import Model
from sixvec.model.body_frames import with_body_frames
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.spanning_tree import without_rolling
from sixvec.model.symbols import numbers_needed

if TYPE_CHECKING:
    from sixvec.algorithms.parts.reference import Reference
    from sixvec.constraints.contacts.contact import Obstacle
    from sixvec.kernels.varied import VariedRobot
    from sixvec.model.held_frame import Rolling
    from sixvec.sim.contact_rollout import ContactTrajectory
    from sixvec.sim.control import Control
    from sixvec.sim.driving import Driving
    from sixvec.sim.hold_schedule import Hold
    from sixvec.sim.step_options import Trajectory

Array = NDArray[np.floating[Any]]


class Robot(
    Visible, Distant, Positions, Motions, NearState, Edits, JointCoordinates, Methods, metaclass=Advised
):  # fmt: skip
    """A robot ready to compute: one immutable model and its compiled kernels.

    Every algorithm of `sixvec.algorithms` is a method.  Methods take single vectors (n,) or batches (..., n).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot
    <Robot panda: 7 joints, nq 7, nv 7, 9 frames>
    """

    source: str | None = None
    """The file or built-in name that it was loaded from; None for a robot made from a model."""

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise ArgumentError(_no_model(model))
        if is_coupled(model):
            coupling(model)  # raises an error here if a leader is missing or joints follow each other in a cycle
        self._kernels = Kernels(with_body_frames(model))

    if not TYPE_CHECKING:  # otherwise the types of all names would be unknown

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(no_attribute(self, name), name=name, obj=self)

        def __setattr__(self, name: str, value: Any) -> None:
            if name != "source" and not name.startswith("_") and hasattr(type(self), name):
                raise AttributeError(no_setting(name), name=name, obj=self)
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, kernels: Kernels) -> Self:
        """A robot with existing kernels."""
        robot = cls.__new__(cls)
        robot._kernels = kernels
        return robot

    def __reduce__(self) -> Any:
        attributes = {name: x for name, x in self.__dict__.items() if name != "_kernels" and not hasattr(Methods, name)}
        return type(self).of, (self._kernels,), attributes

    @property
    def model(self) -> Model:
        """What the robot is: bodies, joints, frames.  It is immutable; edits return a new model."""
        return self._kernels.model

    @property
    def parameters(self) -> tuple[Array, ...]:
        """Inputs of every kernel in addition to those of its algorithm: see `with_payload`."""
        return self._kernels.parameters

    @property
    def rolling(self) -> dict[str, Rolling]:
        """The wheels on which it rolls, as a value of `hold`; those of `model.rolling`."""
        return {wheel.frame: wheel.value for wheel in self.model.rolling}

    @property
    def sliding(self) -> Robot:
        """The same robot with wheels that do not roll: it slides freely."""
        if self.model.rolling:
            return self._without_rolling
        return self if type(self) is Robot else self._kernels.robot()  # one that knows no platform

    @lazy
    def _without_rolling(self) -> Robot:
        if self.parameters:
            raise ArgumentError(
                f"{self.name} takes loads or parameters as inputs; begin with the robot without: robot.sliding, then "
                "with_payload or with_parameters"
            )
        return Robot(without_rolling(self.model))

    def __repr__(self) -> str:
        m = self.model
        joints = "1 joint" if len(m.moving) == 1 else f"{len(m.moving)} joints"
        return f"<Robot {m.name}: {joints}, nq {m.nq}, nv {m.nv}, {len(m.frames)} frames>"

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Length of a position vector q."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Length of velocity, acceleration and force vectors."""
        return self.model.nv

    @lazy
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames, in the order of `poses`."""
        return tuple(f.name for f in self.model.frames)

    @property
    def gravity(self) -> Array:
        """Gravitational acceleration in world axes, m/s²."""
        with numbers_needed(self.model):
            return np.array([*self.model.gravity], float)

    @lazy
    def mass(self) -> float:
        """Total mass of all bodies, kg, including those welded to the world, which `center_of_mass` excludes."""
        with numbers_needed(self.model):
            return float(sum(b.inertia.mass for b in self.model.bodies))

    def kernel(self, name: str, *, external: Sequence[str] = (), **options: Any) -> Kernel:
        """The compiled object behind a method; `options` are the method's other arguments, for example `frame=`.

        With `fast=True`, CUDA devices use their own sine and cosine and fuse more products.

        >>> import sixvec
        >>> sixvec.load("panda").kernel("jacobian", frame="panda_link8")
        <Kernel jacobian of panda, frame='panda_link8', reference='local_world_aligned'>
        """
        fast = options.pop("fast", False)
        kernel = self._kernels.get(name, external, **options)
        return kernel.fast if fast else kernel

    def evaluate(self, name: str, *scalars: Any, **options: Any) -> Any:
        """Run an algorithm's equations, uncompiled, on any scalars: SymPy symbols, JAX tracers, plain floats.

        `options` are those of the method; `external` wrenches may contain any scalars too.

        >>> import sixvec, sympy
        >>> arm = sixvec.load("planar_2r")
        >>> q = sympy.symbols("q0 q1")
        >>> M = arm.evaluate("mass_matrix", q)
        >>> sorted(str(s) for s in M[0][0].free_symbols)
        ['q1']
        """
        return evaluate(self.model, find_algorithm(name), scalars, options)

    @untraced
    @named_arguments
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | Driving,
        dt: ArrayLike,
        *,
        steps: int | None = None,
        integrator: str = "bounded_leapfrog",
        passive: bool | None = None,
        control: Control | None = None,
        external: Mapping[str, Any] | None = None,
        external_reference: Reference = "local",
        prescribed: Sequence[str | int] = (),
        contacts: Sequence[Obstacle] | Literal["file", "floor"] | None = None,
        actuators: Literal["file"] | None = None,
        limits: bool = False,
        hold: Hold | None = None,
        holding: ArrayLike | None = None,
    ) -> Trajectory | ContactTrajectory:
        """Simulate from (q, v) under joint forces tau (..., steps, nv), in one compiled loop: `sixvec.sim.rollout`.

        With `steps` given, tau (..., nv) is constant for that many steps; it may be a motion.  `contacts` are those of
        `sixvec.constraints.contacts`, or "file" or "floor"; `limits` adds the stops of joints, and with
        `actuators="file"` tau has a control for each actuator of the file.  `hold` are wheels that roll and frames that
        keep their places, perhaps for some of the steps only.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> path = robot.rollout(robot.neutral(), numpy.zeros(7), numpy.zeros((100, 7)), 0.001)
        >>> path.q.shape
        (100, 7)
        """
        from sixvec.sim.rollout import rollout

        leave_untraced()
        size = max(math.prod(getattr(x, "shape", ())) for x in (q, v, tau)) * (steps if isinstance(steps, int) else 1)
        with progress("simulating", size >= MANY or contacts is not None):
            return rollout(
                self, q, v, tau, dt, steps=steps, integrator=integrator, passive=passive, control=control,
                external=external, external_reference=external_reference, prescribed=prescribed, contacts=contacts,
                actuators=actuators, limits=limits, hold=hold, holding=holding,
            )  # fmt: skip

    def constraint_names(self, hold: Mapping[Any, Any] | None = None) -> tuple[str, ...]:
        """A description of each constraint row: rows of loops, of wheels that roll, then of the frames in `hold`.

        >>> import sixvec
        >>> sixvec.load("panda").constraint_names(hold={"panda_link8": ("x", "turn z")})
        ('panda_link8: x', 'panda_link8: turn about z')
        """
        return row_names(self.model, held_frames(self.model, hold))

    @named_arguments
    @untraced
    def energy(self, q: ArrayLike, v: ArrayLike, *, passive: bool = False) -> Any:
        """Kinetic plus potential energy (...), J: `kinetic_energy`, `potential_energy`; `passive` adds that of springs.

        >>> import sixvec
        >>> sixvec.load("planar_2r").energy([0.3, 0.2], [0.0, 0.0]).shape
        ()
        """
        leave_untraced()
        kinetic, potential = self.kinetic_energy(q, v), self.potential_energy(q, passive=passive)
        if library_of(kinetic) != library_of(potential):  # one of q and v was a constant
            kinetic, potential = alike(kinetic, potential)
        return kinetic + potential

    def with_parameters(
        self, kind: Literal["inertia", "placements", "all"], bodies: Sequence[str] | None = None
    ) -> VariedRobot:
        """This robot with parameters of its bodies as one more input of every kernel: `sixvec.kernels.varied`.

        "inertia": ten numbers per body; "placements": six per body, a rotation and a translation after the model's
        placement; "all": both.  `bodies` are bodies with moving joints, by default all of them.  Calls use the values
        of the model, or those given with `at`, which may have batch axes and belong to any array library.

        >>> import numpy, sixvec
        >>> varied = sixvec.load("panda").with_parameters("placements")
        >>> shifts = numpy.random.default_rng(0).normal(0.0, 1e-3, (100, 42))
        >>> varied.at(shifts).pose(numpy.zeros(7), "panda_link8").shape
        (100, 4, 4)
        """
        from sixvec.kernels.varied import with_parameters

        return with_parameters(self, kind, bodies)

    @named_arguments
    def symbolic(self, name: str, *inputs: Any, **options: Any) -> Any:
        """The result of an algorithm as a simplified SymPy expression or matrix: `sixvec.theory.lagrange.symbolic`.

        >>> import sixvec
        >>> M = sixvec.load("planar_2r").symbolic("mass_matrix")
        >>> sorted(map(str, M.free_symbols))
        ['q2']
        """
        from sixvec.theory.lagrange.symbolic import symbolic

        return symbolic(self, name, *inputs, **options)


def _no_model(x: Any) -> str:
    """What to write instead of a robot made of something else."""
    if isinstance(x, str | Path):
        return f"Robot takes a model; for a file or a built-in robot write sixvec.load({str(x)!r})"
    if hasattr(x, "as_model"):
        return f"Robot takes a model; write sixvec.Robot(…as_model()) for a {type(x).__name__}"
    if isinstance(x, Robot):
        return "this is a robot already; its model is robot.model"
    return f"Robot takes a sixvec.Model, not a {type(x).__name__}; sixvec.load(file) makes a robot of a file"


@named_arguments
def load(
    source: str | Path,
    *,
    floating: bool = False,
    gravity: Sequence[float] | None = None,
    folders: Sequence[str | Path] = (),
    trusted: bool = False,
    srdf: str | Path | None = None,
) -> Robot:
    """A robot from a file or by the name of a built-in one.

    `floating=True` puts a free joint under the root link; `gravity` overrides that of the file; `folders` are further
    folders from which the file may include others: models, meshes, the packages of a xacro file.  With
    `trusted=True` a xacro file may run any code: use it for files that you trust as you would a script.  A warning
    lists constraints of loops that count as dependent although their dimensions, as written, are not exactly so;
    another one names joints that move no mass in the neutral position.
    `srdf` is a file of MoveIt with the pairs of links that are not compared (`Robot.collision_pairs`).

    >>> import sixvec
    >>> sixvec.load("panda").nv
    7
    """
    model = load_model(source, floating=floating, gravity=gravity, folders=folders, trusted=trusted)
    if srdf is not None:
        from sixvec.formats.srdf import with_srdf

        model = with_srdf(model, srdf)
    robot = Robot(model)
    robot.source = str(source)
    if robot.model.closures:
        warn_of_rounded_loops(robot.model)
    warn_of_weightless_joints(robot.model)
    return robot
