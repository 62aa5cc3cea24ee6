"""The arrows of docs/architecture.md: who may import whom."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src/sixvec"

ROOMS = (
    {"border", "collector", "errors", "lazy", "pickling", "quoting", "scalar", "verdict"},
    {"spatial"},
    {"geometry"},
    {"model"},
    {"robots"},
    {"formats"},
    {"algorithms", "mechanism"},
    {"compiler"},
    {"kernels", "robot"},
    {"linear"},
    {"contacts"},
    {"sim"},
    {"constraints"},
    {"theory", "grasps"},
    {"ik", "large_trees"},
    {"analysis"},
    {"mobile", "parallel"},
    {"identification"},
    {"interop", "viz"},
    {"textbook", "verify"},
    {"demo"},
    {"cli"},
)
"""The rooms of docs/architecture.md, lowest floor first: one may import from its own floor and those below."""

UPWARD = {
    ("algorithms", "robot"),  # names for the type checker
    ("analysis", "viz"),  # results that draw themselves, when they are asked to
    ("formats", "mechanism"),  # the rank of the loops in a file that has any
    ("formats", "robot"),
    ("kernels", "verify"),  # as those of a robot: how it is shown
    ("kernels", "viz"),
    ("linear", "robot"),
    ("model", "robot"),
    ("parallel", "viz"),  # as those of analysis
    ("robot", "analysis"),  # methods of a robot import what answers them when they are called
    ("robot", "contacts"),  # names for the type checker
    ("robot", "ik"),
    ("robot", "sim"),
    ("robot", "theory"),
    ("robots", "robot"),
    ("sim", "viz"),  # as those of analysis
}
"""The exceptions, none of them at import time."""

EQUATIONS = ("spatial", "geometry", "model", "robots", "formats", "algorithms")
"""Rooms that know nothing of how kernels are made; `compiler` in turn knows nothing of robots."""

VAGUE = {"utils", "helpers", "common", "core", "base", "misc"}


def modules(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module:
        return {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return set()


@cache
def imports(file: Path) -> set[str]:
    return {name for node in ast.walk(ast.parse(file.read_text())) for name in modules(node)}


@cache
def at_once(file: Path) -> set[str]:
    """What importing the file imports."""
    return {name for node in ast.parse(file.read_text()).body for name in modules(node)}


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def files(room: str) -> list[Path]:
    return [f for f in PACKAGE.rglob("*.py") if room_of(f) == room]


def rooms_in(names: set[str]) -> set[str]:
    return {n.split(".")[1] for n in names if n.startswith("sixvec.")} & set.union(*ROOMS)


def test_every_room_has_a_floor() -> None:
    there = {room_of(f) for f in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    assert there == set.union(*ROOMS)


@pytest.mark.parametrize("floor", range(len(ROOMS)))
def test_arrows_go_one_way(floor: int) -> None:
    below = set.union(*ROOMS[: floor + 1])
    for room in ROOMS[floor]:
        for file in files(room):
            assert rooms_in(at_once(file)) <= below, file
            assert {(room, other) for other in rooms_in(imports(file)) - below} <= UPWARD, file


@pytest.mark.parametrize("room", EQUATIONS)
def test_equations_know_nothing_of_the_compiler(room: str) -> None:
    for file in files(room):
        assert not {"compiler", "kernels"} & rooms_in(imports(file)), file
        assert not [m for m in imports(file) if m.startswith("llvmlite")], file


def test_the_compiler_knows_nothing_of_robots() -> None:
    for file in files("compiler"):
        assert rooms_in(imports(file)) <= {"compiler", *ROOMS[0]}, file


def test_equations_never_ask_for_whom_they_compute() -> None:
    for room in ("spatial", "geometry", "algorithms"):
        for file in files(room):
            assert not {"numpy", "sympy", "jax", "torch"} & imports(file), file


def test_names_say_something() -> None:
    assert not [f for f in PACKAGE.rglob("*") if f.stem in VAGUE]


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import sixvec", ["numpy", "llvmlite", "rich", "matplotlib", "sympy", "scipy"]),
        ("import sixvec.cli; sixvec.cli.main(['robots', '--help'])", ["numpy", "llvmlite", "rich"]),
        ("import sixvec; sixvec.load('panda')", ["llvmlite", "rich", "urllib.request", "sixvec.formats.xml"]),
    ],
)
def test_importing_loads_no_heavy_package(code: str, heavy: list[str]) -> None:
    code = f"import atexit, sys; atexit.register(lambda: print([m for m in {heavy} if m in sys.modules])); {code}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("stub", sorted(PACKAGE.rglob("__init__.pyi")), ids=lambda f: f.parent.name)
def test_names_imported_on_demand_are_those_of_the_stub(stub: Path) -> None:
    package = importlib.import_module(".".join(stub.parent.relative_to(PACKAGE.parent).parts))
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            for name in node.names:
                assert getattr(package, name.name) is getattr(module, name.name)
        elif isinstance(node, ast.Assign):
            assert sorted(ast.literal_eval(node.value)) == package.__all__ == dir(package)


def test_stubs_are_up_to_date() -> None:
    sys.path.insert(0, str(PACKAGE.parent.parent / "tools"))
    import write_stubs

    assert write_stubs.STUB.read_text() == write_stubs.text(), "run `make stubs`"


TESTS = Path(__file__).parent


def test_every_test_file_can_be_run_alone() -> None:
    """pytest finds modules beside a test and in tests/: what folders share lives there."""
    helpers = {f.stem: f for f in TESTS.rglob("*.py") if not f.stem.startswith("test_") and f.stem != "conftest"}
    for file in TESTS.rglob("*.py"):
        for name in imports(file) & set(helpers):
            assert helpers[name].parent in (file.parent, TESTS), f"{file} imports {name}"
