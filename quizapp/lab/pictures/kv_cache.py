"""The table, the plots and the sentence of `kv_cache`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import Measured, both
from quizapp.lab.wording import kv_cache as wording
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

#: The lowest error that is drawn: 0 has no place on a log axis.
FLOOR = 1e-17


def products(cached: Sequence[float], again: Sequence[float]) -> Curve:
    """Multiply-adds of each new token, both ways."""
    return Curve(
        id="products_by_step",
        title=Text.of(both("multiply-adds of each step", "每步的乘加次数")),
        x_label=Text.of(wording.STEP),
        y_label=Text.of(wording.COSTS),
        x=_steps(cached),
        series=tuple(
            Series(name=Text.of(name), values=tuple(values))
            for name, values in ((wording.CACHED, cached), (wording.RECOMPUTED, again))
        ),
        log_y=True,
    )


def errors(by_step: Sequence[float]) -> Curve:
    """The error of each new token from the cache."""
    label = wording.METRICS["error"].label
    return Curve(
        id="error_by_step",
        title=Text.of(both("error of each new token", "每个新词元的误差")),
        x_label=Text.of(wording.STEP),
        y_label=label,
        x=_steps(by_step),
        series=(Series(name=label, values=tuple(max(error, FLOOR) for error in by_step)),),
        log_y=True,
    )


def _steps(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(i) for i in range(1, len(values) + 1))


def table(prefill: float, cached: Sequence[float], again: Sequence[float]) -> Table:
    """Multiply-adds of the first step, the last and all, both ways."""
    steps = both("all steps", "全部步"), both("first step", "首步"), both("last step", "末步")
    return Table(
        id="products",
        title=Text.of(wording.COSTS),
        columns=(Text.of(wording.CACHED), Text.of(wording.RECOMPUTED)),
        units=("count", "count"),
        rows=(
            Row(label=wording.METRICS["prefill_products"].label, cells=(prefill, None)),
            *(
                Row(label=Text.of(label), cells=cells)
                for label, cells in zip(
                    steps,
                    ((sum(cached), sum(again)), (cached[0], again[0]), (cached[-1], again[-1])),
                    strict=True,
                )
            ),
        ),
    )


def summary(new_tokens: int, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    shown, times = (figure(_one(metrics[name])) for name in ("error", "products_ratio"))
    return both(
        f"{new_tokens} new tokens from the cache differ from recomputing by {shown} of their "
        f"size; recomputing takes {times} times the multiply-adds.",
        f"{new_tokens} 个新词元：用缓存与全部重算相差其大小的 {shown}；"
        f"重算的乘加次数是 {times} 倍。",
    )


def _one(measured: Measured) -> float:
    value = measured[0] if isinstance(measured, tuple) else measured
    return value[0] if isinstance(value, Sequence) else value
