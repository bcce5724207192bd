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
    return asyncio.run(try_bank(bank, cast(Engine, LocalEngine()), only=chosen))


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """The small bank with one thing changed, for the worse."""
    for file in SMALL.iterdir():
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
