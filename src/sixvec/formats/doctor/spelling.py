"""Unknown and repeated words and elements: readers silently ignore misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

from sixvec.formats.doctor.finding import Findings, note, warning
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.node import Node
from sixvec.formats.vocabulary import Vocabulary, Words
from sixvec.quoting import quoted

SIMILAR = 0.65
"""Of three letters two may agree."""
LONGEST = 40
"""Letters that are compared; no name in a format is longer."""

FOREIGN = "it belongs to another program, or can go"


def words_are_known(outline: Outline) -> Findings:
    """An unknown word is a warning if it resembles one of the format or if the format allows no others.

    A separate rule checks the contents of elements that a reader uses.
    """
    checked = {id(owner) for owner, _, _ in outline.owners}
    for t, words in _elements(outline):
        if words.attributes is not None:
            yield from _attributes(t, words.attributes, outline.format.strict)
        if words.inside is not None and t.inside and id(t) not in checked:
            yield from _inner(t, words.inside, outline.format.strict)


def _attributes(t: Node, known: frozenset[str], strict: bool) -> Findings:
    for name in t.attributes:
        if name in known or is_foreign(name):
            continue
        near = similar(name, known - t.attributes.keys())
        if near or strict:
            advice = f'did you mean {near}="…"?' if near else _listed("attributes", known)
            yield warning(t, f"the attribute {quoted(name)} is not one of <{t.tag}>", advice)
        else:
            yield note(t, f"the attribute {quoted(name)} is not read", FOREIGN)


def _inner(t: Node, known: frozenset[str], strict: bool) -> Findings:
    for inner in t.inside:
        if inner.tag in known or is_foreign(inner.tag):
            continue
        near = similar(inner.tag, known)
        message = f"is not an element of <{t.tag}>"
        if near or strict:
            yield warning(inner, message, f"did you mean <{near}>?" if near else _listed("elements", known))
        else:
            yield note(inner, message, FOREIGN)


def is_foreign(name: str) -> bool:
    """Whether a word has a prefix and so belongs to another program."""
    return ":" in name


def similar(name: str, words: Collection[str]) -> str:
    """The word most similar to a name; empty if there is none."""
    near = difflib.get_close_matches(name.lower()[:LONGEST], sorted(words), n=1, cutoff=SIMILAR)
    return near[0] if near else ""


def _listed(what: str, words: Collection[str]) -> str:
    return f"{what} that are: {quoted(', '.join(sorted(words)), 200)}" if words else f"it has no {what}"


def _elements(outline: Outline) -> Iterator[tuple[Node, Words]]:
    """Every element with a known vocabulary, in the order of the file."""
    vocabulary: Vocabulary | None = outline.format.vocabulary
    waiting = [] if vocabulary is None else [("", outline.root)]
    while waiting and vocabulary is not None:
        parent, t = waiting.pop()
        words = vocabulary.of(parent, t.tag)
        if words is None:
            continue
        yield t, words
        if words.inside is not None:
            waiting += [(t.tag, inner) for inner in reversed(t.inside) if inner.tag in words.inside]


SIMILAR_ELEMENT = 0.7


def elements_are_known(outline: Outline) -> Findings:
    """Only where a reader leaves them out."""
    for owner, known, _ in outline.owners if not outline.format.rejects_unknown else ():
        for t in owner.inside:
            if t.tag not in known and not is_foreign(t.tag):
                near = difflib.get_close_matches(t.tag.lower()[:40], sorted(known), n=1, cutoff=SIMILAR_ELEMENT)
                if near:
                    yield warning(t, "is not read", f"did you mean <{near[0]}>?")
                else:
                    yield note(t, "is not read", FOREIGN)


def elements_stand_once(outline: Outline) -> Findings:
    for owner, _, single in outline.owners:
        first_with: dict[str, Node] = {}
        for t in owner.inside if single else ():
            if t.tag in first_with and t.tag in single:
                yield warning(t, f"a second <{t.tag}>", f"only the one at line {first_with[t.tag].line} counts")
            first_with.setdefault(t.tag, t)
