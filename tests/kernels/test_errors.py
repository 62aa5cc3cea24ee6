"""Bad input: each mistake gets an error that names the offender and what would be valid."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import CallError, FrameNotFound
from sixvec.model import Body, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

BALL = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


@pytest.fixture(scope="module")
def panda() -> sv.Robot:
    return sv.load("panda")


def test_unknown_robot() -> None:
    with pytest.raises(sv.SixvecError, match='did you mean "panda"') as caught:
        sv.load("pandda")
    assert isinstance(caught.value, KeyError)


def test_missing_file() -> None:
    with pytest.raises(sv.SixvecError, match=r"nowhere/arm\.urdf"):
        sv.load("nowhere/arm.urdf")


def test_unknown_frame(panda) -> None:
    for call in (
        lambda: panda.pose(np.zeros(7), "panda_link9"),
        lambda: panda.jacobian(np.zeros(7), "panda_link9"),
        lambda: panda.inverse_dynamics(*np.zeros((3, 7)), external={"panda_link9": np.zeros(6)}),
        lambda: panda.kernel("pose", frame="panda_link9"),
    ):
        with pytest.raises(FrameNotFound, match='no frame "panda_link9" in panda; did you mean "panda_link') as caught:
            call()
        assert isinstance(caught.value, KeyError)
        assert "panda_link0" in str(caught.value)
    with pytest.raises(FrameNotFound):
        panda.pose(np.zeros(7), 3)
    with pytest.raises(FrameNotFound):
        panda.pose(np.zeros(7), ["panda_link8"])


def test_wrong_shapes(panda) -> None:
    z = np.zeros(7)
    with pytest.raises(ValueError, match=r"inverse_dynamics: v has shape \(6,\), but \(\.\.\., 7\) is needed"):
        panda.inverse_dynamics(z, np.zeros(6), z)
    with pytest.raises(ValueError, match="q has shape"):
        panda.gravity_forces(1.0)
    with pytest.raises(ValueError, match="do not broadcast"):
        panda.inverse_dynamics(np.zeros((3, 7)), np.zeros((4, 7)), z)
    with pytest.raises(ValueError, match="not an array"):
        panda.gravity_forces([[1.0] * 7, [2.0] * 6])
    with pytest.raises(ValueError, match=r"external\[panda_link8\] has shape"):
        panda.inverse_dynamics(z, z, z, external={"panda_link8": np.zeros(3)})
    with pytest.raises(ValueError, match="external must be a dictionary"):
        panda.inverse_dynamics(z, z, z, np.zeros(6))


def test_wrong_dtypes(panda) -> None:
    for bad in (["a"] * 7, np.zeros(7, complex), [None] * 7, np.array(["1"] * 7)):
        with pytest.raises(sv.SixvecError, match="q must hold real numbers"):
            panda.gravity_forces(bad)


def test_wrong_out(panda) -> None:
    q = np.zeros((5, 7))
    for bad in (np.empty((5, 6)), np.empty((5, 7), np.float32), [0.0] * 7, np.empty(7)):
        with pytest.raises(ValueError, match=r"out for tau must be a float64 array \(5, 7\)"):
            panda.gravity_forces(q, out=bad)
    frozen = np.empty((5, 7))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        panda.gravity_forces(q, out=frozen)


def test_wrong_arguments(panda) -> None:
    z = np.zeros(7)
    with pytest.raises(CallError, match="needs v, a"):
        panda.inverse_dynamics(z)
    with pytest.raises(CallError, match="no argument 'frames'"):
        panda.pose(z, frames="panda_link8")
    with pytest.raises(TypeError, match="two values for 'q'"):
        panda.gravity_forces(z, q=z)
    with pytest.raises(TypeError, match="takes 1 argument"):
        panda.gravity_forces(z, z)
    with pytest.raises(sv.SixvecError, match='no reference "wrld"; references: local_world_aligned, local, world'):
        panda.jacobian(z, "panda_link8", reference="wrld")
    with pytest.raises(sv.SixvecError, match='did you mean "mass_matrix"'):
        panda.kernel("mas_matrix")
    for call in (panda.kernel, panda.evaluate):
        with pytest.raises(CallError, match="no argument 'frame'"):
            call("mass_matrix", frame="panda_link8")
        with pytest.raises(CallError, match=r"pose needs .*frame"):
            call("pose")
    with pytest.raises(sv.SixvecError, match='no target "fortran"; targets: c, cuda, llvm'):
        panda.kernel("mass_matrix").source("fortran")
    with pytest.raises(sv.SixvecError, match='no input "w"; inputs: q, v, a'):
        panda.kernel("inverse_dynamics").derivative("w")
    with pytest.raises(ValueError, match="from 1 to 1024"):
        sv.set_threads(0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_in_the_model_must_be_finite(value: float) -> None:
    with pytest.raises(ValueError, match='body "link" has a parameter that is not a finite number'):
        Model("arm", (Body("link", None, Revolute(), inertia=RigidInertia(value, Vec3.zero(), Sym3.zero())),))
    with pytest.raises(ValueError, match='body "link"'):
        Model("arm", (Body("link", None, Revolute(), Pose(Rotation.identity(), Vec3(value, 0.0, 0.0))),))
    with pytest.raises(ValueError, match="gravity"):
        sv.load("panda", gravity=(0.0, 0.0, value))
    with pytest.raises(ValueError, match="joint axis"):
        Revolute(Vec3(value, 0.0, 0.0))


def test_a_tree_is_a_tree() -> None:
    with pytest.raises(ValueError, match='the parent "b" of body "a" does not come before it'):
        Model("loop", (Body("a", "b", Revolute()), Body("b", "a", Revolute())))
    with pytest.raises(ValueError, match='two bodies are named "a"'):
        Model("twice", (Body("a"), Body("a")))
    with pytest.raises(ValueError, match="no direction"):
        Revolute(Vec3(0.0, 0.0, 0.0))


@pytest.mark.parametrize("joint", [Revolute(Vec3(1.0, 0.0, 0.0)), Prismatic()])
@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives"])
def test_a_massless_moving_leaf_is_singular(joint, name: str) -> None:
    robot = sv.Robot(Model("arm", (Body("link", None, Revolute(), inertia=BALL), Body("tip", "link", joint))))
    state = [np.zeros(2)] * len(robot.kernel("inverse_dynamics").inputs)
    assert np.isfinite(robot.inverse_dynamics(*state)).all()
    with pytest.raises(ValueError, match='the joint of body "tip" moves no mass'):
        robot.kernel(name).program  # noqa: B018
    with pytest.raises(ValueError, match='the joint of body "tip" moves no mass'):
        getattr(robot, name)(*state[: 1 if "inverse" in name else 3])


def test_mixing_motions_and_forces() -> None:
    from sixvec.spatial import Force, Motion

    with pytest.raises(TypeError, match=r"'Motion' and 'Force'"):
        Motion.zero() + Force.zero()
    with pytest.raises(TypeError, match="pairs a Motion with a Force, not with a Motion"):
        Motion.zero().dot(Motion.zero())
