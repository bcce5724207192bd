"""`Grid`: the table of a verdict as strings, drawn alike on the screen and in plain output.

Numbers are never cut. When the width runs out, first the gaps shrink and headings
wrap, then labels end in an ellipsis, and at last columns move below, labels repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quizapp.plot.cells import BOLD, MUTED, PLAIN, Ink, Row, lines_of, row
from quizapp.plot.look import Look
from quizapp.plot.width import display_width, pad, truncate, wrap
from quizapp.text.plain import one_line

_LABEL_LEAST = 12
_GUTTER = 2


@dataclass(frozen=True, slots=True)
class GridRow:
    """One line of a grid. `mark` stands after the first cell: was the expectation borne out?"""

    label: str
    cells: tuple[str, ...]
    mark: Literal["held", "refuted"] | None = None
    deciding: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under headings, one heading per cell; `corner` heads the labels.

    numeric: cells at the right edge of their columns, as numbers of one kind want.
    """

    headings: tuple[str, ...]
    rows: tuple[GridRow, ...]
    corner: str = ""
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class _Layout:
    label: int
    columns: tuple[int, ...]
    mark: int  # columns the mark takes, its blank included; 0 without marks
    gap: int


def draw_grid(grid: Grid, width: int, ascii: bool = False) -> list[str]:  # noqa: A002
    """`grid` as lines of at most `width` columns, trailing blanks removed."""
    return lines_of(grid_rows(grid, width, Look(ascii=ascii)))


def grid_rows(grid: Grid, width: int, look: Look) -> list[Row]:
    """`grid` as rows of at most `width` columns, the deciding row marked and bold.

    A single cell wider than `width` is the one thing that makes a row longer.
    """
    rows: list[Row] = []
    count = max([len(grid.headings), *(len(r.cells) for r in grid.rows)])
    start = 0
    while start < count or not rows:
        stop = count
        layout = _layout(grid, start, stop, width, look)
        while _total(layout) > width and stop - start > 1:
            stop -= 1
            layout = _layout(grid, start, stop, width, look)
        rows += _block(grid, start, layout, look)
        if stop <= start:
            break
        start = stop
    return rows


def _total(layout: _Layout) -> int:
    return (
        _GUTTER
        + layout.label
        + sum(layout.columns)
        + layout.mark
        + (layout.gap * len(layout.columns))
    )


def _layout(grid: Grid, start: int, stop: int, width: int, look: Look) -> _Layout:
    """Widths for the columns from `start` up to `stop`, as roomy as `width` allows."""
    glyphs = look.glyphs
    marked = start == 0 and stop > 0 and any(r.mark for r in grid.rows)
    mark = 1 + max(display_width(glyphs.held), display_width(glyphs.refuted)) if marked else 0
    cells = [
        max((display_width(_cell(r.cells, c)) for r in grid.rows), default=0)
        for c in range(start, stop)
    ]
    heads = [one_line(_cell(grid.headings, c)) for c in range(start, stop)]
    label = max(
        [display_width(one_line(grid.corner)), *(display_width(_label(r)) for r in grid.rows)]
    )
    natural = tuple(max(a, display_width(b)) for a, b in zip(cells, heads, strict=True))
    wrapped = tuple(max(a, _word(b)) for a, b in zip(cells, heads, strict=True))
    least = min(label, _LABEL_LEAST)
    layout = _Layout(label, natural, mark, 3)
    for columns, gap in ((natural, 3), (natural, 2), (wrapped, 2), (wrapped, 1)):
        layout = _Layout(label, columns, mark, gap)
        over = _total(layout) - width
        if over <= 0:
            return layout
    return _Layout(max(least, label - over), wrapped, mark, 1)


def _word(heading: str) -> int:
    """The narrowest a heading may be wrapped to: its longest word, or half of it if Chinese."""
    longest = max(map(display_width, heading.split()), default=0)
    return longest if heading.isascii() else min(longest, max(6, (display_width(heading) + 1) // 2))


def _cell(cells: tuple[str, ...], index: int) -> str:
    return one_line(cells[index]) if index < len(cells) else ""


def _label(line: GridRow) -> str:
    """The label with its indentation, which says that it belongs to the row above."""
    indent = len(line.label) - len(line.label.lstrip(" "))
    return " " * min(indent, 4) + one_line(line.label)


def _block(grid: Grid, start: int, layout: _Layout, look: Look) -> list[Row]:
    ellipsis = look.glyphs.ellipsis
    heads = [
        wrap(one_line(_cell(grid.headings, start + c)), max(1, size))
        for c, size in enumerate(layout.columns)
    ]
    corner = wrap(one_line(grid.corner), max(1, layout.label))[:2]
    rows: list[Row] = []
    for line in range(max(map(len, [corner, *heads]))):
        text = " " * _GUTTER + pad(_line(corner, line), layout.label)
        for c, size in enumerate(layout.columns):
            text += " " * layout.gap + pad(_line(heads[c], line), size, right=grid.numeric)
            if start == 0 and c == 0:
                text += " " * layout.mark
        if text.strip():
            rows.append(row((text, MUTED)))
    for item in grid.rows:
        ink = BOLD if item.deciding else PLAIN
        pointer = look.glyphs.pointer if item.deciding else " "
        label = pad(truncate(_label(item), layout.label, ellipsis), layout.label)
        parts: list[tuple[str, Ink]] = [(f"{pointer} {label}", ink)]
        for c, size in enumerate(layout.columns):
            cell = pad(_cell(item.cells, start + c), size, right=grid.numeric)
            parts.append((" " * layout.gap + cell, ink))
            if start == 0 and c == 0 and layout.mark:
                parts.append(_mark(item, layout.mark, look))
        rows.append(row(*parts))
    return rows


def _line(lines: list[str], index: int) -> str:
    return lines[index] if index < len(lines) else ""


def _mark(item: GridRow, width: int, look: Look) -> tuple[str, Ink]:
    if item.mark is None:
        return " " * width, PLAIN
    held = item.mark == "held"
    glyph = look.glyphs.held if held else look.glyphs.refuted
    return " " + pad(glyph, width - 1), Ink(fg=look.mark(held), bold=True)
