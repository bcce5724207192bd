"""Pictures of attention rows: two maps side by side must share their scale and their rows."""

from __future__ import annotations

import pytest
import torch

from quizapp.lab.pictures.rows import weight_pair


@pytest.mark.parametrize(("size", "rows", "keys"), [(100, 10, 32), (8, 8, 8)])
def test_both_maps_lie_side_by_side_on_one_scale(size: int, rows: int, keys: int) -> None:
    scores = torch.randn(size, size, generator=torch.Generator().manual_seed(1))
    left, right = (8 * scores).softmax(-1), scores.softmax(-1)
    pair = weight_pair("both", {"en": "both", "zh": "两者"}, left, right)
    assert (pair.low, pair.high) == (0.0, 1.0)
    values = torch.tensor(pair.values)
    assert torch.equal(values[:, :keys], left[:rows, :keys])
    assert torch.equal(values[:, keys:], right[:rows, :keys])


def test_the_experiment_puts_the_unscaled_rows_on_the_left() -> None:
    from quizapp.lab.engine.runner import reports

    maps = {plot.id: plot for plot in list(reports("attention_entropy", {}, "cpu"))[-1].heat_maps}
    for line, raw, scaled in zip(
        maps["weights_before_after"].values,
        maps["weights_unscaled"].values,
        maps["weights_scaled"].values,
        strict=False,
    ):
        assert line == raw[:32] + scaled[:32]
