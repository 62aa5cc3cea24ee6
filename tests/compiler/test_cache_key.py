"""No edit, of the library or of a user's joint, meets code that was compiled before it."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler import cache, fingerprint, package_files
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, Vec3

SCRIPT = """
import sys, time
import numpy as np, sixvec as sv
if len(sys.argv) > 1:
    time.sleep(0.05)  # the clocks of file systems are coarse
    exec(sys.argv[1])
arm = sv.load("planar_2r")
print(float(arm.gravity_forces(np.zeros(2))[0]))
from sixvec.compiler import build
print(build.compilations)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the library that a test may edit, and that trusts files which are but a moment old."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(Path(sv.__file__).parent, root / "sixvec", ignore=shutil.ignore_patterns("__pycache__"))
    clock = root / "sixvec" / "compiler" / "package_files.py"
    text = clock.read_text()
    assert "- 2_000_000_000" in text
    clock.write_text(text.replace("- 2_000_000_000", "- 0"))
    return root


def answers(package: Path, code: str = "") -> tuple[float, int]:
    settings = {**os.environ, "PYTHONPATH": str(package), "SIXVEC_CACHE_DIR": str(package / "cache")}
    settings["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *([code] if code else [])],
        env=settings, capture_output=True, text=True, check=True, cwd=package,
    )  # fmt: skip
    force, compiled = done.stdout.split()
    return float(force), int(compiled)


def test_an_edit_that_keeps_size_and_time_is_seen(package: Path) -> None:
    before, compiled = answers(package)
    assert compiled > 0
    assert answers(package) == (before, 0)
    edited = package / "sixvec" / "algorithms" / "gravity_forces.py"
    text, status = edited.read_text(), edited.stat()
    os.utime(edited)
    assert answers(package) == (before, 0)  # a file that was only touched is the same file
    again = package / "sixvec" / "model" / "robots" / "planar_2r.py"  # any file counts, whatever its folder
    again.write_text(again.read_text() + "#")
    edited.write_text(text[:-1] + " ")
    os.utime(edited, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert answers(package) == (before, compiled)


def test_only_a_changed_status_makes_a_process_read_the_files(package: Path) -> None:
    code = "from sixvec.compiler import fingerprint; fingerprint._digest_of_contents = lambda paths: 1 / 0"
    expected = answers(package)[0]
    assert answers(package, code) == (expected, 0)
    os.utime(package / "sixvec" / "algorithms" / "gravity_forces.py")
    with pytest.raises(subprocess.CalledProcessError):
        answers(package, code)
    assert answers(package) == (expected, 0)


def test_a_process_whose_files_change_keeps_nothing(package: Path) -> None:
    edit = package / "sixvec" / "algorithms" / "mass_matrix.py"
    old = edit.read_text()
    entries = len(list((package / "cache" / cache.OURS).glob("*" + cache.SUFFIX)))
    _, compiled = answers(package, f"open({str(edit)!r}, 'a').write('# edited while running')")
    assert compiled > 0
    assert len(list((package / "cache" / cache.OURS).glob("*" + cache.SUFFIX))) == entries
    edit.write_text(old)


def test_the_digest_is_that_of_all_files() -> None:
    root = Path(sv.__file__).parent
    listed = {Path(file.path) for file in package_files.files()}
    assert set(root.rglob("*.py")) <= listed


def test_a_package_without_files_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_files, "_HERE", "/archive.zip/sixvec/compiler/package_files.py")
    assert not package_files.files_are_what_runs()
    fingerprint.package_digest.cache_clear()
    digests = []
    for _ in range(2):
        digests.append(fingerprint.package_digest())
        fingerprint.package_digest.cache_clear()
    assert digests[0] != digests[1]


def joint_of_a_user(sign: float) -> type[Revolute]:
    """The same class name with other code, as after an edit of the user's file."""

    class Geared(Revolute):
        def pose(self, q: object) -> object:
            return Revolute.pose(self, [sign * q[0]])  # type: ignore[index]

        def subspace(self, q: object) -> object:
            return tuple(s * sign for s in Revolute.subspace(self, q))  # type: ignore[arg-type]

        def elementary(self) -> object:
            return ((Pose.identity(), self),)

    return Geared


def test_joints_of_the_user_are_known_by_what_they_do() -> None:
    def arm(sign: float) -> Model:
        bodies = (Body("base"), Body("link", "base", joint_of_a_user(sign)(Vec3(0.0, 1.0, 0.0))))
        return Model("arm", bodies)

    one, other = sv.Robot(arm(1.0)), sv.Robot(arm(-2.0))
    q = np.array([0.3])
    assert one.model.fingerprint != other.model.fingerprint
    assert one.kernel("pose", frame="link").identity != other.kernel("pose", frame="link").identity
    poses = [robot.kernel("pose", frame="link")(q) for robot in (one, other)]
    np.testing.assert_allclose(poses[0][0, 2], np.sin(0.3), rtol=1e-12)
    np.testing.assert_allclose(poses[1][0, 2], np.sin(-0.6), rtol=1e-12)


def test_a_model_takes_no_memory_of_its_fingerprint_along() -> None:
    model = sv.load("panda").model
    assert model.fingerprint
    assert b"fingerprint" not in pickle.dumps(model)
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model) and again.fingerprint == model.fingerprint
