"""Attention sinks: the language, the arms against plain softmax code, and what training shows."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiment import Cancelled
from quizapp.lab.experiments import attention_sinks
from quizapp.lab.maths import backcopy, sink_results, sinks
from quizapp.report import CURVE_POINTS, Report

SMALL: dict[str, Any] = {"steps": 20, "runs": 2, "seq_len": 8}
#: Enough for every arm to have learned to copy.
LEARNED: dict[str, Any] = {"runs": 4}


def context(params: attention_sinks.Params) -> RunContext:
    return RunContext("attention_sinks", attention_sinks.METRICS, params, "cpu")


@cache
def _reports(settings: tuple[tuple[str, Any], ...]) -> list[Report]:
    params = attention_sinks.Params(**dict(settings))
    return list(attention_sinks.run(params, context(params)))


def reports(**settings: Any) -> list[Report]:
    return _reports(tuple(sorted(settings.items())))


def value(name: str, index: int | None = None, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar(index)


# --- the language ---------------------------------------------------------------------


@pytest.mark.parametrize("first", ["bos", "word"])
def test_copying_words_are_followed_by_the_word_before_them(first: backcopy.First) -> None:
    ctx = context(attention_sinks.Params())
    drawn = backcopy.draw(ctx, "x", 3, 50, 12, copying=4, first=first)
    ids = drawn.ids
    assert ids.shape == (3, 50, 13)
    assert bool((ids[..., 0] == 0).all()) == (first == "bos")
    assert ids[..., 1:].min() >= 1
    assert ids.max() == backcopy.WORDS
    assert not drawn.copies[..., :2].any()
    assert ((ids[..., :-1] >= 1) & (ids[..., :-1] <= 4)).equal(drawn.copies)
    copied = ids[..., 2:][drawn.copies[..., 1:]]
    assert copied.equal(ids[..., :-2][drawn.copies[..., 1:]])
    assert (drawn.best[drawn.copies] == 0).all()


def test_other_words_are_followed_as_the_table_says() -> None:
    ctx = context(attention_sinks.Params())
    drawn = backcopy.draw(ctx, "x", 1, 4000, 16, copying=3, first="bos")
    table = backcopy.table(ctx, 1)[0]
    now, after = drawn.ids[0, :, 2:-1].flatten(), drawn.ids[0, :, 3:].flatten()
    word = 7
    follows = after[now == word]
    shares = follows.bincount(minlength=12)[1:] / len(follows)
    torch.testing.assert_close(shares, table[word - 1], atol=0.03, rtol=0)
    entropy = -(table[word - 1] * table[word - 1].log()).sum()
    best = drawn.best[0, :, 2:].flatten()[now == word].mean()
    assert best.item() == pytest.approx(entropy.item(), abs=0.05)


# --- the arms -------------------------------------------------------------------------


def _layer(arm: sinks.Arm, heads: int = 2) -> tuple[torch.Tensor, sinks.Layer, sinks.Weights]:
    """The input of one layer with random weights, what it did in that arm, and the weights."""
    params = attention_sinks.Params(**{**SMALL, "heads": heads})
    ctx = context(params)
    generator = torch.Generator().manual_seed(5)
    w = {
        name: torch.randn(x.shape, generator=generator) / 4
        for name, x in sinks.fresh(params, ctx).items()
    }
    x = torch.randn(4, 2, 3 * params.seq_len, sinks.D_MODEL, generator=generator)
    with torch.no_grad():
        layer = sinks._layer(params, ctx, w, x, at=0, seen=sinks.visible(params, ctx))
    at = sinks.ARMS.index(arm)
    picked = sinks.Layer(
        layer.weights[at],
        layer.gate.expand((*layer.output.shape[:-1], 1))[at],
        layer.values[at],
        layer.output[at],
    )
    return x[at], picked, {name: one[at] for name, one in w.items()}


@pytest.mark.parametrize("arm", sinks.ARMS)
def test_each_arm_is_its_formula(arm: sinks.Arm) -> None:
    x, layer, w = _layer(arm)
    tokens = x.view(2, 3, 8, 32)
    q, k, v = (
        (tokens @ w[f"w_{name}.0"][:, None]).view(2, 3, 8, 2, 16).transpose(2, 3) for name in "qkv"
    )
    scores = (q @ k.mT / 4).masked_fill(~torch.ones(8, 8).tril().bool(), -math.inf)
    powers = scores.exp()
    extra = {"off_by_one": torch.zeros(2, 2), "learned": w["sink.0"]}.get(arm)
    none = torch.zeros(2, 1, 2, 1, 1)
    total = powers.sum(-1, keepdim=True) + (
        none if extra is None else extra.exp()[:, None, :, None, None]
    )
    weights = powers / total
    gate = torch.ones(2, 3, 2, 8, 1)
    if arm == "gate":
        gate = torch.sigmoid(tokens @ w["gate.0"][:, None]).transpose(2, 3)[..., None]
    torch.testing.assert_close(layer.weights, weights, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(layer.output, gate * (weights @ v), rtol=1e-4, atol=1e-6)


def test_arms_start_alike_and_never_see_each_other() -> None:
    """The runs of four train as they do with two others."""
    four = reports(**{**SMALL, "runs": 4})[0].metrics["initial_loss_by_arm"]
    assert four.scalar(1) == pytest.approx(four.scalar(2))
    params = attention_sinks.Params(**SMALL)
    ctx = context(params)
    w = sinks.fresh(params, ctx)
    seen = sinks.visible(params, ctx)
    drawn = sinks.batch(params, ctx, "test", 4)
    loss = sinks.losses(sinks.forward(params, ctx, w, drawn.one_hot, seen)[0], drawn)
    gradients = torch.autograd.grad(loss[2, 1].sum(), list(w.values()))
    for gradient in gradients:
        kept = torch.zeros_like(gradient)
        kept[2, 1] = gradient[2, 1]
        assert gradient.equal(kept)


def test_training_goes_down_the_slope_as_torch_s_adam_does() -> None:
    params = attention_sinks.Params(**SMALL)
    ctx = context(params)
    mine, theirs = sinks.fresh(params, ctx), sinks.fresh(params, ctx)
    for _ in sinks.train(params, ctx, mine):
        pass
    leaves = list(theirs.values())
    adam = torch.optim.Adam(leaves, lr=params.rate)
    seen = sinks.visible(params, ctx)
    many = sinks.several(params, ctx, 0)
    for step in range(params.steps):
        drawn = many.part(slice(8 * step, 8 * step + 8))
        logits, _ = sinks.forward(params, ctx, theirs, drawn.one_hot, seen)
        loss = sinks.losses(logits, drawn)[..., 1:].mean((-2, -1)).sum()
        for group in adam.param_groups:
            group["lr"] = params.rate * (1 - step / params.steps)
        slopes = torch.autograd.grad(loss, leaves)
        for leaf, slope in zip(leaves, slopes, strict=True):
            leaf.grad = slope
        adam.step()
    for name, weight in mine.items():
        torch.testing.assert_close(weight, theirs[name], rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize(
    "settings",
    [
        {"layers": 2, "heads": 4, "arm": "learned"},
        {"layers": 2, "first": "word", "arm": "gate", "window": 2},
        {"heads": 2, "copying": 10, "arm": "off_by_one", "seed": 3},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = attention_sinks.Params(**{**SMALL, **settings})
    ctx = context(params)
    reference = attention_sinks.check(params, ctx)
    last = list(attention_sinks.run(params, ctx))[-1]
    found = compare(last.metrics, reference, ctx.dtype, attention_sinks.METHOD)
    assert found.ok, found
    assert set(attention_sinks.METRICS) - set(reference) == {"even_weight", "best_loss"}


def test_the_check_trains_again_what_another_run_has_replaced() -> None:
    params = attention_sinks.Params(**SMALL)
    first = sinks.trained(params, context(params))
    other = attention_sinks.Params(**{**SMALL, "seed": 1})
    assert not sinks.trained(other, context(other))["w_q.0"].equal(first["w_q.0"])
    again = sinks.trained(params, context(params))
    assert again is not first
    assert all(again[name].equal(first[name]) for name in first)
    shown = attention_sinks.Params(**{**SMALL, "arm": "gate", "window": 2})
    assert sinks.trained(shown, context(shown)) is again


# --- what training shows --------------------------------------------------------------


def test_a_sink_forms_and_its_value_is_emptied() -> None:
    assert value("first_weight", **LEARNED) > 0.9
    assert value("copying_first_weight", **LEARNED) < 0.05
    assert value("previous_weight", **LEARNED) > 0.8
    assert value("value_ratio", **LEARNED) < 0.2
    assert value("let_through", **LEARNED) == pytest.approx(1)
    assert value("idle_output", **LEARNED) < 0.2
    even = sum(1 / n for n in range(9, 17)) / 8
    assert value("even_weight", **LEARNED) == pytest.approx(even)


def test_only_softmax_needs_the_sink_s_key() -> None:
    assert value("eviction_cost", **LEARNED) > 0.4
    assert value("without_first_cost", **LEARNED) > 0.1
    for name in ("kept_cost", "without_second_cost"):
        assert abs(value(name, **LEARNED)) < 0.02
    for arm in (1, 2, 3):
        assert abs(value("eviction_cost_by_arm", arm, **LEARNED)) < 0.1


def test_every_arm_learns_the_language() -> None:
    for arm in range(4):
        assert value("excess_loss_by_arm", arm, **LEARNED) < 0.08
        assert value("idle_output_by_arm", arm, **LEARNED) < 0.2


def test_an_ordinary_first_word_makes_no_sink() -> None:
    settings = {**LEARNED, "first": "word"}
    assert value("first_weight", **settings) < 0.3
    assert value("value_ratio", **settings) > 0.7
    assert value("sink_share", **settings) == 0


def test_a_key_that_is_kept_is_not_masked() -> None:
    params = attention_sinks.Params(window=3)
    kept = sink_results.cached(params, context(params))
    assert kept["eviction_cost"][10].nonzero().flatten().tolist() == [8, 9, 10]
    assert kept["kept_cost"][10].nonzero().flatten().tolist() == [0, 8, 9, 10]
    assert not kept["without_first_cost"][10, 0]
    assert kept["without_first_cost"][0, 0]  # a query always sees itself
    assert kept["without_second_cost"][10].nonzero().flatten().tolist() == [0, *range(2, 11)]


# --- the report -----------------------------------------------------------------------


def test_curves_stay_short_however_long_the_training() -> None:
    last = reports(**{**SMALL, "steps": 210})[-1]
    assert all(len(curve.x) <= CURVE_POINTS for curve in last.curves)
    lines = next(curve for curve in last.curves if curve.id == "first_weight")
    assert len(lines.series) == 4
    assert len(last.heat_maps[0].values) == 8


def test_it_stops_when_nobody_waits() -> None:
    asked: list[None] = []

    def enough() -> bool:
        asked.append(None)
        return len(asked) > 9

    params = attention_sinks.Params()
    ctx = RunContext("attention_sinks", attention_sinks.METRICS, params, "cpu", cancelled=enough)
    with pytest.raises(Cancelled):
        list(attention_sinks.run(params, ctx))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"heads": 3}, "1, 2 or 4"),
        ({"window": 9}, "at most half of seq_len, 8"),
        ({"steps": 1000, "seq_len": 32, "layers": 2}, "times the training"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        attention_sinks.Params(**settings)
