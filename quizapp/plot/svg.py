"""Plots of a report as SVG, for a page that is read without a terminal.

Made of text, lines and rectangles alone: no script, no style sheet, nothing from
elsewhere. Texts are escaped; values that are not finite leave gaps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from quizapp.plot.axes import Axis, axis, tick_label
from quizapp.plot.bars import known, rising
from quizapp.plot.describe import Plot, describe
from quizapp.plot.heat import limits
from quizapp.plot.look import SERIES, ramp
from quizapp.report import Curve, HeatMap, Histogram, Series
from quizapp.text.plain import one_line

WIDTH: Final = 640
#: The plot's own area, inside which axes run: left, top, right, bottom.
LEFT, TOP, RIGHT, BOTTOM = 66.0, 34.0, 624.0, 262.0
#: Height of the lines under the axis: its numbers, its name, then the legend.
_UNDER: Final = 44
_LINE: Final = 18
_DARK: Final = "#222"
_GREY: Final = "#8a8a8a"


def svg(plot: Plot, language: str) -> str:
    """`plot` as one `<svg>` element, its title and a sentence that tells what it shows inside."""
    if isinstance(plot, Curve):
        parts, height = list(_curve(plot, language)), _height(len(plot.series))
    elif isinstance(plot, Histogram):
        parts, height = list(_histogram(plot, language)), _height(len(plot.series))
    else:
        parts, height = list(_heat_map(plot, language)), _height(0)
    title = one_line(plot.title.to(language))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" font-family="sans-serif" font-size="12" '
        f"aria-label={quoteattr(title)}>"
    )
    told = f"<title>{escape(title)}</title><desc>{escape(describe(plot, language))}</desc>"
    heading = _text(LEFT, 20, title, size=14, weight="bold")
    return "\n".join([head, told, heading, *parts, "</svg>"])


def _height(entries: int) -> int:
    return round(BOTTOM) + _UNDER + _LINE * (-(-entries // 2)) + 8


def colour(index: int) -> str:
    """The colour of the `index`-th series on a light ground, as the terminal has it."""
    colours = SERIES["truecolor", False]
    return _rgb(colours[index % len(colours)])


def _rgb(value: tuple[int, int, int] | int | None) -> str:
    assert isinstance(value, tuple)
    red, green, blue = value
    return f"#{red:02x}{green:02x}{blue:02x}"


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, weight: str = "normal",
    fill: str = _DARK, turned: bool = False,
) -> str:  # fmt: skip
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="{fill}"{turn}>{escape(text)}</text>'
    )


def _rule(x1: float, y1: float, x2: float, y2: float, stroke: str = _GREY) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{stroke}" stroke-width="1"/>'
    )


def _across(share: float) -> float:
    return LEFT + share * (RIGHT - LEFT)


def _down(share: float) -> float:
    return BOTTOM - share * (BOTTOM - TOP)


def _frame(across: Axis, up: Axis | None, names: tuple[str, str]) -> Iterator[str]:
    """Both axes, their ticks, numbers and names."""
    yield _rule(LEFT, BOTTOM, RIGHT, BOTTOM)
    for value, label in across.ticks:
        place = across.place(value)
        if place is not None:
            yield _rule(_across(place), BOTTOM, _across(place), BOTTOM + 4)
            yield _text(_across(place), BOTTOM + 17, label, anchor="middle", fill="#555")
    yield _text((LEFT + RIGHT) / 2, BOTTOM + 35, names[0], anchor="middle")
    if up is None:
        return
    yield _rule(LEFT, TOP, LEFT, BOTTOM)
    for value, label in up.ticks:
        place = up.place(value)
        if place is not None:
            yield _rule(LEFT, _down(place), RIGHT, _down(place), "#e4e4e4")
            yield _text(LEFT - 6, _down(place) + 4, label, anchor="end", fill="#555")
    yield _text(14, (TOP + BOTTOM) / 2, names[1], anchor="middle", turned=True)


def _legend(names: Sequence[str]) -> Iterator[str]:
    """A swatch and a name for each series, two beside each other."""
    for index, name in enumerate(names):
        x = LEFT + (index % 2) * (RIGHT - LEFT) / 2
        y = BOTTOM + _UNDER + _LINE * (index // 2) + 8
        yield (
            f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="14" height="8" fill="{colour(index)}" '
            f'fill-opacity="{_strength(index)}"/>'
        )
        yield _text(x + 20, y, name)


def _strength(index: int) -> str:
    """Colours come round after four: the next four are paler."""
    return "1" if index < len(SERIES["truecolor", False]) else "0.5"


# --- curves ------------------------------------------------------------------------


def _curve(plot: Curve, language: str) -> Iterator[str]:
    across = axis(plot.x, count=7, log=plot.log_x, few=plot.x)
    values = [value for series in plot.series for value in series.values]
    up = axis(values, count=5, log=plot.log_y)
    if across is None or up is None:
        return
    names = one_line(plot.x_label.to(language)), one_line(plot.y_label.to(language))
    yield from _frame(across, up, names)
    for index, series in enumerate(plot.series):
        points = [_point(across, up, x, y) for x, y in zip(plot.x, series.values, strict=False)]
        if series.spread is not None:
            yield from _band((across, up), plot, series, index)
        for whole, group in groupby(points, key=lambda point: point is not None):
            if whole:
                yield from _line([point for point in group if point is not None], index)
    yield from _legend([one_line(series.name.to(language)) for series in plot.series])


def _point(across: Axis, up: Axis, x: float, y: float) -> tuple[float, float] | None:
    at, high = across.place(x), up.place(y)
    return None if at is None or high is None else (_across(at), _down(high))


def _line(points: Sequence[tuple[float, float]], index: int) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield (
        f'<polyline points="{path}" fill="none" stroke="{colour(index)}" stroke-width="2" '
        f'stroke-opacity="{_strength(index)}"/>'
    )
    if len(points) <= 24:  # more would only thicken the line
        for x, y in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour(index)}"/>'


def _band(axes: tuple[Axis, Axis], plot: Curve, series: Series, index: int) -> Iterator[str]:
    """± one standard deviation around a line, as far as the axes reach."""
    across, up = axes
    rows = list(zip(plot.x, series.values, series.spread or (), strict=False))
    upper = [_point(across, up, x, min(y + s, up.high)) for x, y, s in rows]
    lower = [_point(across, up, x, max(y - s, up.low)) for x, y, s in rows]
    pairs = [(a, b) for a, b in zip(upper, lower, strict=True) if a is not None and b is not None]
    if len(pairs) > 1:
        outline = [a for a, _ in pairs] + [b for _, b in reversed(pairs)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
        yield f'<polygon points="{path}" fill="{colour(index)}" fill-opacity="0.15"/>'


# --- histograms --------------------------------------------------------------------


def _histogram(plot: Histogram, language: str) -> Iterator[str]:
    """Series over each other, each scaled to its own tallest bin, as in the terminal."""
    across = axis(plot.edges, count=7)
    if across is None or not rising(plot.edges):
        return
    yield from _frame(across, None, (one_line(plot.x_label.to(language)), ""))
    for index, series in enumerate(plot.series):
        bins = list(pairwise(plot.edges))
        density = [
            known(count) / (b - a) for count, (a, b) in zip(series.values, bins, strict=False)
        ]
        peak = max(density, default=0.0)
        if not 0 < peak < math.inf:
            continue
        for (a, b), value in zip(bins, density, strict=False):
            left, right = across.place(a), across.place(b)
            if value > 0 and left is not None and right is not None:
                top = _down(value / peak)
                yield (
                    f'<rect x="{_across(left):.1f}" y="{top:.1f}" '
                    f'width="{_across(right) - _across(left):.1f}" height="{BOTTOM - top:.1f}" '
                    f'fill="{colour(index)}" fill-opacity="0.45"/>'
                )
    yield from _legend([one_line(series.name.to(language)) for series in plot.series])


# --- heat maps ---------------------------------------------------------------------


def _heat_map(plot: HeatMap, language: str) -> Iterator[str]:
    lines, columns = len(plot.values), max(map(len, plot.values), default=0)
    if not columns:
        return
    low, high = limits(plot)
    # Cells are square, as a matrix is read by its diagonal.
    size = min((RIGHT - LEFT - 90) / columns, (BOTTOM - TOP) / lines)
    for y, line in enumerate(plot.values):
        x = 0
        # Neighbours of one colour are one rectangle: a map of 64 × 64 is many bytes otherwise.
        for fill, cells in groupby(_heat_colour(value, low, high) for value in line):
            wide = len(list(cells))
            if fill is not None:
                yield _cells(LEFT + x * size, TOP + y * size, wide * size, size, fill)
            x += wide
    right, bottom = LEFT + columns * size, TOP + lines * size
    for count, place in ((lines, "row"), (columns, "column")):
        for index in dict.fromkeys((0, count - 1)):
            middle = (index + 0.5) * size
            if place == "row":
                yield _text(LEFT - 6, TOP + middle + 4, str(index), anchor="end", fill="#555")
            else:
                yield _text(LEFT + middle, bottom + 15, str(index), anchor="middle", fill="#555")
    yield _text(LEFT, bottom + 33, f"{one_line(plot.column_label.to(language))} →")
    row_name = f"← {one_line(plot.row_label.to(language))}"  # turned: the arrow points down
    yield _text(14, (TOP + bottom) / 2, row_name, anchor="middle", turned=True)
    yield from _scale(right + 24, low, high)


def _heat_colour(value: float, low: float, high: float) -> str | None:
    if not math.isfinite(value):
        return None
    span = high / 2 - low / 2
    return _rgb(ramp("truecolor", (value / 2 - low / 2) / span if span > 0 else 0.0))


def _cells(x: float, y: float, width: float, height: float, fill: str) -> str:
    # A touch larger than its place: else browsers let the ground shine between cells.
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width + 0.3:.1f}" '
        f'height="{height + 0.3:.1f}" fill="{fill}"/>'
    )


def _scale(x: float, low: float, high: float) -> Iterator[str]:
    steps = 32
    each = (BOTTOM - TOP) / 2 / steps
    for step in range(steps):
        fill = _rgb(ramp("truecolor", 1 - step / (steps - 1)))
        yield _cells(x, TOP + step * each, 14, each, fill)
    yield _text(x + 20, TOP + 9, tick_label(high), fill="#555")
    yield _text(x + 20, TOP + steps * each, tick_label(low), fill="#555")
