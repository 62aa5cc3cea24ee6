"""Bad input: each mistake gets an error that names the offender and what would be valid."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import CallError, FrameNotFound
from sixvec.model import Body, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

BALL = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


@pytest.fixture(scope="module")
def panda() -> sv.Robot:
    return sv.load("panda")


def test_unknown_robot() -> None:
    with pytest.raises(sv.SixvecError, match=named("pandda", "panda")) as caught:
        sv.load("pandda")
    assert isinstance(caught.value, KeyError)


def test_missing_file() -> None:
    with pytest.raises(sv.SixvecError, match=named("nowhere/arm.urdf", "arm.urdf")):
        sv.load("nowhere/arm.urdf")


def test_unknown_frame(panda) -> None:
    for call in (
        lambda: panda.pose(np.zeros(7), "panda_link9"),
        lambda: panda.jacobian(np.zeros(7), "panda_link9"),
        lambda: panda.inverse_dynamics(*np.zeros((3, 7)), external={"panda_link9": np.zeros(6)}),
        lambda: panda.kernel("pose", frame="panda_link9"),
    ):
        with pytest.raises(FrameNotFound, match="panda_link9") as caught:
            call()
        assert isinstance(caught.value, KeyError)
        assert "panda_link0" in str(caught.value)
    with pytest.raises(FrameNotFound):
        panda.pose(np.zeros(7), 3)
    with pytest.raises(FrameNotFound):
        panda.pose(np.zeros(7), ["panda_link8"])


def test_wrong_shapes(panda) -> None:
    z = np.zeros(7)
    with pytest.raises(ValueError, match=named("inverse_dynamics", "v")):
        panda.inverse_dynamics(z, np.zeros(6), z)
    with pytest.raises(ValueError, match=named("gravity_forces", "q")):
        panda.gravity_forces(1.0)
    with pytest.raises(ValueError, match="inverse_dynamics"):
        panda.inverse_dynamics(np.zeros((3, 7)), np.zeros((4, 7)), z)
    with pytest.raises(ValueError, match=named("ragged")):
        panda.gravity_forces([[1.0] * 7, [2.0] * 6])
    with pytest.raises(ValueError, match=named("inverse_dynamics", "external[panda_link8]")):
        panda.inverse_dynamics(z, z, z, external={"panda_link8": np.zeros(3)})
    with pytest.raises(ValueError, match=named("inverse_dynamics", "external")):
        panda.inverse_dynamics(z, z, z, np.zeros(6))


def test_wrong_dtypes(panda) -> None:
    for bad in (["a"] * 7, np.zeros(7, complex), [None] * 7, np.array(["1"] * 7)):
        with pytest.raises(sv.SixvecError, match=named("gravity_forces", "q")):
            panda.gravity_forces(bad)


def test_wrong_out(panda) -> None:
    q = np.zeros((5, 7))
    for bad in (np.empty((5, 6)), np.empty((5, 7), np.float32), [0.0] * 7, np.empty(7)):
        with pytest.raises(ValueError, match=named("gravity_forces", "out")):
            panda.gravity_forces(q, out=bad)
    frozen = np.empty((5, 7))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=named("gravity_forces", "out")):
        panda.gravity_forces(q, out=frozen)


def test_wrong_arguments(panda) -> None:
    z = np.zeros(7)
    with pytest.raises(CallError, match="inverse_dynamics"):
        panda.inverse_dynamics(z)
    with pytest.raises(CallError, match=named("pose", "frames")):
        panda.pose(z, frames="panda_link8")
    with pytest.raises(TypeError, match=named("gravity_forces", "q")):
        panda.gravity_forces(z, q=z)
    with pytest.raises(TypeError, match="gravity_forces"):
        panda.gravity_forces(z, z)
    with pytest.raises(sv.SixvecError, match=named("reference", "wrld", "local_world_aligned")):
        panda.jacobian(z, "panda_link8", reference="wrld")
    with pytest.raises(sv.SixvecError, match=named("mas_matrix", "mass_matrix")):
        panda.kernel("mas_matrix")
    for call in (panda.kernel, panda.evaluate):
        with pytest.raises(CallError, match="frame"):
            call("mass_matrix", frame="panda_link8")
        with pytest.raises(CallError, match="pose"):
            call("pose")
    with pytest.raises(sv.SixvecError, match="fortran"):
        panda.kernel("mass_matrix").source("fortran")
    with pytest.raises(sv.SixvecError, match=named("w")):
        panda.kernel("inverse_dynamics").derivative("w")
    with pytest.raises(ValueError, match="threads"):
        sv.set_threads(0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_in_the_model_must_be_finite(value: float) -> None:
    with pytest.raises(ValueError, match="link"):
        Model("arm", (Body("link", None, Revolute(), inertia=RigidInertia(value, Vec3.zero(), Sym3.zero())),))
    with pytest.raises(ValueError, match="link"):
        Model("arm", (Body("link", None, Revolute(), Pose(Rotation.identity(), Vec3(value, 0.0, 0.0))),))
    with pytest.raises(ValueError, match="gravity"):
        sv.load("panda", gravity=(0.0, 0.0, value))
    with pytest.raises(ValueError, match="axis"):
        Revolute(Vec3(value, 0.0, 0.0))


def test_a_tree_is_a_tree() -> None:
    with pytest.raises(ValueError, match=named("b", "a")):
        Model("loop", (Body("a", "b", Revolute()), Body("b", "a", Revolute())))
    with pytest.raises(ValueError, match=named("a")):
        Model("twice", (Body("a"), Body("a")))
    with pytest.raises(ValueError, match="direction"):
        Revolute(Vec3(0.0, 0.0, 0.0))


@pytest.mark.parametrize("joint", [Revolute(Vec3(1.0, 0.0, 0.0)), Prismatic()])
@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives"])
def test_a_massless_moving_leaf_is_singular(joint, name: str) -> None:
    robot = sv.Robot(Model("arm", (Body("link", None, Revolute(), inertia=BALL), Body("tip", "link", joint))))
    state = [np.zeros(2)] * len(robot.kernel("inverse_dynamics").inputs)
    assert np.isfinite(robot.inverse_dynamics(*state)).all()
    with pytest.raises(ValueError, match="tip"):
        robot.kernel(name).program  # noqa: B018
    with pytest.raises(ValueError, match="tip"):
        getattr(robot, name)(*state[: 1 if "inverse" in name else 3])


def test_mixing_motions_and_forces() -> None:
    from sixvec.spatial import Force, Motion

    with pytest.raises(TypeError, match=named("Motion", "Force")):
        Motion.zero() + Force.zero()
    with pytest.raises(TypeError, match=named("Motion", "Force")):
        Motion.zero().dot(Motion.zero())
