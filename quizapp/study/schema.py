"""Bring a study database to the newest schema, one numbered migration at a time.

Migrations are ``migrations/NNNN_name.sql`` beside this file, applied in order and never
changed once released. Each runs in its own transaction with the version number.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from quizapp.errors import MachineError
from quizapp.study.backup import backup_before, write_backup
from quizapp.study.faults import newer

#: In every file's header, so that another program's database is not taken for ours.
APPLICATION_ID = 0x51756970  # "Quip"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: the version it leads to, and its statements."""

    version: int
    sql: str


@cache
def migrations() -> tuple[Migration, ...]:
    """The shipped migrations, oldest first. ValueError when their numbers have a gap."""
    found = sorted(
        (
            Migration(int(match[1]), file.read_text(encoding="utf-8"))
            for file in files("quizapp.study").joinpath("migrations").iterdir()
            if (match := re.fullmatch(r"(\d{4})_[a-z0-9_]+\.sql", file.name))
        ),
        key=lambda migration: migration.version,
    )
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError("migrations must be numbered 1, 2, 3, … without a gap")
    return tuple(found)


def version_of(db: sqlite3.Connection) -> int:
    """The schema version of an open database; 0 for an empty one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection, path: Path, steps: Sequence[Migration]) -> None:
    """Apply what is missing, with a backup of an existing database before each step.

    Raises MachineError for a newer database; sqlite3.Error and OSError when a step or its
    backup fails, with the database as it was before it.
    """
    known = steps[-1].version
    while (found := version_of(db)) < known:
        _apply(db, path, steps[found], found)
    if found > known:
        raise newer(path, found, known)


def refuse_foreign(db: sqlite3.Connection, path: Path) -> None:
    """Raise MachineError for the database of another program; an empty one is nobody's."""
    # In this order: a program that creates the database meanwhile writes both at once.
    used = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0
    ours = db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    if used and not ours:
        raise MachineError(
            "this file is the database of another program",
            where=str(path),
            remedy="Move it elsewhere, or set QUIZAPP_HOME to another folder.",
        )


def _apply(db: sqlite3.Connection, path: Path, migration: Migration, found: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have taken this step while we waited for the lock.
        if version_of(db) == found:
            if found > 0:
                # By a second connection: copying from one in a transaction waits for ever.
                with closing(sqlite3.connect(path)) as before:
                    write_backup(before, backup_before(path, migration.version))
            for statement in statements(migration.sql):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {migration.version}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def statements(sql: str) -> Iterator[str]:
    """The single statements of a script; `executescript` would commit behind our back."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        raise ValueError(f"unfinished statement: {statement.strip()[:60]}")
