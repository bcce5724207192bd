"""Tell people what went wrong with the study database, and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quizapp.errors import MachineError
from quizapp.study.backup import newest_backup

RETRY = "Nothing shown as saved is lost; the same answer can be saved again."
#: The base, or primary, result codes behind each sentence (sqlite.org/rescode.html).
_DAMAGED = {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
_UNWRITABLE = {"SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"}
_BUSY = {"SQLITE_BUSY", "SQLITE_LOCKED"}


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Raise what SQLite and the system report about `path` as a MachineError.

    Mistakes in our own statements (ProgrammingError, IntegrityError) pass unchanged.
    """
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise
    except sqlite3.Error as error:
        raise explain(error, path) from error
    except OSError as error:
        raise MachineError(
            f"the study database cannot be used: {error.strerror or error}",
            where=str(error.filename or path),
            remedy="Make the folder writable, or set QUIZAPP_HOME to a folder that is.",
        ) from error


def explain(error: sqlite3.Error, path: Path) -> MachineError:
    """The sentence for an SQLite error on `path`."""
    code = _primary(getattr(error, "sqlite_errorname", None) or "")
    where = str(path)
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code == "SQLITE_FULL":
        return MachineError(
            "the disk is full, so nothing was saved",
            where=where,
            remedy=f"Free some space. {RETRY}",
        )
    if code in _UNWRITABLE:
        return MachineError(
            f"the study database cannot be opened for writing ({error})",
            where=where,
            remedy="Make the file and its folder writable, or set QUIZAPP_HOME to another folder.",
        )
    if code in _BUSY:
        return MachineError(
            "another program keeps the study database locked",
            where=where,
            remedy=f"Close the other program that uses it. {RETRY}",
        )
    if code == "SQLITE_IOERR":
        return MachineError(
            f"the disk failed while the study database was used ({error})",
            where=where,
            remedy=f"Look at the disk's free space and health. {RETRY}",
        )
    return MachineError(
        f"the study database refused ({error})",
        where=where,
        remedy="Run quizapp doctor; the backups beside the database are untouched.",
    )


def damaged(path: Path, why: str) -> MachineError:
    """The sentence for a damaged database: names the newest backup and how to put it back."""
    backup = newest_backup(path)
    aside = f"move {path.name}, {path.name}-wal and {path.name}-shm out of {path.parent}"
    if backup is None:
        remedy = f"There is no backup. Close quizapp and {aside}; it then starts with an empty one."
    else:
        remedy = f"Close quizapp, {aside}, then copy {backup} to {path}."
    return MachineError(f"the study database is damaged ({why})", where=str(path), remedy=remedy)


def newer(path: Path, found: int, known: int) -> MachineError:
    """The sentence for a database that a newer quizapp has written."""
    return MachineError(
        f"the study database was written by a newer quizapp (version {found}, not {known})",
        where=str(path),
        remedy="Update quizapp, or set QUIZAPP_HOME to another folder.",
    )


def _primary(name: str) -> str:
    # Extended codes append to the primary one: SQLITE_IOERR_WRITE, SQLITE_READONLY_DBMOVED.
    return "_".join(name.split("_")[:2])
