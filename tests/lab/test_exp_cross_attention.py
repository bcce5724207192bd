"""Cross-attention: what each initialiser makes of q and k, and where the scale holds."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.experiment import Tolerant
from quizapp.lab.experiments import cross_attention
from quizapp.lab.maths.projections import INITS, projections
from quizapp.lab.wording import cross_attention as wording
from quizapp.report import Report

#: Var(q), and Var(k), for unit inputs: d_model 512, 8 heads of 64.
VARIANCE = {
    "identity": 1.0,
    "xavier": 1.0,
    "xavier_narrow": 2 * 512 / (512 + 64),
    "kaiming": 2.0,
    "linear_default": 1 / 3 + 1 / (3 * 512),
    "mha_packed": 0.5,
    "gpt2": 512 * 0.02**2,
    "t5": 1 / 64,
    "too_large": 512.0,
    "too_small": 512 * 0.002**2,
}
#: T5 alone treats q and k differently.
VARIANCE_K = {**VARIANCE, "t5": 1.0}


def context(params: cross_attention.Params) -> RunContext:
    return RunContext("cross_attention", cross_attention.METRICS, params, "cpu")


@cache
def reports(**settings: Any) -> list[Report]:
    params = cross_attention.Params(**settings)
    return list(cross_attention.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


@pytest.mark.parametrize("init", INITS)
def test_variance_is_what_the_initialiser_promises(init: str) -> None:
    for name, promised in (("var_q", VARIANCE), ("var_k", VARIANCE_K)):
        measured = reports(init=init)[-1].metrics[name]
        error = measured.error()
        assert error is not None
        assert abs(measured.scalar() - promised[init]) < 4 * error, (measured.value, error)


@pytest.mark.parametrize("init", INITS)
def test_the_scale_holds_for_unit_variances_alone(init: str) -> None:
    expected = math.sqrt(VARIANCE[init] * VARIANCE_K[init])
    assert value("scaled_std", init=init) == pytest.approx(expected, rel=0.03)
    assert value("scale_holds", init=init) == float(init in ("identity", "xavier"))


def test_published_figures() -> None:
    assert value("score_std", init="mha_packed") == pytest.approx(3.95, abs=0.1)
    assert value("score_std", init="identity") == pytest.approx(8.0, abs=0.15)
    assert value("score_std", init="linear_default") == pytest.approx(2.7, abs=0.05)
    assert value("var_q", init="xavier_narrow") == pytest.approx(1.78, abs=0.02)


def test_t5_needs_no_scale_at_the_start() -> None:
    """Its W_q is smaller by √d_k, whatever the width of a head."""
    for heads in (2, 8):
        assert value("score_std", init="t5", heads=heads) == pytest.approx(1.0, rel=0.03)


def test_every_layer_is_listed_beside_the_chosen_one() -> None:
    assert tuple(INITS) == wording.LAYERS
    last = reports(init="xavier", draws=cross_attention.FEW)[-1]
    for name in ("var_q", "score_std"):
        listed = last.metrics[f"{name}_by_init"].value
        assert isinstance(listed, tuple)
        assert dict(zip(INITS, listed, strict=True))["xavier"] == last.metrics[name].value


def test_mismatched_inputs_break_a_matched_layer() -> None:
    settings = {"init": "xavier", "key_std": 2.0}
    assert value("scaled_std", **settings) == pytest.approx(2.0, rel=0.03)
    assert value("gain_k", **settings) == pytest.approx(1.0, rel=0.03)
    assert value("scale_holds", **settings) == 0


def test_means_break_the_prediction_without_a_projection() -> None:
    """Unit variances, mean 1 on both sides: std √3, and √(Var q · Var k) still says 1."""
    settings = {"init": "identity", "query_mean": 1.0, "key_mean": 1.0}
    assert value("predicted_std", **settings) == pytest.approx(1.0, rel=0.02)
    assert value("scaled_std", **settings) == pytest.approx(math.sqrt(3), rel=0.05)
    assert value("score_mean", **settings) == pytest.approx(64, rel=0.05)


@pytest.mark.parametrize(
    "settings",
    [
        *({"init": init} for init in INITS),
        {"init": "linear_default", "query_mean": 1.0, "key_std": 2.0, "seed": 7},
        {"d_model": 64, "heads": 1, "queries": 4, "keys": 64, "draws": 4},
    ],
)
def test_check_finds_the_same_numbers(settings: dict[str, Any]) -> None:
    params = cross_attention.Params(**settings)
    reference = cross_attention.check(params, context(params))
    assert {"var_q", "score_std", "scaled_std", "predicted_std", "entropy"} <= set(reference)
    for name, expected in reference.items():
        if name.endswith("_by_init"):
            continue  # the same numbers, of every layer
        assert isinstance(expected, float)
        usual = 2e-4 * max(abs(expected), 1e-6)
        tolerance = expected.tolerance if isinstance(expected, Tolerant) else usual
        assert abs(value(name, **settings) - expected) <= tolerance, name


def test_packed_weights_are_those_the_layer_attends_with() -> None:
    torch.manual_seed(5)
    layer = torch.nn.MultiheadAttention(64, 4, batch_first=True)
    x, memory = torch.randn(3, 64), torch.randn(6, 64)
    q, k, _ = projections("mha_packed", 64, 4, seed=5)
    scores = q(x).view(3, 4, 16).transpose(0, 1) @ k(memory).view(6, 4, 16).permute(1, 2, 0)
    _, theirs = layer(x[None], memory[None], memory[None], average_attn_weights=False)
    torch.testing.assert_close(torch.softmax(scores / 4, -1), theirs[0])


def test_building_a_layer_leaves_the_global_generator_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    for init in INITS:
        projections(init, 32, 4, seed=9)
    assert torch.equal(torch.rand(3), expected)


def test_shapes_and_pytorch_agree() -> None:
    last = reports(queries=10, keys=7, d_model=64, heads=4)[-1]
    assert last.metrics["weights_shape"].value == (4, 10, 7)
    assert last.metrics["output_shape"].value == (10, 64)
    assert last.metrics["sdpa_difference"].scalar() < 1e-5
    assert last.metrics["uniform_entropy"].scalar() == pytest.approx(math.log(7))


def test_the_table_compares_every_layer() -> None:
    parts = reports()
    assert [part.status for part in parts] == ["partial", "partial", "final"]
    (table,) = parts[-1].tables
    assert [row.label.to("en").split(":")[0] for row in table.rows] == list(INITS)
    assert all(len(row.cells) == len(table.columns) for row in table.rows)


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValidationError, match="d_model 100 must be a multiple of heads 8"):
        cross_attention.Params(d_model=100)
