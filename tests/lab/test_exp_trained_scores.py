"""Trained queries and keys: read against a reference, and what holds of them on every seed."""

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
from quizapp.lab.experiments import trained_scores as experiment
from quizapp.lab.maths import trained_scores as maths
from quizapp.lab.maths import training_tasks
from quizapp.report import CURVE_POINTS, Report

SMALL = {"d_k": 16, "pairs": 8, "steps": 40, "runs": 2}
#: Long enough to learn the task.
LEARNED = {"runs": 3}


def context(params: experiment.Params, **more: Any) -> RunContext:
    return RunContext("trained_scores", experiment.METRICS, params, "cpu", **more)


@cache
def reports(**settings: Any) -> tuple[Report, ...]:
    params = experiment.Params(**settings)
    return tuple(experiment.run(params, context(params)))


def values(name: str, **settings: Any) -> tuple[float, ...]:
    found = reports(**settings)[-1].metrics[name].value
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {"task": "recall", "seed": 3},
        {"optimiser": "sgd", "pairs": 9},
        {"qk_std": 0.3, "d_k": 256, "steps": 20},
        {"task": "recall", "optimiser": "sgd", "qk_std": 2.0, "pairs": 64},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = experiment.Params(**{**SMALL, **settings})
    ctx = context(params)
    report = list(experiment.run(params, ctx))[-1]
    found = compare(report.metrics, experiment.check(params, ctx), ctx.dtype, experiment.METHOD)
    assert found.ok, found


def test_the_check_reads_its_own_run_s_weights_and_trains_where_there_are_none() -> None:
    params = experiment.Params(**SMALL)
    ctx = context(params)
    fresh = experiment.check(params, ctx)
    trained = maths.KEPT[ctx]
    trained.final[1].w_q.mul_(2)
    changed = experiment.check(params, ctx)
    at = changed["final_std"], fresh["final_std"]
    assert at[0][1] == pytest.approx(2 * at[1][1])  # type: ignore[index]
    assert changed["initial_loss"] == fresh["initial_loss"]


def test_numbers_of_a_head_are_what_they_say() -> None:
    generator = torch.Generator().manual_seed(2)
    w_q, w_k = torch.randn(2, 3, training_tasks.D_MODEL, 5, generator=generator)
    ctx = context(experiment.Params())
    batch = training_tasks.draw("regression", ctx, 5, 3, 12)
    own = maths.own_keys("regression", 12)
    heads = maths.Heads(w_q, w_k, 0.25)
    found, scores = heads.measure(batch, own), heads.scores(batch)
    q = (batch.asked @ w_q).reshape(3, 8, 4, 5)
    k = (batch.memory @ w_k).reshape(3, 8, 12, 5)
    run, sequence, query, key = 2, 6, 3, 11  # 11 = 3 + 2·4: one of its own
    assert own[query].nonzero().flatten().tolist() == [3, 7, 11]
    product = (q[run, sequence, query] @ k[run, sequence, key]).item()
    assert scores[run, sequence, query, key].item() == pytest.approx(product / 4, rel=1e-5)
    each = [
        torch.stack([x[..., i, j] for i in range(4) for j in range(12) if own[i, j]], -1)
        for x in (scores, torch.cosine_similarity(q[..., :, None, :], k[..., None, :, :], -1))
    ]
    assert found["own_score"].tolist() == pytest.approx(each[0].mean((1, 2)).tolist(), rel=1e-4)
    assert found["cosine"].tolist() == pytest.approx(each[1].mean((1, 2)).tolist(), rel=1e-4)
    independent = 0.25 * math.sqrt(5) * q[1].square().mean().sqrt() * k[1].square().mean().sqrt()
    assert found["independent_std"][1].item() == pytest.approx(independent.item(), rel=1e-5)
    assert found["unit_factor"][0].item() * found["raw_std"][0].item() == pytest.approx(1)


