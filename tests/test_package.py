"""What `python -m build` makes can be installed in an empty environment, and works there."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import sixvec

pytestmark = pytest.mark.slow  # fetches NumPy and LLVM twice

ROOT = Path(__file__).parent.parent


def run(*words: str | Path, folder: Path) -> str:
    """The output of a command that knows nothing of this clone."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SIXVEC", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [*map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def environment(folder: Path) -> Path:
    """The programs of an empty environment."""
    run(sys.executable, "-m", "venv", folder, folder=folder.parent)
    return folder / "bin"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel and the sdist."""
    folder = tmp_path_factory.mktemp("build")
    programs = environment(folder / "env")
    run(programs / "pip", "install", "--quiet", "build", folder=folder)
    run(programs / "python", "-m", "build", "--outdir", folder / "dist", ROOT, folder=folder)
    return {"".join(file.suffixes[-2:] if file.suffix == ".gz" else [file.suffix]): file
            for file in (folder / "dist").iterdir()}  # fmt: skip


@pytest.mark.parametrize("kind", [".whl", ".tar.gz"])
def test_it_installs_and_verifies_a_robot_in_an_empty_environment(
    kind: str, packages: dict[str, Path], tmp_path: Path
) -> None:
    programs = environment(tmp_path / "env")
    run(programs / "pip", "install", "--quiet", packages[kind], folder=tmp_path)
    where = run(programs / "python", "-c", "import sixvec; print(sixvec.__file__)", folder=tmp_path)
    assert where.startswith(str(tmp_path)), "not the clone"
    assert run(programs / "sixvec", "--version", folder=tmp_path) == f"sixvec {sixvec.__version__}\n"
    assert "19 hold" in run(programs / "sixvec", "verify", "panda", folder=tmp_path)
    assert "Rotation" in run(programs / "sixvec", "where", "Bruyninckx 2.21", folder=tmp_path)


def test_the_wheel_holds_the_library_alone_and_the_sdist_all(packages: dict[str, Path]) -> None:
    with zipfile.ZipFile(packages[".whl"]) as wheel:
        names = wheel.namelist()
    assert {name.split("/")[0] for name in names} == {"sixvec", f"sixvec-{sixvec.__version__}.dist-info"}
    assert "sixvec/py.typed" in names and "sixvec/kernels/methods.pyi" in names
    with tarfile.open(packages[".tar.gz"]) as sdist:
        members = {name.partition("/")[2] for name in sdist.getnames()}
    assert members >= {"README.md", "LICENSE", "CITATION.cff", "Makefile", "examples/arm.urdf", "tests/tolerances.py"}
