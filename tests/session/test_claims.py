"""Claims and predictions: what the run decides, how it is scored, and what the verdict says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import report

from quizapp.bank import Prediction
from quizapp.session.answers import FAILS, HOLDS, Answer, score
from quizapp.session.asking import asked, listed, unit
from quizapp.session.evidence import evidence
from quizapp.session.library import read
from quizapp.session.records import log_answer
from quizapp.session.trial import Trial
from quizapp.text import i18n

ENTRIES = read([Path(__file__).parent.parent / "data" / "claims"]).entries
VALUES: dict[str, float | tuple[float, ...]] = {
    "score_std": 8.02,
    "score_variance": 64.3,
    "scaled_std": 1.0,
}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language("en")


def trial(name: str, *chosen: str, number: float | None = None) -> Trial:
    entry = ENTRIES[f"claims/{name}"]
    answer = Answer(chosen=chosen, number=number, text="" if number is None else f"{number:g}")
    return Trial(entry.question, entry.reference, answer, answer_id="a")


def met(name: str, *chosen: str, number: float | None = None, **values: float) -> Trial:
    made = trial(name, *chosen, number=number)
    made.take(made.main, report({**VALUES, **values}))
    return made


@pytest.mark.parametrize(
    ("name", "said", "outcome"),
    [
        ("true-claim", HOLDS, "right"),
        ("true-claim", FAILS, "wrong"),
        ("false-claim", HOLDS, "wrong"),
        ("false-claim", FAILS, "right"),
    ],
)
def test_the_run_decides_whether_a_claim_holds(name: str, said: str, outcome: str) -> None:
    assert trial(name, said).outcome is None
    assert met(name, said).outcome == outcome


def test_other_numbers_would_have_decided_otherwise() -> None:
    made = met("false-claim", HOLDS, score_std=64.0)
    assert made.outcome == "right"
    assert made.right_ids() == {HOLDS}


def test_a_claim_waits_for_a_complete_run_and_is_unrated_without_one() -> None:
    made = trial("true-claim", HOLDS)
    made.take(made.main, report(VALUES, status="partial"))
    assert made.outcome is None
    assert made.right_ids() == frozenset()
    made.take(made.main, report({}, status="failed"))
    assert made.outcome == "unrated"
    assert evidence(made).headline == "UNRATED: without the lab nothing decides"


def test_a_number_the_run_did_not_make_decides_nothing() -> None:
    made = trial("true-claim", HOLDS)
    made.take(made.main, report({"score_std": 8.0}))
    assert made.outcome is None


@pytest.mark.parametrize(
    ("name", "said", "headline"),
    [
        ("true-claim", HOLDS, "RIGHT: this run bears it out"),
        ("true-claim", FAILS, "NOT YET: you said it does not; this run bears it out"),
        ("false-claim", HOLDS, "NOT YET: you said it holds; this run refutes it"),
        ("false-claim", FAILS, "RIGHT: this run refutes it"),
    ],
)
def test_what_is_claimed_stands_beside_what_is_measured(
    name: str, said: str, headline: str
) -> None:
    shown = evidence(met(name, said))
    assert shown.headline == headline
    assert shown.grid.headings == ("claimed", "measured")
    rows = {row.label: row for row in shown.grid.rows}
    refuted = name == "false-claim"
    assert rows["score_std"].cells == ("about 64" if refuted else "about 8", "8.02")
    assert rows["score_std"].mark == ("refuted" if refuted else "held")
    assert rows["score_std"].deciding == refuted
    if refuted:
        assert rows["score_variance"].mark == "held"
        assert shown.feedback == "That is the variance."
        assert (
            shown.share_line == "score_std: claimed about 64, measured 8.02 — Sixty-four?, seed 0"
        )


def test_a_threshold_that_is_a_metric_is_logged_with_the_numbers() -> None:
    entry = ENTRIES["claims/true-claim"]
    logged = log_answer(entry, met("true-claim", FAILS))
    assert (logged.kind, logged.verdict, logged.answer) == ("claim", "wrong", {"chosen": [FAILS]})
    assert set(logged.metrics) == {"score_std", "score_variance", "scaled_std"}


def test_a_claim_is_asked_below_its_prompt_with_two_sides() -> None:
    question = ENTRIES["claims/true-claim"].question
    assert asked(question).endswith("\n\nCLAIM: “The std of q·k is 8.”")
    assert [one.id for one in listed(question)] == [HOLDS, FAILS]
    i18n.set_language("zh")
    assert "q·k 的标准差是 8。" in asked(question)
    assert [one.words for one in listed(question)] == ["成立", "不成立"]


@pytest.mark.parametrize(
    ("stated", "measured", "expected"),
    [
        (16.0, 16.0, 1.0),
        (17.6, 16.0, 1.0),  # at `full` it still counts fully
        (14.4, 16.0, 1.0),
        (20.8, 16.0, 0.6),  # 30 % off
        (11.2, 16.0, 0.6),
        (25.6, 16.0, 0.0),
        (-16.0, 16.0, 0.0),
        (-20.8, -16.0, 0.6),
        (0.0, 0.0, 1.0),
        (0.1, 0.0, 0.0),
    ],
)
def test_the_score_falls_linearly_with_relative_error(
    stated: float, measured: float, expected: float
) -> None:
    answer = Prediction.model_validate({"metric": "score_std", "full": 0.1001, "none": 0.6})
    assert score(answer, stated, measured) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("number", "outcome", "headline", "share"),
    [
        (16.5, "right", "RIGHT", 1.0),
        (20.8, "partial", "PARTLY: 20.8, measured 16.0 units", 0.6),
        (30.0, "wrong", "NOT YET: 30, right is 16.0 units", 0.0),
    ],
)
def test_a_prediction_is_right_partly_or_wrong(
    number: float, outcome: str, headline: str, share: float
) -> None:
    made = met("prediction", number=number, score_std=16.0)
    assert made.outcome == outcome
    shown = evidence(made)
    assert shown.headline == headline
    assert shown.grid.headings == ("you predicted", "measured")
    assert shown.grid.rows[0].cells == (f"{number:g}", "16.0")
    logged = log_answer(ENTRIES["claims/prediction"], made)
    assert logged.share == pytest.approx(share)
    assert logged.answer == {"typed": f"{number:g}", "number": number, "unit": "units"}


def test_a_prediction_shows_ratio_and_score() -> None:
    shown = evidence(met("prediction", number=20.8, score_std=16.0))
    assert shown.interval == "ratio 1.30, score 60 % (full within 10 %, none from 60 % off)"
    assert unit(ENTRIES["claims/prediction"].question) == "units"


def test_a_prediction_waits_and_is_unrated_without_a_run() -> None:
    made = trial("prediction", number=16.0)
    assert made.outcome is None
    assert made.share is None
    made.take(made.main, report({}, status="failed"))
    assert made.outcome == "unrated"
    assert evidence(made).interval == ""
