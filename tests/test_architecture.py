"""The arrows of docs/architecture.md: who may import whom."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src/sixvec"

LAYERS = (
    {
        "arguments",
        "collector",
        "errors",
        "installation",
        "lazy",
        "pickling",
        "quoting",
        "scalar",
        "tolerances",
        "verdict",
    },
    {"spatial"},
    {"geometry"},
    {"model"},
    {"formats"},
    {"algorithms", "mechanism"},
    {"compiler"},
    {"kernels", "robot"},
    {"solve"},
    {"distance"},
    {"constraints"},
    {"sim", "tasks", "theory"},
    {"ik", "large_trees"},
    {"mobile", "motion", "parallel", "identification", "muscles"},
    {"interop", "viz"},
    {"analysis", "textbook"},
    {"cli"},
)
"""The layers of docs/architecture.md, lowest first: a package imports from its own layer and those below."""

UPWARD = {
    ("algorithms", "robot"),  # names for the type checker
    ("formats", "algorithms"),  # the mass matrix in the neutral position
    ("formats", "mechanism"),  # the rank of the loops in a file that has any
    ("formats", "robot"),
    ("kernels", "analysis"),  # methods of a robot import what computes them when they are called
    ("kernels", "distance"),
    ("kernels", "ik"),
    ("kernels", "motion"),
    ("kernels", "viz"),
    ("model", "robot"),
    ("motion", "viz"),
    ("parallel", "viz"),  # results that draw themselves
    ("robot", "constraints"),  # names for the type checker
    ("robot", "sim"),
    ("robot", "theory"),
    ("sim", "viz"),
    ("solve", "robot"),
}
"""The exceptions, none of them at import time.  The list only shrinks."""

USES_OF_THE_COMPILER = {
    "analysis/task_space.py", "analysis/verify/machine_code.py", "analysis/verify/verification.py",
    "cli/demo.py", "cli/emit.py", "cli/equivalence.py",
    "ik/inputs.py", "ik/machine.py",
    "interop/controller.py", "interop/cupy.py", "interop/jax.py", "interop/jax_primitives.py",
    "interop/torch_arguments.py", "interop/torch_cuda.py", "interop/workers.py", "interop/written_function.py",
    "interop/zarr.py",
    "large_trees/constraint_force/row_executors.py", "large_trees/constraint_force/row_layout.py",
    "large_trees/dynamics.py", "large_trees/evaluation.py", "large_trees/passes.py",
    "mobile/paths/words.py", "mobile/trailing.py",
    "sim/adjoint.py", "sim/control.py", "sim/rollout_inputs.py",
    "theory/lagrange/conditions.py", "theory/operators/link_blocks.py",
}  # fmt: skip
"""Files above `kernels` that import the compiler: for device arrays, emitted source, the trace itself.  The list only
shrinks; `sixvec.kernels` has the types of compiled functions."""

EQUATIONS = ("spatial", "geometry", "model", "formats", "algorithms")
"""Packages that know nothing of how kernels are made; `compiler` in turn knows nothing of robots."""

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


def package_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def files(package: str) -> list[Path]:
    return [f for f in PACKAGE.rglob("*.py") if package_of(f) == package]


def packages_in(names: set[str]) -> set[str]:
    return {n.split(".")[1] for n in names if n.startswith("sixvec.")} & set.union(*LAYERS)


def test_the_picture_of_the_layers_is_this_one() -> None:
    text = (PACKAGE.parent.parent / "docs/architecture.md").read_text()
    lines = [re.findall(r"(\w+)(?:/|\.py)", line.split("│")[1]) for line in text.splitlines() if line.startswith(" │")]
    *above, packages, one, two = map(set, lines)
    assert [*reversed(above)] == [*LAYERS[1:]] and packages | one | two == LAYERS[0]


def test_every_package_has_a_layer() -> None:
    there = {package_of(f) for f in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    assert there == set.union(*LAYERS)


@pytest.mark.parametrize("layer", range(len(LAYERS)))
def test_packages_import_from_their_layer_or_lower(layer: int) -> None:
    below = set.union(*LAYERS[: layer + 1])
    for package in LAYERS[layer]:
        for file in files(package):
            assert packages_in(at_once(file)) <= below, file
            assert {(package, other) for other in packages_in(imports(file)) - below} <= UPWARD, file


@pytest.mark.parametrize("package", EQUATIONS)
def test_equations_know_nothing_of_the_compiler(package: str) -> None:
    for file in files(package):
        assert not {"compiler", "kernels"} & packages_in(imports(file)), file
        assert not [m for m in imports(file) if m.startswith("llvmlite")], file


def test_the_compiler_knows_nothing_of_robots() -> None:
    for file in files("compiler"):
        assert packages_in(imports(file)) <= {"compiler", *LAYERS[0]}, file


def test_packages_above_kernels_do_not_import_the_compiler() -> None:
    above = set.union(*LAYERS[1 + next(i for i, layer in enumerate(LAYERS) if "kernels" in layer) :])
    users = {str(f.relative_to(PACKAGE)) for p in above for f in files(p) if "compiler" in packages_in(imports(f))}
    assert users == USES_OF_THE_COMPILER


def test_equations_never_ask_for_whom_they_compute() -> None:
    for package in ("spatial", "geometry", "algorithms"):
        for file in files(package):
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


def test_all_test_files_can_be_run_together() -> None:
    """pytest imports test files by their names, without their folders: two of one name stop the whole suite."""
    files: dict[str, list[str]] = {}
    for file in TESTS.rglob("test_*.py"):
        files.setdefault(file.name, []).append(str(file.relative_to(TESTS)))
    assert [same for same in files.values() if len(same) > 1] == []
