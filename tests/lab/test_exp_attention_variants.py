"""Attention's variants: what the scale does in each, what each costs, how far each sees."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import attention_variants
from quizapp.lab.maths import variants
from quizapp.lab.maths.products import Products
from quizapp.lab.maths.variants import VARIANTS, Pattern, Variant
from quizapp.report import Report

SMALL: dict[str, Any] = {"seq_len": 64, "window": 6, "top_k": 5, "draws": 3}


def context(params: attention_variants.Params) -> RunContext:
    return RunContext("attention_variants", attention_variants.METRICS, params, "cpu")


@cache
def reports(**settings: Any) -> list[Report]:
    params = attention_variants.Params(**SMALL | settings)
    return list(attention_variants.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


def each(name: str, variant: Variant, **settings: Any) -> float:
    found = reports(**settings)[-1].metrics[f"{name}_by_variant"]
    return found.scalar(VARIANTS.index(variant))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"scale": "dropped", "correlation": 0.5},
        {"d_k": 3, "seed": 4},  # some queries have no positive feature at all
        {"d_k": 100, "window": 0, "top_k": 64, "layers": 1},
    ],
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_check_agrees(variant: Variant, settings: dict[str, Any]) -> None:
    chosen = {**settings, "variant": variant}
    params = attention_variants.Params(**SMALL | chosen)
    ctx = context(params)
    reference = attention_variants.check(params, ctx)
    found = compare(reports(**chosen)[-1].metrics, reference, ctx.dtype, attention_variants.METHOD)
    assert found.ok, found


def test_cheap_routes_are_the_dense_weights() -> None:
    for variant in VARIANTS:
        for settings in ({}, {"scale": "dropped", "d_k": 5}):
            assert value("route_difference", variant=variant, **settings) < 1e-14, variant


def test_the_scale_cancels_for_normalised_relu_alone() -> None:
    assert each("scale_change", "linear_relu") == 0  # 1/8: a power of two rounds nothing
    assert each("scale_change", "linear_relu", d_k=50) < 1e-15
    assert each("entropy_scaled", "linear_relu") == each("entropy_unscaled", "linear_relu")
    assert each("output_ratio", "linear_relu_raw") == 8
    assert 0.01 < each("scale_change", "linear_elu") < 0.2
    assert 1.05 < each("output_ratio", "linear_elu_raw") < 2
    for variant in ("full", "window", "top_k"):
        assert each("scale_change", variant) > 0.5
        assert each("entropy_unscaled", variant) < each("entropy_scaled", variant) - 1


def test_the_scale_does_not_choose_the_best_keys_but_how_much_they_hold() -> None:
    kept, dropped = ({"variant": "top_k", "scale": scale} for scale in ("kept", "dropped"))
    assert value("keys_used", **kept) == value("keys_used", **dropped) == 5
    assert value("reach", **kept) == value("reach", **dropped)
    assert value("mass_kept", **kept) < 0.5
    assert value("mass_kept", **dropped) > 0.9


def test_multiply_adds_grow_with_the_length_as_they_should() -> None:
    for variant, growth in (("full", 16), ("linear_relu", 4), ("window", 4)):
        short, long = (value("multiply_adds", variant=variant, seq_len=n) for n in (64, 256))
        assert long == growth * short, variant
    # Top-k saves only the second product: the scores that choose are all computed.
    assert 1.8 < value("cost_ratio", variant="top_k", seq_len=256) < 2
    assert value("cost_ratio", variant="linear_relu_raw", d_k=64, seq_len=64) == 1


def test_products_are_counted_once_each() -> None:
    a, b = torch.zeros(2, 3, 4), torch.zeros(2, 4, 5)
    with Products() as counted:
        _ = a @ b
        _ = a[0] @ b[0]
        _ = torch.relu(a) + 1
    assert counted.multiply_adds == 2 * 3 * 4 * 5 + 3 * 4 * 5


def test_a_window_reaches_one_window_further_with_each_layer() -> None:
    for layers in (1, 2, 4):
        assert value("reach", variant="window", layers=layers) == 6 * layers
    assert value("reach", variant="window", layers=32) == 63
    assert value("keys_used", variant="window") == pytest.approx(13 - 2 * 21 / 64)


def test_causal_order_of_products_is_what_makes_it_linear() -> None:
    """φ(Q)(φ(K)ᵀV) keeps d_k × d_v numbers, however long the sequence."""
    ctx = context(attention_variants.Params())
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, 7, 3, generator=generator, dtype=torch.float64) for _ in "qkv")
    found = variants.cheap("linear_elu", ctx, (q, k, v), 1.0, Pattern(1, 1))
    queries, keys = (torch.nn.functional.elu(x) + 1 for x in (q, k))
    for i in range(7):
        weights = torch.stack([queries[0, i] @ keys[0, j] for j in range(7)])
        torch.testing.assert_close(found[0, i], weights @ v[0] / weights.sum())


def test_curves_show_the_flat_line_and_the_slopes() -> None:
    curves = {curve.id: curve for curve in reports()[-1].curves}
    by_name = {s.name.to("en"): s.values for s in curves["entropy_by_factor"].series}
    assert max(by_name["linear, ReLU"]) - min(by_name["linear, ReLU"]) < 1e-12
    assert list(by_name["full softmax"]) == sorted(by_name["full softmax"], reverse=True)
    costs = {s.name.to("en"): s.values for s in curves["cost_by_length"].series}
    assert costs["full softmax"][-1] / costs["full softmax"][-2] == 16
    assert costs["linear, ReLU"][-1] / costs["linear, ReLU"][-2] == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seq_len": 16, "top_k": 32, "window": 4}, "top_k may be at most that"),
        ({"seq_len": 1024, "draws": 10}, "at most 4,000,000"),
        ({"seq_len": 512, "window": 128, "d_k": 256, "draws": 2}, "2·window"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        attention_variants.Params(**SMALL | settings)
