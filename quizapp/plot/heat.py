"""Heat maps in half blocks, two values to a cell, with a bar that shows their common scale.

Without colour each cell carries one value as a shade. Values that are not finite
are gaps: the ground shows through, or `?` where only shades are left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from quizapp.plot.axes import tick_label
from quizapp.plot.cells import (
    BOLD,
    MUTED,
    PLAIN,
    Colour,
    Ink,
    Row,
    Run,
    beside,
    cut,
    row,
    row_width,
    runs,
)
from quizapp.plot.look import Look, ramp, ramp_colours
from quizapp.plot.width import display_width, truncate
from quizapp.report import HeatMap
from quizapp.text.plain import one_line

Grid = Sequence[Sequence[float]]
_BAR = 16


def draw_heat_map(plot: HeatMap, width: int, height: int, look: Look, language: str) -> list[Row]:
    """`plot` in exactly `width` by `height` cells: header, picture, one row of numbers.

    Small matrices are enlarged by whole factors; ones too large for the area show the
    mean of each block, which the last row then says. Both halves of a cell and all
    pictures given the same `low` and `high` share one scale.
    """
    lines, columns = len(plot.values), max(map(len, plot.values), default=0)
    if width < 16 or height < 4 or not lines or not columns:
        return [cut((), width)] * max(0, height)
    halves = look.depth != "none"
    gutter = len(str(lines - 1)) + 1
    area = (width - gutter, (height - 2) * (2 if halves else 1))
    how = plan(lines, columns, area, square=halves)
    pixels = fit_grid(plot.values, how)
    low, high = limits(plot)
    title, names = one_line(plot.title.to(language)), _names(plot, look, language)
    bar = _bar((low, high), _BAR if width >= 50 else _BAR // 2, look)
    picture = (
        _half_rows(pixels, low, high, look) if halves else _shade_rows(pixels, low, high, look)
    )
    foot = " " * gutter + _footer(plot, len(pixels[0]), how, look, language)
    if display_width(foot) + display_width(names) + 2 <= width:
        foot = f"{foot}  {names}"
    elif display_width(title) + display_width(names) + row_width(bar) + 4 <= width:
        title = f"{title}  {names}"
    rows = [_header(title, bar, width, look)]
    for y, line in enumerate(picture):
        label = "0" if y == 0 else str(lines - 1) if y == len(picture) - 1 else ""
        rows.append((*row((f"{label:>{gutter - 1}} ", MUTED)), *line))
    rows.append(row((foot, MUTED)))
    made = [cut(line, width) for line in rows]
    return made + [cut((), width)] * (height - len(made))


def limits(plot: HeatMap) -> tuple[float, float]:
    """The ends of the colour scale: the plot's own, or the data's where those are no range."""
    if math.isfinite(plot.low) and math.isfinite(plot.high) and plot.low < plot.high:
        return plot.low, plot.high
    finite = [v for line in plot.values for v in line if math.isfinite(v)]
    return (min(finite), max(finite)) if finite else (0.0, 1.0)


class Plan(NamedTuple):
    """How a matrix meets its area: whole factors of enlargement, or values a pixel averages."""

    tall: int
    wide: int
    per_row: int
    per_column: int

    def height(self, lines: int) -> int:
        """Pixels that `lines` lines of values take."""
        return -(-lines // self.per_row) * self.tall


def plan(lines: int, columns: int, area: tuple[int, int], *, square: bool) -> Plan:
    """The plan for `lines` by `columns` values in at most `area` pixels (across, down).

    square: pixels are as wide as high; else a pixel is a whole cell, twice as high as
    wide, and values are drawn two columns wide where they fit.
    """
    across, down = area
    per_row, per_column = -(-lines // down), -(-columns // across)
    if per_row > 1 or per_column > 1:
        return Plan(1, 1, per_row, per_column)
    stretch = 1 if square else 2
    factor = max(1, min(across // (columns * stretch), down // lines))
    wide = factor * stretch if columns * factor * stretch <= across else factor
    return Plan(factor, wide, 1, 1)


def fit_grid(values: Grid, how: Plan) -> list[list[float]]:
    """`values` as pixels; short lines are filled with gaps."""
    columns = max(map(len, values))
    made: list[list[float]] = []
    for top in range(0, len(values), how.per_row):
        block = [
            [*line, *[math.nan] * (columns - len(line))] for line in values[top : top + how.per_row]
        ]
        line = block[0]
        if how.per_row > 1 or how.per_column > 1:
            line = [
                _mean([v for part in block for v in part[x : x + how.per_column]])
                for x in range(0, columns, how.per_column)
            ]
        made += [[v for v in line for _ in range(how.wide)]] * how.tall
    return made


def _mean(values: Sequence[float]) -> float:
    total = sum(values)
    if math.isfinite(total):
        return total / len(values)
    finite = [v for v in values if math.isfinite(v)]
    return sum(v / len(finite) for v in finite) if finite else math.nan


def _share(value: float, low: float, high: float) -> float:
    span = high / 2 - low / 2
    return min(1.0, max(0.0, (value / 2 - low / 2) / span)) if span > 0 else 0.0


def _half_rows(pixels: Grid, low: float, high: float, look: Look) -> list[Row]:
    ramped = ramp_colours(look.depth)
    last = len(ramped) - 1
    colours: list[list[Colour | None]] = []
    for y, line in enumerate(pixels):
        if y and line is pixels[y - 1]:  # enlarged: the same values once more
            colours.append(colours[-1])
            continue
        colours.append(
            [ramped[round(_share(v, low, high) * last)] if math.isfinite(v) else None for v in line]
        )
    if len(colours) % 2:
        colours.append([None] * len(colours[0]))
    return [
        _half_row(upper, lower) for upper, lower in zip(colours[::2], colours[1::2], strict=True)
    ]


def _half_row(upper: Sequence[Colour | None], lower: Sequence[Colour | None]) -> Row:
    """One row of cells: the upper half in the foreground, the lower in the background."""
    made: list[Run] = []
    start = 0
    for end in range(1, len(upper) + 1):
        top, foot = upper[start], lower[start]
        if end == len(upper) or upper[end] != top or lower[end] != foot:
            if top is not None:
                made.append(Run("▀" * (end - start), Ink(top, foot)))
            else:
                made.append(Run((" " if foot is None else "▄") * (end - start), Ink(foot)))
            start = end
    return tuple(made)


def _shade_rows(pixels: Grid, low: float, high: float, look: Look) -> list[Row]:
    glyphs = look.glyphs
    steps = len(glyphs.shades) - 1
    rows: list[Row] = []
    for line in pixels:
        chars = [
            glyphs.shades[round(_share(v, low, high) * steps)]
            if math.isfinite(v)
            else glyphs.unknown
            for v in line
        ]
        rows.append(runs(chars, [PLAIN] * len(chars)))
    return rows


def _names(plot: HeatMap, look: Look, language: str) -> str:
    """What the rows and the columns are, with the way they run."""
    rows, columns = one_line(plot.row_label.to(language)), one_line(plot.column_label.to(language))
    return f"{rows} {look.glyphs.down}  {columns} {look.glyphs.right}"


def _bar(scale: tuple[float, float], steps: int, look: Look) -> Row:
    """The colour bar between its two limits."""
    low, high = (tick_label(end) for end in scale)
    wall, shades = look.glyphs.vertical, look.glyphs.shades
    bar: list[tuple[str, Ink]] = []
    for step in range(steps):
        share = step / (steps - 1)
        colour = ramp(look.depth, share)
        if colour is None:
            bar.append((shades[round(share * (len(shades) - 1))], PLAIN))
        else:
            # A background: the full block is not solid in every font.
            bar.append((" ", Ink(bg=colour)))
    return row((f"{low} {wall}", MUTED), *bar, (f"{wall} {high}", MUTED))


def _header(title: str, bar: Row, width: int, look: Look) -> Row:
    room = max(0, width - row_width(bar) - 2)
    return beside(row((truncate(title, room, look.glyphs.ellipsis), BOLD)), bar, width)


def _footer(plot: HeatMap, shown: int, how: Plan, look: Look, language: str) -> str:
    """First and last column number, and how many values each pixel averages, if not one."""
    last = str(max(map(len, plot.values)) - 1)
    ends = "0" + (last.rjust(shown - 1) if last != "0" and shown > len(last) + 1 else "")
    if how.per_row == how.per_column == 1:
        return ends
    block = f"{how.per_row}{'x' if look.ascii else '×'}{how.per_column}"
    return f"{ends}  {f'每格 {block} 的均值' if language == 'zh' else f'means of {block}'}"
