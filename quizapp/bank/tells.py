"""Tells: whether a test-wise learner could find the right choice without knowing the subject.

By its length, by its place, or by how carefully it is worded.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import Choice, SingleQuestion

#: Fewer questions than this say nothing.
MIN_QUESTIONS: Final = 12
#: Words that leave a way out: authors put them into what they know to be true.
_HEDGES: Final[Mapping[str, Sequence[str]]] = {
    "en": (
        r"\busually\b", r"\boften\b", r"\bmay\b", r"\bsometimes\b", r"\bmight\b", r"\bmostly\b",
        r"\btypically\b", r"\bgenerally\b", r"\btends? to\b", r"\bcan\b", r"\bpartly\b",
        r"\blargely\b", r"\bonly if\b", r"\bonly when\b", r"\bunless\b", r"\bdepends?\b",
        r"\bprobably\b", r"\blikely\b", r"\bin general\b", r"\bin most\b",
    ),
    "zh": (
        "通常", "往往", "可能", "有时", "一般", "多半", "大多", "取决于", "视情况", "不一定",
        "基本上", "在某些", "除非", "或许", "倾向于", "部分",
    ),
}  # fmt: skip
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
    """What a bank's single questions give away, by length, place and hedging of the choices.

    longest, hedged: by language. hedged: the choice with most words that leave a way out,
    among the questions in which one has more of them than another.
    """

    bank: str
    longest: Mapping[str, Tell]
    first: Tell
    hedged: Mapping[str, Tell] = field(default_factory=dict)


def tells(bank: Bank) -> Tells:
    """How often the longest, first and most hedged choice of its single questions is right."""
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
    hedged: dict[str, Tell] = {
        language: _hedged(asked, language) for language in bank.header.languages
    }
    return Tells(bank.id, longest, first, hedged)


def check_tells(bank: Bank) -> Iterator[Diagnostic]:
    """A warning for each tell that is far from chance."""
    found = tells(bank)
    for language, tell in found.longest.items():
        if tell.telling:
            message = f"the longest choice in `{language}` is right in {_against_chance(tell)}"
            remedy = "Make choices alike in length, detail and hedging, right and wrong ones."
            yield bank.diagnose("QB065", None, (), message, remedy, severity="warning")
    for language, tell in found.hedged.items():
        if tell.telling:
            message = f"the most hedged choice in `{language}` is right in {_against_chance(tell)}"
            remedy = "Hedge right and wrong choices alike, or none of them."
            yield bank.diagnose("QB069", None, (), message, remedy, severity="warning")
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
    return _most_is_right(options, [_length(choice.text.to(language)) for choice in options])


def _most_is_right(options: Sequence[Choice], amounts: Sequence[int]) -> float:
    """How often a blind guess among the choices with the largest amount would be right."""
    largest = max(amounts)
    most = [one for one, amount in zip(options, amounts, strict=True) if amount == largest]
    return sum(choice.correct for choice in most) / len(most)


def _hedged(asked: Sequence[Sequence[Choice]], language: str) -> Tell:
    found = re.compile("|".join(_HEDGES[language]), re.IGNORECASE)
    counted = [
        (options, [len(found.findall(choice.text.to(language))) for choice in options])
        for options in asked
    ]
    unequal = [(options, counts) for options, counts in counted if len(set(counts)) > 1]
    hits = [_most_is_right(options, counts) for options, counts in unequal]
    return _tell([options for options, _ in unequal], hits)


def _length(text: str) -> int:
    """Terminal cells: what the eye compares. A Chinese character is twice as wide as a letter."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
