"""Answers in parts: how much of each counts, what was wrong with it, and what the log keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import report

from quizapp.bank import MatchQuestion
from quizapp.plot.grid import GridRow
from quizapp.session.answers import Answer
from quizapp.session.asking import asked, blank_options, listed, partners, to_be_marked
from quizapp.session.evidence import evidence
from quizapp.session.library import read
from quizapp.session.records import log_answer
from quizapp.session.trial import Planned, Trial
from quizapp.text import i18n

ENTRIES = read([Path(__file__).parent.parent / "data" / "parts"]).entries
SCORES: dict[str, float | tuple[float, ...]] = {
    "score_mean": 0.01,
    "score_std": 8.02,
    "score_variance": 64.3,
    "scaled_std": 1.0,
}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language("en")


def trial(name: str, answer: Answer) -> Trial:
    entry = ENTRIES[f"parts/{name}"]
    return Trial(entry.question, entry.reference, answer, answer_id="a")


def met(name: str, answer: Answer, **values: float | tuple[float, ...]) -> Trial:
    made = trial(name, answer)
    made.take(made.main, report({**SCORES, **values}))
    return made


def rows(made: Trial) -> list[GridRow]:
    return list(evidence(made).grid.rows)


# --- shape -----------------------------------------------------------------------------


def shaped(*sizes: int) -> Trial:
    return met("shape", Answer(shape=sizes), output_shape=(1.0, 5.0, 3.0))


def test_a_shape_waits_for_its_run_and_is_unrated_without_one() -> None:
    made = trial("shape", Answer(shape=(1, 5, 3)))
    assert made.outcome is None
    made.take(made.main, report({"output_shape": (1.0, 5.0, 3.0)}, status="partial"))
    assert made.outcome is None
    made.take(made.main, report({}, status="failed"))
    assert made.outcome == "unrated"


@pytest.mark.parametrize("sizes", [(1, 5, 4), (5, 3), (1, 5), (5, 1, 3), (1, 5, 3, 1)])
def test_all_axes_are_right_in_order_or_it_is_wrong(sizes: tuple[int, ...]) -> None:
    made = shaped(*sizes)
    assert (made.outcome, made.share) == ("wrong", None)
    assert shaped(1, 5, 3).outcome == "right"


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ((1, 5, 7), "Axis 3, width of V: you gave 7, measured 3."),
        ((1, 64, 3), "Axis 2, tokens: you gave 64, the value of `d_k`; measured 5."),
        ((5, 3), "You gave 2 axes; it has 3: batch, tokens, width of V."),
        ((3, 5, 1), "The sizes are right, their order is not: it is batch, tokens, width of V."),
    ],
)
def test_the_axis_that_is_wrong_is_named(sizes: tuple[int, ...], told: str) -> None:
    shown = evidence(shaped(*sizes))
    assert shown.feedback.startswith(f"- {told}")
    assert shown.headline.startswith("NOT YET: (")
    assert shown.headline.endswith(", right is (1, 5, 3)")


def test_a_known_slip_has_its_own_words_and_its_own_run() -> None:
    made = shaped(1, 5, 4)
    (own,) = [planned for planned in made.plan() if planned != made.main]
    made.take(own, report({"output_shape": (1.0, 5.0, 4.0)}))
    shown = evidence(made)
    assert shown.feedback.endswith("- That is 4 wide.")
    assert shown.grid.headings == ("you expected", "measured", "run of your shape")
    assert shown.grid.rows[2] == GridRow("axis 3: width of V", ("4", "3", "4"), "refuted", True)
    assert [row.mark for row in shown.grid.rows] == ["held", "held", "refuted", None]


def test_axes_too_many_stand_in_the_table_as_well() -> None:
    labels = [row.label for row in rows(shaped(1, 5, 3, 2))]
    assert labels[3] == "axis 4: there is none"


# --- order -----------------------------------------------------------------------------


def ordered(*steps: str, name: str = "order") -> Trial:
    return met(name, Answer(chosen=steps))


@pytest.mark.parametrize(
    ("steps", "share", "outcome"),
    [
        (("mean", "square", "sum", "root"), 1.0, "right"),
        (("square", "mean", "sum", "root"), 1.0, "right"),  # neither needs the other
        (("mean", "sum", "square", "root"), 0.75, "partial"),
        (("root", "sum", "square", "mean"), 0.5, "partial"),  # mean and square in any order
        (("mean", "square", "sum", "root", "stds"), 0.75, "partial"),
        (("sum", "root"), 0.5, "partial"),
        (("root", "sum"), 0.25, "wrong"),
        (("stds",), 0.0, "wrong"),
    ],
)
def test_an_order_counts_by_its_longest_part_in_order(
    steps: tuple[str, ...], share: float, outcome: str
) -> None:
    made = ordered(*steps)
    assert (made.share, made.outcome) == (share, outcome)


def test_an_exact_order_is_all_or_nothing() -> None:
    assert ordered("one", "two", "three", name="exact").outcome == "right"
    made = ordered("one", "three", "two", name="exact")
    assert (made.share, made.outcome) == (0.0, "wrong")


def test_the_step_that_stands_wrongly_is_named_with_the_one_it_needs() -> None:
    shown = evidence(ordered("root", "mean", "square", "sum"))
    assert shown.headline == "PARTLY: 3 of 4 steps in order"
    assert shown.feedback == (
        "“The root makes it 1” needs “Variances add to d_k” before it. The variance comes first."
    )
    shown = evidence(ordered("sum", "root", "mean"))
    assert "“One term has mean 0” belongs before “Variances add to d_k”. Measured 0.01." in (
        shown.feedback
    )
    assert "Left out: “One term has mean square 1”. It is the variance." in shown.feedback


def test_each_step_stands_beside_its_number_in_a_right_order() -> None:
    made = ordered("mean", "square", "sum", "stds", "root")
    shown = evidence(made)
    assert shown.headline == "PARTLY: 4 of 4 steps in order, 1 does not belong"
    assert shown.grid.headings == ("your place", "measured")
    cells = [(row.label, *row.cells, row.mark) for row in shown.grid.rows]
    assert cells == [
        ("1  score_mean", "1", "0.0100", "held"),
        ("2  One term has mean square 1", "2", "", "held"),
        ("3  the sum", "3", "64.3", "held"),
        ("4  scaled_std", "5", "1.00", "held"),
        ("–  score_std", "4", "8.02", "refuted"),
    ]
    assert shown.feedback == "“Standard deviations add” does not belong. They do not: 8.0."


def test_the_cards_are_shuffled_alike_each_time_and_never_in_order() -> None:
    for name in ("order", "exact"):
        question = ENTRIES[f"parts/{name}"].question
        cards = [one.id for one in listed(question)]
        assert cards == [one.id for one in listed(question)]
        assert ordered(*cards, name=name).outcome != "right"
        assert sorted(cards) == sorted(one.id for one in to_be_marked(question))


# --- match -----------------------------------------------------------------------------


def paired(*names: str) -> Trial:
    made = met("match", Answer(filled=names))
    for planned in made.plan():
        d_k = dict(planned.params)["d_k"]
        made.take(planned, report({"score_std": {16: 4.01, 64: 8.02, 256: 16.1}[d_k]}))  # type: ignore[index]
    return made


def test_pairs_count_one_by_one_and_each_item_has_its_run() -> None:
    made = paired("four", "sixteen", "eight")
    assert made.outcome == "wrong"
    assert made.share == pytest.approx(1 / 3)
    assert [dict(planned.params)["d_k"] for planned in made.plan()] == [64, 256, 16]
    shown = evidence(made)
    cells = [(row.label, row.cells[1], row.mark, row.deciding) for row in shown.grid.rows]
    assert cells == [
        ("d_k = 16: score_std", "4.01", "held", False),
        ("d_k = 64: score_std", "8.02", "refuted", True),
        ("widest: score_std", "16.1", "refuted", False),
    ]
    assert paired("four", "eight", "sixteen").outcome == "right"
    assert paired("four", "eight", "width").outcome == "partial"


def test_a_wrong_pair_is_told_by_its_letters_and_its_own_run() -> None:
    question = ENTRIES["parts/match"].question
    letters = dict(zip((one.id for one in partners(question)), "abcd", strict=True))
    shown = evidence(paired("four", "eight", "width"))
    assert shown.headline == "PARTLY: 2 of 3 pairs"
    assert shown.feedback == (
        f"widest: you said {letters['width']}, right is {letters['sixteen']}. The std is 16.1."
    )
    assert shown.grid.rows[2].cells[0] == f"{letters['width']}: above 100"


def test_an_item_left_without_a_partner_is_wrong() -> None:
    made = paired("four", "eight", "")
    assert made.share == pytest.approx(2 / 3)
    assert rows(made)[2].cells == ("–", "")


# --- blank -----------------------------------------------------------------------------


def filled(*given: str) -> Trial:
    return met("blank", Answer(filled=given))


@pytest.mark.parametrize(
    ("given", "share", "outcome"),
    [
        (("d_k", "8.1", "root"), 1.0, "right"),
        (("D_k", "8", "root"), 1.0, "right"),
        (("64", "7.9", "half"), 2 / 3, "partial"),
        (("dₖ", "9", "half"), 1 / 3, "wrong"),
        (("d_k2", "", "half"), 0.0, "wrong"),
    ],
)
def test_blanks_count_one_by_one(given: tuple[str, ...], share: float, outcome: str) -> None:
    made = filled(*given)
    assert made.share == pytest.approx(share)
    assert made.outcome == outcome


def test_blanks_with_a_measured_number_wait_for_the_run() -> None:
    made = trial("blank", Answer(filled=("d_k", "8", "root")))
    assert made.outcome is None
    made.take(made.main, report({}, status="failed"))
    assert made.outcome == "unrated"


def test_the_blank_that_is_wrong_is_named_with_what_is_right() -> None:
    shown = evidence(filled("d_k^2", "9.5", "root"))
    assert shown.headline == "NOT YET: 1 of 3 blanks"
    assert shown.feedback == (
        "- Blank 1: you gave “d_k^2”, right is “d_k”. Only 64.\n"
        "- Blank 2: you gave “9.5”, right is “8.02”. Taken as right: 7.22 to 8.82."
    )
    cells = [(row.label, *row.cells, row.mark) for row in shown.grid.rows]
    assert cells == [
        ("1  the variance", "d_k^2: about 4.1e+03", "64.3", "refuted"),
        ("2  the std", "9.5", "8.02", "refuted"),
        ("3  std after it", "about 1", "1.00", "held"),
    ]


def test_what_is_not_recognised_is_held_against_what_is_right() -> None:
    made = filled("banana {score_std}", "8", "root")
    assert rows(made)[0].cells == ("banana {score_std}", "64.3")
    assert "you gave “banana {score_std}”, right is “d_k”." in evidence(made).feedback


def test_all_blanks_right_are_told_why() -> None:
    assert evidence(filled("d_k", "8", "root")).feedback == "All of it: 8.0."


def test_a_sentence_shows_what_fills_it_in_either_language() -> None:
    question = ENTRIES["parts/blank"].question
    assert asked(question).endswith(
        "Var is [1: ____], its root [2: ____]; divided by [3: ____] it is 1."
    )
    shown = asked(question, ("d_k", "", "half"), 1)
    assert shown.endswith(
        "Var is [1: d_k], its root [2> ____]; divided by [3: half of d_k] it is 1."
    )
    i18n.set_language("zh")
    assert asked(question).endswith("除以 [3: ____] 得 1；方差 [1: ____]，开方 [2: ____]。")
    assert [len(options) for options in blank_options(question)] == [0, 0, 2]


# --- multi -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "chosen", "share", "outcome"),
    [
        ("net", ("std", "variance"), 1.0, "right"),
        ("net", ("std",), 0.5, "partial"),
        ("net", ("std", "variance", "mean"), 0.5, "partial"),
        ("net", ("std", "mean"), 0.0, "wrong"),
        ("net", ("mean", "scaled"), 0.0, "wrong"),
        ("net", (), 0.0, "wrong"),
        ("each", ("std", "variance"), 1.0, "right"),
        ("each", ("std",), 0.75, "partial"),
        ("each", ("std", "mean"), 0.5, "partial"),
        ("each", ("mean",), 0.25, "wrong"),
        ("each", (), 0.0, "wrong"),  # no answer at all, although two are left rightly
    ],
)
def test_several_choices_count_by_their_scoring(
    name: str, chosen: tuple[str, ...], share: float, outcome: str
) -> None:
    made = met(name, Answer(chosen=chosen))
    assert (made.share, made.outcome) == (share, outcome)
    if outcome == "partial":
        assert evidence(made).headline == f"PARTLY: {100 * share:.0f} % of it counts"


# --- the log ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "answer", "kept"),
    [
        (
            "shape",
            Answer(text="(1, 5, 3)", shape=(1, 5, 3)),
            {"typed": "(1, 5, 3)", "shape": [1, 5, 3]},
        ),
        ("order", Answer(chosen=("sum", "mean")), {"order": ["sum", "mean"]}),
        (
            "match",
            Answer(filled=("four", "", "width")),
            {"pairs": {"small": "four", "middle": None, "large": "width"}},
        ),
        (
            "blank",
            Answer(filled=("d_k", "8", "root")),
            {"filled": {"variance": "d_k", "std": "8", "divisor": "root"}},
        ),
    ],
)
def test_the_log_keeps_every_part(name: str, answer: Answer, kept: dict[str, object]) -> None:
    made = met(name, answer, output_shape=(1.0, 5.0, 3.0))
    logged = log_answer(ENTRIES[f"parts/{name}"], made)
    assert (logged.kind, logged.answer) == (name, kept)
    assert logged.share == made.share


def test_the_numbers_that_decided_are_logged() -> None:
    made = met("blank", Answer(filled=("d_k", "8", "root")))
    logged = log_answer(ENTRIES["parts/blank"], made)
    assert set(logged.metrics) == {"score_variance", "score_std", "scaled_std"}


def test_items_of_a_match_are_listed_as_asked_and_its_partners_are_not() -> None:
    question = ENTRIES["parts/match"].question
    assert isinstance(question, MatchQuestion)
    assert [one.id for one in listed(question)] == ["small", "middle", "large"]
    assert sorted(one.id for one in partners(question)) == sorted(p.id for p in question.partners)
    assert to_be_marked(question)[0].words == "d_k = 16 → std 4"


def test_a_run_of_its_own_is_planned_once() -> None:
    made = trial("match", Answer(filled=("four", "four", "four")))
    assert len(made.plan()) == len({*made.plan()}) == 3
    assert made.mine == made.main == Planned("score_variance", (("d_k", 64), ("pairs", 20000)))
