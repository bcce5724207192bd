"""Do what a learner does, inside the caller's write transaction: answer, call easy, undo."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import date
from typing import Literal

from quizapp.errors import UsageError
from quizapp.study import cards, log, settings
from quizapp.study.days import Moment
from quizapp.study.log import Answer
from quizapp.study.rating import Rating, rate
from quizapp.study.schedule import CardState, current_scheme, step


@dataclass(frozen=True, slots=True)
class Saved:
    """What recording did. new: False when this very answer had been saved before."""

    answer_id: str
    rating: Rating | None
    card: CardState | None
    new: bool


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back: an answer, or only its being called easy."""

    act: Literal["answer", "easy"]
    answer_id: str
    question: str
    study_day: date


def record(db: sqlite3.Connection, given: Answer, now: Moment) -> Saved:
    """Append an answer and move its card, unless its id is in the log already.

    ValueError when the id belongs to something else.
    """
    if known := log.find(db, given.id):
        if (known["event"], known["question"]) != ("answer", given.question):
            raise ValueError(f"id {given.id} belongs to another row of the log")
        stored = None if known["rating"] is None else Rating(known["rating"])
        return Saved(given.id, stored, cards.load_one(db, given.question), False)
    rating = rate(given.verdict, hints=given.hints, confidence=given.confidence, share=given.share)
    scheme = None if rating is None else current_scheme()
    today = settings.study_day(db, now)
    log.insert_answer(db, given, rating=rating, scheme=scheme, now=now, study_day=today)
    card = cards.load_one(db, given.question)
    if rating is not None and scheme is not None:
        card = step(card, rating, today, meaning=given.meaning, scheme=scheme)
        cards.save(db, given.question, card)
    return Saved(given.id, rating, card, True)


def call_easy(db: sqlite3.Connection, answer_id: str, now: Moment) -> CardState:
    """Append an easy, unless one stands, and replay the card.

    UsageError when the answer does not stand or was not right.
    """
    row = db.execute(
        "SELECT question, verdict FROM standing WHERE id = ? AND event = 'answer'", [answer_id]
    ).fetchone()
    if row is None:
        raise UsageError("there is no such answer to call easy")
    if row["verdict"] != "right":
        raise UsageError("only a right answer can be called easy")
    said = db.execute(
        "SELECT 1 FROM standing WHERE refers = ? AND event = 'easy'", [answer_id]
    ).fetchone()
    if said is None:
        _append(db, "easy", log.new_id(), answer_id, now)
    card = cards.replay_question(db, row["question"])
    if card is None:
        raise ValueError(f"answer {answer_id} is right but left no card")
    return card


def undo_last(db: sqlite3.Connection, now: Moment, undo_id: str | None) -> Undone | None:
    """Append an undo of the last standing act, unless `undo_id` is in the log already.

    None when nothing stands. ValueError when the id belongs to something else.
    """
    if undo_id is not None and (earlier := log.find(db, undo_id)):
        if earlier["event"] != "undo":
            raise ValueError(f"id {undo_id} belongs to another row of the log")
        return _undone(db, earlier)
    # An easy whose answer was taken back no longer says anything.
    last = db.execute(
        "SELECT * FROM standing WHERE event = 'answer'"
        " OR refers IN (SELECT id FROM standing WHERE event = 'answer')"
        " ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    if last is None:
        return None
    undone = _undone(db, last)
    _append(db, "undo", undo_id or log.new_id(), last["id"], now)
    cards.replay_question(db, undone.question)
    return undone


def _append(
    db: sqlite3.Connection, event: Literal["undo", "easy"], row_id: str, refers: str, now: Moment
) -> None:
    today = settings.study_day(db, now)
    log.insert_act(db, event, row_id=row_id, refers=refers, now=now, study_day=today)


def _undone(db: sqlite3.Connection, row: sqlite3.Row) -> Undone:
    """What was taken back by `row` if it is an undo, or would be if it were undone."""
    act = log.find(db, row["refers"]) if row["event"] == "undo" else row
    answer = log.find(db, act["refers"]) if act is not None and act["event"] == "easy" else act
    if act is None or answer is None:
        raise ValueError(f"row {row['id']} leads to no answer")
    day = date.fromisoformat(act["study_day"])
    return Undone(act["event"], answer["id"], answer["question"], day)
