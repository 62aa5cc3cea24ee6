"""Words that this project uses in a private sense, and how often they still occur: `python tools/words.py`.

Readers have to learn such words, so new text avoids them.  `tools/words.tsv` holds the number of uses in the source,
the pages and the README; `tests/test_words.py` fails when a number grows.  After a revision
`python tools/words.py --write` lowers the numbers; it never raises one.

    python tools/words.py            the numbers now, beside the recorded ones
    python tools/words.py refuse     where a word is used
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tools/words.tsv"

PROSE = {
    "answer": (r"answer\w*", "result, return"),
    "anew": (r"anew", "again"),
    "beside": (r"beside", "next to, with"),
    "border": (r"border\w*", "argument check"),
    "by name": (r"(?<!sorted )(?<!\| )(?<!, )by name", "under its name, as a keyword"),
    "door": (r"doors?(?! with)", "call stub, interface"),
    "in kind": (r"in kind", "of the same library"),
    "is no": (r"(?<!here )(?:is|are|was|were|be) no(?= (?!longer|more))", "is not a"),
    "obey": (r"obey\w*", "enforce, satisfy"),
    "of its own": (r"of (?:its|their) own", "separate"),
    "one a": (r"(?:one|two|three|\d+) an? (?:sample|step|call|row|joint|body|leg|frame|robot|wheel)", "one per"),
    "refuse": (r"refus\w*", "raise an error, reject"),
    "room": (r"rooms?", "package, space"),
    "said": (r"said", "specified, reported"),
    "settle": (r"settle\w*", "converge, ready"),
    "stand": (r"(?:stands?|stood)(?!-alone| on (?:an?|the|three|which)\b| still\b)", "is, are"),
    "tier": (r"tiers?", "bytecode and machine code"),
    "told": (r"told|tells?", "reported, distinguishes"),
    "wanted": (r"wanted", "expected, requested"),
    "word": (r"in words|words? of|in the words?", "text, vocabulary"),
}
"""Patterns of words in prose, and what to write instead."""

PATTERNS = {word: re.compile(rf"\b(?<![`.%])(?:{p})(?![\w`(=])", re.IGNORECASE) for word, (p, _) in PROSE.items()}
ANY = re.compile("|".join(p for p, _ in PROSE.values()), re.IGNORECASE)

IDENTIFIERS = ("answer", "asked", "found", "given", "held", "kept", "left", "made", "own", "part", "rest", "said",
               "seen", "told", "wanted")  # fmt: skip
"""Names of variables and parameters that do not say what they hold."""


def texts() -> Iterator[Path]:
    """The source, the pages and the README."""
    yield ROOT / "README.md"
    pages = (ROOT / "docs").rglob("*.md")
    yield from sorted(page for page in pages if page.parent.name != "reference" and page.name != "textbook_map.md")
    yield from sorted((ROOT / "src").rglob("*.py"))


def passages(file: Path) -> Iterator[tuple[int, str]]:
    """The prose of a file with the line where it starts: of a page all of it, of a module its comments and strings."""
    text = file.read_text()
    if file.suffix != ".py":
        yield 1, text
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield token.start[0], token.string


def uses_in_prose(file: Path) -> Iterator[tuple[str, int]]:
    """The words and the lines in which they are used; quoted code such as `refused` does not count."""
    for start, passage in passages(file):
        if ANY.search(passage):
            for word, pattern in PATTERNS.items():
                for match in pattern.finditer(passage):
                    yield word, start + passage.count("\n", 0, match.start())


TECHNICAL = {
    "left": (r"\bright\b", "one of two sides"),
    "part": (r"\bparts\b|for part in", "an element of what is iterated"),
    "rest": (
        r"\brest: |\*rest\b|rest is None",
        "the state of a spring or tendon without force, or what a starred name takes",
    ),
    "held": (r"held: Held\b|\bhold\b", "a frame of `hold=`"),
}
"""Identifiers that are terms of the field where the function contains the pattern, with that meaning."""


def identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Where variables and parameters get their names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def is_technical(name: str, line: int, tree: ast.AST, lines: list[str]) -> bool:
    """Whether a name has its technical meaning in the innermost function or class around this line."""
    if name not in TECHNICAL:
        return False
    blocks = (ast.FunctionDef, ast.ClassDef)
    around = [b for b in ast.walk(tree) if isinstance(b, blocks) and b.lineno <= line <= (b.end_lineno or line)]
    first, last = max(((b.lineno, b.end_lineno) for b in around), default=(line, line))
    return re.search(TECHNICAL[name][0], "\n".join(lines[first - 1 : last])) is not None


def uses() -> Iterator[tuple[str, Path, int]]:
    """Every use: the row of the table, the file and the line."""
    for file in texts():
        yield from ((word, file, line) for word, line in uses_in_prose(file))
        if file.suffix == ".py":
            text = file.read_text()
            tree, lines = ast.parse(text), text.splitlines()
            for name, line in identifiers(tree):
                if name.lstrip("_") in IDENTIFIERS and not is_technical(name, line, tree, lines):
                    yield f"{name.lstrip('_')} =", file, line


def counts() -> dict[str, int]:
    counted = Counter(word for word, _, _ in uses())
    return {word: counted[word] for word in (*PROSE, *(f"{name} =" for name in IDENTIFIERS))}


def recorded() -> dict[str, int]:
    rows = (line.split("\t") for line in FILE.read_text().splitlines())
    return {word: int(count) for word, count in rows}


def main(arguments: list[str]) -> None:
    if arguments == ["--write"]:
        limits = recorded() if FILE.exists() else {}
        lowered = {word: min(count, limits.get(word, count)) for word, count in counts().items()}
        FILE.write_text("".join(f"{word}\t{count}\n" for word, count in lowered.items()))
    elif arguments:
        for word, file, line in uses():
            if word in arguments:
                print(f"{file.relative_to(ROOT)}:{line}: {file.read_text().splitlines()[line - 1].strip()}")
    else:
        limits = recorded()
        for word, count in counts().items():
            instead = f"  instead: {PROSE[word][1]}" if word in PROSE else ""
            print(f"{word:12} {count:5} of {limits[word]:5}{instead}")


if __name__ == "__main__":
    main(sys.argv[1:])
