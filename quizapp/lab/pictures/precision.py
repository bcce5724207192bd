"""The tables, the curves and the sentence of `precision`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import both
from quizapp.lab.maths.precision import SUMS, TERMS
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.pictures.rows import measures_table
from quizapp.lab.wording import precision as wording
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

#: The lowest error that is drawn: 0 has no place on a log axis.
FLOOR = 1e-10


def formats(found: Mapping[str, Mapping[str, Sampled]]) -> Table:
    """A line for each number format."""
    return measures_table(
        "formats", both("number formats", "数值格式"), wording.COLUMNS, list(found.items())
    )


def orders(found: Mapping[str, Mapping[str, Sampled]]) -> Table:
    """A line for each place of the scale."""
    return measures_table(
        "orders",
        both("where the scale goes", "在哪里缩放"),
        wording.COLUMNS,
        [(wording.ORDER[order], results) for order, results in found.items()],
    )


def sums(found: Mapping[str, Sampled]) -> Table:
    """A line for each way to keep a long sum."""
    return Table(
        id="sums",
        title=Text.of(both("error of a long sum", "长求和的误差")),
        columns=tuple(Text.of(words) for words in wording.KIND.values()),
        rows=tuple(
            Row(
                label=Text.of(wording.SUM[way]),
                cells=tuple(found[f"{kind}_{way}"][0] for kind in TERMS),
            )
            for way in SUMS
        ),
    )


def accumulation(marks: Sequence[int], lines: Mapping[str, Sequence[float]]) -> Curve:
    """Error against the number of terms; lines are named "dot_sequential" and so on."""
    names = {
        f"{kind}_{way}": both(f"{kind}, {words['en']}", f"{kind_words['zh']}，{words['zh']}")
        for kind, kind_words in wording.KIND.items()
        for way, words in wording.SUM.items()
    }
    return Curve(
        id="accumulation",
        title=Text.of(both("error of a sum by its length", "求和误差与项数")),
        x_label=Text.of(both("terms", "项数")),
        y_label=Text.of(both("relative error", "相对误差")),
        x=tuple(float(mark) for mark in marks),
        series=tuple(
            Series(name=Text.of(names[key]), values=tuple(max(v, FLOOR) for v in values))
            for key, values in lines.items()
        ),
        log_x=True,
        log_y=True,
    )


def by_std(stds: Sequence[float], lines: Mapping[str, Sequence[float]]) -> Curve:
    """Output error in each format against the std of the entries of q and k."""
    return Curve(
        id="error_by_std",
        title=Text.of(both("output error by format", "各格式的输出误差")),
        x_label=Text.of(both("std of the entries of q and k", "q、k 元素的标准差")),
        y_label=Text.of(both("relative error", "相对误差")),
        x=tuple(stds),
        series=tuple(
            Series(name=Text.of(dtype), values=tuple(max(v, FLOOR) for v in values))
            for dtype, values in lines.items()
        ),
        log_x=True,
        log_y=True,
    )


def summary(dtype: str, terms: int, found: Mapping[str, Sampled]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    output, one, wide = (
        figure(found[name][0]) for name in ("output_error", "norm_sequential", "norm_fp32")
    )
    return both(
        f"{dtype}: the output is off by {output} of its size; a sum of {terms} squares by {one} "
        f"when added one by one in {dtype}, by {wide} in float32.",
        f"{dtype}：输出的相对误差为 {output}；{terms} 项平方和用 {dtype} 逐项累加误差 {one}，"
        f"用 float32 累加为 {wide}。",
    )
