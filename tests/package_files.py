"""Robot files of others, where the packages that hold them are installed."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

MJCF_FOLDERS = {"gymnasium": "gymnasium/envs/mujoco/assets", "dm_control": "dm_control/suite"}


def package_files(package: str, suffix: str, folder: str = "") -> list[Path]:
    """The files of a package with that suffix, in one folder if it is named; none where the package is missing."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())) for f in files if f.suffix == suffix and folder in ("", str(f.parent)))


def published_urdf() -> list[Path]:
    """Every URDF file of the package example-robot-data."""
    return package_files("example-robot-data", ".urdf")


def published_mjcf() -> list[Path]:
    """Every MJCF file of gymnasium and of dm_control's suite."""
    return sorted(path for package, folder in MJCF_FOLDERS.items() for path in package_files(package, ".xml", folder))
