"""The values of MJCF's attributes for the rules: numbers, their count, and keywords.

Also those outside the mechanism, such as contacts, appearance and memory: MuJoCo refuses a file for them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.outline import Written
from sixvec.formats.mjcf.words import KEYWORDS, MJCF_WORDS, REQUIRED
from sixvec.formats.node import Node
from sixvec.formats.vocabulary import EVERY, Count
from sixvec.quoting import quoted


def counts(t: Node) -> dict[str, Count]:
    """The attributes of an element with numbers."""
    words = MJCF_WORDS.of(t.parent.tag if t.parent else "", t.tag)
    return {} if words is None else words.numbers


def written(root: Node) -> Iterator[Written]:
    """All attributes with numbers, in any element; those of classes at the line of the class."""
    for t in root.iter():
        known = counts(t)
        for attribute in t.attributes:
            if count := known.get(attribute):
                yield Written(t, attribute, t.attributes[attribute], count.least, count.most, count.infinite)
        for attribute in REQUIRED.get(t.tag, ()):
            if attribute not in t.attributes:
                yield Written(t, attribute, None, *known[attribute][:3])


def whole_numbers_are_whole(root: Node) -> Findings:
    for t in root.iter():
        for name, count in counts(t).items():
            text = t.attributes.get(name)
            if count.whole and text is not None and not _are_whole(text):
                yield error(t, f'{name}="{quoted(text)}" is not whole', "write a whole number, without a point")


def _are_whole(text: str) -> bool:
    """Whether all words are whole numbers; anything that is not a number has another finding."""
    try:
        [float(word) for word in text.split()]
    except ValueError:
        return True
    return all(word.lstrip("+-").isdigit() for word in text.split())


def keywords_are_known(root: Node) -> Findings:
    for t in root.iter():
        known = KEYWORDS.get(t.tag, {})
        for attribute, word in t.attributes.items():
            words = known.get(attribute) or known.get(EVERY)
            if words is not None and word.strip() not in words:
                message = f'{attribute}="{quoted(word)}" is not one of {", ".join(words)}'
                yield error(t, message, nearest(word, words, "word", attribute))
        if t.tag == "compiler" and not re.fullmatch("[xyzXYZ]{3}", t.get("eulerseq") or "xyz"):
            message = f'eulerseq="{quoted(t.get("eulerseq"))}" is not 3 of the letters x, y, z, X, Y, Z'
            yield error(t, message, "small letters turn along with the body, capitals do not")
