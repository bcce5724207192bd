"""Tables, matrices and trace steps of a report, aligned by columns on the screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from quizapp.plot.cells import BOLD, MUTED, PLAIN, Row, cut, row, row_width
from quizapp.plot.grid import Grid, GridRow, grid_rows
from quizapp.plot.look import Look
from quizapp.plot.width import display_width, wrap
from quizapp.report import Matrix, Step, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, quantity
from quizapp.text.plain import clean, one_line

#: Units that `quantity` writes into each cell; the others stand once in the heading.
_IN_CELL = ("share", "B", "")


def table_grid(table: Table, language: str, deciding: int | None = None) -> Grid:
    """`table` as a grid of strings; `deciding` is the index of the row to mark."""
    units = [*table.units, *[""] * (len(table.columns) - len(table.units))]
    headings = tuple(
        one_line(column.to(language)) + ("" if unit in _IN_CELL else f" ({unit})")
        for column, unit in zip(table.columns, units, strict=False)
    )
    rows = tuple(
        GridRow(
            item.label.to(language),
            tuple(
                _cell(cell, unit, language)
                for cell, unit in zip_longest(item.cells, units[: len(item.cells)], fillvalue="")
            ),
            deciding=index == deciding,
        )
        for index, item in enumerate(table.rows)
    )
    return Grid(headings, rows, one_line(table.title.to(language)), numeric=True)


def draw_table(
    table: Table, width: int, look: Look, language: str, *, deciding: int | None = None
) -> list[Row]:
    """`table` as rows of at most `width` columns, its title above the labels."""
    return grid_rows(table_grid(table, language, deciding), width, look)


def _cell(cell: float | Text | str | None, unit: str, language: str) -> str:
    if cell is None or isinstance(cell, str):
        return ""
    if isinstance(cell, Text):
        return one_line(cell.to(language))
    return quantity(cell, unit) if unit in _IN_CELL else figure(cell)


def draw_matrix(matrix: Matrix, width: int, look: Look) -> list[Row]:
    """`matrix` in brackets under its name and shape, at most `width` columns wide.

    All entries share one number of decimals; where they do not fit, decimals go
    first and then columns in the middle.
    """
    axes = [one_line(axis) for axis in matrix.axes]
    times = "x" if look.ascii else "×"
    sizes = f" {times} ".join(
        f"{axis} {size}" for axis, size in zip_longest(axes, matrix.shape, fillvalue="")
    )
    head = row((one_line(matrix.name), BOLD), (f"  {sizes}", MUTED))
    cells = _fitted(matrix.values, width - 4, look)
    count = max(map(len, cells), default=0)
    across = [max((display_width(_at(line, c)) for line in cells), default=0) for c in range(count)]
    rows = [head] if row_width(head) <= width else [cut(head, width)]
    for index, line in enumerate(cells):
        left, right = _brackets(index, len(cells), look)
        text = " ".join(f"{_at(line, c):>{size}}" for c, size in enumerate(across))
        rows.append(row((f"{left} ", MUTED), (text, PLAIN), (f" {right}", MUTED)))
    return rows


def _at(line: Sequence[str], index: int) -> str:
    return line[index] if index < len(line) else ""


def _brackets(index: int, count: int, look: Look) -> tuple[str, str]:
    if count == 1:
        return "[", "]"
    part = 0 if index == 0 else 2 if index == count - 1 else 1
    return look.glyphs.brackets[part], look.glyphs.brackets[part + 3]


def _fitted(values: Sequence[Sequence[float]], width: int, look: Look) -> list[list[str]]:
    """The entries as strings whose rows fit in `width` columns."""
    count = max(map(len, values), default=0)
    for digits in (3, 2, 1):
        cells = _formatted(values, digits)
        size = max((len(c) for line in cells for c in line), default=0) + 1
        if count * size - 1 <= width:
            return cells
    keep = max(2, (width - display_width(look.glyphs.ellipsis)) // size)
    left = (keep + 1) // 2
    right = keep - left
    return [
        [*line[:left], look.glyphs.ellipsis, *line[len(line) - right :]]
        if len(line) > keep
        else line
        for line in cells
    ]


def _formatted(values: Sequence[Sequence[float]], digits: int) -> list[list[str]]:
    finite = [abs(v) for line in values for v in line if math.isfinite(v)]
    largest = max(finite, default=0.0)
    whole = all(v == int(v) for v in finite)
    if largest >= 1e5 or 0 < largest < 1e-3:
        return [[figure(v, digits) for v in line] for line in values]
    places = (
        0 if whole else max(0, digits - 1 - (math.floor(math.log10(largest)) if largest else 0))
    )
    return [[f"{v:.{places}f}" if math.isfinite(v) else figure(v) for v in line] for line in values]


def draw_step(step: Step, width: int, look: Look, language: str) -> list[Row]:
    """A trace step: what happens, and its matrices side by side as far as they fit."""
    rows = [row((line, BOLD)) for line in wrap(one_line(step.title.to(language)), width)]
    rows += [row((line, PLAIN)) for line in wrap(clean(step.note.to(language)).strip(), width)]
    shelf: list[Row] = []
    for matrix in step.matrices:
        block = draw_matrix(matrix, width, look)
        used = max(map(row_width, shelf), default=0)
        if shelf and used + 3 + max(map(row_width, block)) <= width:
            pairs = zip_longest(shelf, block, fillvalue=())
            shelf = [(*cut(left, used + 3), *right) for left, right in pairs]
        else:
            rows += shelf
            shelf = block
    return rows + shelf
