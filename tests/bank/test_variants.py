"""Variants: values put in place, which one is asked when, and what they mean for history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quizapp.bank import Question, SingleQuestion, check, identify, load_bank, read_questions
from quizapp.bank.bodies import question_of
from quizapp.bank.models import BlankQuestion
from quizapp.bank.variants import cases, fill_in, turn_of
from quizapp.bank.written import Slot
from quizapp.report import Catalogue

DATA = Path(__file__).parent.parent / "data" / "variants"


def questions(text: str | None = None, folder: Path = DATA) -> dict[str, Question]:
    file = folder / "questions.yaml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    result = read_questions(file)
    assert [found.render() for found in result.diagnostics] == []
    return {question.id: question for question in result.questions.values()}


def test_values_stand_in_texts_parameters_and_numbers() -> None:
    first, second, _ = cases(questions()["spread"])
    assert (first.name, second.name) == ("variant 1 (d_k = 16)", "variant 2 (d_k = 64)")
    assert second.values == {"d_k": 64, "root": 8, "half": 32}
    asked = second.question
    assert isinstance(asked, SingleQuestion)
    assert asked.variants is None
    assert asked.prompt.to("en") == "d_k = 64. The std of q·k? Not `{d_k}`."
    assert asked.hints[0].to("zh") == "64 项之和。"
    assert [choice.text.to("en") for choice in asked.choices] == [
        "8", "64 or so", "as for half the width",
    ]  # fmt: skip
    # Numbers of runs are for the run to fill in.
    assert asked.choices[0].feedback.to("en") == "√64, measured {score_std:.1f}."
    assert asked.experiment.with_ == {"d_k": 64, "pairs": 20000}
    assert isinstance(asked.experiment.with_["d_k"], int)
    assert asked.choices[1].expects[0].about == 64
    counterfactual = asked.choices[2].counterfactual
    assert counterfactual is not None
    assert counterfactual.with_ == {"d_k": 32}


def test_spellings_of_a_blank_are_filled_in_too() -> None:
    asked = cases(questions()["filled"])[1].question
    assert isinstance(asked, BlankQuestion)
    assert asked.blanks[0].written[0].forms == ("8", "√64")
    assert asked.sentence.to("en") == "At d_k = 64 the std is [[std]]."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{d_k}", "4096"), ("{x}", "0.1"), ("{third}", "0.333333"), ("{third:.2f}", "0.33"),
        ("{d_k:.1e}", "4.1e+03"), ("{right.d_k}", "{right.d_k}"), ("{d_k[0]}", "{d_k[0]}"),
        ("{score_std:.1f}", "{score_std:.1f}"), ("`{d_k}` and {d_k}", "`{d_k}` and 4096"),
        ("{ d_k }", "{ d_k }"), ("no brace", "no brace"), ("{x:.0%}", "10 %"),
    ],
)  # fmt: skip
def test_a_value_is_shown_as_it_would_be_written(text: str, shown: str) -> None:
    assert fill_in(text, {"d_k": 4096, "x": 0.1, "third": 1 / 3}) == shown


def test_every_variant_has_its_turn_before_one_comes_again() -> None:
    for reference in ("bank/a", "bank/b", "bank/c"):
        turns = [turn_of(reference, 5, turn) for turn in range(10)]
        assert sorted(turns[:5]) == list(range(5))
        assert turns[5:] == turns[:5]
    assert len({tuple(turn_of(f"bank/{n}", 5, turn) for turn in range(5)) for n in range(20)}) > 5


def test_the_values_are_part_of_the_meaning_and_their_writing_is_not(tmp_path: Path) -> None:
    text = (DATA / "questions.yaml").read_text(encoding="utf-8")
    before = identify("b", questions(text, tmp_path)["spread"])
    same = text.replace("- {d_k: 16}", "- {d_k: 16.0}", 1)
    assert identify("b", questions(same, tmp_path)["spread"]) == before
    for old, new in (
        ("- {d_k: 16}", "- {d_k: 32}"),
        ("root: sqrt(d_k)\n", "root: d_k ** 0.5\n"),
        ('about: "{root}"', 'about: "{half}"'),
        ('d_k: "{half}"', 'd_k: "{root}"'),
    ):
        changed = identify("b", questions(text.replace(old, new, 1), tmp_path)["spread"])
        assert changed.meaning != before.meaning, new


def test_a_question_comes_out_of_the_cache_as_it_went_in() -> None:
    result = read_questions(DATA / "questions.yaml")
    for index, question in result.questions.items():
        again = question_of(json.dumps(result.entries[index]).encode())
        assert again == question
        assert [case.question for case in cases(again)] == [
            case.question for case in cases(question)
        ]
        dumped = question.model_dump_json(by_alias=True)
        assert type(question).model_validate_json(dumped) == question


def test_a_slot_is_no_number() -> None:
    slot = Slot("{d_k}")
    assert str(slot) == "{d_k}"
    assert slot == Slot("{d_k}") != Slot("{d_v}")
    assert (slot != 64, slot < 64, slot > 64) == (True, False, False)


def test_the_rules_hold_for_each_variant(catalogue: Catalogue, tmp_path: Path) -> None:
    for file in DATA.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    bank = load_bank(tmp_path).bank
    assert bank is not None
    assert [f for f in check([bank], catalogue) if "pairs" not in f.message] == []
    file = tmp_path / "questions.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("{d_k: 256}", "{d_k: 1}", 1), encoding="utf-8")
    bank = load_bank(tmp_path).bank
    assert bank is not None
    found = [f for f in check([bank], catalogue) if "pairs" not in f.message]
    # At d_k = 1 the half is no width, and the two numbers are the same.
    assert [(one.code, one.message) for one in found] == [
        ("QB062", "`all` is wrong and expects the same as `root`, which is right; "
                  "variant 3 (d_k = 1)"),
        ("QB052", "`d_k` of `score_variance` cannot be `0.5`; variant 3 (d_k = 1)"),
    ]  # fmt: skip
