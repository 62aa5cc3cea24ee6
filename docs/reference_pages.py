"""The reference: every public name with its types, its docstring, and an example of its own or a link to one."""

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

from reference_signatures import signature

import sixvec
from sixvec.algorithms import REGISTRY
from sixvec.kernels.methods import Methods

HERE = Path(__file__).parent
PUBLIC = {*sixvec._PACKAGES} - sixvec._INSIDE
"""The other packages are reached through these."""

PLAIN = (dict, tuple, list, int, float, str, frozenset, NoneType, UnionType)
LONGEST = 300
"""Characters of a constant that are shown."""

ALGORITHMS = "## Algorithms\n\nEach is a method of `Robot` and a kernel; `rnea`, `crba` and `aba` are other names."


@dataclass(frozen=True)
class Member:
    """A documented method or property of a class."""

    name: str
    kind: str
    value: Any
    document: str


@dataclass(frozen=True)
class Entry:
    """A public name: the page that has it, how users write it there, and the object."""

    page: str
    name: str
    value: Any

    @property
    def place(self) -> str:
        """The name for which other sites and `objects.inv` know it."""
        package = "sixvec" if self.page in ("robot", "top") else self.page
        return f"{package}.{self.name}"

    @property
    def kind(self) -> str:
        """The directive of Sphinx that describes it."""
        if inspect.isclass(self.value):
            return "exception" if issubclass(self.value, BaseException) else "class"
        if self.name.startswith("Robot."):
            return "method" if inspect.isfunction(self.value) else "property"
        return "function" if callable(self.value) and not isinstance(self.value, PLAIN) else "data"

    @cached_property
    def document(self) -> str:
        text = self.value.__doc__ if inspect.isclass(self.value) else inspect.getdoc(self.value)
        made = inspect.isclass(self.value) and (text or "").startswith(f"{self.name}(")  # by dataclasses
        return "" if made or type(self.value) in PLAIN else text or ""

    @cached_property
    def members(self) -> list[Member]:
        """Of a class: its public members."""
        if self.kind != "class" or self.value is sixvec.Robot:
            return []
        found = []
        for own, member in sorted(vars(self.value).items()):
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            documented = inspect.isfunction(function) or isinstance(member, property)
            if documented and not own.startswith("_") and (about := inspect.getdoc(function)):
                found.append(Member(own, "property" if isinstance(member, property) else "method", member, about))
        return found

    @property
    def documents(self) -> list[tuple[str, str]]:
        """The docstring, and of a class those of its public members, each with its name."""
        return [("", self.document), *((f".{m.name}", m.document) for m in self.members)]

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

    @property
    def link(self) -> str:
        return f"{{py:obj}}`{self.name} <{self.place}>`"


def pages() -> dict[str, str]:
    """All pages of the reference by name; the index describes each with the first sentence of its module."""
    entries = all_entries()
    made: dict[str, list[str]] = {}
    for each in entries:
        if each.page not in made:
            made[each.page] = [opening(each.page)]
        if each.page == "robot" and each.name.partition(".")[2] in REGISTRY and ALGORITHMS not in made["robot"]:
            made["robot"].append(ALGORITHMS)
        made[each.page].append(section(each, entries))
    return {name: "\n\n".join(parts) + "\n" for name, parts in made.items()}


def opening(page: str) -> str:
    """The title of a page, the module that its names belong to, and what that is for."""
    module = "sixvec" if page in ("robot", "top") else page
    title = "Robot" if page == "robot" else module
    directive = f"```{{py:currentmodule}} {module}\n```" if page == "robot" else f"```{{py:module}} {module}\n```"
    about = "" if page == "robot" else prose(import_module(module).__doc__ or "")
    return f"# {title}\n\n{directive}\n\n{about}"


