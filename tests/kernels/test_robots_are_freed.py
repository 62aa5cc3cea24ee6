"""Whatever is computed from a robot is stored on the robot: it is freed with the last reference to it."""

from __future__ import annotations

import ast
import gc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.ik.closed_form import closed_form

PACKAGE = Path(sv.__file__).parent
OWNERS = {"Robot", "VariedRobot", "LoadedRobot", "MobileRobot", "Kernel", "Kernels", "Differentiable"}
"""A robot and what belongs to one."""

TIP = "panda_link8"
CALLS: dict[str, Callable[[Any], Any]] = {
    "ik": lambda r: r.ik(r.pose(r.neutral(), TIP), TIP),
    "numerical ik": lambda r: r.ik(r.pose(r.neutral(), TIP), TIP, method="numerical"),
    "closed form": lambda r: closed_form(r, TIP, locked={"panda_joint3": 0.0}, general=True),
    "track": lambda r: r.track(r.neutral(), r.pose(r.neutral(), TIP)[None], TIP),
    "rollout": lambda r: r.rollout(r.neutral(), np.zeros(7), np.zeros((2, 7)), 1e-3),
    "assemble": lambda r: r.assemble(r.neutral()),
    "second derivatives": lambda r: r.inverse_dynamics_second_derivatives(r.neutral(), *np.zeros((2, 7))),
    "payload": lambda r: r.with_payload(TIP, 1.0).gravity_forces(r.neutral()),
    "parameters": lambda r: r.with_parameters("inertia").gravity_forces(r.neutral()),
    "held": lambda r: r.constrained_dynamics(r.neutral(), *np.zeros((2, 7)), hold={TIP: "point"}),
    "in kind": lambda r: pytest.importorskip("torch").func.jacrev(r.gravity_forces)(
        pytest.importorskip("torch").zeros(7, dtype=pytest.importorskip("torch").float64)
    ),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", CALLS)
def test_a_robot_is_freed_after_its_last_use(name: str) -> None:
    alive = []
    for _ in range(3):
        robot = sv.load("panda")
        try:
            CALLS[name](robot)
        except sv.SixvecError as problems:
            problems.__traceback__ = None
        alive += [weakref.ref(robot), weakref.ref(robot._kernels)]
        del robot
    gc.collect()
    assert not any(reference() for reference in alive)


def test_a_robot_is_freed_at_once_after_inverse_kinematics() -> None:
    """Without the help of the collector: what is stored on a robot does not reference it."""
    gc.collect()
    gc.disable()
    try:
        robot = sv.load("puma560")
        frame = robot.frame_names[-1]
        assert robot.ik(robot.pose(robot.neutral(), frame), frame).q.shape == (6,)
        store = weakref.ref(robot._kernels)
        del robot
        assert store() is None
    finally:
        gc.enable()


def test_formulas_are_recognised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from sixvec.ik import choose

    robot, made = sv.load("puma560"), []
    real = choose._new_formula
    monkeypatch.setattr(choose, "_new_formula", lambda *given: made.append(given) or real(*given))
    for _ in range(3):
        robot.ik(robot.pose(robot.neutral(), "link6"), "link6")
    assert len(made) == 1


def _cached(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Functions whose results a module keeps."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {x.id if isinstance(x, ast.Name) else getattr(x, "attr", "") for d in node.decorator_list
                     for x in ast.walk(d)}  # fmt: skip
            if names & {"lru_cache", "cache"}:
                yield node


def _owners(function: ast.FunctionDef) -> set[str]:
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    written = " ".join(ast.unparse(a.annotation) if a.annotation else a.arg for a in every)
    words = set(written.replace("|", " ").replace("[", " ").replace("]", " ").replace(",", " ").split())
    return words & (OWNERS | {"robot", "kernel", "self"})


def test_no_module_keeps_results_by_robot() -> None:
    trees = {file: ast.parse(file.read_text()) for file in PACKAGE.rglob("*.py")}
    kept = {f"{file.name}: {f.name}": found for file, tree in trees.items() for f in _cached(tree)
            if (found := _owners(f))}  # fmt: skip
    assert not kept, "store it on the robot: robot._kernels.stored"
    tables = [
        f"{file.name}: {ast.unparse(node.target)}"
        for file, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and "dict[" in (kind := ast.unparse(node.annotation))
        and any(f"dict[{owner}," in kind or f"dict[tuple[{owner}," in kind for owner in OWNERS)
    ]  # fmt: skip
    assert not tables


def test_the_search_for_such_caches_sees_one() -> None:
    text = "@lru_cache(maxsize=9)\ndef formula(arm: Robot | None, frame: str) -> str: ...\n"
    (function,) = _cached(ast.parse(text))
    assert _owners(function) == {"Robot"}
