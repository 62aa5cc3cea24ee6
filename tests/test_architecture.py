"""The arrows of docs/architecture.md: who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src/sixvec"
ROBOT_HALF = (
    "spatial",
    "geometry",
    "orientation",
    "rigid_body",
    "constraints",
    "model",
    "algorithms",
    "loaders",
    "robots",
)
VAGUE = {"utils", "helpers", "common", "core", "base", "misc"}


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("folder", ROBOT_HALF)
def test_robot_code_never_imports_the_compiler(folder: str) -> None:
    for file in (PACKAGE / folder).rglob("*.py"):
        offenders = {m for m in imports(file) if m.startswith(("sixvec.compiler", "sixvec.compile", "llvmlite"))}
        assert not offenders, file


def test_the_compiler_never_imports_robot_code() -> None:
    banned = tuple(f"sixvec.{folder}" for folder in (*ROBOT_HALF, "robot", "method", "compile", "cli"))
    for file in (PACKAGE / "compiler").rglob("*.py"):
        offenders = {m for m in imports(file) if m.startswith(banned) and not m.startswith("sixvec.compiler")}
        assert not offenders, file


LAYERS = {
    "spatial": set(),
    "geometry": {"spatial"},
    "orientation": {"spatial"},
    "rigid_body": {"spatial", "geometry", "orientation"},
}
"""The algebra and what stands on it: each package with those that it may import."""


@pytest.mark.parametrize("layer", LAYERS)
def test_geometry_stands_on_the_algebra(layer: str) -> None:
    allowed = tuple(f"sixvec.{name}" for name in {layer, "scalar", "errors"} | LAYERS[layer])
    for file in (PACKAGE / layer).rglob("*.py"):
        ours = {m for m in imports(file) if m.startswith("sixvec")}
        assert all(m.startswith(allowed) for m in ours), file


def test_algorithms_never_ask_for_whom_they_compute() -> None:
    for folder in (*LAYERS, "algorithms"):
        for file in (PACKAGE / folder).rglob("*.py"):
            assert not {"numpy", "sympy", "jax", "torch"} & imports(file), file


def test_names_say_something() -> None:
    assert not [f for f in PACKAGE.rglob("*") if f.stem in VAGUE]


def test_importing_loads_no_heavy_package() -> None:
    heavy = ["llvmlite", "rich", "matplotlib", "sympy", "scipy"]
    code = f"import sixvec, sys; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_stubs_are_up_to_date() -> None:
    sys.path.insert(0, str(PACKAGE.parent.parent / "tools"))
    import write_stubs

    assert write_stubs.STUB.read_text() == write_stubs.text(), "run `make stubs`"
