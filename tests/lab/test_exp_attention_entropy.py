"""Entropy with and without the scale: the figures, the tail, and what does not change."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import attention_entropy
from quizapp.report import Report


@cache
def run(**settings: Any) -> tuple[Report, ...]:
    params = attention_entropy.Params(**settings)
    ctx = RunContext("attention_entropy", attention_entropy.METRICS, params, "cpu")
    return tuple(attention_entropy.run(params, ctx))


def measured(name: str, index: int | None = None, **settings: Any) -> tuple[float, float]:
    metric = run(**settings)[-1].metrics[name]
    return metric.scalar(index), metric.error(index) or 0.0


@cache
def reference(d_k: int) -> NDArray[np.float64]:
    """Mean entropies of independent draws, raw and scaled: plain NumPy, other numbers."""
    generator, found = np.random.default_rng(d_k), []
    for _ in range(60):
        q, k = generator.normal(size=(2, 100, d_k))
        entropies = []
        for scale in (1.0, d_k**-0.5):
            scores = q @ k.T * scale
            w = np.exp(scores - scores.max(1, keepdims=True))
            w /= w.sum(1, keepdims=True)
            entropies.append(-(w * np.log(np.where(w > 0, w, 1))).sum(1).mean())
        found.append(entropies)
    return np.array(found)


@pytest.mark.parametrize(("index", "d_k"), list(enumerate(attention_entropy.WIDTHS)))
def test_entropies_are_those_of_an_independent_computation(index: int, d_k: int) -> None:
    draws = reference(d_k)
    for column, kind in enumerate(("unscaled", "scaled")):
        value, error = measured(f"{kind}_entropy_by_d_k", index)
        both = math.hypot(error, draws[:, column].std() / math.sqrt(len(draws)))
        assert abs(value - draws[:, column].mean()) < 4 * both


@pytest.mark.parametrize(
    ("index", "entropy", "one_draw"),
    [(0, 1.54, 0.085), (1, 0.65, 0.054), (2, 0.29, 0.035), (3, 0.13, 0.024)],
)
def test_unscaled_entropies_lie_within_one_draw_of_the_known_ones(
    index: int, entropy: float, one_draw: float
) -> None:
    value, error = measured("unscaled_entropy_by_d_k", index)
    assert abs(value - entropy) < 1.2 * one_draw
    circulating = (4.02, 2.87, 1.52, 0.67)[index]
    assert abs(value - circulating) > 20 * error


def test_scaled_entropy_does_not_depend_on_the_width() -> None:
    for index in range(4):
        value, error = measured("scaled_entropy_by_d_k", index)
        assert abs(value - 4.125) < 0.005 + 4 * error


def test_the_typical_row_keeps_its_gradient_and_the_tail_loses_it() -> None:
    for name, expected, slack in (
        ("unscaled_jacobian_median", 0.22, 0.01),
        ("scaled_jacobian_median", 0.148, 0.001),
        ("unscaled_jacobian_p10", 0.004, 0.0005),
        ("scaled_jacobian_p10", 0.132, 0.001),
        ("unscaled_dead_share", 0.14, 0.005),
        ("scaled_dead_share", 0.0, 1e-9),
        ("unscaled_max_weight", 0.78, 0.005),
        ("scaled_max_weight", 0.081, 0.002),
        ("unscaled_score_std", 8.0, 0.02),
        ("scaled_score_std", 1.0, 0.003),
    ):
        value, error = measured(name)
        assert abs(value - expected) < slack + 4 * error, name


def test_mean_norms_cross_between_160_and_192() -> None:
    for d_k, sign, errors in ((128, 1, 4), (160, 1, 1), (192, -1, 1), (256, -1, 4)):
        raw, raw_error = measured("unscaled_jacobian_mean", d_k=d_k, draws=100)
        scaled, scaled_error = measured("scaled_jacobian_mean", d_k=d_k, draws=100)
        assert sign * (raw - scaled) > errors * math.hypot(raw_error, scaled_error), d_k


def test_most_rows_are_dead_in_a_wide_head() -> None:
    value, error = measured("unscaled_dead_share_by_d_k", 3)
    assert abs(value - 0.65) < 0.01 + 4 * error


def test_the_scale_changes_neither_order_nor_finiteness() -> None:
    assert measured("same_top_key") == (1.0, 0.0)
    assert measured("unscaled_non_finite") == (0.0, 0.0)


def test_a_head_of_width_one_needs_no_scale() -> None:
    for name in ("entropy", "max_weight", "jacobian_median", "score_std"):
        raw, scaled = (
            measured(f"{kind}_{name}", d_k=1, seq_len=10) for kind in ("unscaled", "scaled")
        )
        assert raw == scaled


def test_the_lists_agree_with_the_head_asked_for() -> None:
    assert measured("unscaled_entropy_by_d_k", 1) == measured("unscaled_entropy")
    assert measured("unscaled_entropy_by_d_k", 2) == measured("unscaled_entropy", d_k=256)


def test_reports_grow_and_never_take_back() -> None:
    reports = run(d_k=32)
    assert [r.status for r in reports[:-1]] == ["partial"] * (len(reports) - 1)
    assert reports[-1].status == "final"
    sizes = [len(r.curves[0].x) if r.curves else 0 for r in reports]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 5  # the four of the list, and 32
    for before, after in pairwise(reports):
        assert before.metrics.keys() <= after.metrics.keys()


def test_every_width_is_shown_from_two_draws_with_their_error() -> None:
    early, last = run(d_k=32)[1], run(d_k=32)[-1]
    assert early.metrics.keys() == last.metrics.keys()
    for name in ("unscaled_entropy_by_d_k", "scaled_jacobian_mean_by_d_k"):
        for at in range(4):
            error = early.metrics[name].error(at)
            assert error is not None
            assert error > 0
            value = early.metrics[name].scalar(at)
            # two draws know their error badly; four times as many draws halve it
            assert value == pytest.approx(last.metrics[name].scalar(at), rel=0.15)


def test_every_draw_counts_once_however_large_the_blocks() -> None:
    settings = {"seq_len": 300, "d_k": 16, "draws": 5}  # several blocks of draws
    histogram = next(h for h in run(**settings)[-1].histograms)
    assert [sum(series.values) for series in histogram.series] == [1500, 1500]


@pytest.mark.parametrize(
    "settings", [{"seed": 5, "d_k": 7}, {"d_k": 1, "seq_len": 2, "draws": 2}, {"d_k": 700}]
)
def test_the_check_agrees_elsewhere(settings: dict[str, Any]) -> None:
    params = attention_entropy.Params(**settings)
    ctx = RunContext("attention_entropy", attention_entropy.METRICS, params, "cpu")
    last = list(attention_entropy.run(params, ctx))[-1]
    wanted = attention_entropy.check(params, ctx)
    checked = compare(last.metrics, wanted, ctx.dtype, attention_entropy.METHOD)
    assert checked.ok, checked


def test_too_large_a_run_is_refused_in_words() -> None:
    with pytest.raises(ValidationError, match="lower draws or seq_len"):
        attention_entropy.Params(seq_len=512, draws=100)
    with pytest.raises(ValidationError, match="lower draws, seq_len or d_k"):
        attention_entropy.Params(d_k=4096, draws=100)


def test_the_summary_quotes_the_run() -> None:
    last = run()[-1]
    assert last.summary is not None
    entropy = f"{last.metrics['unscaled_entropy'].scalar():.3f}"
    assert entropy in last.summary.to("en")
    assert entropy in last.summary.to("zh")
