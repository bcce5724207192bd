"""Plots in words: one sentence computed from a plot's data, for readers who cannot see it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter

from quizapp.plot.bars import known, rising
from quizapp.report import Curve, HeatMap, Histogram
from quizapp.text.numbers import figure, percent
from quizapp.text.plain import one_line

Plot = Curve | Histogram | HeatMap

#: English and Chinese wordings; the rest of the program's strings have no numbers inside.
_WORDS = {
    "nothing": ("No values to show.", "没有可显示的数值。"),
    "one": ("{name} has the one value {y}", "{name}只有一个值 {y}"),
    "flat": ("{name} stays near {y}", "{name}保持在 {y} 附近"),
    "rises": ("{name} rises from {a} to {b}", "{name}从 {a} 升到 {b}"),
    "falls": ("{name} falls from {a} to {b}", "{name}从 {a} 降到 {b}"),
    "peaks": ("{name} peaks at {y} ({x}) and ends at {b}", "{name}在 {x} 处达到最高 {y}，止于 {b}"),
    "dips": ("{name} dips to {y} ({x}) and ends at {b}", "{name}在 {x} 处降到最低 {y}，止于 {b}"),
    "histogram": (
        "{name} peaks near {y} ({b} in one bin)",
        "{name}的峰值在 {y} 附近（该格占 {b}）",
    ),
    "empty": ("{name} has no values", "{name}没有数值"),
    "heat": (
        "Largest {y} at row {a}, column {b}; mean {x}.",
        "最大值 {y} 在第 {a} 行第 {b} 列；均值 {x}。",
    ),
    "gaps": (" {a} of {b} are not numbers.", "{b} 个中有 {a} 个不是数。"),
}
_JOIN = {"en": ("; ", "."), "zh": ("；", "。")}
_SHOWN = 3


def describe(plot: Plot, language: str, most: int = _SHOWN) -> str:
    """What `plot` shows, in one line: at most `most` series; rows and columns from 0."""
    if isinstance(plot, HeatMap):
        return _heat(plot, language)
    if isinstance(plot, Curve):
        parts = [
            _line(one_line(s.name.to(language)), plot.x, s.values, language) for s in plot.series
        ]
    else:
        parts = [
            _bins(one_line(s.name.to(language)), plot.edges, s.values, language)
            for s in plot.series
        ]
    if not parts:
        return _say("nothing", language)
    between, end = _JOIN.get(language, _JOIN["en"])
    return between.join(parts[:most]) + end


def _say(key: str, language: str, **values: str) -> str:
    wording = _WORDS[key][language == "zh"]
    if language == "zh" and "name" in values and values["name"][-1:].isascii():
        values["name"] += " "
    for name, value in values.items():
        # Not str.format: a series may be called "{x}".
        wording = wording.replace("{" + name + "}", value)
    return wording


def _line(name: str, xs: Sequence[float], ys: Sequence[float], language: str) -> str:
    points = [(x, y) for x, y in zip(xs, ys, strict=False) if math.isfinite(x) and math.isfinite(y)]
    if not points:
        return _say("empty", language, name=name)
    values = [y for _, y in points]
    first, last = values[0], values[-1]
    low, high = min(points, key=lambda p: p[1]), max(points, key=lambda p: p[1])
    reach = high[1] / 2 - low[1] / 2
    a, b = figure(first), figure(last)
    if len(points) == 1:
        return _say("one", language, y=a, name=name)
    if reach <= 0.01 * max(abs(high[1]), abs(low[1])):
        return _say("flat", language, y=figure(sum(v / len(values) for v in values)), name=name)
    over = high[1] / 2 - max(first, last) / 2
    under = min(first, last) / 2 - low[1] / 2
    if max(over, under) > 0.1 * reach:
        key, (x, y) = ("peaks", high) if over >= under else ("dips", low)
        return _say(key, language, x=figure(x), y=figure(y), b=b, name=name)
    return _say("rises" if last > first else "falls", language, a=a, b=b, name=name)


def _bins(name: str, edges: Sequence[float], counts: Sequence[float], language: str) -> str:
    usable = [known(count) for count in counts]
    total = sum(usable)
    if not rising(edges) or not 0 < total < math.inf:
        return _say("empty", language, name=name)
    bins = list(pairwise(edges))
    density = [c / (b - a) for c, (a, b) in zip(usable, bins, strict=False)]
    peak = density.index(max(density))
    low, high = bins[peak]
    # The share of that bin, and no median: bins cannot tell one where they are coarse.
    share = percent(usable[peak] / total)
    return _say("histogram", language, y=figure(low / 2 + high / 2, 2), b=share, name=name)


def _heat(plot: HeatMap, language: str) -> str:
    cells = [(v, y, x) for y, line in enumerate(plot.values) for x, v in enumerate(line)]
    finite = [cell for cell in cells if math.isfinite(cell[0])]
    if not finite:
        return _say("nothing", language)
    value, row, column = max(finite, key=itemgetter(0))
    mean = sum(v / len(finite) for v, _, _ in finite)
    text = _say("heat", language, y=figure(value), a=str(row), b=str(column), x=figure(mean))
    missing = len(cells) - len(finite)
    if missing:
        text += _say("gaps", language, a=str(missing), b=str(len(cells)))
    return text
