"""Costs of a layer: counts against torch's own, known curves, and what a clock may say."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from pydantic import ValidationError
from torch.utils.flop_counter import FlopCounterMode

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import complexity as experiment
from quizapp.lab.maths import complexity as maths
from quizapp.report import Report

SMALL = {"seq_len": 256, "d_model": 64, "heads": 2, "rounds": 3}


def context(params: experiment.Params, step: float | None = None) -> RunContext:
    """`step`: seconds that pass at every look at the clock; None for the real one."""
    if step is None:
        return RunContext("complexity", experiment.METRICS, params, "cpu")
    now = [0.0]

    def clock() -> float:
        now[0] += step
        return now[0]

    return RunContext("complexity", experiment.METRICS, params, "cpu", clock=clock)


@cache
def reports(**settings: Any) -> tuple[Report, ...]:
    params = experiment.Params(**{**SMALL, **settings})
    return tuple(experiment.run(params, context(params, step=0.01)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"seed": 7},
        {"heads": 1, "d_model": 32},
        {"heads": 16, "d_model": 128, "seq_len": 128},
        {"seq_len": 500, "d_model": 96, "heads": 4},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = experiment.Params(**{**SMALL, **settings})
    ctx = context(params)
    report = list(experiment.run(params, ctx))[-1]
    reference = experiment.check(params, ctx)
    assert not experiment.TIMED & set(reference)
    found = compare(report.metrics, reference, ctx.dtype, experiment.METHOD)
    assert found.ok, found


def test_flops_are_those_torch_counts() -> None:
    params = experiment.Params(**SMALL)
    ctx, size = context(params), (96, 64)
    counted = maths.flops(size, 2, ctx)
    layer = maths.drawn(ctx, (256, 64), size, 2)
    parts: tuple[maths.Part, ...] = ("projections", "naive")
    for part in parts:
        with FlopCounterMode(display=False) as counter:
            layer.work(part, ctx)()
        assert counted[part] == counter.get_total_flops()
    assert counted["fused"] == counted["naive"]


def test_a_layer_is_projected_and_cut_into_heads_as_usual() -> None:
    params = experiment.Params(**SMALL)
    ctx = context(params)
    layer = maths.drawn(ctx, (256, 64), (10, 64), 2)
    assert [one.shape for one in layer.qkv] == [(1, 2, 10, 32)] * 3
    second_head = (layer.x @ layer.weights[0])[:, 32:]
    torch.testing.assert_close(layer.qkv[0][0, 1], second_head)
    q, k, v = (one.double() for one in layer.qkv)
    expected = F.scaled_dot_product_attention(q, k, v)
    parts: tuple[maths.Part, ...] = ("naive", "fused")
    for part in parts:
        found = layer.work(part, ctx)()
        torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-5)


def test_slopes_and_crossings_of_known_curves() -> None:
    sizes = [4, 8, 16, 32]
    x = torch.tensor(sizes, dtype=torch.float64)
    assert maths.slopes(sizes, torch.stack([3 * x**2, x**-0.5])).tolist() == pytest.approx(
        [2, -0.5]
    )
    # x² and 10·x meet at 10; far below and far above, the grid's own ends are given.
    below = torch.stack([x**2, x**2 / 100, 100 * x**2])
    above = (10 * x).expand(3, -1)
    assert maths.crossings(sizes, below, above).tolist() == pytest.approx([10, 32, 4])


def test_the_median_shrugs_off_a_busy_moment() -> None:
    rounds = torch.tensor([1.0, 1.1, 0.9, 1.0, 9.0], dtype=torch.float64)
    middle, error = maths.over_rounds(rounds)
    assert middle == 1.0
    assert error > 1  # and the error owns up to it


def test_short_work_is_repeated_inside_one_reading() -> None:
    params = experiment.Params(**SMALL)
    calls = [0]

    def work() -> None:
        calls[0] += 1

    assert maths.repeats(work, context(params, step=0.5)) == 1
    assert maths.repeats(work, context(params, step=1e-4)) == 10
    assert maths.repeats(work, context(params, step=1e-9)) == maths.MOST_REPEATS
    before = calls[0]
    assert maths.seconds(work, 8, context(params, step=0.5)) == pytest.approx(0.5 / 8)
    assert calls[0] == before + 8


def test_flops_cross_at_twice_the_width() -> None:
    for d_model in (32, 64, 128):
        assert value("flops_crossover", d_model=d_model) == 2 * d_model
    # n = 8 tokens of width 64: nearly all in the projections, so nearly linear.
    assert value("flops_growth_short") == pytest.approx(2 * (16 + 128) / (8 + 128))
    assert value("flops_growth_long") == pytest.approx(2 * (256 + 128) / (128 + 128))
    assert 1 < value("flops_slope_n") < value("flops_slope_n_attention") == pytest.approx(2)
    assert value("flops_slope_d_attention") == pytest.approx(1)
    assert 1 < value("flops_slope_d") < 2


def test_fused_saves_bytes_and_nothing_else() -> None:
    assert value("flops_fused") == value("flops_naive")
    assert value("bytes_slope_n_fused") == pytest.approx(1, abs=0.01)
    assert value("bytes_slope_n_naive") > 1.5
    assert value("max_difference") < 1e-5
    more_heads = value("peak_bytes_naive", heads=8) / value("peak_bytes_naive", heads=1)
    assert 6 < more_heads < 8
    assert value("flops_naive", heads=8) == value("flops_naive", heads=1)


def test_time_is_read_from_the_given_clock() -> None:
    """Every reading of this clock is 10 ms after the one before: no slope, no speed-up."""
    last = reports()[-1]
    for name in ("time_slope_n_naive", "time_slope_d_fused", "time_slope_n"):
        assert last.metrics[name].scalar() == pytest.approx(0, abs=1e-9)
        assert last.metrics[name].error() == pytest.approx(0, abs=1e-9)
    assert last.metrics["ms_naive"].scalar() == pytest.approx(10)
    assert last.metrics["fused_speedup"].scalar() == pytest.approx(1)
    assert last.metrics["time_share"].scalar() == pytest.approx(0.5)


def test_every_timed_number_has_an_error_and_no_other() -> None:
    last = reports()[-1]
    assert {name for name, one in last.metrics.items() if one.stderr is not None} == set(
        experiment.TIMED
    )


def test_reports_fill_up_round_by_round() -> None:
    parts = reports()
    assert [part.status for part in parts] == ["partial"] * (len(parts) - 1) + ["final"]
    sizes = [len(part.metrics) for part in parts]
    assert sizes == sorted(sizes)
    assert len(parts) == 2 + SMALL["rounds"]
    shown = [part.progress or 0 for part in parts[:-1]]
    assert all(a < b for a, b in pairwise(shown))
    assert [len(curve.x) for curve in parts[-1].curves if curve.id == "time_by_d"] == [4]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"d_model": 64, "heads": 16}, "multiple of 128"),
        ({"seq_len": 2048, "heads": 8, "d_model": 128}, "heads · seq_len²"),
        ({"seq_len": 2048, "d_model": 1024, "heads": 4}, "GFLOP in the largest layer"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        experiment.Params(**settings)


def test_labels_fit_a_table() -> None:
    for name, info in experiment.METRICS.items():
        assert len(info.label.to("en")) <= 24, name
