"""Plots for the drawing tests: the shapes experiments report, and random unreasonable ones."""

from __future__ import annotations

import math
import random

from quizapp.plot.drawings import Plot
from quizapp.report import Curve, HeatMap, Histogram, Series
from quizapp.text import Text

ENTROPY = Curve(
    id="entropy",
    title=Text.of({"en": "Entropy of a row", "zh": "每行的熵"}),
    x_label=Text.of("d_k"),
    y_label=Text.of({"en": "nats", "zh": "奈特"}),
    x=(16, 64, 256, 1024),
    log_x=True,
    series=(
        Series(
            name=Text.of({"en": "with 1/√d_k", "zh": "除以 √d_k"}),
            values=(4.13, 4.12, 4.12, 4.12),
            spread=(0.01, 0.01, 0.01, 0.01),
        ),
        Series(
            name=Text.of({"en": "no scale", "zh": "不缩放"}),
            values=(1.54, 0.65, 0.29, 0.13),
            spread=(0.085, 0.054, 0.035, 0.024),
        ),
    ),
)
NORMS = Histogram(
    id="norms",
    title=Text.of({"en": "rows by norm", "zh": "各行的范数"}),
    x_label=Text.of({"en": "norm", "zh": "范数"}),
    edges=(0.0, 0.1, 0.2, 0.3, 0.4),
    series=(
        Series(name=Text.of({"en": "no scale", "zh": "不缩放"}), values=(8, 4, 2, 1)),
        Series(name=Text.of("1/√d_k"), values=(0, 16, 1, 0)),
    ),
)
WEIGHTS = HeatMap(
    id="weights",
    title=Text.of({"en": "Weights", "zh": "权重"}),
    row_label=Text.of({"en": "query", "zh": "查询"}),
    column_label=Text.of({"en": "key", "zh": "键"}),
    values=((1.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.25, math.nan, 0.5)),
    low=0,
    high=1,
)
PLOTS: tuple[Plot, ...] = (ENTROPY, NORMS, WEIGHTS)

_ODD = (math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.7e308, 1.7e308, 1e-300, 1.0)
_NAMES = ("", "x", "不缩放的分数", "[/]", "a\nb\x1b[31m", "{x}", "n" * 90)


def random_plot(draw: random.Random) -> Plot:
    """A plot with any mixture of sizes, gaps, infinities, ties and awkward names."""

    def number() -> float:
        if draw.random() < 0.2:
            return draw.choice(_ODD)
        return draw.choice((1, -1, 1e9, 1e-9)) * draw.gauss(0, 1)

    def numbers(count: int) -> tuple[float, ...]:
        return (number(),) * count if draw.random() < 0.1 else tuple(number() for _ in range(count))

    def words() -> Text:
        return Text.of(draw.choice(_NAMES))

    count = draw.choice((0, 1, 2, 3, 30, 200))
    series = tuple(
        Series(
            name=words(),
            values=numbers(count),
            spread=numbers(count) if draw.random() < 0.3 else None,
        )
        for _ in range(draw.choice((0, 1, 2, 3, 6)))
    )
    kind = draw.randrange(3)
    if kind == 0:
        return Curve(
            id="c", title=words(), x_label=words(), y_label=words(), series=series,
            x=tuple(map(float, range(count))) if draw.random() < 0.6 else numbers(count),
            log_x=draw.random() < 0.4, log_y=draw.random() < 0.4,
        )  # fmt: skip
    if kind == 1:
        edges = sorted(draw.uniform(-2, 2) for _ in range(count + 1))
        return Histogram(
            id="h", title=words(), x_label=words(), series=series,
            edges=tuple(edges) if draw.random() < 0.7 else numbers(count + 1),
        )  # fmt: skip
    lines = draw.choice((0, 1, 2, 5, 64))
    return HeatMap(
        id="m", title=words(), row_label=words(), column_label=words(),
        values=tuple(numbers(draw.choice((0, 1, 3, 64))) for _ in range(lines)),
        low=number(), high=number(),
    )  # fmt: skip