def test_the_effective_scale_is_what_agreement_of_codes_adds() -> None:
    """For W_q = W_k = identity on the code it is the factor itself."""
    w = torch.eye(training_tasks.D_MODEL)[None]
    batch = training_tasks.draw("recall", context(experiment.Params()), 0, 1, 8)
    own = maths.own_keys("recall", 8)
    found = maths.Heads(w, w, 0.5).measure(batch, own)
    assert found["effective_scale"].item() == pytest.approx(0.5)
    # A code has 24 entries of variance 1, a question's are enlarged.
    expected = 0.5 * training_tasks.CODE * training_tasks.ASKED
    assert found["own_score"].item() == pytest.approx(expected, rel=0.1)


def test_the_draws_give_the_textbook_s_scores_at_the_start() -> None:
    start = values("initial_std", **LEARNED)
    assert start == pytest.approx((8, 1, 1 / 8), rel=0.06)
    assert reports(**LEARNED)[-1].metrics["std_ratio_start"].scalar() == pytest.approx(8)


def test_training_undoes_the_choice_between_root_and_width() -> None:
    last = reports(**LEARNED)[-1].metrics
    assert last["std_ratio_end"].scalar() == pytest.approx(1.1, abs=0.2)
    none, root, width = values("final_std", **LEARNED)
    assert 1.7 < width < root < 3 < none
    assert all(value > 1.5 for value in values("alignment", **LEARNED))
    # With √d_k the vectors stay as long as they were: what grows is what they have in common.
    assert values("length_growth", **LEARNED)[1] == pytest.approx(1, abs=0.15)
    assert values("length_growth", **LEARNED)[2] > 3
    losses = values("final_loss", **LEARNED)
    assert losses[1] == pytest.approx(losses[2], abs=0.02)
    assert all(loss < 0.35 for loss in losses)  # of 0.5 for answering 0
    assert not any(values("best_at_edge", **LEARNED))


def test_growth_is_length_times_alignment() -> None:
    after = values("alignment", **LEARNED)
    for at, growth in enumerate(values("growth", **LEARNED)):
        # At the start std over independent is 1, up to the draw.
        product = values("length_growth", **LEARNED)[at] * after[at]
        assert growth == pytest.approx(product, rel=0.06)


def test_reports_fill_up_while_it_trains() -> None:
    now = [0.0]

    def clock() -> float:
        now[0] += 0.05
        return now[0]

    params = experiment.Params(**SMALL)
    parts = list(experiment.run(params, context(params, clock=clock)))
    assert [part.status for part in parts] == ["partial"] * (len(parts) - 1) + ["final"]
    assert len(parts) > 8
    sizes = [len(part.metrics) for part in parts]
    assert sizes == sorted(sizes)
    assert "initial_qk_gradient" in parts[0].metrics
    points = [len(curve.x) for part in parts for curve in part.curves if curve.id == "std"]
    assert points == sorted(points)
    assert points[0] < points[-1] <= CURVE_POINTS
    assert parts[0].histograms[0].title != parts[-1].histograms[0].title


def test_it_stops_within_a_step() -> None:
    asked = [0]

    def cancelled() -> bool:
        asked[0] += 1
        return asked[0] > 6

    params = experiment.Params(**SMALL)
    with pytest.raises(Cancelled):
        list(experiment.run(params, context(params, cancelled=cancelled)))
    assert asked[0] == 7


def test_a_run_that_diverges_is_reported() -> None:
    last = reports(**{**SMALL, "optimiser": "sgd", "qk_std": 4.0})[-1]
    assert last.status == "final"
    assert Report.model_validate_json(last.model_dump_json()).metrics.keys() == last.metrics.keys()


def test_too_much_is_refused() -> None:
    with pytest.raises(ValidationError, match="lower steps"):
        experiment.Params(d_k=256, pairs=64, steps=1000)


def test_labels_fit_a_table() -> None:
    for name, info in experiment.METRICS.items():
        assert len(info.label.to("en")) <= 24, name
