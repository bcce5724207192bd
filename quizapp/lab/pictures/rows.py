"""Tables and plots of attention rows, ready for a Report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from quizapp.lab.maths.rows import LARGEST_NORM, Rows, Sampled
from quizapp.report import HeatMap, Histogram, Row, Series, Table
from quizapp.report.model import HEAT_MAP_SIDE
from quizapp.text import Text

if TYPE_CHECKING:
    import torch

Words = str | Mapping[str, str]
BINS = 48
#: Queries in a pair of maps: few enough that each keeps its own pixel row on 80×24.
PAIR_ROWS = 10


def measures_table(
    table_id: str,
    title: Words,
    columns: Mapping[str, Words],
    lines: Iterable[tuple[Words, Mapping[str, Sampled]]],
) -> Table:
    """A line for each of `lines` (its label, its metrics), a column for each metric named."""
    return Table(
        id=table_id,
        title=Text.of(title),
        columns=tuple(Text.of(label) for label in columns.values()),
        units=tuple("share" if name.endswith("share") else "" for name in columns),
        rows=tuple(
            Row(label=Text.of(label), cells=tuple(found[name][0] for name in columns))
            for label, found in lines
        ),
    )


def norm_histogram(rows: Mapping[str, Rows], names: Mapping[str, Mapping[str, str]]) -> Histogram:
    """Rows counted by Jacobian norm, from 0 to the largest a row can have; id "jacobian_norms"."""
    import torch

    edges = torch.linspace(0, LARGEST_NORM, BINS + 1, dtype=torch.float64)
    series = [
        Series(
            name=Text.of(names[key]),
            values=tuple(torch.histogram(part.jacobian.flatten(), edges).hist.tolist()),
        )
        for key, part in rows.items()
    ]
    return Histogram(
        id="jacobian_norms",
        title=Text.of({"en": "rows by Jacobian norm", "zh": "按雅可比范数统计的行数"}),
        x_label=Text.of({"en": "Frobenius norm", "zh": "Frobenius 范数"}),
        edges=tuple(edges.tolist()),
        series=tuple(series),
    )


def weight_map(plot_id: str, title: Mapping[str, str], weights: torch.Tensor) -> HeatMap:
    """The first 64 queries and keys of one draw's weights (S_q, S_k), as they are.

    Cropped, not averaged: averages would hide exactly the peaks that it is about.
    """
    shown = weights[:HEAT_MAP_SIDE, :HEAT_MAP_SIDE].cpu()
    return HeatMap(
        id=plot_id,
        title=Text.of(title),
        row_label=Text.of({"en": "query", "zh": "查询"}),
        column_label=Text.of({"en": "key", "zh": "键"}),
        values=tuple(tuple(row) for row in shown.tolist()),
        low=0.0,
        high=max(shown.max().item(), 1e-12),
    )


def weight_pair(
    plot_id: str, title: Mapping[str, str], left: torch.Tensor, right: torch.Tensor
) -> HeatMap:
    """Two weight matrices (S_q, S_k) of the same rows side by side, 32 keys each, on one scale.

    Two maps with a scale each would look alike: the paler one is stretched.
    """
    import torch

    keys = HEAT_MAP_SIDE // 2
    shown = torch.cat([part[:PAIR_ROWS, :keys].cpu() for part in (left, right)], dim=1)
    return HeatMap(
        id=plot_id,
        title=Text.of(title),
        row_label=Text.of({"en": "query", "zh": "查询"}),
        column_label=Text.of({"en": "the same keys twice", "zh": "同一批键，两遍"}),
        values=tuple(tuple(row) for row in shown.tolist()),
        low=0.0,
        high=1.0,
    )
