"""Keep copies of the study database beside it, so that a damaged one can be put back.

``backups/NAME-2026-07-14.db``, one a study day, the last 7; and
``backups/NAME-before-v2.db`` before each migration, kept for ever.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

KEPT_DAYS = 7
FOLDER = "backups"


def backup_of_day(path: Path, day: date) -> Path:
    """Where the backup of study day `day` of the database `path` lies."""
    return path.parent / FOLDER / f"{path.stem}-{day.isoformat()}{path.suffix}"


def backup_before(path: Path, version: int) -> Path:
    """Where the backup made before migrating `path` to `version` lies."""
    return path.parent / FOLDER / f"{path.stem}-before-v{version}{path.suffix}"


def write_backup(source: sqlite3.Connection, target: Path) -> None:
    """Copy the open database to `target`, whole or not at all. sqlite3.Error, OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as copy:
            # One flush at the end does for a file that counts only once it is whole.
            copy.execute("PRAGMA synchronous = OFF")
            source.backup(copy)
            # One self-contained file, with no -wal beside it to forget.
            copy.execute("PRAGMA journal_mode = DELETE")
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def drop_old_backups(path: Path) -> None:
    """Keep the last `KEPT_DAYS` backups of days; those before migrations stay."""
    for old in _backups_of_days(path)[:-KEPT_DAYS]:
        old.unlink(missing_ok=True)


def newest_backup(path: Path) -> Path | None:
    """The backup written last, of either sort; None when there is none to be found."""
    try:
        migrations = list((path.parent / FOLDER).glob(f"{path.stem}-before-v*{path.suffix}"))
        found = [*migrations, *_backups_of_days(path)]
        return max(found, key=lambda backup: backup.stat().st_mtime, default=None)
    except OSError:
        return None


def _backups_of_days(path: Path) -> list[Path]:
    name = re.compile(
        re.escape(path.stem) + r"-\d{4}-\d{2}-\d{2}" + re.escape(path.suffix), re.ASCII
    )
    return sorted(found for found in (path.parent / FOLDER).glob("*") if name.fullmatch(found.name))
