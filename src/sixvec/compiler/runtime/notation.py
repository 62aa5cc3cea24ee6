"""Abbreviations for the assembly of this folder: entries of arrays in memory, and loops.

%x <- i64 %array[%i]            load an entry of an array
%x <- ptr %object + 24          load from so many bytes behind an address
%array[%i] <- ptr %x            store an entry
for %i from %a below %b by %c   lines up to `next %i` for i = a, a + c, …; without `from` or `by`: from 0, by 1
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import IntEnum

_LOAD = re.compile(r" +(%[\w.]+) <- (\w+) (%[\w.]+)(?:\[(\S+)\]| \+ (\S+))")
_STORE = re.compile(r" +(%[\w.]+)\[(\S+)\] <- (\w+) (\S+)")
_FOR = re.compile(r" +for %(\S+)(?: from (\S+))? below (\S+)(?: by (\S+))?")
_NEXT = re.compile(r" +next %(\S+)")
_LABEL = re.compile(r"([\w.]+):.*")


def expanded(text: str) -> str:
    """The text as LLVM reads it; lines without abbreviations stay as they are.

    >>> print(expanded("  %x <- i64 %array[%i]"))
      %x.p = getelementptr i64, ptr %array, i64 %i
      %x = load i64, ptr %x.p
    """
    lines: list[str] = []
    loops: list[tuple[int, str]] = []
    block = "entry"
    for line in text.split("\n"):
        if match := _LOAD.fullmatch(line):
            to, kind, base, index, offset = match.groups()
            lines += [
                f"  {to}.p = getelementptr {kind if index else 'i8'}, ptr {base}, i64 {index or offset}",
                f"  {to} = load {kind}, ptr {to}.p",
            ]
        elif match := _STORE.fullmatch(line):
            base, index, kind, value = match.groups()
            place = f"{base}.{index.removeprefix('%')}.p"
            lines += [
                f"  {place} = getelementptr {kind}, ptr {base}, i64 {index}",
                f"  store {kind} {value}, ptr {place}",
            ]
        elif match := _FOR.fullmatch(line):
            i, first, limit, step = match.groups()
            loops.append((len(lines) + 2, step or "1"))
            lines += [
                f"  br label %{i}.loop",
                f"{i}.loop:",
                f"  %{i} = phi i64 [ {first or 0}, %{block} ], [ %{i}.next, %LAST ]",
                f"  %{i}.more = icmp slt i64 %{i}, {limit}",
                f"  br i1 %{i}.more, label %{i}.body, label %{i}.done",
                f"{i}.body:",
            ]
            block = f"{i}.body"
        elif match := _NEXT.fullmatch(line):
            i = match[1]
            head, step = loops.pop()
            lines[head] = lines[head].replace("LAST", block)
            lines += [f"  %{i}.next = add i64 %{i}, {step}", f"  br label %{i}.loop", f"{i}.done:"]
            block = f"{i}.done"
        else:
            lines.append(line)
            block = label[1] if (label := _LABEL.fullmatch(line)) else block
    return "\n".join(lines)


def fetched(words: Iterable[IntEnum], counts: Collection[IntEnum], base: str) -> str:
    """Lines that load all words of a table under their names: numbers if they are `counts`, else addresses."""
    return "\n".join(f"  %{w.name} <- {'i64' if w in counts else 'ptr'} {base}[{w.value}]" for w in words)
