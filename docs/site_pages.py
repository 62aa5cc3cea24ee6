"""What the site shows and nobody writes by hand: the reference from docstrings, and the robot that moves."""

from __future__ import annotations

import inspect
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import sixvec
from sixvec.algorithms import REGISTRY
from sixvec.kernels.methods import Methods

LEFT_OUT = ("compiler", "kernels")
"""Packages that users call through others."""


def write(docs: Path) -> None:
    """Write reference/*.md and _static/swing.html."""
    folder = docs / "reference"
    folder.mkdir(exist_ok=True)
    packages = {name: f"sixvec.{name}" for name in sixvec._PACKAGES if name not in LEFT_OUT}
    pages = {"robot": robot_page(), "top": top_page(), **{n: package_page(m) for n, m in packages.items()}}
    for name, text in pages.items():
        keep(folder / f"{name}.md", text)
    toctree = "\n".join(pages)
    keep(
        folder / "index.md", f"# Reference\n\nEvery public name, with its example.\n\n```{{toctree}}\n{toctree}\n```\n"
    )
    moving_robot(docs / "_static")


def keep(path: Path, text: str) -> None:
    """Write a file, unless it says the same already: Sphinx reads again what changes."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def top_page() -> str:
    parts = ["# sixvec", prose(sixvec.__doc__ or "")]
    for name in sixvec.__all__:
        value = getattr(sixvec, name)
        if callable(value):
            parts.append(entry(name, value, "##"))
    return "\n\n".join(parts) + "\n"


def robot_page() -> str:
    parts = ["# Robot", prose(sixvec.Robot.__doc__ or "")]
    generated = [n for n in dir(Methods) if not n.startswith("_")]
    own = [n for n in dir(sixvec.Robot) if not n.startswith("_") and n not in generated]
    for name in own:
        parts.append(entry(name, getattr(sixvec.Robot, name), "##"))
    parts.append("# Algorithms\n\nEach is a method of `Robot` and a kernel; `rnea`, `crba` and `aba` are other names.")
    for name, algorithm in sorted(REGISTRY.items()):
        if algorithm.function.__module__.startswith("sixvec."):
            parts.append(entry(f"robot.{name}", algorithm.function, "##"))
    return "\n\n".join(parts) + "\n"


def package_page(module_name: str) -> str:
    module = import_module(module_name)
    parts = [f"# {module_name}", prose(module.__doc__ or "")]
    for name in sorted(getattr(module, "__all__", ())):
        value = getattr(module, name)
        if not inspect.ismodule(value):
            parts.append(entry(name, value, "##"))
    return "\n\n".join(parts) + "\n"


def entry(name: str, value: Any, level: str) -> str:
    """A heading, the signature, the docstring; of a class its public methods too."""
    parts = [f"{level} {escaped(name)}"]
    if inspect.isclass(value) or callable(value):
        parts.append(f"```python\n{name}{signature(value)}\n```")
    document = value.__doc__ if inspect.isclass(value) else inspect.getdoc(value)
    generated = inspect.isclass(value) and (document or "").startswith(f"{name}(")
    if document and not generated and type(value) not in (dict, tuple, list, int, float, str):
        parts.append(prose(document))
    if inspect.isclass(value) and not issubclass(value, BaseException) and level == "##":
        for own, member in sorted(vars(value).items()):
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            text = inspect.getdoc(function) if inspect.isfunction(function) or isinstance(member, property) else None
            if text and not own.startswith("_"):
                call = "" if isinstance(member, property) else signature(function)
                parts.append(f"```python\n.{own}{call}\n```\n\n{prose(text)}")
    return "\n\n".join(parts)


def signature(value: Any) -> str:
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(…)"
    given = [p for p in found.parameters.values() if p.name not in ("self", "model")]
    given = [p.replace(annotation=p.empty) for p in given]
    text = str(found.replace(parameters=given, return_annotation=found.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def prose(document: str) -> str:
    """A docstring as Markdown: its sessions become code, the rest stays text."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(document))
    made: list[str] = []
    for block in blocks:
        lines = block.split("\n")
        start = next((i for i, line in enumerate(lines) if line.lstrip().startswith(">>> ")), None)
        if start is not None:
            text, code = "\n".join(lines[:start]), textwrap.dedent("\n".join(lines[start:]))
            made += [escaped(text)] * bool(text.strip()) + [f"```pycon\n{code}\n```"]
        elif all(line.startswith("    ") for line in lines):
            made.append(f"```text\n{textwrap.dedent(block)}\n```")
        else:
            made.append(escaped(block))
    return "\n\n".join(made)


def escaped(text: str) -> str:
    """Text in which Markdown sees nothing but code between backticks."""
    parts = re.split(r"(`[^`]+`)", text)
    shown = (p if i % 2 else re.sub(r"([\\*_\[\]<>#$~{}|])", r"\\\1", p) for i, p in enumerate(parts))
    return "\n".join(line.lstrip() for line in "".join(shown).split("\n"))


def moving_robot(folder: Path) -> None:
    """The arm of the landing page, which follows a circle for ever."""
    target = folder / "panda.html"
    folder.mkdir(exist_ok=True)
    if target.exists():
        return
    robot = sixvec.load("panda")
    frame, q0 = "panda_link8", np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    poses = np.repeat(robot.pose(q0, frame)[None], 120, axis=0)
    angle = np.linspace(0.0, 2 * np.pi, len(poses))
    poses[:, 1, 3] += 0.25 * np.sin(angle)
    poses[:, 2, 3] += 0.15 * (np.cos(angle) - 1.0)
    robot.animate(robot.track(q0, poses, frame), target, 1 / 30)
