"""A program as source text: the name of its function, the names of its arguments, its comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sixvec.compiler.program import Port, Program
from sixvec.quoting import plain_text

_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan
nearbyint nextafter nexttoward pow remainder remquo rint round scalb scalbln scalbn signbit sin sincos sinh sqrt tan
tanh tgamma trunc y0 y1 yn
"""
_WORDS = """
auto bool break case catch char class const const_cast continue default delete do double dynamic_cast else enum explicit
export extern false float for friend goto if inline int long mutable namespace new operator private protected public
register reinterpret_cast restrict return short signed sizeof static static_cast struct switch template this throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while
main i count abs INFINITY NAN isnan isinf isfinite isnormal
"""
RESERVED = frozenset([*_WORDS.split(), *(name + suffix for name in _MATH.split() for suffix in ("", "f", "l"))])
"""Names reserved by C, C++, <math.h> or the emitted code itself."""

_TEMPORARY = re.compile(r"t\d+")


@dataclass(frozen=True)
class Function:
    """A program with the name of its function and, for the comment above it, lines of text."""

    program: Program
    name: str = ""
    notes: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """The name as an identifier of C."""
        return identifier(self.name or self.program.name)

    @property
    def arguments(self) -> list[str]:
        """Names of the arguments, inputs first, all different; an output may have the name of an input."""
        input_names = {p.name for p in self.program.inputs}
        names = [identifier(p.name) for p in self.program.inputs]
        names += [identifier(p.name) + ("_out" if p.name in input_names else "") for p in self.program.outputs]
        return distinct(names)

    def comment(self, *more: str) -> list[str]:
        """The lines of a block comment: title and operations, the notes, then `more`."""
        counts = ", ".join(f"{n} {kind}" for kind, n in self.program.count().items()) or "constants only"
        return comment([f"{self.symbol}: {counts}.", *self.notes, *more])


def comment(lines: Sequence[str]) -> list[str]:
    """Lines of text, at least two, as a block comment of C."""
    first, *others, last = map(_harmless, lines)
    return [f"/* {first}", *(f"   {line}".rstrip() for line in others), f"   {last} */"]


def identifier(name: str) -> str:
    """A name that C accepts: letters, digits and underscores of ASCII, no keyword of the language.

    >>> [identifier(name) for name in ("external[tool0]", "2nd arm", "<lambda>", "double", "été")]
    ['external_tool0', 'x2nd_arm', 'lambda', 'double_', 't']
    """
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in name).strip("_") or "f"
    text = f"x{text}" if text[0].isdigit() else text
    return f"{text}_" if text in RESERVED or _TEMPORARY.fullmatch(text) else text


def is_identifier(name: str) -> bool:
    """Whether a name stays as it is."""
    return identifier(name) == name


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with numbers appended to repeated ones.

    >>> distinct(["a", "a", "a_2", "a"])
    ['a', 'a_2', 'a_2_2', 'a_3']
    """
    unique: list[str] = []
    for name in names:
        new, n = name, 1
        while new in unique:
            n += 1
            new = f"{name}_{n}"
        unique.append(new)
    return unique


def shape(port: Port) -> str:
    return " x ".join(map(str, port.shape)) or "1"


def _harmless(line: str) -> str:
    """A line that is valid in a comment: ASCII, without the start or end of a comment."""
    return plain_text(line).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
