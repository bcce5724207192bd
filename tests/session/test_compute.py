"""`check --compute`: what running a bank finds, pointed at its line."""

import asyncio
from pathlib import Path
from typing import cast

import pytest
from driving import SMALL, LocalEngine

from quizapp.bank import Diagnostic, load_bank
from quizapp.lab.client import Engine
from quizapp.session.compute import try_bank


def findings(folder: Path, only: str | None = None) -> tuple[Diagnostic, ...]:
    bank = load_bank(folder).bank
    assert bank is not None
    chosen = None if only is None else frozenset({only})
    return asyncio.run(try_bank(bank, [cast(Engine, LocalEngine())], only=chosen))


def changed(tmp_path: Path, old: str, new: str, bank: Path = SMALL) -> Path:
    """The small bank, or another, with one thing changed, for the worse."""
    for file in bank.iterdir():
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert (tmp_path / "questions.yaml").read_text(encoding="utf-8").count(new) >= 1
    return tmp_path


def test_a_sound_bank_has_no_findings() -> None:
    assert findings(SMALL) == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        (
            "{metric: score_std, about: 8, rtol: 0.05}",
            "{metric: score_std, about: 9, rtol: 0.05}",
            "QB071",
            "the right choice `eight` is not borne out: score_std = 8.0",
        ),
        (
            "{metric: score_std, about: 1, rtol: 0.1}",
            "{metric: score_std, above: 7}",
            "QB072",
            "the wrong choice `one` is not refuted: score_std = 8.0",
        ),
        (
            # False on every seed, but by no more than the seeds differ among themselves.
            "{metric: score_std, about: 1, rtol: 0.1}",
            "{metric: score_std, above: 8.1}",
            "QB072",
            "is not refuted",
        ),
        (
            "answer: {metric: score_std, rtol: 0.05}",
            "answer: {metric: score_std, rtol: 0.001}",
            "QB073",
            "under 4 standard errors",
        ),
        ("with: {d_k: 64, pairs: 20000}", "with: {d_k: 0}", "QB070", "d_k takes a whole number"),
    ],
)
def test_what_running_finds(tmp_path: Path, old: str, new: str, code: str, words: str) -> None:
    only = "number" if code == "QB073" else "spread"
    first, *_ = findings(changed(tmp_path, old, new), only)
    assert first.code == code
    assert words in first.message
    assert first.path.endswith("questions.yaml")
    assert first.line > 0


CLAIMS = SMALL.parent / "claims"


def test_claims_sentences_and_predictions_that_are_sound_have_no_findings() -> None:
    assert findings(CLAIMS) == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "words", "where"),
    [
        (
            # Inside on some seeds, outside on others.
            "{metric: score_std, about: 64, rtol: 0.1}",
            "{metric: score_std, below: 8.0}",
            "QB075",
            "the claim is neither borne out nor refuted: score_std = ",
            "false-claim",
        ),
        (
            # Inside on all of them, but by less than the seeds differ among themselves.
            "{metric: score_std, about: 64, rtol: 0.1}",
            "{metric: score_std, below: 8.08}",
            "QB075",
            "against 8.08",
            "false-claim",
        ),
        (
            "{metric: score_variance, about: 64, rtol: 0.05}\n      - text",
            "{metric: score_variance, about: 60, rtol: 0.05}\n      - text",
            "QB076",
            "the sentence is not borne out: score_variance = ",
            "true-claim",
        ),
        (
            "with: {d_k: 16, pairs: 20000}}",
            "with: {d_k: 32, pairs: 20000}}",
            "QB076",
            "the sentence “A quarter of the width halves the std.” is not borne out: "
            "score_std = 5.6",
            "true-claim",
        ),
        (
            "with: {d_k: 16, pairs: 20000}}",
            "with: {d_k: 0}}",
            "QB070",
            "the run failed with seed 0",
            "true-claim",
        ),
    ],
)
def test_what_running_finds_of_claims(
    tmp_path: Path, old: str, new: str, code: str, words: str, where: str
) -> None:
    (found,) = findings(changed(tmp_path, old, new, CLAIMS), where)
    assert found.code == code
    assert words in found.message
    assert found.line > 0


def test_a_sentence_is_tried_on_as_many_seeds_as_it_says(tmp_path: Path) -> None:
    old, new = "with: {d_k: 16, pairs: 20000}}", "with: {d_k: 32, pairs: 20000}}"
    (found,) = findings(changed(tmp_path, old, new, CLAIMS), "true-claim")
    figures = found.message.partition("score_std = ")[2].partition(" against")[0]
    assert len(figures.split(", ")) == 2
