"""Remember which question of the day was shown, so that a day's question never moves."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from datetime import date, timedelta

from quizapp.study.daily import Shown, pick, set_hash, window


def shown_on(db: sqlite3.Connection, day: date, ids: Collection[str]) -> str | None:
    """The question stored for `day`, if it is among `ids`; the first stored decides."""
    rows = db.execute(
        "SELECT question FROM daily WHERE study_day = ? ORDER BY seq", [day.isoformat()]
    )
    return next((str(row["question"]) for row in rows if row["question"] in ids), None)


def show(db: sqlite3.Connection, day: date, ids: Collection[str]) -> str:
    """The question of `day`, stored now unless it already was. Needs a write transaction."""
    question = shown_on(db, day, ids)
    if question is None:
        question = pick(ids, day, _history(db, day, ids))
        db.execute(
            "INSERT INTO daily (study_day, question, set_hash) VALUES (?, ?, ?)",
            [day.isoformat(), question, set_hash(ids)],
        )
    return question


def preview(db: sqlite3.Connection, today: date, ids: Collection[str]) -> str:
    """What `show` will give on the day after `today` if the set stays as it is."""
    tomorrow = today + timedelta(days=1)
    if stored := shown_on(db, tomorrow, ids):
        return stored  # the clock was set back, or the learner flew over the date line
    history = _history(db, tomorrow, ids)
    if shown_on(db, today, ids) is None:
        history.append(Shown(today, pick(ids, today, history), set_hash(ids)))
    return pick(ids, tomorrow, history)


def _history(db: sqlite3.Connection, day: date, ids: Collection[str]) -> list[Shown]:
    rows = db.execute(
        "SELECT study_day, question, set_hash FROM daily WHERE study_day >= ? AND study_day < ?",
        [(day - window(ids)).isoformat(), day.isoformat()],
    )
    return [Shown(date.fromisoformat(row[0]), row[1], row[2]) for row in rows]
