"""Histograms in eighth blocks: one small row for each series, or tall bars where there is room.

Each series is scaled to its own tallest column, so that shape and place can be
compared however differently the series are concentrated; the share of its largest
bin stands beside it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from quizapp.plot.axes import Axis, axis, ruler, spread_labels, tick_label
from quizapp.plot.cells import BOLD, MUTED, Ink, Row, cut, row
from quizapp.plot.look import Look
from quizapp.plot.width import display_width, pad, truncate
from quizapp.report import Histogram
from quizapp.text.numbers import percent
from quizapp.text.plain import one_line


def draw_histogram(
    plot: Histogram, width: int, height: int, look: Look, language: str
) -> list[Row]:
    """`plot` in exactly `width` by `height` cells.

    Bins that are not numbers are gaps; edges that do not rise leave the area empty.
    """
    count = len(plot.series)
    if width < 24 or height < 2 or not count:
        return [cut((), width)] * max(0, height)
    names = [one_line(series.name.to(language)) for series in plot.series]
    title = truncate(one_line(plot.title.to(language)), width, look.glyphs.ellipsis)
    compact = height < count + 3
    room = min(max(map(display_width, names)), width // 3)
    if compact:
        # The title stands above the names, so that the numbers have the bars to themselves.
        room = max(room, min(display_width(title) - 2, width * 2 // 5))
    shares = [_largest_share(series.values, language) for series in plot.series]
    note = max(map(display_width, shares)) + 1 if width >= 60 else 0
    bars_width = width - room - note - 5
    scale = axis(plot.edges, count=max(2, bars_width // 12))
    if scale is None or not rising(plot.edges) or bars_width < 4:
        return [cut(row((title, BOLD)), width), *[cut((), width)] * (height - 1)]
    each = 1 if compact else (height - 3) // count
    short = truncate(title, room + 3, look.glyphs.ellipsis)
    rows = [_top_row(short, scale, room + 4, bars_width) if compact else row((title, BOLD))]
    for index in range(min(count, height - 1) if compact else count):
        name = truncate(names[index], room, look.glyphs.ellipsis)
        columns = mass(plot.edges, plot.series[index].values, bars_width)
        for line, text in enumerate(_bars(columns, each, look)):
            last = line == each - 1
            head = f"{look.marker(index)} {pad(name, room)} " if last else " " * (room + 3)
            tail = f" {shares[index]}" if note and last else ""
            ink = Ink(fg=look.series(index))
            first, second = look.glyphs.edge
            rows.append(
                row((head, ink), (first, MUTED), (text, ink), (second, MUTED), (tail, MUTED))
            )
    if not compact:
        label = one_line(plot.x_label.to(language))
        rows += ruler(_columns(scale, bars_width), label, (room + 3, bars_width), look)
    rows = [cut(line, width) for line in rows]
    return rows + [cut((), width)] * (height - len(rows))


def rising(edges: Sequence[float]) -> bool:
    """Whether `edges` are finite and strictly rising, as a histogram's must be."""
    pairs = itertools.pairwise(edges)
    return len(edges) > 1 and all(map(math.isfinite, edges)) and all(a < b for a, b in pairs)


def known(count: float) -> float:
    """`count`, or 0 where it is not a number of things; below what sums could overflow."""
    return min(count, 1e300) if math.isfinite(count) and count > 0 else 0.0


def mass(edges: Sequence[float], counts: Sequence[float], columns: int) -> list[float | None]:
    """The counts that fall on each of `columns` equal parts of the range.

    A bin's count is spread evenly over its width, so the total is kept whether there
    are more bins than columns or fewer. None where every bin of a part is not a number.
    """
    low, span = edges[0] / 2, edges[-1] / 2 - edges[0] / 2
    found: list[float | None] = [None] * columns
    for left, right, count in zip(edges, edges[1:], counts, strict=False):
        if not math.isfinite(count):
            continue
        start = (left / 2 - low) / span * columns
        stop = (right / 2 - low) / span * columns
        first, last = min(int(start), columns - 1), min(math.ceil(stop), columns)
        for column in range(first, max(last, first + 1)):
            overlap = min(stop, column + 1) - max(start, column)
            part = overlap / (stop - start) if stop > start else 1.0
            if part > 1e-9:
                found[column] = (found[column] or 0.0) + known(count) * part
    return found


def _bars(columns: Sequence[float | None], rows: int, look: Look) -> list[str]:
    """Bars of `rows` lines; anything above zero shows at least the smallest block."""
    glyphs = look.glyphs.bars
    steps = len(glyphs) - 1
    peak = max((c for c in columns if c is not None), default=0.0)
    heights = []
    for value in columns:
        share = (value or 0.0) / peak if peak > 0 else 0.0
        heights.append(max(round(share * steps * rows), 1 if share > 0 else 0))
    return [
        "".join(glyphs[min(steps, max(0, h - steps * below))] for h in heights)
        for below in reversed(range(rows))
    ]


def _largest_share(counts: Sequence[float], language: str) -> str:
    total = sum(map(known, counts))
    if not total or not math.isfinite(total):
        return ""
    word = "最高" if language == "zh" else "max"
    return f"{word} {percent(max(map(known, counts)) / total)}"


def _columns(scale: Axis, width: int) -> list[tuple[int, str]]:
    return [
        (round(place * (width - 1)), label)
        for value, label in scale.ticks
        if (place := scale.place(value)) is not None
    ]


def _top_row(title: str, scale: Axis, left: int, width: int) -> Row:
    """The title, and above the bars the ends of the axis with what fits between them."""
    ends = [(0, tick_label(scale.low)), (width - 1, tick_label(scale.high))]
    between = [(c, t) for c, t in _columns(scale, width) if t not in {text for _, text in ends}]
    text = title
    for start, label in spread_labels([ends[0], *between, ends[1]], width):
        if display_width(text) < left + start:
            text = pad(text, left + start) + label
    return row((title, BOLD), (text[len(title) :], MUTED))
