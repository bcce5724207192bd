"""Keep the card table in step with the log, and make it again from the log alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import date

from quizapp.study.log import LoggedAnswer, standing_answers
from quizapp.study.rating import Rating
from quizapp.study.schedule import CardState, step


def replay(answers: Iterable[LoggedAnswer]) -> CardState | None:
    """The card that one question's standing answers, oldest first, lead to."""
    card: CardState | None = None
    for answer in answers:
        card = after(card, answer)
    return card


def after(card: CardState | None, answer: LoggedAnswer) -> CardState | None:
    """The card after one more answer; unchanged by an unrated one.

    Each answer is replayed with the scheduler's parameters that were in force when it was given.
    """
    if answer.rating is None or answer.scheme is None:
        return card
    return step(card, answer.rating, answer.study_day, meaning=answer.meaning, scheme=answer.scheme)


def load(db: sqlite3.Connection) -> dict[str, CardState]:
    """Every stored card by question."""
    return {row["question"]: _card_of(row) for row in db.execute("SELECT * FROM card")}


def load_one(db: sqlite3.Connection, question: str) -> CardState | None:
    """The stored card of one question."""
    row = db.execute("SELECT * FROM card WHERE question = ?", [question]).fetchone()
    return None if row is None else _card_of(row)


def save(db: sqlite3.Connection, question: str, card: CardState | None) -> None:
    """Store a card; None takes it away (its only answer was undone)."""
    if card is None:
        db.execute("DELETE FROM card WHERE question = ?", [question])
        return
    db.execute(
        "INSERT OR REPLACE INTO card (question, meaning, stability, difficulty, due, last_day,"
        " rating, reviews, lapses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            question,
            card.meaning,
            card.stability,
            card.difficulty,
            card.due.isoformat(),
            card.last_day.isoformat(),
            int(card.rating),
            card.reviews,
            card.lapses,
        ],
    )


def replay_question(db: sqlite3.Connection, question: str) -> CardState | None:
    """Make one question's card again from the log, and store it."""
    card = replay(standing_answers(db, question=question))
    save(db, question, card)
    return card


def from_log(db: sqlite3.Connection) -> dict[str, CardState]:
    """Every card as the log alone tells it; stores nothing."""
    cards: dict[str, CardState | None] = {}
    for answer in standing_answers(db):
        cards[answer.question] = after(cards.get(answer.question), answer)
    return {question: card for question, card in cards.items() if card is not None}


def rebuild(db: sqlite3.Connection) -> dict[str, CardState]:
    """Throw every card away and make them again from the log."""
    cards = from_log(db)
    db.execute("DELETE FROM card")
    for question, card in cards.items():
        save(db, question, card)
    return cards


def _card_of(row: sqlite3.Row) -> CardState:
    return CardState(
        meaning=row["meaning"],
        stability=row["stability"],
        difficulty=row["difficulty"],
        due=date.fromisoformat(row["due"]),
        last_day=date.fromisoformat(row["last_day"]),
        rating=Rating(row["rating"]),
        reviews=row["reviews"],
        lapses=row["lapses"],
    )
