"""Norms over depth: what they hold, what they leave to the scale, and gradients that are right."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import norms
from quizapp.lab.maths import norms as maths
from quizapp.report import Report

SMALL: dict[str, Any] = {"d_k": 16, "seq_len": 12, "draws": 3, "layers": 3}


def context(params: norms.Params) -> RunContext:
    return RunContext("norms", norms.METRICS, params, "cpu")


@cache
def reports(**settings: Any) -> list[Report]:
    params = norms.Params(**settings)
    return list(norms.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


def values(name: str, **settings: Any) -> tuple[float, ...]:
    found = reports(**settings)[-1].metrics[name].value
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"norm": "rmsnorm", "place": "post", "input_mean": 3, "input_std": 16},
        {"norm": "none", "qk_gain": 2, "soft_cap": 5},
        {"norm": "none", "input_std": 16, "layers": 6},
        {"qk_norm": "rms", "scale": "dropped", "heads": 1},
        {"place": "post", "qk_norm": "l2", "soft_cap": 0.01},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    settings = SMALL | settings
    params = norms.Params(**settings)
    ctx = context(params)
    reference = norms.check(params, ctx)
    assert {"score_std", "entropy", "row_std"} <= set(reference)
    found = compare(reports(**settings)[-1].metrics, reference, ctx.dtype, norms.METHOD)
    assert found.ok, found


@pytest.mark.parametrize("place", ["pre", "post"])
def test_a_layer_is_pytorch_s_own_encoder_layer(place: maths.Place) -> None:
    params = norms.Params(**{**SMALL, "place": place, "layers": 1})
    model, ctx = params.model, context(params)
    x = ctx.normal("test", 1, 12, model.d_model, dtype="float64")
    (layer,) = maths.layers(model, ctx, range(1), x)
    theirs = torch.nn.TransformerEncoderLayer(
        model.d_model,
        model.heads,
        maths.WIDER * model.d_model,
        dropout=0,
        batch_first=True,
        layer_norm_eps=maths.EPS,
        norm_first=place == "pre",
        bias=False,
        dtype=torch.float64,
    )
    square = layer.attention[0]
    state = {
        "self_attn.in_proj_weight": torch.cat([square[i].mT for i in range(3)]),
        "self_attn.out_proj.weight": square[3].mT,
        "linear1.weight": layer.first[0].mT,
        "linear2.weight": layer.second[0].mT,
    }
    theirs.load_state_dict(state, strict=False)
    ours = maths.forward(model, ctx, x, [layer])
    torch.testing.assert_close(ours.streams[1], theirs(x))


def test_a_norm_before_the_weights_does_not_replace_the_scale() -> None:
    for norm in ("layernorm", "rmsnorm"):
        assert value("score_std", norm=norm) == pytest.approx(1, abs=0.1)
        assert value("score_std", norm=norm, scale="dropped") == pytest.approx(8, abs=0.6)


def test_a_norm_takes_out_the_size_of_the_input_and_not_of_the_weights() -> None:
    plain = value("score_std")
    assert value("score_std", input_std=16) == pytest.approx(plain, rel=1e-3)
    assert value("score_std", qk_gain=3) == pytest.approx(9 * plain, rel=1e-9)
    assert value("score_std", qk_gain=3, qk_norm="rms") == pytest.approx(1, abs=0.1)
    assert value("score_std", norm="none", input_std=4) == pytest.approx(16, rel=0.1)


def test_qk_norm_bounds_every_score() -> None:
    assert value("max_score", qk_norm="rms", qk_gain=16) <= math.sqrt(64)
    assert value("max_score", qk_norm="l2", scale="dropped") <= 1
    assert value("score_std", qk_norm="rms", scale="dropped") == pytest.approx(8, abs=0.6)
    assert value("max_score", soft_cap=5, qk_gain=8) <= 5


def test_only_layernorm_takes_out_the_mean() -> None:
    settings = {"input_mean": 3.0, "layers": 1}
    assert value("row_std", **settings) == pytest.approx(1, abs=0.1)
    # rms is √(1 + 3²): the part that differs between keys shrinks by that.
    assert value("row_std", norm="rmsnorm", **settings) == pytest.approx(10**-0.5, rel=0.25)


def test_the_pre_norm_stream_grows_and_the_post_norm_one_does_not() -> None:
    pre, post = values("stream_rms_by_layer"), values("stream_rms_by_layer", place="post")
    assert list(pre) == sorted(pre)
    assert pre[-1] > 2
    assert post[1:] == pytest.approx([1] * 6, abs=1e-4)
    assert value("stream_growth") == pytest.approx(pre[-1] / pre[0], rel=0.01)


def test_the_first_layer_of_a_post_norm_model_sees_the_raw_input() -> None:
    assert value("score_std", place="post", input_std=4) == pytest.approx(16, rel=0.1)
    assert value("score_std", place="pre", input_std=4) == pytest.approx(1, abs=0.1)


def test_lists_begin_and_end_with_the_single_numbers() -> None:
    assert values("score_std_by_layer")[0] == value("score_std")
    assert values("score_std_by_layer")[-1] == value("last_score_std")
    assert values("gradient_by_layer")[0] == value("input_gradient")
    assert values("entropy_by_layer")[-1] == pytest.approx(value("last_entropy"))
    assert len(values("gradient_by_layer")) == 7


def test_more_draws_keep_the_first_ones() -> None:
    parts, two = reports(draws=5), reports(draws=2)
    assert [part.status for part in parts] == ["partial", "partial", "final"]
    assert parts[0].metrics == two[-1].metrics


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"d_k": 256, "heads": 8}, "lower one of them"),
        ({"seq_len": 256, "draws": 20, "d_k": 16}, "at most 4,000,000"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        norms.Params(**settings)
