"""What a learner typed, as an answer: one door for the fronts, whatever the kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from quizapp.bank import (
    BlankQuestion,
    MatchQuestion,
    NumericAnswer,
    NumericQuestion,
    Prediction,
    PredictQuestion,
    Question,
)
from quizapp.errors import UsageError
from quizapp.session.given import Answer
from quizapp.session.kinds import BlankWay, MatchWay
from quizapp.session.kinds.match import LETTERS
from quizapp.text.i18n import N_, ngettext
from quizapp.text.shape_entry import parse_shape
from quizapp.text.units import digits, parse_quantity

#: Kinds answered in a single field.
TYPED: Final = ("numeric", "predict", "shape")

PICK: Final = N_("Type the number of one of these.")
WORDS: Final = N_("Type what stands in the blank.")
_PAIR: Final = re.compile(r"([1-9])\s*[-=:>]*\s*([a-f])")


def typed(question: Question, text: str) -> Answer:
    """The answer in `text`, to a question of one of the TYPED kinds.

    Raises UsageError (NumberRefused, ShapeRefused) with the reason in English, for the fronts
    to translate.
    """
    stated = text.strip()
    if question.kind == "shape":
        return Answer(text=stated, shape=parse_shape(stated))
    assert isinstance(question, NumericQuestion | PredictQuestion)
    return Answer(text=stated, number=_number(question.answer, stated))


def _number(answer: NumericAnswer | Prediction, stated: str) -> float:
    """What was typed, in the answer's unit. Too few digits are refused, and decide nothing."""
    number = parse_quantity(stated, answer.unit)
    wanted = answer.digits if isinstance(answer, NumericAnswer) else None
    if wanted is not None and digits(stated) < wanted:
        words = ngettext(
            "State at least {n} significant digit: this one has {have}.",
            "State at least {n} significant digits: this has {have}.",
            wanted,
        )
        raise UsageError(words.format(n=wanted, have=digits(stated)))
    return number


def in_turn(text: str, ids: Sequence[str]) -> tuple[str, ...] | None:
    """The ids at the numbers typed, as they come: "3 1 2"; None where it is no such list."""
    words = text.replace(",", " ").replace("，", " ").split()
    if not words or not all(word.isascii() and word.isdigit() for word in words):
        return None
    numbers = [int(word) for word in words]
    if len(set(numbers)) < len(numbers) or not all(1 <= n <= len(ids) for n in numbers):
        return None
    return tuple(ids[number - 1] for number in numbers)


def blank_entry(question: Question, index: int, text: str) -> str:
    """What was typed for a blank, to be kept: the id at the number typed, a number, or words.

    Raises UsageError with the reason in English, for the fronts to translate.
    """
    assert isinstance(question, BlankQuestion)
    stated, options = text.strip(), BlankWay(question).options(index)
    if options:
        if not (stated.isascii() and stated.isdigit() and 1 <= int(stated) <= len(options)):
            raise UsageError(PICK)
        return options[int(stated) - 1].id
    number = question.blanks[index].answer
    if number is not None:
        _number(number, stated)
    elif not stated:
        raise UsageError(WORDS)
    return stated


def pairs(question: Question, text: str) -> tuple[str, ...] | None:
    """For each item the id of its partner, from "1b 2a 3c"; None where it is no such list."""
    assert isinstance(question, MatchQuestion)
    partners = MatchWay(question).partners()
    found: dict[int, str] = {}
    for number, letter in _PAIR.findall(text.lower()):
        index, at = int(number) - 1, LETTERS.index(letter)
        if index in found or index >= len(question.items) or at >= len(partners):
            return None
        found[index] = partners[at].id
    rest = _PAIR.sub("", text.lower()).replace(",", " ").strip()
    if rest or set(found) != set(range(len(question.items))):
        return None
    return tuple(found[index] for index in range(len(question.items)))
