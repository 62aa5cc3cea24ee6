"""MJCF files of other people: what we read from them is what MuJoCo reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mjcf_peer import compare, mujoco, quietly
from package_files import published_mjcf
from sixvec.cli.equivalence import differences
from sixvec.formats import parse_model
from sixvec.formats.fitted_geoms import for_mjcf
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.model import Mesh
from sixvec.model.joints import Free

EXACT = 1e-9
"""Relative; primitive shapes agree to 1e-15, meshes with their single-precision vertices to 1e-11."""


ROUNDINGS = 1e-13
"""Our own reader of a file and of what we wrote of it; the worst is 4e-16."""

LARGEST = 30
"""Freedoms of a robot for which a comparison of the dynamics takes a moment."""


FILES = published_mjcf()
pytestmark = pytest.mark.skipif(not FILES, reason="the packages gymnasium and dm_control are not installed")
every_file = pytest.mark.parametrize(
    "path", FILES, ids=lambda f: f"{f.parts[-3].replace('mujoco', 'gymnasium')}-{f.stem}"
)


def test_the_packages_are_the_ones_we_know() -> None:
    assert len(FILES) >= 33


@pytest.mark.every(3)
@every_file
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.covers("MODEL-07", "CHAIN-07")
def test_poses_mass_matrix_and_inverse_dynamics_agree_with_mujoco(path: Path) -> None:
    for what, worst in compare(path).items():
        assert worst <= EXACT, f"{what}: relative error {worst:.1e}"


@pytest.mark.every(3)
@every_file
@pytest.mark.covers("MODEL-01", "MODEL-03")
def test_joints_agree_with_mujoco(path: Path) -> None:
    ours, theirs = quietly(path), mujoco.MjModel.from_xml_path(str(path))
    bodies = ours.moving
    assert [b.joint_name for b in bodies] == [theirs.joint(j).name for j in range(theirs.njnt)]
    for j, b in enumerate(bodies):
        joint, dof = theirs.joint(j), slice(theirs.jnt_dofadr[j], theirs.jnt_dofadr[j] + b.joint.nv)
        if joint.limited[0] and b.joint.nq == 1:
            np.testing.assert_allclose([*b.limits.lower, *b.limits.upper], joint.range, rtol=1e-12)
        else:
            assert b.limits.lower == b.limits.upper == ()
        none = (0.0,) * b.joint.nv
        np.testing.assert_allclose(b.armature, theirs.dof_armature[dof])
        np.testing.assert_allclose(b.dynamics.friction or none, theirs.dof_frictionloss[dof])
        if "springdamper" not in _listed(path):
            np.testing.assert_allclose(b.dynamics.damping or none, theirs.dof_damping[dof].ravel())
            np.testing.assert_allclose((b.dynamics.stiffness or none)[0], np.ravel(joint.stiffness)[0])
        if b.dynamics.rest and not isinstance(b.joint, Free):
            np.testing.assert_allclose(b.dynamics.rest, theirs.qpos_spring[theirs.jnt_qposadr[j]])


@pytest.mark.every(4)
@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@every_file
def test_what_we_write_is_the_same_robot_for_us_and_for_mujoco(path: Path) -> None:
    ours = quietly(path)
    shapes = (g for g in for_mjcf(ours).geoms if not isinstance(g.shape, Mesh))  # whose files are elsewhere
    ours = replace(ours, geoms=tuple(shapes))
    text = write_mjcf(ours)
    theirs, read = mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_path(str(path))
    assert (theirs.nq, theirs.nv) == (read.nq, read.nv)
    # Bodies that the file welds to the world may be many, and weigh what they like.
    moving = read.body_weldid > 0
    np.testing.assert_allclose(theirs.body_mass[theirs.body_weldid > 0].sum(), read.body_mass[moving].sum(), rtol=EXACT)
    if ours.nv <= LARGEST:
        for d in differences(ours, parse_model(text, "written.xml"), 2):
            assert d.relative <= ROUNDINGS, d


def _listed(path: Path) -> str:
    return "springdamper" if "springdamper" in path.read_text() else ""
