"""Reading on past broken syntax: the question that holds it is taken out, the others are kept.

A parser stops at the first thing it does not understand. An author wants every mistake
of a file at once, so the entry around it is turned into comment lines, which leaves every
other character at its line, column and offset.
"""

from __future__ import annotations

import re
from typing import Final

from quizapp.bank.source import Source

_QUESTIONS: Final = re.compile(r"^questions[ \t]*:[ \t]*(?:#.*)?$", re.MULTILINE)
_ENTRY: Final = re.compile(r"^( *)-(?=[ \t]|$)", re.MULTILINE)
_VISIBLE: Final = re.compile(r"[^\r\n]")

#: How many characters are parsed anew, at most, to find the mistakes of one file.
_EFFORT: Final = 8 * 1024 * 1024
_MOST: Final = 50


def tries(source: Source) -> int:
    """How many broken questions of a file are worth passing over: fewer in a large file."""
    return max(1, min(_MOST, _EFFORT // max(1, len(source.text))))


def without_entry(source: Source, text: str, line: int) -> str | None:
    """`text` with the question around `line` as comment lines; None where there is none.

    text: that of `source`, perhaps with other questions taken out before.
    """
    starts = _entry_starts(text)
    if not starts or not 0 < line <= len(source.lines):
        return None
    # The entry that begins on this line belongs to it, whatever its indentation.
    at = source.offset(line, 1) + len(source.lines[line - 1])
    before = [start for start in starts if start <= at]
    if not before:
        return None
    end = next((start for start in starts if start > at), len(text))
    entry = text[before[-1] : end]
    return text[: before[-1]] + _VISIBLE.sub("#", entry) + text[end:]


def _entry_starts(text: str) -> list[int]:
    """Where the lines begin that start an entry of `questions`."""
    heading = _QUESTIONS.search(text)
    if heading is None:
        return []
    first = _ENTRY.search(text, heading.end())
    if first is None:
        return []
    found = _ENTRY.finditer(text, first.start())
    return [entry.start() for entry in found if entry[1] == first[1]]
