"""Say which questions ask again today, from the cards and the questions' present meanings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from quizapp.study.schedule import CardState, due_day


@dataclass(frozen=True, slots=True)
class DueQuestion:
    """A question that asks again.

    changed: because its meaning is not the one answered. refuted: the last answer was.
    """

    question: str
    due: date
    days_overdue: int
    changed: bool
    refuted: bool


def due_questions(
    cards: Mapping[str, CardState], questions: Mapping[str, str], today: date
) -> list[DueQuestion]:
    """What is due on study day `today`, most overdue first, then the least stable.

    questions: id → meaning hash, of the banks at hand. One without a card is new, not due.
    """
    found = []
    for question, meaning in questions.items():
        card = cards.get(question)
        if card is not None and (due := due_day(card, meaning, today)) <= today:
            overdue = (today - due).days
            changed = card.meaning != meaning
            found.append(DueQuestion(question, due, overdue, changed, card.refuted))
    return sorted(found, key=lambda q: (-q.days_overdue, cards[q.question].stability, q.question))
