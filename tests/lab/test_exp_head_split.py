"""Heads of one model width: each needs the scale of its own width."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import attention_entropy, head_split
from quizapp.lab.wording import head_split as wording
from quizapp.report import Report


def context(params: head_split.Params) -> RunContext:
    return RunContext("head_split", head_split.METRICS, params, "cpu")


@cache
def run(**settings: Any) -> tuple[Report, ...]:
    params = head_split.Params(**settings)
    return tuple(head_split.run(params, context(params)))


def measured(name: str, index: int | None = None, **settings: Any) -> tuple[float, float]:
    metric = run(**settings)[-1].metrics[name]
    return metric.scalar(index), metric.error(index) or 0.0


def test_a_head_of_64_has_scores_of_std_8_and_needs_its_own_scale() -> None:
    assert measured("head_width") == (64.0, 0.0)
    for name, expected, slack in (
        ("unscaled_score_std", 8.0, 0.0),
        ("scaled_score_std", 1.0, 0.0),
        ("wrong_score_std", 8 / math.sqrt(512), 0.0),
        ("unscaled_entropy", 0.64, 0.005),
        ("scaled_entropy", 4.125, 0.002),
        ("unscaled_dead_share", 0.14, 0.005),
        ("scaled_jacobian_median", 0.148, 0.001),
    ):
        value, error = measured(name)
        assert abs(value - expected) < slack + 4 * error, name
    assert measured("scaled_entropy")[0] < measured("wrong_entropy")[0] < math.log(100)


def test_std_follows_the_width_of_the_head_for_every_number_of_heads() -> None:
    counts = run()[-1].metrics["head_counts"].value
    assert isinstance(counts, tuple)
    assert counts == (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
    for index, count in enumerate(counts):
        value, error = measured("unscaled_score_std_by_heads", index)
        assert abs(value - math.sqrt(512 / count)) < 4 * error


def test_a_head_is_a_head_whatever_model_it_belongs_to() -> None:
    params = attention_entropy.Params()
    ctx = RunContext("attention_entropy", attention_entropy.METRICS, params, "cpu")
    alone = list(attention_entropy.run(params, ctx))[-1].metrics
    for name in ("unscaled_entropy", "scaled_entropy", "unscaled_max_weight"):
        value, error = measured(name)
        other = alone[name]
        assert abs(value - other.scalar()) < 4 * math.hypot(error, other.error() or 0.0)


def test_the_split_is_the_usual_one() -> None:
    """Head h reads columns h·d_k … (h+1)·d_k of the same q and k."""
    params = head_split.Params(d_model=12, heads=3, seq_len=9, draws=2)
    ctx = context(params)
    stds = []
    for h in range(3):
        own = slice(4 * h, 4 * h + 4)
        variances = [
            (ctx.normal(f"q.{i}", 9, 12)[:, own] @ ctx.normal(f"k.{i}", 9, 12)[:, own].T).var()
            for i in range(2)
        ]
        stds.append(torch.stack(variances).mean().sqrt().item())
    shown = list(head_split.run(params, ctx))[-1]
    assert shown.metrics["unscaled_std_per_head"].value == pytest.approx(stds, rel=1e-5)


def test_per_head_figures_average_to_the_whole() -> None:
    per_head = run()[-1].metrics["unscaled_entropy_per_head"].value
    assert isinstance(per_head, tuple)
    assert len(per_head) == 8
    assert sum(per_head) / 8 == pytest.approx(measured("unscaled_entropy")[0])


def test_a_head_of_width_one_needs_no_scale() -> None:
    for name in ("entropy", "max_weight", "jacobian_median", "score_std"):
        raw, scaled = (
            measured(f"{kind}_{name}", d_model=4, heads=4, seq_len=10)
            for kind in ("unscaled", "scaled")
        )
        assert raw == scaled


def test_the_lists_agree_with_the_split_asked_for() -> None:
    for name in wording.BY_HEADS:
        assert measured(f"{name}_by_heads", 3) == measured(name)


def test_heads_that_are_no_power_of_two_join_the_curve_but_not_the_lists() -> None:
    shown = run(d_model=96, heads=6, seq_len=20, draws=2)[-1]
    assert shown.metrics["head_counts"].value == (1, 2, 4, 8, 16, 32)
    assert shown.metrics["head_width"].scalar() == 16
    assert shown.curves[0].x == (3, 6, 12, 16, 24, 48, 96)


def test_reports_grow_and_never_take_back() -> None:
    reports = run()
    assert [r.status for r in reports[:-1]] == ["partial"] * (len(reports) - 1)
    sizes = [len(r.curves[0].x) if r.curves else 0 for r in reports]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 10
    last = reports[-1]
    assert all(last.metrics[name] == metric for name, metric in reports[0].metrics.items())


@pytest.mark.parametrize(
    "settings",
    [
        {"d_model": 48, "heads": 12, "seq_len": 30, "seed": 2},
        {"d_model": 1, "heads": 1, "seq_len": 2, "draws": 2},
        {"d_model": 1024, "heads": 1, "draws": 2},
    ],
)
def test_the_check_agrees_elsewhere(settings: dict[str, Any]) -> None:
    params = head_split.Params(**settings)
    ctx = context(params)
    last = list(head_split.run(params, ctx))[-1]
    checked = compare(last.metrics, head_split.check(params, ctx), ctx.dtype, head_split.METHOD)
    assert checked.ok, checked


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValidationError, match="d_model 512 must be a multiple of heads 7"):
        head_split.Params(heads=7)
    with pytest.raises(ValidationError, match="lower draws, seq_len or d_model"):
        head_split.Params(d_model=4096, heads=8, draws=50)
