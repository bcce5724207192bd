"""Rules about texts: every promised language, placeholders that lead to numbers, digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from quizapp.bank.bank import Bank
from quizapp.bank.check_runs import unknown_metric
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import BaseQuestion
from quizapp.bank.walk import Path, run_of_text, texts, wordings
from quizapp.bank.words import clip
from quizapp.report import Catalogue
from quizapp.text import Text
from quizapp.text.placeholders import Stray, parse

_FULL_WIDTH: Final = re.compile("[０-９]+")
_GRAMMAR: Final = (
    "Write {name}, {name[0]}, {name:.2f} or {right.name}; "
    "other braces only inside `code` or $maths$."
)


def check_texts(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Findings about every text of a bank, its header included."""
    for path, text in texts(bank.header):
        yield from _languages(bank, None, path, text)
    for name, question in bank.questions.items():
        for path, text in texts(question):
            yield from _languages(bank, name, path, text)
            for place, _, wording in wordings(path, text):
                yield from _digits(bank, name, place, wording)
                yield from _placeholders(bank, question, place, wording, catalogue)


def _languages(bank: Bank, question: str | None, path: Path, text: Text) -> Iterator[Diagnostic]:
    for language in bank.header.languages:
        if language not in text.languages:
            message = f"`{path[-1]}` has no `{language}`, which bank.yaml promises"
            remedy = f"Add `{language}:` here, or take it out of `languages`."
            yield bank.diagnose("QB040", question, path, message, remedy)
    for place, written, wording in wordings(path, text):
        if not wording.strip():
            name = f"{path[-1]}.{written}" if written else path[-1]
            remedy = "Give it a value, or remove the line."
            yield bank.diagnose("QB027", question, place, f"`{name}` is blank", remedy)


def _digits(bank: Bank, question: str, path: Path, wording: str) -> Iterator[Diagnostic]:
    for found in _FULL_WIDTH.finditer(wording):
        shown = found.group()
        remedy = f"Write {shown.translate({0xFF10 + d: str(d) for d in range(10)})}."
        message = f"the full-width digits {shown} cannot be searched, copied or compared"
        inside = (shown, wording.count(shown, 0, found.start()))
        yield bank.diagnose("QB044", question, path, message, remedy, inside=inside)


def _placeholders(
    bank: Bank, question: BaseQuestion, path: Path, wording: str, catalogue: Catalogue
) -> Iterator[Diagnostic]:
    for part in parse(wording):
        if isinstance(part, str):
            continue
        inside = (part.source, wording.count(part.source, 0, part.offset))
        if isinstance(part, Stray):
            message = f"`{clip(part.source)}` is no placeholder"
            yield bank.diagnose("QB041", question.id, path, message, _GRAMMAR, inside=inside)
            continue
        if _before_any_run(path):
            message = f"{part.source} stands where nothing has run yet, and shows as …"
            remedy = "Use it in the explanation, summary, say or feedback."
            yield bank.diagnose(
                "QB043", question.id, path, message, remedy, severity="warning", inside=inside
            )
        run = run_of_text(question, path, right=part.right)
        unknown = unknown_metric(run, part.name, catalogue)
        if unknown:
            yield bank.diagnose("QB042", question.id, path, *unknown, inside=inside)


def _before_any_run(path: Path) -> bool:
    asked = ("title", "prompt", "hints", "claim", "sentence")
    parts = ("choices", "steps", "distractors", "items", "partners", "blanks")
    return path[0] in asked or (path[0] in parts and "text" in path)
