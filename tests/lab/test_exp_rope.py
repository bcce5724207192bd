"""RoPE: what depends on the distance alone, what breaks it, and which angles are new."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import rope
from quizapp.lab.maths import rope as maths
from quizapp.lab.wording.rope import DISTANCES
from quizapp.report import Report


def context(params: rope.Params) -> RunContext:
    return RunContext("rope", rope.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = rope.Params(**settings)
    return list(rope.run(params, context(params)))[-1]


def value(name: str, index: int | None = None, **settings: Any) -> float:
    return last(**settings).metrics[name].scalar(index)


@pytest.mark.parametrize(
    "settings",
    [
        {"rotated": "q"},
        {"rotated": "q_k_v", "pairing": "halves"},
        {"pairing": "mixed", "base": 500_000.0},
        {"pairing": "mixed", "rotated": "q_k_v", "dtype": "float64"},
        {"angles": "bfloat16", "shift": 300},
        {"angles": "float32", "shift": 1_000_000, "dtype": "float64"},
        {"extend": "interpolated", "stretch": 8, "trained_len": 100},
        {"extend": "larger_base", "d_k": 4, "trained_len": 4096},
        {"base": 10.0, "d_k": 6},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = rope.Params(**{"draws": 5, **settings})
    ctx = context(params)
    report = list(rope.run(params, ctx))[-1]
    found = compare(report.metrics, rope.check(params, ctx), ctx.dtype, rope.METHOD)
    assert found.ok, found


@pytest.mark.parametrize("pairing", ["adjacent", "halves"])
def test_rotation_is_a_block_diagonal_matrix(pairing: maths.Pairing) -> None:
    theta = 10_000.0 ** (-torch.tensor([0, 2, 4], dtype=torch.float64) / 6)
    columns = [(0, 1), (2, 3), (4, 5)] if pairing == "adjacent" else [(0, 3), (1, 4), (2, 5)]
    matrix = torch.zeros(6, 6, dtype=torch.float64)
    for (a, b), angle in zip(columns, 7 * theta, strict=True):
        matrix[a, a] = matrix[b, b] = angle.cos()
        matrix[b, a], matrix[a, b] = angle.sin(), -angle.sin()
    x = torch.arange(1.0, 7, dtype=torch.float64)
    turned = maths.angles(torch.tensor([7]), 6, 10_000.0)
    torch.testing.assert_close(maths.rotate(x[None], turned, pairing)[0], matrix @ x)


def test_only_rotating_both_q_and_k_is_relative() -> None:
    exact: dict[str, Any] = {"dtype": "float64", "angles": "float64"}
    for pairing in ("adjacent", "halves"):
        assert value("shift_error", pairing=pairing, **exact) < 1e-9
        assert value("output_shift", pairing=pairing, **exact) < 1e-9
    assert value("shift_error_added", **exact) > 1
    assert value("shift_error", rotated="q") > 1
    assert value("shift_error", pairing="mixed") > 1
    # Values: the scores stay relative, the output does not.
    assert value("shift_error", rotated="q_k_v") < 1e-3
    assert value("output_shift", rotated="q_k_v") > 0.5


def test_rotation_keeps_lengths_and_spread_but_not_scores() -> None:
    assert value("norm_change", dtype="float64") < 1e-12
    assert value("score_std") == pytest.approx(value("score_std_plain"), abs=0.02)
    assert value("score_change") > 0.5


def test_angles_made_in_few_digits_lose_the_distance() -> None:
    errors = [
        value("shift_error", angles=made_in, dtype="float64")
        for made_in in ("float64", "float32", "bfloat16")
    ]
    assert errors == sorted(errors)
    assert errors[0] < 1e-9
    assert 1e-6 < errors[1] < 1e-3
    assert errors[2] > 1


def test_a_score_with_itself_falls_with_distance_and_an_independent_one_does_not() -> None:
    """Expected with itself: the mean of cos(θⱼΔ)."""
    report = last(draws=100)
    theta = 10_000.0 ** (-torch.arange(0, 64, 2, dtype=torch.float64) / 64)
    itself, spread = report.metrics["self_score"], report.metrics["independent_std"]
    for i, distance in enumerate(DISTANCES):
        error = itself.error(i)
        assert error is not None
        assert itself.scalar(i) == pytest.approx(
            (theta * distance).cos().mean().item(), abs=4 * error + 1e-6
        )
        assert spread.scalar(i) == pytest.approx(1, abs=0.05)
    # It falls in the large, and rises at nearly every other step.
    assert 0.3 < value("rising_share") < 0.6


def test_wavelengths_come_from_the_base() -> None:
    assert value("wavelength_shortest") == pytest.approx(2 * math.pi)
    assert value("wavelength_longest", base=500_000.0) > 40 * value("wavelength_longest")
    # Pair j has wavelength 2π·base^(j/32): beyond 512 positions from j = 16 on.
    assert value("unfinished_pairs") == 16 / 32
    assert value("unfinished_pairs", base=500_000.0) > 0.6


def test_interpolation_meets_no_new_angle_and_crowds_the_positions() -> None:
    plain, interpolated, larger = (value("unseen_by_extend", i) for i in range(3))
    assert interpolated == 0 < larger < plain
    assert value("unseen_share") == plain
    assert value("unseen_pairs") == value("unfinished_pairs")
    for extend, angle in (("plain", 1), ("interpolated", 1 / 4), ("larger_base", 1)):
        assert value("next_angle", extend=extend) == pytest.approx(angle)


def test_unseen_angles_by_going_round_the_circle() -> None:
    seen = torch.tensor([0.0, 0.1, 0.2])
    later = torch.tensor([0.25, 0.4, 3.0, 2 * math.pi - 0.05, 2 * math.pi + 0.1, 6.0])
    assert maths.unseen(seen, later, 0.1).tolist() == [False, True, True, False, False, True]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"d_k": 7}, "make it even"), ({"seq_len": 512, "draws": 50}, "at most 500,000")],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        rope.Params(**settings)
