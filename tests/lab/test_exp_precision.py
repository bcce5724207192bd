"""Precision: rounding errors of attention and of long sums, against float64."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import precision
from quizapp.lab.maths import precision as maths
from quizapp.lab.maths.precision import DTYPES, ORDERS
from quizapp.report import Report

#: Significant bits.
BITS = {"float16": 11, "bfloat16": 8, "float32": 24}
QUICK = {"draws": 4, "terms": 1024}


def context(params: precision.Params) -> RunContext:
    return RunContext("precision", precision.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = precision.Params(**settings)
    return list(precision.run(params, context(params)))[-1]


def value(name: str, **settings: Any) -> float:
    return last(**{**QUICK, **settings}).metrics[name].scalar()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"d_k": 128, "scale_on": "scores", "entry_std": 20.0},
        {"d_k": 32, "scale_on": "split", "entry_std": 0.1, "terms": 37},
        {"seq_len": 7, "d_k": 3, "terms": 2},
    ],
)
def test_the_check_agrees(dtype: str, settings: dict[str, Any]) -> None:
    wanted = {**QUICK, "dtype": dtype, **settings}
    params = precision.Params(**wanted)
    ctx = context(params)
    found = compare(
        last(**wanted).metrics, precision.check(params, ctx), ctx.dtype, precision.METHOD
    )
    assert found.ok, found


@pytest.mark.parametrize("seed", range(4))
def test_one_rounding_that_falls_the_other_way_is_no_disagreement(seed: int) -> None:
    params = precision.Params(dtype="float16", seq_len=64, terms=16, seed=seed)
    ctx = context(params)
    measured = list(precision.run(params, ctx))[-1].metrics
    assert compare(measured, precision.check(params, ctx), ctx.dtype, precision.METHOD).ok


def test_one_rounding_is_bounded_by_the_significand() -> None:
    """Each score is rounded once at d_k = 64, where 1/√d_k is a power of two."""
    for dtype in ("float16", "bfloat16"):
        error = value(f"{dtype}_score_error")
        assert 0.2 * 2.0 ** -BITS[dtype] < error < 2.0 ** -BITS[dtype]
    assert value("float32_output_error") < 1e-6
    assert value("bfloat16_output_error") == pytest.approx(
        8 * value("float16_output_error"), rel=0.05
    )


def test_where_the_scale_goes_matters_only_off_a_power_of_two() -> None:
    assert value("q_score_error") == value("scores_score_error")
    assert value("split_score_error") > 1.5 * value("q_score_error")
    wide = {"d_k": 128}
    # Scaled after, the rounded scores are rounded again; scaled before, every q is.
    assert value("q_score_error", **wide) > 1.2 * value("q_score_error")
    assert value("scores_score_error", **wide) > 1.2 * value("q_score_error")


def test_raw_scores_leave_float16_first() -> None:
    half = {"dtype": "float16"}
    q, after, split = (value(f"overflow_std_{order}", **half) for order in ORDERS)
    assert q / after == pytest.approx(64**0.25, rel=2e-3)
    assert split == pytest.approx(q, rel=2e-3)
    loud = {**half, "entry_std": 1.5 * math.sqrt(q * after)}
    assert value("scores_nan_rows", **loud) > 0
    assert value("q_overflow_share", entry_std=math.sqrt(q * after), **half) == 0
    assert value("bfloat16_nan_rows", **loud) == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_adding_one_stalls_at_two_to_the_significand(dtype: str) -> None:
    assert maths.stall(dtype) == 2.0 ** BITS[dtype]
    if dtype != "float32":
        ones = torch.ones(1, 5000, dtype=getattr(torch, dtype))
        ctx = context(precision.Params())
        *_, (_, total) = maths.running(ones, ctx, [])
        assert total.item() == maths.stall(dtype)
        assert ones.float().sum().item() == 5000


def test_a_sum_kept_in_few_digits_loses_what_float32_keeps() -> None:
    long = {"terms": 4096}
    assert value("norm_lost", **long) > 0.3
    assert value("norm_sequential", **long) > 100 * value("norm_fp32", **long)
    assert value("norm_pairwise", **long) < 4 * value("norm_fp32", **long)
    assert value("dot_sequential", **long) > 10 * value("dot_fp32", **long)
    assert value("norm_fp32", **long) < 2.0 ** -BITS["bfloat16"]


def test_pairwise_and_running_sums_are_sums() -> None:
    generator = torch.Generator().manual_seed(0)
    terms = torch.randn(5, 77, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(maths.pairwise(terms), terms.sum(-1))
    sums = dict(maths.running(terms, context(precision.Params()), [16, 32]))
    assert list(sums) == [16, 32, 77]
    for mark, found in sums.items():
        torch.testing.assert_close(found, terms[:, :mark].sum(-1))


def test_the_curves_show_growth_and_overflow() -> None:
    curves = {curve.id: curve for curve in last(**QUICK).curves}
    growth = curves["accumulation"].series[0].values
    assert growth[-1] > 5 * growth[0]
    half, brain, single = (series.values for series in curves["error_by_std"].series)
    assert half[0] < brain[0]
    assert half[-1] > 0.1 > brain[-1] > single[-1]


def test_limits_are_told() -> None:
    with pytest.raises(ValidationError, match="at most 250,000"):
        precision.Params(seq_len=256, draws=25)
