"""Probes: which fires on which fault, and a backward pass derived by hand that agrees."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import probes
from quizapp.lab.maths.probe_readings import Readings
from quizapp.lab.maths.probes import forward, fresh, read, tokens
from quizapp.lab.second_way.probes import Model
from quizapp.lab.wording.probes import BACKWARD, BY_HEAD, BY_LAYER, FAULTS, HEADS, PROBES
from quizapp.report import Report

#: What fires at the default sizes.
FIRES = {
    "none": set(),
    "no_scale": {"score_std", "max_weight", "entropy"},
    "wrong_axis": {"row_sums", "entropy", "future"},
    "mask_after_softmax": {"row_sums", "future"},
    "no_mask": {"masked_weight", "future"},
    "bad_init": {"score_std", "q_variance", "max_weight", "entropy"},
    "tiny_init": {"score_std", "q_variance", "entropy", "gradient_qk"},
    "wrong_reshape": {"past"},
    "detached_value": {"gradient_v"},
}


def context(params: probes.Params) -> RunContext:
    return RunContext("probes", probes.METRICS, params, "cpu")


@cache
def reading(fault: str, **settings: Any) -> Readings:
    params = probes.Params(**settings)
    return read(params, context(params), fault)[0]


@cache
def reports(**settings: Any) -> tuple[Report, ...]:
    params = probes.Params(**settings)
    return tuple(probes.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fault", FAULTS)
def test_which_probes_fire(fault: str, seed: int) -> None:
    fired = reading(fault, seed=seed).fires()
    assert tuple(fired) == tuple(PROBES)
    assert {name for name, fires in fired.items() if fires} == FIRES[fault]


@pytest.mark.parametrize(
    "settings", [{"heads": 2}, {"d_model": 256}, {"layers": 1, "batch": 2}, {"seq_len": 64}]
)
def test_a_healthy_model_of_any_size_is_silent(settings: dict[str, int]) -> None:
    assert not any(reading("none", **settings).fires().values())


def test_no_forward_probe_sees_a_detached_value() -> None:
    """Its forward pass is the healthy one, bit for bit."""
    whole, cut = reading("none"), reading("detached_value")
    for name in ("score_std", "max_weight", "entropy_share", "loss", "future_influence"):
        assert getattr(whole, name) == getattr(cut, name)
    assert max(cut.grad_v) == 0 < min(whole.grad_v)
    assert value("faults_seen_forward") == value("faults_tried") - 1 == 7


def test_dropping_the_scale_does_not_quiet_the_gradient() -> None:
    """At d_k 32, untrained: the gradient at W_q and W_k grows in every layer."""
    for raw, scaled in zip(reading("no_scale").grad_qk, reading("none").grad_qk, strict=True):
        assert raw > 3 * scaled


def test_a_mask_after_the_softmax_hides_the_weights_and_leaks_the_future() -> None:
    found = reading("mask_after_softmax")
    assert max(found.masked_weight) == 0
    assert found.future_influence > 1e-3
    assert 0.9 < max(found.row_sum_error) <= 1


def test_a_wrong_reshape_cuts_the_past_off() -> None:
    assert reading("wrong_reshape").past_influence == 0
    assert reading("wrong_reshape").future_influence == 0
    assert reading("none").past_influence > 1e-3


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_still_overfits_one_batch(fault: str) -> None:
    assert value("loss_after", fault=fault) < 0.6 * value("loss", fault=fault)


def test_first_loss_is_that_of_guessing() -> None:
    assert value("uniform_loss") == pytest.approx(math.log(16))
    assert value("loss") == pytest.approx(math.log(16), rel=0.03)


def test_a_report_holds_the_readings_of_both_models() -> None:
    first, second, last = reports(fault="bad_init")
    assert [r.status for r in (first, second, last)] == ["partial", "partial", "final"]
    assert last.metrics["healthy_score_std"].scalar() == max(reading("none").score_std)
    for name in BY_LAYER:
        assert last.metrics[f"{name}_by_layer"].value == tuple(getattr(reading("bad_init"), name))
    for name in BY_HEAD:
        assert len(last.metrics[f"{name}_by_head"].value) == 3 * 4  # type: ignore[arg-type]
    fired = {name for name in PROBES if last.metrics[f"fires_{name}"].scalar()}
    assert fired == FIRES["bad_init"]
    assert last.metrics["fired"].scalar() == len(fired)
    assert last.metrics["backward_fired"].scalar() == len(fired & set(BACKWARD))


def test_counts_by_fault_and_by_probe_agree_with_the_table() -> None:
    last = reports()[-1]
    assert last.metrics["fired_by_fault"].value == tuple(len(FIRES[fault]) for fault in FAULTS)
    by_probe = tuple(sum(name in FIRES[fault] for fault in HEADS) for name in PROBES)
    assert last.metrics["faults_by_probe"].value == by_probe
    table = next(table for table in last.tables if table.id == "catches")
    drawn = [sum("fires" in str(cell) for cell in row.cells) for row in table.rows]
    assert tuple(drawn) == by_probe
    assert tuple(HEADS) == tuple(FAULTS)[1:]


def test_training_is_drawn_for_both_models_from_the_first_loss() -> None:
    curve = reports()[-1].plot("training")
    assert curve is not None
    assert len(curve.series) == 2  # type: ignore[union-attr]
    for line in curve.series:  # type: ignore[union-attr]
        assert line.values[0] == pytest.approx(value("loss"), rel=1e-3)
    assert len(reports(fault="none")[-1].curves[-1].series) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_check_finds_the_same_numbers(fault: str) -> None:
    params = probes.Params(fault=fault, seed=5, steps=0, layers=2, d_model=64)
    last = list(probes.run(params, context(params)))[-1]
    reference = probes.check(params, context(params))
    assert {"score_std", "grad_qk", "grad_v", "fired_by_fault", "loss"} <= set(reference)
    assert compare(last.metrics, reference, "float32", probes.METHOD).ok


@pytest.mark.parametrize("fault", ["none", "wrong_axis", "mask_after_softmax"])
def test_the_hand_derived_gradient_is_the_slope_of_the_loss(fault: str) -> None:
    """Central differences in every entry of W_q, and of W_o, of the only layer."""
    params = probes.Params(fault=fault, layers=1, heads=2, d_model=32, seq_len=16, batch=2)
    ctx, step = context(params), 1e-5
    model, ids = Model.fresh(params, ctx, fault), tokens(params, ctx).numpy()
    norms = model.backward(ids, *model.forward(ids))
    name = "w_q.0"
    slopes = np.zeros((32, 32))
    for at in np.ndindex(32, 32):
        sides = []
        for sign in (1, -1):
            moved = model.weights[name].copy()
            moved[at] += sign * step
            other = Model(params, fault, {**model.weights, name: moved})
            sides.append(other.loss(ids, other.forward(ids)[0]))
        slopes[at] = (sides[0] - sides[1]) / (2 * step)
    assert np.linalg.norm(slopes) == pytest.approx(norms[name], rel=1e-5)


def test_healthy_attention_is_torchs_own() -> None:
    """One layer's output by scaled_dot_product_attention with is_causal."""
    params = probes.Params(fault="none", layers=1)
    ctx = context(params)
    with torch.no_grad():
        weights, ids = fresh(params, ctx, "none"), tokens(params, ctx)
        logits, seen = forward(params, ctx, weights, ids, "none")
        x = weights["embedding"][ids] + weights["position"]
        h = torch.nn.functional.layer_norm(x, (128,))
        q, k, v = (
            (h @ weights[f"w_{name}.0"].T).view(4, 32, 4, 32).transpose(1, 2) for name in "qkv"
        )
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + out.transpose(1, 2).flatten(2) @ weights["w_o.0"].T
        h = torch.nn.functional.layer_norm(x, (128,))
        x = x + torch.relu(h @ weights["w_in.0"].T) @ weights["w_out.0"].T
        expected = torch.nn.functional.layer_norm(x, (128,)) @ weights["unembedding"].T
    torch.testing.assert_close(logits, expected)
    torch.testing.assert_close(seen.q[0], q)


def test_sequences_repeat_their_first_half() -> None:
    params = probes.Params(seq_len=17)
    ids = tokens(params, context(params))
    assert ids.shape == (4, 17)
    assert torch.equal(ids[:, 9:], ids[:, :8])


def test_work_is_bounded_before_anything_is_made() -> None:
    with pytest.raises(ValidationError, match="d_model 100 must be a multiple of heads 8"):
        probes.Params(d_model=100, heads=8)
    with pytest.raises(ValidationError, match="lower one of them"):
        probes.Params(d_model=256, steps=100)
