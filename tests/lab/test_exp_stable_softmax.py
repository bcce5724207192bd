"""Stable softmax: where exp leaves each format, and which way of writing it survives."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import stable_softmax
from quizapp.lab.maths import stable_softmax as maths
from quizapp.lab.maths.stable_softmax import DTYPES, WAYS
from quizapp.lab.second_way.formats import FORMATS
from quizapp.report import Report


def context(params: stable_softmax.Params) -> RunContext:
    return RunContext("stable_softmax", stable_softmax.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = stable_softmax.Params(**settings)
    return list(stable_softmax.run(params, context(params)))[-1]


def value(name: str, **settings: Any) -> float:
    return last(**settings).metrics[name].scalar()


@pytest.mark.parametrize(
    ("dtype", "std", "shift"), list(product(DTYPES, (1.0, 8.0, 32.0, 200.0), (0.0, 100.0, -150.0)))
)
def test_the_check_agrees(dtype: str, std: float, shift: float) -> None:
    settings = {"dtype": dtype, "logit_std": std, "shift": shift, "draws": 4}
    params = stable_softmax.Params(**settings)
    ctx = context(params)
    reference = stable_softmax.check(params, ctx)
    found = compare(last(**settings).metrics, reference, ctx.dtype, stable_softmax.METHOD)
    assert found.ok, found


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_edges_are_the_last_logits_of_their_format(dtype: maths.Dtype) -> None:
    kind = getattr(torch, dtype)
    over, under = maths.overflow_logit(dtype, "cpu"), maths.underflow_logit(dtype, "cpu")
    edge = torch.tensor([over, under], dtype=torch.float64).to(kind)
    assert edge.tolist() == [over, under]
    beyond = torch.nextafter(edge, torch.full_like(edge, math.inf))
    assert edge.exp()[0].isfinite()
    assert beyond.exp()[0].isinf()
    assert edge.exp()[1] == 0
    assert beyond.exp()[1] > 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_rounding_by_hand_is_the_library_s(dtype: str) -> None:
    powers = np.linspace(-160, 140, 4001)
    signs = np.where(np.arange(4001) % 2, 1.0, -1.0)
    x = np.concatenate([signs * 2.0**powers, [0.0, 65519.0, 65520.0, 2048.5, 2049.0, 2051.0]])
    expected = torch.from_numpy(x).to(getattr(torch, dtype)).double().numpy()
    np.testing.assert_array_equal(FORMATS[dtype].round(x), expected)


def test_every_way_is_softmax_where_nothing_overflows() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(50, 20, generator=generator, dtype=torch.float64)
    for way in WAYS:
        found = maths.softmax(way, x, 709.0)
        tolerance = 1e-5 if way == "epsilon" else 1e-14
        torch.testing.assert_close(found, x.softmax(-1), rtol=tolerance, atol=0)
        assert not maths.broken(found).any()


def test_only_the_maximum_saves_every_row() -> None:
    for dtype in ("float16", "float32"):
        assert value("max_broken", dtype=dtype) == 0
        assert value("naive_broken", dtype=dtype) > 0.2
        assert value("mean_broken", dtype=dtype) > 0.2
        assert value("epsilon_broken", dtype=dtype) >= value("naive_broken", dtype=dtype)
        assert value("clamp_broken", dtype=dtype) == 0
        assert value("clamp_error", dtype=dtype) > 1000 * value("max_error", dtype=dtype)


def test_a_shift_breaks_the_naive_way_alone() -> None:
    for shift, share in ((100.0, "overflow_share"), (-150.0, "underflow_share")):
        settings = {"logit_std": 1.0, "shift": shift}
        assert value("naive_broken", **settings) == value(share, **settings) == 1
        assert value("max_broken", **settings) == value("mean_broken", **settings) == 0


def test_the_logarithm_of_softmax_is_infinite_where_log_softmax_is_not() -> None:
    assert value("log_infinite") == value("zero_share") > 0.1
    assert value("log_softmax_infinite") == 0


def test_log_sum_exp_rounds_away_the_sum_in_bfloat16() -> None:
    """Near 100 its neighbours are half apart, and e^½ is far from 1."""
    settings = {"dtype": "bfloat16", "logit_std": 1.0, "shift": 100.0}
    assert value("lse_broken", **settings) > 0.3
    assert value("max_broken", **settings) == 0


def test_a_sum_may_overflow_where_no_exp_does() -> None:
    settings = {"dtype": "float16", "logit_std": 0.1, "shift": 9.0}
    assert value("overflow_share", **settings) == 0
    assert value("zero_rows", **settings) == value("naive_broken", **settings) == 1
    assert value("nan_share", **settings) == 0


def test_the_curve_rises_with_the_scale_and_falls_with_the_range() -> None:
    (curve,) = last().curves
    lines = {series.name.to("en"): series.values for series in curve.series}
    assert list(lines["float32"]) == sorted(lines["float32"])
    for narrow, wide in (("float16", "float32"), ("float32", "float64")):
        assert all(a >= b for a, b in zip(lines[narrow], lines[wide], strict=True))
    assert lines["float64"][0] == 0
    assert lines["float16"][-1] == 1


def test_limits_are_told() -> None:
    with pytest.raises(ValidationError, match="at most 2,000,000"):
        stable_softmax.Params(keys=4096, rows=4096)
