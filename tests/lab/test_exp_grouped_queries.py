"""Shared keys and values: bytes, exact decoding, and what pooling them costs."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import grouped_queries as gqa
from quizapp.lab.maths import grouped_queries as maths
from quizapp.report import Report


def context(params: gqa.Params) -> RunContext:
    return RunContext("grouped_queries", gqa.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = gqa.Params(**settings)
    return list(gqa.run(params, context(params)))[-1]


def value(name: str, **settings: Any) -> float:
    return last(**settings).metrics[name].scalar()


def drawn(heads: int, groups: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    q, k, v = (
        torch.randn(2, n, 9, 5, generator=generator, dtype=torch.float64)
        for n in (heads, groups, groups)
    )
    return q, k, v


@pytest.mark.parametrize(
    "settings",
    [
        {"heads": 6, "kv_heads": 3, "pooling": "first", "layout": "repeat"},
        {"heads": 6, "kv_heads": 2, "correlation": 0.5, "layout": "repeat", "dtype": "float64"},
        {"heads": 4, "kv_heads": 4},
        {"heads": 4, "kv_heads": 1, "correlation": 1.0},
        {"heads": 1, "kv_heads": 1, "seq_len": 7, "d_k": 3},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = gqa.Params(**{"draws": 4, "seq_len": 20, **settings})
    ctx = context(params)
    report = list(gqa.run(params, ctx))[-1]
    found = compare(report.metrics, gqa.check(params, ctx), ctx.dtype, gqa.METHOD)
    assert found.ok, found


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_groups_are_pytorch_s_own(groups: int) -> None:
    q, k, v = drawn(6, groups)
    ctx = context(gqa.Params())
    output, _ = maths.grouped(ctx, q, k, v, maths.causal(9, "cpu"))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    torch.testing.assert_close(output, expected)
    stepwise, cache_, _ = maths.decode(ctx, q, k, v)
    torch.testing.assert_close(stepwise, expected)
    torch.testing.assert_close(cache_.k, k)
    many_k, many_v = (maths.repeated(x, 6, "repeat_interleave") for x in (k, v))
    torch.testing.assert_close(
        F.scaled_dot_product_attention(q, many_k, many_v, is_causal=True), expected
    )


def test_the_cache_shrinks_by_the_group_and_the_work_does_not() -> None:
    held = [value("cache_bytes", kv_heads=g) for g in (1, 2, 4, 8)]
    assert held == [held[0] * n for n in (1, 2, 4, 8)]
    assert list(last().metrics["bytes_by_kv_heads"].value) == held  # type: ignore[arg-type]
    assert held[-1] == value("cache_bytes_mha") == value("copied_bytes")
    assert last(kv_heads=2).metrics["cache_shape"].value == (2, 64, 64)
    work = {value("step_products", kv_heads=g) for g in (1, 2, 8)}
    assert work == {value("step_products_mha")} == {2 * 8 * 64 * 64}
    assert value("products_per_byte", kv_heads=1) == 8 * value("products_per_byte", kv_heads=8)


def test_decoding_is_exact_whatever_is_shared() -> None:
    for groups in (1, 2, 8):
        assert value("decode_error", kv_heads=groups) < 1e-6
        assert value("decode_error", kv_heads=groups, dtype="float64") < 1e-14
        assert value("copy_error", kv_heads=groups) < 1e-6


def test_repeat_gives_heads_the_wrong_group() -> None:
    assert value("copy_error", layout="repeat") > 0.3
    # With one group, and with one head each, both orders are the same.
    assert value("copy_error", layout="repeat", kv_heads=1) < 1e-6
    assert value("copy_error", layout="repeat", kv_heads=8) < 1e-6


def test_heads_of_a_group_look_in_different_places() -> None:
    assert value("group_distance") > 0.1
    assert value("group_distance", kv_heads=8) == 0


def test_pooling_costs_what_the_heads_differ_by() -> None:
    assert value("pooling_error", kv_heads=8) == 0
    assert value("pooling_error", correlation=1.0) < 1e-6
    errors = [value("pooling_error", correlation=c) for c in (0.0, 0.5, 0.9)]
    assert errors == sorted(errors, reverse=True)
    for correlation in (0.0, 0.5, 0.9):
        mean, first = (
            value("pooling_error", correlation=correlation, pooling=how)
            for how in ("mean", "first")
        )
        assert mean < first
    curve = last().curves[0].series[0].values
    assert list(curve) == sorted(curve, reverse=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"heads": 8, "kv_heads": 3}, "must be one of 1, 2, 4, 8"),
        ({"heads": 32, "seq_len": 512, "draws": 10}, "heads × seq_len² may be at most 3,000,000"),
        ({"heads": 32, "seq_len": 90, "d_k": 128, "draws": 11}, "× d_k may be at most 4,000,000"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        gqa.Params(**settings)
