"""ALiBi: slopes, windows that stay when the text doubles, the two forms of the bias."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import alibi
from quizapp.lab.maths import alibi as maths
from quizapp.lab.maths.alibi_rows import Reach
from quizapp.lab.second_way import alibi as second
from quizapp.report import Report


def context(params: alibi.Params) -> RunContext:
    return RunContext("alibi", alibi.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = alibi.Params(**settings)
    return list(alibi.run(params, context(params)))[-1]


def value(name: str, index: int | None = None, **settings: Any) -> float:
    return last(**settings).metrics[name].scalar(index)


def values(name: str, **settings: Any) -> tuple[float, ...]:
    found = last(**settings).metrics[name].value
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {"form": "position", "stored": "bfloat16", "placed": "before_scale"},
        {"form": "position", "stored": "bfloat16", "shift": 3000},
        {"heads": 12, "score_std": 8.0, "form": "position", "shift": 1_000_000, "d_k": 32},
        {"heads": 6, "slopes": "geometric", "stored": "bfloat16", "score_std": 0.0},
        {"heads": 1, "seq_len": 1024, "score_std": 2.0},
        {"heads": 3, "seq_len": 16, "match_distance": 15, "match_score": 40.0},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = alibi.Params(**{"draws": 4, **settings})
    ctx = context(params)
    report = list(alibi.run(params, ctx))[-1]
    found = compare(report.metrics, alibi.check(params, ctx), ctx.dtype, alibi.METHOD)
    assert found.ok, found


def test_slopes_of_a_power_of_two_are_one_series() -> None:
    assert maths.slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert maths.slopes(16).tolist() == pytest.approx([2.0 ** (-h / 2) for h in range(1, 17)])
    assert maths.slopes(1).tolist() == [2.0**-8]


def test_other_counts_borrow_every_other_slope_of_twice_the_power() -> None:
    extra = [2.0**-0.5, 2.0**-1.5, 2.0**-2.5, 2.0**-3.5]
    assert maths.slopes(12).tolist() == pytest.approx([2.0**-h for h in range(1, 9)] + extra)
    series = maths.slopes(12, "geometric")
    assert series.tolist() == pytest.approx([2 ** (-8 * h / 12) for h in range(1, 13)])


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 6, 7, 8, 12, 20, 32, 48, 63, 64])
@pytest.mark.parametrize("rule", ["paper", "geometric"])
def test_square_roots_find_the_same_slopes(heads: int, rule: maths.Rule) -> None:
    found = second.slopes(heads, rule == "geometric")
    assert found == pytest.approx(maths.slopes(heads, rule).tolist(), rel=1e-12)


def test_a_window_holds_nine_tenths_and_no_key_more() -> None:
    rows = torch.tensor([[0.5, 0.3, 0.15, 0.05], [0.91, 0.03, 0.03, 0.03], [0.25] * 4])
    assert maths.window(rows).tolist() == [3, 1, 4]


def test_without_content_a_window_is_that_of_a_geometric_series() -> None:
    """1 − e^(−mW) of the whole row's 1 − e^(−mn)."""
    for h, m in enumerate(values("slopes", score_std=0.0)):
        whole = 1 - math.exp(-m * 256)
        wanted = math.ceil(-math.log(1 - 0.9 * whole) / m)
        assert value("window_by_head", h, score_std=0.0) == wanted


def test_steep_heads_keep_their_window_and_gentle_ones_do_not() -> None:
    growth = values("window_growth_by_head")
    assert growth[:4] == pytest.approx([1] * 4, abs=1e-3)
    assert sorted(growth) == list(growth)
    assert 1.5 < growth[-1] < 2
    assert value("wide_heads") == 2 / 8
    assert value("far_weight_gentlest") > 0.2 > value("far_weight_by_method", 0)


def test_rotary_and_no_positions_spread_over_the_doubled_text() -> None:
    for method in ("rotary", "none"):
        at = maths.METHODS.index(method)
        assert value("far_weight_by_method", at) == pytest.approx(0.5, abs=0.02)
        assert value("window_growth_by_method", at) == pytest.approx(2, abs=0.05)
        assert value("entropy_growth_by_method", at) == pytest.approx(math.log(2), abs=0.03)


def test_before_the_scale_slopes_are_smaller_by_root_d_k() -> None:
    before = values("slopes", placed="before_scale")
    assert before == pytest.approx([m / 8 for m in values("slopes")])
    # Slope 1/16 before the scale of √64 is slope 1/2 after it.
    assert values("window_by_head", placed="before_scale")[0] == values("window_by_head")[3]


def test_a_match_far_away_wins_where_its_score_exceeds_the_penalty() -> None:
    weights = values("match_weight_by_head")
    assert weights[0] < 1e-9
    assert weights[-1] > 0.8
    assert value("match_weight_by_head", 0, match_score=40.0) > 0.8  # 40 against 64 · 1/2


def test_the_two_forms_agree_under_a_causal_mask_only() -> None:
    assert value("form_difference") < 1e-6
    assert value("form_difference_both") > 0.5


def test_positions_in_few_digits_lose_the_distance() -> None:
    exact: dict[str, Any] = {"form": "distance", "stored": "bfloat16"}
    assert value("weight_shift", **exact) == 0
    assert value("bias_error", **exact) == 0  # these slopes times 0 … 63 need six digits
    assert value("weight_shift", form="position") < 1e-3
    assert value("score_shift", form="position") == pytest.approx(500)  # m · shift
    assert value("weight_shift", form="position", stored="bfloat16") > 0.1
    assert value("weight_shift_added") > 0.1


def test_reach_of_even_rows() -> None:
    reach = Reach.of(torch.zeros(3, 2, 10), torch.zeros(3, 2, 20))
    assert reach.window.tolist() == pytest.approx([9, 9, 9], abs=1)
    assert reach.far.tolist() == pytest.approx([0.5] * 3)
    assert (reach.entropy_doubled - reach.entropy).tolist() == pytest.approx([math.log(2)] * 3)
    assert reach.growth.tolist() == pytest.approx([2] * 3, abs=0.15)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"match_distance": 300}, "below seq_len 256"),
        ({"seq_len": 1024, "draws": 100, "heads": 16}, "times what one run may do"),
        ({"seq_len": 1024, "draws": 100, "d_k": 256, "heads": 1}, "times what one run may do"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        alibi.Params(**settings)
