"""A small folder of banks to compile, and a clock that lets its files settle."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from quizapp.compiled import seen

HEADER = """\
format: quizapp/1
id: {id}
title: {{en: Demo {id}, zh: 演示 {id}}}
languages: [en]
licence: CC-BY-4.0
authors: [{{name: Demo authors}}]
opening: [{opening}]
"""
QUESTION = """\
  - id: {id}
    kind: numeric
    title: The title of {id}
    prompt: How large?
    tags: [attention/scaling, attention/softmax]
    difficulty: {difficulty}
    explanation: Because.
    summary: It is.
    say: It is.
    experiment: {{run: score_variance, with: {{d_k: 64, masked: true, logits: [1, 2.5], x: on}}}}
    answer: {{metric: score_std, rtol: 5e-2}}
"""
EXERCISE = """\
format: quizapp/1
id: softmax
title: Softmax
statement: Write it.
entry: softmax
arguments: [{name: x, shape: [N]}]
returns: [{name: y, shape: [N]}]
hints: [Subtract the maximum.]
tags: [attention/softmax]
difficulty: 1
minutes: 5
mistakes: {no_maximum: none, no_sum: {same_as: no_maximum}}
"""


def questions(*ids: str, difficulty: int = 2) -> str:
    """A question file with these ids."""
    entries = "".join(QUESTION.format(id=name, difficulty=difficulty) for name in ids)
    return f"format: quizapp/1\nquestions:\n{entries}"


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files below `folder`, and return it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def two_banks(folder: Path) -> Path:
    """A folder of two banks: `one` with three files and an exercise, `two` with one file."""
    return write(
        folder,
        {
            "one/bank.yaml": HEADER.format(id="one", opening="first, third"),
            "one/a.yaml": questions("first", "second"),
            "one/b.yaml": questions("third", difficulty=1),
            "one/deeper/c.yaml": questions("fourth", difficulty=5),
            "one/exercises/softmax/exercise.yaml": EXERCISE,
            "two/bank.yaml": HEADER.format(id="two", opening=""),
            "two/q.yaml": questions("first"),
        },
    )


def minutes_pass(monkeypatch: pytest.MonkeyPatch, minutes: int = 1) -> None:
    """What was changed just now counts as changed a while ago."""
    later = time.time_ns() + minutes * 60 * 1_000_000_000
    monkeypatch.setattr(seen, "now", lambda: later)
