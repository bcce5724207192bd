"""Columns, not characters: widths, truncation and wrapping where Chinese takes two cells."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

#: May not begin a line (closing marks), and may not end one (opening marks).
_NO_START: Final = frozenset("，。、；：？！）】》」』”’…—,.;:?!)]}%")
_NO_END: Final = frozenset("（【《「『“‘([{")


@lru_cache(maxsize=4096)
def char_width(char: str) -> int:
    """Columns one character takes: 0 for combining marks, 2 for wide ones, else 1."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


@lru_cache(maxsize=8192)
def display_width(text: str) -> int:
    """Columns `text` takes on one line."""
    if text.isascii():
        return len(text)
    return sum(map(char_width, text))


def truncate(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` in at most `width` columns, ending in `ellipsis` where something was left out."""
    if display_width(text) <= width:
        return text
    room = width - display_width(ellipsis)
    if room < 0:
        return truncate(text, width, "")
    kept, used = [], 0
    for char in text:
        used += char_width(char)
        if used > room:
            break
        kept.append(char)
    return "".join(kept) + ellipsis


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with blanks to `width` columns, at its right edge when `right`."""
    fill = " " * max(0, width - display_width(text))
    return fill + text if right else text + fill


def wrap(text: str, width: int) -> list[str]:
    """`text` as lines of at most `width` columns; its own newlines are kept.

    Latin text breaks at blanks, Chinese between characters, never before a closing
    mark or after an opening one. A word longer than a line is cut. At least one line.
    """
    return [text[a:b] for a, b in wrap_spans(text, width)]


def wrap_spans(text: str, width: int) -> list[tuple[int, int]]:
    """Where `wrap` cuts: (start, end) of every line in `text`, blanks at the break left out."""
    width = max(1, width)
    spans: list[tuple[int, int]] = []
    start = 0
    for paragraph in text.split("\n"):
        spans += _wrap_paragraph(text, start, start + len(paragraph), width)
        start += len(paragraph) + 1
    return spans


def _wrap_paragraph(text: str, start: int, end: int, width: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    while True:
        stop = _reach(text, start, end, width)
        if stop == end:
            spans.append((start, end))
            return spans
        cut = _break_before(text, start, stop)
        line_end = cut
        while line_end > start and text[line_end - 1] == " ":
            line_end -= 1
        spans.append((start, line_end))
        start = cut
        while start < end and text[start] == " ":
            start += 1
        if start == end:
            return spans


def _reach(text: str, start: int, end: int, width: int) -> int:
    """The first index whose character no longer fits on a line that begins at `start`."""
    used = 0
    for index in range(start, end):
        used += char_width(text[index])
        if used > width:
            return max(index, start + 1)
    return end


def _break_before(text: str, start: int, stop: int) -> int:
    """The best place in (start, stop] to begin a new line; `stop` where there is none."""
    for cut in range(stop, start, -1):
        before, after = text[cut - 1], text[cut]
        if after == " ":
            # Indentation is no place to break: the line would be blank.
            if text[start:cut].strip():
                return cut
        elif before == " ":
            if text[start:cut].strip():
                return cut
        elif (
            (char_width(before) == 2 or char_width(after) == 2)
            and after not in _NO_START
            and before not in _NO_END
            and char_width(after) > 0
        ):
            return cut
    return stop
