"""The verdict's words and numbers, in both languages."""

from collections.abc import Iterator

import pytest
from helpers import report, trial

from quizapp.report import CrossCheck
from quizapp.session.evidence import evidence
from quizapp.text import Text, i18n


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language("en")


def answered(name: str, *chosen: str, values: dict[str, float | tuple[float, ...]]):  # type: ignore[no-untyped-def]
    made = trial(name, *chosen)
    for planned in made.plan():
        made.take(planned, report(values, errors={"score_std": 0.03}))
    return made


VALUES: dict[str, float | tuple[float, ...]] = {
    "score_std": 8.0213,
    "score_variance": 64.34,
    "scaled_std": 1.0026,
    "score_mean": 0.1,
    "three_sigma": (-24.1, 24.1),
}


def test_a_wrong_choice_stands_beside_what_is_measured() -> None:
    shown = evidence(answered("spread", "one", values=VALUES))
    assert shown.headline == "NOT YET: 1, right is 2"
    assert shown.grid.headings == ("you expected", "measured")
    first, variance, high = shown.grid.rows
    assert first.cells == ("about 1", "8.02 ± 0.03")
    assert (first.mark, first.deciding) == ("refuted", True)
    assert (variance.label, variance.cells, variance.mark) == ("variance", ("", "64.3"), None)
    assert high.cells == ("", "24.1")
    assert shown.feedback == "It is 8.0, with scale 1.0."
    assert shown.explanation == "Var = 64, `{literal}`."
    assert shown.say == "It is 8."
    assert shown.share_line == (
        "score_std: expected about 1, measured 8.02 ± 0.03 — How wide?, seed 0"
    )


def test_a_right_choice_is_borne_out() -> None:
    shown = evidence(answered("spread", "eight", values=VALUES))
    assert shown.headline == "RIGHT"
    assert shown.grid.rows[0].mark == "held"
    assert not any(row.deciding for row in shown.grid.rows)


def test_an_argued_choice_says_why_no_run_decides() -> None:
    shown = evidence(answered("spread", "nothing", values=VALUES))
    assert shown.argued == "A definition decides this."
    assert all(row.mark is None for row in shown.grid.rows)


def test_a_counterfactual_stands_beside_the_right_options_run() -> None:
    made = trial("change", "half")
    for planned, std in zip(made.plan(), (5.66, 4.02, 8.02), strict=True):
        made.take(planned, report({"score_std": std, "score_variance": std**2}))
    shown = evidence(made)
    assert shown.grid.headings == ("you expected", "measured", "right option's run")
    assert shown.grid.rows[0].cells == ("half of 8", "5.66", "4.02")
    assert shown.feedback == "That gives 5.66, not 4.02."


def test_a_missed_choice_was_believed_false() -> None:
    shown = evidence(answered("true-ones", "four", values={**VALUES, "score_variance": 16.1}))
    row = next(row for row in shown.grid.rows if row.label == "score_variance")
    assert row.cells[0] == "not about 16"
    assert row.mark == "refuted"


def test_a_number_shows_what_would_have_been_taken() -> None:
    made = trial("number", text="12", number=12.0)
    made.take(made.main, report({"score_std": 16.0}))
    shown = evidence(made)
    assert shown.headline == "NOT YET: 12, right is 16.0"
    assert shown.interval == "taken as right: 15.2 to 16.8"
    assert shown.grid.rows[0].cells == ("12", "16.0")


def test_before_the_first_report_the_frame_is_there() -> None:
    made = trial("spread", "one")
    shown = evidence(made)
    assert shown.headline == "NOT YET: 1, right is 2"
    assert shown.grid.rows[0].cells == ("about 1", "…")
    assert shown.progress == 0.0
    assert shown.explanation == "Var = …, `{literal}`."
    assert shown.provenance is None


def test_the_other_language_is_the_same_evidence() -> None:
    made = answered("spread", "one", values=VALUES)
    i18n.set_language("zh")
    shown = evidence(made)
    assert shown.grid.rows[0].label == "score_std（中）"
    assert shown.feedback == "是 8.0。"
    assert "2" in shown.headline


def test_what_is_played_changes_the_numbers_and_no_sentence() -> None:
    made = answered("spread", "one", values=VALUES)
    made.pending = {"d_k": 256}
    for planned in made.plan(made.pending):
        made.take(planned, report({**VALUES, "score_std": 16.0}))
    shown = evidence(made)
    assert shown.grid.rows[0].cells[1] == "16.0"
    assert shown.feedback == "It is 8.0, with scale 1.0."
    assert shown.say == "It is 8."


def test_a_cross_check_that_disagrees_is_told() -> None:
    made = answered("spread", "one", values=VALUES)
    assert evidence(made).troubles == ()
    checked = CrossCheck(
        ok=False,
        max_abs_diff=1.0,
        tolerance=0.1,
        metric="score_std",
        compared=("score_std",),
        method=Text.of("another way"),
    )
    run = made.reports[made.main]
    made.take(made.main, run.model_copy(update={"cross_check": checked}))
    assert "do not trust them" in evidence(made).troubles[0]
