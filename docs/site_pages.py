"""What the site shows and nobody writes by hand: the reference, the groups of algorithms, and the robot that moves."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import reference_pages

import sixvec

OTHERS = "every other page"
"""A line of the front page's table of contents."""


def write(docs: Path) -> None:
    """Write reference/*.md, groups/*.md and _static/panda.html."""
    made = reference_pages.pages()
    fill(docs / "reference", made | {"index": reference_pages.index(made)})
    fill(docs / "groups", groups(docs / "algorithms"))
    moving_robot(docs / "_static")


def fill(folder: Path, pages: dict[str, str]) -> None:
    """Make a folder hold these pages and no others."""
    folder.mkdir(exist_ok=True)
    for file in folder.glob("*.md"):
        if file.stem not in pages:
            file.unlink()
    for name, text in pages.items():
        keep(folder / f"{name}.md", text)


def keep(path: Path, text: str) -> None:
    """Write a file, unless it says the same already: Sphinx reads again what changes."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def copy(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, folder)


def groups(algorithms: Path) -> dict[str, str]:
    """A page for each section of the index of algorithms, with the pages of its algorithms below it."""
    text = (algorithms / "README.md").read_text().partition("\n## Counts")[0]
    ungrouped = {page.stem for page in algorithms.glob("*.md")} - {"README"}
    made = {}
    for part in text.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        title = re.sub(r" \(\[\w+\]\(\w+\.md\)\)", "", heading)
        pages = [page for page in dict.fromkeys(re.findall(r"\]\((\w+)\.md\)", part)) if page in ungrouped]
        ungrouped -= {*pages}
        table = re.sub(r"\]\((\w+)\.md\)", r"](../algorithms/\1.md)", body)
        name = re.sub(r"\W+", "_", title.lower())
        made[name] = f"# {title}\n{table}\n" + toctree(f"../algorithms/{page}" for page in pages)
    if ungrouped:
        raise ValueError(f"algorithms/README.md links no {', '.join(sorted(ungrouped))} in its sections")
    return made


def toctree(pages: Iterable[str]) -> str:
    """A table of contents for the sidebar alone."""
    lines = "\n".join(page for page in pages if page != "index")
    return f"\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"


def contents(front: str, docs: Path) -> str:
    """The front page with the pages of `docs` that it does not name itself in the place of `OTHERS`."""
    named = {*re.findall(r"^(?:.*<)?(\w+)>?$", front, re.MULTILINE), "index"}
    others = sorted(page.stem for page in docs.glob("*.md") if page.stem not in named)
    return front.replace(OTHERS, "\n".join(others))


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
