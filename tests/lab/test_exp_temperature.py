"""Temperature: entropy, gradient and samples, and √d_k as one temperature among others."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.attention import jacobian_norm
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import temperature
from quizapp.lab.maths.temperature import Sharpened
from quizapp.report import Report


def context(params: temperature.Params) -> RunContext:
    return RunContext("temperature", temperature.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = temperature.Params(**settings)
    return list(temperature.run(params, context(params)))[-1]


def value(name: str, **settings: Any) -> float:
    return last(**settings).metrics[name].scalar()


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.05},
        {"temperature": 1.0},
        {"temperature": 1000.0},
        {"seq_len": 2, "d_k": 1, "samples": 2},
        {"d_k": 300, "temperature": 300**0.5, "samples": 1000},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = temperature.Params(**settings, draws=4)
    ctx = context(params)
    measured = last(**settings, draws=4).metrics
    found = compare(measured, temperature.check(params, ctx), ctx.dtype, temperature.METHOD)
    assert found.ok, found


def test_the_root_of_d_k_is_attention_s_temperature() -> None:
    for d_k in (16, 64):
        settings = {"d_k": d_k, "temperature": math.sqrt(d_k)}
        assert value("scaled_difference", **settings) < 1e-12
        assert value("scaled_std", **settings) == pytest.approx(1, abs=0.03)
    assert value("scaled_difference", temperature=4.0) > 0.1


def test_entropy_agrees_with_scaled_and_raw_attention() -> None:
    """4.12 to 4.13 nats scaled, 0.65 raw, at d_k = 64 and 100 keys."""
    for t, low, high in ((8.0, 4.12, 4.14), (1.0, 0.5, 0.8)):
        assert low <= value("entropy", temperature=t) <= high
    assert value("jacobian_median", temperature=1.0) == pytest.approx(0.23, abs=0.08)
    assert value("jacobian_median", temperature=8.0) == pytest.approx(0.148, abs=0.005)


def test_it_flattens_and_never_reorders() -> None:
    names = ("entropy", "max_weight", "distinct")
    entropy, weight, distinct = (last().metrics[f"{name}_by_factor"].value for name in names)
    for rising in (entropy, distinct):
        assert isinstance(rising, tuple)
        assert list(rising) == sorted(rising)
    assert isinstance(weight, tuple)
    assert list(weight) == sorted(weight, reverse=True)
    for t in (0.05, 1.0, 8.0, 1000.0):
        assert value("top_kept", temperature=t) == 1
    assert value("entropy", temperature=1000.0) == pytest.approx(math.log(100), abs=1e-3)
    assert value("max_weight", temperature=0.05) > 0.98


def test_the_typical_gradient_fades_at_both_ends() -> None:
    cold, own, hot = (value("raw_gradient_median", temperature=t) for t in (0.05, 2.0, 1000.0))
    assert own > 100 * max(cold, hot)
    # Few rows close to a tie carry the mean, long after the typical row has saturated.
    assert value("raw_gradient_mean", temperature=0.05) > 1e3 * cold


def test_the_gradient_is_that_of_the_raw_scores() -> None:
    generator = torch.Generator().manual_seed(0)
    row = torch.randn(6, generator=generator, dtype=torch.float64)
    row.requires_grad_()
    weights = (row / 3).softmax(-1)
    jacobian = torch.stack(
        [torch.autograd.grad(p, row, retain_graph=True)[0] for p in weights.unbind()]
    )
    expected = jacobian_norm(weights.detach()) / 3
    assert jacobian.norm().item() == pytest.approx(expected.item(), rel=1e-12)
    found = Sharpened.of(row.detach().expand(2, 1, 6), 3.0, 5).summary()["raw_gradient_mean"]
    assert found[0] == pytest.approx(expected.item(), rel=1e-12)


def test_distinct_keys_are_what_sampling_finds() -> None:
    generator = torch.Generator().manual_seed(0)
    row = torch.randn(10, generator=generator, dtype=torch.float64)
    found = Sharpened.of(row.expand(2, 1, 10), 0.7, 6).summary()
    drawn = torch.multinomial(
        (row / 0.7).softmax(-1).expand(20_000, -1), 6, replacement=True, generator=generator
    )
    distinct = torch.tensor([len(set(line)) for line in drawn.tolist()]).double()
    error = distinct.std().item() / math.sqrt(len(distinct))
    assert found["distinct"][0] == pytest.approx(distinct.mean().item(), abs=4 * error)
    same = (drawn[:, 0] == drawn[:, 1]).double()
    assert found["agree"][0] == pytest.approx(same.mean().item(), abs=0.015)
    uniform = Sharpened.of(torch.zeros(2, 1, 10, dtype=torch.float64), 1.0, 2).summary()
    assert uniform["nucleus"][0] in (9, 10)  # nine keys hold 0.9, give or take rounding
    assert uniform["distinct"][0] == pytest.approx(1.9)


def test_the_curves_peak_where_the_metrics_say() -> None:
    curve = next(c for c in last().curves if c.id == "gradients")
    for name, series in zip(("jacobian_peak", "raw_gradient_peak"), curve.series, strict=True):
        assert curve.x[series.values.index(max(series.values))] == value(name)
        assert curve.x[0] < value(name) < curve.x[-1]


def test_limits_are_told() -> None:
    with pytest.raises(ValidationError, match="at most 1,000,000"):
        temperature.Params(seq_len=512, draws=20)
