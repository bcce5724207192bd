"""The table, the curves and the sentence of `temperature`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import both
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.pictures.rows import measures_table
from quizapp.lab.wording import temperature as wording
from quizapp.report import Curve, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure


def table(by_temperature: Mapping[float, Mapping[str, Sampled]]) -> Table:
    """A line for each temperature."""
    return measures_table(
        "temperatures",
        both("by temperature", "各温度"),
        wording.BY_FACTOR,
        [(f"T = {figure(t)}", found) for t, found in by_temperature.items()],
    )


def sharpness(
    temperatures: Sequence[float], found: Mapping[str, Sequence[float]], keys: int
) -> Curve:
    """Entropy as a share of ln n, and the largest weight, against the temperature."""
    share = [value / math.log(keys) for value in found["entropy"]]
    lines = ((both("entropy / ln n", "熵 / ln n"), share),)
    return _curve(
        "sharpness",
        both("sharpness by temperature", "温度与尖锐程度"),
        both("share", "比例"),
        temperatures,
        (*lines, (both("largest weight", "最大权重"), found["max_weight"])),
    )


def gradients(temperatures: Sequence[float], found: Mapping[str, Sequence[float]]) -> Curve:
    """Jacobian norm of softmax, and the same with respect to raw scores."""
    return _curve(
        "gradients",
        both("gradient by temperature", "温度与梯度"),
        both("median norm", "范数中位数"),
        temperatures,
        (
            (both("softmax Jacobian", "softmax 雅可比"), found["jacobian_median"]),
            (both("of raw scores: / T", "对原始分数：/ T"), found["raw_gradient_median"]),
        ),
    )


def _curve(
    plot_id: str,
    title: Mapping[str, str],
    y_label: Mapping[str, str],
    x: Sequence[float],
    lines: Sequence[tuple[Mapping[str, str], Sequence[float]]],
) -> Curve:
    return Curve(
        id=plot_id,
        title=Text.of(title),
        x_label=Text.of(both("temperature T", "温度 T")),
        y_label=Text.of(y_label),
        x=tuple(x),
        series=tuple(Series(name=Text.of(name), values=tuple(values)) for name, values in lines),
        log_x=True,
    )


def summary(temperature: float, samples: int, found: Mapping[str, Sampled]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    t = figure(temperature)
    entropy, weight, norm, distinct = (
        figure(found[name][0]) for name in ("entropy", "max_weight", "jacobian_median", "distinct")
    )
    return both(
        f"T = {t}: entropy {entropy} nats, largest weight {weight}, median Jacobian norm {norm}; "
        f"{samples} samples hit {distinct} distinct keys.",
        f"T = {t}：熵 {entropy} nats，最大权重 {weight}，雅可比范数中位数 {norm}；"
        f"采样 {samples} 次命中 {distinct} 个不同的键。",
    )
