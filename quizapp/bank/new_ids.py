"""A new id for an entry that has none: made from its English words, unlike its neighbours'."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping
from typing import Any, Final

from quizapp.bank.compose import Path
from quizapp.bank.diagnostics import Edit
from quizapp.bank.mend import ending
from quizapp.bank.source import Source
from quizapp.bank.spans import Span

#: Words an id can do without.
_SMALL: Final = frozenset({"a", "an", "the", "is", "are", "of", "to", "in", "it", "its", "and"})
_WORDS: Final = 5
_MOST: Final = 40


def missing_id(
    source: Source, where: Mapping[Path, Span], data: Any, path: Path
) -> tuple[Edit, ...]:
    """The edit that gives the entry at `path` of a list the field `id`; () where it is no entry."""
    span = where.get(path)
    if span is None or span.kind != "mapping" or not path or not isinstance(path[-1], int):
        return ()
    neighbours, entry = data, {}
    for step in path[:-1]:
        neighbours = neighbours[step]
    entry = neighbours[path[-1]]
    taken = {other.get("id") for other in neighbours if isinstance(other, dict)}
    name = new_id(_words(entry), taken, fallback=str(path[-2]).rstrip("s"), number=path[-1] + 1)
    line, column = source.position(span.start)
    if span.style == "{":
        return (Edit(span.start + 1, span.start + 1, f"id: {name}, "),)
    margin = ending(source, line) + " " * (column - 1)
    return (Edit(span.start, span.start, f"id: {name}{margin}"),)


def new_id(words: str, taken: Container[object], *, fallback: str, number: int) -> str:
    """`words` as an id, lower-case with hyphens, with a number where it is `taken`."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    every = re.findall(r"[a-z0-9]+", plain)
    chosen = [word for word in every if word not in _SMALL][:_WORDS] or every[:_WORDS]
    name = "-".join(chosen)[:_MOST].strip("-") or f"{fallback}-{number}"
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, 10**6) if f"{name}-{n}" not in taken)


def _words(entry: Mapping[str, Any]) -> str:
    for field in ("title", "text", "prompt"):
        value = entry.get(field)
        if isinstance(value, dict):
            value = value.get("en")
        if isinstance(value, str) and value:
            return value
    return ""