def index(made: dict[str, str]) -> str:
    """The first page of the reference: a line for each of the others."""
    rows = ["| | |", "|---|---|"]
    for page in made:
        title = {"robot": "Robot", "top": "sixvec"}.get(page, page)
        document = (
            sixvec.Robot.__doc__ if page == "robot" else import_module("sixvec" if page == "top" else page).__doc__
        )
        rows.append(f"| [{title}]({page}.md) | {escaped(sentence(document or ''))} |")
    toctree = "```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(made) + "\n```"
    text = "Every public name with its types and an example that can be pasted into an empty session."
    return f"# Reference\n\n{text}\n\n" + "\n".join(rows) + f"\n\n{toctree}\n"


def sentence(document: str) -> str:
    """The first sentence of a docstring."""
    paragraph = " ".join(inspect.cleandoc(document).split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]


def top() -> Iterator[Entry]:
    for name in sixvec.__all__:
        if callable(value := getattr(sixvec, name)) and value is not sixvec.Robot:
            yield Entry("top", name, value)


def of_robots() -> Iterator[Entry]:
    generated = {n for n in dir(Methods) if not n.startswith("_")}
    yield Entry("robot", "Robot", sixvec.Robot)
    for name in dir(sixvec.Robot):
        if not name.startswith("_") and name not in generated:
            yield Entry("robot", f"Robot.{name}", getattr(sixvec.Robot, name))
    for name, algorithm in sorted(REGISTRY.items()):
        if algorithm.function.__module__.startswith("sixvec."):
            yield Entry("robot", f"Robot.{name}", algorithm.function)


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


@cache
def places() -> dict[str, str]:
    """Classes by their last name, with the name under which the reference has them: for links from types."""
    return {e.name: e.place for e in reversed(all_entries()) if e.kind == "class"}


def section(entry: Entry, entries: list[Entry]) -> str:
    """The description of a name and of its members, and where there is no example, a link to one that uses it."""
    parts = [prose(entry.document)] * bool(entry.document)
    if entry.kind == "data":
        value = textwrap.shorten(written(entry.value), LONGEST, placeholder=" …")
        parts.append(f"```python\n{entry.name} = {value}\n```")
    elif not entry.session and (example := example_of(entry, entries)):
        parts.append(f"Example: {example}")
    made = [directive(entry.kind, entry.name, entry.value, "\n\n".join(parts))]
    made += [directive(m.kind, f"{entry.name}.{m.name}", m.value, prose(m.document)) for m in entry.members]
    return "\n\n".join(made)


def directive(kind: str, name: str, value: Any, text: str) -> str:
    """A name with its signature and description, for Sphinx."""
    shown = signature(value, kind, name, places())
    return f"````{{py:{kind}}} {name}{shown.arguments}\n{shown.options}\n{text}\n````"


def written(value: Any) -> str:
    """The repr with functions and classes by name: their addresses say nothing."""
    return re.sub(r"<(?:function|class) '?(?:\w+\.)*(<lambda>|\w+)'?(?: at 0x[0-9a-f]+)?>", r"\1", repr(value))


def example_of(entry: Entry, entries: list[Entry]) -> str:
    """A link to an example of another entry or a text: one with this name in it, with this result, or one about it."""
    word = re.compile(rf"(?<!\w){re.escape(entry.name.rpartition('.')[2])}(?!\w)")
    near = [e for e in sorted(entries, key=lambda e: e.page != entry.page) if e is not entry]
    others = [e for e in near if e.session]
    linked = [e.link for e in others if word.search(e.session) or word.search(e.returned)]
    linked += [f"[{title}](../{page})" for page, (title, text) in texts().items() if word.search(text)]
    about = re.compile(rf"`(?:\w+\.)*{re.escape(entry.name.rpartition('.')[2])}[`(]")
    linked += [e.link for e in others if any(about.search(t) for _, t in e.documents)]
    linked += [e.link for e in near if word.search(e.returned)]
    return linked[0] if linked else ""


@cache
def texts() -> dict[str, tuple[str, str]]:
    """The pages that people write and that have code, by path: the title, the code and names in the text of each."""
    found = {}
    for page in sorted(HERE.rglob("*.md")):
        if page.parent.name not in ("reference", "groups", "howto"):
            code = re.findall(r"```(?:python|\{code-cell\} python)\n(.*?)```", page.read_text(), re.DOTALL)
            names = re.findall(r"`([^`\n]+)`", page.read_text())
            title = re.search(r"^# (.*)", page.read_text(), re.MULTILINE)
            if code:
                found[str(page.relative_to(HERE))] = title[1] if title else page.stem, "\n".join([*code, *names])
    return found


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
