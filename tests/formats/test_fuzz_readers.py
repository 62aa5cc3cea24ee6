"""Damaged files of the three formats: a model or a SixvecError, never anything else, and soon."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable

import pytest
from broken_robots import OWN, SOUND

from sdf_files import CHAIN, NESTED, OLD, RELATIVE, WORLD
from sixvec.errors import SixvecError
from sixvec.formats import parse_model
from sixvec.model import Model

SECONDS = 1.5
"""Per format and seed; the number of files depends on the machine, their order does not."""

FEWEST = 100
"""Files that even a busy machine reads in that time."""

READERS: dict[str, Callable[..., Model]] = {".urdf": parse_model, ".xml": parse_model, ".sdf": parse_model}
SEEDS = {
    ".urdf": [SOUND[".urdf"]],
    ".xml": [SOUND[".xml"]],
    ".sdf": [SOUND[".sdf"], CHAIN, NESTED, OLD["1.4"], RELATIVE, WORLD],
}
LONGEST = 4000
WORDS = [
    "nan", "inf", "-1", "0", "1e400", "1e308", "1_0", "", " ", "<", ">", "/>", "</", '"', "&", "&amp;", "]]>", "<!--",
    "\0", "é", "\U0001f916", "world", "__model__", "::", "a", "b", "a::b", "true", "fixed", "revolute", "ball", "free",
    "universal", "screw", "pose", "link", "joint", "model", "frame", "name", "relative_to", "attached_to", "axis",
    "expressed_in", "body", "default", "class", "include", "mimic", "1.4", "1.11", "99.99", "<link name='z'/>",
    "<!-- a -- b -->", "<x:y/>", " x:y='1'", " xmlns='x'", " xmlns:x='x'", "\ufeff",
    "<?xml version='1.0'?>", "<!DOCTYPE a>", "\x1b[2J", "\x85",
]  # fmt: skip


def damaged(rng: random.Random, texts: list[str]) -> str:
    """A file with a few pieces cut, doubled, swapped or replaced."""
    text = rng.choice(texts)
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(text) + 1), rng.choice([0, 1, 3, 10, 60])
        piece = rng.choice(
            [rng.choice(WORDS), text[at : at + length] * rng.choice([0, 2, 5]), _tag(rng, rng.choice(texts))]
        )
        text = text[:at] + piece + text[at + length :]
    return text


def _tag(rng: random.Random, text: str) -> str:
    """One element's start or end, which keeps more of the files well-formed than random pieces do."""
    tags = text.split("<")
    return "<" + rng.choice(tags[1:])


def renamed(rng: random.Random, texts: list[str]) -> str:
    """A well-formed file: only values between quotes or between tags change."""
    text = rng.choice(texts)
    for _ in range(rng.randint(1, 3)):
        mark, end = rng.choice(['""', "><"])
        parts = text.split(mark)
        i = rng.randrange(1, len(parts)) if len(parts) > 1 else 0
        inside, found, rest = parts[i].partition(end)
        if found and len(inside) < 60:
            parts[i] = rng.choice([w for w in WORDS if not set(w) & set('<>"&')]) + found + rest
        text = mark.join(parts)
    return text


@pytest.mark.every(2)
@pytest.mark.parametrize("damage", [damaged, renamed])
@pytest.mark.parametrize("suffix", READERS)
def test_only_our_errors(suffix: str, damage: Callable[[random.Random, list[str]], str]) -> None:
    rng = random.Random(f"{suffix} {damage.__name__}")
    texts = SEEDS[suffix] + [text for text, _ in OWN[suffix].values() if len(text) < LONGEST]
    end, count, loaded = time.monotonic() + SECONDS, 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while time.monotonic() < end or count < FEWEST:
            text = damage(rng, texts)
            count += 1
            try:
                READERS[suffix](text, f"robot{suffix}", floating=rng.random() < 0.2)
                loaded += 1
            except SixvecError:
                continue
            except Exception as problem:
                raise AssertionError(f"{type(problem).__name__} from this file:\n{text}") from problem
    assert 0 < loaded < count  # it reaches the reader behind the parser
