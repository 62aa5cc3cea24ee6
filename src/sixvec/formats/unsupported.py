"""What a model rejects of a file, as errors at their elements; what it cannot represent, as one warning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from sixvec.errors import FileFormatError, ModelError
from sixvec.formats.node import Node
from sixvec.formats.problems import remark, stop_if_noted
from sixvec.quoting import message


class LeftOut(NamedTuple):
    """A feature that a model cannot represent, and its location in the file."""

    what: str
    file: str = ""
    line: int | None = None
    problem: FileFormatError | None = None
    """The reason, where it is a problem of the file: a finding of `sixvec check`."""
    touches: bool = False
    """Whether it is a shape for contacts and distances."""


class UnsupportedPhysics(UserWarning):
    """A model file describes physics that is not part of the resulting model."""

    def __init__(self, message: str, left_out: Sequence[LeftOut] = ()) -> None:
        super().__init__(message)
        self.left_out = tuple(left_out)


class UnsupportedShape(UserWarning):
    """A model has shapes that the format of the written file cannot represent."""


class Unsupported:
    """A list that grows while a file is read."""

    def __init__(self) -> None:
        self.left_out: list[LeftOut] = []

    def add(self, what: str, node: Node | None = None, problem: FileFormatError | None = None) -> None:
        """Note an unsupported feature and its element."""
        file, line = (node.file, node.line) if node else ("", None)
        self.left_out.append(LeftOut(what, file, line, problem))

    def leave_out(self, problem: FileFormatError, root: Node, touches: bool = False) -> None:
        """Note a problem that is not a reason to reject the file; without advice it is not one of the file."""
        what = str(problem).removeprefix(f"{root.file}: ")
        self.left_out.append(LeftOut(what, problem.file, problem.line, problem if problem.advice else None, touches))

    def summary(self) -> str:
        """Everything found, in the order of the first appearance."""
        return summary(self.left_out)

    def warn(self, where: str) -> None:
        """One warning that lists everything, if there is anything."""
        if self.left_out:
            text = message(f"{where}: {WITHOUT}: {self.summary()}")
            remark(UnsupportedPhysics(text, self.left_out))

    def stop_if_noted(self, where: str) -> None:
        """The end of a reader that has noted problems; those of what is left out are in its check, too."""
        try:
            stop_if_noted()
        except FileFormatError:
            self.left_out = [item for item in self.left_out if item.problem]
            self.warn(where)
            raise


WITHOUT = "read without what the model cannot hold"


def summary(left_out: Iterable[LeftOut]) -> str:
    """The omitted features, each once with its count."""
    count = Counter(item.what for item in left_out)
    return ", ".join(what if n == 1 else f"{n} × {what}" for what, n in count.items())


T = TypeVar("T")


@contextmanager
def located(root: Node, nodes: Mapping[str, Node], name: str) -> Iterator[None]:
    """While the model of that name is created, its errors become errors of the file, at the element of their body."""
    try:
        yield
    except FileFormatError:
        raise
    except ModelError as problem:
        # Without the prefix of the model's name, which is less precise than the location in the file.
        message, _, advice = str(problem).removeprefix(f"{name}: ").partition("; ")
        raise nodes.get(problem.body, root).error(message, advice) from None


def made(node: Node, kind: Callable[..., T], *arguments: object) -> T:
    """A part of a model that an element describes; what the model rejects is an error of the element."""
    with located(node, {}, ""):
        return kind(*arguments)
