"""`Axis`: where a value lands and which round numbers stand beside it.

Ticks are 1, 2 or 5 times a power of ten (Heckbert, Graphics Gems, 1990); powers of
ten on a log axis; the data's own values where there are only a few of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quizapp.plot.cells import MUTED, PLAIN, Ink, Row, row
from quizapp.plot.look import Look
from quizapp.plot.width import display_width, truncate
from quizapp.text.numbers import figure

Tick = tuple[float, str]


@dataclass(frozen=True, slots=True)
class Axis:
    """A closed range of finite values, its ticks from low to high, and whether it is log10."""

    low: float
    high: float
    log: bool = False
    ticks: tuple[Tick, ...] = ()

    def place(self, value: float) -> float | None:
        """0 at `low`, 1 at `high`; None for what the axis cannot show (not finite, log of ≤ 0)."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return None
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        # Halved first: the span of the largest floats overflows.
        span = high / 2 - low / 2
        share = (value / 2 - low / 2) / span if span else 0.5
        return min(1.0, max(0.0, share))


def axis(
    values: Iterable[float], *, count: int, log: bool = False, few: Sequence[float] = ()
) -> Axis | None:
    """An axis over what it can show of `values`, with about `count` ticks; None if nothing.

    few: values that make better ticks than round numbers when there are at most 8.
    """
    shown = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not shown:
        return None
    low, high = min(shown), max(shown)
    if low == high:
        low, high = _around(low, log)
    ticks = _given(few, low, high)
    for finer in range(4):
        if len(ticks) < 2:
            ticks = (_log_ticks if log else _ticks)(low, high, max(1, count) + finer)
    if len(ticks) < 2:
        ticks = ((low, tick_label(low)), (high, tick_label(high)))
    return Axis(low, high, log, ticks)


def _around(value: float, log: bool) -> tuple[float, float]:
    """A range around one value, so that a constant lands in its middle."""
    if log:
        return max(value / 2, 5e-324), min(value * 2, 1.7e308)
    reach = abs(value) / 10 or 1.0
    return max(value - reach, -1.7e308), min(value + reach, 1.7e308)


def _given(few: Sequence[float], low: float, high: float) -> tuple[Tick, ...]:
    kept = sorted({v for v in few if math.isfinite(v) and low <= v <= high})
    return tuple((v, tick_label(v)) for v in kept) if 2 <= len(kept) <= 8 else ()


def _ticks(low: float, high: float, count: int) -> tuple[Tick, ...]:
    raw = (high / 2 - low / 2) / count * 2
    if not math.isfinite(raw) or raw < 1e-300 or low + raw / 10 == low or high - raw / 10 == high:
        return ()  # the range is beyond, or below, what floats resolve
    power = math.floor(math.log10(raw))
    unit = 10.0**power
    factor = next((f for f in (1, 2, 5) if f * unit >= raw * 0.999), 10)
    step = factor * unit
    if step == 0 or not math.isfinite(step):
        return ()
    digits = max(0, -power - (1 if factor == 10 else 0))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple((n * step, _fixed(n * step, digits)) for n in range(first, last + 1))


def _log_ticks(low: float, high: float, count: int) -> tuple[Tick, ...]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first + 1 >= 3:
        every = max(1, math.ceil((last - first + 1) / (count + 1)))
        powers = range(first, last + 1, every)
        return tuple((10.0**n, tick_label(10.0**n)) for n in powers if 10.0**n > 0)
    decades = range(math.floor(math.log10(low)), last + 1)
    found = [f * 10.0**n for n in decades for f in (1, 2, 5)]
    return tuple((v, tick_label(v)) for v in found if low <= v <= high)


def _fixed(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    if digits > 4 or abs(value) >= 1e6:
        return tick_label(value)
    return f"{value:.{digits}f}"


def tick_label(value: float) -> str:
    """A short name of one value: 64, 0.125, 1e6, -2.5e-7."""
    if not math.isfinite(value):
        return figure(value)
    short = f"{value:.4g}"
    if "e" in short:
        mantissa, exponent = short.split("e")
        return f"{mantissa}e{int(exponent)}"
    return short


def spread_labels(
    places: Sequence[tuple[int, str]], width: int, taken: int = 0
) -> list[tuple[int, str]]:
    """Which labels fit on a line of `width` columns, centred on their columns, and where.

    The ends are kept first, then the rest from the left; `taken` columns at the right
    edge are not theirs. Labels keep a blank between them. ASCII labels only.
    """
    order = [0, len(places) - 1, *range(1, len(places) - 1)] if len(places) > 1 else [0]
    kept: list[tuple[int, str]] = []
    for index in order[: len(places)]:
        column, label = places[index]
        start = min(max(0, column - len(label) // 2), width - len(label))
        clear = all(start > s + len(t) or s > start + len(label) for s, t in kept)
        if start >= 0 and clear and start + len(label) <= width - taken:
            kept.append((start, label))
    return sorted(kept)


def ruler(
    columns: Sequence[tuple[int, str]],
    name: str,
    place: tuple[int, int],
    look: Look,
    *,
    own_row: bool = False,
) -> list[Row]:
    """The line under a plot, its numbers, and `name`, what they measure.

    columns: (column, label) of each tick; place: columns left of the corner, and
    columns of the line. The name stands right of the numbers, else between two of
    them, else on a third row if `own_row`, else in the place of some.
    """
    glyphs, (left, width) = look.glyphs, place
    name = truncate(name, width // 2, glyphs.ellipsis)
    size = display_width(name)
    kept = spread_labels(columns, width, size + 2)
    every = spread_labels(columns, width)
    start: int | None = width - size
    if len(kept) < len(every):
        gap = _gap(every, size + 4)
        if gap is not None or own_row:
            kept, start = every, gap
    marks = {column for column, label in columns if label in {text for _, text in kept}}
    rule = "".join(glyphs.tick_x if x in marks else glyphs.horizontal for x in range(width))
    numbers: list[tuple[str, Ink]] = [(" " * (left + 1), PLAIN)]
    used = 0
    named = [(start, name, PLAIN)] if start is not None else []
    for column, text, ink in sorted([*((c, t, MUTED) for c, t in kept), *named]):
        numbers += [(" " * (column - used), PLAIN), (text, ink)]
        used = column + display_width(text)
    made = [row((" " * left + glyphs.corner + rule, MUTED)), row(*numbers)]
    if start is None:
        made.append(row((" " * (left + 1 + (width - size) // 2) + name, PLAIN)))
    return made


def _gap(labels: list[tuple[int, str]], size: int) -> int | None:
    """Where a name of `size` columns, two blanks each side included, fits between labels."""
    for (left, text), (right, _) in reversed(list(pairwise(labels))):
        room = right - left - len(text)
        if room >= size:
            return left + len(text) + (room - size) // 2 + 2
    return None
