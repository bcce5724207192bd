"""Tells: whether a test-wise learner could find the right choice by its length or place."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import Choice, SingleQuestion

#: Fewer questions than this say nothing.
MIN_QUESTIONS: Final = 12
#: A tell is one that lies this many standard errors from chance.
STANDARD_ERRORS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Tell:
    """One way to guess. share: how often it finds the right choice; chance: of a blind guess.

    Ties share the hit. stderr: standard error of the share if it were chance.
    """

    questions: int
    share: float
    chance: float
    stderr: float

    @property
    def telling(self) -> bool:
        """Whether it is far from chance, with enough questions to say so.

        Far below tells as well: a longest choice that is never right can be struck out.
        """
        away = abs(self.share - self.chance)
        return self.questions >= MIN_QUESTIONS and away > STANDARD_ERRORS * self.stderr


@dataclass(frozen=True, slots=True)
class Tells:
    """What a bank's single questions give away: the longest choice by language, and the first."""

    bank: str
    longest: Mapping[str, Tell]
    first: Tell


def tells(bank: Bank) -> Tells:
    """How often the longest, and the first, choice of the bank's single questions is right."""
    asked = [
        question.choices
        for question in bank.questions.values()
        if isinstance(question, SingleQuestion) and any(c.correct for c in question.choices)
    ]
    longest: dict[str, Tell] = {
        language: _tell(asked, [_longest_is_right(options, language) for options in asked])
        for language in bank.header.languages
    }
    first = _tell(asked, [float(options[0].correct) for options in asked])
    return Tells(bank.id, longest, first)


def check_tells(bank: Bank) -> Iterator[Diagnostic]:
    """A warning for each tell that is far from chance."""
    found = tells(bank)
    for language, tell in found.longest.items():
        if tell.telling:
            message = f"the longest choice in `{language}` is right in {_against_chance(tell)}"
            remedy = "Make choices alike in length, detail and hedging, right and wrong ones."
            yield bank.diagnose("QB065", None, (), message, remedy, severity="warning")
    if found.first.telling:
        message = f"the first choice is right in {_against_chance(found.first)}"
        yield bank.diagnose(
            "QB066", None, (), message, "Move the right choice about.", severity="warning"
        )


def _against_chance(tell: Tell) -> str:
    return (
        f"{tell.share:.0%} of {tell.questions} single questions; "
        f"chance is {tell.chance:.0%} ± {tell.stderr:.0%}"
    )


def _tell(asked: Sequence[Sequence[Choice]], hits: Sequence[float]) -> Tell:
    count = len(asked)
    if not count:
        return Tell(0, 0.0, 0.0, 0.0)
    odds = [1 / len(options) for options in asked]
    variance = sum(p * (1 - p) for p in odds)
    return Tell(count, sum(hits) / count, sum(odds) / count, math.sqrt(variance) / count)


def _longest_is_right(options: Sequence[Choice], language: str) -> float:
    lengths = [_length(choice.text.to(language)) for choice in options]
    most = [
        choice for choice, length in zip(options, lengths, strict=True) if length == max(lengths)
    ]
    return sum(choice.correct for choice in most) / len(most)


def _length(text: str) -> int:
    """Terminal cells: what the eye compares. A Chinese character is twice as wide as a letter."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
