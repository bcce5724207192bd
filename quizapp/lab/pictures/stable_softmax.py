"""The tables, the curve and the sentence of `stable_softmax`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import both
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.maths.stable_softmax import DTYPES, WAYS, Dtype
from quizapp.lab.wording import stable_softmax as wording
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, percent


def ways_table(found: Mapping[str, Sampled]) -> Table:
    """A line for each way of writing softmax."""
    return Table(
        id="ways",
        title=Text.of(both("every way side by side", "各种写法对比")),
        columns=tuple(Text.of(label) for label in wording.COLUMNS.values()),
        units=("share", ""),
        rows=tuple(
            Row(
                label=Text.of(wording.WAY[way]),
                cells=tuple(found[f"{way}_{name}"][0] for name in wording.COLUMNS),
            )
            for way in WAYS
        ),
    )


def formats_table(
    edges: Mapping[Dtype, tuple[float, float]], broken: Mapping[Dtype, Sampled]
) -> Table:
    """A line for each number format: where exp leaves it, and what that breaks."""
    return Table(
        id="formats",
        title=Text.of(both("number formats", "数值格式")),
        columns=tuple(Text.of(label) for label in wording.FORMATS.values()),
        units=("", "", "share"),
        rows=tuple(
            Row(label=Text.of(dtype), cells=(*edges[dtype], broken[dtype][0])) for dtype in DTYPES
        ),
    )


def scale_curve(stds: Sequence[float], broken: Mapping[Dtype, Sequence[float]]) -> Curve:
    """Rows that the naive way breaks against the standard deviation of the logits."""
    return Curve(
        id="broken_by_scale",
        title=Text.of(both("rows that exp / sum breaks", "朴素写法的坏行比例")),
        x_label=Text.of(both("std of the logits", "logits 的标准差")),
        y_label=Text.of(both("share of rows", "行的比例")),
        x=tuple(stds),
        series=tuple(Series(name=Text.of(dtype), values=tuple(broken[dtype])) for dtype in DTYPES),
        log_x=True,
    )


def summary(dtype: Dtype, largest: float, found: Mapping[str, Sampled]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    naive, stable = (percent(found[name][0]) for name in ("naive_broken", "max_broken"))
    edge = figure(largest)
    return both(
        f"{dtype}: exp is finite up to {edge}; exp / sum breaks {naive} of these rows, "
        f"with the row maximum subtracted {stable}.",
        f"{dtype}：exp 到 {edge} 为止有限；朴素写法使 {naive} 的行出错，"
        f"减去行最大值后为 {stable}。",
    )
