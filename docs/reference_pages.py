"""The reference: every public name with its docstring, and an example of its own or the one that uses it."""

from __future__ import annotations

import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import sixvec
from sixvec.algorithms import REGISTRY
from sixvec.kernels.methods import Methods

HERE = Path(__file__).parent
PUBLIC = {*sixvec._PACKAGES} - sixvec._INSIDE
"""The other packages are reached through these."""

PLAIN = (dict, tuple, list, int, float, str, frozenset, NoneType, UnionType)
LONGEST = 300
"""Characters of a constant that are shown."""


@dataclass(frozen=True)
class Entry:
    """A public name: the page that has it, how users write it, and the object."""

    page: str
    name: str
    value: Any
    level: str = "##"

    @property
    def title(self) -> str:
        return self.name

    @property
    def anchor(self) -> str:
        """As the site makes it from the heading."""
        return f"{self.page}.md#{self.title.lower().replace('.', '')}"

    @cached_property
    def documents(self) -> list[tuple[str, str]]:
        """The docstring, and of a class those of its public members, each with its call."""
        value = self.value
        text = value.__doc__ if inspect.isclass(value) else inspect.getdoc(value)
        if (inspect.isclass(value) and (text or "").startswith(f"{self.name}(")) or type(value) in PLAIN:
            text = ""  # made by dataclasses, or the docstring of a built-in type
        found = [("", text or "")]
        if inspect.isclass(value) and not issubclass(value, BaseException):
            for own, member in sorted(vars(value).items()):
                function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
                documented = inspect.isfunction(function) or isinstance(member, property)
                if documented and not own.startswith("_") and (about := inspect.getdoc(function)):
                    found.append((f".{own}{'' if isinstance(member, property) else signature(function, False)}", about))
        return found

    @cached_property
    def session(self) -> str:
        """All lines of its examples."""
        lines = (line.strip() for _, text in self.documents for line in text.split("\n"))
        return "\n".join(line for line in lines if line.startswith((">>> ", "... ")))

    @cached_property
    def returned(self) -> str:
        """What a function returns, or the methods of a class, as it is written."""
        members = vars(self.value).values() if inspect.isclass(self.value) else [self.value]
        functions = (m.fget if isinstance(m, property) else m for m in members)
        return " ".join(str(getattr(f, "__annotations__", {}).get("return", "")) for f in functions if callable(f))


def pages() -> dict[str, str]:
    """All pages of the reference by name."""
    entries = all_entries()
    made: dict[str, list[str]] = {
        "robot": ["# Robot", prose(sixvec.Robot.__doc__ or "")],
        "top": ["# sixvec", prose(sixvec.__doc__ or "")],
    }
    for each in entries:
        if each.page not in made:
            made[each.page] = [f"# {each.page}", prose(import_module(each.page).__doc__ or "")]
        if each.page == "robot" and each.title.startswith("robot.") and "# Algorithms" not in "".join(made["robot"]):
            made["robot"].append(ALGORITHMS)
        made[each.page].append(section(each, entries))
    return {name: "\n\n".join(parts) + "\n" for name, parts in made.items()}


ALGORITHMS = "# Algorithms\n\nEach is a method of `Robot` and a kernel; `rnea`, `crba` and `aba` are other names."


def top() -> Iterator[Entry]:
    for name in sixvec.__all__:
        if callable(value := getattr(sixvec, name)) and value is not sixvec.Robot:
            yield Entry("top", name, value)


def of_robots() -> Iterator[Entry]:
    generated = {n for n in dir(Methods) if not n.startswith("_")}
    for name in dir(sixvec.Robot):
        if not name.startswith("_") and name not in generated:
            yield Entry("robot", name, getattr(sixvec.Robot, name))
    for name, algorithm in sorted(REGISTRY.items()):
        if algorithm.function.__module__.startswith("sixvec."):
            yield Entry("robot", f"robot.{name}", algorithm.function)


def of_packages() -> Iterator[Entry]:
    """The names that packages export, each once: in the package nearest to the top."""
    names = [m.name for m in pkgutil.walk_packages(sixvec.__path__, "sixvec.") if m.ispkg]
    seen: set[int] = set()
    for package in sorted((n for n in names if n.split(".")[1] in PUBLIC), key=lambda n: (n.count("."), n)):
        module = import_module(package)
        for name in sorted(getattr(module, "__all__", ())):
            value = getattr(module, name)
            if not inspect.ismodule(value) and id(value) not in seen:
                seen.add(id(value))
                yield Entry(package, name, value)


def all_entries() -> list[Entry]:
    return [*top(), *of_robots(), *of_packages()]


def section(entry: Entry, entries: list[Entry]) -> str:
    """A heading, the signature, the docstrings, and where there is no example, one that uses the name."""
    parts = [f"{entry.level} {escaped(entry.title)}"]
    if inspect.isclass(entry.value) or callable(entry.value):
        parts.append(f"```python\n{entry.name}{signature(entry.value, entry.page == 'robot')}\n```")
    for call, text in entry.documents:
        parts += [f"```python\n{call}\n```"] * bool(call) + [prose(text)] * bool(text)
    if isinstance(entry.value, PLAIN):
        parts.append(
            f"```python\n{entry.name} = {textwrap.shorten(written(entry.value), LONGEST, placeholder=' …')}\n```"
        )
    elif not entry.session and (example := example_of(entry, entries)):
        parts.append(f"Example: {example}")
    return "\n\n".join(parts)


def written(value: Any) -> str:
    """The repr with functions and classes by name: their addresses say nothing."""
    return re.sub(r"<(?:function|class) '?(?:\w+\.)*(<lambda>|\w+)'?(?: at 0x[0-9a-f]+)?>", r"\1", repr(value))


def example_of(entry: Entry, entries: list[Entry]) -> str:
    """A link to an example of another entry or a text: one with this name in it, with this result, or one about it."""
    word = re.compile(rf"(?<!\w){re.escape(entry.name)}(?!\w)")
    near = [e for e in sorted(entries, key=lambda e: e.page != entry.page) if e is not entry]
    others = [e for e in near if e.session]
    linked = [f"[{escaped(e.title)}]({e.anchor})" for e in others if word.search(e.session) or word.search(e.returned)]
    linked += [f"[{title}](../{page})" for page, (title, text) in texts().items() if word.search(text)]
    about = re.compile(rf"`(?:\w+\.)*{re.escape(entry.name)}[`(]")
    linked += [f"[{escaped(e.title)}]({e.anchor})" for e in others if any(about.search(t) for _, t in e.documents)]
    linked += [f"[{escaped(e.title)}]({e.anchor})" for e in near if word.search(e.returned)]
    return linked[0] if linked else ""


@cache
def texts() -> dict[str, tuple[str, str]]:
    """The pages that people write and that have code, by path: the title, the code and names in the text of each."""
    found = {}
    for page in sorted(HERE.rglob("*.md")):
        if page.parent.name not in ("reference", "howto"):
            code = re.findall(r"```(?:python|\{code-cell\} python)\n(.*?)```", page.read_text(), re.DOTALL)
            names = re.findall(r"`([^`\n]+)`", page.read_text())
            title = re.search(r"^# (.*)", page.read_text(), re.MULTILINE)
            if code:
                found[str(page.relative_to(HERE))] = title[1] if title else page.stem, "\n".join([*code, *names])
    return found


def signature(value: Any, method: bool) -> str:
    """The parameters without types; of an algorithm as a method of robots, without the model."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(…)"
    given = [p for p in found.parameters.values() if p.name not in ("self", "model" if method else "")]
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
