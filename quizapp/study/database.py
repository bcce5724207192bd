"""Open the study database safely, and give it out one statement or one transaction at a time.

Strict tables, WAL, foreign keys, a busy timeout, and full synchronisation: what was shown
as saved survives a killed process and a lost power supply.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from quizapp.errors import MachineError
from quizapp.study.backup import backup_of_day, drop_old_backups, newest_backup, write_backup
from quizapp.study.faults import damaged, explain, faults_of, newer
from quizapp.study.schema import Migration, migrate, migrations, refuse_foreign, version_of

OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables
BUSY_SECONDS = 10.0


class Database:
    """One connection, shared by the threads of one process under a lock.

    notices: what could not be done on opening though nothing is lost (the day's backup).
    """

    def __init__(self, db: sqlite3.Connection, path: Path, version: int) -> None:
        self._db = db
        self._lock = threading.RLock()
        self.path = path
        self.version = version
        self.notices: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path, steps: Sequence[Migration] | None = None) -> Database:
        """Open or create the database at `path` and bring its schema up to date.

        steps: the migrations, the shipped ones unless a test has its own.
        Raises MachineError for everything that can be wrong with the file or the machine.
        """
        require_sqlite(sqlite3.sqlite_version_info)
        known = migrations() if steps is None else steps
        with faults_of(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size == 0 and newest_backup(path):
                raise damaged(path, "the file is empty")
            db = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                db.row_factory = sqlite3.Row
                db.execute("PRAGMA foreign_keys = ON")
                refuse_foreign(db, path)
                if version_of(db) > known[-1].version:
                    raise newer(path, version_of(db), known[-1].version)
                _use_wal(db)
                db.execute("PRAGMA synchronous = FULL")
                migrate(db, path, known)
            except BaseException:
                db.close()
                raise
        return cls(db, path, known[-1].version)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """The connection in a read transaction: every query inside sees one state."""
        with self._lock, faults_of(self.path):
            self._db.execute("BEGIN")
            try:
                yield self._db
            finally:
                self._db.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """The connection in a write transaction: committed as a whole, or not at all."""
        with self._lock, faults_of(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if (found := version_of(self._db)) != self.version:
                    raise newer(self.path, found, self.version)
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk rolls back by itself.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def tend(self, day: date) -> None:
        """Once a study day: look for damage, and keep a backup. MachineError when damaged.

        A backup that cannot be written is told in `notices`: a full disk must not keep
        anybody from looking at what they have learnt.
        """
        target = backup_of_day(self.path, day)
        with self._lock:
            try:
                if target.exists():
                    return
                self.check()
                write_backup(self._db, target)
                drop_old_backups(self.path)
            except sqlite3.Error as error:
                self.notices = (f"today's backup was not written: {explain(error, target).what}",)
            except OSError as error:
                self.notices = (f"today's backup was not written: {error}",)

    def look(self, day: date, *, largest: int) -> None:
        """`check` a database of at most `largest` bytes, unless `tend` has on study day `day`."""
        with faults_of(self.path):
            due = not backup_of_day(self.path, day).exists()
            small = self.path.stat().st_size <= largest
        if due and small:
            self.check()

    def check(self) -> None:
        """Read every page. MachineError when the database is damaged."""
        with self._lock, faults_of(self.path):
            found = str(self._db.execute("PRAGMA quick_check(1)").fetchone()[0])
            if found != "ok":
                raise damaged(self.path, " ".join(found.split()))


def require_sqlite(version: tuple[int, ...]) -> None:
    """Raise MachineError when SQLite is too old for strict tables."""
    if version < OLDEST_SQLITE:
        have = ".".join(map(str, version))
        raise MachineError(
            f"SQLite {have} is too old: 3.37 or newer is needed",
            where="Python's sqlite3 module",
            remedy="Use a Python built with a newer SQLite, for example one from uv or conda.",
        )


def _use_wal(db: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, once in a database's life.

    SQLite does not wait for other connections here, whatever the busy timeout, and two
    programs may start at the same moment: so we try again ourselves.
    """
    if db.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return
