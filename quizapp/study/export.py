"""Take everything a learner's database holds out as plain data, and put it back.

``{"format": "quizapp-study/1", "settings": {name: value}, "daily": [...], "review": [...],
"card": [...]}``. Rows are dicts by column name, oldest first; dates and instants are ISO
8601 text; the JSON columns (answer, parameters, metrics, scheduler) are nested values.
Put into an empty database, an export gives the same export again; the cards are made
anew from the log.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from quizapp.errors import UsageError
from quizapp.study import cards, settings
from quizapp.study.log import plain_json

FORMAT = "quizapp-study/1"
_NESTED = ("answer", "parameters", "metrics", "scheduler")


def export(db: sqlite3.Connection) -> dict[str, Any]:
    """Everything, ready for `json.dumps`."""
    return {
        "format": FORMAT,
        "settings": {row["name"]: row["value"] for row in _all(db, "setting", "name")},
        "daily": _all(db, "daily", "seq"),
        "review": [_unpacked(row) for row in _all(db, "review", "seq")],
        "card": _all(db, "card", "question"),
    }


def restore(db: sqlite3.Connection, data: Mapping[str, Any]) -> None:
    """Fill an empty database from an export. UsageError for anything else."""
    if data.get("format") != FORMAT:
        raise UsageError(
            f"this is no export that can be read (format {data.get('format')!r})",
            remedy=f"Exports made by quizapp export --json say {FORMAT}.",
        )
    if db.execute("SELECT EXISTS (SELECT 1 FROM review)").fetchone()[0]:
        raise UsageError(
            "this learner already has answers; an export can only fill an empty database",
            remedy="Set QUIZAPP_HOME to an empty folder first.",
        )
    try:
        db.execute("DELETE FROM daily")
        for name, value in data["settings"].items():
            settings.put(db, name, value)
        for row in data["daily"]:
            _insert(db, "daily", row)
        for row in data["review"]:
            packed = {
                name: plain_json(value) if _is_nested(row, name) else value
                for name, value in row.items()
            }
            _insert(db, "review", packed)
        cards.rebuild(db)
    except (KeyError, TypeError, AttributeError, ValueError, sqlite3.IntegrityError) as error:
        raise UsageError(
            f"the export is incomplete or was changed ({error})", remedy="Export again."
        ) from error


def _all(db: sqlite3.Connection, table: str, order: str) -> list[dict[str, Any]]:
    return [dict(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY {order}")]


def _unpacked(row: dict[str, Any]) -> dict[str, Any]:
    for name in _NESTED:
        if row[name] is not None:
            row[name] = json.loads(row[name])
    return row


def _is_nested(row: Mapping[str, Any], name: str) -> bool:
    # An answer may be JSON null; in an undo the column itself is null.
    return name in _NESTED and (
        row[name] is not None or (name, row["event"]) == ("answer", "answer")
    )


def _insert(db: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    columns = {info["name"] for info in db.execute(f"PRAGMA table_info({table})")}
    if unknown := set(row) - columns:
        raise ValueError(f"unknown column {min(unknown)}")
    names = ", ".join(row)
    db.execute(
        f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", [*row.values()]
    )
