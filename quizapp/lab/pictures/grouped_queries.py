"""The table, the plots and the sentence of `grouped_queries`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quizapp.lab.experiment import Measured, both
from quizapp.lab.pictures.rows import weight_pair
from quizapp.lab.wording import grouped_queries as wording
from quizapp.report import Curve, HeatMap, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, size

if TYPE_CHECKING:
    import torch


def weights(shown: torch.Tensor, group: int) -> HeatMap:
    """The last queries of the first two heads of a group, from one draw (H, n, n)."""
    left, right = (shown[h, -10:] for h in (0, min(1, group - 1)))
    return weight_pair("weights", wording.WEIGHTS, left, right)


def _values(measured: Measured) -> Sequence[float]:
    value = measured[0] if isinstance(measured, tuple) else measured
    return value if isinstance(value, Sequence) else [value]


def table(divisors: Sequence[int], every: Mapping[str, Measured]) -> Table:
    """A line for each number of key/value heads."""
    columns = [_values(every[name]) for name in wording.COLUMNS]
    return Table(
        id="kv_heads",
        title=Text.of(wording.BY_KV_HEADS),
        columns=tuple(Text.of(label) for label in wording.COLUMNS.values()),
        units=tuple(wording.METRICS[name].unit for name in wording.COLUMNS),
        rows=tuple(
            Row(label=Text.of(str(groups)), cells=cells)
            for groups, *cells in zip(divisors, *columns, strict=True)
        ),
    )


def error_curve(divisors: Sequence[int], every: Mapping[str, Measured]) -> Curve:
    """The error against the MHA over the number of key/value heads."""
    return Curve(
        id="error_by_kv_heads",
        title=Text.of(wording.BY_KV_HEADS),
        x_label=Text.of(wording.KV_HEADS),
        y_label=Text.of(wording.COLUMNS["error_by_kv_heads"]),
        x=tuple(float(groups) for groups in divisors),
        series=(
            Series(
                name=wording.METRICS["pooling_error"].label,
                values=tuple(_values(every["error_by_kv_heads"])),
            ),
        ),
        log_x=True,
    )


def summary(heads: int, kv_heads: int, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    held, mha, error, decoded = (
        _values(metrics[name])[0]
        for name in ("cache_bytes", "cache_bytes_mha", "pooling_error", "decode_error")
    )
    return both(
        f"{kv_heads} key/value heads for {heads} query heads hold {size(held)} instead of "
        f"{size(mha)}; decoding differs by {figure(decoded)}, the MHA they were made from by "
        f"{figure(error)}.",
        f"{heads} 个查询头共用 {kv_heads} 个键值头，缓存 {size(held)}，而不是 {size(mha)}；"
        f"逐步解码的差为 {figure(decoded)}，与原来的 MHA 相差 {figure(error)}。",
    )
