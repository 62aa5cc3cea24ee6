"""Which mesh files a robot file may name: one rule, however it names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats import load_model
from sixvec.formats.mesh_location import mesh_file, mesh_file_outside
from sixvec.formats.packages import VARIABLES, reach
from sixvec.model import Mesh

FILES = (
    "someone/Downloads/arm/meshes/own.stl",
    "someone/Downloads/beside/m.stl",
    "someone/Downloads/m.stl",
    "someone/work/secret.stl",
    "someone/m.stl",
    "secret.stl",
)
TEXTS = {
    ".urdf": '<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
    "</robot>",
    ".xml": '<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>'
    "</mujoco>",
    ".sdf": '<sdf version="1.9"><model name="r"><link name="a"><visual name="v"><geometry><mesh><uri>{}</uri></mesh>'
    "</geometry></visual></link></model></sdf>",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the downloads of somebody."""
    for variables in VARIABLES.values():
        for variable in variables:
            monkeypatch.delenv(variable, raising=False)
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path / "someone" / "Downloads" / "arm"


def shape(home: Path, suffix: str, name: str, **options: object) -> Mesh:
    (home / f"r{suffix}").write_text(TEXTS[suffix].format(name))
    (geom,) = load_model(home / f"r{suffix}", **options).geoms  # type: ignore[arg-type]
    assert isinstance(geom.shape, Mesh)
    return geom.shape


ALLOWED = {
    "meshes/own.stl": 0,
    "package://arm/meshes/own.stl": 0,
    "model://arm/meshes/own.stl": 0,
    "../beside/m.stl": 1,
    "package://beside/m.stl": 1,
    "model://beside/m.stl": 1,
    "../m.stl": 2,
    "package://Downloads/m.stl": 2,
}
REFUSED = {
    "../../work/secret.stl": 3,
    "package://work/secret.stl": 3,
    "model://work/secret.stl": 3,
    "package://someone/work/secret.stl": 3,
    "model://someone/work/secret.stl": 3,
    "model://someone/m.stl": 4,
    "../../../secret.stl": 5,
    "package://arm/../../work/secret.stl": 3,
    "model://arm/../../../secret.stl": 5,
    "package://Downloads/../work/secret.stl": 3,
    "package://link/secret.stl": 3,
    "link/secret.stl": 3,
}


@pytest.mark.parametrize("suffix", TEXTS)
def test_the_folders_that_names_may_reach(home: Path, suffix: str) -> None:
    top = home.parents[2]
    (home / "link").symlink_to(top / "someone" / "work")
    has_schemes = suffix != ".xml"  # MJCF names files only
    for name, file in ALLOWED.items():
        if "://" in name and not has_schemes:
            continue
        assert mesh_file(shape(home, suffix, name)) == (top / FILES[file]).resolve(), name
    for name, file in REFUSED.items():
        if "://" in name and not has_schemes:
            continue
        mesh = shape(home, suffix, name)
        assert mesh_file(mesh) is None, name
        if ".." not in name[5:]:
            assert mesh_file_outside(mesh) == (top / FILES[file]).resolve(), name
    if has_schemes:
        named = shape(home, suffix, "package://work/secret.stl", folders=[top / "someone"])
        assert mesh_file(named) == (top / "someone/work/secret.stl").resolve()


@pytest.mark.parametrize(("manifest", "scheme"), [("package.xml", "package"), ("model.config", "model")])
def test_a_package_may_be_farther_away(home: Path, manifest: str, scheme: str) -> None:
    work = home.parents[1] / "work"
    (work / manifest).write_text("<package><name>work</name></package>")
    assert mesh_file(shape(home, ".urdf", f"{scheme}://work/secret.stl")) == (work / "secret.stl").resolve()
    assert mesh_file(shape(home, ".urdf", "../../work/secret.stl")) is None


def test_everything_in_the_package_of_the_file(home: Path) -> None:
    deep = home / "robots" / "left" / "urdf"
    deep.mkdir(parents=True)
    assert mesh_file(shape(deep, ".urdf", "../../../meshes/own.stl")) is None
    (home / "package.xml").touch()
    assert mesh_file(shape(deep, ".urdf", "../../../meshes/own.stl")) == (home / "meshes/own.stl").resolve()
    assert mesh_file(shape(deep, ".urdf", "package://arm/meshes/own.stl")) == (home / "meshes/own.stl").resolve()
    assert mesh_file(shape(deep, ".urdf", "../../../../m.stl")) is None


def test_neither_roots_nor_homes_are_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert reach(tmp_path / "Downloads") == (tmp_path / "Downloads",)
    assert reach(tmp_path / "Downloads" / "arm") == (tmp_path / "Downloads" / "arm", tmp_path / "Downloads")
    assert reach(Path("/robots")) == (Path("/robots"),)
    assert reach(Path("/home/someone/Downloads")) == (Path("/home/someone/Downloads"),)
    (tmp_path / "package.xml").touch()
    assert reach(tmp_path / "Downloads") == (tmp_path / "Downloads",)
