"""Rules about texts: every promised language, placeholders that lead to numbers, digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from quizapp.bank.bank import Bank
from quizapp.bank.check_runs import unknown_metric
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import BaseQuestion
from quizapp.bank.walk import Path, run_of_text, texts, wordings
from quizapp.bank.words import clip
from quizapp.report import Catalogue
from quizapp.text import Text
from quizapp.text.placeholders import Stray, parse
from quizapp.text.tex import unshown

#: Makes a finding of (code, path, message, remedy) in the file that a text stands in.
Diagnose = Callable[..., Diagnostic]

_FULL_WIDTH: Final = re.compile("[０-９]+")
_GRAMMAR: Final = (
    "Write {name}, {name[0]}, {name:.2f} or {right.name}; "
    "other braces only inside `code` or \\(maths\\)."
)


def check_texts(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Findings about every text of a bank, its header included."""
    promised = bank.header.languages
    for path, text in texts(bank.header):
        yield from languages(promised, bank.header_file.diagnose, path, text)
    for name, question in bank.questions.items():
        diagnose = _within(bank, name)
        for path, text in texts(question):
            yield from languages(promised, diagnose, path, text)
            for place, _, wording in wordings(path, text):
                yield from digits(diagnose, place, wording)
                yield from _formulas(diagnose, place, wording)
                yield from _placeholders(bank, question, place, wording, catalogue)


def _within(bank: Bank, question: str) -> Diagnose:
    def diagnose(code: str, path: Path, *words: str, **more: Any) -> Diagnostic:
        return bank.diagnose(code, question, path, *words, **more)

    return diagnose


def languages(
    promised: Sequence[str], diagnose: Diagnose, path: Path, text: Text
) -> Iterator[Diagnostic]:
    """A text must exist in every language promised, and be more than blanks."""
    for language in promised:
        if language not in text.languages:
            message = f"`{path[-1]}` has no `{language}`, which bank.yaml promises"
            remedy = f"Add `{language}:` here, or take it out of `languages`."
            yield diagnose("QB040", path, message, remedy)
    for place, written, wording in wordings(path, text):
        if not wording.strip():
            name = f"{path[-1]}.{written}" if written else path[-1]
            remedy = "Give it a value, or remove the line."
            yield diagnose("QB027", place, f"`{name}` is blank", remedy)


def digits(diagnose: Diagnose, path: Path, wording: str) -> Iterator[Diagnostic]:
    """Digits of a text must be those that can be searched."""
    for found in _FULL_WIDTH.finditer(wording):
        shown = found.group()
        half = shown.translate({0xFF10 + d: str(d) for d in range(10)})
        message = f"the full-width digits {shown} cannot be searched, copied or compared"
        inside = (shown, wording.count(shown, 0, found.start()))
        yield diagnose("QB044", path, message, f"Write {half}.", inside=inside, instead=half)


def _formulas(diagnose: Diagnose, path: Path, wording: str) -> Iterator[Diagnostic]:
    """A formula that learners read as it is written."""
    seen: dict[str, int] = {}
    for formula, why in unshown(wording):
        inside = (formula, seen.get(formula, 0))
        seen[formula] = inside[1] + 1
        message = f"`{clip(formula)}` stays TeX for learners: {why}"
        remedy = "Write it another way, or put it in backticks if it is to be read as code."
        yield diagnose("QB049", path, message, remedy, severity="warning", inside=inside)


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
