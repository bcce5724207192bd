"""Rules across banks, parameter values one by one, and tells as numbers."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.bank import Bank, check, load_bank
from quizapp.bank.check_runs import refusal
from quizapp.bank.tells import tells
from quizapp.report import Catalogue
from quizapp.report.catalogue import ParamValue

HEADER = """\
format: quizapp/1
id: {id}
title: Demo
languages: [en, zh]
licence: CC-BY-4.0
authors: [{{name: Demo authors}}]
"""
QUESTION = """\
  - id: {id}
    kind: single
    title: Title
    prompt: Prompt
    tags: [attention/scaling]
    difficulty: 2
    choices:
{choices}
    explanation: "{{score_std}}"
    summary: Summary
    say: Say
    experiment: {{run: score_variance, with: {{d_k: 64}}}}
    followups: {{{followups}}}
"""
CHOICE = """\
      - id: {id}
        correct: {correct}
        text: {text}
        feedback: "{{right.score_std}} and {{score_mean}}"
        expects: [{{metric: score_std, about: {value}, rtol: 0.05}}]"""


def choice(name: str, text: str = "", *, correct: bool = False) -> str:
    value, shown = 8 if correct else 64, text or f"Choice {name}"
    return CHOICE.format(id=name, correct=str(correct).lower(), text=shown, value=value)


def question(name: str, choices: list[str], followups: str = "") -> str:
    return QUESTION.format(id=name, choices="\n".join(choices), followups=followups)


def bank(folder: Path, name: str, questions: list[str]) -> Bank:
    folder.mkdir()
    (folder / "bank.yaml").write_text(HEADER.format(id=name), encoding="utf-8")
    text = "format: quizapp/1\nquestions:\n" + "".join(questions)
    (folder / "q.yaml").write_text(text, encoding="utf-8")
    loaded = load_bank(folder)
    assert loaded.diagnostics == ()
    assert loaded.bank is not None
    return loaded.bank


PAIR = [choice("a", correct=True), choice("b")]


def test_a_sound_bank_has_no_findings(tmp_path: Path, catalogue: Catalogue) -> None:
    first = question("one", PAIR, "right: two, wrong: other/three")
    one = bank(tmp_path / "one", "one", [first, question("two", PAIR)])
    other = bank(tmp_path / "other", "other", [question("three", PAIR)])
    assert check([one, other], catalogue) == ()


def test_references_into_another_bank_are_looked_up_there(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    one = bank(tmp_path / "one", "one", [question("one", PAIR, "right: other/treee")])
    other = bank(tmp_path / "other", "other", [question("three", PAIR)])
    (alone,) = check([one], catalogue)
    assert (alone.code, alone.severity) == ("QB035", "warning")
    (found,) = check([one, other], catalogue)
    assert (found.code, found.severity) == ("QB035", "error")
    assert "did you mean `three`?" in found.message


def test_bank_ids_are_unique(tmp_path: Path, catalogue: Catalogue) -> None:
    one = bank(tmp_path / "one", "same", [question("one", PAIR)])
    two = bank(tmp_path / "two", "same", [question("two", PAIR)])
    (found,) = check([one, two], catalogue)
    assert (found.code, found.path) == ("QB034", str(tmp_path / "two" / "bank.yaml"))
    assert str(tmp_path / "one") in found.message


def test_an_empty_catalogue_tells_the_experiment_once(tmp_path: Path, catalogue: Catalogue) -> None:
    one = bank(tmp_path / "one", "one", [question("one", PAIR)])
    assert [d.code for d in check([one], Catalogue())] == ["QB050"]


def test_an_experiment_that_cannot_be_loaded_is_told_as_such(tmp_path: Path) -> None:
    one = bank(tmp_path / "one", "one", [question("one", PAIR)])
    name = one.questions["one"].experiment.run
    (found,) = check([one], Catalogue(broken={name: "x.py:3: it cannot be loaded\n  NameError"}))
    assert found.message == "x.py:3: it cannot be loaded: NameError"
    assert found.remedy == "Mend that file first."


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("d_k", 1, None),
        ("d_k", 4096, None),
        ("d_k", 64.0, None),
        ("d_k", 0, "a whole number from 1 to 4096"),
        ("d_k", 4097, "a whole number from 1 to 4096"),
        ("d_k", 64.5, "a whole number from 1 to 4096"),
        ("d_k", True, "a whole number from 1 to 4096"),
        ("d_k", "64", "a whole number from 1 to 4096, without quotes"),
        ("d_k", (64.0,), "a whole number from 1 to 4096"),
        ("seed", 2**31, "a whole number from 0 to 2147483647"),
        ("mean", 1e9, None),
        ("mean", -11, "a number of at least -10"),
        ("masked", False, None),
        ("masked", 0, "`true` or `false`, without quotes"),
        ("scale", "sqrt", None),
        ("scale", "log", "one of `none`, `sqrt`, `1`"),
        ("scale", 1, "one of `none`, `sqrt`, `1` in quotes"),
        ("logits", (1.0, -100.0), None),
        ("logits", (1.0, 101.0), "a list of numbers from -100 to 100, as in [2, 1, 0.5]"),
        ("logits", "2,1", "a list of numbers from -100 to 100, as in [2, 1, 0.5]"),
    ],
)
def test_parameters(name: str, value: ParamValue, wanted: str | None, catalogue: Catalogue) -> None:
    assert refusal(catalogue.experiments["score_variance"].params[name], value) == wanted


def test_tells_count_ties_by_parts_and_chance_by_question(tmp_path: Path) -> None:
    short, long = "Ab", "Much, much longer"
    made = bank(
        tmp_path / "one",
        "one",
        [
            question("first", [choice("a", long, correct=True), choice("b", short)]),
            question("tied", [choice("a", "Ac"), choice("b", short, correct=True)]),
            question(
                "four",
                [choice("a", long), choice("b"), choice("c"), choice("d", correct=True)],
            ),
        ],
    )
    found = tells(made)
    assert found.bank == "one"
    assert found.first.questions == 3
    assert found.first.share == pytest.approx(1 / 3)
    assert found.first.chance == pytest.approx((0.5 + 0.5 + 0.25) / 3)
    assert found.first.stderr == pytest.approx(math.sqrt(0.25 + 0.25 + 0.1875) / 3)
    assert found.longest["en"].share == pytest.approx(0.5)
    assert not found.longest["en"].telling  # three questions say nothing


def test_length_is_counted_per_language(tmp_path: Path) -> None:
    right = choice("a", "{en: The longer one, zh: 短}", correct=True)
    wrong = choice("b", "{en: Short, zh: 这个更长}")
    found = tells(bank(tmp_path / "one", "one", [question("one", [right, wrong])]))
    assert found.longest["en"].share == 1.0
    assert found.longest["zh"].share == 0.0


@pytest.mark.parametrize(("hits", "telling"), [(9, False), (10, True)])
def test_a_tell_begins_two_standard_errors_above_chance(
    hits: int, telling: bool, tmp_path: Path
) -> None:
    """12 questions of two choices: chance 0.5, standard error 0.144, limit 0.789."""
    asked = [
        question(f"q-{i}", [choice("a", correct=i < hits), choice("b", correct=i >= hits)])
        for i in range(12)
    ]
    assert tells(bank(tmp_path / "one", "one", asked)).first.telling is telling


def test_importing_the_room_loads_no_heavy_library() -> None:
    code = (
        "import sys, quizapp.bank, quizapp.text.placeholders, quizapp.text.entry;"
        "print(sorted({'torch', 'numpy', 'textual', 'rich', 'quizapp.lab'} & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert shown.strip() == "[]"
