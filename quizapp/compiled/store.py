"""The tables of a compiled cache, and reading them: one database for each folder of banks.

Everything but the words of questions is read, and held against a checksum, when the
database is opened; the words of each with a checksum of their own when they are asked for.
They are JSON, which a model validates: reading them runs nothing.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from quizapp.compiled.index import CompiledBank, Damaged, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from quizapp.compiled.index import Role
    from quizapp.compiled.seen import Seen

#: What the tables mean; another number is another cache, and is made anew.
FORMAT: Final = 1

_TABLES: Final = """
CREATE TABLE kept (
    format INTEGER, code TEXT, root BLOB, at INTEGER, seen BLOB, checksum INTEGER
) STRICT;
CREATE TABLE bank (id INTEGER PRIMARY KEY, folder BLOB, errors INTEGER) STRICT;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, bank INTEGER, role TEXT, path BLOB, sha256 TEXT,
    errors INTEGER, unsure INTEGER, said TEXT,
    ids TEXT, kinds TEXT, difficulties TEXT, tags TEXT, meanings TEXT, wordings TEXT
) STRICT;
CREATE TABLE body (
    file INTEGER, place INTEGER, words BLOB, checksum INTEGER, PRIMARY KEY (file, place)
) STRICT;
"""
_BANKS: Final = "SELECT id, folder, errors FROM bank ORDER BY id"
_ADD_FILE: Final = f"INSERT INTO file VALUES ({', '.join('?' * 14)})"
_BODIES: Final = "SELECT words, checksum FROM body"
_FILES: Final = "SELECT * FROM file ORDER BY id"
_ID, _BANK, _ROLE, _PATH, _SHA256, _TOLD, _COLUMNS = 0, 1, 2, 3, 4, 5, 8


class KeptFile:
    """One file as it was read: `sha256` of its text, "" where it was none.

    told: errors, unsure, said and six columns, as `Part` explains them. bodies: the JSON of
    each question, or of the exercise.
    """

    __slots__ = ("bodies", "path", "role", "sha256", "told")

    def __init__(
        self, role: Role, path: str, sha256: str, told: Sequence[Any], bodies: Sequence[bytes]
    ) -> None:
        self.role = role
        self.path = path
        self.sha256 = sha256
        self.told = told
        self.bodies = bodies


def columns(
    questions: Iterable[tuple[str, str, int, Iterable[str], str, str]],
) -> tuple[str, str, str, str, str, str]:
    """(id, kind, difficulty, tags, meaning, wording) of each question as the columns of `Part`."""
    rows = [(*row[:2], str(row[2]), ",".join(row[3]), *row[4:]) for row in questions]
    ids, kinds, difficulties, tags, meanings, wordings = (
        " ".join(row[at] for row in rows) for at in range(6)
    )
    return ids, kinds, difficulties, tags, meanings, wordings


class Compiled:
    """An open cache; any thread may use it."""

    def __init__(self, db: sqlite3.Connection, root: str, code: str) -> None:
        """Raises Damaged where it is not what this code wrote of the banks at `root`."""
        self._db = db
        self.root = root
        self._lock = threading.Lock()
        with self._reading():
            row = db.execute("SELECT format, code, root, at, seen, checksum FROM kept").fetchone()
            if row is None or row[:3] != (FORMAT, code, os.fsencode(root)):
                raise Damaged("it is of other code, or of another folder")
            banks, files = db.execute(_BANKS).fetchall(), db.execute(_FILES).fetchall()
        if row[-1] != _checksum(row[:-1], *banks, *files):
            raise Damaged("the index")
        self.at, self.stamps = row[3], _parsed(row[4])
        self._files = {(row[_ROLE], os.fsdecode(row[_PATH])): row for row in files}
        of_bank = {bank: list(rows) for bank, rows in groupby(files, key=lambda row: row[_BANK])}
        self.banks = tuple(
            CompiledBank(os.fsdecode(folder), errors, map(_part, of_bank.get(number, ())))
            for number, folder, errors in banks
        )

    def __del__(self) -> None:
        self._db.close()

    def close(self) -> None:
        """Let go of the file; nothing more can be read."""
        self._db.close()

    def words(self, at: tuple[int, int]) -> bytes:
        """The JSON of one question or exercise. Raises Damaged."""
        with self._lock, self._reading():
            row = self._db.execute(f"{_BODIES} WHERE file = ? AND place = ?", at).fetchone()
        return _sound(row)

    def sha256(self, role: Role, path: str) -> str:
        """Of the text that was read from `path`; "" where nothing is kept of it."""
        row = self._files.get((role, path))
        return "" if row is None else str(row[_SHA256])

    def file(self, role: Role, path: str) -> KeptFile:
        """All that is kept of one file. Raises KeyError where it is nothing, and Damaged."""
        row = self._files[role, path]
        with self._lock, self._reading():
            found = self._db.execute(f"{_BODIES} WHERE file = ? ORDER BY place", [row[_ID]])
            bodies = found.fetchall()
        return KeptFile(role, path, row[_SHA256], row[_TOLD:], [_sound(row) for row in bodies])

    def copy_to(self, path: str) -> None:
        """Write the database to an empty file. Raises sqlite3.Error."""
        target = sqlite3.connect(path)
        try:
            # What a crash leaves half written, the checksums refuse.
            target.execute("PRAGMA synchronous = OFF")
            with self._lock:
                self._db.backup(target)
        finally:
            target.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise Damaged(str(error)) from error


class Draft:
    """A cache in the making, in memory: file after file of bank after bank."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.executescript(_TABLES)
        self._bank = 0

    def bank(self, folder: str) -> None:
        """Begin a bank; `folder` below the root."""
        self._bank += 1
        row = (self._bank, os.fsencode(folder), 0)
        self._db.execute("INSERT INTO bank VALUES (?, ?, ?)", row)

    def errors(self, count: int) -> None:
        """Count mistakes of the bank that belong to no file that is kept."""
        self._db.execute("UPDATE bank SET errors = errors + ? WHERE id = ?", (count, self._bank))

    def file(self, kept: KeptFile) -> None:
        """Add a file to the bank."""
        path = os.fsencode(kept.path)
        row = (None, self._bank, kept.role, path, kept.sha256, *kept.told)
        number = self._db.execute(_ADD_FILE, row).lastrowid
        self._db.executemany(
            "INSERT INTO body VALUES (?, ?, ?, ?)",
            ((number, at, words, zlib.crc32(words)) for at, words in enumerate(kept.bodies)),
        )

    def done(self, root: str, code: str, seen: Seen | None) -> Compiled:
        """The finished cache. seen: what the files were when they began to be read."""
        at, stamps = (0, b"") if seen is None else (seen.at, _written(seen.stamps))
        row = (FORMAT, code, os.fsencode(root), at, stamps)
        banks, files = self._db.execute(_BANKS).fetchall(), self._db.execute(_FILES).fetchall()
        checked = (*row, _checksum(row, *banks, *files))
        self._db.execute("INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)", checked)
        return Compiled(self._db, root, code)


def _part(row: Sequence[Any]) -> Part:
    errors, unsure, said = row[_TOLD:_COLUMNS]
    return Part(
        row[_ID],
        row[_ROLE],
        os.fsdecode(row[_PATH]),
        errors=errors,
        unsure=unsure,
        said=said,
        columns=row[_COLUMNS:],
    )


def _sound(row: Sequence[Any] | None) -> bytes:
    if row is None or not isinstance(row[0], bytes) or zlib.crc32(row[0]) != row[1]:
        raise Damaged("the words of a question")
    return row[0]


def _checksum(*rows: Sequence[object]) -> int:
    total = 0
    for row in rows:
        for value in row:
            data = value if isinstance(value, bytes) else str(value).encode()
            total = zlib.crc32(data, total)
    return total


def _written(stamps: dict[str, str]) -> bytes:
    # No path has a zero byte in it.
    return os.fsencode("\0".join(part for pair in stamps.items() for part in pair))


def _parsed(stamps: bytes) -> dict[str, str]:
    parts = os.fsdecode(stamps).split("\0")
    return dict(zip(parts[::2], parts[1::2], strict=False))
