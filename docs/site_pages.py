"""What the site shows and nobody writes by hand: the reference from docstrings, and the robot that moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import reference_pages

import sixvec


def write(docs: Path) -> None:
    """Write reference/*.md and _static/panda.html."""
    folder = docs / "reference"
    folder.mkdir(exist_ok=True)
    pages = reference_pages.pages()
    toctree = "\n".join(pages)
    title = "# Reference\n\nEvery public name, with its example."
    pages["index"] = f"{title}\n\n```{{toctree}}\n:maxdepth: 1\n\n{toctree}\n```\n"
    for file in folder.glob("*.md"):
        if file.stem not in pages:
            file.unlink()
    for name, text in pages.items():
        keep(folder / f"{name}.md", text)
    moving_robot(docs / "_static")


def keep(path: Path, text: str) -> None:
    """Write a file, unless it says the same already: Sphinx reads again what changes."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


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
    robot.animate(robot.track(q0, poses, frame), target, 1 / 30, overwrite=True)
