"""Every way of scaling: what each does, and which of them are the same thing."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.errors import UsageError
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import scale_choice
from quizapp.lab.maths.scales import SCALES, Scale
from quizapp.lab.params import parse
from quizapp.lab.wording import scale_choice as wording
from quizapp.report import Report


def context(params: scale_choice.Params) -> RunContext:
    return RunContext("scale_choice", scale_choice.METRICS, params, "cpu")


@cache
def run(**settings: Any) -> Report:
    params = scale_choice.Params(**settings)
    return list(scale_choice.run(params, context(params)))[-1]


def measured(name: str, **settings: Any) -> float:
    return run(**settings).metrics[name].scalar()


def by_scale(name: str, scale: Scale, **settings: Any) -> float:
    return run(**settings).metrics[f"{name}_by_scale"].scalar(SCALES.index(scale))


@pytest.mark.parametrize(
    ("scale", "std", "entropy"),
    [
        ("none", 8.0, None),
        ("log_d_k", 8 / math.log(64), None),
        ("cbrt_d_k", 2.0, None),
        ("sqrt_d_k", 1.0, 4.125),
        ("d_k", 0.125, 4.597),
        ("sqrt_n", 0.8, None),
        ("sqrt_d_model", 8 / math.sqrt(512), None),
        ("fourth_root_each", 1.0, 4.125),
        ("sqrt_each", 0.125, 4.597),
    ],
)
def test_std_and_entropy_of_each_scale(scale: Scale, std: float, entropy: float | None) -> None:
    assert by_scale("score_std", scale) == pytest.approx(std, rel=0.015)
    if entropy is not None:
        assert by_scale("entropy", scale) == pytest.approx(entropy, abs=0.015)


def test_only_the_fourth_root_on_both_sides_is_the_same_thing() -> None:
    for scale in SCALES:
        difference = by_scale("output_difference", scale)
        if scale == "sqrt_d_k":
            assert difference == 0
        elif scale == "fourth_root_each":
            assert 0 < difference < 1e-14
        else:
            assert difference > 0.1, scale


def test_subtracting_the_maximum_is_no_scale_at_all() -> None:
    assert measured("unscaled_difference", scale="subtract_max") < 1e-12
    assert by_scale("entropy", "subtract_max") == pytest.approx(by_scale("entropy", "none"))


def test_dividing_the_values_leaves_the_weights_alone() -> None:
    for name in ("entropy", "max_weight", "jacobian_median", "dead_share"):
        assert by_scale(name, "values_only") == by_scale(name, "none")
    narrow, plain = (measured("output_std", scale=scale) for scale in ("values_only", "none"))
    assert narrow == pytest.approx(plain / 8)


def test_dividing_the_weights_breaks_the_row_sums_and_shrinks_the_gradient() -> None:
    assert measured("row_sum", scale="after_softmax") == pytest.approx(1 / 8)
    assert measured("row_sum", scale="none") == pytest.approx(1)
    shrunk, plain = (by_scale("jacobian_median", scale) for scale in ("after_softmax", "none"))
    assert shrunk == pytest.approx(plain / 8)
    assert by_scale("entropy", "after_softmax") == pytest.approx(by_scale("entropy", "none"))


def test_the_derivative_by_the_raw_score_holds_the_scale() -> None:
    params = scale_choice.Params()
    scores = torch.randn(100, generator=torch.Generator().manual_seed(1), dtype=torch.float64) * 8
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s / 8, 0), scores)  # type: ignore[no-untyped-call]
    typical = measured("raw_jacobian_median")
    assert typical == pytest.approx(measured("jacobian_median") / math.sqrt(params.d_k))
    assert typical == pytest.approx(jacobian.norm().item(), rel=0.25)


@pytest.mark.parametrize(("d_k", "diagonal"), [(64, 4.0), (1024, 16.0)])
def test_correlated_scores_outgrow_the_square_root(d_k: int, diagonal: float) -> None:
    shown = run(d_k=d_k, correlation=0.5, draws=10)
    metric = shown.metrics["diagonal_mean"]
    assert abs(metric.scalar() - diagonal) < 4 * (metric.error() or 0.0)
    assert shown.metrics["diagonal_rms"].scalar() >= metric.scalar()


def test_the_correlation_is_with_the_own_key_alone() -> None:
    own = measured("diagonal_weight", correlation=0.5)
    assert own > 0.2
    assert measured("diagonal_weight") == pytest.approx(0.01, abs=0.003)
    assert measured("diagonal_mean", correlation=1.0) == pytest.approx(8, rel=0.05)


@pytest.mark.parametrize("scale", SCALES)
def test_the_lists_agree_with_the_chosen_way(scale: Scale) -> None:
    settings: dict[str, Any] = {"seq_len": 12, "draws": 3, "d_k": 16}
    chosen = run(scale=scale, **settings).metrics
    for name in wording.BY_SCALE:
        listed = by_scale(name, scale, **settings)
        assert chosen[name].scalar() == listed, name


@pytest.mark.parametrize("scale", SCALES)
def test_the_check_agrees_for_every_way(scale: Scale) -> None:
    params = scale_choice.Params(scale=scale, seq_len=20, draws=4, d_k=128, correlation=-0.3)
    ctx = context(params)
    last = list(scale_choice.run(params, ctx))[-1]
    checked = compare(last.metrics, scale_choice.check(params, ctx), ctx.dtype, scale_choice.METHOD)
    assert checked.ok, checked


def test_a_learner_s_own_attention_is_what_is_measured() -> None:
    """Every way goes through `ctx.attention`: a uniform one makes them all alike."""

    class Uniform(RunContext):
        def attention(self, q: Any, k: Any, v: Any, **_: Any) -> Any:
            weights = torch.full((*q.shape[:-1], k.shape[-2]), 1 / k.shape[-2], dtype=q.dtype)
            return weights @ v, weights

    params = scale_choice.Params(seq_len=10, draws=2)
    ctx = Uniform("scale_choice", scale_choice.METRICS, params, "cpu")
    entropies = list(scale_choice.run(params, ctx))[-1].metrics["entropy_by_scale"].value
    assert entropies == pytest.approx([math.log(10)] * len(SCALES))


def test_curves_join_no_scale_to_d_k() -> None:
    shown = run()
    curve = next(c for c in shown.curves if c.id == "entropy_by_exponent")
    values = curve.series[0].values
    assert list(values) == sorted(values)
    assert curve.x[0] == 0
    assert curve.x[-1] == 1
    assert values[0] == pytest.approx(by_scale("entropy", "none"), abs=0.1)
    assert values[6] == pytest.approx(by_scale("entropy", "sqrt_d_k"), abs=0.05)
    assert values[-1] == pytest.approx(by_scale("entropy", "d_k"), abs=0.001)


def test_the_first_report_has_every_way_after_two_draws() -> None:
    params = scale_choice.Params()
    first, *_, last = scale_choice.run(params, context(params))
    assert first.status == "partial"
    assert set(first.metrics) == set(last.metrics)
    assert first.metrics["score_std"] != last.metrics["score_std"]


def test_unknown_scales_and_too_large_runs_are_refused() -> None:
    with pytest.raises(UsageError, match="sqrt_d_k"):
        parse("scale_choice", ["scale=sqrt"])
    with pytest.raises(ValidationError, match="at most 1,000,000"):
        scale_choice.Params(seq_len=512, draws=20)


def test_the_table_has_every_way_in_both_languages() -> None:
    table = run().tables[0]
    assert len(table.rows) == len(SCALES)
    assert {row.label.languages for row in table.rows} == {frozenset({"en", "zh"})}
