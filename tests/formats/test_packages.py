"""Packages that files refer to: beside the file, in given folders, some levels down, and not for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats import load_model, packages
from sixvec.formats.doctor import check_file
from sixvec.formats.doctor.meshes import missing
from sixvec.formats.mesh_location import mesh_file
from sixvec.formats.packages import package_folder, path_of_uri
from sixvec.model import Mesh

FILE = Path("/nowhere/arm.urdf")


def package(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return folder


def test_a_package_below_a_given_folder_is_known_by_its_manifest(tmp_path: Path) -> None:
    wanted = package(tmp_path / "repository" / "src" / "arm", "arm_description")
    package(tmp_path / "repository" / "other", "other_description")
    assert package_folder("arm_description", FILE, [tmp_path]) == wanted
    assert package_folder("hand_description", FILE, [tmp_path]) is None


def test_the_search_has_a_depth_and_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "a" / "b" / "c" / "d", "deep_description")
    assert package_folder("deep_description", FILE, [tmp_path]) is None
    assert package_folder("deep_description", FILE, [tmp_path / "a"]) is not None
    monkeypatch.setattr(packages, "MOST_FOLDERS", 2)
    assert package_folder("deep_description", FILE, [tmp_path / "a"]) is None


def test_readers_drawings_and_the_doctor_search_in_the_same_places(tmp_path: Path) -> None:
    """A package is known by its manifest wherever its name appears, and `folders` are those of `load`."""
    wanted = package(tmp_path / "workspace" / "src" / "arm", "arm_description")
    (wanted / "hand.stl").touch()
    (home := tmp_path / "home").mkdir()
    uri = "package://arm_description/hand.stl"
    (file := home / "arm.urdf").write_text(
        '<robot name="arm"><link name="a"><visual><geometry>'
        f'<mesh filename="{uri}"/></geometry></visual></link></robot>'
    )
    folders = [tmp_path / "workspace"]
    (geom,) = load_model(file, folders=folders).geoms
    assert isinstance(geom.shape, Mesh) and mesh_file(geom.shape) == (wanted / "hand.stl").resolve()
    assert missing(uri, file, folders)[1] == "" and missing(uri, file)[1] != ""
    assert check_file(file, folders=folders).status == 0
    assert not [f for f in check_file(file, folders=folders).findings if "arm_description" in f.message]
    assert [f for f in check_file(file).findings if "arm_description" in f.message]


@pytest.mark.parametrize(
    ("text", "drives", "path"),
    [
        ("/C:/robots/arm.stl", True, "C:/robots/arm.stl"),
        ("/C:/robots/arm.stl", False, "/C:/robots/arm.stl"),
        ("/robots/arm.stl", True, "/robots/arm.stl"),
        ("C:/robots/arm.stl", True, "C:/robots/arm.stl"),
        ("/1:/arm.stl", True, "/1:/arm.stl"),
        ("/CD:/arm.stl", True, "/CD:/arm.stl"),
        ("xC:/arm.stl", True, "xC:/arm.stl"),
        ("/c%3A/left%20arm.stl", True, "c:/left arm.stl"),
        ("", True, ""),
        ("/", True, "/"),
    ],
)
def test_paths_of_file_uris(text: str, drives: bool, path: str) -> None:
    assert path_of_uri(text, drives) == path


def test_hidden_folders_and_folders_beyond_the_count_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / ".cache" / "arm", "hidden_description")
    (tmp_path / "file").touch()
    assert package_folder("hidden_description", FILE, [tmp_path]) is None
    wanted = package(tmp_path / "a" / "b" / "c", "arm_description")
    for most, found in ((3, None), (4, wanted)):  # the root, a, b, and c itself
        monkeypatch.setattr(packages, "MOST_FOLDERS", most)
        assert package_folder("arm_description", FILE, [tmp_path]) == found


def test_places_in_the_order_of_likelihood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given folders of that name, folders in them or in their share, those around the file, then those beside them."""
    given = [tmp_path / "one" / "arm", tmp_path / "two", tmp_path / "three", tmp_path / "empty"]
    places = [given[0], given[1] / "arm", given[2] / "share" / "arm"]
    around = tmp_path / "home" / "arm" / "urdf"
    for folder in (*places, around, around / "arm", given[3]):
        folder.mkdir(parents=True)
    assert [*packages.package_folders("arm", around / "robot.urdf", given)] == places  # none has a manifest
    near = packages.reach(around)
    found = [*packages.package_folders("arm", around / "robot.urdf", given, within=near)]
    assert found == [*places, around.parent, around / "arm", around.parent]
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.setenv(variable, str(given[2]))
        assert [*packages.package_folders("arm", FILE)] == [places[2]]
        assert [*packages.package_folders("arm", FILE, scheme="model")] == []
        monkeypatch.delenv(variable)
    for name in ("", ".", "..", "a/b", "/arm"):
        assert [*packages.package_folders(name, around / "robot.urdf", given)] == []


def test_manifests_without_a_name(tmp_path: Path) -> None:
    folder = package(tmp_path / "x", "arm")
    for text in ("<package/>", "<name></name>", " " * 70_000 + "<name>arm</name>"):
        (folder / "package.xml").write_text(text)
        assert package_folder("arm", FILE, [tmp_path]) is None
    (folder / "package.xml").write_text("<name>\n arm </name>")
    assert package_folder("arm", FILE, [tmp_path]) == folder
