"""The table, the plots and the sentence of `attention_variants`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import both
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.maths.variants import Variant
from quizapp.lab.pictures.rows import measures_table
from quizapp.lab.wording import attention_variants as wording
from quizapp.report import Curve, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure


def table(every: Mapping[Variant, Mapping[str, Sampled]]) -> Table:
    """A line for each variant."""
    return measures_table(
        "variants",
        both("every variant side by side", "各变体对比"),
        wording.COLUMNS,
        ((wording.VARIANT[variant], found) for variant, found in every.items()),
    )


def entropy_curve(factors: Sequence[float], found: Mapping[Variant, Sequence[float]]) -> Curve:
    """Entropy of the rows against the factor that multiplies q."""
    return Curve(
        id="entropy_by_factor",
        title=Text.of(both("entropy by the factor on q·k", "熵随 q·k 的因子变化")),
        x_label=Text.of(both("factor", "因子")),
        y_label=Text.of(both("nats", "nats")),
        x=tuple(factors),
        series=_series(found),
        log_x=True,
    )


def cost_curve(lengths: Sequence[int], found: Mapping[Variant, Sequence[float]]) -> Curve:
    """Multiply-adds of one head against the length."""
    return Curve(
        id="cost_by_length",
        title=Text.of(both("multiply-adds of one head", "单个头的乘加次数")),
        x_label=Text.of(both("keys", "键数")),
        y_label=Text.of(both("multiply-adds", "乘加次数")),
        x=tuple(float(length) for length in lengths),
        series=_series(found),
        log_x=True,
        log_y=True,
    )


def _series(found: Mapping[Variant, Sequence[float]]) -> tuple[Series, ...]:
    return tuple(
        Series(name=Text.of(wording.VARIANT[variant]), values=tuple(values))
        for variant, values in found.items()
    )


def summary(
    variant: Variant, found: Mapping[str, Sampled], costs: Mapping[str, float]
) -> dict[str, str]:
    """One sentence with the figures of this run."""
    change, scaled, unscaled, error = (
        figure(found[name][0])
        for name in ("scale_change", "entropy_scaled", "entropy_unscaled", "error")
    )
    label, times = wording.VARIANT[variant], figure(costs["cost_ratio"])
    return both(
        f"{label['en']}: dropping 1/√d_k changes the output by {change} of its size and the "
        f"entropy from {scaled} to {unscaled}; error to full attention {error}, "
        f"multiply-adds {times} times fewer.",
        f"{label['zh']}：去掉 1/√d_k，输出变化为其大小的 {change}，熵从 {scaled} 变为 {unscaled}；"
        f"与完整注意力的误差 {error}，乘加次数少到 1/{times}。",
    )
