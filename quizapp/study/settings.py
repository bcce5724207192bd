"""Read and write the few settings that live with the learner's data: names to text."""

from __future__ import annotations

import sqlite3
from datetime import date

from quizapp.errors import UsageError
from quizapp.study.days import DAY_START, Moment

#: The hour, 0–23, at which a study day begins.
DAY_START_SETTING = "day_start"


def get(db: sqlite3.Connection, name: str) -> str | None:
    """The value of a setting; None when it was never set."""
    row = db.execute("SELECT value FROM setting WHERE name = ?", [name]).fetchone()
    return None if row is None else str(row["value"])


def put(db: sqlite3.Connection, name: str, value: str | None) -> None:
    """Set a setting; None forgets it. UsageError for a day start that is no hour."""
    if name == DAY_START_SETTING and value is not None and value not in map(str, range(24)):
        raise UsageError(f"the day cannot start at {value!r}", remedy="Give an hour from 0 to 23.")
    if value is None:
        db.execute("DELETE FROM setting WHERE name = ?", [name])
    else:
        db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [name, value])


def study_day(db: sqlite3.Connection, now: Moment) -> date:
    """The study day of `now` under this learner's day-start hour."""
    hour = get(db, DAY_START_SETTING)
    return now.study_day(DAY_START if hour is None else int(hour))
