"""The table, the plots and the sentence of `masks`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quizapp.lab.experiment import both
from quizapp.lab.maths.masks import Method
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.pictures.rows import measures_table, weight_map
from quizapp.lab.wording import masks as wording
from quizapp.report import Curve, HeatMap, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

#: The lowest leak that is drawn: 0 has no place on a log axis.
FLOOR = 1e-9


def weights(shown: torch.Tensor) -> HeatMap:
    """The weights of one draw (n, n), NaN as 0: a map has no colour for it."""
    return weight_map("weights", wording.WEIGHTS, shown.nan_to_num())


def table(every: Mapping[Method, Mapping[str, Sampled]]) -> Table:
    """A line for each way of masking."""
    return measures_table(
        "methods",
        both("every way side by side", "各种做法对比"),
        wording.COLUMNS,
        ((wording.METHOD[method], results) for method, results in every.items()),
    )


def penalty_curve(penalties: Sequence[float], leaks: Sequence[float]) -> Curve:
    """The leak against what is subtracted from hidden scores."""
    return Curve(
        id="leak_by_penalty",
        title=Text.of(both("output change by penalty", "惩罚值与输出变化")),
        x_label=Text.of(both("subtracted from hidden scores", "隐藏分数减去的数")),
        y_label=Text.of(both("output change", "输出变化")),
        x=tuple(penalties),
        series=(
            Series(
                name=wording.METRICS["leak"].label,
                values=tuple(max(leak, FLOOR) for leak in leaks),
            ),
        ),
        log_y=True,
    )


def summary(method: Method, dtype: str, found: Mapping[str, Sampled]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    leak, weight = (figure(found[name][0]) for name in ("leak", "hidden_weight"))
    label = wording.METHOD[method]
    return both(
        f"{label['en']}, {dtype}: replacing a hidden token changes the outputs by up to {leak}; "
        f"hidden keys hold a weight of {weight} per query.",
        f"{label['zh']}，{dtype}：替换隐藏的词元，输出最多变化 {leak}；"
        f"每个查询放在隐藏键上的权重为 {weight}。",
    )
