"""Cells: what a drawing is made of before any terminal sees it.

A drawing is a list of rows, a row a tuple of runs, a run some text in one ink.
The screen turns runs into segments, standard output joins their text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from quizapp.plot.width import display_width, truncate

#: An RGB triple (0-255 each), or an index into the xterm palette of 256.
Colour = tuple[int, int, int] | int


class Ink(NamedTuple):
    """How a run looks. A colour of None is the terminal's own; muted is for axes and captions."""

    fg: Colour | None = None
    bg: Colour | None = None
    bold: bool = False
    muted: bool = False
    code: bool = False


class Run(NamedTuple):
    """Text in one ink."""

    text: str
    ink: Ink


Row = tuple[Run, ...]

PLAIN: Final = Ink()
BOLD: Final = Ink(bold=True)
MUTED: Final = Ink(muted=True)


def row(*parts: tuple[str, Ink]) -> Row:
    """A row of the parts that are not empty."""
    return tuple(Run(text, ink) for text, ink in parts if text)


def text_of(line: Row) -> str:
    """The row's text without its inks."""
    return "".join(run.text for run in line)


def lines_of(rows: Iterable[Row]) -> list[str]:
    """The rows as strings for standard output, without trailing blanks."""
    return [text_of(line).rstrip() for line in rows]


def row_width(line: Row) -> int:
    """Columns the row takes."""
    return sum([display_width(text) for text, _ in line])


def cut(line: Row, width: int) -> Row:
    """`line` at exactly `width` columns: cut on the right, or filled with blanks."""
    left = width - row_width(line)
    if left >= 0:
        return (*line, Run(" " * left, PLAIN)) if left else line
    kept: list[Run] = []
    left = width
    for run in line:
        if left <= 0:
            break
        size = display_width(run.text)
        text = run.text if size <= left else truncate(run.text, left, "")
        kept.append(Run(text, run.ink))
        left -= display_width(text)
        if size > display_width(text):
            break
    if left > 0:
        kept.append(Run(" " * left, PLAIN))
    return tuple(kept)


def beside(left: Row, right: Row, width: int) -> Row:
    """`left` at the left edge and `right` at the right edge of `width` columns."""
    gap = width - row_width(left) - row_width(right)
    return (*left, Run(" " * max(1, gap), PLAIN), *right)


def runs(chars: Sequence[str], inks: Sequence[Ink]) -> Row:
    """Characters with one ink each, joined into the fewest runs."""
    made: list[Run] = []
    start = 0
    for end in range(1, len(chars) + 1):
        if end == len(chars) or inks[end] != inks[start]:
            made.append(Run("".join(chars[start:end]), inks[start]))
            start = end
    return tuple(made)
