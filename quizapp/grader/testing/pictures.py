"""Small heat maps of what a learner's weights are, beside what they should be."""

from __future__ import annotations

from torch import Tensor

from quizapp.report import HeatMap
from quizapp.report.model import HEAT_MAP_SIDE
from quizapp.text import Text


def weight_maps(got: Tensor, expected: Tensor, index: tuple[int, ...]) -> tuple[HeatMap, ...]:
    """Both (S_q, S_k) maps of the head in which `index` lies; none where they are too large."""
    head = index[:-2]
    ours, theirs = got[head], expected[head]
    if max(ours.shape) > HEAT_MAP_SIDE or min(ours.shape) < 2:
        return ()
    low = min(0.0, float(ours.min()))
    high = max(1.0, float(ours.max()))
    titles = {"got": ("your weights", "你的权重"), "expected": ("expected weights", "应得的权重")}
    return tuple(
        HeatMap(
            id=name,
            title=Text.of({"en": en, "zh": zh}),
            row_label=Text.of({"en": "query", "zh": "查询"}),
            column_label=Text.of({"en": "key", "zh": "键"}),
            values=tuple(tuple(float(f"{x:.4g}") for x in row) for row in values.tolist()),
            low=low,
            high=high,
        )
        for (name, (en, zh)), values in zip(titles.items(), (ours, theirs), strict=True)
    )
