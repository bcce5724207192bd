"""Masks: what hides, what leaks, and how far NaN spreads."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import masks
from quizapp.lab.maths import masks as maths
from quizapp.lab.maths.masks import METHODS, Layout
from quizapp.report import Report


def context(params: masks.Params) -> RunContext:
    return RunContext("masks", masks.METRICS, params, "cpu")


@cache
def reports(**settings: Any) -> list[Report]:
    params = masks.Params(**settings)
    return list(masks.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


def by_method(name: str, method: maths.Method, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[f"{name}_by_method"].scalar(METHODS.index(method))


@pytest.mark.parametrize(
    ("mask", "dtype", "method"),
    list(product(("causal", "padding"), ("float64", "float32", "float16", "bfloat16"), METHODS)),
)
def test_the_check_agrees(mask: str, dtype: str, method: str) -> None:
    settings = {"mask": mask, "dtype": dtype, "method": method, "hidden_rows": 3, "draws": 6}
    params = masks.Params(**settings)
    ctx = context(params)
    found = compare(
        reports(**settings)[-1].metrics, masks.check(params, ctx), ctx.dtype, masks.METHOD
    )
    assert found.ok, found


@pytest.mark.parametrize("kind", ["causal", "padding"])
def test_exact_masking_is_pytorch_s_own(kind: maths.MaskKind) -> None:
    layout = Layout(kind, 9, padding=3, hidden_rows=0)
    visible = layout.visible("cpu")
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randn(2, 9, 8, generator=generator, dtype=torch.float64) for _ in "qkv")
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    ctx = context(masks.Params())
    for method in ("minus_inf", "add_inf", "minus_1e9", "renormalise"):
        torch.testing.assert_close(maths.attend(method, ctx, (q, k, v), visible)[0], expected)
    if kind == "causal":
        causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(causal, expected)


def test_only_what_leaves_no_hidden_sum_hides() -> None:
    for method in ("minus_inf", "add_inf", "minus_1e9", "minus_1e4"):
        assert by_method("leak", method) == 0
    assert 0 < by_method("leak", "renormalise") < 1e-5
    small, after, multiplied, none = (
        by_method("leak", method) for method in ("minus_10", "after", "multiply", "none")
    )
    assert 1e-5 < small < after < multiplied < none


def test_zeroed_after_the_softmax_rows_lose_their_sum() -> None:
    assert by_method("row_sum", "after") == pytest.approx(0.5, abs=0.05)
    for method in METHODS:
        if method != "after":
            assert by_method("row_sum", method) == pytest.approx(1, abs=1e-5)


def test_a_small_penalty_gives_way_to_a_loud_token() -> None:
    quiet, loud = (value("leak", method="minus_10", replaced_std=std) for std in (1, 16))
    assert loud > 100 * quiet
    assert value("leak", method="minus_1e4", replaced_std=16) == 0


def test_zero_padding_takes_the_weight_of_a_score_of_zero() -> None:
    """exp(0) = 1 beside the mean e^½ of exp(N(0,1)): p pads among n − p keys."""
    found = reports(mask="padding", method="none", draws=200)[-1].metrics["hidden_weight"]
    error = found.error()
    assert error is not None
    # The mean of a ratio is not the ratio of the means; 0.02 covers that at 12 keys.
    assert found.scalar() == pytest.approx(4 / (4 + 12 * math.exp(0.5)), abs=0.02 + 3 * error)
    # Multiplying a score of 0 by 0 changes nothing.
    assert value("hidden_weight", mask="padding", method="multiply", draws=200) == pytest.approx(
        found.scalar(), rel=1e-5
    )


def test_nan_needs_infinity_in_a_fully_hidden_row() -> None:
    assert value("nan_output", hidden_rows=2) == 2 / 16
    assert value("nan_output", hidden_rows=2, method="minus_1e9") == 0
    assert value("hidden_row_sum", hidden_rows=2, method="minus_1e9") == pytest.approx(1)
    half = {"hidden_rows": 2, "method": "minus_1e9", "dtype": "float16"}
    assert value("number_added", **half) == -math.inf
    assert value("fill_refused", **half) == 1
    assert value("nan_output", **half) == 2 / 16
    assert value("fill_refused", hidden_rows=2, method="minus_1e9", dtype="bfloat16") == 0
    assert value("nan_output", hidden_rows=2, method="minus_1e9", dtype="bfloat16") == 0


def test_leaving_the_row_out_of_the_loss_does_not_save_the_gradients() -> None:
    for loss in ("all", "visible"):
        settings = {"hidden_rows": 2, "loss_rows": loss}
        assert value("nan_v_grad", **settings) == 1
        assert value("nan_q_grad", **settings) == value("nan_k_grad", **settings) == 0
        assert value("nan_q_grad", method="add_inf", **settings) == 2 / 16
        assert value("nan_k_grad", method="add_inf", **settings) == 1


def test_the_chosen_way_is_the_one_of_the_list() -> None:
    for method in METHODS:
        for name in ("leak", "row_sum", "output_error"):
            assert value(name, method=method) == by_method(name, method)


def test_the_curve_falls_by_the_penalty() -> None:
    curve = next(c for c in reports()[-1].curves if c.id == "leak_by_penalty")
    values = curve.series[0].values
    assert values[0] == pytest.approx(by_method("leak", "none"), abs=0.15)
    assert list(values) == sorted(values, reverse=True)
    assert values[-1] < 1e-8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seq_len": 4, "hidden_rows": 3}, "none is left to judge"),
        ({"seq_len": 4, "mask": "padding", "padding": 4}, "none is left to judge"),
        ({"seq_len": 256, "draws": 100}, "at most 250,000"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        masks.Params(**settings)
