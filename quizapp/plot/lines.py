"""Line charts: a `Curve` as braille dots (2 by 4 to a cell), with axes, ticks and legend."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from quizapp.plot.axes import Axis, axis, ruler
from quizapp.plot.cells import BOLD, MUTED, PLAIN, Ink, Row, beside, cut, row, row_width, runs
from quizapp.plot.look import Look
from quizapp.plot.width import display_width, truncate
from quizapp.report import Curve, Series
from quizapp.text.plain import one_line

#: Bits of the eight dots of a braille cell by (column, row from the top).
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
Point = tuple[int, int] | None  # dot column, dot row from the top; None is a gap


@dataclass(slots=True)
class _Canvas:
    """The dots of the plot area, and which series drew each cell last."""

    width: int
    height: int
    look: Look
    x_axis: Axis
    y_axis: Axis
    labels: dict[int, str]  # tick labels of the y axis by row
    masks: list[list[int]] = field(init=False)
    owners: list[list[int]] = field(init=False)
    marks: dict[tuple[int, int], int] = field(default_factory=dict)  # (column, row) → series

    def __post_init__(self) -> None:
        self.masks = [[0] * self.width for _ in range(self.height)]
        self.owners = [[0] * self.width for _ in range(self.height)]

    @property
    def gutter(self) -> int:
        """Columns of the widest tick label on the left."""
        return max(map(len, self.labels.values()))

    def point(self, x: float, y: float) -> Point:
        """The dot of a data point; None where an axis cannot show it."""
        across, up = self.x_axis.place(x), self.y_axis.place(y)
        if across is None or up is None:
            return None
        return (round(across * (self.width * 2 - 1)), round((1 - up) * (self.height * 4 - 1)))

    def dot(self, x: int, y: int, owner: int) -> None:
        column, line = x >> 1, y >> 2
        self.masks[line][column] |= _DOTS[x & 1][y & 3]
        self.owners[line][column] = owner

    def line(self, start: tuple[int, int], end: tuple[int, int], owner: int, every: int) -> None:
        """A straight line of dots, both ends included; every n-th dot column when dashed."""
        (x0, y0), (x1, y1) = start, end
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            x = x0 + round((x1 - x0) * step / steps)
            if every == 1 or x % every == 0:
                self.dot(x, y0 + round((y1 - y0) * step / steps), owner)

    def rows(self) -> list[Row]:
        glyphs, look = self.look.glyphs, self.look
        inks = [Ink(fg=look.series(i)) for i in range(1 + max(map(max, self.owners), default=0))]
        made = []
        for y, (masks, owners) in enumerate(zip(self.masks, self.owners, strict=True)):
            if glyphs.lines:
                chars = [glyphs.lines[min(m.bit_count(), 5) // 2] if m else " " for m in masks]
            else:
                chars = [chr(0x2800 + m) if m else " " for m in masks]
            colours = [inks[o] if m else PLAIN for m, o in zip(masks, owners, strict=True)]
            for x in range(self.width):
                if (owner := self.marks.get((x, y))) is not None:
                    chars[x], colours[x] = look.marker(owner), Ink(look.series(owner), bold=True)
            made.append(runs(chars, colours))
        return made


def draw_curve(curve: Curve, width: int, height: int, look: Look, language: str) -> list[Row]:
    """`curve` in exactly `width` by `height` cells; values an axis cannot show are gaps.

    Two rows or less, or fewer than 20 columns, are too few for axes: nothing is drawn
    and the caller's sentence about the plot has to do. Raises nothing for any data.
    """
    if width < 20 or height < 4:
        return [cut((), width)] * max(0, height)
    head = _header(curve, width, height, look, language)
    name = one_line(curve.x_label.to(language))
    canvas = _canvas(curve, width, height - len(head) - 2, look)
    if canvas is None:
        return [*(cut(line, width) for line in head), *[cut((), width)] * (height - len(head))]
    x_rows = _x_rows(canvas, name, own_row=height >= len(head) + 7)
    if len(x_rows) == 3:
        canvas = _canvas(curve, width, height - len(head) - 3, look) or canvas
        x_rows = _x_rows(canvas, name, own_row=True)[:3]
    for index, series in enumerate(curve.series):
        _draw_series(canvas, curve, series, index)
    rows = list(head)
    for y, line in enumerate(canvas.rows()):
        wall = look.glyphs.tick_y if y in canvas.labels else look.glyphs.vertical
        label = canvas.labels.get(y, "").rjust(canvas.gutter)
        rows.append((*row((f"{label} {wall}", MUTED)), *line))
    rows += x_rows
    made = [cut(line, width) for line in rows]
    return made + [cut((), width)] * (height - len(made))


def _canvas(curve: Curve, width: int, inner: int, look: Look) -> _Canvas | None:
    """An empty canvas of `inner` rows between its axes; None where there is nothing to draw."""
    x_axis = axis(curve.x, count=max(2, width // 12), log=curve.log_x, few=curve.x)
    y_axis = axis(_y_values(curve), count=max(2, inner // 2), log=curve.log_y)
    if x_axis is None or y_axis is None or inner < 1:
        return None
    labels = _y_labels(y_axis, inner)
    gutter = max(map(len, labels.values()))
    return _Canvas(width - gutter - 2, inner, look, x_axis, y_axis, labels)


def _header(curve: Curve, width: int, height: int, look: Look, language: str) -> list[Row]:
    """Title, what y is, and the legend: on one row where they fit, else on two."""
    title, unit = one_line(curve.title.to(language)), one_line(curve.y_label.to(language))
    said = f"  {unit}" if unit and unit != title else ""
    if display_width(title + said) > width:
        title, said = truncate(title, width, look.glyphs.ellipsis), ""
    left = row((title, BOLD), (said, MUTED))
    legend: list[tuple[str, Ink]] = []
    for index, name in enumerate(_names(curve, width, look, language)):
        legend.append(("  " if index else "", PLAIN))
        legend.append((f"{look.marker(index)} {name}", Ink(fg=look.series(index))))
    right = row(*legend)
    if row_width(left) + row_width(right) + 2 <= width:
        return [beside(left, right, width)]
    if height >= 7:
        return [left, right]
    short = truncate(title, max(0, width - row_width(right) - 2), look.glyphs.ellipsis)
    return [beside(row((short, BOLD)), right, width)]


def _names(curve: Curve, width: int, look: Look, language: str) -> list[str]:
    """The names of the legend: the longest are cut first, until all fit on one row."""
    names = [one_line(series.name.to(language)) for series in curve.series]
    room = width - 2 * len(names) - 2 * (len(names) - 1)  # a marker and blanks around each
    longest = max(map(display_width, names), default=0)
    while longest > 6 and sum(min(display_width(name), longest) for name in names) > room:
        longest -= 1
    return [truncate(name, longest, look.glyphs.ellipsis) for name in names]


def _y_values(curve: Curve) -> list[float]:
    values: list[float] = []
    for series in curve.series:
        values += series.values
        for value, spread in zip(series.values, series.spread or (), strict=False):
            if not (math.isnan(spread) or (curve.log_y and value <= spread)):
                values += (value - spread, value + spread)
    return values


def _y_labels(y_axis: Axis, inner: int) -> dict[int, str]:
    """Tick labels by plot row; one row takes one label only, and neighbours leave air."""
    labels: dict[int, str] = {}
    for value, label in y_axis.ticks:
        place = y_axis.place(value)
        if place is None:
            continue
        line = round((1 - place) * (inner * 4 - 1)) >> 2
        if line not in labels and (inner < 4 or line + 1 not in labels):
            labels[line] = label
    return labels


def _draw_series(canvas: _Canvas, curve: Curve, series: Series, index: int) -> None:
    points = [canvas.point(x, y) for x, y in zip(curve.x, series.values, strict=False)]
    known = sum(point is not None for point in points)
    sparse = known * 4 <= canvas.width
    spread = series.spread or ()
    for sign in (1, -1) if spread else ():
        edge = [
            canvas.point(x, y + sign * s)
            for x, y, s in zip(curve.x, series.values, spread, strict=False)
        ]
        if sparse:
            _whiskers(canvas, points, edge, index)
        else:
            _path(canvas, edge, index, every=3)
    _path(canvas, points, index, every=1)
    if sparse or len(curve.series) > 1:
        _mark(canvas, [p for p in points if p is not None], index, len(curve.series), sparse)


def _path(canvas: _Canvas, points: list[Point], index: int, every: int) -> None:
    """The line through `points`; a gap breaks it, a lone point stays a dot."""
    last: Point = None
    for point in points:
        if point is not None:
            canvas.line(last or point, point, index, every)
        last = point


def _whiskers(canvas: _Canvas, points: list[Point], edge: list[Point], index: int) -> None:
    """A vertical line from each point to the end of its spread."""
    for point, end in zip(points, edge, strict=False):
        if point is not None and end is not None:
            canvas.line(point, end, index, 1)


def _mark(
    canvas: _Canvas, points: list[tuple[int, int]], index: int, count: int, sparse: bool
) -> None:
    """The series' marker on its points when they are few, else at intervals of its own."""
    if not sparse:
        gap = max(8, canvas.width // 5)
        due = (index + 1) * gap // (count + 1)
        spaced: list[tuple[int, int]] = []
        for point in points:
            if point[0] >> 1 >= due:
                spaced.append(point)
                due = (point[0] >> 1) + gap
        points = spaced or points[-1:]
    for number, (x, y) in enumerate(points):
        cell = (x >> 1, y >> 2)
        # Where series meet in a cell they take turns, so that none disappears.
        if cell not in canvas.marks or (number + index) % 2:
            canvas.marks[cell] = index


def _x_rows(canvas: _Canvas, name: str, *, own_row: bool) -> list[Row]:
    columns = []
    for value, label in canvas.x_axis.ticks:
        place = canvas.x_axis.place(value)
        if place is not None:
            columns.append((round(place * (canvas.width * 2 - 1)) >> 1, label))
    return ruler(columns, name, (canvas.gutter + 1, canvas.width), canvas.look, own_row=own_row)
