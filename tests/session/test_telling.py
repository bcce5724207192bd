"""Which numbers of two runs a reader can tell apart."""

from __future__ import annotations

import math

import pytest
from helpers import question, report

from quizapp.bank import SingleQuestion
from quizapp.session.telling import alike, rows

ENTROPY = ("entropy",)


def runs(*values: float) -> list:  # type: ignore[type-arg]
    return [report({"entropy": value}) for value in values]


@pytest.mark.parametrize(
    ("mine", "right"),
    [
        ((1.00, 1.02, 0.98), (1.01, 1.03, 0.99)),  # within the seeds' spread
        ((1.00, 1.02, 0.98), (1.05, 1.06, 1.04)),  # no more than three spreads away
        ((2.0, 2.0, 2.0), (2.0001, 2.0001, 2.0001)),  # shown in the same figures
        ((math.inf, math.inf), (math.inf, math.inf)),
        ((math.nan, math.nan), (math.nan, math.nan)),
    ],
)
def test_numbers_that_cannot_be_told_apart(
    mine: tuple[float, ...], right: tuple[float, ...]
) -> None:
    (told,) = alike(ENTROPY, runs(*mine), runs(*right))
    assert told.startswith("entropy = ")
    assert " against " in told


def test_the_author_is_told_means_and_spreads() -> None:
    (told,) = alike(ENTROPY, runs(1.0, 1.02, 0.98), runs(1.01, 1.01, 1.01))
    assert told == "entropy = 1 (spread 0.02) against 1.01"


@pytest.mark.parametrize(
    ("mine", "right"),
    [
        ((1.00, 1.02, 0.98), (1.10, 1.12, 1.08)),
        ((2.0, 2.0), (2.1, 2.1)),
        ((1e-16, 2e-16), (0.5, 0.6)),
        ((math.inf, 3.0), (3.0, 3.0)),
        ((math.nan, math.nan), (0.1, 0.1)),
    ],
)
def test_numbers_that_differ(mine: tuple[float, ...], right: tuple[float, ...]) -> None:
    assert alike(ENTROPY, runs(*mine), runs(*right)) == ()


def test_one_row_that_differs_is_enough() -> None:
    mine = [report({"entropy": 1.0, "score_std": 8.0 + seed / 100}) for seed in range(3)]
    right = [report({"entropy": 1.0, "score_std": 1.0 + seed / 100}) for seed in range(3)]
    assert alike(("entropy", "score_std"), mine, right) == ()
    assert alike(("entropy",), mine, right) == ("entropy = 1 against 1",)


def test_a_number_that_one_run_lacks_says_nothing() -> None:
    mine, right = runs(1.0, 1.0), [report({"score_std": 1.0}), report({"score_std": 1.0})]
    assert alike(("entropy", "score_std"), mine, right) == ()


def test_the_rows_are_the_belief_s_and_the_verdict_s() -> None:
    asked = question("spread")
    assert isinstance(asked, SingleQuestion)
    wrong = next(choice for choice in asked.choices if not choice.correct)
    expected = [wanted.metric for wanted in wrong.expects]
    shown = [row.metric for row in asked.show.rows]
    assert rows(asked, wrong) == tuple(dict.fromkeys([*expected, *shown]))
