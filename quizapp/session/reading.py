"""What a learner typed, as an answer: one door for the fronts, whatever the kind."""

from __future__ import annotations

from collections.abc import Sequence

from quizapp.bank import Question
from quizapp.session.given import Answer
from quizapp.text.entry import parse_number
from quizapp.text.shape_entry import parse_shape

#: Kinds answered in a single field.
TYPED = ("numeric", "predict", "shape")


def typed(question: Question, text: str) -> Answer:
    """The answer in `text`, to a question of one of the TYPED kinds.

    Raises UsageError (NumberRefused, ShapeRefused) with the reason in English, for the fronts
    to translate.
    """
    stated = text.strip()
    if question.kind == "shape":
        return Answer(text=stated, shape=parse_shape(stated))
    return Answer(text=stated, number=parse_number(stated))


def in_turn(text: str, ids: Sequence[str]) -> tuple[str, ...] | None:
    """The ids at the numbers typed, as they come: "3 1 2"; None where it is no such list."""
    words = text.replace(",", " ").replace("，", " ").split()
    if not words or not all(word.isascii() and word.isdigit() for word in words):
        return None
    numbers = [int(word) for word in words]
    if len(set(numbers)) < len(numbers) or not all(1 <= n <= len(ids) for n in numbers):
        return None
    return tuple(ids[number - 1] for number in numbers)
