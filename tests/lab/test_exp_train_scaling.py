"""Trainings of a grid: against torch's own optimisers, slopes, known identities and bounds."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.experiment import Cancelled
from quizapp.lab.experiments import train_scaling
from quizapp.lab.maths import training, training_results, training_tasks
from quizapp.lab.maths.training_twins import TWINS
from quizapp.lab.wording import train_scaling as wording
from quizapp.report import CURVE_POINTS, Report

SMALL = {"scales": "two", "steps": 20, "runs": 2, "rates": 2, "shared": 1}
BOTH_LEARN = {"qk_std": 0.577, "steps": 200, "runs": 3, "rates": 7}


def context(params: train_scaling.Params) -> RunContext:
    return RunContext("train_scaling", train_scaling.METRICS, params, "cpu")


@cache
def _reports(settings: tuple[tuple[str, Any], ...]) -> list[Report]:
    params = train_scaling.Params(**dict(settings))
    return list(train_scaling.run(params, context(params)))


def reports(**settings: Any) -> list[Report]:
    return _reports(tuple(sorted({**SMALL, **settings}.items())))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


def values(name: str, **settings: Any) -> tuple[float, ...]:
    found = reports(**settings)[-1].metrics[name].value
    assert isinstance(found, tuple)
    return found


# --- the arithmetic -------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"scales": "all"},
        {"scales": "all", "task": "regression", "d_k": 16, "pairs": 9, "seed": 3},
        {"scales": "five", "optimiser": "adam", "qk_std": 0.3, "pairs": 4},
        {"d_k": 256, "qk_std": 4.0, "pairs": 64},
    ],
)
def test_check_finds_the_first_step(settings: dict[str, Any]) -> None:
    params = train_scaling.Params(**{**SMALL, **settings})
    reference = train_scaling.check(params, context(params))
    assert {name for name in train_scaling.METRICS if "initial" in name} == set(reference)
    metrics = reports(**settings)[-1].metrics
    for name, expected in reference.items():
        assert metrics[name].value == pytest.approx(expected, rel=2e-4), name


def _one_cell(
    optimiser: training.OptimiserName, scale: str = "sqrt_d_k", task: str = "recall"
) -> tuple[training.Cells, RunContext, train_scaling.Params]:
    params = train_scaling.Params(
        **{**SMALL, "optimiser": optimiser, "task": task, "d_k": 8, "pairs": 5}
    )
    ctx = context(params)
    weights = [w.double()[None].clone() for w in training.start(ctx, params.runs, params.d_k)]
    rates = [torch.tensor(0.1, dtype=torch.float64)] * 4
    by = 8**-0.5 if scale == "sqrt_d_k" else 1.0
    return training.Cells(scale, by, weights, rates, optimiser), ctx, params  # type: ignore[arg-type]


@pytest.mark.parametrize("task", ["recall", "regression"])
def test_a_step_goes_down_the_slope_of_the_loss(task: str) -> None:
    """Each weight moves by its rate times a central difference of the loss."""
    cells, ctx, params = _one_cell("sgd", task=task)
    batch = training_tasks.draw(params.task, ctx, 0, params.runs, params.pairs).double()

    def loss_at(which: int, place: tuple[int, ...], off: float) -> float:
        moved, *_ = _one_cell("sgd", task=task)
        with torch.no_grad():
            moved.weights[which][place] += off
        return moved.step(ctx, batch).loss[0, place[1]].item()

    before = [w.detach().clone() for w in cells.weights]
    cells.step(ctx, batch)
    for which, place in enumerate([(0, 1, 2, 3), (0, 0, 5, 7), (0, 1, 30, 2), (0, 0, 4, 4)]):
        slope = (loss_at(which, place, 1e-5) - loss_at(which, place, -1e-5)) / 2e-5
        moved = (before[which] - cells.weights[which].detach())[place].item()
        assert slope
        assert moved == pytest.approx(0.1 * slope, rel=1e-5)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_the_optimisers_are_torch_s_own(optimiser: training.OptimiserName) -> None:
    cells, ctx, params = _one_cell(optimiser)
    leaves = [w.detach().clone().requires_grad_() for w in cells.weights]
    kinds = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
    theirs = kinds[optimiser](leaves, lr=0.1)
    for step in range(8):
        batch = training_tasks.draw("recall", ctx, step, params.runs, params.pairs).double()
        other, *_ = _one_cell(optimiser)
        other.weights = leaves
        loss, _ = other._forward(ctx, batch)
        for leaf, slope in zip(leaves, torch.autograd.grad(loss.sum(), leaves), strict=True):
            leaf.grad = slope
        theirs.step()
        cells.step(ctx, batch)
    for mine, leaf in zip(cells.weights, leaves, strict=True):
        torch.testing.assert_close(mine.detach(), leaf.detach(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_a_cell_never_sees_another(optimiser: str) -> None:
    """The third and fourth rate of four train as they do in a grid of their own."""
    for prefix in ("unscaled", "scaled"):
        name = f"{prefix}_loss_by_rate"
        four = values(name, rates=4, shift=2, optimiser=optimiser)
        alone = values(name, rates=2, shift=4, optimiser=optimiser)
        assert four[2:] == pytest.approx(alone, rel=1e-4)
        assert four[0] != pytest.approx(four[2], rel=1e-3)


def test_scales_that_are_the_same_train_the_same() -> None:
    settings = {"scales": "all", "rates": 2, "shift": 3}
    order = train_scaling.SETS["all"]
    losses = dict(zip(order, values("loss_by_scale", **settings), strict=True))
    assert losses["fourth_root_each"] == pytest.approx(losses["sqrt_d_k"], rel=1e-4)
    assert losses["sqrt_each"] == pytest.approx(losses["d_k"], rel=1e-4)
    assert losses["subtract_max"] == pytest.approx(losses["none"], rel=1e-3)
    assert losses["after_softmax"] == pytest.approx(losses["values_only"], rel=1e-3)
    assert len({round(losses[name], 4) for name in ("none", "sqrt_d_k", "d_k", "values_only")}) == 4


@pytest.mark.parametrize("task", ["recall", "regression"])
@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_unscaled_in_other_units_is_the_scaled_training(task: str, optimiser: str) -> None:
    settings = {"task": task, "optimiser": optimiser, "shift": 3, "steps": 60, "d_k": 32}
    assert value("reparameterised_difference", **settings) < 1e-11
    for name in TWINS:
        if name != "reparameterised":
            assert value(f"{name}_difference", **settings) > 1e-3, name


# --- what is trained ------------------------------------------------------------------


def test_guessing_costs_what_is_said() -> None:
    """The best answer that is the same for every query, on many queries."""
    ctx = context(train_scaling.Params())
    batches = [training_tasks.draw("regression", ctx, step, 8, 64) for step in range(40)]
    square = torch.stack([batch.target.square().mean() for batch in batches])
    assert square.mean().item() == pytest.approx(0.5, abs=0.01)
    classes = torch.cat([training_tasks.draw("recall", ctx, s, 8, 64).target for s in range(40)])
    shares = classes.flatten().bincount().double() / classes.numel()
    assert -(shares * shares.log()).sum().item() == pytest.approx(math.log(8), abs=0.01)
    assert training_tasks.guess_loss("regression") == 0.5
    assert training_tasks.guess_loss("recall") == math.log(8)


@pytest.mark.parametrize("task", ["recall", "regression"])
def test_entries_of_q_and_k_start_at_the_standard_deviation_asked_for(task: Any) -> None:
    ctx = context(train_scaling.Params())
    batch = training_tasks.draw(task, ctx, 0, 8, 32)
    w_q, w_k, w_v, _ = training.start(ctx, 8, 64, 0.5)
    pairs = ((batch.asked, w_q, 0.5), (batch.memory, w_k, 0.5), (batch.memory, w_v, 1.0))
    for tokens, weight, std in pairs:
        assert (tokens @ weight).std().item() == pytest.approx(std, rel=0.1)


def test_no_regression_beats_the_mean_of_its_group() -> None:
    floor = 0.5 * training_tasks.QUERIES / 16
    settings = {"task": "regression", "steps": 160, "rates": 3, "shift": 4}
    assert floor < value("scaled_best_loss", **settings) < 2 * floor


def test_at_one_rate_either_is_ahead_and_at_their_best_both_learn() -> None:
    found = {name: m.value for name, m in reports(**BOTH_LEARN)[-1].metrics.items()}
    numbers = {name: v for name, v in found.items() if isinstance(v, float)}
    assert numbers["unscaled_lead"] > 0.5
    assert numbers["scaled_lead"] > 0.5
    for prefix in ("unscaled", "scaled"):
        assert numbers[f"{prefix}_best_loss"] < numbers["guess_loss"] / 4
    assert numbers["unscaled_best_rate"] < numbers["scaled_best_rate"]
    assert not any(values("best_at_edge_by_scale", **BOTH_LEARN))
    gap = numbers["unscaled_best_loss"] - numbers["scaled_best_loss"]
    assert numbers["best_gap"] == pytest.approx(gap, abs=1e-9)


# --- the report -----------------------------------------------------------------------


def test_a_diverged_run_counts_for_twice_guessing() -> None:
    settings = {"shift": 6, "rates": 2, "shared": 2, "steps": 40, "qk_std": 2.0}
    guess = value("guess_loss", **settings)
    assert value("unscaled_loss", **settings) == pytest.approx(2 * guess)
    assert value("unscaled_diverged_share", **settings) == 0.5  # at the higher of two rates
    assert value("unscaled_learned_share", **settings) == 0
    last = reports(**settings)[-1]
    assert Report.model_validate_json(last.model_dump_json()).metrics.keys() == last.metrics.keys()
    assert all(math.isfinite(x) for line in last.curves[0].series for x in line.values)


def test_means_leave_out_what_is_not_finite() -> None:
    runs = torch.tensor([[1.0, 3.0, math.nan], [math.inf, math.nan, math.nan], [2.0, 4.0, 6.0]])
    means, errors = training_results.sampled(runs)
    assert means[0] == 2
    assert errors[0] == pytest.approx(1.0)
    assert math.isnan(means[1])
    assert errors[2] == pytest.approx(2 / math.sqrt(3))


def test_lists_hold_the_numbers_that_stand_alone() -> None:
    last = reports(scales="five")[-1]
    at = {"unscaled": 0, "scaled": 3}
    for name, metric in last.metrics.items():
        if name.endswith("_by_scale"):
            assert isinstance(metric.value, tuple)
            assert len(metric.value) == 5
            for prefix, place in at.items():
                alone = last.metrics.get(f"{prefix}_{name.removesuffix('_by_scale')}")
                assert alone is None or alone.value == metric.value[place]
    rates = values("rates", scales="five")
    assert [b / a for a, b in pairwise(rates)] == [2.0]
    assert value("divisors", scales="five") == 1
    assert len(last.tables[0].rows) == 5


def test_the_summary_owns_up_to_a_grid_that_is_too_short() -> None:
    for settings, short in (({"shift": -6}, True), (BOTH_LEARN, False)):
        summary = reports(**settings)[-1].summary
        assert summary is not None
        assert summary.to("en").endswith(wording.BEYOND["en"]) == short
        assert summary.to("zh").endswith(wording.BEYOND["zh"]) == short


def test_reports_fill_up_while_it_trains() -> None:
    now = [0.0]

    def clock() -> float:
        now[0] += 0.05
        return now[0]

    params = train_scaling.Params(**SMALL)
    ctx = RunContext("train_scaling", train_scaling.METRICS, params, "cpu", clock=clock)
    parts = list(train_scaling.run(params, ctx))
    assert [part.status for part in parts] == ["partial"] * (len(parts) - 1) + ["final"]
    assert len(parts) > 8
    sizes = [len(part.metrics) for part in parts]
    assert sizes == sorted(sizes)
    assert "unscaled_initial_gradient" in parts[0].metrics
    shown = [part.progress for part in parts[:-1]]
    assert shown == sorted(shown, key=lambda p: p or 0)
    points = [len(curve.x) for part in parts for curve in part.curves if curve.id == "loss"]
    assert points == sorted(points)
    assert points[0] < points[-1] <= CURVE_POINTS


def test_numbers_of_the_end_are_told_from_the_fifth_step_on() -> None:
    params = train_scaling.Params(**SMALL)
    ctx = RunContext("train_scaling", train_scaling.METRICS, params, "cpu", clock=lambda: 0.0)
    first, early, last, *_, final = train_scaling.run(params, ctx)
    told = {"unscaled_best_loss", "best_rate_ratio", "scaled_lead", "learned_share_by_scale"}
    assert not told & set(first.metrics)
    assert told <= set(early.metrics)
    assert early.metrics["unscaled_best_loss"] != last.metrics["unscaled_best_loss"]
    assert all(last.metrics[name] == final.metrics[name] for name in told)


def test_it_stops_within_a_step() -> None:
    asked = [0]

    def cancelled() -> bool:
        asked[0] += 1
        return asked[0] > 6

    params = train_scaling.Params(**SMALL)
    ctx = RunContext("train_scaling", train_scaling.METRICS, params, "cpu", cancelled=cancelled)
    with pytest.raises(Cancelled):
        list(train_scaling.run(params, ctx))
    assert asked[0] == 7


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shared": 9, "rates": 8}, "place of a rate among 8"),
        ({"d_k": 256, "pairs": 64, "steps": 1000}, "lower steps"),
        ({"scales": "all", "steps": 1000}, "lower steps"),
    ],
)
def test_too_much_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        train_scaling.Params(**settings)


def test_labels_fit_a_table() -> None:
    for name, info in train_scaling.METRICS.items():
        assert len(info.label.to("en")) <= 24, name
