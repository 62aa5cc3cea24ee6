"""Emitted C under options of the compiler: those that change results are errors, or without effect."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.cli import main
from sixvec.compiler.emit.c_library import _helpers

GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="no gcc")

REASSOCIATED = "-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    functions = ["gravity_forces", "forward_dynamics"]
    assert main(["export", "panda", *functions, "--output", str(folder / "lib")]) == 0
    return folder / "lib"


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("emit") / "panda.c"
    place.write_text(sv.load("panda").kernel("gravity_forces").source("c"))
    return place


def gcc(*arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(GCC), *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )  # fmt: skip


@pytest.mark.parametrize("option", ["-ffast-math", "-Ofast", "-ffinite-math-only", "-mfpmath=387"])
@pytest.mark.parametrize("standard", ["-std=c99", "-std=gnu11"])
def test_options_that_change_results_do_not_compile(library: Path, one_file: Path, option: str, standard: str) -> None:
    if option == "-mfpmath=387" and not sv.compiler.target.host().triple.startswith("x86_64"):
        pytest.skip("no x87 registers here")
    for source in (library / "panda.c", one_file):
        done = gcc("-O2", standard, option, "-c", source, "-o", source.with_suffix(".o"))
        assert done.returncode != 0 and '#error "sixvec: ' in done.stderr


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_constants_keep_their_precision(library: Path, one_file: Path, compiler: str, tmp_path: Path) -> None:
    """Embedded projects make all constants floats; that suits functions of single precision only."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    single = tmp_path / "single.c"
    single.write_text(sv.load("panda").kernel("gravity_forces").source("c", "float32"))
    for source, works in ((library / "panda.c", False), (one_file, False), (single, True)):
        options = [] if compiler == "gcc" else ["-x", "c++"]
        for option in ("-O2", "-fsingle-precision-constant"):
            done = subprocess.run(
                [compiler, option, *options, "-c", str(source), "-o", str(tmp_path / "o.o")],
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            assert (done.returncode == 0) == (works or option == "-O2"), done.stderr
            assert done.returncode == 0 or "-fsingle-precision-constant" in done.stderr or "sixvec_needs" in done.stderr


@pytest.mark.parametrize("options", ["-std=c99", "-std=c99 -O3", REASSOCIATED, "-O3 -funsafe-math-optimizations"])
def test_other_options_give_all_bits_and_are_printed(library: Path, options: str, tmp_path: Path) -> None:
    sources = [library / "panda.c", library / "test_panda.c"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    done = gcc(*options.split(), *warnings, f'-DSIXVEC_FLAGS="{options}"', *sources, "-lm", "-o", tmp_path / "test")
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "test"], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0 and ran.stdout.endswith("0 wrong numbers\n")
    assert f"flags: {options}\n" in ran.stdout and "evaluation method: 0" in ran.stdout
    assert ("associative-math" in ran.stdout) == ("ssociative" in options or "unsafe" in options)


@pytest.mark.parametrize("options", [REASSOCIATED, "-O3 -funsafe-math-optimizations"])
@pytest.mark.parametrize("size", [3.0, 1e4])
def test_sums_in_another_order_give_right_numbers(library: Path, options: str, size: float, tmp_path: Path) -> None:
    """Of a compiler that knows no pragma: rounding does not depend on sums that it may fold."""
    text = "\n".join(x for x in (library / "panda.c").read_text().splitlines() if not x.startswith("#pragma"))
    (tmp_path / "panda.c").write_text(text)
    made = gcc(*options.split(), f"-I{library}", "-fPIC", "-c", tmp_path / "panda.c", "-o", tmp_path / "p.o")
    # Linked without the options: with them, loading the library would flush small numbers to zero in this process.
    done = gcc("-shared", tmp_path / "p.o", "-o", tmp_path / "p.so")
    assert made.returncode == done.returncode == 0, made.stderr + done.stderr
    function = ctypes.CDLL(str(tmp_path / "p.so")).panda_gravity_forces
    robot, worst = sv.load("panda"), 0.0
    for q in np.random.default_rng(0).uniform(-size, size, (300, 7)):
        found = np.empty(7)
        function(*(x.ctypes.data_as(ctypes.c_void_p) for x in (q, found)))
        worst = max(worst, float(np.abs(found - robot.gravity_forces(q)).max()))
    assert worst < 1e-13 * size * 100.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("options", ["-O0", "-O2", "-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math"])
def test_rounding_by_bits_is_that_of_numpy(dtype: str, options: str, tmp_path: Path) -> None:
    kind, suffix = {"float64": ("double", ""), "float32": ("float", "f")}[dtype]
    helper = "\n".join(_helpers("x", dtype, {"rint"}))
    loop = f"void all(const {kind} *a, {kind} *b, int n) {{ for (int i = 0; i < n; i++) b[i] = x_rint{suffix}(a[i]); }}"
    (tmp_path / "r.c").write_text(f"#include <stdint.h>\n#include <string.h>\n{helper}\n{loop}\n")
    done = gcc("-Wall", *options.split(), "-shared", "-fPIC", tmp_path / "r.c", "-o", tmp_path / "r.so")
    assert done.returncode == 0, done.stderr
    rng = np.random.default_rng(0)
    whole = np.arange(-1000, 1000).astype(dtype)
    limits = np.array([2.0**k for k in (22, 23, 24, 51, 52, 53, 62, 100)], dtype)
    near = np.concatenate([np.nextafter(x, s * np.inf) for x in (whole + 0.5, limits, -limits) for s in (-1, 1)])
    bits = rng.integers(0, 2**63, 200_000, dtype=np.uint64)
    any_bits = bits.view(np.float64) if dtype == "float64" else bits.astype(np.uint32).view(np.float32)
    any_bits = any_bits[~np.isnan(any_bits)]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 0.5, -0.5, 1.5, 2.5], dtype)
    parts = [whole, whole + 0.5, near, limits, limits + 0.5, rng.normal(0, 1e3, 10_000), any_bits, -any_bits, special]
    x = np.concatenate([np.asarray(part, dtype) for part in parts])
    found = np.empty_like(x)
    pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (x, found))
    ctypes.CDLL(str(tmp_path / "r.so")).all(*pointers, ctypes.c_int(x.size))
    assert np.array_equal(found, np.rint(x), equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(x))
