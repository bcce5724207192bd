"""Numbers with units: what counts as the same, what a known slip is worth, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import report

from quizapp.errors import UsageError
from quizapp.report import Metric, Report
from quizapp.session.answers import Answer
from quizapp.session.asking import placeholder
from quizapp.session.evidence import evidence
from quizapp.session.library import read
from quizapp.session.reading import blank_entry, typed
from quizapp.session.records import log_answer
from quizapp.session.trial import Trial
from quizapp.text import Text, i18n

ENTRIES = read([Path(__file__).parent.parent / "data" / "amounts"]).entries
MIB = 2.0**20


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language("en")


def cache(values: dict[str, float], status: str = "final") -> Report:
    """A run that measures these bytes."""
    made = report(dict(values), experiment="grouped_queries", status=status)
    metrics = {
        name: Metric(value=value, unit="B", label=Text.of(name), meaning=Text.of(name))
        for name, value in values.items()
    }
    return made.model_copy(update={"metrics": metrics})


RUN = cache({"cache_bytes": 2 * MIB, "cache_bytes_mha": 8 * MIB})


def met(entry: str, text: str, run: Report = RUN) -> Trial:
    question = ENTRIES[f"amounts/{entry}"].question
    filled = (text,) if question.kind == "blank" else ()
    answer = Answer(filled=filled) if filled else typed(question, text)
    made = Trial(question, f"amounts/{entry}", answer, answer_id="a")
    made.take(made.main, run)
    return made


@pytest.mark.parametrize("text", ["2 MiB", "2097152", "2.1e6 B", "0.002 GiB", "2050 KiB"])
def test_the_same_amount_in_any_unit_is_right(text: str) -> None:
    made = met("bytes", text)
    assert (made.outcome, made.share) == ("right", 1.0)
    assert evidence(made).interval == "taken as right: 1.90 MiB to 2.10 MiB"


def test_a_run_in_another_unit_is_converted() -> None:
    made = met("mebibytes", "2.0")
    assert made.outcome == "right"
    assert evidence(made).interval == "taken as right: 1.990 MiB to 2.010 MiB"
    assert made.question.kind == "numeric"
    assert met("mebibytes", "2048 KiB").outcome == "right"


@pytest.mark.parametrize(
    ("text", "outcome", "share", "told"),
    [
        ("1 MiB", "partial", 0.5, "You counted K but not V: it is 2,097,152 bytes."),
        ("8 MiB", "wrong", 0.0, "Every query head its own? That would be 8,388,608."),
        ("16 B", "wrong", 0.0, "Sixteen is the width."),
        ("3 MiB", "wrong", 0.0, "Both K and V."),
    ],
)
def test_a_known_slip_has_its_worth_and_its_words(
    text: str, outcome: str, share: float, told: str
) -> None:
    made = met("bytes", text)
    assert (made.outcome, made.share) == (outcome, share)
    shown = evidence(made)
    assert (shown.feedback or shown.summary) == told
    assert (
        shown.headline
        == {
            "partial": f"PARTLY: {text}, measured 2.00 MiB",
            "wrong": f"NOT YET: {text}, right is 2.00 MiB",
        }[outcome]
    )


def test_what_was_mistaken_for_it_stands_in_the_table() -> None:
    grid = evidence(met("bytes", "8 MiB")).grid
    assert [(row.label, row.cells) for row in grid.rows] == [
        ("cache_bytes", ("8 MiB", "2.00 MiB")),
        ("cache_bytes_mha", ("", "8.00 MiB")),
    ]
    assert [row.mark for row in grid.rows] == ["refuted", None]
    assert grid.rows[0].deciding


def test_a_number_of_bare_bytes_is_shown_as_the_run_shows_it() -> None:
    assert evidence(met("bytes", "1048576")).grid.rows[0].cells[0] == "1048576 = 1.00 MiB"


def test_nothing_is_decided_before_the_run_has() -> None:
    made = met("bytes", "1 MiB", cache({"cache_bytes": 2 * MIB}, status="partial"))
    assert (made.outcome, made.share, made.near_miss) == (None, None, None)


def test_too_few_digits_are_refused_and_decide_nothing() -> None:
    question = ENTRIES["amounts/mebibytes"].question
    for text in ("2", "2 MiB", "9"):  # right or wrong alike
        with pytest.raises(UsageError, match="State at least 2 significant digits"):
            typed(question, text)
    assert placeholder(question) == "a number, MiB, at least 2 digits"


def test_a_blank_takes_units_and_knows_slips_too() -> None:
    question = ENTRIES["amounts/filled"].question
    assert blank_entry(question, 0, " 2 MiB ") == "2 MiB"
    assert met("filled", "2048 KiB").outcome == "right"
    made = met("filled", "1 MiB")
    assert (made.outcome, made.share) == ("partial", 0.5)
    assert evidence(made).feedback == "Blank 1: you gave “1 MiB”, right is “2.00 MiB”. Only K."
    with pytest.raises(UsageError, match="Type B, KiB"):
        blank_entry(question, 0, "2 s")


def test_the_log_keeps_what_was_typed_what_it_means_and_the_slip() -> None:
    logged = log_answer(ENTRIES["amounts/bytes"], met("bytes", "8 MiB"))
    assert logged.answer == {
        "typed": "8 MiB",
        "number": 8 * MIB,
        "unit": "B",
        "near_miss": "all-heads",
    }
    assert logged.metrics == {"cache_bytes": 2 * MIB, "cache_bytes_mha": 8 * MIB}
    assert logged.share == 0
