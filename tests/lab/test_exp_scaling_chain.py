"""The derivation and the chain: figures that are known, assumptions broken one at a time."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from quizapp.lab.context import RunContext
from quizapp.lab.experiment import Tolerant
from quizapp.lab.experiments import scaling_chain
from quizapp.report import Report


def context(params: scaling_chain.Params) -> RunContext:
    return RunContext("scaling_chain", scaling_chain.METRICS, params, "cpu")


@cache
def reports(**settings: Any) -> list[Report]:
    params = scaling_chain.Params(**settings)
    return list(scaling_chain.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


def within(name: str, expected: float, **settings: Any) -> None:
    """The metric is within four standard errors of what theory says."""
    measured = reports(**settings)[-1].metrics[name]
    error = measured.error()
    assert error is not None
    assert abs(measured.scalar() - expected) <= 4 * error + 1e-12, (name, measured.value, error)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"mean": 1.0},
        {"d_k": 16, "shared": 0.5, "std": 2.0, "seed": 4},
        {"d_k": 256, "correlation": 0.5, "keys": 32, "draws": 8},
        {"d_k": 1024, "keys": 16, "draws": 8, "pairs": 100},
    ],
)
def test_check_finds_the_same_numbers(settings: dict[str, Any]) -> None:
    params = scaling_chain.Params(**settings)
    reference = scaling_chain.check(params, context(params))
    assert set(scaling_chain.METRICS) - set(reference) == {"covariance_share"}
    for name, expected in reference.items():
        assert isinstance(expected, float)
        usual = 2e-4 * max(abs(expected), 1e-6)
        tolerance = expected.tolerance if isinstance(expected, Tolerant) else usual
        assert abs(value(name, **settings) - expected) <= tolerance, name


def test_the_whiteboard_holds_under_its_assumptions() -> None:
    for name, expected in (
        ("term_mean", 0.0),
        ("mean_product", 0.0),
        ("square_product", 1.0),
        ("term_variance", 1.0),
        ("sum_of_variances", 64.0),
        ("covariance_sum", 0.0),
        ("score_variance", 64.0),
        ("scaled_variance", 1.0),
    ):
        within(name, expected)


def test_each_broken_assumption_shows_in_its_own_step() -> None:
    # mean 1: E[qk] = 1, Var(qk) = E[q²]E[k²] − 1 = 3; the terms stay independent
    within("term_mean", 1.0, mean=1.0, keys=8)
    within("term_variance", 3.0, mean=1.0, keys=8)
    within("covariance_sum", 0.0, mean=1.0, keys=8)
    within("score_variance", 192.0, mean=1.0, keys=8)
    # q dependent on k: E[qk] = ρ where E[q]E[k] = 0, Var(qk) = 1 + ρ²
    within("term_mean", 0.5, correlation=0.5, keys=8)
    within("mean_product", 0.0, correlation=0.5, keys=8)
    within("term_variance", 1.25, correlation=0.5, keys=8)
    # dimensions dependent: each term is as before, and Cov = r² for each of d_k(d_k − 1) pairs
    within("term_variance", 1.0, shared=0.5, keys=8)
    within("covariance_sum", 64 * 63 * 0.25, shared=0.5, keys=8)
    # variance 4: every term 16
    within("score_variance", 64 * 16.0, std=2.0, keys=8)


def test_variance_splits_exactly_into_variances_and_covariances() -> None:
    for settings in ({}, {"shared": 0.5}):
        parts = value("sum_of_variances", **settings) + value("covariance_sum", **settings)
        assert parts == pytest.approx(value("score_variance", **settings), rel=1e-5)


def test_published_figures_at_64() -> None:
    within("raw_score_std", 8.0)
    within("scaled_score_std", 1.0)
    within("raw_entropy", 0.65)
    assert value("scaled_entropy") == pytest.approx(4.125, abs=0.01)
    assert value("raw_jacobian_median") == pytest.approx(0.23, abs=0.04)
    assert value("scaled_jacobian_median") == pytest.approx(0.148, abs=0.003)
    within("raw_dead_share", 0.14)
    assert value("scaled_dead_share") == 0
    within("raw_dead_share", 0.65, d_k=1024)


def test_the_gradient_at_q_is_larger_unscaled_until_the_rows_saturate() -> None:
    assert value("raw_query_gradient") > 3 * value("scaled_query_gradient")
    assert value("raw_query_gradient_p10") < value("scaled_query_gradient_p10") / 3
    assert value("raw_query_gradient", d_k=1024) < value("scaled_query_gradient", d_k=1024) / 3


def test_gradient_at_q_is_the_slope_of_the_loss() -> None:
    """Against a central difference of L = Σ u·weights in float64, one row of one draw."""
    params = scaling_chain.Params(draws=8, keys=8, d_k=4)
    ctx = context(params)
    medians = []
    for draw in range(8):
        q = ctx.normal64(f"row_q.{draw}", 8, 4)
        k = ctx.normal64(f"row_k.{draw}", 8, 4)
        u = ctx.normal64(f"upstream.{draw}", 8, 8)

        def loss(
            q: np.ndarray[Any, np.dtype[np.float64]], k: Any = k, u: Any = u
        ) -> np.ndarray[Any, np.dtype[np.float64]]:
            powers = np.exp(q @ k.T / 2)
            return np.asarray((u * powers).sum(-1) / powers.sum(-1))

        step = 1e-5
        slopes = [(loss(q + e) - loss(q - e)) / (2 * step) for e in step * np.eye(4)]
        medians.append(np.sqrt(np.square(slopes).sum(0)))
    assert value("scaled_query_gradient", draws=8, keys=8, d_k=4) == pytest.approx(
        np.median(medians), rel=1e-4
    )


def test_the_report_fills_up() -> None:
    parts = reports()
    assert [part.status for part in parts] == ["partial"] * (len(parts) - 1) + ["final"]
    sizes = [len(part.metrics) for part in parts]
    assert sizes == sorted(sizes)
    last = parts[-1]
    assert [table.id for table in last.tables] == ["links", "widths"]
    assert len(last.tables[1].rows) == len(scaling_chain.SWEEP)
    assert len(last.trace) == 4
    curve = last.plot("gradients")
    assert curve is not None


def test_a_log_axis_never_gets_a_zero() -> None:
    last = reports(correlation=0.5, keys=32, draws=8)[-1]
    curve = next(curve for curve in last.curves if curve.id == "gradients")
    assert all(math.isfinite(math.log(v)) for series in curve.series for v in series.values)
