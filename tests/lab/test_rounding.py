"""Tolerances for rows of large logits: wider with size, and none where nothing can be told."""

from __future__ import annotations

import pytest

from quizapp.lab.experiment import Tolerant
from quizapp.lab.second_way.rounding import resolved


def tolerance(value: float) -> float:
    assert isinstance(value, Tolerant)
    return value.tolerance


def test_small_logits_keep_the_usual_tolerance() -> None:
    assert tolerance(resolved({"entropy": 2.0}, 30)["entropy"]) == pytest.approx(4e-4)


def test_large_logits_widen_it_but_never_to_one_percent() -> None:
    widened = tolerance(resolved({"entropy": 2.0}, 5_000)["entropy"])
    assert 4e-4 < widened < 0.02


def test_a_share_keeps_its_own_and_huge_logits_leave_nothing() -> None:
    assert tolerance(resolved({"dead": Tolerant(0.5, 0.01)}, 5_000)["dead"]) == 0.01
    assert resolved({"entropy": 2.0}, 1e5) == {}
